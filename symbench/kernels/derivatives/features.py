"""The features of the attention kernel: one vector per string, whose products are the kernel.

Write u = X zeta + gamma p for the logits of a string and f for the attention map. Two strings share
the Gaussians zeta_rho of the tokens rho in R that both may contain, and p of the positions. In the
Hermite basis of these,

    K(x, y) = sum over components and multi-indices (mu, nu) of
              (1 / mu! nu!) E[D^mu (gamma d)^nu f_x] E[D^mu (gamma d)^nu f_y],

where d_c differentiates the logit of position c, D_rho sums d_c over the positions of rho, and the
components are S^rho (the sum of f_c over the positions of rho) and gamma f_c. The expectation of a
derivative is exp(1/2 sum_cc' Cov(u)_cc' d_c d_c') applied at zero: at every order in beta a
polynomial in the d_c, whose value is read off the derivatives of f at zero.

A derivative of order d carries beta^d, so to order n in beta only d <= n/2 is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb, factorial, prod
from typing import Any

import attrs
import flint

from symbench.draw.progress import Report, progress
from symbench.draw.views import Shown
from symbench.exact.arrays import np
from symbench.kernels.derivatives.attention_maps import AttentionMap
from symbench.kernels.derivatives.workload import (
    Workload,
    derivative_seconds,
    mixing_seconds,
    sizes,
)

Positions = tuple[int, ...]
Exponents = tuple[int, ...]


@attrs.frozen
class Layout:
    """A string as its features see it: its tokens by number, and where the shared ones stand."""

    codes: tuple[int, ...]
    shared: tuple[Positions, ...]


@attrs.frozen(eq=False, repr=False)
class Features(Shown):
    """The feature vectors of several strings, by order.

    `blocks[d, j, i, g]` has one row per string: derivatives of order d, j pairs contracted inside
    the string, i of them by position (each gives gamma^2), and g further factors of gamma. The
    entries are integers, scaled by `scale(d, j)`; products are weighted by `weights[d, g]` / d!.
    """

    base: int
    order: int
    blocks: dict[tuple[int, int, int, int], flint.fmpz_mat]
    weights: dict[tuple[int, int], list[int]]

    def __repr__(self) -> str:
        strings = next(iter(self.blocks.values())).nrows()
        return f"<features of {strings} strings to order {self.order} in beta>"

    def scale(self, d: int, j: int) -> int:
        """The common denominator of the blocks with these d and j."""
        return int(self.base ** (d + 2 * j + 1) * 2**j * factorial(j))


def features(layouts: Sequence[Layout], *, order: int, attention: AttentionMap) -> Features:
    """The features of strings of one length over the same shared tokens, to an order in beta."""
    length, shared = len(layouts[0].codes), len(layouts[0].shared)
    with progress("derivatives of attention", check_size(layouts, order)) as report:
        rows = _rows(layouts, order, attention, report)
    weights = {
        (d, g): [_weight(length, shared, d, place) for place in places]
        for d in range(order // 2 + 1)
        for g, places in _grades(length, shared, d).items()
    }
    blocks = {key: flint.fmpz_mat(table) for key, table in rows.items()}
    return Features(attention.base(length), order, blocks, weights)


def _rows(
    layouts: Sequence[Layout], order: int, attention: AttentionMap, report: Report
) -> dict[tuple[int, int, int, int], list[list[int]]]:
    """The rows of every block, string by string."""
    length, shared = len(layouts[0].codes), len(layouts[0].shared)
    rows: dict[tuple[int, int, int, int], list[list[int]]] = {}
    by_position: dict[tuple[tuple[Positions, ...], int, int], Any] = {}
    forms: dict[tuple[int, ...], _Derivatives] = {}
    for layout in layouts:
        sorting = _sorting(layout.codes)
        form = sizes(layout.codes)
        derivatives = forms.setdefault(form, _Derivatives(form, attention))
        for d, j, i in _orders(order):
            # Where all pairs are by position, the string's own tokens do not enter.
            key = (layout.shared, d, j)
            table = by_position.get(key) if i == j else None
            if table is None:
                if (d, j, i) not in derivatives.known:
                    report(derivative_seconds(form, d, j, order))
                found = derivatives.expected(d, j, i)[_sorted_monomials(sorting, d)]
                mixing = _mixing(layout.shared, length, d)
                components = _components(layout.shared, length)
                table = (mixing @ found[:, np.argsort(sorting)] @ components).ravel()
                if i == j:
                    by_position[key] = table
            for g, places in _grades(length, shared, d).items():
                rows.setdefault((d, j, i, g), []).append(table[list(places)].tolist())
            report(mixing_seconds(length, shared, d))
    return rows


def _sorting(codes: tuple[int, ...]) -> tuple[int, ...]:
    """The positions with those of the same token side by side, the most frequent token first."""
    counts = Counter(codes)
    return tuple(sorted(range(len(codes)), key=lambda c: (-counts[codes[c]], codes[c], c)))


@lru_cache(maxsize=1 << 12)
def _sorted_monomials(sorting: tuple[int, ...], d: int) -> list[int]:
    """For each monomial in the positions the place of the one in the sorted positions."""
    monomials = _monomials(len(sorting), d)
    place = {m: n for n, m in enumerate(monomials)}
    return [place[tuple(m[c] for c in sorting)] for m in monomials]


def check_size(layouts: Sequence[Layout], order: int) -> float:
    """The seconds that features take; refused if they are too many, or need too much memory."""
    kinds = [(layout.codes, len(layout.shared)) for layout in layouts]
    return Workload.check(kinds, order=order).seconds


def _orders(order: int) -> list[tuple[int, int, int]]:
    """All (d, j, i) whose features enter the kernel to an order in beta."""
    half = order // 2
    return [(d, j, i) for d in range(half + 1) for j in range(half - d + 1) for i in range(j + 1)]


def products(
    left: Features, right: Features
) -> Iterator[tuple[int, int, int, int, flint.fmpq_mat]]:
    """(d, j, beta, gamma, matrix): the contributions to [beta^b gamma^c] of the kernel.

    d pairs are contracted between the strings and j inside them, so beta = 2 (d + j).
    """
    by_grade: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for d, j, i, g in left.blocks:
        by_grade.setdefault((d, g), []).append((j, i))
    for (d, g), terms in by_grade.items():
        weighted = _scaled_columns(right, d, g, terms)
        sums: dict[tuple[int, int], flint.fmpz_mat] = {}
        for j, i in terms:
            block = left.blocks[d, j, i, g]
            for j2, i2 in terms:
                if 2 * (d + j + j2) > left.order:
                    continue
                # 1 / (j! j2!) over the common denominator (j + j2)!
                product = block * weighted[j2, i2] * comb(j + j2, j)
                place = (j + j2, i + i2)
                sums[place] = sums[place] + product if place in sums else product
        for (j, i), total in sums.items():
            scale = factorial(d) * left.scale(d, j) * right.scale(d, 0)
            yield d, j, 2 * (d + j), 2 * (g + i), flint.fmpq_mat(total) / scale


def _scaled_columns(
    right: Features, d: int, g: int, terms: list[tuple[int, int]]
) -> dict[tuple[int, int], flint.fmpz_mat]:
    """The transposed blocks, each row times its weight."""
    result = {}
    for j, i in terms:
        rows = zip(right.weights[d, g], right.blocks[d, j, i, g].transpose().table(), strict=True)
        result[j, i] = flint.fmpz_mat([[w * x for x in row] for w, row in rows])
    return result


@lru_cache(maxsize=1 << 14)
def _monomials(variables: int, degree: int) -> tuple[Exponents, ...]:
    """All exponents of a degree, in one fixed order."""
    found = []
    for choice in combinations_with_replacement(range(variables), degree):
        exponents = [0] * variables
        for variable in choice:
            exponents[variable] += 1
        found.append(tuple(exponents))
    return tuple(found)


@lru_cache(maxsize=1 << 14)
def _grades(length: int, shared: int, d: int) -> dict[int, tuple[int, ...]]:
    """The places of the flattened table (multi-index, component) by their power of gamma.

    Variables and components alike are the shared tokens first, then the positions; each
    position brings a factor gamma.
    """
    found: dict[int, list[int]] = {}
    width = shared + length
    for row, exponents in enumerate(_monomials(width, d)):
        by_position = sum(exponents[shared:])
        for column in range(width):
            grade = by_position + (column >= shared)
            found.setdefault(grade, []).append(row * width + column)
    return {grade: tuple(places) for grade, places in found.items()}


def _weight(length: int, shared: int, d: int, place: int) -> int:
    """d! / (mu! nu!) of the multi-index at a place of the flattened table."""
    exponents = _monomials(shared + length, d)[place // (shared + length)]
    return factorial(d) // prod(map(factorial, exponents))


@lru_cache(maxsize=1 << 14)
def _components(places: tuple[Positions, ...], length: int) -> Any:
    """The matrix that maps (f_c) to the components: sums over shared tokens, and itself."""
    matrix = np.zeros((length, len(places) + length), dtype=object)
    for column, positions in enumerate((*places, *((c,) for c in range(length)))):
        matrix[list(positions), column] = 1
    return matrix


@lru_cache(maxsize=1 << 14)
def _mixing(places: tuple[Positions, ...], length: int, d: int) -> Any:
    """The matrix that expands D^mu d^nu, of degree d, in the monomials of the d_c."""
    shared = len(places)
    place = {m: n for n, m in enumerate(_monomials(length, d))}
    rows = _monomials(shared + length, d)
    matrix = np.zeros((len(rows), len(place)), dtype=object)
    for n, exponents in enumerate(rows):
        expansion = {exponents[shared:]: 1}
        for positions, power in zip(places, exponents, strict=False):
            for _ in range(power):
                expansion = _times_sum(expansion, positions)
        for m, coefficient in expansion.items():
            matrix[n, place[m]] = coefficient
    return matrix


def _times_sum(polynomial: dict[Exponents, int], positions: Positions) -> dict[Exponents, int]:
    """A polynomial times the sum of the variables at the positions."""
    result: dict[Exponents, int] = {}
    for exponents, coefficient in polynomial.items():
        for c in positions:
            raised = (*exponents[:c], exponents[c] + 1, *exponents[c + 1 :])
            result[raised] = result.get(raised, 0) + coefficient
    return result


class _Derivatives:
    """The expected derivatives of the attention map for a string whose tokens stand in blocks.

    The map treats all positions alike. So strings whose tokens occur equally often have the same
    derivatives but for the order of the positions, and one of them is enough.
    """

    def __init__(self, sizes: tuple[int, ...], attention: AttentionMap) -> None:
        codes = [token for token, size in enumerate(sizes) for _ in range(size)]
        self._length = len(codes)
        self._attention = attention
        self.known: dict[tuple[int, int, int], Any] = {}
        ring = flint.fmpz_mpoly_ctx.get([f"s{c}" for c in range(self._length)])
        gens = ring.gens()
        zero = ring.constant(0)
        sums = dict.fromkeys(codes, zero)
        for token, s in zip(codes, gens, strict=True):
            sums[token] += s
        self._by_token = sum((total**2 for total in sums.values()), zero)
        self._by_position = sum((s**2 for s in gens), zero)
        self._types: dict[bytes, dict[int, int]] = {}

    def expected(self, d: int, j: int, i: int) -> Any:
        """The table (monomial of degree d, coordinate): j inner pairs, i of them by position.

        The entry is C(j, i) W^(j-i) D^i times the monomial, applied to the coordinate at zero;
        (W + gamma^2 D)^j / (2^j j!) is the j-th term of the exponential.
        """
        if (d, j, i) not in self.known:
            self.known[d, j, i] = self._expected(d, j, i)
        return self.known[d, j, i]

    def _expected(self, d: int, j: int, i: int) -> Any:
        polynomial = comb(j, i) * self._by_token ** (j - i) * self._by_position**i
        exponents = np.array(polynomial.monoms(), dtype=np.int8).reshape(-1, self._length)
        coefficients = [int(c) for c in polynomial.coeffs()]
        rows = [
            self._apply(exponents + np.array(m, dtype=np.int8), coefficients)
            for m in _monomials(self._length, d)
        ]
        return np.array(rows, dtype=object).reshape(len(rows), self._length)

    def _apply(self, exponents: Any, coefficients: list[int]) -> Any:
        """The polynomial with these terms, applied to each coordinate of the map at zero."""
        # The value depends on the sorted exponents (the kind) and on the coordinate's own.
        ordered = np.ascontiguousarray(-np.sort(-exponents, axis=1))
        kinds, kind_of = np.unique(ordered.view(f"V{self._length}").ravel(), return_inverse=True)
        values = [self._values(bytes(kind)) for kind in kinds]
        largest = max((abs(v) for row in values for v in row.values()), default=0)
        small = largest * sum(map(abs, coefficients)) < 1 << 62
        table = np.zeros(
            (len(kinds), 1 + int(exponents.max(initial=0))), np.int64 if small else object
        )
        for n, row in enumerate(values):
            for own, value in row.items():
                table[n, own] = value
        return np.array(coefficients, table.dtype) @ table[kind_of.reshape(-1, 1), exponents]

    def _values(self, kind: bytes) -> dict[int, int]:
        """The derivatives for sorted exponents, by the coordinate's own exponent."""
        if kind not in self._types:
            found = self._types[kind] = {}
            for own in set(kind):
                others = list(kind)
                others.remove(own)
                rest = tuple(e for e in others if e)
                found[own] = self._attention.derivative(self._length, own, rest)
        return self._types[kind]
