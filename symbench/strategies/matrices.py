"""Strategies for exact numbers, rings and matrices."""

from __future__ import annotations

from math import ceil, floor
from operator import matmul
from typing import Any

from hypothesis import strategies as st

from symbench._arguments import flag, sequence, shown
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import (
    GF,
    QQ,
    ZZ,
    Balls,
    Exponentials,
    Matrix,
    Polynomials,
    PowerSeries,
    Rational,
)
from symbench.exact.dense import PrimeField
from symbench.exact.ring import Ring
from symbench.strategies._bounds import bounds

_ENTRY = 9  # small entries: what goes wrong goes wrong with them


def rationals(
    *, min_value: Any = -_ENTRY, max_value: Any = _ENTRY, max_denominator: int = 9
) -> st.SearchStrategy[Rational]:
    """Exact rational numbers between two bounds.

    >>> from hypothesis import find
    >>> find(rationals(max_denominator=2), lambda x: 0 < x < 1)
    1/2
    >>> rationals(min_value=1, max_value=0)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: min_value=1 is greater than max_value=0; exchange them
    """
    low, high = Rational(min_value), Rational(max_value)
    if low > high:
        raise BadValue(f"min_value={low} is greater than max_value={high}; exchange them")
    _, most = bounds(1, max_denominator, "denominator", floor=1)
    if max(low.denominator, high.denominator) > most:
        raise BadValue(f"max_denominator={most} is below that of a bound; raise it")
    # Not st.fractions, which takes long to shrink.
    sizes = [d for d in range(1, most + 1) if ceil(low * d) <= floor(high * d)]

    def of_denominator(d: int) -> st.SearchStrategy[Rational]:
        return st.integers(ceil(low * d), floor(high * d)).map(lambda n: Rational(n, d))

    return st.sampled_from(sizes).flatmap(of_denominator)


def rings() -> st.SearchStrategy[Ring]:
    """Rings of matrix entries: ZZ, QQ, prime fields, polynomials, exponentials, series, balls.

    >>> from hypothesis import find
    >>> find(rings(), lambda ring: ring.variables == ("x",))
    QQ['x']
    """
    fields = st.sampled_from([2, 3, 5, 7, 101]).map(GF)
    numbers = st.sampled_from([ZZ, QQ]) | fields
    return numbers | st.sampled_from(
        [QQ["x"], ZZ["x", "y"], Exponentials("q"), PowerSeries(QQ, "b", 3), Balls(64)]
    )


def elements(ring: Ring) -> st.SearchStrategy[Any]:
    """Elements of a ring with small coefficients.

    >>> from hypothesis import find
    >>> find(elements(QQ["x"]), lambda p: p.degrees() == (1,)).degrees()
    (1,)
    >>> elements("QQ")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the ring is 'QQ': give a ring such as ZZ, QQ or GF(7)
    """
    _check_ring(ring)
    if isinstance(ring, PrimeField):
        return st.integers(0, min(ring.modulus - 1, 2**31)).map(ring.coerce)
    if isinstance(ring, Polynomials):
        powers = st.tuples(*[st.integers(0, 2)] * len(ring.variables))
        return st.dictionaries(powers, elements(ring.base), max_size=3).map(ring.from_terms)
    if isinstance(ring, PowerSeries):
        known = st.lists(elements(ring.base), max_size=ring.precision)
        return known.map(ring.series)
    if isinstance(ring, Exponentials):
        pairs = st.tuples(rationals(min_value=-2, max_value=2, max_denominator=2), rationals())
        return st.lists(pairs, max_size=2).map(
            lambda terms: sum((ring.monomial(e) * c for e, c in terms), ring.coerce(0))
        )
    if isinstance(ring, Balls):
        # Dyadic numbers, which a ball holds without a radius.
        return st.integers(-64, 64).map(lambda n: ring.coerce(Rational(n, 8)))
    if ring == QQ:
        return rationals()
    return st.integers(-_ENTRY, _ENTRY)


def matrices(
    *,
    ring: Ring = ZZ,
    min_size: int = 1,
    max_size: int = 4,
    shape: tuple[int, int] | None = None,
    square: bool = False,
    symmetric: bool = False,
    positive_definite: bool = False,
    singular: bool = False,
) -> st.SearchStrategy[Matrix]:
    """Matrices over any ring with small entries, of some size or of a given shape.

    Symmetric, positive definite and singular ones are square, and built so: nothing is rejected.
    Positive definite ones are A A^T + D with D a positive diagonal, over ZZ or QQ; singular ones
    are products through one dimension less.

    >>> from hypothesis import find
    >>> find(matrices(square=True), lambda M: M.det() == 1)
    Matrix([[1]])
    >>> definite = find(matrices(positive_definite=True, min_size=2), lambda M: M[0, 1] != 0)
    >>> sb.certify(definite, question="positive-definite").check()
    True
    >>> find(matrices(singular=True, ring=GF(5), min_size=2), lambda M: M.rank() == 1).det()
    0
    >>> matrices(singular=True, positive_definite=True)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: no matrix is singular and positive definite: ask for one of them
    """
    low, high = bounds(min_size, max_size, "size", floor=1)
    _check_ring(ring)
    definite, degenerate = (
        flag(positive_definite, "positive_definite"),
        flag(singular, "singular"),
    )
    mirrored = flag(symmetric, "symmetric") or definite
    equal = flag(square, "square") or mirrored or degenerate
    if definite and degenerate:
        raise BadValue("no matrix is singular and positive definite: ask for one of them")
    if definite and ring not in (ZZ, QQ):
        raise BadValue(f"the ring is {shown(ring)}: positive definite matrices are over ZZ or QQ")
    if degenerate and isinstance(ring, Balls):
        raise BadValue(f"the ring is {shown(ring)}: no enclosure says that a matrix is singular")
    entries = elements(ring)

    def table(rows: int, columns: int) -> st.SearchStrategy[Matrix]:
        line = st.lists(entries, min_size=columns, max_size=columns)
        lines = st.lists(line, min_size=rows, max_size=rows)
        return lines.map(lambda found: Matrix(found, ring))

    def of_shape(wanted: tuple[int, int]) -> st.SearchStrategy[Matrix]:
        rows, columns = wanted
        if definite:
            spread = st.lists(st.integers(1, _ENTRY), min_size=rows, max_size=rows)
            return st.builds(_definite, table(rows, rows), spread)
        if degenerate and rows == 1:
            return st.just(Matrix([[0]], ring))
        if degenerate and mirrored:
            return st.builds(_squeezed, table(rows - 1, rows), _mirrored(entries, rows - 1, ring))
        if degenerate:
            return st.builds(matmul, table(rows, rows - 1), table(rows - 1, rows))
        return _mirrored(entries, rows, ring) if mirrored else table(rows, columns)

    if shape is not None:
        return of_shape(_shape(shape, equal))
    sizes = st.integers(low, high)
    shapes = sizes.map(lambda n: (n, n)) if equal else st.tuples(sizes, sizes)
    return shapes.flatmap(of_shape)


def _check_ring(ring: Any) -> None:
    if not isinstance(ring, Ring):
        raise BadType(f"the ring is {shown(ring)}: give a ring such as ZZ, QQ or GF(7)")


def _shape(shape: Any, equal: bool) -> tuple[int, int]:
    given = sequence(shape, "the shape", "(rows, columns)")
    if len(given) != 2:
        raise BadShape(f"the shape is {shown(shape)}: give (rows, columns)")
    rows, columns = (bounds(1, size, "size", floor=1)[1] for size in given)
    if equal and rows != columns:
        raise BadShape(f"the shape is {shown(shape)}: these matrices are square")
    return rows, columns


def _mirrored(entries: st.SearchStrategy[Any], size: int, ring: Ring) -> st.SearchStrategy[Matrix]:
    """Symmetric matrices from the entries on and below the diagonal."""
    count = size * (size + 1) // 2

    def filled(values: list[Any]) -> Matrix:
        def at(i: int, j: int) -> Any:
            a, b = max(i, j), min(i, j)
            return values[a * (a + 1) // 2 + b]

        return Matrix([[at(i, j) for j in range(size)] for i in range(size)], ring)

    return st.lists(entries, min_size=count, max_size=count).map(filled)


def _definite(root: Matrix, spread: list[int]) -> Matrix:
    size = len(spread)
    diagonal = [[spread[i] if i == j else 0 for j in range(size)] for i in range(size)]
    return root @ root.transpose() + Matrix(diagonal, root.ring)


def _squeezed(root: Matrix, middle: Matrix) -> Matrix:
    return root.transpose() @ middle @ root
