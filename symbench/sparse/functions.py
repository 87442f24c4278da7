"""What a sparse function of bits is made of: its relevant bits, coefficients, influences.

The functions are the targets of `symbench.learning.targets`: a function of the weight of the first
bits, or a polynomial in signs at any positions. Nothing here depends on how many more bits there
are, so T may be 10^9.

>>> f = truth_table([0, 0, 0, 1], at=(5, 20))
>>> support(f), degree(f), influences(f)
((5, 20), 2, {5: 1/2, 20: 1/2})
>>> fourier(conjunction(2), p="2/3")
{(): 4/9, (1,): -1/3, (2,): -1/3, (1, 2): 1/4}
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from math import comb
from pathlib import Path
from typing import Any

from symbench._arguments import integer, integers, randomness, sequence, shown
from symbench.draw.figures import Figure, plotted
from symbench.draw.views import columns_text
from symbench.errors import BadShape, BadType, BadValue, TooLarge
from symbench.exact import Rational
from symbench.exact.arrays import Array, np
from symbench.exact.rational import exact_parameter
from symbench.learning.targets import (
    BitPolynomial,
    Target,
    WeightFunction,
    WordFunction,
    truth_table,
)
from symbench.learning.walsh import coefficients, values, weight_coefficients, whole

Places = tuple[int, ...]
BitFunction = BitPolynomial | WeightFunction
# Relevant bits of which a table is made.
MOST_BITS = 16


def read_function(f: Any) -> BitFunction:
    """The function of bits itself.

    >>> read_function([0, 1])
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the function is [0, 1]: give sparse.parity(3), sparse.boolean(...) ...
    """
    if isinstance(f, (BitPolynomial, WeightFunction)):
        return f
    if isinstance(f, WordFunction) and f.vocabulary == 2:
        return truth_table(f.values)
    raise BadType(
        f"the function is {shown(f)}: give sparse.parity(3), sparse.boolean(...) or another "
        "function of bits"
    )


def read_chance(p: Any) -> Rational:
    """The chance of a one, between 0 and 1."""
    found = exact_parameter(p, "p")
    if not 0 < found < 1:
        raise BadValue(f"p is {found}: give a probability between 0 and 1, such as '1/2'")
    return found


# --- how they are made ----------------------------------------------------------------------------
def boolean(table: Any, *, at: Any = None) -> BitPolynomial:
    """The Boolean function with this truth table on its bits, which are the first or those in `at`.

    >>> boolean([0, 1, 1, 0], at=(3, 7)).value((0, 0, 1, 0, 0, 0, 0))
    1
    >>> boolean([0, 1, 2, 0])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the value 2 is not Boolean: give 0 and 1, or -1 and 1
    """
    listed = [
        int(v) if isinstance(v, (bool, np.bool_)) else v
        for v in sequence(table, "the table", "a list of zeros and ones")
    ]
    found = truth_table(listed, at=at)
    _check_boolean({exact_parameter(v, "a value") for v in listed})
    return found


def from_anf(monomials: Any) -> BitPolynomial:
    """The sum modulo 2 of products of bits, each written as a tuple of positions; () is 1.

    >>> from_anf([(1, 2), (3,)]).value((1, 1, 1))
    0
    >>> anf(from_anf([(1, 2), (3,)]))
    ((3,), (1, 2))
    """
    listed = [frozenset(integers(m, "a product", at_least=1)) for m in sequence(
        monomials, "the products", "a list of tuples of positions")]  # fmt: skip
    places = tuple(sorted(set().union(*listed)))
    _few(len(places))
    index = {a: len(places) - 1 - i for i, a in enumerate(places)}
    table = np.zeros(1 << len(places), dtype=np.uint8)
    for product_of in listed:
        table[sum(1 << index[a] for a in product_of)] ^= 1
    return truth_table(_moebius(table).tolist(), at=places)


def junta(bits: int, length: int, *, seed: Any) -> BitPolynomial:
    """A random Boolean function that depends on `bits` random positions.

    >>> f = junta(3, 1000, seed=1)
    >>> len(support(f)), f == junta(3, 1000, seed=1)
    (3, True)
    """
    count = _few(integer(bits, "the number of bits", at_least=0))
    size = integer(length, "the length", at_least=1)
    if count > size:
        raise BadShape(f"{count} bits of {size}: give at most as many bits as there are positions")
    dice = randomness(seed)
    places = tuple(sorted(dice.sample(range(1, size + 1), count)))
    while True:
        found = truth_table([dice.randrange(2) for _ in range(1 << count)], at=places)
        if support(found) == places:
            return found


def moved(f: Target, at: Any) -> BitPolynomial:
    """The same function of the bits at other positions.

    >>> support(moved(conjunction(3), (5, 20, 30)))
    (5, 20, 30)
    """
    function = read_function(f)
    count = function.variables if isinstance(function, WeightFunction) else len(support(function))
    places = integers(at, "the positions", at_least=1)
    if len(places) != count or len(set(places)) < count:
        raise BadShape(f"the positions are {shown(at)}: give {count} different ones")
    if isinstance(function, WeightFunction):
        return truth_table(_of_weight(function, _few(count)), at=places)
    return truth_table(table(function), at=places)


# --- what they depend on --------------------------------------------------------------------------
def support(f: Target) -> Places:
    """The relevant positions: those at which a bit can change the value.

    >>> support(polynomial({(2, 9): 1})), support(of_weight([1, 1, 1]))
    ((2, 9), ())
    """
    function = read_function(f)
    if isinstance(function, WeightFunction):
        constant = len(set(function.values)) == 1
        return () if constant else tuple(range(1, function.variables + 1))
    return tuple(sorted({a for places, _ in function.terms for a in places}))


def table(f: Target) -> tuple[Rational, ...]:
    """The values at all words on the support, in the order of `itertools.product`.

    >>> table(moved(conjunction(2), (5, 20)))
    (0, 0, 0, 1)
    """
    numerators, below = _numerators(f)
    return tuple(Rational(int(v), below) for v in numerators)


def fourier(f: Target, p: Any = "1/2") -> dict[Places, Rational]:
    """The coefficients that are not zero, by sets of positions, for bits that are 1 with chance p.

    The characters are products of 2 (p - b), which are signs at p = 1/2; `weights` has their norms.

    >>> fourier(conjunction(2))
    {(): 1/4, (1,): -1/4, (2,): -1/4, (1, 2): 1/4}
    >>> fourier(parity(2), p=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: p is 1: give a probability between 0 and 1, such as '1/2'
    """
    chance, places = read_chance(p), support(f)
    numerators, below = coefficients(*_numerators(f), chance)
    bits = len(places)
    found = {
        tuple(a for i, a in enumerate(places, 1) if mask >> (bits - i) & 1): Rational(c, below)
        for mask, c in enumerate(numerators.tolist())
        if c
    }
    return dict(sorted(found.items(), key=lambda term: (len(term[0]), term[0])))


def weights(f: Target, p: Any = "1/2") -> tuple[Rational, ...]:
    """How much of the mean square of f is of each degree 0, 1, ..., s.

    >>> weights(conjunction(3)), weights(parity(3), "1/3")
    ((1/64, 3/64, 3/64, 1/64), (1/729, 8/243, 64/243, 512/729))
    """
    function, chance = read_function(f), read_chance(p)
    variance = chance * (1 - chance)
    if isinstance(function, WeightFunction):
        s = function.variables
        levels = enumerate(weight_coefficients(function.values, chance))
        return tuple(Rational(comb(s, k) * h**2 * variance**k) for k, h in levels)
    numerators, below = coefficients(*_numerators(function), chance)
    sums = [0] * (len(support(function)) + 1)
    for mask, c in enumerate(numerators.tolist()):
        sums[mask.bit_count()] += c * c
    return tuple(Rational(total * (4 * variance) ** k, below**2) for k, total in enumerate(sums))


def degree(f: Target) -> int:
    """The degree as a polynomial.

    >>> degree(threshold(4, 2)), degree(of_weight([0, 1, 1, 0]))
    (4, 2)
    """
    function = read_function(f)
    if isinstance(function, BitPolynomial):
        return function.degree
    levels = weight_coefficients(function.values, Rational(1, 2))
    return max((k for k, h in enumerate(levels) if h), default=0)


def influences(f: Target, p: Any = "1/2") -> dict[int, Rational]:
    """For each relevant position the chance that its bit decides the value of a Boolean function.

    >>> influences(majority(3)), influences(conjunction(2), "2/3")
    ({1: 1/2, 2: 1/2, 3: 1/2}, {1: 2/3, 2: 2/3})
    """
    function, chance = read_function(f), read_chance(p)
    places, a, d = support(function), chance.numerator, chance.denominator
    if isinstance(function, WeightFunction):
        _check_boolean(set(function.values))
        s, steps = function.variables - 1, function.values
        total = sum(
            comb(s, w) * a**w * (d - a) ** (s - w) for w in range(s + 1) if steps[w] != steps[w + 1]
        )
        return dict.fromkeys(places, Rational(total, d ** max(s, 0)))
    bits = len(places)
    flips = _flips(function)
    ones = np.array([mask.bit_count() for mask in range(1 << max(bits - 1, 0))], dtype=np.int64)
    found = {}
    for i, place in enumerate(places):
        counts = np.bincount(ones[flips[i]], minlength=bits)
        total = sum(int(n) * a**w * (d - a) ** (bits - 1 - w) for w, n in enumerate(counts))
        found[place] = Rational(total, d ** (bits - 1))
    return found


def sensitivity(f: Target) -> int:
    """The largest number of bits that decide the value of a Boolean function at one word.

    >>> sensitivity(parity(4)), sensitivity(majority(5)), sensitivity(conjunction(3))
    (4, 3, 3)
    """
    function = read_function(f)
    if isinstance(function, WeightFunction):
        _check_boolean(set(function.values))
        v, s = function.values, function.variables
        below = [w if w and v[w] != v[w - 1] else 0 for w in range(s + 1)]
        above = [s - w if w < s and v[w] != v[w + 1] else 0 for w in range(s + 1)]
        return max(map(sum, zip(below, above, strict=True)))
    bits = len(support(function))
    count = np.zeros(1 << bits, dtype=np.int64)
    for i, flip in enumerate(_flips(function)):
        count.reshape(1 << i, 2, -1)[:] += flip.reshape(1 << i, 1, -1)
    return int(count.max())


def anf(f: Target) -> tuple[Places, ...]:
    """The products of bits whose sum modulo 2 is f, a function with values 0 and 1.

    >>> anf(disjunction(2)), anf(parity(2))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the values are -1 and 1: an algebraic normal form has 0 and 1
    """
    numerators, below = _numerators(f)
    found = {Rational(int(v), below) for v in numerators}
    _check_boolean(found)
    if -1 in found:
        raise BadValue("the values are -1 and 1: an algebraic normal form has 0 and 1")
    places = support(f)
    inside = _moebius((numerators // below).astype(np.uint8))
    bits = len(places)
    products = [
        tuple(a for i, a in enumerate(places, 1) if int(mask) >> (bits - i) & 1)
        for mask in np.flatnonzero(inside)
    ]
    return tuple(sorted(products, key=lambda m: (len(m), m)))


# --- pictures -------------------------------------------------------------------------------------
def influence_table(f: Target, p: Any = "1/2") -> str:
    """The influences as a table with a bar for each.

    >>> print(influence_table(from_anf([(1, 2), (3,)])))
    position  influence
    1               1/2  ██████████
    2               1/2  ██████████
    3                 1  ████████████████████
    """
    return bars(influences(f, p), "influence")


def plot_influences(f: Target, p: Any = "1/2", *, path: str | Path | None = None) -> Figure:
    """The influences as bars, saved to the path if there is one.

    >>> plot_influences(majority(3)).axes[0].get_ylabel()
    'influence'
    """
    found = influences(f, p)
    with plotted(path, 6, 3) as figure:
        axes = figure.subplots()
        axes.bar([str(place) for place in found], [float(v) for v in found.values()])
        axes.set(xlabel="position", ylabel="influence", ylim=(0, 1.05))
    return figure


def bars(numbers: Mapping[Any, Rational], what: str, first: str = "position") -> str:
    """Numbers from 0 to 1 as a table, each with a bar of at most twenty blocks."""
    rows = [(str(k), str(v), "█" * round(20 * v)) for k, v in numbers.items()]
    return columns_text([(first, what, ""), *rows], right=(1,))


# --- helpers --------------------------------------------------------------------------------------
def _few(bits: int) -> int:
    if bits > MOST_BITS:
        raise TooLarge(f"a table of 2^{bits} values: give at most {MOST_BITS} relevant bits")
    return bits


def _check_boolean(found: set[Rational]) -> None:
    if not (found <= {0, 1} or found <= {-1, 1}):
        odd = min(found - {0, 1, -1}, default=Rational(-1))
        raise BadValue(f"the value {odd} is not Boolean: give 0 and 1, or -1 and 1")


def _of_weight(function: WeightFunction, bits: int) -> list[Rational]:
    return [function.values[sum(word)] for word in product((0, 1), repeat=bits)]


def _numerators(f: Target) -> tuple[Array, int]:
    """The values on the support as integers over one denominator."""
    function, places = read_function(f), support(f)
    bits = _few(len(places))
    if isinstance(function, WeightFunction):
        return whole(_of_weight(function, bits))
    index = {a: bits - 1 - i for i, a in enumerate(places)}
    found = [Rational(0)] * (1 << bits)
    for term, c in function.terms:
        found[sum(1 << index[a] for a in term)] = c
    numerators, below = whole(found)
    return values(numerators), below


def _flips(function: BitPolynomial) -> list[Array]:
    """For each relevant bit, whether it decides the value, at the words of the other bits."""
    numerators, below = _numerators(function)
    _check_boolean({Rational(v, below) for v in set(numerators.tolist())})
    found = []
    for i in range(len(support(function))):
        pairs = numerators.reshape(1 << i, 2, -1)
        found.append((pairs[:, 0] != pairs[:, 1]).reshape(-1))
    return found


def _moebius(table: Array) -> Array:
    """Values to coefficients modulo 2, and back."""
    found = table
    for k in range(len(table).bit_length() - 1):
        pairs = found.reshape(-1, 2, 1 << k)
        found = np.stack((pairs[:, 0], pairs[:, 0] ^ pairs[:, 1]), axis=1).reshape(-1)
    return found
