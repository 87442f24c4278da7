"""The orbit average of a function of s tokens, for any vocabulary and any length.

The functions gf are f read at s positions in some order: one for each injection of [s] into [L].
So the eigenvalues of their average, but for zeros, are those of their Gram matrix, and an entry of
that depends only on which of the s places of one injection meet which of the other. On functions
of injections the operator is an element of the group algebra, seen by the vectors of S^lambda that
the permutations of the other m = L - s positions fix. These have a basis by the ways to grow the
row (m) to lambda box by box (Young's seminormal form). In it

    the sum over i <= m of the transpositions (i, m + 1) is diagonal, with contents as entries,
    the permutations of the s places are Young's, and
    E_A = the sum over injective i of the products of (i_a, a), a in A, has
    E_(A + b) = E_A D_b - sum over c in A of (b c) E_A,  D_b = the sum of (i, b).

No block has more rows than there are ways to grow: 3 for s = 3, whatever L is.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations, product
from math import comb, factorial, lcm, perm
from typing import Any

import flint

from symbench.exact import Matrix, Rational
from symbench.exact.arrays import Array, np
from symbench.exact.rational import fmpq
from symbench.laws import Iid, Mixture
from symbench.learning.targets import Target
from symbench.young import Partition

# Ways in which two injections meet times words of s tokens; the places of an injection.
_STEPS = 1_000_000
_PLACES = 5
Chain = tuple[int, ...]  # the row that each further box is put in
Places = tuple[int, ...]


def meetings(places: int) -> int:
    """The number of partial matchings between s places and s places.

    >>> [meetings(s) for s in range(5)]
    [1, 2, 7, 34, 209]
    """
    return sum(comb(places, k) ** 2 * factorial(k) for k in range(places + 1))


def most_places(vocabulary: int) -> int:
    """How many tokens a target may read.

    >>> [most_places(V) for V in (2, 3, 5, 50)]
    [5, 5, 4, 2]
    """
    return max(s for s in range(_PLACES + 1) if meetings(s) * vocabulary**s <= _STEPS)


def blocks_by_places(target: Target, length: int, law: Iid | Mixture) -> dict[Partition, Matrix]:
    """The orbit average on the copies of each irreducible, for a target that reads few tokens.

    >>> same = targets.from_function(lambda w: w[0] == w[1], variables=2, vocabulary=3)
    >>> blocks_by_places(same, 1000, Iid.uniform(3))[Partition(999, 1)].charpoly()
    (0, -1/2247750, 1)
    """
    table = _table(target)
    s = table.ndim
    m = length - s
    gram = _Gram(table, law)
    return {
        shape: Matrix(_block(gram, chains, m, s) / perm(length, s))
        for shape, chains in _shapes(m, s).items()
    }


# --- the Gram matrix ------------------------------------------------------------------------------
def _table(target: Target) -> Array:
    """The values as an array with an axis for each position that matters, Rationals."""
    V, s = target.vocabulary, target.variables
    table = np.empty((V,) * s, dtype=object)
    for word in product(range(V), repeat=s):
        table[word] = target.value(word)
    for axis in reversed(range(s)):
        first = np.take(table, [0], axis=axis)
        if (table == first).all():
            table = first.reshape(first.shape[:axis] + first.shape[axis + 1 :])
    return table


class _Gram:
    """E f(x) f(y) for words that share the tokens at some places, by the matching of the places."""

    def __init__(self, table: Array, law: Iid | Mixture) -> None:
        parts = [(Rational(1), law)] if isinstance(law, Iid) else list(law.components)
        scale = lcm(*(value.denominator for value in table.flat))
        whole = np.empty(table.shape, dtype=object)
        for place, value in np.ndenumerate(table):
            whole[place] = int(value * scale)
        self.places = table.ndim
        self.laws = []
        for share, part in parts:
            below = lcm(*(p.denominator for p in part.probabilities))
            numbers = np.array([int(p * below) for p in part.probabilities], dtype=object)
            self.laws.append((share, numbers, below, _conditional(whole, numbers)))
        self.scale = scale
        self.known: dict[tuple[Places, Places], flint.fmpq] = {}

    def __call__(self, one: Places, other: Places) -> flint.fmpq:
        """The places `one` of the first word have the tokens of the places `other` of the second.

        The places of `other` rise.
        """
        if (one, other) not in self.known:
            self.known[one, other] = self._mean(one, other)
        return self.known[one, other]

    def _mean(self, one: Places, other: Places) -> flint.fmpq:
        total, k = flint.fmpq(0), len(one)
        for share, numbers, below, given in self.laws:
            rising = tuple(sorted(one))
            first = np.transpose(given[rising], [rising.index(a) for a in one])
            values = first * given[other]
            for _ in range(k):
                values = (values * numbers).sum(axis=-1)
            bottom = below ** (2 * self.places - k) * self.scale**2
            total += fmpq(share) * flint.fmpq(int(values), bottom)
        return total


def _conditional(whole: Array, numbers: Array) -> dict[Places, Any]:
    """For each set of places the mean of f given the tokens there, not yet divided."""
    places = tuple(range(whole.ndim))
    given: dict[Places, Any] = {places: whole}
    for k in range(len(places) - 1, -1, -1):
        for kept in combinations(places, k):
            lost = next(a for a in places if a not in kept)
            larger = tuple(sorted((*kept, lost)))
            moved = np.moveaxis(given[larger], larger.index(lost), -1)
            given[kept] = np.asarray((moved * numbers).sum(axis=-1), dtype=object)
    return given


# --- the irreducibles -----------------------------------------------------------------------------
def _shapes(m: int, s: int) -> dict[Partition, list[Chain]]:
    """The partitions that grow from the row (m) by s boxes, with all the ways."""
    level: dict[tuple[int, ...], list[Chain]] = {(m,) if m else (): [()]}
    for _ in range(s):
        grown: dict[tuple[int, ...], list[Chain]] = {}
        for parts, chains in level.items():
            for row in range(len(parts) + 1):
                size = parts[row] if row < len(parts) else 0
                if row and parts[row - 1] <= size:
                    continue
                bigger = (*parts[:row], size + 1, *parts[row + 1 :])
                grown.setdefault(bigger, []).extend((*chain, row) for chain in chains)
        level = grown
    ordered = sorted(level, reverse=True)
    return {Partition(*parts): level[parts] for parts in ordered}


def _contents(chain: Chain, m: int) -> list[int]:
    sizes: dict[int, int] = {0: m}
    found = []
    for row in chain:
        column = sizes.get(row, 0)
        found.append(column - row)
        sizes[row] = column + 1
    return found


def _block(gram: _Gram, chains: Sequence[Chain], m: int, s: int) -> flint.fmpq_mat:
    """The sum over all injections of their Gram entry with the first, on the fixed vectors."""
    size = len(chains)
    moves = [_generator(chains, m, i) for i in range(s - 1)]
    group = _group(moves, size, s)
    first = flint.fmpq_mat(size, size)
    for k, chain in enumerate(chains):
        first[k, k] = flint.fmpq(_contents(chain, m)[0]) if s else flint.fmpq(0)
    sums = [first]  # D_b for each place b
    for move in moves:
        sums.append(move * sums[-1] * move)
    away: dict[Places, Any] = {(): group[tuple(range(s))]}
    for k in range(s):
        for moved in combinations(range(s), k + 1):
            *rest, b = moved
            before = away[tuple(rest)]
            found = before * sums[b]
            for c in rest:
                found -= group[_transposition(s, b, c)] * before
            away[moved] = found
    total = flint.fmpq_mat(size, size)
    for moved, factor in away.items():
        kept = [a for a in range(s) if a not in moved]
        inner = flint.fmpq_mat(size, size)
        for other in combinations(range(s), len(kept)):
            free = [a for a in range(s) if a not in other]
            for one in permutations(kept):
                image = dict(zip((*other, *free), (*one, *moved), strict=True))
                order = tuple(image[a] for a in range(s))
                inner += group[order] * gram(one, other)
        total += factor * inner
    return total


def _transposition(s: int, b: int, c: int) -> Places:
    found = list(range(s))
    found[b], found[c] = c, b
    return tuple(found)


def _generator(chains: Sequence[Chain], m: int, i: int) -> Any:
    """Young's seminormal matrix of the exchange of the places i and i + 1."""
    place = {chain: k for k, chain in enumerate(chains)}
    matrix = flint.fmpq_mat(len(chains), len(chains))
    for k, chain in enumerate(chains):
        contents = _contents(chain, m)
        distance = flint.fmpq(1, contents[i + 1] - contents[i])
        matrix[k, k] = distance
        swapped = (*chain[:i], chain[i + 1], chain[i], *chain[i + 2 :])
        if swapped in place and swapped != chain:
            down = chain[i] < chain[i + 1]
            matrix[place[swapped], k] = flint.fmpq(1) if down else 1 - distance * distance
    return matrix


def _group(moves: Sequence[Any], size: int, s: int) -> dict[Places, Any]:
    """The matrix of every permutation of the places: order[a] is where a goes."""
    identity = flint.fmpq_mat(size, size)
    for k in range(size):
        identity[k, k] = flint.fmpq(1)
    found = {tuple(range(s)): identity}
    frontier = list(found)
    while frontier:
        grown = []
        for order in frontier:
            for i, move in enumerate(moves):
                # First `order`, then the exchange of i and i + 1.
                exchange = {i: i + 1, i + 1: i}
                after = tuple(exchange.get(a, a) for a in order)
                if after not in found:
                    found[after] = move * found[order]
                    grown.append(after)
        frontier = grown
    return found
