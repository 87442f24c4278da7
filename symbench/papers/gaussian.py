"""Gaussian vectors: moments by pairings, and layers of neurons by integrals over the line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import factorial, prod
from typing import Any

import flint

from symbench.errors import Undecided
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.precision import working_precision
from symbench.kernels import gaussian_moment
from symbench.kernels.activations.exact import polynomial
from symbench.kernels.activations.named import activation
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._second_roads import ball
from symbench.registry import Fails, NearMiss, claim

# A covariance, and how often each coordinate is a factor.
MomentCase = tuple[Matrix, tuple[int, ...]]
Pairing = list[tuple[int, int]]
_MOST = 10


def pairings(places: list[int]) -> Iterator[Pairing]:
    """All ways to put places into pairs.

    >>> len(list(pairings([0, 1, 2, 3]))), list(pairings([0]))
    (3, [])
    """
    if not places:
        yield []
    for k, other in enumerate(places[1:], 1):
        for rest in pairings(places[1:k] + places[k + 1 :]):
            yield [(places[0], other), *rest]


def _crosses(pairs: Pairing) -> bool:
    return any(a < c < b < d for a, b in pairs for c, d in pairs)


_COVARIANCES = (
    Matrix([[2]]), Matrix([[1, "-1/3"], ["-1/3", 2]]), Matrix([[1, 1], [1, 1]]),
    Matrix([[3, 1, 0], [1, 2, "1/2"], [0, "1/2", 1]]),
)  # fmt: skip


def _moments(max_power: int = 3) -> Iterator[MomentCase]:
    for covariance in _COVARIANCES:
        size = covariance.shape[0]
        top = max_power if size < 3 else 2
        for powers in product(range(top + 1), repeat=size):
            yield covariance, powers
    yield _COVARIANCES[0], (10,)
    yield _COVARIANCES[1], (4, 4)
    # Larger than a product of two or three primes of 31 bits.
    yield Matrix([[10**4, 7], [7, "99/7"]]), (6, 4)
    yield Matrix([[10**6]]), (8,)


def _drawn_moments(st: Any) -> Any:
    numbers = st.fractions(-2, 2, max_denominator=3)

    def of_size(size: int) -> Any:
        rows = st.lists(
            st.lists(numbers, min_size=size, max_size=size), min_size=size, max_size=size
        )
        symmetric = rows.map(
            lambda r: Matrix([[r[max(i, j)][min(i, j)] for j in range(size)] for i in range(size)])
        )
        return st.tuples(symmetric, st.tuples(*[st.integers(0, 3)] * size))

    return st.integers(1, 3).flatmap(of_size).filter(lambda case: sum(case[1]) <= _MOST)


def _is_covariance(value: Any) -> bool:
    return isinstance(value, Matrix) and value.ring in (ZZ, QQ) and value.is_symmetric()


@claim(
    "algebra.isserlis",
    source="Isserlis 1918, 'On a formula for the product-moment coefficient of any order'",
    category="theorem",
    cases=_moments,
    boundary=(Matrix([[1]]), (0,)),
    strategy=drawn(_drawn_moments),
    applies=record(
        _is_covariance, many(integer(0)), where=lambda c, powers: c.shape == (len(powers),) * 2
    ),
    near_misses=[
        NearMiss("pairings that do not cross", (Matrix([[1]]), (4,)), {"crossing": False}),
        NearMiss(
            "one pairing alone", (Matrix([[1, "1/2"], ["1/2", 1]]), (2, 2)), {"most": 1}
        ),
    ],
)  # fmt: skip
def isserlis(case: MomentCase, crossing: bool = True, most: int | None = None) -> bool | Fails:
    r"""For a centred Gaussian vector $z$ with covariance $C$, $\mathbb{E} \prod_i z_i^{s_i}$ is
    the sum over all ways to put the $\sum_i s_i$ factors into pairs of the product of the pairs'
    covariances; there is none if the number of factors is odd.
    """
    covariance, powers = case
    at_most(sum(powers), _MOST, "factors")
    factors = [i for i, n in enumerate(powers) for _ in range(n)]
    found = [p for p in pairings(list(range(len(factors)))) if crossing or not _crosses(p)]
    rows = [[Fraction(x) for x in row] for row in covariance.rows]
    expected = sum(
        (
            prod((rows[factors[a]][factors[b]] for a, b in p), start=Fraction(1))
            for p in found[:most]
        ),
        Fraction(0),
    )
    value = gaussian_moment(covariance, powers)
    return value == expected or Fails(f"the moment is {value}, the sum over pairings {expected}")


# --- layers of neurons ----------------------------------------------------------------------------
# An activation, the variances A, B and the covariance C of what enters it.
LayerCase = tuple[str, Any, Any, Any]
_DEGREES, _BITS, _FAR = 8, 70, 16


_QUARTIC = polynomial([1, "-1/2", "1/4", "1/8", "1/32"])


def _half(name: str, z: flint.acb, positive: bool) -> flint.acb:
    """The activation on a half-line, where it is analytic."""
    root = flint.acb(2).sqrt()
    return {
        "relu": lambda: z if positive else flint.acb(0),
        "sign": lambda: flint.acb(1 if positive else -1),
        "step": lambda: flint.acb(1 if positive else 0),
        "erf": lambda: z.erf(),
        "gelu": lambda: z * (1 + (z / root).erf()) / 2,
        "exp": lambda: z.exp(),
        "tanh": lambda: z.tanh(),
        "sigmoid": lambda: 1 / (1 + (-z).exp()),
        "sin": lambda: z.sin(),
        "identity": lambda: z,
        "quartic": lambda: 1 - z / 2 + z**2 / 4 + z**3 / 8 + z**4 / 32,
    }[name]()


_NAMES = (
    "relu",
    "sign",
    "step",
    "erf",
    "gelu",
    "exp",
    "tanh",
    "sigmoid",
    "sin",
    "identity",
    "quartic",
)


def _mean(integrand: Callable[[flint.acb, bool], flint.acb]) -> flint.arb:
    """E f(g), f given on both half-lines, by rigorous integration up to |g| = 16.

    The integrands here are at most 2 (|g| + 5)^9 e^(3 |g|) in modulus. Beyond 16 such a mean is
    less than 10^-20: the density is below 10^-55 there, and times it they fall like e^(-10 |g|).
    """
    total = flint.arb(0)
    for positive, ends in ((False, (-_FAR, 0)), (True, (0, _FAR))):

        def weighted(z: flint.acb, _: Any, positive: bool = positive) -> flint.acb:
            return integrand(z, positive) * (-(z * z) / 2).exp()

        total += flint.acb.integral(weighted, *ends).real
    return total / (2 * flint.arb.pi()).sqrt() + flint.arb(0, 1e-20)


@lru_cache(maxsize=1 << 8)
def _hermite_coefficient(name: str, n: int, variance: Fraction) -> flint.arb:
    """a^(-n/2) E[phi(sqrt(a) g) He_n(g)], by its definition."""
    root = ball(variance).sqrt()

    def integrand(z: flint.acb, positive: bool) -> flint.acb:
        before, now = flint.acb(0), flint.acb(1)
        for k in range(n):  # He_(k+1) = z He_k - k He_(k-1)
            before, now = now, z * now - k * before
        return _half(name, root * z, positive) * now

    return _mean(integrand) / root**n


def _dual_by_integrals(name: str, a: Fraction, b: Fraction, c: Fraction, most: int) -> flint.arb:
    """E[phi(u) phi(v)]: one integral where v is a multiple of u, else Mehler's sum."""
    if c * c == a * b:
        one, two = ball(a).sqrt(), ball(b).sqrt()

        def integrand(z: flint.acb, positive: bool) -> flint.acb:
            other = _half(name, two * z, positive) if c > 0 else _half(name, -two * z, not positive)
            return _half(name, one * z, positive) * other

        return _mean(integrand)
    total = flint.arb(0)
    for n in range(most + 1):
        pair = _hermite_coefficient(name, n, a) * _hermite_coefficient(name, n, b)
        total += pair * ball(c**n / Fraction(factorial(n)))
    # The rest is at most rho^(most+1) |phi(u)| |phi(v)|, by Parseval; |phi|^2 <= 60 here.
    rho = ball(c * c / (a * b)).sqrt()
    return total + flint.arb(0, 60) * rho ** (most + 1)


def _layers() -> Iterator[LayerCase]:
    for name in _NAMES:
        yield name, 1, Fraction(1, 2), Fraction(1, 32)
        yield name, 1, Fraction(1, 2), Fraction(-1, 40)
        yield name, Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)
        yield name, Fraction(1, 4), 1, Fraction(-1, 2)


def _drawn_layers(st: Any) -> Any:
    sizes = st.sampled_from([Fraction(1, 2), Fraction(1), Fraction(3, 2), Fraction(2)])
    shares = st.fractions(Fraction(-1, 20), Fraction(1, 20), max_denominator=40)
    return st.tuples(st.sampled_from(_NAMES), sizes, sizes, shares).map(
        lambda case: (*case[:3], case[3] * min(case[1:3]))
    )


@claim(
    "algebra.dual-activation",
    source="Mehler 1866; Daniely, Frostig, Singer 2016, section 4, on dual activations",
    category="theorem",
    cases=_layers,
    boundary=("relu", 1, 1, 0),
    strategy=drawn(_drawn_layers),
    applies=record(
        one_of(*_NAMES), *[number(Fraction(1, 8), most=2)] * 2, number(),
        where=lambda _, a, b, c: c * c == a * b or 400 * c * c <= a * b,
    ),
    near_misses=[
        NearMiss("another activation", ("step", 1, 1, Fraction(1, 20)), {"of": "sign"}),
        NearMiss("a variance forgotten", ("relu", 1, 2, Fraction(1, 20)), {"swap": True}),
    ],
)  # fmt: skip
def dual_activation(case: LayerCase, of: str | None = None, swap: bool = False) -> bool | Fails:
    r"""For $u, v$ Gaussian with variances $A, B$ and covariance $C$, $\mathbb{E} \phi(u) \phi(v) =
    \sum_n c_n(A) c_n(B) C^n / n!$ with $c_n(a) = a^{-n/2}\, \mathbb{E}[\phi(\sqrt a\, g)
    \mathrm{He}_n(g)]$. The library's duals and coefficients are compared with integrals over the
    line, in balls, for $C^2 \le A B / 400$ and $n \le 8$, and for $C^2 = A B$.
    """
    name = case[0]
    a, b, c = (Fraction(int(x.numerator), int(x.denominator)) for x in case[1:])
    phi = activation(_QUARTIC if name == "quartic" else of or name)
    with working_precision(_BITS):
        value = ball(phi.dual(a, a if swap else b, c, bits=_BITS))
        integral = _dual_by_integrals(name, a, b, c, _DEGREES)
        if not value.overlaps(integral):
            return Fails(f"the dual is {value.str(10)}, the integral {integral.str(10)}")
        if not (value - integral).rad() < 1e-9:
            raise Undecided("the balls are too wide")
        for n in range(5):
            found = ball(phi.hermite(n, a, bits=_BITS))
            expected = _hermite_coefficient(name, n, a)
            if not found.overlaps(expected):
                return Fails(f"c_{n} is {found.str(10)}, by its definition {expected.str(10)}")
    return True
