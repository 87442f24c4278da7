"""The template matrix K_tau, and the search for certificates of its nonsingularity."""

from symbench.ktau.condition import coefficient_matrices, stages
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.theorems import kernel_facts, plain_templates

__all__ = [
    "PositionSymmetry",
    "TemplateMatrix",
    "coefficient_matrices",
    "kernel_facts",
    "plain_templates",
    "position_symmetry",
    "stages",
    "template_matrix",
]
