"""Textbook theorems on modules of the symmetric groups (`young.*`): words, subsets, products.

The other road is always the same: characters by Frobenius' formula, permutations and injections
one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import Matrix
from symbench.laws import Iid
from symbench.laws.base import Word
from symbench.learning.injections import blocks_by_places, meetings
from symbench.learning.targets import from_function
from symbench.papers._cases import at_most, drawn, integer, is_partition, one_of, record
from symbench.papers._second_roads import rank
from symbench.papers._symmetric_groups import (
    Parts,
    character_by_bins,
    class_size,
    cycle_type,
    drawn_pair,
    drawn_partition,
    pairs_of_partitions,
    partitions_of,
    partitions_up_to,
    sign,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.young import (
    Action,
    Partition,
    Representation,
    Tableau,
    adapted_basis,
    block_form,
    johnson_eigenvalue,
    johnson_projector,
    jucys_murphy,
    kostka,
    kostka_table,
    kronecker,
    kronecker_coefficient,
    littlewood_richardson,
    littlewood_richardson_coefficient,
    orbits_on_pairs,
    partitions,
    pieri,
    project,
    restriction,
    word_character,
    word_decomposition,
    young_symmetriser,
)
from symbench.young.projectors import isotypic_projector

# Characters are computed once more up to this size; matrices over more words are not formed.
_BINS, _SQUARE = 6, 32


# --- words ----------------------------------------------------------------------------------------
def sizes(max_length: int = 8, max_letters: int = 4) -> Iterator[tuple[int, int]]:
    """All (L, V) up to these."""
    return product(range(1, max_length + 1), range(1, max_letters + 1))


drawn_sizes = drawn(lambda st: st.tuples(st.integers(1, 12), st.integers(1, 6)))


def _semistandard(parts: Parts, letters: int) -> int:
    """s_lambda(1^V): a product over the cells of (V + column - row) / hook."""
    legs = [sum(part > j for part in parts) for j in range(parts[0])]
    found = Fraction(1)
    for i, part in enumerate(parts):
        for j in range(part):
            found *= Fraction(letters + j - i, part - j + legs[j] - i - 1)
    return int(found)


def _meeting(x: Word, y: Word) -> Any:
    """What a permutation of positions does not change in a pair of words, and no less."""
    return tuple(sorted(zip(x, y, strict=True)))


@claim(
    "young.schur-weyl",
    source="Schur and Weyl: Goodman and Wallach, Symmetry, Representations, and Invariants, "
    "section 4.2.4 and chapter 9; here for words over V letters and kernels on them",
    category="theorem",
    cases=sizes,
    boundary=(1, 1),
    strategy=drawn_sizes,
    applies=record(integer(1), integer(1)),
    proof="proofs/lavie2024/vocabulary.md",
    formerly=["lavie2024.schur-weyl"],
    near_misses=[
        NearMiss("each irrep once: one eigenvalue for each", (2, 2), {"times": lambda *_: 1}),
        NearMiss(
            "each as often as its dimension says",
            (3, 2),
            {"times": lambda parts, _: Partition(*parts).dim},
        ),
        NearMiss(
            "a kernel that reads the first position only",
            (2, 2),
            {"meeting": lambda x, y: x[0] == y[0]},
        ),
    ],
)
def schur_weyl(
    case: tuple[int, int],
    times: Callable[[Parts, int], int] = _semistandard,
    meeting: Callable[[Word, Word], Any] = _meeting,
) -> Certificate | bool | Fails:
    r"""$\mathbb{C}^{[V]^L} \cong \bigoplus_\lambda S^\lambda \otimes \mathbb{C}^{s_\lambda(1^V)}$
    over $\lambda \vdash L$ with at most $V$ rows; $\sum_\lambda f^\lambda s_\lambda(1^V) = V^L$,
    and $\sum_\lambda s_\lambda(1^V)^2 = \binom{L+V^2-1}{V^2-1}$ is the number of orbits on pairs.
    So a kernel with $k(gx, gy) = k(x, y)$ has one number for each contingency table, and one block
    of size $s_\lambda(1^V)$, repeated $f^\lambda$ times, for each irrep.
    """
    length, letters = case
    at_most(length, 24, "positions")
    at_most(letters, 100, "letters")
    found = word_decomposition(length, letters)
    if found != word_character(length, letters).decompose():
        return Fails("the character decomposes otherwise")
    for shape in partitions(length):
        number = times(shape.parts, letters) if len(shape) <= letters else 0
        if length <= _BINS:
            # The mean over all permutations of the character times the number of words kept.
            counted = sum(
                class_size(mu) * character_by_bins(shape.parts, mu) * letters ** len(mu)
                for mu in partitions_of(length)
            )
            if counted != factorial(length) * number:
                return Fails(f"({shape}) does not occur {number} times")
        if found.get(shape, 0) != number:
            return Fails(f"({shape}) occurs {found.get(shape, 0)} times, not {number}")
    if sum(n * shape.dim for shape, n in found.items()) != letters**length:
        return Fails(f"the dimensions do not add up to {letters**length} words")
    squares = sum(n**2 for n in found.values())
    orbits = orbits_on_pairs(length, letters)
    if not squares == orbits == comb(length + letters**2 - 1, letters**2 - 1):
        return Fails(f"{squares} entries in all blocks, {orbits} orbits on pairs")
    return _in_blocks(length, letters, meeting) if letters**length <= _SQUARE else True


def _in_blocks(
    length: int, letters: int, meeting: Callable[[Word, Word], Any]
) -> Certificate | Fails:
    """The blocks of a kernel with a number of its own for every contingency table."""
    words = list(product(range(1, letters + 1), repeat=length))
    numbers: dict[Any, int] = {}
    kernel = {(x, y): numbers.setdefault(meeting(x, y), len(numbers)) for x in words for y in words}
    for (x, y), value in kernel.items():
        for i in range(length - 1):
            gx, gy = ((*w[:i], w[i + 1], w[i], *w[i + 2 :]) for w in (x, y))
            if kernel[gx, gy] != value:
                return Fails(f"positions {i + 1}, {i + 2} exchanged: k{x, y} is not k{gx, gy}")
    rows = Matrix([[kernel[x, y] for y in words] for x in words])
    form = block_form(Action.words(length, letters), rows)
    for block in form.blocks:
        copies = len(set(block.partition.semistandard_tableaux(letters)))
        if block.matrix.shape != (copies, copies) or block.repeats != block.partition.dim:
            return Fails(f"the block of ({block.partition}) is {block.matrix.shape}")
    return block_certificate(form, rows)


# --- tabloids -------------------------------------------------------------------------------------
def _filled(parts: Parts, weight: Parts, rows_strict: bool = False) -> int:
    """How many fillings have weakly rising rows and strictly rising columns, cell by cell."""
    cells = [(i, j) for i, part in enumerate(parts) for j in range(part)]
    placed: dict[tuple[int, int], int] = {}
    left = list(weight)

    def place(k: int) -> int:
        if k == len(cells):
            return 1
        i, j = cells[k]
        least = placed.get((i, j - 1), 0) + (rows_strict and j > 0)
        above = placed.get((i - 1, j), -1) + (not rows_strict)
        total = 0
        for letter in range(max(least, above, 0), len(left)):
            if left[letter]:
                left[letter] -= 1
                placed[i, j] = letter
                total += place(k + 1)
                del placed[i, j]
                left[letter] += 1
        return total

    return place(0)


@claim(
    "young.young-rule",
    source="Sagan, section 2.11",
    category="theorem",
    cases=lambda max_size=6: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(7),
    applies=is_partition,
    near_misses=[
        NearMiss("rows strict, columns weak: the signed module", (2,), {"rows_strict": True})
    ],
)
def young_rule(mu: Parts, rows_strict: bool = False) -> bool | Fails:
    r"""$M^\mu = \bigoplus_\lambda K_{\lambda\mu} S^\lambda$: the functions on tabloids of shape
    $\mu$ contain $S^\lambda$ as often as there are semistandard tableaux of shape $\lambda$ and
    weight $\mu$. These are filled in one by one.
    """
    n = sum(mu)
    at_most(n, 8, "cells")
    weight = Partition(*mu)
    found = Action.tabloids(weight).decompose()
    column = [shape.parts for shape in partitions(n)].index(mu)
    for row, shape in enumerate(partitions(n)):
        wanted = _filled(shape.parts, mu, rows_strict)
        roads = {
            "the module": found.get(shape, 0),
            "kostka()": kostka(shape, weight),
            "kostka() with the weight turned round": kostka(shape, mu[::-1]),
            "the table": int(kostka_table(n)[row, column]),
        }
        for road, number in roads.items():
            if number != wanted:
                return Fails(f"{wanted} tableaux of shape ({shape}), {road} has {number}")
    return True


# --- products -------------------------------------------------------------------------------------
def _induced(shape: Parts, first: Parts, second: Parts) -> int:
    """How often first x second occurs in the restriction of a shape, by characters."""
    total = sum(
        class_size(mu)
        * class_size(nu)
        * character_by_bins(shape, tuple(sorted(mu + nu, reverse=True)))
        * character_by_bins(first, mu)
        * character_by_bins(second, nu)
        for mu in partitions_of(sum(first))
        for nu in partitions_of(sum(second))
    )
    return total // (factorial(sum(first)) * factorial(sum(second)))


@claim(
    "young.littlewood-richardson",
    source="Sagan, section 4.9",
    category="theorem",
    cases=lambda max_size=6: (
        (first, second)
        for n in range(2, max_size + 1)
        for a in range(1, n)
        for first, second in product(partitions_of(a), partitions_of(n - a))
    ),
    boundary=((1,), (1,)),
    strategy=drawn_pair(4, same=False),
    applies=record(is_partition, is_partition),
    near_misses=[
        NearMiss("each at most once", ((2, 1), (2, 1)), {"most": 1}),
        NearMiss("the second shape turned round", ((1,), (2,)), {"turned": True}),
    ],
)
def littlewood_richardson_rule(
    case: tuple[Parts, Parts], most: int | None = None, turned: bool = False
) -> bool | Fails:
    r"""$S^\mu \otimes S^\nu$, induced from $S_a \times S_b$ to $S_{a+b}$, contains $S^\lambda$ as
    often as lattice fillings of $\lambda/\mu$ have weight $\nu$; with a row or a column $\nu$, once
    for each strip (Pieri). By Frobenius these are the pairs in the restriction of $S^\lambda$.
    Compared with inner products of characters.
    """
    first, second = map(Partition, case)
    n = first.size + second.size
    at_most(n, 9, "cells")
    found = littlewood_richardson(first, second.conjugate if turned else second)
    for shape in partitions(n):
        wanted = _induced(shape.parts, *case)
        wanted = wanted if most is None else min(wanted, most)
        number = littlewood_richardson_coefficient(shape, first, second)
        back = restriction(shape, first.size).get((first, second), 0)
        if not found.get(shape, 0) == number == back == wanted:
            return Fails(f"({shape}) occurs {found.get(shape, 0)} times, not {wanted}")
        for vertical in (False, True):
            if second.parts == ((1,) * second.size if vertical else (second.size,)):
                strips = pieri(first, second.size, vertical=vertical)
                if strips.get(shape, 0) != wanted:
                    return Fails(f"{strips.get(shape, 0)} strips lead to ({shape}), not {wanted}")
    return True


@claim(
    "young.kronecker",
    source="Sagan, section 1.11 (tensor products), for S_n",
    category="theorem",
    cases=lambda max_size=5: pairs_of_partitions(max_size),
    boundary=((1,), (1,)),
    strategy=drawn_pair(7),
    applies=record(is_partition, is_partition, where=lambda x, y: sum(x) == sum(y)),
    near_misses=[
        NearMiss("the second shape turned round", ((2,), (2,)), {"turned": True}),
        NearMiss("classes counted once each", ((2, 1), (2, 1)), {"size": lambda mu: 1}),
    ],
)
def kronecker_product(
    case: tuple[Parts, Parts], turned: bool = False, size: Callable[[Parts], int] = class_size
) -> bool | Fails:
    r"""$S^\mu \otimes S^\nu$ contains $S^\lambda$ as often as the mean over $S_n$ of the product of
    the three characters says.
    """
    n = sum(case[0])
    at_most(n, 8, "cells")
    first, second = map(Partition, case)
    found = kronecker(first, second.conjugate if turned else second)
    for shape in partitions(n):
        total = sum(
            size(mu)
            * character_by_bins(shape.parts, mu)
            * character_by_bins(case[0], mu)
            * character_by_bins(case[1], mu)
            for mu in partitions_of(n)
        )
        number = found.get(shape, 0)
        if number * factorial(n) != total:
            return Fails(f"({shape}) occurs {number} times, the mean is {total} / {n}!")
        if not turned and kronecker_coefficient(first, second, shape) != number:
            return Fails(f"the coefficient of ({shape}) is not {number}")
    return True


# --- the group algebra ----------------------------------------------------------------------------
def _content(row: int, column: int) -> int:
    return column - row


@claim(
    "young.jucys-murphy",
    source="Okounkov and Vershik, A new approach to representation theory of symmetric groups",
    category="theorem",
    cases=lambda max_size=5: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(5),
    applies=is_partition,
    near_misses=[
        NearMiss("rows and columns exchanged", (2, 1), {"content": lambda i, j: i - j}),
        NearMiss("the number of the row", (2, 1), {"content": lambda i, j: i}),
    ],
)
def contents(parts: Parts, content: Callable[[int, int], int] = _content) -> bool | Fails:
    r"""$X_k = (1\,k) + \dots + (k{-}1\,k)$ is diagonal in the seminormal form of $S^\lambda$; its
    eigenvalue on the vector of a standard tableau is the content, column minus row, of $k$. And the
    Young symmetriser $c$ of a tableau, multiplied out, has $c^2 = (n!/f^\lambda)\, c$.
    """
    n = sum(parts)
    at_most(n, 5, "cells")
    shape = Partition(*parts)
    tableaux = list(shape.standard_tableaux())
    for k in range(1, n + 1):
        matrix = jucys_murphy(n, k).matrix(Representation(shape))
        for a, tableau in enumerate(tableaux):
            (place,) = [(i, row.index(k)) for i, row in enumerate(tableau.rows) if k in row]
            wanted = content(*place)
            if any(matrix[a, b] != (wanted if a == b else 0) for b in range(shape.dim)):
                return Fails(f"X_{k} has row {matrix.rows[a]} at {tableau.rows}, not {wanted}")
    return _symmetriser(tableaux[0])


def _symmetriser(tableau: Tableau) -> bool | Fails:
    n, rows = tableau.size, tableau.rows
    columns = [[row[j] for row in rows if j < len(row)] for j in range(len(rows[0]))]

    def keeping(blocks: Any) -> list[tuple[int, ...]]:
        block = {entry: k for k, entries in enumerate(blocks) for entry in entries}
        every = permutations(range(1, n + 1))
        return [g for g in every if all(block[g[a - 1]] == block[a] for a in range(1, n + 1))]

    def times(one: dict[Any, int], two: dict[Any, int]) -> dict[Any, int]:
        found: dict[Any, int] = {}
        for (g, c), (h, d) in product(one.items(), two.items()):
            gh = tuple(g[image - 1] for image in h)
            found[gh] = found.get(gh, 0) + c * d
        return {g: c for g, c in found.items() if c}

    signed = {g: sign(g) for g in keeping(columns)}
    wanted = times(signed, dict.fromkeys(keeping(rows), 1))
    element = young_symmetriser(tableau)
    if {g.images: c for g, c in element.items} != wanted:
        return Fails("the symmetriser is not columns, with signs, times rows")
    factor = Fraction(factorial(n), tableau.shape.dim)
    if times(wanted, wanted) != {g: factor * c for g, c in wanted.items()}:
        return Fails(f"its square is not {factor} times itself")
    return element * element == element * factor or Fails("the library's square is another")


# --- projectors -----------------------------------------------------------------------------------
def _points(kind: str, n: int) -> tuple[Action, Callable[[tuple[int, ...], Any], Any]]:
    """Points that S_n moves, and how a permutation does it."""
    if kind == "subsets":

        def image(g: tuple[int, ...], point: Any) -> Any:
            return tuple(sorted(g[a - 1] + 1 for a in point))

        return Action.subsets(n, n // 2), image

    def moved(g: tuple[int, ...], word: Any) -> Any:
        found = list(word)
        for a, letter in enumerate(word):
            found[g[a]] = letter
        return tuple(found)

    if kind == "words":
        return Action.words(n, 2), moved
    # (4, 1, 1) and (3, 3) occur in (3, 2, 1): the first shapes whose contents have one sum.
    parts = [3, 2, 1] if n == 6 else [2, *[1] * (n - 2)]
    return Action.tabloids(Partition(parts)), moved


@claim(
    "young.projectors",
    source="Serre, Linear Representations of Finite Groups, section 2.6",
    category="theorem",
    cases=[
        ("subsets", 4), ("subsets", 5), ("words", 3), ("words", 4), ("tabloids", 4), ("tabloids", 6)
    ],
    boundary=("words", 2),
    strategy=drawn(
        lambda st: st.tuples(st.sampled_from(["subsets", "words", "tabloids"]), st.integers(2, 4))
    ),
    applies=record(one_of("subsets", "words", "tabloids"), integer(2)),
    near_misses=[NearMiss("characters times signs", ("words", 3), {"signed": True})],
)  # fmt: skip
def projectors(case: tuple[str, int], signed: bool = False) -> bool | Fails:
    r"""The projector to all copies of $S^\lambda$ in the functions on some points is
    $\frac{f^\lambda}{n!} \sum_g \chi^\lambda(g)\, g$, summed over all permutations one by one.
    """
    kind, n = case
    at_most(n, 6, "points")
    action, image = _points(kind, n)
    points = list(action.points)
    place = {point: k for k, point in enumerate(points)}
    # Where a point goes, and how often by a permutation of each type.
    went: dict[Parts, Counter[tuple[int, int]]] = {mu: Counter() for mu in partitions_of(n)}
    for g in permutations(range(n)):
        went[cycle_type(g)].update((place[image(g, point)], y) for y, point in enumerate(points))
    for shape in partitions(n):
        total = [[0] * len(points) for _ in points]
        for mu, pairs in went.items():
            chi = character_by_bins(shape.parts, mu) * ((-1) ** (n - len(mu)) if signed else 1)
            for (x, y), times in pairs.items():
                total[x][y] += chi * times
        scale = Fraction(shape.dim, factorial(n))
        known = {value: scale * value for row in total for value in row}
        found = isotypic_projector(action, shape)
        if any(
            own != tuple(known[value] for value in row)
            for own, row in zip(found.rows, total, strict=True)
        ):
            return Fails(f"the projector to ({shape}) is another matrix")
        vector = [Fraction((-1) ** k, k % 6 + 1) for k in range(len(points))]
        part = [scale * sum(t * v for t, v in zip(row, vector, strict=True) if t) for row in total]
        if list(project(action, shape, vector)) != part:
            return Fails(f"a function has another part in ({shape})")
    return True


# --- adapted bases --------------------------------------------------------------------------------
@claim(
    "young.adapted-basis",
    source="Young's seminormal form: Okounkov and Vershik, A new approach to representation theory "
    "of symmetric groups",
    category="definition",
    cases=[("subsets", 4), ("subsets", 5), ("words", 3), ("words", 4), ("tabloids", 4)],
    boundary=("words", 2),
    strategy=drawn(
        lambda st: st.tuples(st.sampled_from(["subsets", "words", "tabloids"]), st.integers(2, 4))
    ),
    applies=record(one_of("subsets", "words", "tabloids"), integer(2)),
    near_misses=[
        NearMiss("distances with the other sign", ("words", 3), {"turned": -1}),
        NearMiss("the other tableau without the one", ("words", 4), {"one": 0}),
    ],
)
def adapted(case: tuple[str, int], turned: int = 1, one: int = 1) -> bool | Fails:
    r"""The columns of an adapted basis are independent functions $v_T$ on the points, one for each
    irreducible, copy and standard tableau $T$, and
    $s_i v_T = \frac1r v_T + (1 + \frac1r) v_{s_i T}$ with $r$ the content of $i + 1$ less that of
    $i$; the last term is missing where $s_i T$ is not standard.
    """
    kind, n = case
    at_most(n, 5, "points")
    action, image = _points(kind, n)
    points = list(action.points)
    basis = adapted_basis(action)
    columns = list(zip(*basis.matrix.rows, strict=True))
    if rank(columns) != len(points) or len(columns) != len(points):
        return Fails(f"{len(columns)} functions are no basis for {len(points)} points")
    place = {point: k for k, point in enumerate(points)}
    start = 0
    for shape, copies in basis.pieces:
        tableaux: list[Any] = [t.rows for t in shape.standard_tableaux()]
        for _ in range(copies):
            own = dict(zip(tableaux, columns[start : start + len(tableaux)], strict=True))
            start += len(tableaux)
            for (rows, v), i in product(own.items(), range(1, n)):
                where = {
                    x: turned * (b - a) for a, row in enumerate(rows) for b, x in enumerate(row)
                }
                swap = {i: i + 1, i + 1: i}
                other = tuple(tuple(swap.get(x, x) for x in row) for row in rows)
                r = Fraction(1, where[i + 1] - where[i])
                w = own.get(other, [0] * len(points))
                g = (*range(i - 1), i, i - 1, *range(i + 1, n))
                if any(v[place[image(g, point)]] != r * v[k] + (one + r) * w[k]
                       for k, point in enumerate(points)):  # fmt: skip
                    return Fails(f"s_{i} moves the function of {rows} elsewhere")
    return True


# --- injections -----------------------------------------------------------------------------------
@claim(
    "young.partial-injections",
    source="Solomon, Representations of the rook monoid: its order",
    category="count",
    cases=lambda max_places=4: range(max_places + 1),
    boundary=0,
    strategy=drawn(lambda st: st.integers(0, 4)),
    applies=integer(0),
    near_misses=[NearMiss("only which places meet, not in which order", 2, {"ordered": False})],
)
def partial_injections(places: int, ordered: bool = True) -> bool | Fails:
    r"""Two injections of $s$ places into $2s$ positions meet in $\sum_k \binom sk^2 k!$ ways, the
    orbits of all permutations of the positions on pairs of them. The blocks of an operator on
    functions of injections that commutes with the permutations have as many entries: one block for
    each shape that grows from the row $(s)$ by $s$ boxes, with a row for each way to grow it.
    """
    at_most(places, 5, "places")
    ways: set[Any] = set()
    for other in permutations(range(2 * places), places):
        # The first injection is 0, 1, ...: position a is its place a.
        pairs = [(a, b) for b, a in enumerate(other) if a < places]
        ways.add(frozenset(pairs) if ordered else tuple(map(frozenset, zip(*pairs, strict=True))))
    if meetings(places) != len(ways):
        return Fails(f"two injections meet in {len(ways)} ways, not {meetings(places)}")
    if places > 3:
        return True
    target = from_function(
        lambda w: sum(3**a * x for a, x in enumerate(w)), variables=places, vocabulary=2
    )
    blocks = blocks_by_places(target, 2 * places, Iid(Fraction(1, 3), Fraction(2, 3)))
    squares = sum(block.shape[0] ** 2 for block in blocks.values())
    return squares == len(ways) or Fails(f"the blocks have {squares} entries, not {len(ways)}")


# --- the Johnson scheme ---------------------------------------------------------------------------
def _disjoint(m: int) -> list[tuple[int, int]]:
    return [(2 * j, 2 * j + 1) for j in range(m)]


@claim(
    "young.johnson",
    source="Delsarte: Bannai and Ito, Algebraic Combinatorics I, section III.2",
    category="theorem",
    cases=lambda max_points=7: (
        (points, size) for points in range(1, max_points + 1) for size in range(points + 1)
    ),
    boundary=(1, 0),
    strategy=drawn(
        lambda st: st.integers(1, 8).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n)))
    ),
    applies=record(integer(1), integer(0), where=lambda points, size: size <= points),
    near_misses=[
        NearMiss(
            "pairs that share a point",
            (4, 2),
            {"pairs": lambda m: [(0, j + 1) for j in range(m)]},
        )
    ],
)
def johnson(
    case: tuple[int, int], pairs: Callable[[int], list[tuple[int, int]]] = _disjoint
) -> bool | Fails:
    r"""On the $d$-subsets of $L$ points, $m \le \min(d, L-d)$ disjoint pairs $(a_j, b_j)$ give an
    eigenfunction $A \mapsto \prod_j (1[a_j \in A] - 1[b_j \in A])$ of the matrix of pairs at
    distance $i$, with eigenvalue
    $E_i(m) = \sum_j (-1)^j \binom mj \binom{d-m}{i-j} \binom{L-d-m}{i-j}$. The projector to
    $(L-m, m)$ keeps it, has the trace $\binom Lm - \binom L{m-1}$, and takes the others to zero.
    """
    points, size = case
    at_most(comb(points, size), 100, "subsets")
    subsets = [frozenset(chosen) for chosen in combinations(range(points), size)]
    top = min(size, points - size)
    functions = []
    for m in range(top + 1):
        function = []
        for chosen in subsets:
            value = 1
            for a, b in pairs(m):
                value *= (a in chosen) - (b in chosen)
            function.append(value)
        functions.append(function)

    def applied(entries: Any, function: list[int]) -> list[Any]:
        return [
            sum(entries[len(x - y)] * v for y, v in zip(subsets, function, strict=True) if v)
            for x in subsets
        ]

    for m, function in enumerate(functions):
        for i in range(top + 1):
            eigenvalue = johnson_eigenvalue(points, size, i, m)
            near = [int(j == i) for j in range(top + 1)]
            if applied(near, function) != [eigenvalue * v for v in function]:
                return Fails(f"m = {m}: distance {i} does not have the eigenvalue {eigenvalue}")
        projector = johnson_projector(points, size, m)
        if projector[0] * len(subsets) != comb(points, m) - (comb(points, m - 1) if m else 0):
            return Fails(f"m = {m}: the projector has the trace {projector[0] * len(subsets)}")
        for k, other in enumerate(functions):
            if applied(projector, other) != [v * (k == m) for v in other]:
                return Fails(f"the projector to m = {m} is wrong at m = {k}")
    return True
