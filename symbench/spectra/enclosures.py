"""Balls around eigenvalues: of an exact matrix, and of an operator known up to a radius.

Let k be a kernel whose values are balls, and m the kernel of their midpoints. On L2(p), p a
probability, the operator of k - m has norm at most the largest radius r, and it is invariant like
both of them: by Weyl's inequality the j-th eigenvalue of k on the copies of an irreducible is
within r of the j-th one of m. The blocks of m are exact, and FLINT encloses their eigenvalues.

>>> top, bottom = enclosures(Matrix([[0, 1], [1, 1]]), radius=0)
>>> top.overlaps((1 + flint.arb(5).sqrt()) / 2), bottom < 0
(True, True)
"""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench.errors import TooLarge
from symbench.exact import Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text, rational
from symbench.exact.roots import eigenvalues
from symbench.spectra.invariant import InvariantKernel, Table, Word
from symbench.young import word_decomposition

# Bits after the binary point where all values are exact, the precisions tried, and the sum of the
# cubes of the sizes of the blocks: about two minutes.
_POINT = 256
_LEAST_BITS, _MOST_BITS = 320, 1280
_WORK = 20_000_000

Span = tuple[flint.fmpq, flint.fmpq]


def check_work(moving: int, vocabulary: int, ends: int) -> None:
    """Refuse blocks that are too large to enclose their eigenvalues, before any is computed.

    >>> check_work(500, 2, 1)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the blocks of length 500 have sizes whose cubes add up to ...
    """
    if vocabulary == 2:
        work = sum((ends * (moving - 2 * m + 1)) ** 3 for m in range(moving // 2 + 1))
    else:
        work = sum((ends * n) ** 3 for n in word_decomposition(moving, vocabulary).values())
    if work > _WORK:
        raise TooLarge(
            f"the blocks of length {moving} have sizes whose cubes add up to {number_text(work)}, "
            f"more than {_WORK:,}: take a shorter length, fewer tokens or backend='float'"
        )


@attrs.frozen(eq=False)
class Midpoints:
    """The kernel of the midpoints of balls, an exact one, and the largest radius."""

    kernel: InvariantKernel
    radius: Rational


def midpoints(given: InvariantKernel) -> Midpoints:
    """An exact symmetric kernel near a kernel of balls, and how far it may be from it.

    >>> from symbench.spectra.invariant import invariant_kernel
    >>> near = TableKernel(lambda table: flint.arb(table[0][0], "0.125"))
    >>> found = midpoints(invariant_kernel(near, 2, 2, balls=True))
    >>> float(found.radius), found.kernel.value(((2, 0), (0, 0)))
    (0.1250000..., 2)
    """
    centres: dict[tuple[Table, Word, Word], flint.fmpq] = {}
    radii: dict[tuple[Table, Word, Word], flint.fmpq] = {}
    ends = list(itertools.product(range(given.vocabulary), repeat=given.fixed))
    for table, left, right in itertools.product(given.tables(), ends, ends):
        key = canonical(table, left, right)
        if key in centres:
            continue
        value = given.value(*key)
        exact = isinstance(value, flint.fmpq)
        centres[key] = value if exact else value.mid().fmpq()
        radii[key] = flint.fmpq(0) if exact else value.rad().fmpq()
    most = max(radii.values(), default=flint.fmpq(0))
    rounded, radius = centres, most
    if most != 0:
        # One denominator keeps the blocks' numbers short: rounding adds a little to the radius.
        scale = flint.fmpz(1) << max(0, 8 + (most.q // most.p).bit_length())
        rounded = {key: flint.fmpq((c * scale).floor(), scale) for key, c in centres.items()}
        radius = max(radii[key] + abs(c - rounded[key]) for key, c in centres.items())

    def value_of(table: Table, left: Word, right: Word) -> flint.fmpq:
        return rounded[canonical(table, left, right)]

    return Midpoints(attrs.evolve(given, value=value_of), rational(radius))


def canonical(table: Table, left: Word, right: Word) -> tuple[Table, Word, Word]:
    """The same key for a pair of words and for the pair exchanged: kernels are symmetric.

    >>> canonical(((1, 2), (0, 0)), (0,), (1,)) == canonical(((1, 0), (2, 0)), (1,), (0,))
    True
    """
    flipped = tuple(zip(*table, strict=True))
    return max((table, left, right), (flipped, right, left))


def enclosures(matrix: Matrix, *, radius: Fraction | int) -> tuple[flint.arb, ...]:
    """Balls around the eigenvalues of all operators within a radius of an exact block.

    The eigenvalues of the block must be real. The balls come with the largest first, one for
    each eigenvalue: the j-th one holds the j-th eigenvalue, and balls may overlap.

    >>> [str(ball) for ball in enclosures(Matrix([[3]]), radius=Rational(1, 2))]
    ['[3e+0 +/- 0.501]']
    """
    block = flint.fmpq_mat(matrix.flint)
    if block.nrows() == 0:
        return ()
    found = _bounds(block, Rational(radius))
    # The j-th eigenvalue is between the j-th largest lower bound and the j-th largest upper one.
    lows = sorted((low for low, _ in found), reverse=True)
    highs = sorted((high for _, high in found), reverse=True)
    more = fmpq(Rational(radius))
    return tuple(_hull(low - more, high + more) for low, high in zip(lows, highs, strict=True))


def _bounds(block: Any, radius: Rational) -> list[Span]:
    """Rational numbers around each eigenvalue of a block, about as close as the radius."""
    size = max(abs(x) for x in block.entries())
    if size == 0:
        return [(size, size)] * block.nrows()
    enough = max(fmpq(radius), size / (flint.fmpz(1) << _POINT // 2))
    bits = _LEAST_BITS
    while bits <= _MOST_BITS:
        found = _gershgorin(block, size, bits)
        if found is not None and all(high - low <= 2 * enough for low, high in found):
            return found
        bits *= 2
    return _exact_bounds(block)


def _gershgorin(block: Any, size: flint.fmpq, bits: int) -> list[Span] | None:
    """Gershgorin's circles of R^-1 B R for approximate eigenvectors R, on the real line.

    Circles that form a component of their union hold as many eigenvalues as they are many. An
    irreducible of the permutations of tokens repeats eigenvalues exactly, and then the vectors
    that FLINT finds may be dependent; so they are those of a matrix a little off, which splits
    them: it costs half of the bits.
    """
    n = block.nrows()
    with working_precision(bits):
        given = flint.acb_mat(flint.arb_mat(block))
        nudge = flint.arb(size) / flint.arb(2) ** (bits // 2)
        moved = flint.acb_mat(given)
        for k in range(n):
            moved[k, k] += nudge * (k * k * 7919 % 1009)
        try:
            _, vectors = moved.eig(right=True, algorithm="approx")
            vectors = vectors.mid()
            near = vectors.solve(given * vectors)
        except (ValueError, ZeroDivisionError):
            return None
        spans = []
        for i in range(n):
            reach = sum((near[i, j].abs_upper() for j in range(n) if j != i), flint.arb(0))
            span = near[i, i].real + flint.arb(0, reach.abs_upper())
            if not span.is_finite():
                return None
            spans.append((span.lower().fmpq(), span.upper().fmpq()))
    return _components(spans)


def _components(spans: list[Span]) -> list[Span]:
    """The spans, each widened to the union of those that it is connected with."""
    groups: list[list[Span]] = []
    reach = None
    for span in sorted(spans):
        if reach is None or span[0] > reach:
            groups.append([])
        groups[-1].append(span)
        reach = span[1] if reach is None else max(reach, span[1])
    return [
        (group[0][0], max(high for _, high in group)) for group in groups for _ in range(len(group))
    ]


def _exact_bounds(block: Any) -> list[Span]:
    """The same from the roots of the characteristic polynomial: slow, and always there."""
    return [
        (fmpq(low), fmpq(high))
        for value, times in eigenvalues(Matrix(block))
        for low, high in [(value, value) if isinstance(value, Rational) else value.interval(_POINT)]
        for _ in range(times)
    ]


def _hull(low: flint.fmpq, high: flint.fmpq) -> flint.arb:
    """A ball that contains the numbers from low to high."""
    with working_precision(_LEAST_BITS + _POINT):
        return flint.arb(low).union(flint.arb(high))
