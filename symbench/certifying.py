"""The public `certify`: an object that can decide about itself does, a matrix is decided on."""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from symbench import decide
from symbench.certificates.base import Certificate

__all__ = ["certify"]


@runtime_checkable
class Certifies(Protocol):
    """What decides about itself, from more than its entries: a template matrix."""

    def certify(self, *, question: str, timeout: float | None) -> Certificate:
        """The certificate of the answer."""


def certify(
    matrix: Any, *, question: str = "nonsingular", timeout: float | None = None
) -> Certificate:
    """Decide a question about a matrix and return the certificate of the answer.

    The matrix is a Matrix, rows of one, or a template matrix, which knows shorter ways than by its
    entries. question is 'nonsingular' (answer Nonsingular or Singular), 'rank' (RankIs),
    'positive-definite' (PositiveDefinite or NotPositiveDefinite) or 'unique-assignment'
    (UniqueAssignment or TiedAssignment). With a timeout in seconds the search runs in a
    process of its own, which is ended when the time is over. No answer raises Undecided.

    >>> sb.certify(Matrix([[1, 2], [3, 4]]))
    Nonsingular(prime=2147483647, point={}, residue=2147483645, valuation=0, generic=False)
    >>> sb.certify([[1, 2], [2, 4]]).vector
    (-2, 1)
    >>> sb.certify([[2, 1], [1, 2]], question="positive-definite").check()
    True
    >>> sb.certify(template_matrix(tasks.same_different(), attention())).kind
    'one-point'
    >>> sb.certify([[1, 2], [3, 4]], question="beauty")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the question is 'beauty': give one of nonsingular, rank, ...
    """
    if isinstance(matrix, Certifies) and not isinstance(matrix, type):
        return matrix.certify(question=question, timeout=timeout)
    return decide.certify(matrix, question=question, timeout=timeout)
