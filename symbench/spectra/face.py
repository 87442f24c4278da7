"""What every spectrum shows, whatever its numbers are: exact, balls or floats.

A spectrum knows the eigenvalues of each irreducible, largest first, and how often the block of the
irreducible is repeated in the operator. Levels, pieces, tables and plots follow from that.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs

from symbench._arguments import integer
from symbench.errors import UnknownName
from symbench.exact import Matrix
from symbench.laws.exchangeable import Law
from symbench.spectra.bounds import TraceBound, trace_bounds
from symbench.spectra.picture import is_nonzero, spectrum_latex, spectrum_plot, spectrum_table
from symbench.young import Block, Partition
from symbench.young.partition import as_partition

# A Rational, a RealRoot, a ball (FLINT's arb, which has no types) or a FloatValue.
Number = Any


@attrs.frozen
class Level:
    """An eigenvalue of the operator on the copies of one irreducible.

    >>> Level(Partition(3, 1), Rational(12), 3).multiplicity
    3
    """

    partition: Partition
    eigenvalue: Number
    multiplicity: int


@attrs.frozen
class Piece:
    """What a spectrum says of one irreducible: all of its copies, largest eigenvalues first.

    >>> Piece(Partition(2, 1), (Rational(1), Rational(0)), 2).copies
    2
    """

    partition: Partition
    eigenvalues: tuple[Number, ...]
    dimension: int

    @property
    def copies(self) -> int:
        """How often the irreducible occurs: one eigenvalue for each copy."""
        return len(self.eigenvalues)


class Face:
    """The members that all spectra share; a kind of spectrum adds its fields and `_found`."""

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    fixed: int
    exactness: Any
    trace: Any

    @property
    def repeats(self) -> dict[Partition, int]:
        """How often the block of each irreducible is repeated: its dimension."""
        raise AssertionError("every kind of spectrum has its own")

    def _found(self, partition: Partition) -> tuple[tuple[Any, int], ...]:
        """The eigenvalues of a block, largest first, with their multiplicities."""
        raise AssertionError("every kind of spectrum has its own")

    def slack(self, partition: Partition) -> float:
        """How far a float eigenvalue of this irreducible may be off; 0 for what is proved."""
        return 0.0

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.title}: {len(self.levels)} levels>"

    @property
    def title(self) -> str:
        """What it is the spectrum of, in a line."""
        more = f", last {self.fixed} fixed" if self.fixed else ""
        return f"{self.kernel!r}, length {self.length}, vocabulary {self.vocabulary}{more}"

    def __str__(self) -> str:
        return self.table()

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """All eigenvalues by irreducible; the multiplicities add up to the dimension.

        Irreducibles come in the order of partitions, each with its largest eigenvalue first.
        """
        return tuple(
            Level(partition, value, times * repeats)
            for partition, repeats in self.repeats.items()
            for value, times in self._found(partition)
        )

    @property
    def dimension(self) -> int:
        """The number of words: the sum of all multiplicities."""
        return sum(level.multiplicity for level in self.levels)

    @property
    def partitions(self) -> tuple[Partition, ...]:
        """The irreducibles that occur."""
        return tuple(self.repeats)

    @property
    def reached(self) -> tuple[Partition, ...]:
        """The irreducibles with an eigenvalue that is known not to be zero.

        Exact numbers and balls prove it; floats say it by the digits that they state.

        >>> spectrum(linear_attention(1, 1), length=6, vocabulary=3).reached
        (Partition(6), Partition(5, 1))
        """
        return tuple(dict.fromkeys(x.partition for x in self.levels if is_nonzero(x.eigenvalue)))

    def __iter__(self) -> Iterator[Level]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def _known(self, partition: Any) -> Partition:
        wanted = as_partition(partition, "the partition")
        if wanted not in self.repeats:
            raise UnknownName(
                f"{wanted!r} does not occur: there are {', '.join(map(repr, self.partitions[:8]))}"
                f"{', ...' if len(self.partitions) > 8 else ''}"
            )
        return wanted

    def __getitem__(self, partition: Any) -> Piece:
        wanted = self._known(partition)
        values = self._found(wanted)
        repeated = itertools.chain.from_iterable([value] * times for value, times in values)
        return Piece(wanted, tuple(repeated), self.repeats[wanted])

    def trace_bounds(self) -> tuple[TraceBound, ...]:
        """The bounds E k(x,x) / (j dim) on the j-th eigenvalue of each irreducible.

        >>> bounds = spectrum(linear_attention(1, 1), length=4, vocabulary=2).trace_bounds()
        >>> all(bound.holds for bound in bounds), bounds[5]
        (True, TraceBound(Partition(3, 1), 1, 12, 314/3))
        """
        return trace_bounds(self)

    def table(self, *, limit: int = 40) -> str:
        """The levels as text, at most so many lines."""
        return spectrum_table(self, integer(limit, "limit", at_least=1))

    def latex(self) -> str:
        """The levels as a LaTeX tabular."""
        return spectrum_latex(self)

    def _repr_latex_(self) -> str:
        return self.latex()

    def plot(self, path: Any = None) -> Any:
        """Positive eigenvalues against the dimension of their irreducible (matplotlib).

        Returns the figure, and saves it if a path is given.
        """
        return spectrum_plot(self, path)


class BlockFace(Face):
    """A spectrum that keeps the small exact matrix of each irreducible."""

    blocks: tuple[Block, ...]

    @property
    def repeats(self) -> dict[Partition, int]:
        """How often the block of each irreducible is repeated: its dimension."""
        return {block.partition: block.repeats for block in self.blocks}

    @property
    def dimension(self) -> int:
        """The number of words: the sum of all multiplicities."""
        return sum(block.matrix.shape[0] * block.repeats for block in self.blocks)

    def block(self, partition: Any) -> Matrix:
        """The small matrix of the operator on the copies of an irreducible.

        With balls it is that of the kernel of midpoints.

        >>> spectrum(linear_attention(1, 1), length=3, vocabulary=2).block(Partition(2, 1))
        Matrix([[4, '7/2'],
                ['7/2', 4]])
        """
        wanted = self._known(partition)
        found: Matrix = next(b.matrix for b in self.blocks if b.partition == wanted)
        return found
