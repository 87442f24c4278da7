"""Edelman, Goel, Kakade and Zhang, Inductive biases and variable creation in self-attention (2022).

Our copy has the list of statements and no formulas: statements are reconstructed.
"""

from symbench.papers.edelman2022 import capacity, covers, heads, information, memorisers

__all__ = ["capacity", "covers", "heads", "information", "memorisers"]
