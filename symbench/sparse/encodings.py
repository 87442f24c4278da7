"""Vectors for T positions, of length one, with exact inner products and coherence.

An encoding is a list of integer vectors of the same length, divided by that length, so that inner
products are rational although the vectors need not be. The coherence is the largest absolute value
of an inner product of two of them. Heads need nothing but inner products.

>>> hadamard(2)
hadamard(2): 32 positions in 16 dimensions, coherence 1/4
>>> equiangular(276)
equiangular(276): 276 positions in 23 dimensions, coherence 1/5
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations
from math import lcm
from typing import Any

import attrs

from symbench._arguments import instance, integer, integers, randomness, sequence, shown
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, TooCoherent, TooLarge
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.arrays import Array, Integers, np
from symbench.exact.rational import exact_parameter

Places = tuple[int, ...]
# Positions of an encoding that is written out, and of one whose products are computed in columns.
_MOST, _MOST_COLUMNS = 1 << 13, 1 << 24
# Rows whose products with all others are formed at a time.
_BLOCK = 256


@attrs.frozen(repr=False, eq=False)
class Encoding(Shown):
    """Unit vectors for the positions 1, ..., T: what is known of their inner products.

    `column(i)` has the products of all vectors with the i-th, as integers to be divided by `norm`;
    `classes(positions)` has them for some positions, equal rows once with how often they occur.

    >>> encoding = from_vectors([["3/5", "4/5"], [1, 0]])
    >>> encoding.coherence, encoding.product(1, 2), encoding.dimension
    (3/5, 3/5, 2)
    """

    name: str
    length: int
    dimension: int
    norm: int
    coherence: Rational
    column: Callable[[int], Integers]
    vectors: Array | None = None

    def __repr__(self) -> str:
        size = f"{self.length} positions in {self.dimension} dimensions"
        return f"{self.name}: {size}, coherence {self.coherence}"

    def product(self, a: int, b: int) -> Rational:
        """The inner product of the vectors of two positions."""
        first, second = self.positions((a,))[0], self.positions((b,))[0]
        return Rational(int(self.column(first)[second - 1]), self.norm)

    def positions(self, places: Any) -> Places:
        """Different positions that the encoding has, in order.

        >>> hadamard(1).positions((3, 9))
        Traceback (most recent call last):
        ...
        symbench.errors.BadShape: the positions are (3, 9): give different ones of 1, ..., 8
        """
        found = integers(places, "the positions")
        if len(set(found)) < len(found) or not all(1 <= a <= self.length for a in found):
            raise BadShape(
                f"the positions are {shown(places)}: give different ones of 1, ..., {self.length}"
            )
        return tuple(sorted(found))

    def classes(
        self, places: Places
    ) -> tuple[list[list[Rational]], list[tuple[list[Rational], int]]]:
        """The products of these positions with each other, and those of all others with them."""
        inside, outside = self._classes(self.positions(places))
        return (
            [[Rational(x, self.norm) for x in row] for row in inside],
            [([Rational(x, self.norm) for x in row], count) for row, count in outside],
        )

    def _classes(self, places: Places) -> tuple[list[list[int]], list[tuple[list[int], int]]]:
        products = np.array([self.column(a) for a in places], dtype=np.int64)
        products = products.reshape(len(places), self.length).T
        index = np.array(places, dtype=np.int64) - 1
        inside = products[index].tolist()
        off = np.delete(products, index, axis=0)
        if not len(off):
            return inside, []
        if not places:
            return inside, [([], len(off))]
        # Rows are numbered column by column, which is faster than comparing them whole.
        code = np.zeros(len(off), dtype=np.int64)
        for column in off.T:
            mixed = code * (2 * self.norm + 1) + column
            _, first, code, counts = np.unique(
                mixed, return_index=True, return_inverse=True, return_counts=True
            )
        return inside, list(zip(off[first].tolist(), counts.tolist(), strict=True))


class _Orthonormal(Encoding):
    """As many dimensions as positions: nothing is written out, so there may be 10^9."""

    def product(self, a: int, b: int) -> Rational:
        first, second = self.positions((a,))[0], self.positions((b,))[0]
        return Rational(int(first == second))

    def _classes(self, places: Places) -> tuple[list[list[int]], list[tuple[list[int], int]]]:
        size = len(places)
        inside = [[int(i == j) for j in range(size)] for i in range(size)]
        rest = self.length - size
        return inside, [([0] * size, rest)] if rest else []


def orthonormal(length: int) -> Encoding:
    """A dimension for each position.

    >>> orthonormal(10**9).coherence
    0
    """
    size = integer(length, "the length", at_least=1)

    def column(place: int) -> Integers:
        _short(size)
        found = np.zeros(size, dtype=np.int64)
        found[place - 1] = 1
        return found

    return _Orthonormal(f"orthonormal({size})", size, size, 1, Rational(0), column)


def hadamard(power: int) -> Encoding:
    """The unit vectors of 4^power dimensions and the rows of Sylvester's Hadamard matrix.

    Twice as many positions as dimensions, coherence 2^-power.

    >>> encoding = hadamard(1)
    >>> encoding.product(1, 5), encoding.product(1, 2), encoding.product(5, 6)
    (1/2, 0, 0)
    """
    j = integer(power, "the power", at_least=1, at_most=11)
    size = 4**j

    def column(place: int) -> Integers:
        unit = place <= size
        same, row = np.zeros(size, dtype=np.int64), (place - 1) % size
        same[row] = size
        # A row of the matrix has the entry (-1)^|row & column|; unit vectors are 2^j long.
        mixed = 2**j * (1 - 2 * _odd(np.arange(size, dtype=np.int64) & row))
        return np.concatenate((same, mixed) if unit else (mixed, same))

    return Encoding(f"hadamard({j})", 2 * size, size, size, Rational(1, 2**j), column)


def unbiased(power: int) -> Encoding:
    """Mutually unbiased bases of d = 4^power dimensions: d (d/2 + 1) positions, coherence 2^-power.

    The unit vectors, and a basis of signs (-1)^(q(x) + l(x)), l linear, for each quadratic form q
    of a Kerdock set; the sum of any two of the forms has full rank.

    >>> unbiased(2)
    unbiased(2): 144 positions in 16 dimensions, coherence 1/4
    """
    j = integer(power, "the power", at_least=1, at_most=3)
    size, field = 4**j, 2 * j - 1
    forms = np.array([_kerdock(a, field) for a in range(1 << field)], dtype=np.int64)
    points = np.arange(size, dtype=np.int64)
    linear = _odd(np.bitwise_and.outer(points, points))
    signs = 1 - 2 * (forms[:, None, :] ^ linear[None, :, :])
    rows = np.concatenate((2**j * np.eye(size, dtype=np.int64), signs.reshape(-1, size)))
    return _written(f"unbiased({j})", rows, size)


def equiangular(lines: int) -> Encoding:
    """The 28 lines of 7 dimensions (coherence 1/3) or the 276 of 23 dimensions (1/5).

    The 28 are the vectors with 3 at two of eight places and -1 at the others. The 276 are the
    vectors (3, 7, -1, ..., -1), with 7 at each of 23 places, and those with -1 first and then 3 on
    a word of weight 7 of the Golay code, -1 off it; all are orthogonal to (5, 1, ..., 1).

    >>> equiangular(28).coherence
    1/3
    """
    if lines == 28:
        rows = np.full((28, 8), -1, dtype=np.int64)
        for row, (a, b) in zip(rows, combinations(range(8), 2), strict=True):
            row[[a, b]] = 3
        return _written("equiangular(28)", rows, 7)
    if lines != 276:
        raise BadValue(f"the number of lines is {shown(lines)}: give 28 or 276")
    words = np.array([_polynomial_product(m, 0b110001110101) for m in range(1 << 12)])
    code = (words[:, None] >> np.arange(23)) & 1
    heptads = code[code.sum(axis=1) == 7]
    rows = np.full((276, 24), -1, dtype=np.int64)
    rows[:23, 0] = 3
    rows[:23, 1:] += 8 * np.eye(23, dtype=np.int64)
    rows[23:, 1:] += 4 * heptads
    return _written("equiangular(276)", rows, 23)


def flipped_simplex(half: int) -> Encoding:
    """The regular simplex of 2 half - 1 dimensions, the last half of its vectors turned round.

    The first half and the last half have the same sum; the coherence is 1 / (2 half - 1).

    >>> flipped_simplex(2)
    flipped_simplex(2): 4 positions in 3 dimensions, coherence 1/3
    """
    s = integer(half, "half", at_least=1, limit=500)
    rows = 2 * s * np.eye(2 * s, dtype=np.int64) - 1
    rows[s:] *= -1
    return _written(f"flipped_simplex({s})", rows, 2 * s - 1)


def random_signs(length: int, dimension: int, *, seed: Any) -> Encoding:
    """Random vectors of signs; their coherence is computed, not estimated.

    >>> random_signs(50, 64, seed=1).coherence
    15/32
    """
    size = integer(length, "the length", at_least=1, limit=_MOST)
    d = integer(dimension, "the dimension", at_least=1, limit=1 << 12)
    dice = randomness(seed)
    bits = [dice.getrandbits(d) for _ in range(size)]
    rows = np.array([[1 - 2 * (word >> k & 1) for k in range(d)] for word in bits], dtype=np.int64)
    return _written(f"random_signs({size}, {d}, seed={shown(seed)})", rows, d)


def from_vectors(vectors: Any, *, norm: int | None = None) -> Encoding:
    """The encoding with these vectors of length one; or integer vectors of this squared length.

    >>> from_vectors([[1, 1, 1], [1, 1, -1]], norm=3).coherence
    1/3
    >>> from_vectors([[1, 0], [1, 1]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the vector of position 2 has the squared length 2, not 1: ...
    """
    rows = [
        [exact_parameter(x, "an entry of a vector") for x in sequence(row, "a vector")]
        for row in sequence(vectors, "the vectors", "a list of vectors")
    ]
    if not rows or not rows[0] or len({len(row) for row in rows}) > 1:
        raise BadShape("the vectors have no entries, or different numbers of them")
    wanted = 1 if norm is None else integer(norm, "the norm", at_least=1)
    for place, row in enumerate(rows, 1):
        square = sum(x * x for x in row)
        if square != wanted:
            raise BadValue(
                f"the vector of position {place} has the squared length {square}, not {wanted}: "
                "divide it by its length, or give norm= if all are integers of one length"
            )
    below = lcm(*(x.denominator for row in rows for x in row))
    whole = [[int(x * below) for x in row] for row in rows]
    if max(abs(x) for row in whole for x in row) >= 1 << 20:
        raise TooLarge("the vectors have a common denominator above 2^20: give simpler ones")
    return _written("from_vectors(...)", np.array(whole, dtype=np.int64), len(rows[0]))


# --- what no head can tell apart ------------------------------------------------------------------
@attrs.frozen
class Inseparable(Shown):
    """Why no scores that are linear in the vectors are 1 on the positions I and below 1 elsewhere.

    Numbers alpha on I and beta >= 0 off I, both of sum one, with sum alpha_i v_i = sum beta_j v_j:
    the score of the left side is 1, that of the right side would be below 1.

    >>> found = inseparable(flipped_simplex(2), (1, 2))
    >>> found
    Inseparable(alpha={1: 1/2, 2: 1/2}, beta={3: 1/2, 4: 1/2})
    >>> found.check(flipped_simplex(2)), found.check(flipped_simplex(3))
    (True, False)
    """

    alpha: dict[int, Rational]
    beta: dict[int, Rational]

    def check(self, encoding: Encoding) -> bool:
        """Whether this is true of the encoding, multiplied out."""
        weights = {**self.alpha, **{j: -b for j, b in self.beta.items()}}
        if set(self.alpha) & set(self.beta) or any(b < 0 for b in self.beta.values()):
            return False
        if not all(1 <= a <= encoding.length for a in weights):
            return False
        if sum(self.alpha.values()) != 1 or sum(self.beta.values()) != 1:
            return False
        # The difference of both sides has the squared length zero.
        columns = {a: encoding.column(a) for a in weights}
        square = sum(
            x * y * int(columns[a][b - 1]) for a, x in weights.items() for b, y in weights.items()
        )
        return bool(square == 0)


def inseparable(encoding: Encoding, positions: Any) -> Inseparable | None:
    """The reason why the positions cannot be told from the others by scores; None if none is found.

    Found by linear programming in floats, and solved again exactly.

    >>> inseparable(hadamard(2), (1, 17))
    """
    chosen = instance(encoding, Encoding, "the encoding", "one such as hadamard(2)")
    places = chosen.positions(positions)
    if chosen.vectors is None or len(places) == chosen.length:
        return None
    from scipy.optimize import linprog

    rows = chosen.vectors
    inside = np.array(places, dtype=np.int64) - 1
    outside = np.delete(np.arange(chosen.length), inside)
    ones, none = np.ones(len(inside)), np.zeros(len(outside))
    system = np.vstack((
        np.hstack((rows[inside].T, -rows[outside].T)),
        np.concatenate((ones, none)),
        np.concatenate((0 * ones, none + 1)),
    )).astype(float)  # fmt: skip
    right = np.zeros(len(system))
    right[-2:] = 1
    bounds = [(None, None)] * len(inside) + [(0, None)] * len(outside)
    solved = linprog(np.zeros(len(bounds)), A_eq=system, b_eq=right, bounds=bounds)
    if solved.status != 0:
        return None
    support = [k for k, x in enumerate(solved.x) if k < len(inside) or x > 1e-9]
    reduced = Matrix([[int(x) for x in row] for row in system[:, support]], QQ)
    exact = _solution(reduced, [int(x) for x in right])
    if exact is None:
        return None
    index = [*inside.tolist(), *outside.tolist()]
    found = {index[k] + 1: x for k, x in zip(support, exact, strict=True) if x}
    own = set(places)
    answer = Inseparable(
        {a: x for a, x in found.items() if a in own},
        {a: x for a, x in found.items() if a not in own},
    )
    return answer if answer.check(chosen) else None


def refuse(encoding: Encoding, positions: Places) -> TooCoherent:
    """The error that says why these positions have no key, with the reason if there is one."""
    found = inseparable(encoding, positions)
    s = len(positions)
    text = (
        f"the positions {shown(positions)} cannot be told from the others by the key of their Gram "
        f"matrix: the coherence is {encoding.coherence}; below 1/{2 * s - 1} suffices"
    )
    if found is not None:
        text += f"; no key can, since {_combination(found.alpha)} = {_combination(found.beta)}"
    return TooCoherent(text, found)


# --- helpers --------------------------------------------------------------------------------------
def _combination(numbers: dict[int, Rational]) -> str:
    return " + ".join(f"{x} v_{a}" for a, x in sorted(numbers.items()))


def _short(size: int) -> None:
    if size > _MOST_COLUMNS:
        raise TooLarge(f"a column of {size:,} products: ask for at most {_MOST_COLUMNS:,}")


def _odd(numbers: Integers) -> Integers:
    """Whether the number of ones is odd."""
    return np.bitwise_count(numbers).astype(np.int64) & 1


def _written(name: str, rows: Array, dimension: int) -> Encoding:
    """The encoding by integer vectors that have the same length, written out."""
    norms = (rows * rows).sum(axis=1)
    norm = int(norms[0])
    if not (norms == norm).all():
        raise BadValue("the vectors have different lengths: give unit vectors")
    floats = rows.astype(float)  # products of integers of this size are exact in floats
    largest = 0
    for start in range(0, len(rows), _BLOCK):
        products = np.abs(floats[start : start + _BLOCK] @ floats.T)
        products[np.arange(len(products)), np.arange(start, start + len(products))] = 0
        largest = max(largest, int(products.max()))
    return Encoding(
        name,
        len(rows),
        dimension,
        norm,
        Rational(largest, norm),
        lambda place: rows @ rows[place - 1],
        rows,
    )


def _solution(system: Matrix, right: list[int]) -> list[Rational] | None:
    """An exact solution of an overdetermined system with independent columns, or None."""
    transposed = system.transpose()
    normal = transposed @ system
    if normal.det() == 0:
        return None
    found = normal.solve(transposed @ Matrix([[x] for x in right], QQ))
    exact = [Rational(Fraction(row[0])) for row in found.rows]
    return exact if (system @ found).rows == Matrix([[x] for x in right], QQ).rows else None


def _polynomial_product(a: int, b: int) -> int:
    """The product of two polynomials over GF(2), written as integers."""
    found = 0
    while a:
        found ^= b if a & 1 else 0
        a, b = a >> 1, b << 1
    return found


# Irreducible polynomials over GF(2) of odd degree.
_IRREDUCIBLE = {1: 0b11, 3: 0b1011, 5: 0b100101}


def _kerdock(a: int, m: int) -> list[int]:
    """The a-th form on GF(2^m) x GF(2): Tr of the sum of z^(2^i + 1) plus y Tr z, with z = ax."""

    def times(x: int, y: int) -> int:
        found = _polynomial_product(x, y)
        for k in range(2 * m, m - 1, -1):
            if found >> k & 1:
                found ^= _IRREDUCIBLE[m] << (k - m)
        return found

    values = []
    for x in range(1 << m):
        power = z = times(a, x)
        traced, form = z, 0
        for i in range(1, m):
            power = times(power, power)
            traced ^= power
            if i <= (m - 1) // 2:
                form ^= times(power, z)
        total, square = form, form
        for _ in range(1, m):
            square = times(square, square)
            total ^= square
        values += [total & 1, (total ^ traced) & 1]
    return values
