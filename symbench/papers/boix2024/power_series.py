"""Appendix G, Definition G.2 to Lemma G.5: types of power series.

A function has (tau_1, tau_2)-type if its power series around u_0 converges absolutely for
|u - u_0|_oo <= tau_1(u_0), to at most tau_2(u_0). The lemmas are looked at on explicit functions:
polynomials and 1/(c - x - y - ...), whose power series have rational coefficients. The library's
series are compared with sums written down here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod
from typing import Any

from symbench.exact import QQ, Rational
from symbench.exact.series import PowerSeries, Series
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim

Exponents = tuple[int, ...]
Coefficients = dict[Exponents, Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


# --- explicit functions ---------------------------------------------------------------------------
# ("polynomial", ((c, exponents), ...)), or ("pole", c) for 1/(c - x_1 - ... - x_n).
Function = tuple[str, Any]
Point = tuple[Any, ...]
_ORDER = 8
_NAMES = ("x", "y", "z")


def _is_function(value: Any) -> bool:
    terms = many(record(number(), many(integer(0))))
    return record(one_of("polynomial"), terms)(value) or record(one_of("pole"), number())(value)


def _fits(f: Function, variables: int) -> bool:
    return f[0] == "pole" or all(len(e) == variables and sum(e) <= _ORDER for _, e in f[1])


def total_of(values: Any) -> Fraction:
    """The sum of numbers, as a Fraction."""
    return sum((Fraction(v) for v in values), ZERO)


def exponents(variables: int, degree: int) -> Iterator[Exponents]:
    """All exponents of monomials of a degree.

    >>> list(exponents(2, 2))
    [(2, 0), (1, 1), (0, 2)]
    """
    if variables == 1:
        yield (degree,)
        return
    for first in range(degree, -1, -1):
        for rest in exponents(variables - 1, degree - first):
            yield (first, *rest)


def expanded(f: Function, point: Point, order: int = _ORDER) -> Coefficients:
    """The power series of a function around a point, by the binomial theorem.

    >>> {e: str(c) for e, c in expanded(("pole", 3), (1,), 2).items()}
    {(0,): '1/2', (1,): '1/4', (2,): '1/8'}
    """
    kind, data = f
    found: Coefficients = {}
    if kind == "pole":
        gap = Fraction(data) - total_of(point)
        for n in range(order + 1):
            for e in exponents(len(point), n):
                found[e] = Fraction(factorial(n), prod(map(factorial, e))) / gap ** (n + 1)
        return found
    for c, powers in data:
        for e in product(*(range(n + 1) for n in powers)):
            terms = zip(powers, e, point, strict=True)
            value = prod((comb(n, m) * Fraction(u) ** (n - m) for n, m, u in terms), start=ONE)
            found[e] = found.get(e, ZERO) + Fraction(c) * value
    return found


def times(f: Coefficients, g: Coefficients, order: int = _ORDER) -> Coefficients:
    """The product of two power series."""
    found: Coefficients = {}
    for (d, a), (e, b) in product(f.items(), g.items()):
        if a and b and sum(d) + sum(e) <= order:
            place = tuple(map(sum, zip(d, e, strict=True)))
            found[place] = found.get(place, ZERO) + a * b
    return found


def plus(*series: Coefficients) -> Coefficients:
    """The sum of power series."""
    places = dict.fromkeys(place for one in series for place in one)
    return {place: total_of(one.get(place, 0) for one in series) for place in places}


def scaled(f: Coefficients, factor: Fraction) -> Coefficients:
    """The power series times a number."""
    return {place: c * factor for place, c in f.items()}


def majorant(f: Coefficients, radius: Fraction) -> Fraction:
    """The sum of |a_mu| radius^|mu|: of the whole series, or of as much of it as is known."""
    return total_of(abs(c) * radius ** sum(e) for e, c in f.items())


def whole(f: Function, point: Point, radius: Fraction) -> Fraction | None:
    """The majorant of the whole series: the least tau_2; None where it diverges.

    >>> print(whole(("pole", 3), (1, 1), Fraction(1, 4)), whole(("pole", 3), (1, 1), ONE))
    2 None
    """
    if f[0] == "polynomial":
        return majorant(expanded(f, point), radius)
    gap = abs(Fraction(f[1]) - total_of(point))
    return 1 / (gap - len(point) * radius) if gap > len(point) * radius else None


# --- the same by the library ----------------------------------------------------------------------
def forms(variables: int, order: int = _ORDER) -> PowerSeries:
    """Power series in t whose n-th coefficient is a form of degree n in the variables."""
    return PowerSeries(QQ[_NAMES[:variables]], "t", order + 1)


def gens(ring: PowerSeries) -> tuple[Any, ...]:
    """The variables of the forms."""
    base: Any = ring.base
    return tuple(base.gens)


def library_series(f: Function, point: Point) -> Series:
    """f(point + t (x, y, ...)) as a series in t."""
    ring = forms(len(point))
    t = [ring.series([0, x]) for x in gens(ring)]
    kind, data = f
    if kind == "pole":
        gap = Rational(data) - Rational(total_of(point))
        ratio, total = sum(t, ring.coerce(0)) * (1 / gap), ring.coerce(0)
        for _ in range(_ORDER + 1):  # Horner's scheme for the geometric series
            total = total * ratio + 1
        return total * (1 / gap)
    total = ring.coerce(0)
    for c, powers in data:
        term = ring.coerce(Rational(c))
        for x, u, n in zip(t, point, powers, strict=True):
            term = term * (x + Rational(u)) ** n
        total = total + term
    return total


def terms(series: Series) -> Coefficients:
    """The nonzero coefficients of a series of forms."""
    base: Any = series.ring.base
    return {
        tuple(map(int, e)): Fraction(c)
        for part in series.coefficients
        for e, c in base.terms(part).items()
    }


def nonzero(f: Coefficients) -> Coefficients:
    """The coefficients that are not zero."""
    return {e: c for e, c in f.items() if c}


# --- strategies -----------------------------------------------------------------------------------
def _functions(st: Any, variables: int) -> Any:
    small = st.fractions(-3, 3, max_denominator=3)
    powers = st.tuples(*[st.integers(0, 2)] * variables)
    terms = st.lists(st.tuples(small, powers), min_size=1, max_size=3).map(tuple)
    polynomials = st.tuples(st.just("polynomial"), terms)
    return st.one_of(polynomials, st.tuples(st.just("pole"), st.integers(7, 12)))


def points(st: Any, variables: int) -> Any:
    """A strategy for points around which functions are expanded."""
    return st.tuples(*[st.fractions(-1, 1, max_denominator=2)] * variables)


def _radii(st: Any) -> Any:
    return st.fractions(Fraction(1, 4), 2, max_denominator=4)


_P = ("polynomial", ((1, (2, 1)), (-3, (0, 1)), (Fraction(1, 2), (1, 0))))
_Q = ("polynomial", ((2, (1, 0)), (-1, (1, 2))))
_LINE = ("polynomial", ((4, (1,)),))
_SQUARE = ("polynomial", ((1, (2,)), (-1, (0,))))
HALF = Fraction(1, 2)


def _typed(f: Any, point: Any, radius: Any) -> bool:
    return _fits(f, len(point)) and whole(f, point, Fraction(radius)) is not None


_is_point = many(number())


# --- Definition G.2 -------------------------------------------------------------------------------
@claim(
    "boix2024.definition-G.2",
    source="Appendix G, Definition G.2: (tau_1, tau_2)-type",
    wording="reconstructed",
    category="definition",
    cases=[
        (f, point, radius)
        for f in (_P, _Q, ("pole", 5))
        for point in ((0, 0), (1, -1), (HALF, 2))
        for radius in (Fraction(1, 4), 1)
    ],
    boundary=(("pole", 3), (0, 0), Fraction(7, 5)),
    strategy=drawn(lambda st: st.tuples(_functions(st, 2), points(st, 2), _radii(st))),
    applies=record(_is_function, _is_point, number(above=0), where=lambda f, p, r: _typed(f, p, r)),
    near_misses=[
        NearMiss("half of the least tau_2", (_P, (1, -1), 1), {"share": HALF}),
        NearMiss("values instead of absolute values", (_Q, (1, 1), 1), {"absolute": False}),
    ],
)  # fmt: skip
def definition_g2(
    case: tuple[Function, Point, Any], share: Fraction = ONE, absolute: bool = True
) -> bool | Fails:
    r"""A real-analytic $f$ has $(\tau_1, \tau_2)$-type if for every $u_0$ the power series
    $\sum_\mu a_\mu (u - u_0)^\mu$ of $f$ has $\sum_\mu |a_\mu| |u - u_0|^\mu \le \tau_2(u_0)$
    whenever $\|u - u_0\|_\infty \le \tau_1(u_0)$. Examples: polynomials, with the sum itself at the
    corner of the cube as the least $\tau_2$; and $1/(c - x - y)$ with $\tau_1 < |c - x_0 - y_0|/2$
    and $\tau_2 = 1/(|c - x_0 - y_0| - 2 \tau_1)$. The series are looked at to order 8.
    """
    f, point, size = case
    at_most(len(point), 3, "variables")
    radius = Fraction(size)
    series, written = terms(library_series(f, point)), expanded(f, point)
    if series != nonzero(written):
        return Fails(f"the power series is {series}, by the binomial theorem {written}")
    bound = whole(f, point, radius)
    if bound is None:
        return Fails("the series diverges in this cube")
    if not absolute:
        bound = abs(total_of(c * radius ** sum(e) for e, c in written.items()))
    total = majorant(series, radius)
    if total > share * bound:
        return Fails(f"the sum of absolute values is at least {total}, not at most {share * bound}")
    return True


# --- Lemma G.3 ------------------------------------------------------------------------------------
# g of one variable, h, the point, and sigma_1 of h, tau_1 of g at h(point).
Composition = tuple[Function, Function, Point, Any, Any]


def _composable(g: Any, h: Any, point: Any, sigma: Any, tau: Any) -> bool:
    if not _typed(h, point, sigma) or not _fits(g, 1):
        return False
    value = expanded(h, point, 0).get((0,) * len(point), ZERO)
    return whole(g, (value,), Fraction(tau)) is not None


@claim(
    "boix2024.lemma-G.3",
    source="Appendix G, Lemma G.3: the composition rule for types",
    wording="reconstructed",
    category="lemma",
    cases=[
        (g, h, point, sigma, tau)
        for g in (_SQUARE, ("pole", 20), ("polynomial", ((1, (1,)),)))
        for h in (_P, ("pole", 6))
        for point in ((0, 0), (1, HALF))
        for sigma, tau in ((1, 1), (HALF, 3))
    ],
    boundary=(("polynomial", ((1, (1,)),)), _LINE, (0,), 1, 1),
    strategy=drawn(
        lambda st: st.tuples(
            _functions(st, 1), _functions(st, 2), points(st, 2), _radii(st), _radii(st)
        )
    ),
    applies=record(
        *[_is_function] * 2, _is_point, *[number(above=0)] * 2,
        where=lambda *case: _composable(*case),
    ),
    near_misses=[
        NearMiss(
            "twice the radius", (("polynomial", ((1, (1,)),)), _LINE, (0,), 1, 1), {"stretch": 2}
        ),
        NearMiss("sigma_1 whatever sigma_2 is", (_SQUARE, _P, (1, 1), 1, 1), {"stretch": None}),
    ],
)  # fmt: skip
def lemma_g3(case: Composition, stretch: int | None = 1) -> bool | Fails:
    r"""If $g$ has $(\tau_1, \tau_2)$-type and $h$ has $(\sigma_1, \sigma_2)$-type, then $g \circ h$
    has $(\min(\sigma_1, \sigma_1 \cdot \tau_1(h)/\sigma_2), \tau_2(h))$-type. Looked at with the
    least $\tau_2$ and $\sigma_2$, to order 8.
    """
    g, h, point, sigma, tau = case[0], case[1], case[2], Fraction(case[3]), Fraction(case[4])
    at_most(len(point), 3, "variables")
    inner = library_series(h, point)
    value = expanded(h, point, 0).get((0,) * len(point), ZERO)
    outer = expanded(g, (value,))
    # The library's by Horner's scheme, the other by powers of the inner series without constant.
    composed, change = inner.ring.coerce(0), inner - Rational(value)
    for n in range(_ORDER, -1, -1):
        composed = composed * change + Rational(outer.get((n,), ZERO))
    step = {e: c for e, c in expanded(h, point).items() if any(e)}
    power: Coefficients = {(0,) * len(point): ONE}
    written: Coefficients = {}
    for n in range(_ORDER + 1):
        written = plus(written, scaled(power, outer.get((n,), ZERO)))
        power = times(power, step)
    written = {e: c for e, c in written.items() if sum(e) <= _ORDER}
    if terms(composed) != nonzero(written):
        return Fails(f"the composition is {terms(composed)}, multiplied out {written}")
    bound, inner_bound = whole(g, (value,), tau), whole(h, point, sigma)
    if bound is None or inner_bound is None:
        return Fails("one of the two series diverges in its cube")
    radius = sigma
    if stretch is not None and inner_bound > 0:
        radius = min(sigma, stretch * sigma * tau / inner_bound)
    total = majorant(written, radius)
    return total <= bound or Fails(f"the sum is at least {total}, not at most {bound}")


# --- Lemma G.4 ------------------------------------------------------------------------------------
@claim(
    "boix2024.lemma-G.4",
    source="Appendix G, Lemma G.4: sum and product rules for types",
    wording="reconstructed",
    category="lemma",
    cases=[
        (f, g, point, tau, sigma)
        for f, g in ((_P, _Q), (_P, ("pole", 6)), (("pole", 7), ("pole", 8)), (_Q, _Q))
        for point in ((0, 0), (-1, HALF))
        for tau, sigma in ((1, 1), (2, HALF))
    ],
    boundary=(_LINE, _SQUARE, (1,), 1, 1),
    strategy=drawn(
        lambda st: st.tuples(
            _functions(st, 2), _functions(st, 2), points(st, 2), _radii(st), _radii(st)
        )
    ),
    applies=record(
        *[_is_function] * 2, _is_point, *[number(above=0)] * 2,
        where=lambda f, g, p, r, s: _typed(f, p, r) and _typed(g, p, s),
    ),
    near_misses=[
        NearMiss("the larger bound for the sum", (_Q, _Q, (1, 1), 1, 1), {"sum_bound": max}),
        NearMiss(
            "the larger bound for the product", (_P, _Q, (1, 1), 1, 1), {"product_bound": max}
        ),
        NearMiss("the larger of the radii", (_P, _Q, (1, 1), 2, 1), {"radius": max}),
    ],
)  # fmt: skip
def lemma_g4(
    case: tuple[Function, Function, Point, Any, Any],
    sum_bound: Callable[..., Fraction] = lambda a, b: a + b,
    product_bound: Callable[..., Fraction] = lambda a, b: a * b,
    radius: Callable[..., Fraction] = min,
) -> bool | Fails:
    r"""If $f$ has $(\tau_1, \tau_2)$-type and $g$ has $(\sigma_1, \sigma_2)$-type, then $f + g$ has
    $(\min(\tau_1, \sigma_1), \tau_2 + \sigma_2)$-type and $f \cdot g$ has $(\min(\tau_1, \sigma_1),
    \tau_2 \sigma_2)$-type. Looked at with the least $\tau_2$ and $\sigma_2$, to order 8.
    """
    f, g, point, tau, sigma = case[0], case[1], case[2], Fraction(case[3]), Fraction(case[4])
    at_most(len(point), 3, "variables")
    bounds = whole(f, point, tau), whole(g, point, sigma)
    if bounds[0] is None or bounds[1] is None:
        return Fails("one of the two series diverges in its cube")
    one, two = library_series(f, point), library_series(g, point)
    first, second = expanded(f, point), expanded(g, point)
    for name, series, written, bound in (
        ("sum", one + two, plus(first, second), sum_bound(*bounds)),
        ("product", one * two, times(first, second), product_bound(*bounds)),
    ):
        if terms(series) != nonzero(written):
            return Fails(f"the {name} is {terms(series)}, not {written}")
        total = majorant(written, radius(tau, sigma))
        if total > bound:
            return Fails(f"the {name} adds up to {total} at least, not to {bound} at most")
    return True


# --- Lemma G.5 ------------------------------------------------------------------------------------
def derivative_bound(series: Coefficients, bound: Fraction, radius: Fraction) -> bool | Fails:
    """Whether the derivatives at the point are at most bound * mu! / radius^|mu|."""
    for e, c in series.items():
        derivative = abs(c) * prod(map(factorial, e))
        most = bound * prod(map(factorial, e)) / radius ** sum(e)
        if derivative > most:
            return Fails(f"the derivative {e} is {derivative} in modulus, more than {most}")
    return True


@claim(
    "boix2024.lemma-G.5",
    source="Appendix G, Lemma G.5: the derivative bound based on type",
    wording="reconstructed",
    category="lemma",
    cases=[
        (f, point, radius)
        for f in (_P, _Q, ("pole", 5), ("polynomial", ((3, (2, 2)),)))
        for point in ((0, 0), (1, -1))
        for radius in (Fraction(1, 4), 2)
    ],
    boundary=(("polynomial", ((1, (4,)),)), (0,), 3),
    strategy=drawn(lambda st: st.tuples(_functions(st, 2), points(st, 2), _radii(st))),
    applies=record(_is_function, _is_point, number(above=0), where=lambda f, p, r: _typed(f, p, r)),
    near_misses=[
        NearMiss(
            "twice the radius", (("polynomial", ((1, (4,)),)), (0,), 3), {"stretch": 2}
        ),
        NearMiss("half of the bound", (("polynomial", ((1, (4,)),)), (0,), 3), {"share": HALF}),
    ],
)  # fmt: skip
def lemma_g5(
    case: tuple[Function, Point, Any], stretch: int = 1, share: Fraction = ONE
) -> bool | Fails:
    r"""If $f$ has $(\tau_1, \tau_2)$-type, then $|\partial^\mu f(u_0)| \le \tau_2(u_0)\, \mu! /
    \tau_1(u_0)^{|\mu|}$ for every multi-index $\mu$. Looked at with the least $\tau_2$, for $|\mu|
    \le 8$. A monomial at zero has equality.
    """
    f, point, size = case
    at_most(len(point), 3, "variables")
    bound = whole(f, point, Fraction(size))
    if bound is None:
        return Fails("the series diverges in this cube")
    series = terms(library_series(f, point))
    if series != nonzero(expanded(f, point)):
        return Fails(f"the power series is {series}")
    return derivative_bound(series, share * bound, stretch * Fraction(size))
