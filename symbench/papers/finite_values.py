"""Attention at finite parameters (`kernels.*`): its floats and balls against power series.

The other road expands softmax, or another map of the scores, at beta = 0 and sums over pairings of
Gaussians; at a small beta few orders are enough to tell wrong digits from right ones.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.exact import Rational
from symbench.kernels import attention, generic, linear_attention, transformer
from symbench.kernels.activations.exact import enclosure
from symbench.kernels.diagram import Diagram
from symbench.kernels.generic import free_values
from symbench.kernels.softmax.finite_values import attention_value
from symbench.kernels.tables import of_diagram
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.papers._second_roads import attention_series
from symbench.registry import Fails, NearMiss, claim

_BETA = Rational(1, 8)
# The next order of the series, and the digits that are asked for.
_NEAR = Fraction(1, 50_000)
_WEIGHTS = ("softmax", "exponential", "linear", "sigmoid")
_SCALES = ("main", "appendix-H")
Case = tuple[str, str, Any, Any, str, str]


def _cases() -> Iterator[Case]:
    half, zero = Rational(1, 2), Rational(0)
    for x, y in (("AA*", "AB*"), ("AAB", "ABB"), ("ABC*", "CAB*")):
        for scale in _SCALES:
            yield x, y, _BETA, half, "softmax", scale
    yield "AAA", "BBB", _BETA, half, "softmax", "main"
    yield "AAB", "ABA", _BETA, Rational(1), "softmax", "appendix-H"
    yield "AAB*", "ABB*", _BETA, zero, "softmax", "main"
    yield "AAB*", "ABB*", zero, half, "softmax", "main"
    yield "AAB*", "BCA*", zero, half, "softmax", "appendix-H"
    for weights in _WEIGHTS[1:]:
        yield "AB*", "AA*", _BETA, half, weights, "main"
        yield "AB", "BA", _BETA, half, weights, "appendix-H"


def _is_pair(x: str, y: str, *_: Any) -> bool:
    return len(x) == len(y) >= 1


@claim(
    "kernels.finite-values",
    source="The attention kernels (3) and (23) of boix2024 at finite beta and gamma",
    category="definition",
    cases=_cases,
    boundary=("A", "A", Rational(0), Rational(0), "softmax", "main"),
    strategy=drawn(
        lambda st: st.tuples(
            *[st.text("ABC", min_size=3, max_size=3)] * 2,
            st.just(_BETA),
            st.sampled_from([Rational(0), Rational(1, 2), Rational(1)]),
            st.sampled_from(_WEIGHTS),
            st.sampled_from(_SCALES),
        )
    ),
    applies=record(
        lambda x: type(x) is str,
        lambda y: type(y) is str,
        number(0, most=_BETA),
        number(0, most=1),
        one_of(*_WEIGHTS),
        one_of(*_SCALES),
        where=_is_pair,
    ),
    near_misses=[
        NearMiss(
            "gamma in place of its square",
            ("AB*", "AA*", _BETA, Rational(1, 2), "softmax", "main"),
            {"root": True},
        ),
        NearMiss(
            "equal ends and different ends alike",
            ("AAB", "ABA", _BETA, Rational(1, 2), "softmax", "appendix-H"),
            {"scale": "main"},
        ),
    ],
)
def finite_values(case: Case, root: bool = False, scale: str | None = None) -> bool | Fails:
    """The kernel at a small beta is its power series, up to the next order: for softmax and for
    maps of each score by itself, in the scaling of the main part and of Appendix H. What is exact,
    at beta = 0 and for linear weights, is equal.
    """
    x, y, beta, gamma, weights, named = case
    at_most(len(x), 4, "letters")
    at_most(len(set(x + y)), 5, "tokens")
    kernel = attention(beta=beta, gamma=gamma, weights=weights, softmax_scale=named)
    diagram = Diagram.of(x, y)
    values: list[Any] = [kernel.on_diagram(diagram, digits=5)]
    if weights == "softmax" and beta == 0:  # elsewhere the kernel asks it
        values.append(attention_value(diagram, beta, gamma, digits=5, scale=named))
    order = 4 if weights == "softmax" else 6
    series = attention_series(x, y, order, weights=weights, scale=scale or named)
    wanted = Fraction(0)
    for (i, j), c in series.items():
        wanted += c * Fraction(beta) ** i * Fraction(gamma) ** (j // 2 if root else j)
    for value in values:
        if isinstance(value, Fraction):
            if value != wanted:
                return Fails(f"it is {value}, not {wanted}")
            continue
        near = float(value) if kernel.exactness == "float" else float(enclosure(value).mid())
        if abs(Fraction(near) - wanted) >= _NEAR:
            return Fails(f"it is {near:.7f}, not {float(wanted):.7f}")
    return True


@claim(
    "kernels.tables",
    source="A kernel of token counts is the same from two words and from their table of pairs",
    category="definition",
    cases=[(n, v) for n in (1, 2, 3) for v in (2, 3)],
    boundary=(1, 1),
    strategy=drawn(lambda st: st.tuples(st.integers(1, 3), st.integers(1, 3))),
    applies=record(integer(1), integer(1)),
    near_misses=[
        NearMiss("the words exchanged", (2, 2), {"exchanged": True}),
        NearMiss("every diagram has a name", (2, 2), {"flipped": False}),
    ],
)
def tables(case: tuple[int, int], exchanged: bool = False, flipped: bool = True) -> bool | Fails:
    """A layer over linear attention has the same value from two words and from the table that
    counts pairs of letters at one position; the variances are those of each word with itself. A
    kernel that is symmetric and asks only which letters are equal has one value for each pattern of
    two words, and for the pattern with the words exchanged.
    """
    length, letters = case
    at_most(letters**length, 30, "words")
    below = linear_attention(1, "1/2", readout="flatten")
    layer = transformer("exp", below)
    words = list(product(range(letters), repeat=length))
    names: dict[Any, Any] = {}
    kernel = generic()
    for x, y in product(words, repeat=2):
        diagram = Diagram.from_codes((*x, *y))
        three = [
            below.on_diagram(Diagram.from_codes((*a, *b))) for a, b in ((x, x), (y, y), (x, y))
        ]
        power = (three[0] + three[1]) / 2 + three[2] if not exchanged else three[0] + three[2]
        found = layer.on_table(of_diagram(diagram))
        if dict(found.terms) != {power: 1} or layer.on_diagram(diagram) != found:
            return Fails(f"{x}, {y}: {found}, not q^{power}")
        pattern = _pattern((*x, *y))
        key = min(pattern, _pattern((*y, *x))) if flipped else pattern
        name = str(kernel.on_diagram(diagram))
        if names.setdefault(key, name) != name:
            return Fails(f"{x}, {y} have a value of their own")
    if len(set(names.values())) != len(names):
        return Fails("different patterns have one value")
    if letters >= 2 * length and free_values(length) != len(names):
        return Fails(f"there are {len(names)} free values")
    return True


def _pattern(letters: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(letters.index(a) for a in letters)
