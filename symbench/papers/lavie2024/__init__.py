"""Claims of lavie2024, "Towards understanding inductive bias in transformers".

arXiv 2402.05173, and its poster. How polynomials and functions of sequences split under the
permutations of positions, and the spectra of kernels with them.
"""

from symbench.papers.lavie2024 import (
    data,
    invariance,
    learning,
    lower_bounds,
    networks,
    polynomials,
    spectra,
    tightness,
    vocabulary,
)

__all__ = [
    "data",
    "invariance",
    "learning",
    "lower_bounds",
    "networks",
    "polynomials",
    "spectra",
    "tightness",
    "vocabulary",
]
