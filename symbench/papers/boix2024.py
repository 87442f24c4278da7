"""Claims of boix2024, "When can transformers reason with abstract symbols?".

arXiv 2310.09753, numbering of version 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

from symbench.certificates import Certificate, UniqueAssignment
from symbench.decide import certify
from symbench.exact import QQ, Exponential, Matrix, exponential_matrix
from symbench.registry import Fails, NearMiss, claim

_GREEK = "αβγδεζηθικλμνξοπρστυφχψω"


# --- Lemma E.1 --------------------------------------------------------------------------------
def _identity_alone(c: Matrix) -> bool:
    """Condition (22): no permutation but the identity has the sum of the diagonal."""
    size = c.shape[0]
    diagonal = sum(c[i, i] for i in range(size))
    return all(
        sum(c[i, s[i]] for i in range(size)) != diagonal
        for s in permutations(range(size))
        if s != tuple(range(size))
    )


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
    proof="proofs/boix2024/lemma-E.1.md",
    near_misses=[
        NearMiss("a transposition ties with the identity", Matrix([[0, 0], [0, 0]])),
        NearMiss("equal rows: ties everywhere", Matrix([[1, 2, 0], [1, 2, 0], [0, 0, 5]])),
        NearMiss(
            "only 'the identity is a maximum' is asked", Matrix([[1, 0, 1], [1, 0, 1], [0, 0, 0]])
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
    matrix = exponential_matrix(c)
    certificate = certify(matrix)
    if certificate.kind != "nonsingular":
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
    if unique and (not assignment.check() or max(terms) != diagonal):
        return Fails("the identity is the unique maximum and its term does not lead")
    return certificate


# --- Remark I.6 -------------------------------------------------------------------------------
def _overlap(z: str, w: str) -> int:
    """Equal positions of z and w after substituting fresh tokens: those of equal regular tokens."""
    return sum(a == b and a not in _GREEK for a, b in zip(z, w, strict=True))


def _set_partitions(length: int) -> Iterator[str]:
    """The templates without regular tokens, one per equivalence class."""

    def extend(prefix: str) -> Iterator[str]:
        if len(prefix) == length:
            yield prefix
            return
        for letter in _GREEK[: len(set(prefix)) + 1]:
            yield from extend(prefix + letter)

    return extend("")


def _wildcard_tasks(max_length: int = 4) -> Iterator[tuple[str, ...]]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        templates = list(_set_partitions(length))
        yield from combinations(templates, 2)
        if len(templates) > 2:
            yield tuple(templates)


def _wildcard_strategy() -> Any:
    from hypothesis import strategies as st

    def tasks(length: int) -> Any:
        one = st.sampled_from(list(_set_partitions(length)))
        return st.lists(one, min_size=2, max_size=6, unique=True).map(tuple)

    return st.integers(2, 7).flatmap(tasks)


@claim(
    "boix2024.remark-I.6",
    source="Appendix I, Remark I.6 (wording reconstructed; 'wildcard-only' is not printed there)",
    category="remark",
    cases=_wildcard_tasks,
    boundary=("αα", "αβ"),
    strategy=_wildcard_strategy,
    near_misses=[
        NearMiss("templates with regular tokens", ("Aα", "Bα")),
        NearMiss("a single template", ("αα",)),
        NearMiss("a common last token CLS: the entries are kappa(1)", ("αα*", "αβ*")),
    ],
)
def remark_i6(templates: tuple[str, ...]) -> Certificate | Fails:
    r"""For wildcard-only templates and an inner-product kernel $\kappa(\langle x, y\rangle)$ every
    entry of the template matrix is $\kappa(0)$, so for $r \ge 2$ it is singular, whatever $\kappa$.

    The matrix is taken over $\mathbb{Q}[\kappa_0, \dots, \kappa_k]$, one indeterminate for each
    value of the inner product: its null vector annihilates it for every kernel function.
    """
    ring = QQ[tuple(f"kappa{n}" for n in range(len(templates[0]) + 1))]
    matrix = Matrix([[ring.gens[_overlap(z, w)] for w in templates] for z in templates], ring)
    certificate = certify(matrix)
    if certificate.kind != "singular":
        return Fails("the template matrix is nonsingular for generic kappa")
    if any(entry != ring.gens[0] for row in matrix.rows for entry in row):
        return Fails("not every entry is kappa(0)")
    return certificate
