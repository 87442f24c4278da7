"""The search for the certificates of `symbench.ktau.certificates`: random integer points."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from symbench.errors import BadType, NotSupported, TooLarge, Undecided
from symbench.exact import ZZ, Matrix
from symbench.exact.primes import witness_primes
from symbench.exact.rational import shown
from symbench.kernels.base import check_templates
from symbench.ktau.certificates import ModularPoints, OnePoint
from symbench.ktau.patterns import Patterns, canonical_row

if TYPE_CHECKING:
    from symbench.words import Template

_MOST_TOKENS = 100_000
# Exponents must not wrap in 64 bits: (length * 2^bits)^2 and the token terms stay below 2^62.
_BITS = (3, 6, 9, 12, 15, 18, 21, 24)


def patterns(templates: Sequence[Template]) -> Patterns:
    """The templates as plain data.

    >>> from symbench.words import Template
    >>> patterns([Template("ααS"), Template("αβS")])
    Patterns(rows=((-1, -1, 0), (-1, -2, 0)))
    """
    numbers: dict[str, int] = {}
    rows = []
    for z in check_templates(templates):
        names = {wildcard: -1 - n for n, wildcard in enumerate(z.wildcards)}
        rows.append(
            tuple(
                names[a] if a in names else numbers.setdefault(a, len(numbers)) for a in z.letters
            )
        )
    return Patterns(tuple(rows))


def _table(subject: Patterns) -> tuple[Any, int]:
    """The rows as an array, wildcards numbered from -1 on, and the number of tokens."""
    import numpy as np

    if not isinstance(subject, Patterns) or not subject.rows:
        raise BadType(f"{shown(subject)} is no Patterns with rows: patterns(templates) makes one")
    tokens = max(max(row) for row in subject.rows) + 1
    if tokens > _MOST_TOKENS:
        raise TooLarge(f"a point for {tokens} tokens: number them 0, 1, ... as patterns() does")
    return np.array([canonical_row(row) for row in subject.rows], dtype=np.int64), tokens


def _point(stream: random.Random, length: int, tokens: int, bits: int) -> tuple[int, ...]:
    """Random xi with sum zero, followed by y."""
    top = 1 << bits
    xi = [stream.randrange(-top, top + 1) for _ in range(length - 1)]
    return (*xi, -sum(xi), *(stream.randrange(-top, top + 1) for _ in range(tokens)))


def one_point(subject: Patterns, *, seed: int = 0) -> OnePoint:
    """A point at which all exponents differ; small numbers are tried first."""
    xi, y = separating_point(subject, seed=seed)
    return OnePoint(xi=xi, y=y, subject=subject)


def separating_point(
    subject: Patterns, *, seed: int = 0
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers xi and y of a point that tells all templates apart.

    >>> xi, y = separating_point(Patterns(((-1, -1), (-1, -2), (0, 0))))
    >>> sum(xi), len(y)
    (0, 1)
    """
    import numpy as np

    table, tokens = _table(subject)
    stream, length = random.Random(seed), table.shape[1]
    # Templates with one letter throughout have the exponent 0 at every point.
    wanted = len(table) - max(0, len(subject.constants) - 1)
    if len(set(subject.constants)) < len(subject.constants):
        raise Undecided("no point found: two of the templates are equivalent")
    for bits in _BITS:
        for _ in range(4):
            point = _point(stream, length, tokens, bits)
            if type(subject) is Patterns:
                apart = len(np.unique(_exponents(table, point, tokens))) == wanted
            else:
                apart = subject.separated_at(point[:length], point[length:])
            if apart:
                return point[:length], point[length:]
    raise Undecided("no point found: two of the templates are equivalent, or there are too many")


def _exponents(table: Any, point: tuple[int, ...], tokens: int) -> Any:
    """The exponents of all templates at a point, vectorised."""
    import numpy as np

    count, length = table.shape
    rows = np.arange(count)
    # One column per letter: tokens first, then wildcards (-1 is the last column).
    sums = np.zeros((count, tokens + length), dtype=np.int64)
    for a in range(length):
        np.add.at(sums, (rows, table[:, a]), point[a])
    by_token = sums[:, :tokens] @ np.array(point[length:], dtype=np.int64)
    return 2 * by_token + (sums[:, tokens:] ** 2).sum(axis=1)


def modular_points(subject: Patterns, *, seed: int = 0) -> ModularPoints:
    """Points, a base and a prime for which the determinant is not zero."""
    table, tokens = _table(subject)
    if type(subject) is not Patterns or len(subject.constants) > 1:
        raise NotSupported(
            "exponents alone do not tell templates with one letter throughout apart, nor those of "
            "kernel (23) that end differently: take the road 'one-point'"
        )
    import flint
    import numpy as np

    stream = random.Random(seed)
    size, length = table.shape
    for prime, _ in zip(witness_primes(), range(4), strict=False):
        base = stream.randrange(2, prime)
        points = [_point(stream, length, tokens, 9) for _ in range(size)]
        exponents = np.array([_exponents(table, p, tokens) for p in points])
        values = _powers(base, exponents % (prime - 1), prime)
        residue = int(flint.nmod_mat(size, size, values.ravel().tolist(), prime).det())
        if residue:
            return ModularPoints(
                prime=prime,
                base=base,
                points=Matrix(points, ZZ),
                residue=residue,
                subject=subject,
            )
    raise Undecided("the determinant vanished four times: two of the templates are equivalent")


def _powers(base: int, exponents: Any, prime: int) -> Any:
    """base ** exponents modulo a 31-bit prime, by squaring, all entries at once."""
    import numpy as np

    result = np.ones_like(exponents)
    left, square = exponents.copy(), base
    while left.any():
        result = np.where(left & 1, result * square % prime, result)
        square = square * square % prime
        left >>= 1
    return result
