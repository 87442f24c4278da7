"""Textbook theorems on tableaux, permutations and forms of the irreducibles (`young.*`).

The other road fills diagrams with all numbers, composes maps point by point, and inserts letters
into rows one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import factorial
from typing import Any

from symbench.papers._cases import at_most, drawn, integer, is_partition, many, number, record
from symbench.papers._second_roads import rank
from symbench.papers._symmetric_groups import (
    Images,
    Parts,
    character_by_bins,
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
    ClassFunction,
    Partition,
    Permutation,
    Representation,
    SemistandardTableaux,
    StandardTableaux,
    Surd,
    Tableau,
    interval,
    partitions,
    specht_polynomial,
    young_lattice,
)
from symbench.young.representation import trace

Filling = tuple[tuple[int, ...], ...]
# Fillings of a diagram are gone through up to this many.
_FILLINGS = 20_000


# --- tableaux -------------------------------------------------------------------------------------
def _fillings(outer: Parts, inner: Parts, letters: int) -> Iterator[list[list[int | None]]]:
    """All ways to write letters into the cells of a skew diagram."""
    holes = (*inner, *[0] * (len(outer) - len(inner)))
    widths = [part - hole for part, hole in zip(outer, holes, strict=True)]
    for word in product(range(1, letters + 1), repeat=sum(widths)):
        rows, rest = [], list(word)
        for hole, width in zip(holes, widths, strict=True):
            rows.append([*[None] * hole, *rest[:width]])
            rest = rest[width:]
        yield rows


def _rises(rows: list[list[int | None]], strict: bool) -> bool:
    """Whether rows rise weakly (strictly, where asked) and columns rise strictly."""
    for i, row in enumerate(rows):
        for j, entry in enumerate(row):
            left = row[j - 1] if j else None
            above = rows[i - 1][j] if i else None
            if entry is None:
                continue
            if left is not None and (left > entry or (strict and left == entry)):
                return False
            if above is not None and above >= entry:
                return False
    return True


def _inside(outer: Parts, inner: Parts, letters: int) -> bool:
    fits = len(inner) <= len(outer) and all(a >= b for a, b in zip(outer, inner, strict=False))
    return fits and letters >= 1


def _shapes_with_holes(max_size: int = 5, letters: int = 3) -> Iterator[tuple[Parts, Parts, int]]:
    for n in range(1, max_size + 1):
        for shape in partitions_of(n):
            yield shape, (), letters
    for outer, inner in (((3, 2), (1,)), ((3, 3, 1), (2, 1)), ((2, 2, 1), (1, 1)), ((4, 2), (2,))):
        yield outer, inner, letters


_PARTS = many(integer(1), 0)


@claim(
    "young.tableaux",
    source="Sagan, sections 2.1, 2.9 and 4.4",
    category="definition",
    cases=_shapes_with_holes,
    boundary=((1,), (), 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(list(partitions_up_to(5))),
            st.just(()),
            st.integers(1, 3),
        )
    ),
    applies=record(is_partition, _PARTS, integer(1), where=_inside),
    near_misses=[
        NearMiss("columns that rise weakly", ((2, 2), (), 2), {"weakly": True}),
        NearMiss("the holes are filled too", ((3, 2), (1,), 2), {"holes": False}),
    ],
)
def tableaux(
    case: tuple[Parts, Parts, int], weakly: bool = False, holes: bool = True
) -> bool | Fails:
    """A semistandard tableau has rows that rise weakly and columns that rise strictly, a standard
    one the numbers 1, ..., n, each once; skew ones leave cells out. The lists hold all of them,
    each once, as many as they say, and each at its place. A descent of a standard tableau is an i
    with i + 1 in a lower row.
    """
    outer, inner, letters = case
    cells = sum(outer) - sum(inner)
    at_most(letters**cells, _FILLINGS, "fillings")
    at_most(cells, 7, "cells")
    hole = Partition(*inner) if holes else Partition()
    found = SemistandardTableaux(Partition(*outer), letters, inner=hole)
    wanted = []
    for rows in _fillings(outer, inner, letters):
        good = all(_rises([row], False) for row in rows) if weakly else _rises(rows, False)
        if Tableau(rows).is_semistandard != good:
            return Fails(f"{rows} is {'' if good else 'not '}semistandard")
        wanted += [tuple(map(tuple, rows))] if good else []
    if found.count != len(wanted) or Counter(t.rows for t in found) != Counter(wanted):
        return Fails(f"{found.count} semistandard tableaux, not {len(wanted)}")
    return _standard(outer, inner)


def _standard(outer: Parts, inner: Parts) -> bool | Fails:
    cells = sum(outer) - sum(inner)
    listed = StandardTableaux(Partition(*outer), inner=Partition(*inner))
    holes = (*inner, *[0] * (len(outer) - len(inner)))
    wanted = set()
    for order in permutations(range(1, cells + 1)):
        rows, rest = [], list(order)
        for part, hole in zip(outer, holes, strict=True):
            rows.append([*[None] * hole, *rest[: part - hole]])
            rest = rest[part - hole :]
        if _rises(rows, True):
            wanted.add(tuple(map(tuple, rows)))
    if listed.count != len(wanted) or {t.rows for t in listed} != wanted:
        return Fails(f"{listed.count} standard tableaux, not {len(wanted)}")
    for k, tableau in enumerate(listed):
        if not tableau.is_standard or listed[k] != tableau or listed.index(tableau) != k:
            return Fails(f"{tableau.rows} is not number {k}")
        row = {x: i for i, entries in enumerate(tableau.rows) for x in entries if x}
        down = tuple(i for i in range(1, cells) if row[i + 1] > row[i])
        if tableau.descents != down:
            return Fails(f"{tableau.rows} has the descents {down}")
    return True


def _toggled(rows: Filling, i: int) -> Filling:
    """i and i + 1 exchanged, if the tableau stays standard."""
    swap = {i: i + 1, i + 1: i}
    moved = tuple(tuple(swap.get(x, x) for x in row) for row in rows)
    return moved if _rises([list(row) for row in moved], True) else rows


def _inserted(word: tuple[int, ...]) -> Filling:
    """Schensted's insertion into rows."""
    rows: list[list[int]] = []
    for letter in word:
        for row in rows:
            place = next((k for k, x in enumerate(row) if x > letter), None)
            if place is None:
                row.append(letter)
                break
            row[place], letter = letter, row[place]
        else:
            rows.append([letter])
    return tuple(map(tuple, rows))


@claim(
    "young.evacuation",
    source="Sagan, section 3.9 (Schützenberger); Stanley, Promotion and evacuation",
    category="theorem",
    cases=lambda max_size=6: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(6),
    applies=is_partition,
    near_misses=[
        NearMiss("the reversed word", (3, 2), {"complement": False}),
        NearMiss("all exchanges but the last", (3, 2), {"last": 2}),
    ],
)
def evacuation(parts: Parts, complement: bool = True, last: int = 1) -> bool | Fails:
    """Promotion exchanges 1 and 2, then 2 and 3, and so on, wherever the tableau stays standard.
    Evacuation turns the tableau that a word inserts into that of the reversed word with letters x
    replaced by n + 1 - x.
    """
    n = sum(parts)
    at_most(n, 8, "cells")
    for tableau in Partition(*parts).standard_tableaux():
        rows: Any = tableau.rows
        for i in range(1, n + 1 - last):
            rows = _toggled(rows, i)
        if tableau.promotion().rows != rows:
            return Fails(f"the promotion of {tableau.rows} is {rows}")
        word = [x for row in reversed(tableau.rows) for x in row if x is not None]
        turned = tuple(n + 1 - x if complement else x for x in reversed(word))
        if tableau.evacuation().rows != _inserted(turned):
            return Fails(f"the evacuation of {tableau.rows} is {_inserted(turned)}")
    return True


# --- permutations ---------------------------------------------------------------------------------
def _composed(g: Images, h: Images) -> Images:
    return tuple(g[b] for b in h)


@claim(
    "young.permutations",
    source="Sagan, section 1.1",
    category="definition",
    cases=lambda degree=5: permutations(range(degree)),
    boundary=(),
    strategy=drawn(
        lambda st: st.integers(0, 7).flatmap(lambda n: st.permutations(range(n)).map(tuple))
    ),
    applies=lambda g: many(integer(0), 0)(g) and sorted(g) == list(range(len(g))),
    near_misses=[
        NearMiss("a word moved back", (1, 2, 0), {"back": True}),
        NearMiss("products from the left", (1, 2, 0, 3), {"left": True}),
    ],
)
def permutation(g: Images, back: bool = False, left: bool = False) -> bool | Fails:
    """(g h)(a) = g(h(a)), powers are repeated products, the letter at a goes to g(a), the sign
    counts inversions, and a reduced word multiplies to g with as many letters as there are. The
    class of g has n!/z elements, z the permutations that commute with it.
    """
    n = len(g)
    at_most(n, 8, "points")
    one = Permutation(*(b + 1 for b in g))
    other = tuple(reversed(range(n)))
    product_of = _composed(other, g) if left else _composed(g, other)
    if (one * Permutation(*(b + 1 for b in other))).images != tuple(b + 1 for b in product_of):
        return Fails("the product is another one")
    power = tuple(range(n))
    for exponent in range(7):
        if (one**exponent).images != tuple(b + 1 for b in power):
            return Fails(f"the power {exponent} is {power}")
        power = _composed(g, power)
    letters = "abcdefgh"[:n]
    moved = {(a if back else g[a]): letters[g[a] if back else a] for a in range(n)}
    if one.act(letters) != tuple(moved[a] for a in range(n)):
        return Fails(f"{letters} goes to {moved}")
    inversions = sum(a > b for a, b in combinations(g, 2))
    found = tuple(range(n))
    for i in one.reduced_word():
        swap = (*range(i - 1), i, i - 1, *range(i + 1, n))
        found = _composed(found, swap)
    if found != g or len(one.reduced_word()) != inversions or one.length != inversions:
        return Fails(f"there are {inversions} inversions")
    kind = one.cycle_type
    if kind.parts != cycle_type(g) or not one.sign == kind.sign == (-1) ** inversions:
        return Fails(f"the sign is {(-1) ** inversions}, the cycles {cycle_type(g)}")
    if n <= 5:
        group = list(permutations(range(n)))
        commute = sum(_composed(h, g) == _composed(g, h) for h in group)
        if (kind.centralizer_order, kind.class_size) != (commute, factorial(n) // commute):
            return Fails(f"{commute} permutations commute with it")
    return True


# --- partitions -----------------------------------------------------------------------------------
@claim(
    "young.dominance",
    source="Sagan, sections 2.2 and 2.11",
    category="theorem",
    cases=lambda max_size=6: pairs_of_partitions(max_size),
    boundary=((1,), (1,)),
    strategy=drawn_pair(9),
    applies=record(is_partition, is_partition, where=lambda a, b: sum(a) == sum(b)),
    near_misses=[
        NearMiss("in the order of the dictionary", ((4, 1, 1), (3, 3)), {"sums": False}),
        NearMiss("conjugates in the same order", ((3,), (2, 1)), {"turned": False}),
    ],
)
def dominance(case: tuple[Parts, Parts], sums: bool = True, turned: bool = True) -> bool | Fails:
    """A partition dominates another if each of its first parts add up to at least as much; their
    conjugates are in the opposite order. The list of all partitions of n has their dimensions.
    """
    first, second = case
    n = sum(first)
    at_most(n, 20, "boxes")
    one, two = Partition(*first), Partition(*second)
    ahead = all(sum(first[:k]) >= sum(second[:k]) for k in range(n + 1))
    holds = ahead if sums else first >= second
    if one.dominates(two) != holds:
        return Fails(f"{first} {'dominates' if holds else 'does not dominate'} {second}")
    pair = (two.conjugate, one.conjugate) if turned else (one.conjugate, two.conjugate)
    if pair[0].dominates(pair[1]) != holds:
        return Fails("the conjugates are not in the opposite order")
    listed = partitions(n)
    if listed.dimensions() != [Partition(*parts).dim for parts in partitions_of(n)]:
        return Fails(f"the dimensions of the partitions of {n} are others")
    return True


@claim(
    "young.reciprocity",
    source="Sagan, sections 1.12 and 2.8 (Frobenius)",
    category="theorem",
    cases=lambda max_size=6: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(7),
    applies=is_partition,
    near_misses=[
        NearMiss("one more box in the first row only", (2, 1), {"rows": 1}),
        NearMiss("values, not classes, are averaged", (2, 1), {"weighted": False}),
    ],
)
def reciprocity(parts: Parts, rows: int | None = None, weighted: bool = True) -> bool | Fails:
    """An irreducible of S_n induced to S_(n+1) is the sum of those with one box more, and each of
    these restricted to S_n contains it once; induced to a permutation with m fixed points its
    character has m times the value without one of them.
    """
    n = sum(parts)
    at_most(n, 8, "boxes")
    own = ClassFunction.irreducible(Partition(*parts))
    padded = (*parts, 0)
    taller = [(*padded[:i], padded[i] + 1, *padded[i + 1 :]) for i in range(len(padded))[:rows]]
    above = set(filter(is_partition, (tuple(x for x in found if x) for found in taller)))
    induced = own.induce()
    if induced.decompose() != {Partition(*shape): 1 for shape in above}:
        return Fails(f"induced it is {induced.decompose()}")
    for kind in partitions_of(n + 1):
        ones = kind.count(1)
        wanted = ones * character_by_bins(parts, kind[:-1]) if ones else 0
        if n <= 5 and induced(Partition(*kind)) != wanted:
            return Fails(f"the induced character is {wanted} at {kind}")
    for shape in above:
        found = ClassFunction.irreducible(Partition(*shape)).restrict().inner(own)
        if found != 1:
            return Fails(f"{shape} restricted contains it {found} times")
    sizes = [Partition(*kind).class_size if weighted else 1 for kind in partitions_of(n)]
    total = sum(s * v * v for s, v in zip(sizes, own.values, strict=True))
    if Fraction(total, factorial(n)) != own.inner(own) or own.inner(own) != 1:
        return Fails(f"the mean of the squares is {Fraction(total, factorial(n))}")
    return True


# --- forms of the irreducibles --------------------------------------------------------------------
@claim(
    "young.forms",
    source="Young's orthogonal form; Sagan, sections 2.5 to 2.7 (Garnir)",
    category="theorem",
    cases=[(2, 1), (2, 2), (3, 1, 1), (2, 2, 1), (3, 2, 1), (5, 2), (7, 1)],
    boundary=(1,),
    strategy=drawn_partition(5),
    applies=is_partition,
    near_misses=[
        NearMiss("rows for columns in the distance", (2, 1), {"turned": True}),
        NearMiss("roots without the one", (3, 1), {"one": 0}),
    ],
)
def forms(parts: Parts, turned: bool = False, one: int = 1) -> bool | Fails:
    r"""In the orthogonal form $s_i$ has $1/r$ at a tableau, $r$ the distance of the contents of $i$
    and $i + 1$, and $\sqrt{1 - 1/r^2}$ between it and the tableau with the two exchanged. The
    natural form, of polytabloids, is by integers, a homomorphism, and has the same characters.
    """
    shape, n = Partition(*parts), sum(parts)
    at_most(shape.dim, 30, "dimensions")
    at_most(n, 9, "letters")
    listed: list[Any] = [t.rows for t in shape.standard_tableaux()]
    for i in range(1, n):
        found = Representation(shape, form="orthogonal")(Permutation.adjacent(n, i))
        for a, b in product(range(len(listed)), repeat=2):
            content = {x: (i - j if turned else j - i) for i, row in enumerate(listed[b])
                       for j, x in enumerate(row)}  # fmt: skip
            r = Fraction(content[i + 1] - content[i])
            square, sign = Fraction(0), 1
            if a == b:
                square, sign = 1 / r**2, 1 if r > 0 else -1
            elif listed[a] == _toggled(listed[b], i):
                square = one - 1 / r**2
            entry = found[a, b]
            if entry.coefficient**2 * entry.radicand != square or sign * entry.coefficient < 0:
                return Fails(f"s_{i} has {entry} at {a}, {b}")
    natural = Representation(shape, form="natural")
    moves = [Permutation.adjacent(n, i) for i in range(1, n)]
    for g, h in product(moves, repeat=2) if n < 8 else ():
        if natural(g) @ natural(h) != natural(g * h):
            return Fails(f"the natural form does not multiply at {g} and {h}")
    for kind in partitions_of(n) if n < 6 else ():
        if trace(natural(Permutation.of_type(Partition(*kind)))) != character_by_bins(parts, kind):
            return Fails(f"the natural form has another character at {kind}")
    return True


@claim(
    "young.surds",
    source="The definition of a square root, and the square part of a number",
    category="definition",
    cases=lambda most=100: [*product((1, Fraction(-2, 3)), range(1, most)), (1, 2592), (3, 3125)],
    boundary=(0, 1),
    strategy=drawn(
        lambda st: st.tuples(st.fractions(-9, 9, max_denominator=9), st.integers(1, 5000))
    ),
    applies=record(number(), integer(1)),
    near_misses=[
        NearMiss("cubes are taken out of the root", (1, 8), {"power": 3}),
        NearMiss("a radicand that keeps its squares", (1, 12), {"power": 4}),
    ],
)
def surds(case: tuple[Fraction, int], power: int = 2) -> bool | Fails:
    r"""A surd $c \sqrt n$ is kept with the largest square factor of $n$ taken out of the root: the
    radicand has no square factor but 1, the sign is that of $c$, and the square is $c^2 n$. The
    product of two is the surd of the products.
    """
    front, inside = case
    at_most(inside, 10_000, "the radicand")
    found = Surd(front, inside)
    root, free = max(
        (a, inside // a**power) for a in range(1, inside + 1) if inside % a**power == 0
    )
    wanted = (front * root, free) if front else (0, 1)
    if (found.coefficient, found.radicand) != wanted:
        return Fails(f"{front} times the root of {inside} is {wanted}, not {found}")
    for other in (2, 12, inside):
        both = found * Surd(1, other)
        if both.coefficient**2 * both.radicand != Fraction(front) ** 2 * inside * other:
            return Fails(f"{found} times the root of {other} is not {both}")
    return True


# --- Specht polynomials ---------------------------------------------------------------------------
def _specht(columns: list[list[int]], n: int, flat: bool) -> dict[tuple[int, ...], int]:
    """The product of the Vandermonde determinants of the columns, by sums over permutations."""
    total = {(0,) * n: 1}
    for column in columns:
        size = len(column)
        terms: dict[tuple[int, ...], int] = {}
        for order in permutations(range(size)):
            powers = [0] * n
            for row, k in enumerate(order):
                powers[column[row] - 1] = min(size - 1 - k, 1) if flat else size - 1 - k
            place = tuple(powers)
            terms[place] = terms.get(place, 0) + sign(order)
        grown: dict[tuple[int, ...], int] = {}
        for (e, c), (f, d) in product(total.items(), terms.items()):
            place = tuple(x + y for x, y in zip(e, f, strict=True))
            grown[place] = grown.get(place, 0) + c * d
        total = grown
    return {e: c for e, c in total.items() if c}


@claim(
    "young.specht-polynomials",
    source="Specht 1935: products of the differences of variables in one column",
    category="definition",
    cases=lambda max_size=5: partitions_up_to(max_size),
    boundary=(1,),
    strategy=drawn_partition(5),
    applies=is_partition,
    near_misses=[
        NearMiss("rows for columns", (3, 1), {"turned": True}),
        NearMiss("no power above the first", (2, 1, 1), {"flat": True}),
    ],
)
def specht_polynomials(parts: Parts, turned: bool = False, flat: bool = False) -> bool | Fails:
    r"""The Specht polynomial of a tableau is the product of the Vandermonde determinants
    $\prod (x_a - x_b)$, $a$ above $b$, of its columns. Those of the standard tableaux of a shape
    are independent.
    """
    n = sum(parts)
    at_most(n, 6, "cells")
    found = []
    for tableau in Partition(*parts).standard_tableaux():
        rows: Any = tableau.rows
        columns = [[row[j] for row in rows if j < len(row)] for j in range(parts[0])]
        wanted = _specht([list(row) for row in rows] if turned else columns, n, flat)
        polynomial = specht_polynomial(tableau)
        own = {tuple(map(int, e)): int(c) for e, c in polynomial.to_dict().items()}
        if own != wanted:
            return Fails(f"the Specht polynomial of {rows} is not {polynomial}")
        found.append(own)
    monomials = sorted(set().union(*found))
    if rank([[one.get(e, 0) for e in monomials] for one in found]) != len(found):
        return Fails("the Specht polynomials depend on each other")
    return True


# --- Young's lattice ------------------------------------------------------------------------------
def _contained(inner: Parts, outer: Parts) -> bool:
    """Whether every row of the one is at most as long as that of the other."""
    return len(inner) <= len(outer) and all(a <= b for a, b in zip(inner, outer, strict=False))


@claim(
    "young.lattice",
    source="Sagan, section 5.1",
    category="definition",
    cases=lambda max_size=6: (
        (inner, outer)
        for n in range(1, max_size + 1)
        for outer in partitions_of(n)
        for m in range(n + 1)
        for inner in partitions_of(m)
        if _contained(inner, outer)
    ),
    boundary=((), (1,)),
    strategy=drawn(
        lambda st: drawn_pair(7, same=False)().map(lambda pair: (tuple(map(min, *pair)), pair[0]))
    ),
    applies=record(
        lambda inner: _PARTS(inner) and (not inner or is_partition(inner)),
        is_partition,
        where=_contained,
    ),
    near_misses=[
        NearMiss("shapes of the right sizes", ((2,), (3, 2)), {"inside": False}),
        NearMiss("shapes that need not fit in the top", ((1,), (2, 2)), {"below": False}),
    ],
)
def lattice(case: tuple[Parts, Parts], inside: bool = True, below: bool = True) -> bool | Fails:
    """The interval between two partitions, one inside of the other, has all partitions that contain
    the one and are contained in the other, and an edge wherever one box is added. Young's lattice
    between two sizes has all partitions of these sizes.
    """
    inner, outer = case
    at_most(sum(outer), 9, "boxes")
    listed = [s for n in range(sum(inner), sum(outer) + 1) for s in partitions_of(n)]
    between = [
        s
        for s in listed
        if (_contained(inner, s) or not inside) and (_contained(s, outer) or not below)
    ]
    for name, graph, shapes in (
        ("the interval", interval(Partition(*inner), Partition(*outer)), between),
        ("the lattice", young_lattice(sum(inner), sum(outer)), listed),
    ):
        edges = {
            (one, two)
            for one, two in product(shapes, repeat=2)
            if sum(two) == sum(one) + 1 and _contained(one, two)
        }
        if sorted(s.parts for s in graph) != sorted(shapes):
            return Fails(f"{name} has not the shapes {shapes}")
        if {(one.parts, two.parts) for one, two in graph.edges} != edges:
            return Fails(f"{name} has not the edges {edges}")
    return True


# --- actions --------------------------------------------------------------------------------------
def _renamed(word: tuple[int, ...], tokens: int) -> tuple[int, ...]:
    """The letters beyond the tokens, numbered in the order in which they come."""
    wild = [x for x in dict.fromkeys(word) if x > tokens]
    return tuple(x if x <= tokens else tokens + 1 + wild.index(x) for x in word)


@claim(
    "young.actions",
    source="Permutations of positions on words, subsets and templates",
    category="definition",
    cases=[(n, v) for n in (1, 2, 3, 4) for v in (0, 1, 2, 3) if (v + 1) ** n <= 100],
    boundary=(1, 0),
    strategy=drawn(lambda st: st.tuples(st.integers(1, 4), st.integers(0, 2))),
    applies=record(integer(1), integer(0)),
    near_misses=[
        NearMiss("templates keep the names of their wildcards", (3, 0), {"renamed": False}),
        NearMiss("words are moved without their letters", (3, 2), {"fixed": True}),
    ],
)
def actions(case: tuple[int, int], renamed: bool = True, fixed: bool = False) -> bool | Fails:
    """An exchange of neighbours moves the letters of a word, the points of a subset, and the
    letters of a template, whose wildcards are then named anew in the order in which they come.
    """
    length, number = case
    at_most((number + length) ** length, 5_000, "words")

    def swapped(word: tuple[int, ...], i: int) -> tuple[int, ...]:
        return word if fixed else (*word[: i - 1], word[i], word[i - 1], *word[i + 1 :])

    words = [tuple(w) for w in product(range(1, number + 2), repeat=length)]
    templates = list(dict.fromkeys(
        _renamed(w, number) for w in product(range(1, number + length + 1), repeat=length)
    ))  # fmt: skip
    expected: list[tuple[Any, list[Any], Any]] = [
        (Action.words(length, number + 1), words, swapped),
        (
            Action.templates(length, number),
            templates,
            lambda w, i: _renamed(swapped(w, i), number) if renamed else swapped(w, i),
        ),
    ]
    for action, points, move in expected:
        if Counter(action.points) != Counter(points):
            return Fails(f"{action!r} has other points")
        place = {point: k for k, point in enumerate(action.points)}
        for i in range(1, length):
            for k, point in enumerate(action.points):
                if place.get(move(point, i)) != action.generators[i - 1][k]:
                    return Fails(f"{action!r} moves {point} elsewhere")
    return True
