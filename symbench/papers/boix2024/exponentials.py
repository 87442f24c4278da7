"""Appendix E: determinants of exponentials (Lemma E.1, the matrix step of Lemma 4.6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

from symbench.certificates import Certificate, Singular, UniqueAssignment
from symbench.decide import certify
from symbench.exact import QQ, ZZ, Exponential, Matrix, exponential_matrix
from symbench.papers._cases import at_most
from symbench.registry import Fails, NearMiss, claim


def _identity_alone(c: Matrix) -> bool:
    """Condition (22): no permutation but the identity has the sum of the diagonal."""
    size = c.shape[0]
    diagonal = sum(c[i, i] for i in range(size))
    return all(
        sum(c[i, s[i]] for i in range(size)) != diagonal
        for s in permutations(range(size))
        if s != tuple(range(size))
    )


_MOST = 8  # rows, all of whose permutations are gone through


def _hypotheses(c: Any) -> bool:
    """A square matrix of rational numbers with condition (22), as far as it can be gone through."""
    if not isinstance(c, Matrix) or c.ring not in (ZZ, QQ) or not c.shape[0] == c.shape[1] >= 1:
        return False
    return c.shape[0] > _MOST or _identity_alone(c)


def _small_exponents(max_two: int = 2, max_three: int = 1) -> Iterator[Matrix]:
    """All integer matrices with condition (22): 2 x 2 up to max_two, 3 x 3 up to max_three."""
    for size, top in ((1, 1), (2, max_two), (3, max_three)):
        for entries in product(range(top + 1), repeat=size * size):
            c = Matrix([entries[i * size : (i + 1) * size] for i in range(size)])
            if _identity_alone(c):
                yield c


def _exponents() -> Any:
    from hypothesis import strategies as st

    def square(size: int) -> Any:
        rows = st.lists(st.integers(-4, 4), min_size=size, max_size=size)
        return st.lists(rows, min_size=size, max_size=size).map(Matrix)

    return st.integers(1, 5).flatmap(square).filter(_identity_alone)


@claim(
    "boix2024.lemma-E.1",
    source="Appendix E, Lemma E.1 with condition (22); the matrix step of Lemma 4.6",
    category="lemma",
    cases=_small_exponents,
    boundary=Matrix([[1, 0], [0, 0]]),
    strategy=_exponents,
    applies=_hypotheses,
    proof="proofs/boix2024/lemma-E.1.md",
    near_misses=[
        NearMiss("a transposition ties with the identity", Matrix([[0, 0], [0, 0]])),
        NearMiss("equal rows: ties everywhere", Matrix([[1, 2, 0], [1, 2, 0], [0, 0, 5]])),
        NearMiss(
            "only 'the identity is a maximum' is asked", Matrix([[1, 1, 0], [1, 1, 0], [0, 0, 0]])
        ),
    ],
)
def lemma_e1(c: Matrix) -> Certificate | Fails:
    r"""If no permutation $\sigma \neq \mathrm{id}$ has $\sum_i C_{i,\sigma(i)} = \sum_i C_{ii}$,
    then $\det [q^{C_{ij}}]$ is not the zero function of $q$.

    The identity contributes $q^{\sum_i C_{ii}}$, and nothing cancels it. If moreover the identity
    is the unique maximum, that term leads, and a dual solution of the assignment problem shows
    it in polynomial time.
    """
    at_most(c.shape[0], _MOST, "rows")
    matrix = exponential_matrix(c)
    certificate = certify(matrix)
    if isinstance(certificate, Singular):
        return Fails("the determinant is identically zero")
    size = c.shape[0]
    determinant: Exponential = matrix.det()
    diagonal = sum(c[i, i] for i in range(size))
    terms = dict(determinant.terms)
    if terms.get(QQ.coerce(diagonal)) != 1:
        return Fails("the identity's term does not survive with coefficient 1")
    assignment = certify(c, question="unique-assignment")
    identity = tuple(range(size))
    unique = isinstance(assignment, UniqueAssignment) and assignment.assignment == identity
    if unique and assignment.check() and max(terms) != diagonal:
        return Fails("the identity is the unique maximum and its term does not lead")
    return certificate
