"""Dual activations and Hermite coefficients against integrals, moments and Mehler's series."""

from __future__ import annotations

import pickle
from fractions import Fraction
from itertools import product
from math import comb, factorial, prod

import flint
import mpmath as mp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import (
    BadType,
    BadValue,
    NotExact,
    SymbenchError,
    TooLarge,
    UnknownName,
)
from symbench.exact import QQ, Exponential, Exponentials, Rational
from symbench.kernels.activations.closed_forms import Erf, Relu, Sign, Step
from symbench.kernels.activations.exact import Cosine, cos, polynomial, rational_cosine
from symbench.kernels.activations.hermite import hermite_at_zero, monomial_moment
from symbench.kernels.activations.named import ACTIVATIONS, Activation, activation, dual_float
from symbench.kernels.activations.sigmoids import Sigmoid, Tanh

DIGITS = 30
BALLS = ("erf", "gelu", "relu", "sign", "step", "sigmoid", "tanh")
COVARIANCES = [
    (Fraction(1), Fraction(1), Fraction(1, 2)),
    (Fraction(3), Fraction(1, 3), Fraction(-4, 5)),
    (Fraction(1, 5), Fraction(2), Fraction(3, 5)),
]


@pytest.fixture(autouse=True)
def _precision():
    with mp.workdps(DIGITS + 8):
        yield


def real(x: Fraction | int) -> mp.mpf:
    return mp.mpf(x.numerator) / x.denominator


def function(name: str):
    return {
        "erf": mp.erf,
        "gelu": lambda t: t * mp.ncdf(t),
        "relu": lambda t: max(t, mp.mpf(0)),
        "sign": mp.sign,
        "step": lambda t: (1 + mp.sign(t)) / 2,
        "sigmoid": lambda t: 1 / (1 + mp.exp(-t)),
        "tanh": mp.tanh,
        "exp": mp.exp,
        "cos": mp.cos,
        "sin": mp.sin,
        "identity": lambda t: t,
    }[name]


def number(value) -> tuple[mp.mpf, mp.mpf]:
    """(midpoint, radius) of an exact value or a ball."""
    if isinstance(value, Exponential):
        return mp.fsum(real(c) * mp.exp(real(e)) for e, c in value.terms), mp.mpf(0)
    if isinstance(value, flint.arb):
        middle, exponent = value.mid().man_exp()
        radius, scale = value.rad().man_exp()
        return mp.mpf(int(middle)) * mp.mpf(2) ** int(exponent), mp.mpf(int(radius)) * mp.mpf(
            2
        ) ** int(scale)
    return real(Fraction(value)), mp.mpf(0)


def holds(value, expected: mp.mpf, digits: int = DIGITS) -> bool:
    """Whether the ball is small and contains the number, up to the oracle's own digits."""
    middle, radius = number(value)
    unit = max(mp.mpf(1), abs(expected))
    assert radius <= unit * mp.mpf(10) ** -DIGITS
    return abs(middle - expected) <= radius + unit * mp.mpf(10) ** -digits


def conditional_mean(name: str, m: mp.mpf, s: mp.mpf) -> mp.mpf:
    """E[phi(m + s g)] for one Gaussian, by elementary integration."""
    if name == "erf":
        return mp.erf(m / mp.sqrt(1 + 2 * s * s))
    if name == "relu":
        return m * mp.ncdf(m / s) + s * mp.npdf(m / s)
    if name == "sign":
        return mp.erf(m / (s * mp.sqrt(2)))
    if name == "step":
        return mp.ncdf(m / s)
    if name == "gelu":
        root = mp.sqrt(1 + s * s)
        return m * mp.ncdf(m / root) + s * s / root * mp.npdf(m / root)
    raise AssertionError(name)


@pytest.mark.parametrize("name", ["erf", "gelu", "relu", "sign", "step"])
@pytest.mark.parametrize(("A", "B", "C"), COVARIANCES)
def test_closed_forms_against_one_dimensional_integrals(name, A, B, C) -> None:
    """E[phi(u) phi(v)] = E[phi(u) E[phi(v) | u]]."""
    phi, root = function(name), mp.sqrt(real(A))
    slope, rest = real(C) / root, mp.sqrt(real(B) - real(C) ** 2 / real(A))

    def integrand(g):
        return phi(root * g) * conditional_mean(name, slope * g, rest) * mp.npdf(g)

    expected = mp.quad(integrand, [-13, -4, 0, 4, 13])
    assert holds(activation(name).dual(A, B, C), expected, 24)


def trapezoid(phi, A, B, C) -> mp.mpf:
    """The double Gaussian integral in orthogonal coordinates, phi analytic near the real line."""
    a = mp.sqrt(real(A))
    c = real(C) / a
    d = mp.sqrt(max(real(B) - c * c, mp.mpf(0)))
    per_unit = 5 + int(3 * mp.sqrt(real(max(A, B))))
    points = [mp.mpf(i) / per_unit for i in range(-9 * per_unit, 9 * per_unit + 1)]
    weights = [mp.npdf(g) / per_unit for g in points]
    return mp.fsum(
        w
        * phi(a * g)
        * mp.fsum(v * phi(c * g + d * h) for v, h in zip(weights, points, strict=True))
        for w, g in zip(weights, points, strict=True)
    )


@pytest.mark.parametrize(
    ("name", "A", "B", "C"), [("tanh", *COVARIANCES[0]), ("sigmoid", *COVARIANCES[2])]
)
def test_sigmoids_against_a_double_integral(name, A, B, C) -> None:
    with mp.workdps(22):
        expected = trapezoid(function(name), A, B, C)
    assert holds(activation(name).dual(A, B, C), expected, 18)


@pytest.mark.parametrize("name", ["tanh", "sigmoid"])
def test_sigmoids_where_one_gaussian_is_a_multiple_of_the_other(name) -> None:
    phi = function(name)
    for A, B, C in ((1, 4, 2), (1, 4, -2), (9, 9, 9)):
        sign = 1 if C > 0 else -1
        expected = mp.quad(
            lambda g, A=A, B=B, sign=sign: (
                phi(mp.sqrt(A) * g) * phi(sign * mp.sqrt(B) * g) * mp.npdf(g)
            ),
            [-13, -3, 0, 3, 13],
        )
        assert holds(activation(name).dual(A, B, C), expected, 20)


@given(
    st.sampled_from(["tanh", "sigmoid", "gelu", "erf"]),
    st.fractions(Fraction(1, 4), 2, max_denominator=5),
    st.fractions(Fraction(1, 4), 2, max_denominator=5),
    st.fractions(Fraction(-9, 10), Fraction(9, 10), max_denominator=10),
)
@settings(max_examples=12, deadline=None)
def test_the_lattice_is_continuous_into_the_line(name, A, B, rho) -> None:
    """At C^2 = A B another method is used; near it both must agree to first order."""
    phi = activation(name)
    near = Fraction(10**8 - 1, 10**8)
    for sign in (1, -1):
        edge = number(phi.dual(A, A, sign * A))[0]
        inside = number(phi.dual(A, A, sign * A * near))[0]
        assert abs(edge - inside) <= mp.mpf(10) ** -7 * real(A) * 2
    # Cauchy-Schwarz for the dual itself, with C between the extremes (odd part monotone in C).
    C = rho * min(A, B)
    middle = number(phi.dual(A, B, C))[0]
    bound = number(phi.dual(A, A, A))[0] * number(phi.dual(B, B, B))[0]
    assert middle**2 <= bound * (1 + mp.mpf(10) ** -20)


@pytest.mark.parametrize("name", BALLS)
def test_mehler_series(name) -> None:
    """The sum of c_n(A) c_n(B) C^n / n!; the tail is at most |rho|^N E[phi(u)^2 + phi(v)^2]/2."""
    A, B, C = Fraction(1), Fraction(1, 2), Fraction(1, 8)
    phi = activation(name)
    total = mp.mpf(0)
    for n in range(20):
        cA, cB = number(phi.hermite(n, A))[0], number(phi.hermite(n, B))[0]
        total += cA * cB * real(C) ** n / factorial(n)
    rho = real(C) / mp.sqrt(real(A * B))
    middle, _ = number(phi.dual(A, B, C))
    assert abs(total - middle) <= rho**20
    assert abs(total - middle) < mp.mpf(10) ** -14


@pytest.mark.parametrize("name", [*BALLS, "exp", "cos", "sin", "identity"])
def test_hermite_coefficients_against_integrals(name) -> None:
    phi, a = function(name), Fraction(3, 2)
    with mp.workdps(22):
        root = mp.sqrt(real(a))
        hermite = {  # highest power first
            0: [1],
            1: [1, 0],
            3: [1, 0, -3, 0],
            4: [1, 0, -6, 0, 3],
            7: [1, 0, -21, 0, 105, 0, -105, 0],
        }
        for n, he in hermite.items():
            expected = mp.quad(
                lambda g, he=he: phi(root * g) * mp.polyval(he, g) * mp.npdf(g), [-12, -4, 0, 4, 12]
            )
            assert holds(activation(name).hermite(n, a), expected * root ** (-n), 15), n


@given(st.integers(0, 40), st.integers(0, 40))
def test_monomial_moments(power: int, n: int) -> None:
    """By expanding He_n(x) = sum (-1)^m n! / (m! (n-2m)! 2^m) x^(n-2m)."""

    def double_factorial(k: int) -> int:
        return 0 if k % 2 else prod(range(k - 1, 0, -2))

    terms = [
        ((-1) ** m * factorial(n) // (factorial(m) * factorial(n - 2 * m) * 2**m), n - 2 * m)
        for m in range(n // 2 + 1)
    ]
    assert monomial_moment(power, n) == sum(c * double_factorial(power + e) for c, e in terms)
    assert hermite_at_zero(n) == sum(c for c, e in terms if e == 0)


def mixed_moment(i: int, j: int, A, B, C):
    """E[u^i v^j] by Isserlis: k pairs across, the rest within."""
    total = 0
    for k in range(min(i, j) + 1):
        if (i - k) % 2 == 0 and (j - k) % 2 == 0:
            inner = prod(range(i - k - 1, 0, -2)) * prod(range(j - k - 1, 0, -2))
            ways = comb(i, k) * comb(j, k) * factorial(k) * inner
            total += ways * C**k * A ** ((i - k) // 2) * B ** ((j - k) // 2)
    return total


@given(
    st.lists(st.fractions(-3, 3, max_denominator=3), max_size=6),
    st.fractions(0, 3, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
    st.fractions(-1, 1, max_denominator=4),
)
@settings(max_examples=60, deadline=None)
def test_polynomials_against_isserlis(coefficients, A, B, rho) -> None:
    C = rho * min(A, B)
    pairs = product(enumerate(coefficients), repeat=2)
    expected = sum((p * q * mixed_moment(i, j, A, B, C) for (i, p), (j, q) in pairs), Fraction(0))
    assert polynomial(coefficients).dual(A, B, C) == expected


def test_polynomials_over_variables() -> None:
    A, B, C = QQ["A", "B", "C"].gens
    assert polynomial([0, 0, 1]).dual(A, B, C) == A * B + 2 * C * C
    assert polynomial([1, 1]).dual(A, B, C) == 1 + C
    assert polynomial([]).dual(1, 1, 1) == 0


@pytest.mark.parametrize("b2", [0, "pi/4", "-pi/2", "pi/3", "5*pi/6", "pi/8", 1, "-2/3"])
@pytest.mark.parametrize("b1", [1, "1/2", -2])
def test_cosine_against_complex_exponentials(b1, b2) -> None:
    """E of cos(b1 u + b2) cos(b1 v + b2) from the characteristic function of (u, v)."""
    A, B, C = COVARIANCES[1]
    kernel = cos(b1, b2)
    s = real(Fraction(b1))
    shift = mp.pi * real(kernel._multiple) if kernel._multiple is not None else real(kernel.b2)
    expected = mp.mpf(0)
    for e1, e2 in product((1, -1), repeat=2):
        variance = s**2 * (real(A) + real(B) + 2 * e1 * e2 * real(C))
        expected += mp.re(mp.expj((e1 + e2) * shift) * mp.exp(-variance / 2)) / 4
    value = kernel.dual(A, B, C)
    assert holds(value, expected)
    assert isinstance(value, Exponential) == (kernel.exactness == "exact")
    for n in range(5):
        c = real(Fraction(b1)) ** n * mp.exp(-(s**2) * real(A) / 2) * mp.cos(shift + n * mp.pi / 2)
        assert holds(kernel.hermite(n, A), c)


def test_which_cosines_are_exact() -> None:
    """Niven: cos(2 b2) is rational only at multiples of pi/4 and pi/6."""
    for top, bottom in product(range(-13, 14), range(1, 13)):
        multiple = Fraction(top, bottom)
        exact = (12 * multiple).denominator == 1 and (
            (4 * multiple).denominator == 1 or (6 * multiple).denominator == 1
        )
        assert (cos(1, f"{top}*pi/{bottom}").exactness == "exact") == exact
        value = rational_cosine(multiple)
        if value is not None:
            assert abs(real(value) - mp.cospi(real(multiple))) < mp.mpf(10) ** -30
    assert cos(1, 1).exactness == "ball"


def test_cosine_of_the_appendix() -> None:
    """templates.md 1.5: at b2 = pi/4 one exponential is left."""
    q = Exponentials("q")
    assert cos(1, "pi/4").dual(1, 3, "1/2") == q.monomial("-3/2") * Rational(1, 2)
    assert cos(1, "π/4") == cos(1, "1*pi/4") == cos(1, "2*pi/8")
    sympy = pytest.importorskip("sympy")
    assert cos(1, sympy.pi / 4) == cos(1, "pi/4")
    with pytest.raises(BadValue, match="multiple of pi"):
        cos(1, sympy.sqrt(2))


def test_degenerate_covariances() -> None:
    for name in (*BALLS, "exp", "cos", "identity"):
        phi = activation(name)
        zero = number(phi.dual(0, 0, 0))[0]
        at_zero = function(name)(mp.mpf(0))
        assert abs(zero - at_zero**2) < mp.mpf(10) ** -30, name
        # A = 0: phi(0) E[phi(v)].
        mixed = number(phi.dual(0, 2, 0))[0]
        mean = number(phi.hermite(0, 2))[0]
        assert abs(mixed - at_zero * mean) < mp.mpf(10) ** -30, name
    assert Relu().dual(2, 2, 2) == 1
    assert Relu().dual(2, 2, -2) == 0
    assert Relu().dual(4, 9, 6) == 3
    assert Sign().dual(4, 9, -6) == -1
    assert Step().dual(4, 9, -6) == 0
    assert Step().dual(4, 9, 6) == flint.arb(1) / 2
    assert Tanh().dual(1, 5, 0) == 0


def test_precision_is_what_is_asked_for() -> None:
    for name in BALLS:
        for bits in (40, 200):
            ball = activation(name).dual(2, 3, "-3/2", bits=bits)
            assert ball.rel_accuracy_bits() >= bits - 24, (name, bits)
            fine = activation(name).dual(2, 3, "-3/2", bits=bits + 100)
            assert ball.overlaps(fine)
            assert activation(name).hermite(5, 2, bits=bits).rel_accuracy_bits() >= bits - 24


def test_sigmoids_over_wide_covariances() -> None:
    """As the variances grow tanh becomes sign: |T - sign's| is bounded by what happens near 0."""
    for A in (100, 10_000):
        wide = number(Tanh().dual(A, A, Fraction(A, 2)))[0]
        assert abs(wide - mp.mpf(1) / 3) < 3 / mp.sqrt(A)
    with pytest.raises(TooLarge, match="fewer bits"):
        Tanh().dual(10**6, 10**6, 10**6 - 1)
    with pytest.raises(TooLarge, match="scale"):
        Tanh().dual(10**400, 1, 1)
    assert abs(number(Sigmoid().dual(10**400, 10**400, 10**400))[0] - mp.mpf(1) / 2) < 1e-20


def test_constant() -> None:
    assert not any(phi.is_constant for phi in ACTIVATIONS.values())
    assert polynomial([3]).is_constant
    assert polynomial([]).is_constant
    assert polynomial([3, 0]).is_constant
    assert Cosine(0, 1).is_constant
    constant = cos(0, 1)
    assert holds(constant.dual(1, 2, 1), mp.cos(1) ** 2)
    assert holds(constant.hermite(1, 1), mp.mpf(0))


@pytest.mark.parametrize("given", [*ACTIVATIONS.values(), polynomial([1, "1/2"]), cos(2, "pi/8")])
def test_values(given) -> None:
    import symbench.kernels.activations.named as room

    assert eval(repr(given), vars(room)) == given
    assert pickle.loads(pickle.dumps(given)) == given
    assert activation(given) is given
    assert isinstance(given, Activation)
    hash(given)


@given(
    st.sampled_from(sorted(ACTIVATIONS)),
    st.floats(0, 4, allow_subnormal=False),
    st.floats(0, 4, allow_subnormal=False),
    st.floats(-1, 1, allow_subnormal=False),
)
@settings(max_examples=60, deadline=None)
def test_floats(name: str, A: float, B: float, rho: float) -> None:
    C = rho * (A * B) ** 0.5
    found = dual_float(name, A, B, C)
    a, b = Fraction(A), Fraction(B)
    c = Fraction(C)
    if c * c <= a * b:
        exact = number(activation(name).dual(a, b, c, bits=64))[0]
        assert abs(found - exact) <= 1e-14 * max(1, abs(exact))
    assert isinstance(found, float)


def test_floats_that_miss_cauchy_schwarz_by_rounding() -> None:
    assert dual_float("relu", 0.1, 0.1, 0.1 * (1 + 1e-12)) == pytest.approx(0.05)
    assert dual_float("erf", 0.3, 0.3, 0.30000000000000004) == pytest.approx(
        dual_float("erf", 0.3, 0.3, 0.3)
    )
    with pytest.raises(BadValue, match="no covariance"):
        dual_float("relu", 1.0, 1.0, 1.1)
    for bad in (None, "1", True, float("nan"), float("inf")):
        with pytest.raises(SymbenchError):
            dual_float("relu", bad, 1.0, 0.0)


def test_bad_arguments() -> None:
    with pytest.raises(UnknownName, match="did you mean relu"):
        activation("Relu")
    for bad in (None, 3, Relu, [1, 2]):
        with pytest.raises(BadType, match="no activation"):
            activation(bad)
    for name in ACTIVATIONS:
        phi = activation(name)
        with pytest.raises(NotExact):
            phi.dual(0.5, 1, 0)
        with pytest.raises(BadType):
            phi.dual(None, 1, 0)
        with pytest.raises(BadValue, match="no covariance"):
            phi.dual(1, 1, 2)
        with pytest.raises(BadValue, match="no covariance"):
            phi.dual(-1, 1, 0)
        for n in (-1, 1.0, None, True):
            with pytest.raises(SymbenchError):
                phi.hermite(n, 1)
        with pytest.raises(BadValue, match="at least 0"):
            phi.hermite(1, -1)
    for bad in (None, 1.5, True, 0):
        with pytest.raises(SymbenchError):
            Erf().dual(1, 1, 0, bits=bad)  # type: ignore[arg-type]
    with pytest.raises(BadValue, match="not smooth"):
        Relu().hermite(2, 0)
    with pytest.raises(BadValue, match="write a multiple of pi"):
        cos(1, "pi*pi")
    with pytest.raises(SymbenchError):
        cos(None)
    with pytest.raises(BadType):
        polynomial("12")
    with pytest.raises(NotExact):
        polynomial([0.5])
