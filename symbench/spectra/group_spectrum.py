"""GroupSpectrum: the exact spectrum of a kernel that has a smaller symmetry than S_L.

The operator (K f)(x) = sum over y of k(x, y) p(y) f(y) commutes with a group G of permutations of
positions if k(gx, gy) = k(x, y) and p(gx) = p(x) for g in G. Its eigenvalues belong to irreducibles
of G: tuples of partitions for a Young subgroup, frequencies for the cyclic group.

>>> kernel = ring_attention(1, 1, positions=[3, 1, 0, 0, 1])
>>> found = group_spectrum(kernel, length=5, vocabulary=2, group="cyclic")
>>> [(level.irrep, str(level.eigenvalue), level.multiplicity) for level in found.levels[-4:]]
[(1, '0', 8), (2, '51.82372542..', 2), (2, '2.072949017..', 2), (2, '0', 8)]
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs

from symbench._arguments import integer
from symbench.draw.figures import finished, new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadValue, UnknownName
from symbench.exact import Matrix, Rational
from symbench.exact.rational import number_text
from symbench.exact.roots import Eigenvalue, RealRoot, compare
from symbench.laws.base import Law, read_law, sizes
from symbench.spectra import ring_blocks, segment_blocks
from symbench.spectra.pair_values import pair_kernel
from symbench.spectra.picture import drawn, short
from symbench.spectra.ring_blocks import RingBlock
from symbench.spectra.segment_blocks import SegmentBlock
from symbench.young.position_groups import CyclicGroup, Group, Irrep, read_group

Blocks = tuple[SegmentBlock, ...] | tuple[RingBlock, ...]


@attrs.frozen
class GroupLevel:
    """An eigenvalue of the operator on the copies of one irreducible of the group.

    >>> GroupLevel(1, Rational(12), 2).multiplicity
    2
    """

    irrep: Irrep
    eigenvalue: Eigenvalue
    multiplicity: int


@attrs.frozen
class GroupPiece:
    """What a spectrum says of one irreducible: all of its copies, largest eigenvalues first.

    >>> GroupPiece(1, (Rational(1), Rational(0)), 2).copies
    2
    """

    irrep: Irrep
    eigenvalues: tuple[Eigenvalue, ...]
    dimension: int

    @property
    def copies(self) -> int:
        """How often the irreducible occurs: one eigenvalue for each copy."""
        return len(self.eigenvalues)


@attrs.frozen
class GroupBound:
    """The j-th eigenvalue of an irreducible, j = 1, 2, ..., beside trace / (j dim).

    >>> GroupBound(1, 1, Rational(12), Rational(157)).holds
    True
    """

    irrep: Irrep
    place: int
    eigenvalue: Eigenvalue
    bound: Rational

    @property
    def holds(self) -> bool:
        """Whether the eigenvalue is at most the bound, compared exactly."""
        return compare(self.eigenvalue, self.bound) <= 0


@attrs.frozen(repr=False, slots=False, eq=False)
class GroupSpectrum:
    """An exact spectrum by irreducible of a group; `group_spectrum` makes one.

    `trace` is E k(x, x), computed from the kernel and not from the blocks; `invariance` says how
    the kernel's symmetry is known.

    >>> last = linear_attention(1, 1, readout="last")
    >>> found = group_spectrum(last, length=3, vocabulary=2, group=(2, 1))
    >>> found
    <GroupSpectrum of linear_attention(1, 1, readout='last'), length 3, vocabulary 2, under \
YoungSubgroup(2, 1): 7 levels>
    >>> found["1+1", "1"].eigenvalues, found["1+1", "1"].dimension, found.trace
    ((3/2, 1/2), 1, 30)
    >>> sum(level.multiplicity for level in found), found.exactness
    (8, 'exact')
    """

    kernel: Any
    length: int
    vocabulary: int
    law: Law
    group: Group
    blocks: Blocks
    trace: Rational
    invariance: str

    @property
    def exactness(self) -> str:
        """'exact': every eigenvalue is a rational number or a root of a polynomial."""
        return "exact"

    def __repr__(self) -> str:
        return f"<GroupSpectrum of {self.title}: {len(self.levels)} levels>"

    @property
    def title(self) -> str:
        """What it is the spectrum of, in a line."""
        return (
            f"{self.kernel!r}, length {self.length}, vocabulary {self.vocabulary}, under "
            f"{self.group!r}"
        )

    def __str__(self) -> str:
        return self.table()

    @cached_property
    def _eigenvalues(self) -> dict[Irrep, tuple[tuple[Eigenvalue, int], ...]]:
        found: dict[Irrep, tuple[tuple[Eigenvalue, int], ...]] = {}
        for block in self.blocks:
            found.update(block.eigenvalues())
        return {irrep: found[irrep] for irrep in self.irreps}

    @cached_property
    def levels(self) -> tuple[GroupLevel, ...]:
        """All eigenvalues by irreducible; the multiplicities add up to the number of words."""
        return tuple(
            GroupLevel(irrep, value, times * self.group.dimension(irrep))
            for irrep, values in self._eigenvalues.items()
            for value, times in values
        )

    @property
    def dimension(self) -> int:
        """The number of words: the sum of all multiplicities."""
        return sum(
            block.copies * self.group.dimension(irrep)
            for block in self.blocks
            for irrep in block.irreps
        )

    @cached_property
    def irreps(self) -> tuple[Irrep, ...]:
        """The irreducibles that occur, frequencies in increasing order."""
        found = [irrep for block in self.blocks for irrep in block.irreps]
        return tuple(sorted(found) if isinstance(self.group, CyclicGroup) else found)

    def __iter__(self) -> Iterator[GroupLevel]:
        return iter(self.levels)

    def __len__(self) -> int:
        return len(self.levels)

    def __getitem__(self, irrep: Any) -> GroupPiece:
        wanted = self._known(irrep)
        values = self._eigenvalues[wanted]
        repeated = itertools.chain.from_iterable([value] * times for value, times in values)
        return GroupPiece(wanted, tuple(repeated), self.group.dimension(wanted))

    def block(self, irrep: Any) -> Matrix:
        """The rational matrix that has the eigenvalues of an irreducible.

        For a frequency it is the block of all frequencies j with one value of gcd(j, L), which
        are conjugate over the rational numbers; 0 and L/2 have blocks of their own.

        >>> overlap = inner_product(lambda n: n)
        >>> group_spectrum(overlap, length=2, vocabulary=2, group="cyclic").block(1)
        Matrix([['1/2']])
        """
        wanted = self._known(irrep)
        matrix: Matrix = next(block for block in self.blocks if wanted in block.irreps).matrix
        return matrix

    def _known(self, irrep: Any) -> Irrep:
        wanted = self.group.irrep(irrep)
        if wanted not in self.irreps:
            listed = ", ".join(map(self.group.text, self.irreps[:8]))
            raise UnknownName(
                f"{self.group.text(wanted)} does not occur: there are {listed}"
                f"{', ...' if len(self.irreps) > 8 else ''}"
            )
        return wanted

    # --- what follows ---------------------------------------------------------------------
    def trace_bounds(self) -> tuple[GroupBound, ...]:
        """The bounds E k(x, x) / (j dim) on the j-th eigenvalue of each irreducible.

        The dimensions of a cyclic group are 1 and 2, so there the bound says little: it does not
        fall with L, as that of S_L does.

        >>> kernel = linear_attention(1, 1)
        >>> found = group_spectrum(kernel, length=4, vocabulary=2, group="cyclic")
        >>> all(bound.holds for bound in found.trace_bounds()), found.trace_bounds()[6]
        (True, GroupBound(irrep=1, place=1, eigenvalue=12, bound=157))
        """
        for level in self.levels:
            if compare(level.eigenvalue, 0) < 0:
                raise BadValue(
                    f"{self.kernel!r} is not positive semidefinite: {level.eigenvalue} is an "
                    f"eigenvalue on {self.group.text(level.irrep)}"
                )
        return tuple(
            GroupBound(irrep, j, value, Rational(self.trace / (j * piece.dimension)))
            for irrep in self.irreps
            for piece in [self[irrep]]
            for j, value in enumerate(piece.eigenvalues, 1)
        )

    def table(self, *, limit: int = 40) -> str:
        """The levels as text, at most so many lines.

        >>> overlap = inner_product(lambda n: n)
        >>> print(group_spectrum(overlap, length=3, vocabulary=2, group="cyclic").table())
        inner_product(<lambda>), length 3, vocabulary 2, under CyclicGroup(3)
        irrep  dim  eigenvalue  multiplicity
        0      1    3/2         1
        0      1    1/2         1
        0      1    0           2
        1      2    1/2         2
        1      2    0           2
        """
        count = integer(limit, "limit", at_least=1)
        rows = [["irrep", "dim", "eigenvalue", "multiplicity"]]
        rows += [
            [short(cell) for cell in map(str, self._row(level))] for level in self.levels[:count]
        ]
        left = len(self.levels) - count
        more = [f"... and {left} more levels"] if left > 0 else []
        return "\n".join([self.title, columns_text(rows), *more])

    def _row(self, level: GroupLevel) -> tuple[str, str, Eigenvalue, str]:
        dim = self.group.dimension(level.irrep)
        return (
            self.group.text(level.irrep),
            number_text(dim),
            level.eigenvalue,
            number_text(level.multiplicity),
        )

    def latex(self) -> str:
        r"""The levels as a LaTeX tabular.

        >>> overlap = inner_product(lambda n: n)
        >>> print(group_spectrum(overlap, length=2, vocabulary=2, group=(1, 1)).latex())
        \begin{tabular}{llll}
        irrep & $\dim$ & eigenvalue & multiplicity \\
        $(1) \otimes (1)$ & $1$ & $1$ & $1$ \\
        $(1) \otimes (1)$ & $1$ & $1/2$ & $2$ \\
        $(1) \otimes (1)$ & $1$ & $0$ & $1$ \\
        \end{tabular}
        """
        lines = [r"\begin{tabular}{llll}", r"irrep & $\dim$ & eigenvalue & multiplicity \\"]
        for level in self.levels:
            _, dim, value, times = self._row(level)
            text = value.latex() if isinstance(value, RealRoot) else number_text(value)
            lines.append(rf"${self.group.latex(level.irrep)}$ & ${dim}$ & ${text}$ & ${times}$ \\")
        return "\n".join([*lines, r"\end{tabular}"])

    def _repr_latex_(self) -> str:
        return self.latex()

    def plot(self, path: Any = None) -> Any:
        """Positive eigenvalues by irreducible beside the bound trace / dim (matplotlib).

        Dimensions say little here, a cyclic group has 1 and 2 alone: each irreducible has a place
        of its own. Returns the figure, and saves it if a path is given.
        """
        figure = new_figure(6, 4)
        axes = figure.add_subplot()
        places = {irrep: k for k, irrep in enumerate(self.irreps)}
        kept = [level for level in self.levels if level.eigenvalue > 0]
        numbers = [drawn(level.eigenvalue) for level in kept]
        axes.plot([places[level.irrep] for level in kept], numbers, "o", label="eigenvalues")
        if self.trace > 0:
            bounds = [drawn(Rational(self.trace / self.group.dimension(irrep))) for irrep in places]
            axes.plot(list(places.values()), bounds, "--", color="gray", label="trace / dim")
        name = "frequency" if isinstance(self.group, CyclicGroup) else "irrep"
        axes.set(yscale="log" if kept else "linear", xlabel=name, ylabel="eigenvalue")
        axes.set_xticks(range(len(places)), [self.group.text(irrep) for irrep in places])
        axes.set_title(self.title, fontsize="small", wrap=True)
        axes.legend(fontsize="small")
        return finished(figure, path)


def group_spectrum(
    kernel: Any,
    *,
    length: int,
    vocabulary: int,
    law: Any = None,
    group: Any,
) -> GroupSpectrum:
    """The exact spectrum of a kernel on words of length L over V tokens, by irreducible of a group.

    group is 'cyclic', or the lengths of consecutive segments such as (3, 2) for a Young subgroup.
    The kernel is one of `sb.kernels` or a function of two words (tuples of tokens 0, ..., V - 1)
    with exact values; it must be symmetric and must not change when the same permutation of the
    group is applied to both words, and the law must not change either. law None is the uniform
    law, any exchangeable law will do, and `Words` gives each word its probability.

    >>> def neighbours(x, y):  # equal pairs of neighbours on the ring
    ...     return sum(x[a - 1] == y[a - 1] and x[a] == y[a] for a in range(len(x)))
    >>> found = group_spectrum(neighbours, length=4, vocabulary=2, group="cyclic")
    >>> found[1].eigenvalues[:3], found.invariance
    ((1/2, 1/4, 0), 'all pairs')
    >>> group_spectrum(neighbours, length=4, vocabulary=2, group=(2, 2))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: <function neighbours at ...> is not invariant under \
YoungSubgroup(2, 2): k((0, 0, 0, 0), (0, 1, 0, 1)) = 0, and after the transposition (1 2) ...
    """
    L, V = sizes(length, vocabulary)
    chosen = read_group(group, L)
    if isinstance(chosen, CyclicGroup):
        ring_blocks.check_sizes(kernel, L, V)
    else:
        segment_blocks.check_sizes(chosen, V)
    weighed = read_law(law, L, V, chosen)
    pairs, chance = pair_kernel(kernel, L, V, chosen), weighed.probability
    blocks: Blocks
    if isinstance(chosen, CyclicGroup):
        blocks, trace = ring_blocks.ring_blocks(pairs, chosen, chance)
    else:
        blocks = segment_blocks.segment_blocks(pairs, chosen, chance)
        trace = segment_blocks.segment_trace(pairs, chosen, chance)
    return GroupSpectrum(kernel, L, V, weighed, chosen, blocks, trace, pairs.invariance)
