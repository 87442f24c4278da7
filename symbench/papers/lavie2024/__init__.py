"""Claims of lavie2024, "Towards understanding inductive bias in transformers".

arXiv 2402.05173, and its poster. How polynomials and functions of sequences split under the
permutations of positions; kernels and learning curves come after this.
"""

from symbench.papers.lavie2024 import dimension, polynomials, vocabulary

__all__ = ["dimension", "polynomials", "vocabulary"]
