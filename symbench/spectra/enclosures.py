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

from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction
from typing import Any, TypeVar

import flint

from symbench.draw.progress import progress
from symbench.errors import TooLarge, Undecided
from symbench.exact import Matrix, Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text, rational
from symbench.exact.roots import eigenvalues
from symbench.kernels.on_words import Number
from symbench.spectra.ring_blocks import RingBlock

# Bits after the binary point where all values are exact, the precisions tried, and the sum of the
# cubes of the sizes of the blocks: about two minutes.
_POINT = 256
_LEAST_BITS, _MOST_BITS = 320, 1280
_WORK = 20_000_000

Span = tuple[flint.fmpq, flint.fmpq]
Place = TypeVar("Place", bound=Hashable)


def check_work(sizes: Iterable[int], length: int) -> None:
    """Refuse blocks that are too large to enclose their eigenvalues, before any is computed.

    >>> check_work(range(1, 500, 2), 500)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the blocks of length 500 have sizes whose cubes add up to ...
    """
    work = sum(n**3 for n in sizes)
    if work > _WORK:
        raise TooLarge(
            f"the blocks of length {length} have sizes whose cubes add up to {number_text(work)}, "
            f"more than {_WORK:,}: take a shorter length, fewer tokens or backend='float'"
        )


def midpoints(
    value: Callable[[Place], Number], places: Iterable[Place], flip: Callable[[Place], Place]
) -> tuple[Callable[[Place], flint.fmpq], Rational]:
    """An exact symmetric kernel near a kernel of balls, and how far it may be from it.

    >>> near, radius = midpoints(lambda n: flint.arb(n, "0.125"), [1, 2], lambda n: n)
    >>> near(2), float(radius)
    (2, 0.1250000...)
    """
    centres: dict[Place, flint.fmpq] = {}
    radii: dict[Place, flint.fmpq] = {}
    with progress("balls on pairs of words", None) as report:
        for place in places:
            report(1)
            if flip(place) in centres or place in centres:
                continue
            found = value(place)
            if isinstance(found, flint.fmpq):
                centres[place], radii[place] = found, flint.fmpq(0)
            else:
                centres[place], radii[place] = found.mid().fmpq(), found.rad().fmpq()
    most = max(radii.values(), default=flint.fmpq(0))
    rounded, radius = centres, most
    if most != 0:
        # One denominator keeps the blocks' numbers short: rounding adds a little to the radius.
        scale = flint.fmpz(1) << max(0, 8 + (most.q // most.p).bit_length())
        rounded = {key: flint.fmpq((c * scale).floor(), scale) for key, c in centres.items()}
        radius = max(radii[key] + abs(c - rounded[key]) for key, c in centres.items())

    def near(place: Place) -> flint.fmpq:
        found = rounded.get(place)
        return rounded[flip(place)] if found is None else found

    return near, rational(radius)


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
    size = max(abs(x) for x in block.entries())
    found = _bounds(lambda: flint.acb_mat(flint.arb_mat(block)), block.nrows(), size, radius)
    return _balls(_exact_bounds(block) if found is None else found, radius)


def ring_enclosures(
    block: RingBlock, frequency: int, *, radius: Fraction | int
) -> tuple[flint.arb, ...]:
    """The same for one frequency of a block on a ring, a matrix over a cyclotomic field."""
    with working_precision(64):
        size = max(entry.abs_upper().fmpq() for entry in block.at(frequency).entries())
    found = _bounds(lambda: block.at(frequency), block.copies, size, radius)
    if found is None:
        raise Undecided(
            f"the eigenvalues of the frequency {frequency}: {_MOST_BITS} bits do not enclose them"
        )
    return _balls(found, radius)


def _balls(found: list[Span], radius: Fraction | int) -> tuple[flint.arb, ...]:
    # The j-th eigenvalue is between the j-th largest lower bound and the j-th largest upper one.
    lows = sorted((low for low, _ in found), reverse=True)
    highs = sorted((high for _, high in found), reverse=True)
    more = fmpq(Rational(radius))
    return tuple(_hull(low - more, high + more) for low, high in zip(lows, highs, strict=True))


def _bounds(
    make: Callable[[], flint.acb_mat], rows: int, size: flint.fmpq, radius: Fraction | int
) -> list[Span] | None:
    """Rational numbers around each eigenvalue of a block, about as close as the radius."""
    if size == 0:
        return [(size, size)] * rows
    enough = max(fmpq(Rational(radius)), size / (flint.fmpz(1) << _POINT // 2))
    bits = _LEAST_BITS
    while bits <= _MOST_BITS:
        found = _gershgorin(make, size, bits)
        if found is not None and all(high - low <= 2 * enough for low, high in found):
            return found
        bits *= 2
    return None


def _gershgorin(
    make: Callable[[], flint.acb_mat], size: flint.fmpq, bits: int
) -> list[Span] | None:
    """Gershgorin's circles of R^-1 B R for approximate eigenvectors R, on the real line.

    Circles that form a component of their union hold as many eigenvalues as they are many. An
    irreducible of the permutations of tokens repeats eigenvalues exactly, and then the vectors
    that FLINT finds may be dependent; so they are those of a matrix a little off, which splits
    them: it costs half of the bits.
    """
    with working_precision(bits):
        given = make()
        n = given.nrows()
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
