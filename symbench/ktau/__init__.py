"""The template matrix K_tau, and the certificates of its nonsingularity."""

from symbench.ktau.certificates import ModularPoints, OnePoint
from symbench.ktau.condition import coefficient_matrices, stages
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.patterns import Patterns
from symbench.ktau.stage import Stage

__all__ = [
    "ModularPoints",
    "OnePoint",
    "Patterns",
    "Stage",
    "TemplateMatrix",
    "coefficient_matrices",
    "stages",
    "template_matrix",
]
