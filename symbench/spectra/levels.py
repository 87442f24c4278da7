"""The nonzero eigenvalues of one layer of linear attention at a given length."""

from __future__ import annotations

from typing import Any

import attrs

from symbench.errors import UnknownName
from symbench.exact import Matrix, Rational
from symbench.exact.rational import number_text
from symbench.exact.roots import Eigenvalue, compare, eigenvalues
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.tangent import TangentKernel
from symbench.laws.exchangeable import IidLaw
from symbench.spectra.decomposition import Level
from symbench.spectra.linear_blocks import Blocks
from symbench.young import Partition
from symbench.young.partition import as_partition


@attrs.frozen(repr=False)
class LinearSpectrum:
    """The nonzero eigenvalues; `linear_attention_spectrum(...)` makes one.

    `levels` has the irreducibles in the order of partitions, each with its largest eigenvalue
    first; everything else in the V^L dimensions has eigenvalue 0. `law` None is the uniform law.

    >>> found = linear_attention_spectrum(linear_attention(1, 1), length=9, vocabulary=2)
    >>> [(str(level.partition), level.eigenvalue) for level in found.levels[3:]]
    [('8+1', 99/2), ('8+1', 7/2)]
    >>> found.trace, found[Partition(7, 2)]
    (3924, ())
    """

    kernel: LinearAttention | TangentKernel
    length: int
    vocabulary: int
    law: IidLaw | None
    levels: tuple[Level, ...]
    trace: Rational
    exactness = "exact"

    def __repr__(self) -> str:
        size = f"length {number_text(self.length)}, vocabulary {number_text(self.vocabulary)}"
        return f"<LinearSpectrum of {self.kernel!r}, {size}: {len(self.levels)} levels>"

    def __getitem__(self, partition: Any) -> tuple[Level, ...]:
        wanted = as_partition(partition, "the partition")
        if wanted.size != self.length:
            raise UnknownName(f"{wanted!r} is no partition of the length {self.length}")
        return tuple(level for level in self.levels if level.partition == wanted)


def levels_of_blocks(blocks: Blocks, length: int) -> tuple[Level, ...]:
    """The nonzero eigenvalues of blocks of rational numbers, by partition.

    >>> levels_of_blocks([((), [[3]], 1), ((1,), [[2]], 4)], 5)
    (Level(partition=Partition(5), eigenvalue=3, multiplicity=1), \
Level(partition=Partition(4, 1), eigenvalue=2, multiplicity=16))
    """
    found: dict[Partition, dict[Eigenvalue, int]] = {}
    for below, rows, copies in blocks:
        values = found.setdefault(Partition(length - sum(below), *below), {})
        for value, times in eigenvalues(Matrix(rows)) if copies else ():
            values[value] = values.get(value, 0) + times * copies
    return tuple(
        Level(shape, value, values[value] * shape.dim)
        for shape, values in found.items()
        for value in sorted(values, reverse=True)
        if compare(value, 0) != 0
    )
