"""Isotypic projectors on the functions of an action, exactly and without the group algebra.

The power sums of the Jucys-Murphy elements are central; on S^lambda the k-th is the sum of the
k-th powers of the contents, and contents tell partitions apart. So the projector is a product
of factors (z - e') / (e - e'), one per irreducible to be killed. It is computed modulo word-size
primes; n!/dim times it is an integer matrix whose entries are at most n!/dim, so the primes
needed are known beforehand and the result is proved.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import count
from math import factorial, lcm
from typing import Any

from symbench._arguments import sequence
from symbench.errors import BadShape, BadValue, TooLarge
from symbench.exact import Matrix
from symbench.exact.arrays import np
from symbench.exact.primes import witness_primes
from symbench.exact.rational import exact_number
from symbench.young.action import Action, as_action
from symbench.young.matrices import rational_matrix
from symbench.young.partition import Partition, as_partition

SMALL = 4000


def isotypic_projector(action: Action, shape: Partition) -> Matrix:
    """The projector to all copies of one irreducible in the functions on the points.

    >>> isotypic_projector(Action.subsets(3, 1), Partition(3)).rows[0]
    (1/3, 1/3, 1/3)
    """
    lam = _shape(action, shape)
    size = action.size
    if size > SMALL:
        raise TooLarge(
            f"the projector on {action!r} has {size} x {size} entries: ask for the projection of "
            "single vectors: project(action, shape, vector)"
        )
    scale = factorial(action.degree) // lam.dim
    orbits = action.orbits()
    start = np.zeros((size, len(orbits)), dtype=np.int64)
    for column, orbit in enumerate(orbits):
        start[orbit[0], column] = scale
    columns = _filtered(action, lam, start, 2 * scale + 1)
    full = np.zeros((size, size), dtype=columns.dtype)
    for column, orbit in enumerate(orbits):
        # The projector commutes with the group: other columns are the first one, moved.
        full[:, orbit[0]] = columns[:, column]
        known, waiting = {orbit[0]}, [orbit[0]]
        while waiting:
            y = waiting.pop()
            for table in action.generators:
                z = int(table[y])
                if z not in known:
                    full[:, z] = full[table, y]
                    known.add(z)
                    waiting.append(z)
    return rational_matrix(full, scale)


def project(action: Action, shape: Partition, vector: Sequence[Any]) -> tuple[Fraction, ...]:
    """The part of a function on the points that lies in the copies of one irreducible.

    >>> [str(v) for v in project(Action.subsets(3, 1), Partition(2, 1), [1, 0, 0])]
    ['2/3', '-1/3', '-1/3']
    """
    lam = _shape(action, shape)
    values = [Fraction(exact_number(v)) for v in sequence(vector, "vector")]
    if len(values) != action.size:
        raise BadShape(
            f"the vector has length {len(values)}: give one on the {action.size} points of "
            f"{action!r}"
        )
    common = lcm(*(v.denominator for v in values))
    scale = factorial(action.degree) // lam.dim
    integers = [int(v * common) * scale for v in values]
    bound = 2 * sum(map(abs, integers)) + 1
    column = np.array(integers, dtype=object)[:, None]
    found = _filtered(action, lam, column, bound)[:, 0]
    return tuple(Fraction(int(v), scale * common) for v in found)


def _shape(action: object, shape: object) -> Partition:
    action = as_action(action)
    lam = as_partition(shape, "shape")
    if lam.size != action.degree:
        raise BadValue(f"the shape is {lam!r}: give a partition of {action.degree}")
    return lam


def _filtered(action: Action, shape: Partition, start: Any, bound: int) -> Any:
    """The projection of integer columns whose image is known to be integral, |.| < bound / 2."""
    others = action.decompose()
    if not others.pop(shape, 0):
        return np.zeros(start.shape, dtype=np.int64)
    steps = []
    for other in others:
        k = next(k for k in count(1) if _power_sum(other, k) != _power_sum(shape, k))
        steps.append((k, _power_sum(other, k), _power_sum(shape, k)))
    moves = action.transpositions()
    modulus, total = 1, np.zeros(start.shape, dtype=object)
    primes = witness_primes()
    while modulus < bound:
        prime = next(primes)
        if any((e - unwanted) % prime == 0 for _, unwanted, e in steps):
            continue
        values = (start % prime).astype(np.int64)
        for k, unwanted, e in steps:
            image = _central(action.degree, moves, values, k, prime)
            factor = pow(e - unwanted, -1, prime)
            values = (image - unwanted * values) % prime * factor % prime
        # Chinese remainders, kept symmetric around zero at the end.
        gain = (values - total) * pow(modulus, -1, prime) % prime
        total = total + gain * modulus
        modulus *= prime
    total = np.where(total > modulus // 2, total - modulus, total)
    return total.astype(np.int64) if bound < 2**62 else total


def _central(degree: int, moves: Any, values: Any, power: int, prime: int) -> Any:
    """The sum over k of the power of X_k, applied to columns modulo a prime."""
    total = np.zeros_like(values)
    for k in range(2, degree + 1):
        image = values
        for _ in range(power):
            # At most degree residues below 2^31 are added: no overflow.
            image = sum(image[moves[i, k]] for i in range(1, k)) % prime
        total = (total + image) % prime
    return total


def _power_sum(shape: Partition, k: int) -> int:
    return sum(c**k for row in shape.contents for c in row)
