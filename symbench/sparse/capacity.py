"""How large a class of attention heads is: covering numbers, and what follows for generalisation.

edelman2022 bounds the logarithm of the number of functions that cover all heads of bounded norms up
to an error, at the points of m samples; it grows with the logarithm of T. The calculators here have
all constants written out, print how each number came about, and are valid upper bounds whatever the
shares theta and alpha are, so these are looked for on a grid. Beside them stand covers of small
classes that are found by search, and the class of heads without bounds, which shatters log2(T)
points.

>>> bound = head_cover(error="1/6", score_norm=30, value_norm="3/2", dimension=103, length=100,
...                    samples=10**6)
>>> print(bound.value.str(4, radius=False))
1.528e+8
"""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

import attrs
from flint import arb

from symbench._arguments import flag, integer, sequence
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_parameter, fmpq

_BITS = 128
_SHARES = tuple(Rational(k, 24) for k in range(1, 24))  # for theta and alpha
_FUNCTIONS = 32  # of which a least cover is looked for
# Dudley's integral with 4 a + 12 int, and Zhang's constant.
_DUDLEY, _ZHANG = 12, 36


@attrs.frozen(repr=False)
class Bound(Shown):
    """A bound: its value as a ball, what went in, and how it came about.

    >>> bound = linear_cover(error=1, norm=1, dimension=10, points=100)
    >>> print(bound)
    ln N <= 485.2 for linear functions
      norm 1, radius 1, error 1, dimension 10, points 100, proper False, theta 1/6
      sparse weights (Maurey): 36 terms out of 21
      thresholds (Zhang, Theorem 4): 36 (1/(1 - theta) * 1)^2 ln(1401)
    """

    what: str
    value: arb
    parameters: Mapping[str, Any] = attrs.field(hash=False)
    steps: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return self.explain()

    def explain(self) -> str:
        """The value, the parameters and the steps, in words."""
        given = ", ".join(f"{name.replace('_', ' ')} {v}" for name, v in self.parameters.items())
        head = self.what.format(self.value.str(4, radius=False))
        return "\n  ".join([head, given, *self.steps])


def _positive(value: Any, what: str) -> Rational:
    found = exact_parameter(value, what)
    if found <= 0:
        raise BadValue(f"{what} is {found}: give a positive number")
    return found


def _ball(value: Any) -> arb:
    return arb(fmpq(Rational(value)))


# --- linear functions -----------------------------------------------------------------------------
def linear_cover(
    *,
    error: Any,
    norm: Any,
    radius: Any = 1,
    dimension: int,
    points: int,
    theta: Any = None,
    proper: bool = False,
) -> Bound:
    """ln of the number of functions that cover x -> Wx, with rows of norms that add up to `norm`.

    Lemma 4.6 with its constants: for rho = norm * radius / error and any theta in (0, 1),
    ceil((rho/theta)^2) ln(2 d + 1) + 36 (rho/(1-theta))^2 ln(2 ceil(4 rho/(1-theta) + 2) N + 1).
    The first term is Maurey's, the second Theorem 4 of Zhang (2002) with its constant as quoted. A
    proper cover, by functions of the class, takes half of the error. Without theta the best of a
    grid is taken.

    >>> print(linear_cover(error="1/2", norm=1, dimension=5, points=7, theta="1/2").steps[0])
    sparse weights (Maurey): 16 terms out of 11
    >>> linear_cover(error=0, norm=1, dimension=5, points=7)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the error is 0: give a positive number
    """
    size = integer(dimension, "the dimension", at_least=1)
    count = integer(points, "the number of points", at_least=1)
    given = {
        "norm": _positive(norm, "the norm"),
        "radius": _positive(radius, "the radius"),
        "error": _positive(error, "the error"),
    }
    half = 2 if flag(proper, "proper") else 1
    rho = Rational(given["norm"] * given["radius"] * half / given["error"])
    share, value, steps = _best_linear(rho, size, count, _share(theta, "theta"))
    return Bound(
        "ln N <= {} for linear functions",
        value,
        {**given, "dimension": size, "points": count, "proper": proper, "theta": share},
        steps,
    )


def _share(value: Any, what: str) -> tuple[Rational, ...]:
    """The shares to try: the one given, or the grid."""
    if value is None:
        return _SHARES
    found = exact_parameter(value, what)
    if not 0 < found < 1:
        raise BadValue(f"{what} is {found}: give a number between 0 and 1")
    return (found,)


def _best_linear(
    rho: Rational, dimension: int, points: int, shares: tuple[Rational, ...]
) -> tuple[Rational, arb, tuple[str, ...]]:
    """The best theta with its bound and the two parts of it."""
    best = min(shares, key=lambda theta: float(_linear(rho, dimension, points, theta).mid()))
    terms, grid = ceil((rho / best) ** 2), 2 * ceil(4 * rho / (1 - best) + 2) * points + 1
    steps = (
        f"sparse weights (Maurey): {terms} terms out of {2 * dimension + 1}",
        f"thresholds (Zhang, Theorem 4): {_ZHANG} (1/(1 - theta) * {rho})^2 ln({grid})",
    )
    return best, _linear(rho, dimension, points, best), steps


def _linear(rho: Rational, dimension: int, points: int, theta: Rational) -> arb:
    rest = Rational(rho / (1 - theta))
    with working_precision(_BITS):
        first = arb(ceil((rho / theta) ** 2)) * arb(2 * dimension + 1).log()
        return first + _ZHANG * _ball(rest**2) * arb(2 * ceil(4 * rest + 2) * points + 1).log()


# --- heads ----------------------------------------------------------------------------------------
def head_cover(
    *,
    error: Any,
    score_norm: Any,
    value_norm: Any,
    value_sum_norm: Any = None,
    radius: Any = 1,
    query_radius: Any = None,
    positions: Any = 0,
    lipschitz: Any = 1,
    heads: int = 1,
    dimension: int,
    length: int,
    samples: int,
    alpha: Any = None,
) -> Bound:
    """ln of the number of heads that cover all heads of these norms, at m samples of T tokens.

    Corollary 4.5 corrected, by Theorem 4.2 and Lemma 4.3 with the softmax constant 1: scores are
    covered up to alpha error / (L B_V B_X), values up to (1 - alpha) error / L, both as linear
    functions at mT points. score_norm is the (2,1) norm of W_QK, value_norm the spectral norm of
    W_V and value_sum_norm its (2,1) norm, radius bounds the tokens and query_radius the token that
    asks (by default the same); fixed positional vectors of norm `positions` are added to both
    (Lemma A.11). H heads are covered one by one up to error / H (Lemma A.12).

    >>> one, three = (
    ...     head_cover(error=1, score_norm=1, value_norm=1, dimension=8, length=64, samples=10,
    ...                heads=heads).value
    ...     for heads in (1, 3)
    ... )
    >>> print((three / one).str(3, radius=False))
    29.2
    """
    given = {
        "error": _positive(error, "the error"),
        "score_norm": _positive(score_norm, "the norm of the scores"),
        "value_norm": _positive(value_norm, "the norm of the values"),
        "value_sum_norm": _positive(
            value_norm if value_sum_norm is None else value_sum_norm, "the (2,1) norm of the values"
        ),
        "radius": _positive(radius, "the radius"),
        "lipschitz": _positive(lipschitz, "the Lipschitz constant"),
    }
    given["query_radius"] = (
        given["radius"]
        if query_radius is None
        else _positive(query_radius, "the radius of the query")
    )
    extra = exact_parameter(positions, "the norm of the positions", at_least=0)
    H, T = integer(heads, "the number of heads", at_least=1), integer(length, "T", at_least=1)
    m, d = integer(samples, "m", at_least=1), integer(dimension, "the dimension", at_least=1)
    B, asking = given["radius"] + extra, given["query_radius"] + extra
    L, part = given["lipschitz"], given["error"] / H
    scores = given["score_norm"] * asking * B * L * given["value_norm"] * B / part
    values = given["value_sum_norm"] * B * L / part

    def total(share: Rational) -> tuple[arb, arb]:
        first = _best_linear(Rational(scores / share), d, m * T, _SHARES)[1]
        return first, _best_linear(Rational(values / (1 - share)), d, m * T, _SHARES)[1]

    shares = _share(alpha, "alpha")
    best = min(shares, key=lambda share: float(sum(total(share), arb(0)).mid()))
    first, second = total(best)
    with working_precision(_BITS):
        value = H * (first + second)
    return Bound(
        "ln N <= {} for attention heads",
        value,
        {**given, "positions": extra, "heads": H, "dimension": d, "length": T, "samples": m,
         "alpha": best},
        (
            f"scores up to alpha error / (L B_V B_X): ln N <= {first.str(4, radius=False)}",
            f"values up to (1 - alpha) error / L: ln N <= {second.str(4, radius=False)}",
            *[f"{H} heads, each up to error / {H}"] * (H > 1),
        ),
    )  # fmt: skip


def deep_cover(
    *,
    error: Any,
    depth: int,
    spectral_norm: Any,
    sum_norm: Any,
    output_norm: Any = 1,
    radius: Any = 1,
    lipschitz: Any = 1,
    dimension: int,
    length: int,
    samples: int,
    exponent: Any = 1,
) -> Bound:
    """The growth of Theorem 4.7 for transformers of some depth, up to an absolute constant.

    (C_2 L)^(c depth) B_X^2 B_w^2 C_(2,1)^2 error^-2 ln(d m T). The paper leaves c and the factor in
    front open, so the number compares sizes and bounds nothing by itself.

    >>> print(deep_cover(error=1, depth=2, spectral_norm=2, sum_norm=1, dimension=4, length=10,
    ...                  samples=10).what)
    ln N = O({}) for transformers of depth 2
    """
    layers = integer(depth, "the depth", at_least=1)
    numbers = {
        "error": _positive(error, "the error"),
        "spectral_norm": _positive(spectral_norm, "the spectral norm"),
        "sum_norm": _positive(sum_norm, "the (2,1) norm"),
        "output_norm": _positive(output_norm, "the norm of the output"),
        "radius": _positive(radius, "the radius"),
        "lipschitz": _positive(lipschitz, "the Lipschitz constant"),
        "exponent": _positive(exponent, "the exponent"),
    }
    d, T = integer(dimension, "the dimension", at_least=1), integer(length, "T", at_least=1)
    m = integer(samples, "m", at_least=1)
    squares = numbers["radius"] * numbers["output_norm"] * numbers["sum_norm"] / numbers["error"]
    with working_precision(_BITS):
        growth = _ball(numbers["spectral_norm"] * numbers["lipschitz"])
        growth = growth ** _ball(numbers["exponent"] * layers)
        value = growth * _ball(squares**2) * arb(d * m * T).log()
    return Bound(
        f"ln N = O({{}}) for transformers of depth {layers}",
        value,
        {**numbers, "depth": layers, "dimension": d, "length": T, "samples": m},
        ("the exponent and the factor in front are absolute constants that are not printed",),
    )


# --- generalisation -------------------------------------------------------------------------------
def generalisation_gap(
    *,
    capacity: Any,
    samples: int,
    lipschitz: Any = 1,
    bound: Any = 1,
    loss_range: Any = 1,
    delta: Any = "1/20",
) -> Bound:
    """How far the test error may lie above the training error, with probability 1 - delta.

    Lemma 2.2 with its constants: if ln N <= C / error^2 for every error, functions are bounded by
    A = bound and the loss has values in [0, b] and is L-Lipschitz, then the gap is at most
    24 L sqrt(C/m) (1 + ln+(A sqrt(m/C) / 3)) + b sqrt(ln(1/delta) / (2m)).

    >>> print(generalisation_gap(capacity=10, samples=10**6))
    gap <= 0.4306
      capacity 10, samples 1000000, lipschitz 1, bound 1, loss range 1, delta 1/20
      complexity (Dudley with 4 a + 12 int, a = 3 sqrt(C/m)): 0.4294
      confidence: 0.001224
    """
    C, m = _positive(capacity, "the capacity"), integer(samples, "m", at_least=1)
    L, A = _positive(lipschitz, "the Lipschitz constant"), _positive(bound, "the bound")
    b, d = _positive(loss_range, "the range of the loss"), _positive(delta, "delta")
    if d >= 1:
        raise BadValue(f"delta is {d}: give a probability below 1")
    with working_precision(_BITS):
        root = _ball(C / m).sqrt()
        inside = (_ball(A) / (3 * root)).log()
        complexity = 2 * _DUDLEY * _ball(L) * root * (1 + arb.max(inside, arb(0)))
        confidence = _ball(b) * (_ball(1 / d).log() / (2 * m)).sqrt()
        value = complexity + confidence
    return Bound(
        "gap <= {}",
        value,
        {"capacity": C, "samples": m, "lipschitz": L, "bound": A, "loss_range": b, "delta": d},
        (
            "complexity (Dudley with 4 a + 12 int, a = 3 sqrt(C/m)): "
            + complexity.str(4, radius=False),
            f"confidence: {confidence.str(4, radius=False)}",
        ),
    )


def cheapest_split(costs: Any, prices: Any, total: Any) -> tuple[arb, tuple[arb, ...]]:
    """The least sum of cost_i / x_i^2 with positive x_i whose prices add up to a total (Lemma A.8).

    It is gamma^3 / total^2 with gamma = sum cost_i^(1/3) price_i^(2/3), at
    x_i = total (cost_i / price_i)^(1/3) / gamma.

    >>> least, at = cheapest_split([1, 1], [1, 1], 1)
    >>> print(least.str(5, radius=False), [x.str(5, radius=False) for x in at])
    8.0000 ['0.50000', '0.50000']
    >>> cheapest_split([1, -1], [1, 1], 1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: a cost is -1: give a positive number
    """
    a = [_positive(c, "a cost") for c in sequence(costs, "the costs", "a list of numbers")]
    b = [_positive(c, "a price") for c in sequence(prices, "the prices", "a list of numbers")]
    if not a or len(a) != len(b):
        raise BadShape(f"{len(a)} costs and {len(b)} prices: give as many, at least one")
    C = _positive(total, "the total")
    with working_precision(_BITS):
        roots = [_ball(x * y**2).root(3) for x, y in zip(a, b, strict=True)]
        gamma = sum(roots, arb(0))
        at = tuple(_ball(C / y) * root / gamma for y, root in zip(b, roots, strict=True))
        return gamma**3 / _ball(C**2), at


# --- softmax --------------------------------------------------------------------------------------
def softmax_distance(gap: Any) -> arb:
    """How far apart, in the sum of absolute differences, logits within `gap` may put softmax.

    2 tanh(gap/2), attained by two logits a = -b; it is at most the gap, so a head is Lipschitz in
    its scores with the constant 1 where the paper has 2.

    >>> print(softmax_distance(1).str(6, radius=False))
    0.924234
    """
    found = exact_parameter(gap, "the gap", at_least=0)
    with working_precision(_BITS):
        return 2 * (_ball(found) / 2).tanh()


def selected_mass(length: int, scale: Any = 1) -> arb:
    """The attention on the position asked for, of T positions on a circle (Proposition 4.4).

    Keys and queries are (cos, sin) of 2 pi t / T, and the score is scale T^2 times their product;
    the mass at one position is 1 / sum_t exp(-scale T^2 (1 - cos(2 pi t / T))).

    >>> [2 * selected_mass(T, "1/20") > 1 for T in (2, 3, 5, 6)]
    [True, False, False, True]
    """
    T = integer(length, "T", at_least=1)
    c = _positive(scale, "the scale")
    with working_precision(_BITS):
        angles = [2 * arb.pi() * t / T for t in range(T)]
        return 1 / sum(((_ball(-c * T * T) * (1 - x.cos())).exp() for x in angles), arb(0))


# --- covers by search -----------------------------------------------------------------------------
def covering_number(functions: Any, error: Any) -> int:
    """The least number of the functions such that each is within the error of one of them.

    Definition 2.1 for a finite class: a function is given by its values at the points, and the
    distance is the largest difference. The cover is proper, and it is found by exhaustive search.

    >>> covering_number([(0, 0), (1, 0), (2, 0), (5, 5)], error=1)
    2
    >>> covering_number([(0,), (1, 2)], error=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: the functions have 1 and 2 values: give them at the same points
    """
    listed = [
        tuple(exact_parameter(v, "a value") for v in sequence(f, "a function", "its values"))
        for f in sequence(functions, "the functions", "a list of tuples of values")
    ]
    lengths = sorted(set(map(len, listed)))
    if not listed:
        raise BadShape("there are no functions: give at least one")
    if len(lengths) > 1:
        sizes = " and ".join(map(str, lengths))
        raise BadShape(f"the functions have {sizes} values: give them at the same points")
    radius = exact_parameter(error, "the error", at_least=0)
    different = list(dict.fromkeys(listed))
    if len(different) > _FUNCTIONS:
        raise TooLarge(
            f"{len(different)} different functions: a least cover is looked for among at most "
            f"{_FUNCTIONS}"
        )
    near = [
        sum(
            (max(map(abs, (x - y for x, y in zip(f, g, strict=True))), default=0) <= radius) << j
            for j, g in enumerate(different)
        )
        for f in different
    ]
    return _least_cover(near, (1 << len(near)) - 1)


def _least_cover(near: list[int], everything: int) -> int:
    """The least number of balls that cover everything, by trying all sizes in turn."""

    def coverable(left: int, count: int) -> bool:
        if not left:
            return True
        if not count:
            return False
        # The function with the fewest balls around it must be covered by one of them.
        lowest = min(
            (j for j in range(len(near)) if left >> j & 1),
            key=lambda j: near[j].bit_count(),
        )
        balls = (near[i] for i in range(len(near)) if near[i] >> lowest & 1)
        return any(coverable(left & ~ball, count - 1) for ball in balls)

    return next(k for k in range(len(near) + 1) if coverable(everything, k))
