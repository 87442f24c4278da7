"""Products of irreducibles: Kostka numbers, Pieri, Littlewood-Richardson, Kronecker.

Results are dictionaries from partitions to positive multiplicities, in the order of
`partitions(n)`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence

from symbench._arguments import integer, integers
from symbench.errors import BadValue
from symbench.exact.arrays import Integers
from symbench.young import bulk
from symbench.young.characters import ClassFunction
from symbench.young.partition import (
    Multiplicities,
    Partition,
    Parts,
    as_partition,
    conjugate,
    same_size,
    trusted,
)


def kostka(shape: Partition, weight: Sequence[int] | Partition) -> int:
    """The number of semistandard tableaux of a shape and a weight: multiplicity in M^mu.

    >>> kostka(Partition(3, 2), Partition(2, 2, 1)), kostka(Partition(3, 2), [1, 2, 2])
    (2, 2)
    """
    lam = as_partition(shape, "shape")
    mu = weight.parts if isinstance(weight, Partition) else integers(weight, "weight", at_least=0)
    if sum(mu) != lam.size:
        raise BadValue(
            f"the weight {mu} has size {sum(mu)}: give one of the size {lam.size} of {lam!r}"
        )
    states = Counter({lam.parts: 1})
    for part in sorted(mu, reverse=True):
        grown: Counter[Parts] = Counter()
        for parts, count in states.items():
            for smaller in _strips_removed(parts, part):
                grown[smaller] += count
        states = grown
    return states[()]


def kostka_table(n: int) -> Integers:
    """All Kostka numbers as a read-only numpy array, rows (shapes) and columns as partitions(n).

    >>> kostka_table(3).tolist()
    [[1, 1, 1], [0, 1, 2], [0, 0, 1]]
    """
    n = integer(n, "n", at_least=0)
    bulk.check_table(n, "Kostka table", "ask for single numbers: kostka(shape, weight)")
    return bulk.table(n, bulk.horizontal_strip_step)


def pieri(shape: Partition, size: int, *, vertical: bool = False) -> Multiplicities:
    """The product with a row of `size` cells (or a column): one shape per strip added.

    >>> list(pieri(Partition(2, 1), 2))
    [Partition(4, 1), Partition(3, 2), Partition(3, 1, 1), Partition(2, 2, 1)]
    >>> list(pieri(Partition(2), 2, vertical=True))
    [Partition(3, 1), Partition(2, 1, 1)]
    """
    lam, size = as_partition(shape, "shape"), integer(size, "size", at_least=0)
    parts = lam.conjugate.parts if vertical else lam.parts
    found = (conjugate(p) if vertical else p for p in _strips_added(parts, size))
    return {trusted(p): 1 for p in sorted(found, reverse=True)}


def _strips_removed(parts: Parts, size: int) -> Iterator[Parts]:
    """The shapes left after removing a horizontal strip of the size."""
    if not parts:
        if size == 0:
            yield ()
        return
    # The rows below can give at most their first row; the rest must come from this one.
    below = parts[1] if len(parts) > 1 else 0
    for take in range(max(0, size - below), min(size, parts[0] - below) + 1):
        for rest in _strips_removed(parts[1:], size - take):
            yield (parts[0] - take, *rest) if parts[0] > take else ()


def _inside(bound: Parts, size: int) -> list[Parts]:
    """The partitions of a size inside a diagram, largest first."""

    def grow(row: int, left: int, longest: int) -> Iterator[Parts]:
        if left == 0:
            yield ()
        elif row < len(bound):
            for part in range(min(left, longest, bound[row]), 0, -1):
                for rest in grow(row + 1, left - part, part):
                    yield (part, *rest)

    return list(grow(0, size, size))


def _strips_added(parts: Parts, size: int) -> list[Parts]:
    """The shapes from adding a horizontal strip of the size."""
    found: list[Parts] = []
    # Row i may grow up to the old length of row i - 1; the first takes what is left.
    room = [high - low for high, low in zip(parts, (*parts[1:], 0), strict=False)]
    for grown in itertools.product(*(range(min(r, size) + 1) for r in room)):
        first = size - sum(grown)
        if first >= 0:
            more = (first, *grown)
            new = tuple(a + b for a, b in zip((*parts, 0), more, strict=True))
            found.append(new if new[-1] else new[:-1])
    return found


def littlewood_richardson(first: Partition, second: Partition) -> Multiplicities:
    """The product of two Schur functions: the representation induced from S_a x S_b.

    >>> product = littlewood_richardson(Partition(2, 1), Partition(2, 1))
    >>> product[Partition(3, 2, 1)], len(product)
    (2, 7)
    """
    mu, nu = as_partition(first, "first"), as_partition(second, "second")
    if mu.size < nu.size:
        mu, nu = nu, mu
    return {trusted(p): c for p, c in sorted(_product(mu.parts, nu.parts).items(), reverse=True)}


def littlewood_richardson_coefficient(outer: Partition, first: Partition, second: Partition) -> int:
    """The multiplicity of one shape in the product of two others.

    >>> from symbench.young import littlewood_richardson_coefficient as coefficient
    >>> coefficient(Partition(3, 2, 1), Partition(2, 1), Partition(2, 1))
    2
    """
    lam = as_partition(outer, "outer")
    mu, nu = as_partition(first, "first"), as_partition(second, "second")
    if lam.size != mu.size + nu.size:
        raise BadValue(
            f"the outer shape has size {lam.size}: give one of size {mu.size} + {nu.size}"
        )
    return _product(mu.parts, nu.parts, lam.parts).get(lam.parts, 0)


def _product(mu: Parts, nu: Parts, inside: Parts | None = None) -> dict[Parts, int]:
    """Letter by letter: the strip of letter k + 1 obeys the lattice rule against that of k.

    Only the rows of the last strip matter for the next, so equal states are counted together.
    """
    states: dict[tuple[Parts, Parts], int] = {(mu, ()): 1}
    for letter, count in enumerate(nu):
        grown: dict[tuple[Parts, Parts], int] = {}
        for (shape, last), times in states.items():
            for new, strip in _lattice_strips(shape, last, count, letter, inside):
                key = (new, strip if letter + 1 < len(nu) else ())
                grown[key] = grown.get(key, 0) + times
        states = grown
    result: dict[Parts, int] = {}
    for (shape, _), times in states.items():
        result[shape] = result.get(shape, 0) + times
    return result


def _lattice_strips(
    shape: Parts, last: Parts, count: int, letter: int, inside: Parts | None
) -> list[tuple[Parts, Parts]]:
    rows = len(shape) + 1
    found: list[tuple[Parts, Parts]] = []
    chosen = [0] * rows

    def place(row: int, left: int, ahead: int) -> None:
        # ahead: how many more of the previous letter than of this one stand above this row.
        if left == 0 or row == rows:
            if left == 0:
                new = tuple((shape[i] if i < len(shape) else 0) + chosen[i] for i in range(rows))
                found.append((new if new[-1] else new[:-1], tuple(chosen)))
            return
        here = shape[row] if row < len(shape) else 0
        room = left if row == 0 else min(left, shape[row - 1] - here)
        if inside is not None:
            room = min(room, (inside[row] if row < len(inside) else 0) - here)
        if letter:
            room = min(room, ahead)
        gained = last[row] if row < len(last) else 0
        for take in range(room + 1):
            chosen[row] = take
            place(row + 1, left - take, ahead - take + gained)
        chosen[row] = 0

    place(0, count, 0)
    return found


def restriction(shape: Partition, first: int) -> dict[tuple[Partition, Partition], int]:
    """The restriction to S_a x S_(n-a), with a given: pairs of shapes and multiplicities.

    >>> restriction(Partition(2, 1), 2)
    {(Partition(2), Partition(1)): 1, (Partition(1, 1), Partition(1)): 1}
    """
    lam = as_partition(shape, "shape")
    first = integer(first, "first", at_least=0, at_most=lam.size)
    found: dict[tuple[Partition, Partition], int] = {}
    for mu in _inside(lam.parts, first):
        for nu in _inside(lam.parts, lam.size - first):
            count = _product(mu, nu, lam.parts).get(lam.parts, 0)
            if count:
                found[trusted(mu), trusted(nu)] = count
    return found


def kronecker(first: Partition, second: Partition) -> Multiplicities:
    """The tensor product of two irreducibles of one S_n.

    >>> kronecker(Partition(2, 1), Partition(2, 1))
    {Partition(3): 1, Partition(2, 1): 1, Partition(1, 1, 1): 1}
    """
    mu, nu = as_partition(first, "first"), as_partition(second, "second")
    same_size(mu, nu)
    return (ClassFunction.irreducible(mu) * ClassFunction.irreducible(nu)).decompose()


def kronecker_coefficient(first: Partition, second: Partition, third: Partition) -> int:
    """The multiplicity of the third irreducible in the tensor product of the others.

    >>> kronecker_coefficient(Partition(3, 2, 1), Partition(3, 2, 1), Partition(3, 2, 1))
    5
    """
    shapes = [as_partition(s, "a shape") for s in (first, second, third)]
    same_size(shapes[0], shapes[1])
    same_size(shapes[0], shapes[2])
    mu, nu, lam = map(ClassFunction.irreducible, shapes)
    return int((mu * nu).inner(lam))
