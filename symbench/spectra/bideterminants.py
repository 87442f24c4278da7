"""The blocks of an invariant kernel on words over V tokens, without a V^L x V^L matrix.

Fill the rows of a shape lambda with the positions 1, ..., L. The functions that do not change when
positions are permuted within rows depend only on the contents of the rows: b_iv positions of row i
have token v. For a semistandard tableau T the product over its columns of the minors
det(x_(T(r,j), i)) is a polynomial sum c_T(b) x^b; the functions f_T(b) = c_T(b) prod b_iv! are what
Young's symmetriser of lambda makes of words, so they span one vector from each copy of S^lambda,
s_lambda(1^V) of them. Their leading monomials, the row contents of the T themselves, are all
different; so the block of an operator K is G^-1 M with G_ST = f_T(S) and M_ST = (K f_T)(S).

(K f)(x) at a word x with row contents a is a sum over words y, gathered by the tables of each row:
tables with row sums a_i, each with multinomial weight; their sum is the table that k sees.
"""

from __future__ import annotations

import itertools
from functools import lru_cache
from math import comb, factorial, lcm, prod
from operator import mul
from typing import Any

import flint

from symbench.draw.progress import Report, progress
from symbench.errors import TooLarge
from symbench.exact.arrays import Integers, np
from symbench.exact.rational import number_text
from symbench.laws.base import Counts, compositions, number_of_words
from symbench.spectra.binary import Values
from symbench.young import Partition, partitions

Contents = tuple[tuple[int, ...], ...]  # for each row of the shape, how often each token occurs
# Tuples of tables to be gone through, at most.
_STEPS = 2_000_000_000
_EXACT_BITS = 52  # sums of float64 are exact below 2^53


def tableau_blocks(
    length: int,
    vocabulary: int,
    values: Values,
) -> dict[Partition, Any]:
    """The block of each shape with at most V rows without a law, over semistandard tableaux.

    >>> def matches(tables):
    ...     return tables.trace(axis1=1, axis2=2), 1
    >>> blocks = tableau_blocks(2, 3, matches)
    >>> {str(shape): (block.nrows(), block.charpoly()) for shape, block in blocks.items()}
    {'2': (6, x^6 + (-12)*x^5 + 45*x^4 + (-54)*x^3), '1+1': (3, x^3 + (-6)*x^2 + 9*x)}
    """
    V = vocabulary
    shapes = [(shape, _contents(shape, V)) for shape in partitions(length, max_length=V)]
    steps = sum(_steps(a, V) for _, found in shapes for a in found)
    if steps > _STEPS:
        raise TooLarge(
            f"the blocks of length {length} over {V} tokens take {number_text(steps)} steps, more "
            f"than {_STEPS:,}: take a shorter length or fewer tokens"
        )
    limbs = _Limbs(length, V, values)
    with progress(f"blocks of length {length}", steps) as report:
        return {shape: _block(shape, V, found, limbs, report) for shape, found in shapes}


def _contents(shape: Partition, V: int) -> list[Contents]:
    """The row contents of all semistandard tableaux of a shape."""
    return [
        tuple(tuple(row.count(v) for v in range(1, V + 1)) for row in tableau.rows)
        for tableau in shape.semistandard_tableaux(V)
    ]


def _steps(a: Contents, V: int) -> int:
    return prod(comb(n + V - 1, V - 1) for row in a for n in row)


class _Limbs:
    """The kernel on all tables with given row sums, as integers over one denominator, in limbs.

    A table with row sums alpha has a number that is linear in its entries, so that the number
    of a sum is the sum of the numbers.
    """

    def __init__(self, length: int, V: int, values: Values) -> None:
        self.V = V
        raw: dict[Counts, tuple[Any, Any, int]] = {}
        for alpha in compositions(length, V):
            tables = _tables(alpha, V)
            codes = (tables * np.array(self.scale(alpha))).sum(axis=(1, 2))
            raw[alpha] = (codes, *values(tables))
        self.denominator = lcm(*(below for _, _, below in raw.values()))
        bits = max(1, _EXACT_BITS - (V**length).bit_length())
        most = max(
            int(max(found.max(), -found.min())) * (self.denominator // below)
            for _, found, below in raw.values()
        )
        self.shifts = [bits * k for k in range(max(1, -(-most.bit_length() // bits)))]
        mask = (1 << bits) - 1
        self.limbs: dict[Counts, list[Any]] = {}
        for alpha, (codes, found, below) in raw.items():
            large = found.astype(object) if most >= 1 << 62 else found
            integers = large * (self.denominator // below)
            size, signs = abs(integers), np.sign(integers)
            arrays = []
            for shift in self.shifts:
                array = np.zeros(prod((n + 1) ** (V - 1) for n in alpha))
                # Beyond 63 bits numpy shifts by nothing it knows, but then the size has no more.
                array[codes] = ((size >> shift) & mask) * signs
                arrays.append(array)
            self.limbs[alpha] = arrays

    def scale(self, alpha: Counts) -> list[list[int]]:
        """The weight of each entry in a table's number; the last column follows from the sums."""
        found, base = [], 1
        for n in alpha:
            found.append([base * (n + 1) ** v for v in range(self.V - 1)] + [0])
            base *= (n + 1) ** (self.V - 1)
        return found


def _tables(alpha: Counts, V: int) -> Integers:
    """All tables with these row sums."""
    rows = [_compositions(n, V)[0] for n in alpha]
    chosen = np.indices([len(row) for row in rows]).reshape(len(rows), -1)
    return np.stack([row[k] for row, k in zip(rows, chosen, strict=True)], axis=1)


def _block(
    shape: Partition,
    V: int,
    contents: list[Contents],
    values: _Limbs,
    report: Report,
) -> Any:
    functions = [_bideterminant(tableau, V) for tableau in shape.semistandard_tableaux(V)]
    # Row contents as numbers, again linear.
    weights, base = [], 1
    for part in shape.parts:
        weights.append([base * (part + 1) ** v for v in range(V - 1)] + [0])
        base *= (part + 1) ** (V - 1)
    support = sorted({_code(b, weights) for f in functions for b in f})
    place = {number: k for k, number in enumerate(support)}
    size = len(contents)
    coefficients = flint.fmpz_mat(len(support), size)
    for column, f in enumerate(functions):
        for b, c in f.items():
            factor = prod(factorial(n) for row in b for n in row)
            coefficients[place[_code(b, weights)], column] = c * factor
    sums = []
    for a in contents:
        sums.append(_row_sums(a, values, weights, base, support))
        report(_steps(a, V))
    images = flint.fmpz_mat(sums) * coefficients
    at = [place[_code(a, weights)] for a in contents]
    gram = flint.fmpz_mat([[coefficients[row, column] for column in range(size)] for row in at])
    return flint.fmpq_mat(gram).solve(flint.fmpq_mat(images)) / values.denominator


def _code(rows: Contents, weights: list[list[int]]) -> int:
    """The number of some rows of counts, linear in them."""
    return sum(sum(map(mul, row, scale)) for row, scale in zip(rows, weights, strict=True))


def _row_sums(
    a: Contents, values: _Limbs, weights: list[list[int]], size: int, support: list[int]
) -> list[int]:
    """For each row contents b: the sum of k(x, y) over the words y with them, x with contents a."""
    alpha = tuple(map(sum, zip(*a, strict=True)))
    scale = values.scale(alpha)
    table = np.zeros(1, dtype=np.int64)
    target = np.zeros(1, dtype=np.int64)
    count = np.ones(1)
    for row, row_weights in zip(a, weights, strict=True):
        for u, n in enumerate(row):
            if not n:
                continue
            parts, ways = _compositions(n, values.V)
            table = np.add.outer(table, parts @ np.array(scale[u])).ravel()
            target = np.add.outer(target, parts @ np.array(row_weights)).ravel()
            count = np.multiply.outer(count, ways).ravel()
    totals = [0] * len(support)
    for shift, array in zip(values.shifts, values.limbs[alpha], strict=True):
        found = np.bincount(target, weights=count * array[table], minlength=size)[support]
        for k, x in enumerate(found.tolist()):
            totals[k] += int(x) << shift
    return totals


@lru_cache(maxsize=1024)
def _compositions(n: int, V: int) -> tuple[Any, Any]:
    """All ways to split n among V tokens, and the number of words of each."""
    listed = list(compositions(n, V))
    return (
        np.array(listed, dtype=np.int64),
        np.array([number_of_words(c) for c in listed], dtype=np.float64),
    )


def _bideterminant(tableau: Any, V: int) -> dict[Contents, int]:
    """The coefficients c_T(b): columns of T permuted, with signs, gathered by row contents."""
    rows = tableau.rows
    found: dict[Contents, int] = {tuple((0,) * V for _ in rows): 1}
    for j in range(len(rows[0]) if rows else 0):
        column = [row[j] - 1 for row in rows if j < len(row)]
        grown: dict[Contents, int] = {}
        for order, sign in _signed(len(column)):
            for b, c in found.items():
                moved = list(b)
                for letter, row in zip(column, order, strict=True):
                    old = moved[row]
                    moved[row] = (*old[:letter], old[letter] + 1, *old[letter + 1 :])
                key = tuple(moved)
                grown[key] = grown.get(key, 0) + sign * c
        found = {b: c for b, c in grown.items() if c}
    return found


@lru_cache(maxsize=32)
def _signed(n: int) -> tuple[tuple[tuple[int, ...], int], ...]:
    """All permutations of 0, ..., n - 1 with their signs."""
    return tuple(
        (order, (-1) ** sum(a > b for a, b in itertools.combinations(order, 2)))
        for order in itertools.permutations(range(n))
    )
