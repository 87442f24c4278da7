"""The search for certificates: `certify`.

This room only searches; what it finds is checked by `symbench.certificates`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from symbench._arguments import choice
from symbench.certificates.base import Certificate
from symbench.decide.assignment import decide_assignment
from symbench.decide.blocks import block_certificate
from symbench.decide.definite import decide_definite
from symbench.decide.limits import Workers, seconds
from symbench.decide.nonsingular import decide_nonsingular, decide_rank
from symbench.exact import Matrix

__all__ = ["block_certificate", "certify"]

QUESTIONS: Mapping[str, Callable[[Matrix], Certificate]] = {
    "nonsingular": decide_nonsingular,
    "rank": decide_rank,
    "positive-definite": decide_definite,
    "unique-assignment": decide_assignment,
}


def certify(
    matrix: Matrix | Sequence[Sequence[Any]],
    *,
    question: str = "nonsingular",
    timeout: float | None = None,
) -> Certificate:
    """Decide a question about a Matrix, or rows of one: `sb.certify` says what can be asked.

    >>> certify([[1, 2], [2, 4]]).explain()
    'singular: a null vector with 2 nonzero entries'
    """
    asked, limit = choice(question, "the question", QUESTIONS), seconds(timeout)
    subject = matrix if isinstance(matrix, Matrix) else Matrix(matrix)
    if limit is None:
        return QUESTIONS[asked](subject)
    with Workers() as workers:
        found = workers.run(QUESTIONS[asked], subject, timeout=limit)
    return attrs.evolve(found, subject=subject)
