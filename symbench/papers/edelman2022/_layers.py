"""The second road: a layer of attention from its matrices, and all words gone through.

Nothing here calls the library. A vector of a position is a row of integers divided by their common
length, which is left out: tokens have the integers, and the key is divided by the length's square.
Scores are exponents of a base, so that softmax is rational.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Rows = tuple[tuple[int, ...], ...]
Table = list[list[Fraction]]


def dot(a: Sequence[Any], b: Sequence[Any]) -> Fraction:
    """The inner product."""
    return sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0))


def times(A: Table, B: Table) -> Table:
    """The product of two matrices."""
    columns = list(zip(*B, strict=True))
    return [[dot(row, column) for column in columns] for row in A]


def transposed(A: Table) -> Table:
    """The transpose."""
    return [list(column) for column in zip(*A, strict=True)]


def gram_key(rows: Rows, s: int) -> list[Fraction]:
    """c with G c = 1 for the Gram matrix G of the first s unit vectors, by elimination."""
    norm = dot(rows[0], rows[0])
    table = [[dot(a, b) / norm for b in rows[:s]] + [Fraction(1)] for a in rows[:s]]
    for i in range(s):
        pivot = next(k for k in range(i, s) if table[k][i])
        table[i], table[pivot] = table[pivot], table[i]
        table[i] = [x / table[i][i] for x in table[i]]
        for k in range(s):
            if k != i:
                table[k] = [x - table[k][i] * y for x, y in zip(table[k], table[i], strict=True)]
    return [row[-1] for row in table]


def combination(rows: Rows, c: Sequence[Fraction]) -> list[Fraction]:
    """u = sum c_i v_i, in the coordinates in which u . row is the score of a position."""
    norm = dot(rows[0], rows[0])
    columns = zip(*rows[: len(c)], strict=True)
    return [dot(c, column) / norm for column in columns]


def tokens(rows: Rows, word: Sequence[int], *, bag: bool = False) -> Table:
    """E_b + v_t, or b v_t in a bag, and v_CLS: the coordinates are those of v, CLS, E_0, E_1."""
    found = []
    for row, bit in zip(rows, word, strict=True):
        if bag:
            found.append([Fraction(bit * x) for x in row] + [Fraction(0)] * 3)
        else:
            found.append([*map(Fraction, row), Fraction(0), Fraction(1 - bit), Fraction(bit)])
    return [*found, [Fraction(0)] * len(rows[0]) + [Fraction(1), Fraction(0), Fraction(0)]]


def weights(
    u: Sequence[Fraction], unit: int, *, s: int = 0, scale: Any = 1, column: int = 0
) -> tuple[Table, Table, Table, Table]:
    """W_Q, W_K, W_V, W_C with two columns; s > 0 is for a bag in which s positions matter."""
    d, one, zero = len(u), Fraction(1), Fraction(0)
    cls = [zero] * d + [one, zero, zero]
    key = [*u, one if s else zero, zero, zero]
    values = [*u, Fraction(-s), zero, zero] if s else [zero] * d + [zero, -one, one]

    def placed(vector: list[Fraction], at: int) -> Table:
        return [[x if k == at else zero for k in range(2)] for x in vector]

    return (
        placed([unit * x for x in cls], 0),
        placed(key, 0),
        placed([Fraction(scale) * x for x in values], column),
        [[one, zero], [zero, zero]],
    )


def softmax(exponents: Sequence[Fraction], base: Fraction, norm: str = "softmax") -> list[Fraction]:
    """base^z / sum; 'none' leaves out the sum, 'max' has all weight on the largest."""
    if any(z.denominator != 1 for z in exponents):
        raise ArithmeticError("an exponent is not whole")
    top = max(exponents)
    found = [Fraction(base) ** int(z - top) for z in exponents]
    if norm == "max":
        found = [Fraction(int(z == top)) for z in exponents]
    return found if norm == "none" else [x / sum(found) for x in found]


def output(
    X: Table, matrices: tuple[Table, Table, Table, Table], base: Fraction, norm: str = "softmax"
) -> Fraction:
    """The first coordinate of W_C^T W_V^T X^T softmax(X W_K W_Q^T x), x the last token."""
    W_Q, W_K, W_V, W_C = matrices
    query = times(transposed(W_Q), [[x] for x in X[-1]])
    exponents = [row[0] for row in times(times(X, W_K), query)]
    attention = [[w] for w in softmax(exponents, base, norm)]
    mixed = times(transposed(X), attention)
    return times(transposed(W_C), times(transposed(W_V), mixed))[0][0]


def worst(
    rows: Rows,
    s: int,
    u: Sequence[Fraction],
    unit: int,
    base: Fraction,
    *,
    bag: bool = False,
    scale: Any = 1,
) -> Fraction:
    """The largest distance over all words from the mean of signs, or from (r - s) / (r + 1)."""
    matrices, found = weights(u, unit, s=s if bag else 0, scale=scale), Fraction(0)
    for word in product((0, 1), repeat=len(rows)):
        ones = sum(word[:s])
        goal = Fraction(ones - s, ones + 1) if bag else Fraction(2 * ones - s, s)
        found = max(found, abs(output(tokens(rows, word, bag=bag), matrices, base) - goal))
    return found
