"""Class functions of S_n: sums, products, inner products, decomposition into irreducibles."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import factorial
from typing import Any

import attrs

from symbench.errors import BadShape, BadType, BadValue
from symbench.young._check import exact, integer, sequence
from symbench.young.characters import CharacterTable
from symbench.young.enumeration import partitions
from symbench.young.partition import Partition, as_partition

Number = int | Fraction


@attrs.frozen(init=False)
class ClassFunction:
    """A function on the conjugacy classes of S_n; values in the order of `partitions(n)`.

    Products are pointwise: the tensor product of representations.

    >>> fixed = ClassFunction.of(4, lambda mu: mu.multiplicities.get(1, 0))
    >>> fixed.decompose()
    {Partition(4): 1, Partition(3, 1): 1}
    >>> (fixed * fixed).inner(fixed)
    5
    """

    n: int
    values: tuple[Number, ...]

    def __init__(self, n: int, values: Sequence[Number]) -> None:
        n = integer(n, "n", minimum=0)
        found = [exact(value, "a value") for value in sequence(values, "values")]
        if len(found) != partitions(n).count:
            raise BadShape(
                f"{len(found)} values for the {partitions(n).count} classes of S_{n}: "
                "expected one per partition, in the order of partitions(n)"
            )
        plain = tuple(int(v) if v.denominator == 1 else v for v in found)
        object.__setattr__(self, "n", n)
        object.__setattr__(self, "values", plain)

    @classmethod
    def of(cls, n: int, function: Callable[[Partition], Number]) -> ClassFunction:
        """The class function whose value at each cycle type is computed by a function.

        >>> ClassFunction.of(3, lambda mu: mu.sign).values
        (1, -1, 1)
        """
        if not callable(function):
            raise BadType(f"expected a function of cycle types, given {function!r}")
        return cls(n, [function(mu) for mu in partitions(n)])

    @classmethod
    def irreducible(cls, shape: Partition) -> ClassFunction:
        """The character of an irreducible.

        >>> ClassFunction.irreducible(Partition(2, 1)).values
        (-1, 0, 2)
        """
        shape = as_partition(shape, "shape")
        return cls(shape.size, CharacterTable(shape.size).row(shape))

    def __call__(self, cycle_type: Partition) -> Number:
        return self.values[partitions(self.n).index(as_partition(cycle_type, "cycle_type"))]

    def __add__(self, other: ClassFunction) -> ClassFunction:
        return self._with(other, lambda a, b: a + b)

    def __sub__(self, other: ClassFunction) -> ClassFunction:
        return self._with(other, lambda a, b: a - b)

    def __mul__(self, other: ClassFunction | Number) -> ClassFunction:
        if not isinstance(other, ClassFunction):
            factor = exact(other, "the factor")
            return ClassFunction(self.n, [factor * value for value in self.values])
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def inner(self, other: ClassFunction) -> Number:
        """The mean over the group of the product (all values are real).

        >>> chi = ClassFunction.irreducible(Partition(2, 1))
        >>> chi.inner(chi), chi.inner(ClassFunction.irreducible(Partition(3)))
        (1, 0)
        """
        product = (self * self._same(other)).values
        shapes = partitions(self.n)
        total = sum(s.class_size * value for s, value in zip(shapes, product, strict=True))
        mean = Fraction(total) / factorial(self.n)
        return int(mean) if mean.denominator == 1 else mean

    def decompose(self) -> dict[Partition, int]:
        """The multiplicity of each irreducible that occurs; negative for a virtual character.

        >>> (ClassFunction.irreducible(Partition(2, 1)) * ClassFunction(3, [1, -1, 1])).decompose()
        {Partition(2, 1): 1}
        >>> ClassFunction(2, [0, 1]).decompose()
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the class function is not a character: Partition(2) would occur \
1/2 times
        """
        scale = 1
        for value in self.values:
            scale = max(scale, value.denominator)
        if scale > 1:
            return self._reject()
        shapes = list(partitions(self.n))
        weighted = [s.class_size * int(v) for s, v in zip(shapes, self.values, strict=True)]
        sums = exact_product(CharacterTable(self.n).values, weighted)
        order = factorial(self.n)
        if any(total % order for total in sums):
            return self._reject()
        return {s: total // order for s, total in zip(shapes, sums, strict=True) if total}

    def restrict(self) -> ClassFunction:
        """The restriction to S_(n-1), the permutations that fix n.

        >>> ClassFunction.irreducible(Partition(2, 1)).restrict().decompose()
        {Partition(2): 1, Partition(1, 1): 1}
        """
        if self.n == 0:
            raise BadValue("S_0 has no smaller group to restrict to")
        return ClassFunction.of(self.n - 1, lambda mu: self(Partition(*mu.parts, 1)))

    def induce(self) -> ClassFunction:
        """The class function induced to S_(n+1).

        >>> ClassFunction.irreducible(Partition(2)).induce().decompose()
        {Partition(3): 1, Partition(2, 1): 1}
        """

        def value(mu: Partition) -> Number:
            ones = mu.multiplicities.get(1, 0)
            return ones * self(Partition(*mu.parts[:-1])) if ones else 0

        return ClassFunction.of(self.n + 1, value)

    def _same(self, other: object) -> ClassFunction:
        if not isinstance(other, ClassFunction):
            raise BadType(f"expected a ClassFunction, given {other!r}")
        if other.n != self.n:
            raise BadValue(f"class functions of S_{self.n} and S_{other.n} do not combine")
        return other

    def _with(self, other: object, operation: Callable[[Any, Any], Any]) -> ClassFunction:
        theirs = self._same(other).values
        return ClassFunction(self.n, list(map(operation, self.values, theirs)))

    def _reject(self) -> dict[Partition, int]:
        for shape in partitions(self.n):
            times = self.inner(ClassFunction.irreducible(shape))
            if times.denominator != 1:
                raise BadValue(
                    f"the class function is not a character: {shape!r} would occur {times} times"
                )
        raise BadValue("the class function is not a character")


def exact_product(table: Any, vector: Sequence[int]) -> list[int]:
    """A matrix of 64-bit integers times a vector of integers of any size, exactly.

    Both are cut into limbs so small that sums of products fit in 64 bits.
    """
    import numpy as np

    half, limb = 32, 16
    length = max(len(vector), 1)
    assert length < 2**14, "sums of products must fit in 63 bits"
    bits = max((abs(v).bit_length() for v in vector), default=0)
    cuts = range(0, bits + 1, limb)
    mask = (1 << limb) - 1
    signs = [-1 if v < 0 else 1 for v in vector]
    limbs = np.array(
        [[s * (abs(v) >> cut & mask) for cut in cuts] for s, v in zip(signs, vector, strict=True)],
        dtype=np.int64,
    ).reshape(len(vector), len(cuts))
    result: list[int] = []
    for start in range(0, len(table), 512):
        rows = table[start : start + 512]
        high = rows >> half
        low = rows - (high << half)
        for part_high, part_low in zip(
            (high @ limbs).tolist(), (low @ limbs).tolist(), strict=True
        ):
            result.append(
                sum(
                    ((above << half) + below) << cut
                    for above, below, cut in zip(part_high, part_low, cuts, strict=True)
                )
            )
    return result
