"""Template matrices, coefficient by coefficient (`ktau.*`), and labels under permuted positions.

The other road expands softmax in its Gaussians, pair of templates by pair of templates; groups of
templates are found by comparing every two, and projections are sums over all permutations.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

from symbench.errors import Undecided
from symbench.ktau import coefficient_matrices, position_symmetry, stages
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._second_roads import template_entry
from symbench.papers._symmetric_groups import character_by_bins, cycle_type, partitions_of
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template, all_templates

Texts = tuple[str, ...]
Orders = tuple[tuple[int, int], ...]


# --- stages ---------------------------------------------------------------------------------------
# Templates without CLS, and the orders of beta and gamma
Staged = tuple[Texts, Orders]
_ORDERS: Orders = ((0, 0), (2, 2), (4, 0), (4, 2))


def _staged() -> Iterator[Staged]:
    yield ("Aα", "αA", "αα"), _ORDERS
    yield ("AB", "BA", "AA"), ((0, 0), (2, 0), (2, 2))
    yield ("ααβ", "αβα", "αββ", "αβγ"), _ORDERS
    yield ("ααA", "αAα", "αβA"), ((0, 2), (2, 2), (2, 4), (4, 0), (4, 2))
    yield ("αβ", "βα"), ((0, 0), (2, 2))


def _are_texts(value: Any) -> bool:
    return (
        many(lambda z: type(z) is str and len(z) > 0)(value)
        and len({*map(len, value)}) == 1
        and all(a in "αβγδAB" for z in value for a in z)
    )


def _entries(texts: Texts, order: tuple[int, int], shift: int = 0) -> list[list[Fraction]]:
    """[beta^i gamma^j] of every entry of K_tau, from the definition."""
    closed = [Template(z).with_cls() for z in texts]
    i, j = order
    return [
        [template_entry(z, w, i).get((i, max(j - shift, 0)), Fraction(0)) for w in closed]
        for z in closed
    ]


def _refined(rows: Sequence[Sequence[Fraction]], before: list[int], diagonal: bool) -> list[int]:
    """Templates of one group whose gap is zero stay together."""
    size = range(len(rows))

    def together(i: int, j: int) -> bool:
        gap = rows[i][i] - rows[j][j] if diagonal else rows[i][i] + rows[j][j] - 2 * rows[i][j]
        return before[i] == before[j] and gap == 0

    return [next(j for j in size if together(i, j)) for i in size]


def _same(one: Sequence[int], two: Sequence[int]) -> bool:
    """Whether two numberings make the same groups."""
    size = range(len(one))
    return all((one[i] == one[j]) == (two[i] == two[j]) for i, j in product(size, repeat=2))


@claim(
    "ktau.stages",
    source="The derivatives of Appendix F of boix2024, one after another",
    category="definition",
    cases=_staged,
    boundary=(("α",), ((0, 0),)),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(1, 2).flatmap(
                lambda n: st.lists(
                    st.text("αβA", min_size=n, max_size=n), min_size=1, max_size=3
                ).map(tuple)
            ),
            st.just(_ORDERS[:3]),
        )
    ),
    applies=record(
        _are_texts, many(record(integer(0), integer(0), where=lambda i, j: i <= 6 and j <= 20))
    ),
    near_misses=[
        NearMiss("templates with equal diagonals stay together",
                 (("AB", "BA", "AA"), ((0, 0), (2, 0), (2, 2))), {"diagonal": True}),
        NearMiss("the power of gamma two below", (("Aα", "αA", "αα"), _ORDERS), {"shift": 2}),
    ],
)  # fmt: skip
def staged(case: Staged, diagonal: bool = False, shift: int = 0) -> bool | Fails:
    r"""The matrix of $[\beta^i \gamma^j] K_\tau$ has the entries of the definition. One derivative
    after another, templates $i$ and $j$ of one group stay in one if
    $N_{ii} + N_{jj} - 2 N_{ij} = 0$; the stages found are the derivatives that split a group, until
    every template is alone, and where some are not it says that this is undecided.
    """
    texts, orders = case
    at_most(len(texts), 6, "templates")
    at_most(len(texts[0]), 3, "letters")
    at_most(max(i for i, _ in orders), 4, "the order in beta")
    given = [Template(z) for z in texts]
    groups = [0] * len(texts)
    expected = []
    for order, matrix in coefficient_matrices(given, orders):
        rows = _entries(texts, order, shift)
        if [list(row) for row in matrix.rows] != rows:
            return Fails(f"the coefficient of beta^{order[0]} gamma^{order[1]} is another")
        after = _refined(rows, groups, diagonal)
        if len(set(after)) > len(set(groups)) and len(set(groups)) < len(texts):
            expected.append((order, groups, after))
            groups = after
    try:
        found = stages(given, orders)
    except Undecided:
        return len(set(groups)) < len(texts) or Fails("all are told apart, and it is undecided")
    if len(set(groups)) < len(texts) or len(found) != len(expected):
        return Fails(f"{len(found)} stages, not {len(expected)}")
    for stage, (order, before, after) in zip(found, expected, strict=True):
        if stage.about["coefficient"] != f"beta^{order[0]} gamma^{order[1]}":
            return Fails(f"{stage.about['coefficient']} in place of {order}")
        if not (_same(stage.before, before) and _same(stage.after, after) and stage.check()):
            return Fails(f"the groups at {order} are others: {stage.after}")
    return True


# --- labels ---------------------------------------------------------------------------------------
# The length of the templates, their tokens, a label for each
Labels = tuple[int, str, tuple[Any, ...]]


def _labels() -> Iterator[Labels]:
    yield 2, "", (3, -1)
    yield 2, "A", (1, 2, 0, -1, 5)
    yield 3, "", (1, 2, -1, -1, 1)
    yield 3, "", (Fraction(1, 2), 0, 3, 0, 0)
    yield 4, "", tuple((7 * k * k + k) % 5 - 2 for k in range(15))


@claim(
    "ktau.label-weights",
    source="The projections of a representation to its isotypic parts: Serre, section 2.6",
    category="definition",
    cases=_labels,
    boundary=(1, "", (1,)),
    strategy=drawn(
        lambda st: st.sampled_from([(2, "", 2), (2, "A", 5), (3, "", 5)]).flatmap(
            lambda size: st.tuples(
                st.just(size[0]), st.just(size[1]), st.tuples(*[st.integers(-3, 3)] * size[2])
            )
        )
    ),
    applies=record(
        integer(1), one_of("", "A"), many(number()),
        where=lambda length, tokens, labels: (
            length <= 4 and len(labels) == len(list(all_templates(length, tokens=tokens)))
        ),
    ),
    near_misses=[
        NearMiss("lengths that are not squared", (3, "", (1, 2, -1, -1, 1)), {"squared": False}),
        NearMiss("positions do not move", (3, "", (1, 2, -1, -1, 1)), {"moving": False}),
    ],
)  # fmt: skip
def label_weights(case: Labels, squared: bool = True, moving: bool = True) -> bool | Fails:
    r"""A labelling $f$ of all templates of one length has the part
    $\frac{\dim \lambda}{L!} \sum_g \chi_\lambda(g)\, g f$ in the irreducible $\lambda$ of the
    permutations of positions. Its weight there is the square of the length of that part, and the
    irreducibles named are those in which some labelling has a part.
    """
    length, tokens, labels = case
    at_most(len(labels), 60, "templates")
    templates = list(all_templates(length, tokens=tokens))
    found = {
        shape.parts: weight
        for shape, weight in position_symmetry(templates).weights(labels).items()
    }  # fmt: skip
    place = {_pattern(z.letters, z.wildcards): k for k, z in enumerate(templates)}
    moves = []
    for g in permutations(range(length)):
        order = g if moving else range(length)
        moves.append(
            (g, [place[_pattern([z.letters[a] for a in order], z.wildcards)] for z in templates])
        )
    for shape in partitions_of(length):
        dimension = character_by_bins(shape, (1,) * length)
        part = [Fraction(0)] * len(labels)
        trace = 0
        for g, image in moves:
            character = character_by_bins(shape, cycle_type(g))
            trace += character * sum(k == m for k, m in enumerate(image))
            for k, m in enumerate(image):
                part[k] += Fraction(dimension * character, factorial(length)) * labels[m]
        if (shape in found) != (trace != 0):
            return Fails(f"{shape} occurs {trace // factorial(length)} times")
        weight = sum((x * x if squared else abs(x) for x in part), Fraction(0))
        if trace and found[shape] != weight:
            return Fails(f"the weight in {shape} is {found[shape]}, not {weight}")
    return True


def _pattern(letters: Sequence[str], wildcards: Any) -> tuple[Any, ...]:
    """The letters with wildcards numbered as they appear."""
    known: dict[str, int] = {}
    return tuple(known.setdefault(a, len(known)) if a in wildcards else a for a in letters)
