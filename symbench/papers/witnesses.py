"""What the search for certificates finds where floats do not reach (`algebra.*`).

Assignments of numbers that no float tells apart, singular matrices that a factorisation takes for
definite ones, null vectors of wide matrices, and witnesses in integers for very small checkers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from math import gcd
from operator import mul
from typing import Any

from symbench.certificates import NotPositiveDefinite, PositiveDefinite, UniqueAssignment
from symbench.decide import certify
from symbench.decide.witnesses import gram, inverse_modulo
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.papers._cases import at_most, drawn, integer, many, number
from symbench.papers._second_roads import leibniz, rank
from symbench.registry import Fails, NearMiss, claim

Rows = tuple[tuple[Any, ...], ...]
_BIG = 1 << 60


def _square(field: Any) -> Any:
    table = many(many(field))
    return lambda rows: table(rows) and {*map(len, rows)} == {len(rows)}


def _drawn_square(st: Any, low: int, high: int) -> Any:
    return st.integers(1, 4).flatmap(
        lambda n: st.tuples(*[st.tuples(*[st.integers(low, high)] * n)] * n)
    )


# --- assignments ----------------------------------------------------------------------------------
def _tables() -> Iterator[Rows]:
    yield ((_BIG, _BIG + 1), (_BIG + 1, _BIG))
    for order in permutations(range(3)):
        yield tuple(tuple(_BIG + (order[i] == j) for j in range(3)) for i in range(3))
    for order in ((1, 2, 3, 0), (2, 0, 3, 1)):
        yield tuple(tuple(_BIG + (order[i] == j) for j in range(4)) for i in range(4))
    yield ((_BIG, _BIG), (_BIG, _BIG))
    yield ((Rational(1, 3), 0, 2), (1, Rational(1, 2), 0), (0, 1, 1))
    yield ((3, 1, 1), (1, 3, 1), (1, 1, 1))


@claim(
    "algebra.assignments",
    source="The largest sum of entries, one in each row and column",
    category="theorem",
    cases=_tables,
    boundary=((0,),),
    strategy=drawn(lambda st: _drawn_square(st, 0, 3)),
    applies=_square(number()),
    near_misses=[
        NearMiss("the identity is taken", ((_BIG, _BIG + 1), (_BIG + 1, _BIG)), {"identity": True}),
        NearMiss("ties are broken by the order", ((1, 1), (1, 1)), {"ties": 1}),
    ],
)
def assignments(rows: Rows, identity: bool = False, ties: int | None = None) -> bool | Fails:
    """The largest sum of one entry in each row and column is found, and whether one permutation
    alone has it or two have: whatever the size of the numbers.
    """
    size = len(rows)
    at_most(size, 6, "rows")
    sums = {s: sum(rows[i][j] for i, j in enumerate(s)) for s in permutations(range(size))}
    best = [s for s, total in sums.items() if total == max(sums.values())][:ties]
    if identity:
        best = [tuple(range(size))]
    found = certify(Matrix(rows), question="unique-assignment")
    if not found.check():
        return Fails("the certificate does not check")
    if isinstance(found, UniqueAssignment):
        return best == [found.assignment] or Fails(f"{best} have the largest sum")
    named = {getattr(found, "first", None), getattr(found, "second", None)}
    return (len(named) == 2 and named <= set(best)) or Fails(f"{best} have the largest sum")


# --- definiteness ---------------------------------------------------------------------------------
def _gram_of(vectors: Rows) -> Rows:
    return tuple(tuple(sum(map(mul, x, y)) for y in vectors) for x in vectors)


_VECTORS: tuple[Rows, ...] = (
    ((1, 2), (3, 1), (5, 7)),
    ((1, 2, 3), (4, 5, 7), (1, 0, 2)),
    ((1, 3, 7), (2, 1, 5), (3, 4, 12), (1, 1, 1)),
    ((10**9, 1), (1, 10**9), (3, 10**6 + 7)),
    ((1, 0, 0), (0, 10**8, 1), (0, 1, 0)),
    ((2,),),
)


@claim(
    "algebra.gram",
    source="Gram matrices: definite exactly if their vectors are independent",
    category="theorem",
    cases=_VECTORS,
    boundary=((1,),),
    strategy=drawn(
        lambda st: st.lists(st.tuples(*[st.integers(-9, 9)] * 3), min_size=1, max_size=4).map(tuple)
    ),
    applies=lambda v: many(many(integer()))(v) and len({*map(len, v)}) == 1,
    near_misses=[
        NearMiss("as many vectors as dimensions suffice", ((1, 2), (2, 4)), {"count": True}),
        NearMiss("every Gram matrix is definite", ((1, 2), (3, 1), (5, 7)), {"all_of_them": True}),
    ],
)
def gram_matrices(vectors: Rows, count: bool = False, all_of_them: bool = False) -> bool | Fails:
    """The Gram matrix of vectors is positive definite if they are independent, and otherwise some
    vector has the value 0: one of the two is certified. A definite one has a multiple that is a
    Gram matrix of integers and a dominant diagonal, and it is inverted modulo a prime.
    """
    at_most(len(vectors), 5, "vectors")
    rows = _gram_of(vectors)
    definite = all_of_them or leibniz(rows) != 0
    if count:
        definite = len(vectors) <= len(vectors[0])
    matrix = Matrix(rows)
    found = certify(matrix, question="positive-definite")
    kind = PositiveDefinite if definite else NotPositiveDefinite
    if not isinstance(found, kind) or not found.check():
        return Fails(f"it is {'' if definite else 'not '}definite, and {found.explain()}")
    return _witnesses(matrix) if definite else True


def _witnesses(matrix: Matrix) -> bool | Fails:
    scale, factor = gram(matrix)
    rows, size = factor.rows, range(matrix.shape[0])
    rest = [
        [scale * matrix[i, j] - sum(row[i] * row[j] for row in rows) for j in size] for i in size
    ]
    for i in size:
        if rest[i][i] <= sum(abs(rest[i][j]) for j in size if j != i):
            return Fails(f"the diagonal does not outweigh row {i}")
    modulus, inverse = inverse_modulo(matrix)
    if any(modulus % d == 0 for d in range(2, min(modulus, 1000))):
        return Fails(f"{modulus} is no prime")
    below = 1
    for row in matrix.rows:
        for x in row:
            below = below * x.denominator // gcd(below, x.denominator)
    for i, j in product(size, repeat=2):
        entry = sum(inverse[i, k] * int(matrix[k, j] * below) for k in size)
        if entry % modulus != int(i == j):
            return Fails(f"the inverse modulo {modulus} is none")
    return True


# --- null vectors ---------------------------------------------------------------------------------
_WIDE: tuple[Rows, ...] = (
    ((1, 0, 0, 0, 2, 4), (0, 1, 0, 0, 6, 8), (0, 0, 1, 0, 2, 2), (0, 0, 0, 1, 4, 6)),
    ((2, 4, 6, 8, 10), (1, 1, 1, 1, 1), (1, 2, 4, 8, 16), (1, 3, 9, 27, 81)),
    ((1, 2, 3), (2, 4, 6)),
    ((2, 3), (4, 6)),
    ((1, 0, 0, 0, 0, 3), (0, 0, 1, 0, 0, 3), (0, 0, 0, 1, 0, 9), (0, 0, 0, 0, 1, 3)),
)


@claim(
    "algebra.null-vectors",
    source="A basis of the null vectors of an integer matrix, without common factors",
    category="theorem",
    cases=_WIDE,
    boundary=((0,),),
    strategy=drawn(
        lambda st: st.integers(2, 6).flatmap(
            lambda n: st.lists(st.tuples(*[st.integers(-3, 3)] * n), min_size=1, max_size=4).map(
                tuple
            )
        )
    ),
    applies=lambda rows: many(many(integer()))(rows) and len({*map(len, rows)}) == 1,
    near_misses=[
        NearMiss("one null vector is enough", ((1, 2, 3), (2, 4, 6)), {"count": 1}),
        NearMiss("each has an entry 1", ((2, 3), (4, 6)), {"unit": True}),
    ],
)
def null_vectors(rows: Rows, count: int | None = None, unit: bool = False) -> bool | Fails:
    """The null vectors of an integer matrix are multiples of integer vectors without a common
    factor: as many as there are columns beyond the rank, each with M v = 0, and independent. Over
    polynomials in x with the same entries times x + 1 they are the same.
    """
    width = len(rows[0])
    at_most(width, 8, "columns")
    free = width - rank(rows)
    found = Matrix(rows, ZZ).nullspace()
    if len(found) != (free if count is None else count):
        return Fails(f"{len(found)} null vectors, and the rank is {width - free}")
    if rank(found) != len(found):
        return Fails("the null vectors are not independent")
    x, *_ = QQ["x"].gens
    over = Matrix([[(x + 1) * a + x * x * a for a in row] for row in rows], QQ["x"]).nullspace()
    if len(over) != free:
        return Fails(f"{len(over)} null vectors over polynomials")
    for vector in found:
        if any(sum(map(mul, row, vector)) for row in rows) or gcd(*map(int, vector)) != 1:
            return Fails(f"{vector} is no null vector without common factors")
        if unit and 1 not in map(abs, vector):
            return Fails(f"{vector} has no entry 1")
    return _cramer(rows)


def _cramer(rows: Rows) -> bool | Fails:
    """Null vectors that need polynomials: M with one more column, x times the first plus x^2."""
    x, *_ = QQ["x"].gens
    one = QQ["x"].coerce(1)
    wider = [[a * one for a in row] + [x * row[0] + x * x * row[-1]] for row in rows]
    matrix = Matrix(wider, QQ["x"])
    for vector in matrix.nullspace():
        if any(sum(map(mul, row, vector), 0 * one) != 0 for row in matrix.rows):
            return Fails(f"{vector} is no null vector over polynomials")
    return True
