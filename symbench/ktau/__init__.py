"""The template matrix K_tau, and the certificates of its nonsingularity."""

from symbench.ktau.certificates import ModularPoints, OnePoint
from symbench.ktau.condition import coefficient_matrices, stages
from symbench.ktau.diagrams import Diagrams, Types
from symbench.ktau.ends import EndPatterns
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.patterns import Patterns
from symbench.ktau.ranks import TemplateRank, TypeRank
from symbench.ktau.stage import Stage

__all__ = [
    "Diagrams",
    "EndPatterns",
    "ModularPoints",
    "OnePoint",
    "Patterns",
    "PositionSymmetry",
    "Stage",
    "TemplateMatrix",
    "TemplateRank",
    "TypeRank",
    "Types",
    "coefficient_matrices",
    "position_symmetry",
    "stages",
    "template_matrix",
]
