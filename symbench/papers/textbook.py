"""Textbook identities of the symmetric groups as claims of their own (`young.*`).

Sections are those of Sagan, The Symmetric Group, 2nd edition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import factorial, prod
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate, certify
from symbench.exact import QQ, ZZ, Matrix
from symbench.papers._cases import at_most, drawn, integer, is_partition, record
from symbench.papers._symmetric_groups import (
    Parts,
    character_by_bins,
    drawn_pair,
    drawn_partition,
    of_cycle_type,
    pairs_of_partitions,
    partitions_of,
    partitions_up_to,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.young import (
    Action,
    Block,
    BlockForm,
    CharacterTable,
    ClassFunction,
    Partition,
    Permutation,
    Representation,
    StandardTableaux,
    block_form,
    character,
    partitions,
    permutations,
    rsk,
    rsk_inverse,
)

# Partitions are listed once more, and characters computed once more, up to these sizes.
_LISTED, _BINS = 12, 6


# --- dimensions -----------------------------------------------------------------------------------
@claim(
    "young.dimension-squares",
    source="Sagan, sections 1.10 and 3.1",
    category="theorem",
    cases=lambda max_size=24: range(max_size + 1),
    boundary=0,
    strategy=drawn(lambda st: st.integers(0, 40)),
    applies=integer(0),
    near_misses=[
        NearMiss("dimensions, not squared", 3, {"exponent": 1}),
        NearMiss("two rows only", 3, {"max_length": 2}),
    ],
)
def dimension_squares(
    n: int, exponent: int = 2, max_length: int | None = None
) -> Certificate | bool | Fails:
    r"""$\sum_{\lambda \vdash n} (f^\lambda)^2 = n!$."""
    at_most(n, 60, "letters")
    shapes = list(partitions(n, max_length=max_length))
    if max_length is None and n <= _LISTED and [s.parts for s in shapes] != list(partitions_of(n)):
        return Fails(f"these are not the partitions of {n}")
    total = sum(shape.dim**exponent for shape in shapes)
    if total != factorial(n):
        return Fails(f"the sum is {total}, not {factorial(n)}")
    return _group_algebra(n) if 1 <= n <= 4 else True


def _group_algebra(n: int) -> Certificate | Fails:
    """Right multiplication by a generic element: a block of size f, repeated f times, for each."""

    def move(g: Permutation, images: Parts) -> Parts:
        return (g * Permutation(*images)).images

    action = Action.of(n, [g.images for g in permutations(n)], move)
    number = {images: k for k, images in enumerate(action.points)}
    group = [Permutation(*images) for images in action.points]
    rows = [[number[(g.inverse * h).images] for h in group] for g in group]
    form = block_form(action, rows)
    for block in form.blocks:
        if block.matrix.shape[0] != block.repeats:
            return Fails(f"({block.partition}) occurs {block.matrix.shape[0]} times")
    return block_certificate(form, rows)


def _hooks(parts: Parts) -> list[list[int]]:
    """The hook lengths from the definition: the cell, those right of it, those below."""
    legs = [sum(part > j for part in parts) for j in range(parts[0])]
    return [[part - j + legs[j] - i - 1 for j in range(part)] for i, part in enumerate(parts)]


@lru_cache(maxsize=10_000)
def _fillings(parts: Parts, inner: Parts = ()) -> int:
    """How many standard tableaux there are, by the place of the largest entry."""
    holes = (*inner, *[0] * len(parts))
    if all(part == hole for part, hole in zip(parts, holes, strict=False)):
        return 1
    return sum(
        _fillings((*parts[:i], part - 1, *parts[i + 1 :]), inner)
        for i, part in enumerate(parts)
        if part > holes[i] and (i + 1 == len(parts) or part > parts[i + 1])
    )


@claim(
    "young.hook-length",
    source="Sagan, section 3.10 (Frame, Robinson, Thrall)",
    category="theorem",
    cases=lambda max_size=8: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(11),
    applies=is_partition,
    near_misses=[
        NearMiss("skew shapes, with the hooks of the cells that are left", (2, 2), {"inner": (1,)}),
        NearMiss("arms without legs: the number of tabloids", (2, 1), {"legs": False}),
    ],
)
def hook_length(parts: Parts, inner: Parts = (), legs: bool = True) -> bool | Fails:
    r"""The number of standard tableaux of shape $\lambda \vdash n$ is $n! / \prod_{c} h_c$ over the
    hook lengths of the cells. They are listed one by one, and counted by the place of $n$.
    """
    at_most(sum(parts), 30, "cells")
    shape = Partition(*parts)
    at_most(shape.dim, 100_000, "tableaux")
    if [list(row) for row in shape.hooks] != _hooks(parts):
        return Fails(f"the hook lengths are {shape.hooks}")
    holes = (*inner, *[0] * len(parts))
    cells = [
        h if legs else part - j
        for part, row, hole in zip(parts, shape.hooks, holes, strict=False)
        for j, h in enumerate(row)
        if j >= hole
    ]
    wanted = Fraction(factorial(len(cells)), prod(cells))
    tableaux = list(StandardTableaux(shape, inner=Partition(*inner)))
    if len(set(tableaux)) != len(tableaux) or not all(t.is_standard for t in tableaux):
        return Fails("the list is not one of standard tableaux, each once")
    counts = {len(tableaux), _fillings(parts, inner), *([] if inner else [shape.dim])}
    return counts == {wanted} or Fails(f"{len(tableaux)} tableaux, the formula gives {wanted}")


# --- characters -----------------------------------------------------------------------------------
def _is_diagonal(matrix: Matrix, diagonal: list[int], what: str) -> bool | Fails:
    for i, row in enumerate(matrix.rows):
        for j, entry in enumerate(row):
            wanted = diagonal[i] if i == j else 0
            if entry != wanted:
                return Fails(f"{what} {i} and {j} have the product {entry}, not {wanted}")
    return True


@claim(
    "young.orthogonality",
    source="Sagan, sections 1.9 and 1.10, for S_n",
    category="theorem",
    cases=lambda max_size=10: range(1, max_size + 1),
    boundary=1,
    strategy=drawn(lambda st: st.integers(1, 12)),
    applies=integer(1),
    near_misses=[
        NearMiss("classes counted once each, without their sizes", 3, {"size": lambda shape: 1}),
        NearMiss("columns of length n! each", 3, {"divided": False}),
    ],
)
def orthogonality(
    n: int, size: Callable[[Partition], int] = lambda shape: shape.class_size, divided: bool = True
) -> Certificate | bool | Fails:
    r"""$\sum_\mu |C_\mu| \chi^\lambda(\mu) \chi^\kappa(\mu) = n!\, [\lambda = \kappa]$ and
    $\sum_\lambda \chi^\lambda(\mu) \chi^\lambda(\nu) = z_\mu [\mu = \nu]$, $z_\mu = n!/|C_\mu|$. So
    the table of characters is square and nonsingular.
    """
    at_most(n, 16, "letters")
    table, total = Matrix(CharacterTable(n).values.tolist(), ZZ), factorial(n)
    sizes = list(map(size, partitions(n)))
    if n <= _BINS:
        shapes = list(partitions_of(n))
        if [list(row) for row in table.rows] != [
            [character_by_bins(shape, mu) for mu in shapes] for shape in shapes
        ]:
            return Fails("the table is not that of Frobenius' formula")
    if [*zip(*table.rows, strict=True)] != list(map(CharacterTable(n).column, partitions(n))):
        return Fails("the columns are not those of the table")
    scaled = Matrix([[s * x for s, x in zip(sizes, row, strict=True)] for row in table.rows], ZZ)
    rows = _is_diagonal(scaled @ table.transpose(), [total] * len(sizes), "rows")
    if not rows:
        return rows
    lengths = [total // (s if divided else 1) for s in sizes]
    columns = _is_diagonal(table.transpose() @ table, lengths, "columns")
    return certify(table) if columns else columns


def _recursion(shape: Partition, mu: Parts, *, signs: bool = True) -> int:
    """The rule as it is stated: remove border strips of the lengths of the cycles, in turn."""
    if not mu:
        return 1
    return sum(
        ((-1) ** height if signs else 1) * _recursion(rest, mu[1:], signs=signs)
        for rest, height in shape.border_strips(mu[0])
    )


def _trace(shape: Partition, g: Permutation, form: str) -> Any:
    matrix = Representation(shape, form=form)(g)
    return sum(matrix[i, i] for i in range(shape.dim))


@claim(
    "young.murnaghan-nakayama",
    source="Sagan, section 4.10",
    category="theorem",
    cases=lambda max_size=5: pairs_of_partitions(max_size),
    boundary=((1, 1), (2,)),
    strategy=drawn_pair(7),
    applies=record(is_partition, is_partition, where=lambda x, mu: sum(x) == sum(mu)),
    assumes=["young.branching"],
    near_misses=[NearMiss("without the signs of the heights", ((1, 1), (2,)), {"signs": False})],
)
def murnaghan_nakayama(case: tuple[Parts, Parts], signs: bool = True) -> bool | Fails:
    r"""$\chi^\lambda(\mu) = \sum_\xi (-1)^{\mathrm{ht}(\xi)} \chi^{\lambda \setminus \xi}(\mu_2,
    \mu_3, \dots)$ over the border strips $\xi$ of $\lambda$ with $\mu_1$ cells, in whatever order
    the cycles are taken. Compared with the traces of representation matrices, and with Frobenius'
    formula (a signed sum over ways to put the cycles into bins).
    """
    at_most(sum(case[0]), 10, "cells")
    shape, mu = Partition(*case[0]), case[1]
    g = Permutation(*(image + 1 for image in of_cycle_type(mu)))
    value = _recursion(shape, mu, signs=signs)
    roads = {
        "trace of the seminormal matrix": _trace(shape, g, "seminormal"),
        "trace of the natural matrix": _trace(shape, g, "natural"),
        "value of character()": character(shape, Partition(*mu)),
        "formula of Frobenius": character_by_bins(case[0], mu),
        "rule with the cycles in the other order": _recursion(shape, mu[::-1], signs=signs),
    }
    for road, found in roads.items():
        if found != value:
            return Fails(f"the rule gives {value}, the {road} is {found}")
    return True


# --- branching ------------------------------------------------------------------------------------
def _less_a_cell(parts: Parts) -> list[Parts]:
    """The partitions that are left when a cell at the end of a row is taken away."""
    rows = (tuple(part - (i == k) for i, part in enumerate(parts)) for k in range(len(parts)))
    return [tuple(filter(None, row)) for row in rows if list(row) == sorted(row, reverse=True)]


def _in_any_row(parts: Parts) -> list[Parts]:
    """The same when the cell may be in any row, and the rows are sorted again."""
    rows = (tuple(part - (i == k) for i, part in enumerate(parts)) for k in range(len(parts)))
    return [tuple(filter(None, sorted(row, reverse=True))) for row in rows]


def _blocks_by_corner(shape: Partition) -> Certificate | bool | Fails:
    """Whether s_1, ..., s_(n-2) are block diagonal, a block for each place of n."""
    corner: dict[Partition, list[int]] = {}
    for k, tableau in enumerate(shape.standard_tableaux()):
        rows = [[c for c in row if c != shape.size] for row in tableau.rows]
        corner.setdefault(Partition([len(row) for row in rows]), []).append(k)
    if set(corner) != set(shape.down()):
        return Fails("the places of n are not the corners")
    for i in range(1, shape.size - 1):
        matrix = _seminormal(shape, i)
        rows = [list(row) for row in matrix.rows]
        for smaller, places in corner.items():
            if matrix.submatrix(places, places) != _seminormal(smaller, i):
                return Fails(f"s_{i} does not act as on ({smaller})")
            for k, j in product(places, repeat=2):
                rows[k][j] = 0
        if any(any(row) for row in rows):
            return Fails(f"s_{i} mixes the places of {shape.size}")
    if shape.size == 2:
        return True  # S_1 has no s_i
    order = [k for places in corner.values() for k in places]
    basis = Matrix([[int(k == place) for place in order] for k in range(shape.dim)])
    blocks = tuple(Block(smaller, _weighted_sum(smaller, shape.size), 1) for smaller in corner)
    return block_certificate(BlockForm(basis, blocks), _weighted_sum(shape, shape.size))


def _weighted_sum(shape: Partition, n: int) -> Matrix:
    """The matrix of s_1 + 2 s_2 + ... + (n-2) s_(n-2), which S_(n-1) has too."""
    zero = Matrix([[0] * shape.dim] * shape.dim, QQ)
    return sum((_seminormal(shape, i) * i for i in range(1, n - 1)), zero)


def _seminormal(shape: Partition, i: int) -> Matrix:
    matrix = Representation(shape)(Permutation.adjacent(shape.size, i))
    assert isinstance(matrix, Matrix)
    return matrix


@claim(
    "young.branching",
    source="Sagan, section 2.8",
    category="theorem",
    cases=lambda max_size=6: (parts for parts in partitions_up_to(max_size) if parts != (1,)),
    boundary=(2,),
    strategy=drawn_partition(8),
    applies=lambda parts: is_partition(parts) and sum(parts) >= 2,
    near_misses=[
        NearMiss(
            "restricted to S_(n-2): the shapes without two cells, each once",
            (2, 1),
            {
                "smaller": lambda parts: list(
                    {q for p in _less_a_cell(parts) for q in _less_a_cell(p)}
                ),
                "steps": 2,
            },
        ),
        NearMiss("a cell from every row", (2, 2), {"smaller": _in_any_row}),
    ],
)
def branching(
    parts: Parts, smaller: Callable[[Parts], list[Parts]] = _less_a_cell, steps: int = 1
) -> Certificate | bool | Fails:
    r"""Restricted to $S_{n-1}$, $S^\lambda = \bigoplus S^{\lambda^-}$ over the $\lambda^-$ that are
    $\lambda$ without a corner, each once. In the seminormal form the matrices of $S_{n-1}$ are
    block diagonal, and the blocks are those of the $\lambda^-$.
    """
    at_most(sum(parts), 12, "cells")
    shape = Partition(*parts)
    at_most(shape.dim, 200, "tableaux")
    restricted = ClassFunction.irreducible(shape)
    for _ in range(steps):
        restricted = restricted.restrict()
    found = {piece.parts: times for piece, times in restricted.decompose().items()}
    if found != Counter(smaller(parts)):
        return Fails(f"the character restricts to {found}")
    for mu in partitions_of(shape.size - 1) if shape.size <= _BINS else ():
        whole = character_by_bins(parts, (*mu, 1))
        if whole != sum(character_by_bins(piece, mu) for piece in found):
            return Fails(f"the characters at {mu} do not add up to {whole}")
    return _blocks_by_corner(shape)


# --- Robinson, Schensted, Knuth -------------------------------------------------------------------
def _words(n: int, letters: int) -> Iterator[tuple[int, ...]]:
    if letters:
        yield from product(range(1, letters + 1), repeat=n)
    else:
        yield from (g.images for g in permutations(n))


def _longest_increasing(word: tuple[int, ...]) -> int:
    lengths: list[int] = []
    for i, letter in enumerate(word):
        lengths.append(1 + max((lengths[j] for j in range(i) if word[j] <= letter), default=0))
    return max(lengths)


def _inserted(word: tuple[int, ...]) -> tuple[tuple[Parts, ...], tuple[Parts, ...]]:
    """Row insertion as it is described: a letter bumps the first that is larger, row by row."""
    rows: list[list[int]] = []
    places: list[list[int]] = []
    for time, entry in enumerate(word, 1):
        letter = entry
        for row, marks in zip(rows, places, strict=True):
            larger = [k for k, other in enumerate(row) if other > letter]
            if not larger:
                row.append(letter)
                marks.append(time)
                break
            row[larger[0]], letter = letter, row[larger[0]]
        else:
            rows.append([letter])
            places.append([time])
    return tuple(map(tuple, rows)), tuple(map(tuple, places))


@claim(
    "young.rsk",
    source="Sagan, sections 3.1, 3.3, 3.6 and 4.8",
    category="theorem",
    # Lengths and numbers of letters, 0 for permutations.
    cases=lambda max_size=5, max_letters=3: product(range(1, max_size + 1), range(max_letters + 1)),
    boundary=(1, 0),
    strategy=drawn(lambda st: st.tuples(st.integers(1, 5), st.integers(0, 4))),
    applies=record(integer(1), integer(0)),
    assumes=["young.dimension-squares"],
    near_misses=[
        NearMiss("the insertion tableau alone", (3, 0), {"recorded": False}),
        NearMiss("the inverse has the same pair, unexchanged", (3, 0), {"exchanged": False}),
    ],
)
def robinson_schensted_knuth(
    case: tuple[int, int], recorded: bool = True, exchanged: bool = True
) -> bool | Fails:
    r"""Row insertion is a bijection between words of length $n$ in $V$ letters and pairs $(P, Q)$
    of a semistandard and a standard tableau of one shape; between permutations and pairs of
    standard ones ($V = 0$ in the cases). The first row is as long as the longest weakly increasing
    subsequence, and the inverse permutation has the pair $(Q, P)$.
    """
    n, letters = case
    at_most(n, 16, "positions")
    at_most(letters**n if letters else factorial(n), 50_000, "words")
    pairs = set()
    for word in _words(n, letters):
        p, q = rsk(word)
        if p.shape != q.shape or not q.is_standard or not p.is_semistandard:
            return Fails(f"{word} has no pair of tableaux")
        if (p.rows, q.rows) != _inserted(word):
            return Fails(f"{word} is not inserted row by row")
        if rsk_inverse(p, q) != word:
            return Fails(f"{word} does not come back")
        if len(p.rows[0]) != _longest_increasing(word):
            return Fails(f"the first row of {word} is not its longest increasing subsequence")
        pair = (q, p) if exchanged else (p, q)
        if not letters and rsk(Permutation(*word).inverse) != pair:
            return Fails(f"the inverse of {word} does not have the pair exchanged")
        pairs.add((p, q if recorded else None))
    wanted = sum(
        shape.dim * (shape.count_semistandard(letters) if letters else shape.dim)
        for shape in partitions(n)
    )
    return len(pairs) == wanted or Fails(f"{len(pairs)} pairs of {wanted}")
