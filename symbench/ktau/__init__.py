"""The template matrix K_tau, and the certificates of its nonsingularity."""

from symbench.ktau.certificates import ModularPoints, OnePoint
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.patterns import Patterns

__all__ = ["ModularPoints", "OnePoint", "Patterns", "TemplateMatrix", "template_matrix"]
