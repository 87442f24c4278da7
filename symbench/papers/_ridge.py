"""Second road for template tasks: kernels on strings by their definitions, and dense regression.

Nothing here calls the library's kernels, templates or regression. A template is a text whose Greek
letters are wildcards, a string a tuple of tokens.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import isqrt
from typing import Any

import flint

from symbench.papers._by_hand import Q, fraction, linear_attention_value, rational

String = Sequence[Hashable]
NAMES = ("incidence", "squared", "flatten", "agreement")


def value(name: str, x: String, y: String) -> int:
    """A kernel by name, from its definition."""
    agree = sum(s == t for s, t in zip(x, y, strict=True))
    if name == "agreement":
        return agree
    if name in ("incidence", "squared"):
        size = range(len(x))
        both = agree + sum(x[a] == x[b] and y[a] == y[b] for a in size for b in size)
        return both if name == "incidence" else both**2
    found: int = linear_attention_value(tuple(x), tuple(y), 1, 1, name)  # type: ignore[arg-type]
    return found


def is_wild(letter: Hashable) -> bool:
    """Greek letters are wildcards."""
    return isinstance(letter, str) and "α" <= letter <= "ω"


def regular(templates: Iterable[str]) -> set[str]:
    """The tokens of some templates that are no wildcards."""
    return {letter for z in templates for letter in z if not is_wild(letter)}


def renewed(x: String, kept: set[Any], mark: Hashable) -> tuple[Hashable, ...]:
    """The string with all tokens but some replaced by new ones, equal ones by equal ones."""
    return tuple(letter if letter in kept else (mark, letter) for letter in x)


def matches(x: String, z: str) -> bool:
    """Whether a string is the template with different new tokens for its wildcards."""
    put: dict[str, Hashable] = {}
    for letter, token in zip(z, x, strict=True):
        if is_wild(letter):
            put.setdefault(letter, token)
        if token != (put[letter] if is_wild(letter) else letter):
            return False
    fixed = regular([z])
    return len({*put.values()}) == len(put) and not fixed & {*put.values()}


def table(name: str, left: Sequence[String], right: Sequence[String]) -> flint.fmpq_mat:
    """The kernel at all pairs."""
    return flint.fmpq_mat([[Q(value(name, x, y)) for y in right] for x in left])


def template_part(
    name: str, left: Sequence[String], right: Sequence[String], kept: set[str]
) -> flint.fmpq_mat:
    """The kernel at all pairs, after each pair was given tokens of its own on either side."""
    new = [[renewed(x, kept, side) for x in strings] for side, strings in enumerate((left, right))]
    return table(name, *new)


def template_matrix(name: str, templates: Sequence[str]) -> flint.fmpq_mat:
    """N between the templates."""
    return template_part(name, templates, templates, regular(templates))


def weights(name: str, strings: Sequence[String], x: String, ridge: Fraction) -> list[Q]:
    """(K + ridge)^-1 k(x), with the whole kernel matrix."""
    K = table(name, strings, strings)
    for i in range(len(strings)):
        K[i, i] += rational(ridge)
    found = K.solve(table(name, strings, [x]))
    return [found[i, 0] for i in range(len(strings))]


def prediction(
    name: str, strings: Sequence[String], labels: Sequence[Fraction], x: String, ridge: Fraction
) -> Fraction:
    """What ridge regression predicts at a string."""
    pairs = zip(labels, weights(name, strings, x, ridge), strict=True)
    return fraction(sum((rational(y) * a for y, a in pairs), Q(0)))


def is_semidefinite(matrix: flint.fmpq_mat) -> bool:
    """Whether a symmetric matrix has no negative eigenvalue: the signs of det(t + M) tell."""
    coefficients = (-matrix).charpoly().coeffs()
    return matrix == matrix.transpose() and all(c >= 0 for c in coefficients)


def fresh_strings(templates: Sequence[str], counts: Sequence[int]) -> list[tuple[Hashable, ...]]:
    """So many strings of each template, no two with a common token but the regular ones."""
    kept = regular(templates)
    return [
        renewed(z, kept, (i, n))
        for i, (z, count) in enumerate(zip(templates, counts, strict=True))
        for n in range(count)
    ]


def strings_over(z: str, tokens: Sequence[str]) -> list[tuple[str, ...]]:
    """All strings of a template over some tokens."""
    wild = list(dict.fromkeys(letter for letter in z if is_wild(letter)))
    found = []
    for image in permutations(tokens, len(wild)):
        put = dict(zip(wild, image, strict=True))
        found.append(tuple(put.get(letter, letter) for letter in z))
    return found


def training_sets(
    templates: Sequence[str], counts: Sequence[int], tokens: Sequence[str]
) -> Iterator[tuple[tuple[str, ...], ...]]:
    """All training sets with so many strings of each template, all equally likely."""
    every = [strings_over(z, tokens) for z in templates]
    yield from product(*(s for s, n in zip(every, counts, strict=True) for _ in range(n)))


def classes(counts: Sequence[int]) -> list[int]:
    """The template of each string of a training set."""
    return [i for i, n in enumerate(counts) for _ in range(n)]


def root_below(number: Fraction, scale: int = 10**12) -> Fraction:
    """A rational number just below the square root."""
    return Fraction(isqrt(int(number * scale * scale)), scale)


def norm_below(matrix: flint.fmpq_mat, steps: int = 60) -> Fraction:
    """A number just below the largest absolute eigenvalue of a symmetric matrix: exact.

    |M v| / |v| is below it for every v; a few multiplications make v nearly an eigenvector.
    """
    size = matrix.nrows()
    best = Fraction(0)
    for start in range(size):
        v = [Fraction(int(i == start)) + Fraction(1, 7 + i) for i in range(size)]
        for _ in range(steps):
            image = matrix * flint.fmpq_mat([[rational(x)] for x in v])
            found = [fraction(image[i, 0]) for i in range(size)]
            top = max(map(abs, found))
            if not top:
                break
            square = Fraction(sum(x * x for x in found)) / sum(x * x for x in v)
            best = max(best, root_below(square))
            # Rounded, so that numbers stay short.
            v = [Fraction(round(x / top * 2**20), 2**20) for x in found]
        if best:
            break
    return best


def rows_of(matrix: flint.fmpq_mat) -> list[list[Fraction]]:
    """The entries as Fractions."""
    return [[fraction(x) for x in row] for row in matrix.tolist()]


def mean_of(values: Iterable[Fraction]) -> Fraction:
    """The mean."""
    listed = list(values)
    return sum(listed, Fraction(0)) / len(listed)


def limit_ratio(points: Sequence[tuple[int, Fraction]], degree: int) -> Fraction | None:
    """The limit at infinity of P(n)/R(n) of this degree, from its values at 2 degree + 1 points.

    None where the values are those of no such function with a finite limit.
    """
    rows = []
    for n, v in points:
        row = [Q(n) ** k for k in range(degree + 1)]
        rows.append(row + [-rational(v) * Q(n) ** k for k in range(degree + 1)])
    null, rank = flint.fmpq_mat(rows).rref()
    pivots, used = [], 0
    for i in range(rank):
        pivots.append(next(j for j in range(used, 2 * degree + 2) if null[i, j]))
        used = pivots[-1] + 1
    free = [j for j in range(2 * degree + 2) if j not in pivots]
    if not free:
        return None
    vector = [Q(0)] * (2 * degree + 2)
    vector[free[0]] = Q(1)
    for i, j in enumerate(pivots):
        vector[j] = -null[i, free[0]]
    top, below = vector[: degree + 1], vector[degree + 1 :]
    high = max((k for k in range(degree + 1) if below[k]), default=None)
    if high is None or any(top[k] for k in range(high + 1, degree + 1)):
        return None
    return fraction(top[high] / below[high])
