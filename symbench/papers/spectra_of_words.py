"""Spectra of kernels on words (`spectra.*`), against the operator over all words.

The operator is written out word by word from the definition of its kernel; eigenvalues are checked
through characteristic polynomials, and balls by numbers that are known to lie in them.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from math import comb
from typing import Any

import flint

from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.kernels import from_function, from_table, linear_attention
from symbench.kernels.positions import segment_attention
from symbench.laws import Iid
from symbench.papers._by_hand import independent, linear_attention_value, rational, words_over
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import TraceBound, eigenvalue_scaling, spectrum
from symbench.spectra.enclosures import enclosures

Word = tuple[int, ...]


# --- segments -------------------------------------------------------------------------------------
# The lengths of the segments, and a number for each token, which its probability is proportional to
Segments = tuple[tuple[int, ...], tuple[int, ...]]


def _segment_cases() -> Iterator[Segments]:
    yield (3, 3), (1, 2)
    yield (2, 1, 2), (1, 3)
    yield (1, 2), (1, 2, 3)
    yield (4,), (2, 1)


def _segment_value(x: Word, y: Word, parts: tuple[int, ...]) -> int:
    """sum K_aa sum K_ab^2 for K_ab = 1[x_a = y_b] + 1[a = b] + 2 1[a, b in one segment]."""
    label = [k for k, n in enumerate(parts) for _ in range(n)]
    diagonal = squares = 0
    for a, s in enumerate(label):
        for b, t in enumerate(label):
            K = (x[a] == y[b]) + (a == b) + 2 * (s == t)
            squares += K * K
            diagonal += K * (a == b)
    return diagonal * squares


@claim(
    "spectra.segments",
    source="Schur's lemma for the permutations of positions inside of segments",
    category="definition",
    cases=_segment_cases,
    boundary=((1,), (1, 1)),
    strategy=drawn(
        lambda st: st.tuples(
            st.lists(st.integers(1, 2), min_size=1, max_size=2).map(tuple),
            st.lists(st.integers(1, 3), min_size=1, max_size=3).map(tuple),
        )
    ),
    applies=record(many(integer(1)), many(integer(1))),
    near_misses=[
        NearMiss("each block once", ((3,), (1, 2)), {"repeated": False}),
        NearMiss("all words equally likely", ((2, 1), (1, 2)), {"uniform": True}),
    ],
)
def segments(case: Segments, repeated: bool = True, uniform: bool = False) -> bool | Fails:
    r"""The characteristic polynomial of the operator $k(x, y) p(y)$ over all words is the product
    of those of the blocks, each to the power of the dimension of its irreducible, for a kernel of
    linear attention with an embedding for each segment and independent tokens.
    """
    parts, weights = case
    length, V = sum(parts), len(weights)
    at_most(V**length, 100, "words")
    chances = [Rational(w, sum(weights)) for w in weights]
    found = spectrum(
        segment_attention(1, 1, 2, segments=parts, readout="flatten"),
        length=length,
        vocabulary=V,
        law=Iid(*chances),
        group=parts,
    )
    known = independent([Rational(1, V)] * V if uniform else chances, length)
    every = words_over(V, length)
    whole = flint.fmpq_mat(
        [[_segment_value(x, y, parts) * p for y, p in zip(every, known, strict=True)]
         for x in every]
    )  # fmt: skip
    together = flint.fmpq_poly([1])
    for piece in found.pieces:
        block = flint.fmpq_mat([list(map(rational, row)) for row in piece.block.rows])
        together *= block.charpoly() ** (piece.dimension if repeated else 1)
    return together == whole.charpoly() or Fails("the blocks are not the operator")


# --- balls ----------------------------------------------------------------------------------------
# Eigenvalues, and the columns of the basis in which the matrix is diagonal
Basis = tuple[tuple[Any, ...], tuple[tuple[int, ...], ...]]


def _near(n: int, bits: int) -> tuple[Rational, ...]:
    """1 and numbers that only many bits tell from it."""
    return tuple(Rational(1 + Fraction(k, 2**bits)) for k in range(n))


def _bases() -> Iterator[Basis]:
    for bits, rows in (
        (155, ((5, -5), (-4, 1))), (158, ((2, 4), (-4, -4))), (160, ((-3, 4), (-1, 2))),
        (162, ((4, -5), (-4, 3))), (165, ((-5, 5), (-4, 3))), (170, ((4, -5), (4, -1))),
        (158, ((3, 1, -2), (-4, -1, 2), (4, -5, 4))), (165, ((-3, 2, 1), (-1, 0, 1), (0, 4, -2))),
    ):  # fmt: skip
        yield _near(len(rows), bits), rows
    yield (3, Rational(1, 2), -1), ((1, 2, 0), (0, 1, 1), (1, 0, 1))
    yield (2, 2, 2, 0), ((1, 0, 0, 1), (0, 1, 0, 1), (0, 0, 1, 1), (1, 1, 1, 4))


def _is_basis(values: tuple[Any, ...], rows: Any) -> bool:
    if {len(rows), *map(len, rows)} != {len(values)}:
        return False
    return bool(flint.fmpz_mat([list(row) for row in rows]).det() != 0)


@claim(
    "spectra.enclosures",
    source="Gershgorin's circles: a component of their union has an eigenvalue for each of them",
    category="definition",
    cases=_bases,
    boundary=((0,), ((1,),)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.integers(-3, 3)] * 3),
            st.tuples(*[st.tuples(*[st.integers(-4, 4)] * 3)] * 3).filter(
                lambda rows: _is_basis((0,) * 3, rows)
            ),
        )
    ),
    applies=record(many(number()), many(many(integer())), where=_is_basis),
    near_misses=[
        NearMiss(
            "the balls come with the smallest first",
            ((1, 2), ((1, 0), (1, 1))),
            {"ascending": True},
        ),
    ],
)
def balls(case: Basis, ascending: bool = False) -> bool | Fails:
    r"""For a rational matrix with known rational eigenvalues the $j$-th ball contains the $j$-th
    largest of them, also where they are so close that the circles of two of them overlap, and its
    radius is below $2^{-100}$ of the largest entry (or of 1); a radius that is asked for is added
    to it, rounded up by less than a millionth.
    """
    values, rows = case
    at_most(len(values), 6, "eigenvalues")
    size = len(values)
    basis = flint.fmpq_mat([list(map(rational, row)) for row in rows])
    diagonal = flint.fmpq_mat(size, size)
    for k, value in enumerate(values):
        diagonal[k, k] = rational(value)
    matrix = basis * diagonal * basis.inv()
    largest = max([flint.fmpq(1), *map(abs, matrix.entries())])
    for radius in (Rational(0), Rational(1, 2)):
        found = enclosures(Matrix(matrix), radius=radius)
        ordered = sorted(values, reverse=not ascending)
        for ball, value in zip(found, ordered, strict=True):
            middle, reach = ball.mid().fmpq(), ball.rad().fmpq()
            if abs(middle - rational(value)) + rational(radius) > reach:
                return Fails(f"the ball {ball.str(10)} does not hold {value}")
            if reach > rational(radius) * (1 + flint.fmpq(1, 2**20)) + largest / 2**100:
                return Fails(f"the ball {ball.str(10)} is too wide")
    return True


# --- bounds ---------------------------------------------------------------------------------------
# The values of a kernel at each number of positions that differ, and the number of tokens
Values = tuple[tuple[Any, ...], int]
_VALUES: tuple[Values, ...] = (
    ((0, 1, 0, 0), 2), ((1, 2, 2), 3), ((3, 2, 4), 2), ((5, 1, 0, 0), 2), ((2, 1, 2, 2), 2),
    ((4, 1, Rational(1, 2)), 2), ((1, Rational(3, 4), 1, Rational(1, 2)), 2), ((3, 3, 4), 3),
)  # fmt: skip


@claim(
    "spectra.negative-vectors",
    source="A symmetric matrix is positive semidefinite iff no vector has a negative square",
    category="definition",
    cases=_VALUES,
    boundary=((0, 1), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(2, 4).flatmap(lambda n: st.tuples(*[st.integers(0, 4)] * n)),
            st.integers(1, 2),
        )
    ),
    applies=record(many(number(), 2), integer(1)),
    near_misses=[
        NearMiss("every kernel is positive semidefinite", ((0, 1, 0), 2), {"positive": True}),
        NearMiss("twice the trace", ((5, 1, 0, 0), 2), {"factor": 2}),
    ],
)
def negative_vectors(case: Values, positive: bool = False, factor: int = 1) -> bool | Fails:
    r"""A kernel of the number of positions at which two words differ has a vector of integers with
    $v^\top k v < 0$ if the characteristic polynomial of its matrix over all words has a negative
    root, and no such vector otherwise. Then its $j$-th eigenvalue on an irreducible is at most
    $\mathrm{tr} / (j \dim)$; eigenvalues that are larger than a number are told from it.
    """
    values, V = case
    length = len(values) - 1
    at_most(V**length, 100, "words")
    kernel = from_function(lambda x, y: values[_apart(x, y)])
    found = spectrum(kernel, length=length, vocabulary=V)
    every = words_over(V, length)
    rows = [[rational(values[_apart(x, y)]) for y in every] for x in every]
    # All roots are real, so that none is negative iff the signs of det(x - k) alternate.
    coefficients = flint.fmpq_mat(rows).charpoly().coeffs()
    definite = all(c * (-1) ** (len(rows) - n) >= 0 for n, c in enumerate(coefficients))
    vector = found.negative_vector()
    if (vector is None) != (definite or positive):
        return Fails(f"{vector} for a kernel that is {'' if definite else 'not '}semidefinite")
    if vector is not None:
        square = sum(
            (a * b * rows[i][j] for i, a in enumerate(vector) for j, b in enumerate(vector)),
            flint.fmpq(0),
        )
        return square < 0 or Fails(f"v^T k v = {square} for v = {vector}")
    for bound in found.trace_bounds():
        most = factor * Fraction(values[0]) / bound.place / found[bound.irrep].dimension
        if bound.bound != most or not bound.holds:
            return Fails(f"({bound.irrep}): the bound is {bound.bound}, not {most}")
        value = bound.eigenvalue
        if value != 0 and TraceBound(bound.irrep, bound.place, value, value / 2).holds:
            return Fails(f"{value} is said to be at most its half")
    return True


def _apart(x: Any, y: Any) -> int:
    return sum(a != b for a, b in zip(x, y, strict=True))


# --- products -------------------------------------------------------------------------------------
def _fillings(shape: tuple[int, ...], roots: tuple[int, ...]) -> Iterator[int]:
    """The product of the roots over each semistandard tableau: its largest letters go first."""
    if not roots:
        yield 1
        return
    rows = len(roots)
    parts = (*shape, *[0] * (rows - len(shape)))
    for left in product(*(range(parts[i + 1], parts[i] + 1) for i in range(rows - 1))):
        here = roots[-1] ** (sum(parts) - sum(left))
        yield from (here * rest for rest in _fillings(left, roots[:-1]))


@claim(
    "spectra.products",
    source="Fulton, Harris, Representation Theory, Theorem 6.3: the characters of Schur functors",
    category="theorem",
    cases=[
        (3, (2, 3), (1, 2)),
        (9, (2, 3, 5), (1, 2, 3)),
        (4, (1, 2, 3, 5), (1, 1, 0, 2)),
        (30, (1, 3), (1, 2)),
    ],
    boundary=(1, (1, 2), (1, 1)),
    strategy=drawn(
        lambda st: st.integers(2, 3).flatmap(
            lambda V: st.tuples(
                st.integers(1, 4),
                st.tuples(*[st.integers(-3, 3)] * V),
                st.tuples(*[st.integers(1, 3)] * V),
            )
        )
    ),
    applies=record(
        integer(1), many(integer(), 2), many(integer(), 2),
        where=lambda length, roots, v: len(roots) == len(v) and any(v),
    ),
    near_misses=[
        NearMiss("each eigenvalue of A to the length", (3, (2, 3), (1, 2)), {"alone": True}),
    ],
)  # fmt: skip
def products(
    case: tuple[int, tuple[int, ...], tuple[int, ...]], alone: bool = False
) -> bool | Fails:
    r"""For a symmetric matrix $A$ with the eigenvalues $a_1, \dots, a_V$ the kernel
    $k(x, y) = \prod_i A_{x_i y_i}$ on words of $L$ tokens, each as likely as the others, has on a
    copy of $S^\lambda$ the eigenvalues $V^{-L} \prod_{c} a_{T(c)}$, one for each semistandard
    tableau $T$ of shape $\lambda$. Here $A$ is a diagonal matrix, reflected in a vector.
    """
    length, roots, v = case
    V = len(roots)
    at_most(comb(length + V - 1, V - 1), 200, "counts of tokens")
    norm = sum(n * n for n in v)
    turn = flint.fmpq_mat(
        [[flint.fmpq((a == b) * norm - 2 * v[a] * v[b], norm) for b in range(V)] for a in range(V)]
    )
    A = (
        turn
        * flint.fmpq_mat([[r * (a == b) for b in range(V)] for a, r in enumerate(roots)])
        * turn
    )

    def value(table: Any) -> Any:
        found = flint.fmpq(1)
        for a, row in enumerate(table):
            for b, n in enumerate(row):
                found *= A[a, b] ** n if n else 1
        return found

    found = spectrum(from_table(value), length=length, vocabulary=V, algorithm="tableaux")
    words = 0
    for piece in found.pieces:
        shape: Any = piece.irrep
        wanted = flint.fmpq_poly([1])
        for root in _fillings(shape.parts, roots):
            eigenvalue = flint.fmpq(roots[0] ** length if alone else root, V**length)
            wanted *= flint.fmpq_poly([-eigenvalue, 1])
        rows = [[rational(x) for x in row] for row in piece.block.rows]
        if flint.fmpq_mat(rows).charpoly() != wanted:
            return Fails(f"the block of {shape} has other eigenvalues")
        words += piece.dimension * len(rows)
    return words == V**length or Fails(f"the irreducibles have {words} dimensions in all")


# --- scaling --------------------------------------------------------------------------------------
# alpha, beta, readout, lengths
Scaling = tuple[Any, Any, str, tuple[int, ...]]
_READOUTS = ("sum", "flatten")


@claim(
    "spectra.scaling",
    source="The largest eigenvalue of each irreducible (L - m, m) times its dimension, over the "
    "trace",
    category="definition",
    cases=[
        (1, 1, "sum", (3, 4)),
        (2, Rational(1, 2), "flatten", (4,)),
        (1, 3, "flatten", (2,)),
    ],
    boundary=(1, 1, "sum", (1,)),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(1, 3),
            st.integers(1, 3),
            st.sampled_from(_READOUTS),
            st.lists(st.integers(1, 4), min_size=1, max_size=2, unique=True).map(tuple),
        )
    ),
    applies=record(number(above=0), number(0), one_of(*_READOUTS), many(integer(1))),
    near_misses=[
        NearMiss("the share of one copy", (1, 1, "sum", (4,)), {"alone": True}),
    ],
)
def scaling(case: Scaling, alone: bool = False) -> bool | Fails:
    r"""For linear attention on uniform words of two tokens the point of $L$ and $m$ has the
    dimension $\binom{L}{m} - \binom{L}{m-1}$ and the trace $\mathbb{E} k(x, x)$; its eigenvalue is
    one of the operator over all words, is the largest one for $m = 0$, and times the dimension it
    is the ratio's part of the trace.
    """
    alpha, beta, readout, lengths = case
    at_most(max(lengths), 5, "letters")
    kernel = linear_attention(alpha, beta, readout=readout)
    found = eigenvalue_scaling(kernel, lengths=lengths, vocabulary=2, max_m=2)
    for length in sorted(set(lengths)):
        every = words_over(2, length)
        table = flint.fmpq_mat(
            [[rational(linear_attention_value(x, y, alpha, beta, readout)) / 2**length
              for y in every] for x in every]
        )  # fmt: skip
        trace = sum((table[k, k] for k in range(len(every))), flint.fmpq(0))
        near = np.linalg.eigvalsh([[float(x.p) / float(x.q) for x in row] for row in table.table()])
        points = [point for point in found.points if point.length == length]
        if [point.m for point in points] != list(range(min(2, length // 2) + 1)):
            return Fails(f"length {length} has the points {points}")
        for point in points:
            dimension = comb(length, point.m) - (comb(length, point.m - 1) if point.m else 0)
            if point.dimension != dimension or rational(Fraction(point.trace)) != trace:
                return Fails(f"{point} has another dimension or trace")
            value = float(point.eigenvalue)
            if min(abs(value - root) for root in near) > 1e-6 * float(trace.p) / float(trace.q):
                return Fails(f"{value} is no eigenvalue of length {length}")
            if point.m == 0 and value < max(near) * (1 - 1e-6):
                return Fails(f"{value} is not the largest eigenvalue of length {length}")
            ratio = value / (float(trace.p) / float(trace.q)) * (1 if alone else dimension)
            if abs(float(point.ratio) - ratio) > 1e-6:
                return Fails(f"the ratio is {float(point.ratio)}, not {ratio}")
    return True
