"""attention_value: the softmax attention kernel at finite beta and gamma, as a float with digits.

The two softmaxes' denominators become integrals over two times, positions integrate out one by
one, and what is left is a pairwise model on the tokens that is summed exactly along a tree: a sum
of positive terms on a lattice. It is computed on two different lattices, and the digits that a
value states are digits in which the two agree.

>>> value = attention_value(Diagram.of("AAB*", "CDC*"), 1, 1)
>>> print(value, value.exactness)
0.5027397989 float
"""

from __future__ import annotations

import math
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from typing import Any

from symbench._arguments import choice, integer, sequence
from symbench.draw.progress import Report, progress
from symbench.errors import BadType, BadValue, Undecided
from symbench.exact.rational import Rational, exact_number
from symbench.kernels.diagram import Diagram, check_diagram, check_positions
from symbench.kernels.float_value import MOST_DIGITS, FloatValue, check_digits
from symbench.kernels.softmax.contraction import Component, Edges, joined, pieces_of
from symbench.kernels.softmax.point_sums import PointSum
from symbench.kernels.softmax.quadrature import Floats, Lattice, Law
from symbench.kernels.tables import of_diagram

# The connected pieces of a diagram's graph: all that its value depends on.
Pieces = tuple[Edges, ...]

SCALES = ("main", "appendix-H")

# Multiplications that one value may take on a lattice: a minute or two for all four of them.
_BUDGET = 25 * 10**8

# Rows of a table that are held.
_ROWS = 5000

# How much a contraction with its marks costs beyond one without, against a sum over points.
_MARKS = 4

# Standard deviation of a logit: the tables then have some 2,500 rows.
_SPREAD = 64

# Where the squares of parameters have all their digits.
_RANGE = (1e-100, 1e100)

# How often a finer lattice is tried.
_ATTEMPTS = 3


def attention_value(
    diagram: Diagram, beta: Any, gamma: Any, *, digits: int = 10, scale: str = "main"
) -> FloatValue | Rational:
    """K_attn on every pair of strings with this diagram.

    scale "main" is kernel (3), "appendix-H" is (23), which has beta sqrt(1 + gamma^2) in the place
    of beta if the last tokens agree, and less correlation between the strings if they do not.
    Where the value is rational (beta = 0, strings of length one, nothing shared at gamma = 0) and
    the parameters are exact, it is that exact number.
    """
    return attention_values([diagram], beta, gamma, digits=digits, scale=scale)[0]


def attention_values(
    diagrams: Iterable[Diagram], beta: Any, gamma: Any, *, digits: int = 10, scale: str = "main"
) -> list[FloatValue | Rational]:
    """attention_value on many diagrams at once: they share their lattices, tables and pieces."""
    listed = sequence(diagrams, "the list of diagrams", "one such as [Diagram.of(x, y)]")
    pairs = [check_diagram(diagram) for diagram in listed]
    b, g = parameter(beta, "beta"), parameter(gamma, "gamma")
    wanted = integer(digits, "digits", at_least=1)
    check_digits(wanted)
    choice(scale, "the scale", SCALES)
    floating = isinstance(b, float) or isinstance(g, float)
    results: dict[Diagram, FloatValue | Rational] = {}
    open_pairs: dict[Law, list[Diagram]] = {}
    for pair in dict.fromkeys(pairs):
        closed = _closed_form(pair, Fraction(b), Fraction(g))
        if closed is not None:
            exact = Rational(closed)
            results[pair] = FloatValue(near_float(exact), wanted) if floating else exact
        else:
            check_range(b, "beta")
            check_range(g, "gamma")
            open_pairs.setdefault(_law(pair, float(b), float(g), scale), []).append(pair)
    for law, group in open_pairs.items():
        results.update(_two_lattices(group, law, wanted))
    return [results[pair] for pair in pairs]


def parameter(value: Any, name: str) -> float | Fraction:
    """|value| as a Fraction or float: the kernel is even in beta and in gamma."""
    if value is None or isinstance(value, bool):
        raise BadType(f"{name} is {value!r}: give a number, such as 2 or 0.5")
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadValue(f"{name} is {value!r}: give a finite number")
        return abs(float(value))
    exact = Rational(exact_number(value))
    try:
        float(exact)
    except OverflowError:
        raise BadValue(f"{name} has {len(str(int(exact)))} digits: too large a float") from None
    return abs(exact)


def near_float(value: Any) -> float:
    """The float next to a number, if it has digits: not one that is rounded to 0 or infinity."""
    try:
        found = float(value)
    except OverflowError:
        found = math.inf
    if value != 0 and not sys.float_info.min <= abs(found) < math.inf:
        # A ball far beyond all floats may be turned into 0.0.
        large = abs(value) > 1
        where = "beyond the largest" if large else "below the smallest"
        raise BadValue(
            f"a value is {where} float: give beta and gamma as exact numbers, or "
            f"{'smaller' if large else 'larger'} ones"
        )
    return found


def check_range(value: Any, name: str) -> float | Fraction:
    """The parameter, if its square is 0 or a float with all its digits."""
    found = parameter(value, name)
    low, high = _RANGE
    if found and not low <= found <= high:
        raise Undecided(
            f"{name} is about 1e{_magnitude(found)}: floats are had for 0 and from {low:g} to "
            f"{high:g}"
        )
    return found


def _magnitude(value: float | Fraction) -> int:
    number = Fraction(value)
    return round((number.numerator.bit_length() - number.denominator.bit_length()) * math.log10(2))


def _closed_form(pair: Diagram, beta: Fraction, gamma: Fraction) -> Fraction | None:
    """The value where no integral is needed."""
    length = len(check_positions(pair))
    if beta == 0 or length == 1:
        return Fraction(pair.meetings, length**2) + gamma * gamma / length
    if gamma == 0 and pair.meetings == 0:
        return Fraction(0)
    return None


def _law(pair: Diagram, beta: float, gamma: float, scale: str) -> Law:
    if scale == "main":
        return Law.main(beta, gamma)
    return Law.appendix_h(beta, gamma, same_last=pair.left[-1] == pair.right[-1])


def _two_lattices(group: Sequence[Diagram], law: Law, digits: int) -> dict[Diagram, FloatValue]:
    """The value of each diagram, from two lattices that agree in the digits asked for."""
    pieces = {}
    with progress("graphs of pairs of strings", len(group)) as report:
        for pair in group:
            pieces[pair] = _pieces(pair, law)
            report(1)
    types = [
        tuple(sorted(counts.values()))
        for pair in group
        for counts in (pair.left_counts, pair.right_counts)
    ]
    _check_cost(pieces, law, types, digits)
    graphs = list(dict.fromkeys(pieces.values()))
    with progress("attention values", 4 * len(graphs)) as report:

        def values(attempt: int) -> list[float]:
            return list(_means(graphs, _lattices(law, types, digits, attempt), report).values())

        found = dict(zip(graphs, in_agreement(values, digits)[1], strict=True))
    # Further digits may agree by chance: the lattices were not made for them.
    return {pair: FloatValue(found[parts], digits) for pair, parts in pieces.items()}


def in_agreement(
    values: Callable[[int], list[float]], digits: int
) -> tuple[list[float], list[float]]:
    """The values of two lattices that agree in the digits asked for.

    Where they do not, a finer lattice is compared with the finer one of the two before it.
    """
    old, agreed = values(0), 0
    for attempt in range(1, _ATTEMPTS + 1):
        new = values(attempt)
        agreed = min(map(agreement, old, new), default=digits)
        if agreed >= digits:
            return old, new
        old = new
    raise Undecided(f"two lattices agree in {agreed} digits, not {digits}: ask for fewer digits")


def fineness(digits: int, attempt: int) -> float:
    """-log of the error aimed at; later attempts are finer."""
    return digits * math.log(10) + 3.0 + 2.0 * attempt


def _lattices(
    law: Law, types: list[tuple[int, ...]], digits: int, attempt: int
) -> tuple[Lattice, Lattice]:
    """Two lattices whose mean has the wanted digits; later attempts are finer, wider, shifted."""
    goal = fineness(digits, attempt)
    return Lattice.pair(law, accuracy=goal, types=types, offset=0.15 * attempt)


def _pieces(pair: Diagram, law: Law) -> Pieces:
    return pieces_of(map(of_diagram, (pair, pair.flip())), positions=law.place > 0)


def _means(
    graphs: Sequence[Pieces], lattices: tuple[Lattice, Lattice], report: Report
) -> dict[Pieces, float]:
    """The mean of the values of every graph on two lattices."""
    one, two = (_sums(graphs, lattice, report) for lattice in lattices)
    return {parts: (one[parts] + two[parts]) / 2 for parts in one}


def _sums(graphs: Sequence[Pieces], lattice: Lattice, report: Report) -> dict[Pieces, float]:
    """The value of every graph on one lattice; each piece is contracted once."""
    known: dict[Edges, tuple[Floats, Floats]] = {}
    results: dict[Pieces, float] = {}
    for parts in graphs:
        if _by_points(parts, lattice):
            results[parts] = PointSum(parts[0], lattice).value()
        else:
            for part in parts:
                if part not in known:
                    known[part] = Component.cheapest(part, lattice).contract()
            results[parts] = joined(parts, known, lattice)
        report(1)
    return results


def _by_points(parts: Pieces, lattice: Lattice) -> bool:
    """Whether one piece is all there is and is summed faster point by point."""
    if len(parts) > 1 or not PointSum.applies(parts[0], lattice):
        return False
    contracted = Component.cheapest(parts[0], lattice).cost()[0]
    return _MARKS * contracted > PointSum(parts[0], lattice).cost()


def _work(part: Edges, lattice: Lattice, *, alone: bool) -> int:
    """Multiplications that a piece takes."""
    work = Component.cheapest(part, lattice).cost()[0]
    if alone and _by_points((part,), lattice):
        return min(work, PointSum(part, lattice).cost())
    return work


def agreement(one: float, two: float) -> int:
    """In how many significant digits two numbers agree; never more than doubles can carry."""
    if one == two:
        return MOST_DIGITS
    if two == 0:
        return 0
    return max(0, min(MOST_DIGITS, math.floor(-math.log10(abs(one - two) / abs(two)))))


def _check_cost(
    pieces: dict[Diagram, Pieces], law: Law, types: list[tuple[int, ...]], digits: int
) -> None:
    """Refuse what would take much more than a minute a value, and say what would not."""
    if law.spread > _SPREAD:
        raise Undecided(
            f"logits of standard deviation {law.spread:.3g} need larger tables than fit in memory: "
            f"no digits can be had beyond {_SPREAD}; take smaller beta or gamma"
        )
    distinct = {(part, len(parts) == 1) for parts in pieces.values() for part in parts}

    def affordable(count: int) -> bool:
        fine, _ = _lattices(law, types, count, 1)
        rows = fine.times.size * fine.stride + fine.spots.size
        return rows <= _ROWS and all(
            _work(part, fine, alone=alone) <= _BUDGET for part, alone in distinct
        )

    if not affordable(digits):
        reachable = most_digits(affordable, digits)
        raise Undecided(
            f"{digits} digits would take more than {_BUDGET:.1e} multiplications a lattice for one "
            f"of the diagrams, or too large tables; {reachable or 'none'} can be had: ask for "
            "fewer digits, a smaller beta or strings with fewer tokens in common"
        )


def most_digits(affordable: Callable[[int], bool], refused: int) -> int:
    """How many digits can be had, fewer than those that were refused; 0 if none."""
    return bisect_left(range(1, refused), True, key=lambda digits: not affordable(digits))
