"""Is a text permutation symmetric? Moments of its windows, against shuffled ones."""

from symbench.texts.symmetry import (
    SymmetryReport,
    TextComparison,
    compare_texts,
    permutation_symmetry,
)

__all__ = ["SymmetryReport", "TextComparison", "compare_texts", "permutation_symmetry"]
