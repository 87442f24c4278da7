"""The search for certificates: `certify`.

This room only searches; what it finds is checked by `symbench.certificates`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.certificates import Certificate
from symbench.decide.assignment import decide_assignment
from symbench.decide.blocks import block_certificate
from symbench.decide.definite import decide_definite
from symbench.decide.limits import Workers, seconds
from symbench.decide.nonsingular import decide_nonsingular, decide_rank
from symbench.errors import UnknownName
from symbench.exact import Matrix

__all__ = ["block_certificate", "certify"]

_QUESTIONS: dict[str, Callable[[Matrix], Certificate]] = {
    "nonsingular": decide_nonsingular,
    "rank": decide_rank,
    "positive-definite": decide_definite,
    "unique-assignment": decide_assignment,
}


def certify(
    matrix: Any, *, question: str = "nonsingular", timeout: float | None = None
) -> Certificate:
    """Decide a question about a matrix and return the certificate of the answer.

    The matrix is a Matrix, rows of one, or an object with a road of its own (a template matrix).
    question is 'nonsingular' (answer Nonsingular or Singular), 'rank' (RankIs),
    'positive-definite' (PositiveDefinite or NotPositiveDefinite) or 'unique-assignment'
    (UniqueAssignment or TiedAssignment). With a timeout in seconds the search runs in a
    process of its own, which is ended when the time is over. No answer raises Undecided.

    >>> certify(Matrix([[1, 2], [3, 4]]))
    Nonsingular(prime=2147483647, point={}, residue=2147483645, valuation=0, generic=False)
    >>> certify([[1, 2], [2, 4]]).vector
    (-2, 1)
    >>> certify([[2, 1], [1, 2]], question="positive-definite").check()
    True
    >>> certify([[1, 2], [3, 4]], question="beauty")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: no question 'beauty': ask nonsingular, rank, ...
    """
    if not isinstance(question, str) or question not in _QUESTIONS:
        raise UnknownName(f"no question {shown(question)}: ask {', '.join(_QUESTIONS)}")
    own_road = hasattr(type(matrix), "certify")
    subject = matrix if own_road or isinstance(matrix, Matrix) else Matrix(matrix)
    limit = seconds(timeout)
    if limit is None:
        return _answer(question, subject)
    with Workers() as workers:
        found: Certificate = workers.run(_answer, question, subject, timeout=limit)
    return found if own_road else attrs.evolve(found, subject=subject)


def _answer(question: str, subject: Any) -> Certificate:
    """The certificate; an object that knows a shorter road than its entries takes it."""
    if hasattr(type(subject), "certify"):
        found: Certificate = subject.certify(question=question)
        return found
    return _QUESTIONS[question](subject)
