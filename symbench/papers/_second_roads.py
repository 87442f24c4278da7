"""Second roads: what the library computes, once more, from the definition.

Claims compare the library with these. Nothing here calls a kernel, a certificate or the linear
algebra of the library: logits are Gaussians with a covariance that is written down, softmax is
expanded by dividing power series, expectations are sums over pairings (Isserlis, Wick), ranks are
Gaussian elimination with fractions. They are short and slow.

>>> attention_series("AA*", "BC*", 2)
{(0, 0): Fraction(1, 9), (0, 2): Fraction(1, 3), (2, 0): Fraction(2, 27), ...}
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product
from math import factorial
from typing import Any

import flint

from symbench.exact import Exponential
from symbench.papers._symmetric_groups import sign
from symbench.words import Template

Letters = Sequence[Hashable]
# Coefficients of beta^i gamma^j.
Coefficients = dict[tuple[int, int], Fraction]
# The parts of degree n of a function of k logits: exponents of a monomial -> its coefficient.
Part = dict[tuple[int, ...], flint.fmpq]
Table = list[list[flint.fmpq_poly]]  # polynomials in g = gamma^2


# --- attention on two strings ---------------------------------------------------------------------
def attention_series(
    x: Letters,
    y: Letters,
    order: int,
    *,
    weights: str = "softmax",
    scale: str = "main",
    positions: bool = True,
) -> Coefficients:
    """The attention kernel on two strings to an order in beta: (3), or (23) at 'appendix-H'.

    Without positions it is that at gamma = 0.

    Logits of equal tokens share a Gaussian, and logits of equal positions share gamma times one.
    In (23) their covariance has the factor 1 + gamma^2 inside a string, and 1 + gamma^2 or gamma^2
    between two strings, as their last tokens are equal or not.
    """
    k = len(x)
    places = [(letter, a, 0) for a, letter in enumerate(x)]
    places += [(letter, a, 1) for a, letter in enumerate(y)]
    between = [1, 1] if x[-1] == y[-1] else [0, 1]

    def shared(one: tuple[Hashable, int, int], two: tuple[Hashable, int, int]) -> Any:
        plain = flint.fmpq_poly([one[0] == two[0], positions and one[1] == two[1]])
        if scale == "main":
            return plain
        return plain * flint.fmpq_poly([1, 1] if one[2] == two[2] else between)

    covariance = [[shared(one, two) for two in places] for one in places]
    readout = [
        [flint.fmpq_poly([x[a] == y[b], positions and a == b]) for b in range(k)] for a in range(k)
    ]
    return gaussian_attention(covariance, readout, order, weights)


@lru_cache(maxsize=1 << 12)
def template_entry(z: Template, w: Template, order: int, **options: Any) -> Coefficients:
    """An entry of the template matrix: wildcards of the two sides are different fresh tokens."""
    return attention_series(fresh(z, "left"), fresh(w, "right"), order, **options)


def first_difference(
    templates: Sequence[Template], rows: Any, order: int, *, most: int = 30, **options: Any
) -> str | None:
    """The first entry of a template matrix that is not what the definition says, or None.

    The templates are those of the matrix, CLS included. Of more pairs than `most` some are
    looked at, evenly spread.
    """
    pairs = list(combinations_with_replacement(range(len(templates)), 2))
    for i, j in pairs[:: -(-len(pairs) // most)]:
        expected = template_entry(templates[i], templates[j], order, **options)
        for place in ((i, j), (j, i)):
            found = series_coefficients(rows[place[0]][place[1]])
            if found != expected:
                z, w = (templates[n] for n in place)
                return f"the entry of {z} and {w} is not the mean that defines it"
    return None


def fresh(z: Template, side: str) -> tuple[Hashable, ...]:
    """The letters of a template under a substitution by tokens that this side has alone."""
    return tuple((side, a) if a in z.wildcards else a for a in z.letters)


def gaussian_attention(
    covariance: Table, readout: Table, order: int, weights: str = "softmax"
) -> Coefficients:
    """The mean of f(beta u)^T readout f(beta v), u and v Gaussian: the first and the last k logits.

    f is expanded in its logits, and the mean of a monomial is the sum over all ways to pair its
    factors of the products of covariances.
    """
    k = len(readout)
    known: dict[tuple[int, ...], Any] = {(0,) * (2 * k): flint.fmpq_poly([1])}

    def mean(powers: tuple[int, ...]) -> Any:
        if powers not in known:
            first = next(i for i, n in enumerate(powers) if n)
            rest = _less(powers, first)
            total = flint.fmpq_poly([0])
            for i, n in enumerate(rest):
                if n and covariance[first][i]:
                    total += n * covariance[first][i] * mean(_less(rest, i))
            known[powers] = total
        return known[powers]

    parts = expansion(k, order, weights)
    found: Coefficients = {}
    for n, m in product(range(order + 1), repeat=2):
        if (n + m) % 2 or n + m > order:
            continue
        total = flint.fmpq_poly([0])
        for value in {str(entry): entry for row in readout for entry in row}.values():
            terms: dict[tuple[int, ...], Any] = {}
            for a, b in product(range(k), repeat=2):
                if not value or readout[a][b] != value:
                    continue
                for (e, c), (h, d) in product(parts[n][a].items(), parts[m][b].items()):
                    terms[e + h] = terms.get(e + h, 0) + c * d
            total += value * sum((mean(t) * c for t, c in terms.items()), flint.fmpq_poly([0]))
        for j, c in enumerate(total.coeffs()):
            place = (n + m, 2 * j)
            found[place] = found.get(place, Fraction(0)) + Fraction(int(c.p), int(c.q))
    return {place: c for place, c in sorted(found.items()) if c}


def _less(powers: tuple[int, ...], i: int) -> tuple[int, ...]:
    return (*powers[:i], powers[i] - 1, *powers[i + 1 :])


@lru_cache(maxsize=64)
def expansion(k: int, order: int, weights: str = "softmax") -> list[list[Part]]:
    """The parts of each degree of each weight, as a function of k logits.

    Softmax is e^{u_a} divided by the sum of the e^{u_c}; the other weights of a position are
    e^{u_a}, u_a or 1 / (1 + e^{-u_a}).
    """
    ring = flint.fmpq_mpoly_ctx.get([f"u{c}" for c in range(k)])
    logits = ring.gens()
    one, zero = ring.constant(1), ring.constant(0)

    def powers(u: Any, sign: int = 1) -> list[Any]:
        return [u**n * flint.fmpq(sign**n, factorial(n)) for n in range(order + 1)]

    def quotient(top: list[Any], below: list[Any]) -> list[Any]:
        # Degree by degree; the part of degree 0 of the divisor is a number.
        found: list[Any] = []
        for n in range(order + 1):
            rest = top[n] - sum((found[i] * below[n - i] for i in range(n)), zero)
            found.append(rest * (1 / below[0].to_dict()[(0,) * k]))
        return found

    if weights == "softmax":
        below = [sum(parts, zero) for parts in zip(*map(powers, logits), strict=True)]
        found = [quotient(powers(u), below) for u in logits]
    elif weights == "sigmoid":
        unit = [one, *[zero] * order]
        found = [
            quotient(unit, [a + b for a, b in zip(unit, powers(u, -1), strict=True)])
            for u in logits
        ]
    elif weights == "exponential":
        found = [powers(u) for u in logits]
    else:
        found = [[u if n == 1 else zero for n in range(order + 1)] for u in logits]
    return [
        [{tuple(map(int, e)): c for e, c in part.to_dict().items()} for part in parts]
        for parts in zip(*found, strict=True)
    ]


def at_gamma(entry: Coefficients, gamma: Fraction, order: int) -> Any:
    """An entry as a polynomial in beta, to an order, at a value of gamma."""
    found = [Fraction(0)] * (order + 1)
    for (i, j), c in entry.items():
        found[i] += c * gamma**j
    return flint.fmpq_poly([flint.fmpq(c.numerator, c.denominator) for c in found])


def series_coefficients(entry: Any) -> Coefficients:
    """The coefficients of an entry of the library: a series in beta over Q[gamma] or Q."""
    found: Coefficients = {}
    for i, coefficient in enumerate(entry.coefficients):
        polynomial = hasattr(coefficient, "to_dict")
        terms = coefficient.to_dict() if polynomial else {(0,): coefficient}
        for (j,), c in terms.items():
            if c != 0:
                found[i, int(j)] = Fraction(int(c.p), int(c.q)) if polynomial else Fraction(c)
    return found


def ball(value: Any) -> flint.arb:
    """A ball around a number, an exponential polynomial in q = e, or a ball."""
    if isinstance(value, Exponential):
        return sum((ball(c) * ball(e).exp() for e, c in value.terms), flint.arb(0))
    if isinstance(value, flint.arb):
        return value
    return flint.arb(flint.fmpq(int(value.numerator), int(value.denominator)))


# --- ranks ----------------------------------------------------------------------------------------
def rank(rows: Sequence[Sequence[Any]], prime: int | None = None) -> int:
    """The rank, by elimination with fractions or modulo a prime.

    >>> rank([[1, 2], [2, 4]]), rank([[1, 2], [3, 4]]), rank([[1, 2], [3, 4]], prime=2)
    (1, 2, 1)
    """
    return sum(pivot != 0 for pivot in _pivots(rows, prime))


def determinant(rows: Sequence[Sequence[Any]], prime: int | None = None) -> Any:
    """The determinant, by elimination with fractions or modulo a prime.

    >>> determinant([[1, 2], [3, 4]]), determinant([[1, 2], [3, 4]], prime=7)
    (Fraction(-2, 1), 5)
    """
    result: Any = Fraction(1) if prime is None else 1
    for pivot in _pivots(rows, prime):
        result = result * pivot if prime is None else result * pivot % prime
    return result


def _pivots(rows: Sequence[Sequence[Any]], prime: int | None) -> list[Any]:
    """A pivot for each column, with the sign of the exchange of rows; 0 where there is none."""
    read: Callable[[Any], Any] = Fraction if prime is None else (lambda x: x % prime)
    left = [[read(x) for x in row] for row in rows]
    found = []
    for j in range(len(left[0]) if left else 0):
        place = next((i for i, row in enumerate(left) if row[j] != 0), None)
        if place is None:
            found.append(read(0))
            continue
        pivot = left.pop(place)
        found.append(pivot[j] if place % 2 == 0 else read(-pivot[j]))
        inverse = 1 / pivot[j] if prime is None else pow(pivot[j], -1, prime)
        for i, row in enumerate(left):
            if row[j] != 0:
                factor = row[j] * inverse
                left[i] = [read(a - factor * b) for a, b in zip(row, pivot, strict=True)]
    return found


def leibniz(rows: Sequence[Sequence[Any]]) -> Any:
    """The determinant in any ring, as the sum over all permutations.

    >>> leibniz([[1, 2], [3, 4]])
    -2
    """
    total: Any = 0
    for s in permutations(range(len(rows))):
        term: Any = sign(s)
        for i, j in enumerate(s):
            term *= rows[i][j]
        total += term
    return total


def last_order(rows: list[list[Any]]) -> int | None:
    """The last of the orders of the elementary divisors of a square matrix of polynomials.

    It is the least order of all minors of full size, less that of the minors one smaller; None
    for a determinant that is zero.
    """
    size = len(rows)

    def least(k: int) -> int | None:
        orders = []
        for chosen, columns in product(combinations(range(size), k), repeat=2):
            minor = [[rows[i][j] for j in columns] for i in chosen]
            total = flint.fmpq_poly([0]) + leibniz(minor)
            orders += [next(n for n, c in enumerate(total.coeffs()) if c)] if total else []
        return min(orders, default=None)

    last, before = least(size), least(size - 1)
    return None if last is None or before is None else last - before


def is_seen(rows: list[list[Any]], precision: int) -> bool:
    """Whether every matrix that agrees with this one modulo x^precision has full rank."""
    last = last_order(rows)
    return last is not None and last < precision
