"""The blocks of one layer of linear attention, for all lengths at once.

Its kernels see two numbers of a pair of words: the pairs of positions M that meet (x_a = y_b) and
the positions h that agree (x_a = y_a), and they are quadratic in them. So only the constant, sums
of functions of a token and sums of functions of two tokens matter, in (L), (L - 1, 1), (L - 2, 2)
and (L - 2, 1, 1). On these the operator is a block whose size does not depend on L and whose
entries are polynomials in L: conditional expectations given the tokens at one or two positions.

Uniform words. With tau_ab = V 1[x_a = y_b] - 1 the sums T = sum_ab tau_ab and S = sum_a tau_aa are
V M - L^2 and V h - L. tau is the reproducing kernel of the space H of functions of a token with
mean zero. The product of two functions of H is a constant and a function m of H, and
tau^2 = (V - 2) tau + (V - 1) says that m m* = V - 2. So blocks split into ones of size at most 2,
for every V: G in H x H couples to 1 by its trace and to H by m.

The arithmetic is that of the arguments: rational numbers, or polynomials in L, alpha and beta.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, combinations_with_replacement, product
from typing import Any

import attrs

Below = tuple[int, ...]  # the rows of a partition of L below the first
Rows = list[list[Any]]
# The rows below the first, a block, and in how many copies it occurs.
Blocks = list[tuple[Below, Rows, int]]
BELOW: tuple[Below, ...] = ((), (1,), (2,), (1, 1))


@attrs.frozen
class Quadratic:
    """A quadratic polynomial in M and h (or in T and S), by its coefficients."""

    constant: Any
    m: Any
    h: Any
    mm: Any
    mh: Any
    hh: Any

    @classmethod
    def through(cls, value: Callable[[int, int], Any]) -> Quadratic | None:
        """The quadratic polynomial with these values, None if there is none.

        Six points determine it, and three more tell whether the values are of degree two.

        >>> Quadratic.through(lambda m, h: Rational(3 + 2 * m * h - h * h))
        Quadratic(constant=3, m=0, h=0, mm=0, mh=2, hh=-1)
        >>> Quadratic.through(lambda m, h: m**3) is None
        True
        """
        at = {(m, h): value(m, h) for m in range(3) for h in range(3 - m)}
        origin = at[0, 0]
        mm = (at[2, 0] - 2 * at[1, 0] + origin) / 2
        hh = (at[0, 2] - 2 * at[0, 1] + origin) / 2
        mh = at[1, 1] - at[1, 0] - at[0, 1] + origin
        found = cls(origin, at[1, 0] - origin - mm, at[0, 1] - origin - hh, mm, mh, hh)
        more = ((3, 0), (0, 3), (5, 7))
        return found if all(found.at(m, h) == value(m, h) for m, h in more) else None

    def at(self, m: Any, h: Any) -> Any:
        """The value at a point."""
        linear = self.constant + self.m * m + self.h * h
        return linear + self.mm * (m * m) + self.mh * (m * h) + self.hh * (h * h)

    def map(self, function: Callable[[Any], Any]) -> Quadratic:
        """The same polynomial with other coefficients."""
        return Quadratic(*map(function, attrs.astuple(self)))

    def for_uniform_words(self, L: Any, share: Any) -> Quadratic:
        """The same polynomial in T and S: M = share (T + L^2), h = share (S + L), share = 1/V.

        >>> Quadratic(0, 1, 0, 0, 0, 0).for_uniform_words(3, 1)
        Quadratic(constant=9, m=1, h=0, mm=0, mh=0, hh=0)
        """
        meet, agree = share * L * L, share * L
        return Quadratic(
            self.at(meet, agree),
            share * (self.m + 2 * self.mm * meet + self.mh * agree),
            share * (self.h + self.mh * meet + 2 * self.hh * agree),
            share * share * self.mm,
            share * share * self.mh,
            share * share * self.hh,
        )


def mean_diagonal(q: Quadratic, L: Any, second: Any, third: Any) -> Any:
    """E k(x, x), from the sums of the squares and cubes of the tokens' probabilities.

    h is L there, and M is L and the number P of ordered pairs of positions with equal tokens.

    >>> mean_diagonal(Quadratic(0, 1, 0, 0, 0, 0), 4, Rational(1, 2), Rational(1, 4))
    10
    """
    pairs = L * (L - 1)
    mean = L + pairs * second
    # P squared: the two pairs have two, one or no positions in common.
    square = pairs * (2 * second + 4 * ((L - 2) * third) + (L - 2) * (L - 3) * second * second)
    square = L * L + 2 * (L * pairs * second) + square
    return q.constant + q.m * mean + q.h * L + q.mm * square + q.mh * mean * L + q.hh * L * L


# --- uniform words ------------------------------------------------------------------------------
def uniform_blocks(q: Quadratic, L: Any, V: int) -> Blocks:
    """(rows below the first, block, in how many copies), from the coefficients in T and S.

    >>> [copies for _, _, copies in uniform_blocks(Quadratic(1, 0, 0, 0, 0, 0), 5, 3)]
    [1, 2, 0, 0, 2, 0, 1, 1, 3, 1]
    """
    W = V - 2
    # In Sym^2 H: the constant, the image of m (none for V = 2), and the rest.
    symmetric, alternating = V * (V - 1) // 2, (V - 1) * W // 2
    image = V - 1 if V > 2 else 0
    alone = V - 1 - image  # H alone where nothing couples to it
    up = q.mm * L + q.mh
    pairs = 2 * (L - 1) * up + 2 * q.hh
    single = q.m * L + q.h + W * (up + q.hh)
    one = q.constant + (V - 1) * L * (up + q.hh)
    whole = [
        ([[one, 2 * L * (L - 1) * (V - 1) * up], [up, pairs]] if V > 1 else [[one]], 1),
        ([[single, 2 * (L - 1) * W * up], [up, pairs]], image),
        ([[single]], alone),
        ([[pairs]], max(0, symmetric - 1 - image)),
    ]
    pairs = (L - 2) * q.mh + 2 * q.hh
    single = q.h + W * (q.mh + q.hh)
    standard = [
        ([[single, (L - 2) * W * q.mh], [q.mh, pairs]], image),
        ([[single]], alone),
        ([[pairs]], symmetric - image),
        ([[L * q.mh + 2 * q.hh]], alternating),
    ]
    rest = [([[2 * q.hh]], symmetric)], [([[2 * q.hh]], alternating)]
    return [
        (below, rows, copies)
        for below, blocks in zip(BELOW, (whole, standard, *rest), strict=True)
        for rows, copies in blocks
    ]


# --- independent tokens of any law --------------------------------------------------------------
def block_sizes(V: int) -> tuple[int, int, int, int]:
    """The sizes of the four blocks.

    >>> block_sizes(3)
    (6, 6, 3, 1)
    """
    pairs = V * (V - 1) // 2
    return V * (V + 1) // 2, V * (V - 1), pairs, (V - 1) * (V - 2) // 2


def iid_blocks(q: Quadratic, L: Any, probabilities: Sequence[Any], zero: Any) -> Blocks:
    """(rows below the first, block, 1) for independent tokens, from the coefficients in M and h.

    >>> count = Quadratic(0, 0, 1, 0, 0, 0)
    >>> iid_blocks(count, 5, [Rational(1, 3), Rational(2, 3)], Rational(0))[1]
    ((1,), [[4/9, 8/9], [0, 0]], 1)
    """
    p = list(probabilities)
    tensor = _on_tokens(p)
    free = range(len(p) - 1)
    pairs = list(combinations_with_replacement(free, 2))
    symmetric = [
        [
            2 * q.hh * (
                tensor[u][w] * tensor[v][z] + (tensor[v][w] * tensor[u][z] if u != v else zero)
            )
            for w, z in pairs
        ]
        for u, v in pairs
    ]  # fmt: skip
    edges = list(combinations(free, 2))
    alternating = [
        [2 * q.hh * (tensor[u][w] * tensor[v][z] - tensor[v][w] * tensor[u][z]) for w, z in edges]
        for u, v in edges
    ]
    found = (_whole(q, L, p, zero), _standard(q, L, p, zero), symmetric, alternating)
    return [(below, rows, 1) for below, rows in zip(BELOW, found, strict=True) if rows]


def _on_tokens(p: list[Any]) -> Rows:
    """The operator with kernel 1[x = y] between functions of mean zero, on x_u - y_u, u < V - 1."""
    free = range(len(p) - 1)
    return [[(p[u] if u == w else 0) - p[w] * (p[u] - p[-1]) for w in free] for u in free]


def _whole(q: Quadratic, L: Any, p: list[Any], zero: Any) -> Rows:
    """The block of (L), on 1, n_u and q_uv = n_u n_v - [u = v] n_u for tokens u <= v < V - 1."""
    tokens, last = range(len(p)), len(p) - 1
    pairs = list(combinations_with_replacement(range(last), 2))
    place = {pair: 1 + last + k for k, pair in enumerate(pairs)}
    size = 1 + last + len(pairs)

    def at(u: int, v: int) -> int:
        return place[min(u, v), max(u, v)]

    def mean(index: int, *given: int) -> Any:
        """The mean of a function of the basis, given the tokens at some positions."""
        rest = L - len(given)
        if index == 0:
            return zero + 1
        if index <= last:
            return given.count(index - 1) + rest * p[index - 1]
        u, v = pairs[index - 1 - last]
        a, b = given.count(u), given.count(v)
        fixed = a * b - (a if u == v else 0)
        return fixed + rest * (a * p[v] + b * p[u]) + rest * (rest - 1) * p[u] * p[v]

    def add_single(column: list[Any], u: int, c: Any) -> None:
        if u < last:
            column[1 + u] += c
            return
        column[0] += c * L
        for w in range(last):
            column[1 + w] -= c

    def add_pair(column: list[Any], u: int, v: int, c: Any) -> None:
        u, v = min(u, v), max(u, v)
        if v < last:
            column[at(u, v)] += c
        elif u < last:  # n_u n_last
            column[1 + u] += c * (L - 1)
            for w in range(last):
                column[at(u, w)] -= c
        else:
            column[0] += c * L * (L - 1)
            for w in range(last):
                column[1 + w] -= 2 * (c * (L - 1))
            for w, z in product(range(last), repeat=2):
                column[at(w, z)] += c

    columns = []
    for index in range(size):
        column = [zero] * size
        column[0] += q.constant * mean(index)
        for u in tokens:
            single = p[u] * mean(index, u)
            add_single(column, u, (q.m * L + q.h + q.hh) * single)
            for v in tokens:
                both = p[u] * p[v] * mean(index, u, v)
                # n_u n_v is q_uv, and n_u where u = v.
                c = (q.mm * L + q.mh) * ((L - 1) * both + (single if u == v else 0))
                add_pair(column, u, v, c + q.hh * both)
                if u == v:
                    add_single(column, u, c)
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


def _standard(q: Quadratic, L: Any, p: list[Any], zero: Any) -> Rows:
    """The block of (L - 1, 1), on f_v and n_u f_v for u, v < V - 1, f_v = [x_1 = v] - [x_2 = v]."""
    tokens, last = range(len(p)), len(p) - 1
    functions: list[tuple[int, int | None]] = [(v, None) for v in range(last)]
    functions += [(v, u) for u in range(last) for v in range(last)]
    place = {function: k for k, function in enumerate(functions)}

    def mean(function: tuple[int, int | None], u: int, *third: int) -> Any:
        """The mean given the token u at position 1, and perhaps that at position 3."""
        w, z = function
        here = int(u == w)
        if z is None:
            return here - p[w] + zero
        rest, known = L - 1 - len(third), (u, *third).count(z)
        return here * (known + rest * p[z]) - p[w] * (known + int(w == z) + (rest - 1) * p[z])

    def add(column: list[Any], v: int, u: int | None, c: Any) -> None:
        if v == last:  # the f_v add up to 0
            for w in range(last):
                add(column, w, u, -c)
        elif u == last:  # the n_u add up to L
            column[place[v, None]] += c * L
            for w in range(last):
                column[place[v, w]] -= c
        else:
            column[place[v, u]] += c

    columns = []
    for function in functions:
        column = [zero] * len(functions)
        for v in tokens:
            one, twice = mean(function, v), mean(function, v, v)
            add(column, v, None, (q.h + q.hh) * p[v] * one - 2 * (q.hh * p[v] * p[v] * twice))
            for u in tokens:
                here, there = mean(function, v, u), mean(function, u, v)
                c = q.mh * p[v] * ((one if u == v else zero) + p[u] * ((L - 1) * here - there))
                add(column, v, u, c + 2 * (q.hh * p[u] * p[v] * here))
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]
