"""Second roads: kernels, regression and orbits from their definitions, word by word.

Nothing here calls the library's kernels, laws, targets or regression; the numbers are FLINT's.
Words are tuples of tokens, and a function of words is the list of its values at `words_over`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any, NamedTuple

import attrs
import flint

Word = tuple[int, ...]
Terms = tuple[tuple[tuple[int, ...], Any], ...]
Q = flint.fmpq


def rational(value: Any) -> Q:
    """FLINT's rational number for an int, a Fraction or one of FLINT's."""
    return value if isinstance(value, Q) else Q(value.numerator, value.denominator)


def fraction(value: Q) -> Fraction:
    """A Fraction from FLINT's rational number."""
    return Fraction(int(value.p), int(value.q))


def words_over(vocabulary: int, length: int) -> list[Word]:
    """All words, in the order of the library's tables."""
    return list(product(range(vocabulary), repeat=length))


def polynomial_values(terms: Terms, length: int) -> list[Q]:
    """A polynomial in the signs of the bits, at all words: 0 is the sign 1, and 1 is -1."""
    found = []
    for word in words_over(2, length):
        total = Q(0)
        for places, coefficient in terms:
            for a in places:
                coefficient = coefficient if word[a - 1] == 0 else -coefficient
            total += rational(coefficient)
        found.append(total)
    return found


def independent(tokens: Sequence[Any], length: int) -> list[Q]:
    """The probabilities of all words whose tokens are independent."""
    found = []
    for word in words_over(len(tokens), length):
        chance = Q(1)
        for token in word:
            chance *= rational(tokens[token])
        found.append(chance)
    return found


# --- linear attention -----------------------------------------------------------------------------
def embedded(x: Word, y: Word, alpha: Any, beta: Any) -> list[list[Any]]:
    """The covariance of the embeddings at each pair of positions of two words."""
    return [[alpha * int(s == t) + beta * int(a == b) for b, t in enumerate(y)]
            for a, s in enumerate(x)]  # fmt: skip


def attention_layer(K: list[list[Any]], causal: bool = False) -> list[list[Any]]:
    """One layer: each entry times the sum of the squares of all entries that it may see."""
    size = range(len(K))

    def seen(a: int, b: int) -> Any:
        return sum(K[c][d] * K[c][d] for c in range(a + 1) for d in range(b + 1))

    if not causal:
        norm = seen(len(K) - 1, len(K) - 1)
        return [[K[a][b] * norm for b in size] for a in size]
    return [[K[a][b] * seen(a, b) for b in size] for a in size]


def read_out(K: list[list[Any]], readout: str) -> Any:
    """What a readout adds up: all pairs, equal positions, or the last position alone."""
    size = range(len(K))
    if readout == "sum":
        return sum(K[a][b] for a in size for b in size)
    return sum(K[a][a] for a in size) if readout == "flatten" else K[-1][-1]


def linear_attention_value(
    x: Word, y: Word, alpha: Any, beta: Any, readout: str, layers: int = 1, causal: bool = False
) -> Any:
    """The kernel of a linear-attention transformer, layer by layer."""
    K = embedded(x, y, alpha, beta)
    for _ in range(layers):
        K = attention_layer(K, causal)
    return read_out(K, readout)


def gram(kernel: Callable[[Word, Word], Any], words: Sequence[Word]) -> flint.fmpq_mat:
    """The kernel at all pairs of words."""
    return flint.fmpq_mat([[rational(kernel(x, y)) for y in words] for x in words])


# --- regression -----------------------------------------------------------------------------------
def counts_of_samples(points: Sequence[int], samples: int) -> Iterator[dict[int, int]]:
    """How often each of some points is drawn: all ways to draw so many samples."""
    if len(points) == 1:
        yield {points[0]: samples}
        return
    for first in range(samples + 1):
        for rest in counts_of_samples(points[1:], samples - first):
            yield {points[0]: first, **rest}


def regressions(
    K: flint.fmpq_mat, labels: Sequence[Q], chances: Sequence[Q], samples: int, ridge: Any
) -> Iterator[tuple[Q, dict[int, int], list[Q]]]:
    """The probability, the counts and the prediction at all words, for each way to draw samples.

    With n the counts, the minimum of sum n (f - y)^2 + ridge |f|^2 is f = K b with
    (n K + ridge) b = n y: no sample is told from another, and no matrix of samples is formed.
    """
    size = range(K.nrows())
    seen = [i for i in size if chances[i]]
    for counts in counts_of_samples(seen, samples):
        weight = Q(factorial(samples))
        for i, n in counts.items():
            weight *= chances[i] ** n / factorial(n)
        drawn = [counts.get(i, 0) for i in size]
        system = flint.fmpq_mat(
            [[drawn[i] * K[i, j] + (rational(ridge) if i == j else 0) for j in size] for i in size]
        )
        found = K * system.solve(flint.fmpq_mat([[drawn[i] * labels[i]] for i in size]))
        yield weight, counts, [found[i, 0] for i in size]


def with_noise(
    K: flint.fmpq_mat,
    f: Sequence[Q],
    chances: Sequence[Q],
    samples: int,
    ridge: Any,
    deviation: Any,
) -> Iterator[tuple[Q, list[int], list[Q], list[Q]]]:
    """The same sample by sample, each label with a deviation of either sign, equally likely.

    Yields the probability, the places of the samples, their labels and the prediction at all words.
    """
    size = range(K.nrows())
    seen = [i for i in size if chances[i]]
    if samples == 0:  # nothing is known, and 0 is predicted
        yield Q(1), [], [], [Q(0)] * len(size)
        return
    signs = [Q(0)] if not deviation else [rational(deviation), -rational(deviation)]
    for places in product(seen, repeat=samples):
        system = flint.fmpq_mat(
            [
                [K[i, j] + (rational(ridge) if s == t else 0) for t, j in enumerate(places)]
                for s, i in enumerate(places)
            ]
        )
        sections = flint.fmpq_mat([[K[i, j] for j in places] for i in size])
        for noise in product(signs, repeat=samples):
            labels = [f[i] + e for i, e in zip(places, noise, strict=True)]
            weight = Q(1, len(signs) ** samples)
            for i in places:
                weight *= chances[i]
            found = sections * system.solve(flint.fmpq_mat([[y] for y in labels]))
            yield weight, list(places), labels, [found[i, 0] for i in size]


def square_under(values: Iterable[Q], chances: Iterable[Q]) -> Q:
    """The mean of the squares."""
    return sum((p * v * v for p, v in zip(chances, values, strict=True)), Q(0))


def apart(f: Iterable[Q], g: Iterable[Q], chances: Iterable[Q]) -> Q:
    """The mean squared difference of two functions."""
    return square_under((a - b for a, b in zip(f, g, strict=True)), chances)


# --- orbits ---------------------------------------------------------------------------------------
def group_of(name: str | Sequence[int], length: int) -> list[tuple[int, ...]]:
    """The permutations of positions in a group: rotations, or those within segments."""
    if isinstance(name, str):
        return [tuple((a + t) % length for a in range(length)) for t in range(length)]
    found: list[tuple[int, ...]] = [()]
    for part in name:
        found = [g + tuple(len(g) + a for a in h) for g in found for h in permutations(range(part))]
    return found


def orbit(values: Sequence[Q], words: Sequence[Word], group: Iterable[Word]) -> Counter[Any]:
    """The functions f(gx), and how often each comes."""
    place = {word: k for k, word in enumerate(words)}
    return Counter(tuple(values[place[tuple(word[a] for a in g)]] for word in words) for g in group)


def orbit_eigenvalues(
    values: Sequence[Q], chances: Sequence[Q], words: Sequence[Word], group: Iterable[Word]
) -> list[Any]:
    """The eigenvalues of the mean of gf x gf, largest first: rational ones, the others as balls.

    But for zeros they are those of the inner products of the functions gf, each with its weight.
    """
    found = orbit(values, words, group)
    total = sum(found.values())
    scaled = {f: [p * v for p, v in zip(chances, f, strict=True)] for f in found}
    matrix = flint.fmpq_mat(
        [
            [Q(n, total) * sum((a * b for a, b in zip(scaled[f], h, strict=True)), Q(0))
             for h in found]
            for f, n in found.items()
        ]
    )  # fmt: skip
    numerator = matrix.charpoly().numer()
    listed: list[Any] = []
    for factor, times in numerator.factor()[1]:
        if factor.degree() == 1:
            listed += [Q(-int(factor[0]), int(factor[1]))] * times
        else:
            roots: Any = factor.complex_roots()
            listed += [root.real for root, _ in roots for _ in range(times)]
    return sorted(listed, key=_middle, reverse=True)


def _middle(value: Any) -> Fraction:
    return fraction(value if isinstance(value, Q) else value.mid().fmpq())


def tail_agrees(tail: Fraction, eigenvalues: Sequence[Any], samples: int) -> bool:
    """Whether a number is the sum of all eigenvalues but the first ones.

    Exactly where they are rational; else up to 2^-40.
    """
    wanted = sum(eigenvalues[samples:], Q(0))
    if isinstance(wanted, Q):
        return rational(tail) == wanted
    difference = wanted - flint.arb(rational(tail))
    return bool(abs(difference) < flint.arb(Q(1, 2**40)))


def two_row_dimension(length: int, m: int) -> int:
    """The dimension of (L - m, m): words of m letters b and more a, at no place more b than a."""
    row = {0: 1}  # by the number of letters b, for each number of letters
    for n in range(1, length + 1):
        row = {b: row.get(b, 0) + row.get(b - 1, 0) for b in range(min(m, n // 2) + 1)}
    return row.get(m, 0)


def root_within(error: Q, middle: Q, slack: Q) -> bool:
    """Whether |sqrt(error) - sqrt(middle)| <= sqrt(slack), all three of at least 0, exactly."""

    def at_most(a: Q, b: Q, c: Q) -> bool:
        """sqrt(a) <= sqrt(b) + sqrt(c)."""
        rest = a - b - c
        return rest <= 0 or rest * rest <= 4 * b * c

    return at_most(error, middle, slack) and at_most(middle, error, slack)


# --- Gaussian variables ---------------------------------------------------------------------------
def isserlis(slots: Sequence[Any], covariance: Callable[[Any, Any], Any]) -> Any:
    """The mean of a product of Gaussian variables: a sum over all ways to pair them."""
    if not slots:
        return 1
    first, *rest = slots
    total: Any = 0
    for k, other in enumerate(rest):
        if here := covariance(first, other):
            total += here * isserlis(rest[:k] + rest[k + 1 :], covariance)
    return total


class Network(NamedTuple):
    """One layer of linear attention with embeddings of finite width, at two words.

    The output at x is the sum over positions a, c and coordinates i, j, k of
    r_a o Q_i K_j V_k z_ai z_cj z_ck / width^(3/2), where z_ai is the coordinate i of the embedding
    at a: readout, output, query, key and value enter once each. More heads, or wider keys and
    values, are means of such terms with independent weights, and change no second moment.
    """

    x: Word
    y: Word
    alpha: Any
    beta: Any
    readout: str
    causal: bool
    width: int

    def covariance(self, s: tuple[int, int, int], t: tuple[int, int, int]) -> Any:
        """That of two coordinates (word, position, coordinate) of the embeddings."""
        if s[2] != t[2]:
            return 0
        first, second = (self.x, self.y)[s[0]], (self.x, self.y)[t[0]]
        same, here = first[s[1]] == second[t[1]], s[1] == t[1]
        return (self.alpha if same else 0) + (self.beta if here else 0)

    def terms(self) -> Iterator[tuple[list[Any], list[Any]]]:
        """The three coordinates of x and of y in each product of two terms with a mean.

        The weights have variance 1, so both terms have the same ones: i, j and k agree, and a and b
        are read together.
        """
        size, last = range(len(self.x)), len(self.x) - 1
        for a, b in product(size, repeat=2):
            if self.readout != "sum" and (a != b or (self.readout == "last" and a != last)):
                continue
            for c, d in product(size, repeat=2):
                if self.causal and (c > a or d > b):
                    continue
                for i, j, k in product(range(self.width), repeat=3):
                    yield [(0, a, i), (0, c, j), (0, c, k)], [(1, b, i), (1, d, j), (1, d, k)]

    def mean_product(self) -> Any:
        """The mean of f(x) f(y)."""
        total = sum(isserlis(left + right, self.covariance) for left, right in self.terms())
        return fraction(total / Q(self.width**3))

    def mean_derivatives(self, token_rate: Any, position_rate: Any) -> Any:
        """The mean of the sum, over the entries of the embeddings, of the products of derivatives.

        One coordinate of x and one of y are differentiated by the same entry, a token's or a
        position's, with its rate; the others stay.
        """
        total: Any = 0
        rates = self._replace(alpha=self.alpha * token_rate, beta=self.beta * position_rate)
        for left, right in self.terms():
            for m, n in product(range(3), repeat=2):
                if rate := rates.covariance(left[m], right[n]):
                    rest = left[:m] + left[m + 1 :] + right[:n] + right[n + 1 :]
                    total += rate * isserlis(rest, self.covariance)
        return fraction(total / Q(self.width**3))


@attrs.frozen
class Dual:
    """A number a + b e with e^2 = 0: b is the derivative of whatever is computed."""

    value: Any
    slope: Any

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.slope + other.slope)

    def __radd__(self, zero: int) -> Dual:
        return Dual(self.value + zero, self.slope)  # sum() begins with 0

    def __mul__(self, other: Dual) -> Dual:
        slope = self.value * other.slope + self.slope * other.value
        return Dual(self.value * other.value, slope)


def tangent_value(
    x: Word, y: Word, alpha: Any, beta: Any, token_rate: Any, position_rate: Any,
    readout: str, layers: int = 1, causal: bool = False, *, matrices: int = 4,
) -> tuple[Any, Any]:  # fmt: skip
    """The kernel and the tangent kernel, layer by layer.

    What the weights below a layer contribute is the derivative of the layer's map of covariances
    in the direction of their tangent kernel; its own four matrices add the covariance each.
    """
    K, rates = embedded(x, y, alpha, beta), embedded(
        x, y, alpha * token_rate, beta * position_rate
    )  # fmt: skip
    for _ in range(layers):
        both = [[Dual(k, t) for k, t in zip(*rows, strict=True)] for rows in
                zip(K, rates, strict=True)]  # fmt: skip
        new = attention_layer(both, causal)
        K = [[entry.value for entry in row] for row in new]
        rates = [[entry.slope + matrices * entry.value for entry in row] for row in new]
    kernel = read_out(K, readout)
    return kernel, kernel + read_out(rates, readout)
