"""The search for certificates about K_tau of softmax attention: random integer points."""

from __future__ import annotations

import random
from typing import Any

from symbench._arguments import instance
from symbench.certificates import ModularPoints, OnePoint, Templates
from symbench.errors import NotSupported, TooLarge, Undecided
from symbench.exact import ZZ, Matrix
from symbench.exact.arrays import np
from symbench.exact.primes import witness_primes

_MOST_TOKENS = 100_000
# Exponents must not wrap in 64 bits: (length * 2^bits)^2 and the token terms stay below 2^62.
_BITS = (3, 6, 9, 12, 15, 18, 21, 24)


def _table(subject: Templates) -> tuple[Any, int]:
    """The rows as an array, wildcards numbered from -1 on, and the number of tokens."""
    instance(subject, Templates, "the subject", "plain_templates(templates)")
    tokens = len(subject.tokens)
    if tokens > _MOST_TOKENS:
        raise TooLarge(f"the number of tokens is {tokens:,}: ask for at most {_MOST_TOKENS:,}")
    return np.array(subject.numbers, dtype=np.int64), tokens


def _point(stream: random.Random, length: int, tokens: int, bits: int) -> tuple[int, ...]:
    """Random xi with sum zero, followed by y."""
    top = 1 << bits
    xi = [stream.randrange(-top, top + 1) for _ in range(length - 1)]
    return (*xi, -sum(xi), *(stream.randrange(-top, top + 1) for _ in range(tokens)))


def one_point(subject: Templates, *, seed: int = 0) -> OnePoint:
    """A point at which all exponents differ; small numbers are tried first."""
    xi, y = separating_point(subject, seed=seed)
    return OnePoint(xi=xi, y=y, subject=subject)


def separating_point(
    subject: Templates, *, seed: int = 0, distinct: bool = False
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The numbers xi and y of a point that tells all templates apart, or all distinct ones.

    >>> xi, y = separating_point(Templates.from_numbers(((-1, -1), (-1, -2), (0, 0))))
    >>> sum(xi), len(y)
    (0, 1)
    """
    table, tokens = _table(subject)
    constants = subject.constants
    if distinct:
        table, constants = np.unique(table, axis=0), tuple(set(constants))
    stream, length = random.Random(seed), table.shape[1]
    if len(set(constants)) < len(constants):
        raise Undecided("no point found: two of the templates are equivalent")
    # Templates with one letter throughout have the exponent 0 at every point.
    wanted = len(table) - max(0, len(constants) - 1)
    for bits in _BITS:
        for _ in range(4):
            point = _point(stream, length, tokens, bits)
            if subject.reads_end:
                apart = subject.separated_at(point[:length], point[length:], distinct=distinct)
            else:
                apart = len(np.unique(_exponents(table, point, tokens))) == wanted
            if apart:
                return point[:length], point[length:]
    raise Undecided("no point found: two of the templates are equivalent, or there are too many")


def _exponents(table: Any, point: tuple[int, ...], tokens: int) -> Any:
    """The exponents of all templates at a point, vectorised."""
    count, length = table.shape
    rows = np.arange(count)
    # One column per letter: tokens first, then wildcards (-1 is the last column).
    sums = np.zeros((count, tokens + length), dtype=np.int64)
    for a in range(length):
        np.add.at(sums, (rows, table[:, a]), point[a])
    by_token = sums[:, :tokens] @ np.array(point[length:], dtype=np.int64)
    return 2 * by_token + (sums[:, tokens:] ** 2).sum(axis=1)


def modular_points(subject: Templates, *, seed: int = 0) -> ModularPoints:
    """Points, a base and a prime for which the determinant is not zero."""
    table, tokens = _table(subject)
    if subject.reads_end or len(subject.constants) > 1:
        raise NotSupported(
            "exponents alone do not tell templates with one letter throughout apart, nor those of "
            "kernel (23) that end differently: take the algorithm 'one-point'"
        )
    import flint

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
    result = np.ones_like(exponents)
    left, square = exponents.copy(), base
    while left.any():
        result = np.where(left & 1, result * square % prime, result)
        square = square * square % prime
        left >>= 1
    return result
