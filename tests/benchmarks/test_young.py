"""The symmetric group, beside GAP, Sage, Symmetrica and lrcalc."""

import importlib
from math import comb

import pytest

from symbench.young import (
    Action,
    CharacterTable,
    Partition,
    Permutation,
    StandardTableaux,
    block_form,
    bulk,
    character,
    dimensions,
    kostka,
    lattice_words,
    littlewood_richardson,
    littlewood_richardson_coefficient,
)
from symbench.young.partition import dimension
from tests.benchmarks.peers import gap, sage

COMBINAT = "import sage.all__sagemath_combinat\n"
SYMMETRICA = COMBINAT + "from sage.libs.symmetrica import all as symmetrica"


def lrcalc(name, *arguments):
    """A function of the package lrcalc, which our own functions ask where it is installed."""
    try:
        module = importlib.import_module("lrcalc")
    except ImportError:
        return "(not installed)"
    return lambda: getattr(module, name)(*arguments)


def forget():
    """Empty what is remembered between calls: each round starts from nothing."""
    for value in vars(bulk).values():
        if hasattr(value, "cache_clear"):
            value.cache_clear()


@pytest.mark.parametrize("form", ["arrays", "objects"])
def test_list_standard_tableaux(compare, form):
    ts = StandardTableaux(Partition(5, 4, 3, 2, 1))
    work = {"arrays": lambda: sum(map(len, ts.arrays())), "objects": lambda: sum(1 for _ in ts)}
    setup = COMBINAT + "from sage.combinat.tableau import StandardTableaux"
    peer = sage("sum(1 for _ in StandardTableaux([5, 4, 3, 2, 1]))", setup)
    same = compare(
        f"tableaux listed, as {form}", work[form], {"Sage": peer}, size="(5,4,3,2,1)",
        agrees=lambda ours, theirs: ours == theirs,
    )  # fmt: skip
    assert same == ts.count


def test_rank_and_unrank(compare):
    ts = StandardTableaux(Partition(20, 20, 20, 20, 20))
    rank = ts.count // 3
    assert compare("tableau unranked", lambda: ts[rank], size="n = 100") == ts[rank]


@pytest.mark.parametrize("n", [20, 40, 50])
def test_all_dimensions(compare, n):
    hooks = (
        "hooks := function(p) local q, i, j, r; q := AssociatedPartition(p); r := 1; "
        "for i in [1..Length(p)] do for j in [1..p[i]] do r := r * (p[i]-j+q[j]-i+1); od; od; "
        "return r; end;;"
    )
    peer = gap(f"List(Partitions({n}), p -> Factorial({n}) / hooks(p))", hooks)
    compare("all dimensions", lambda: dimensions(n), {"GAP": peer}, size=f"S_{n}", before=forget)


def test_dimension_of_two_rows_at_a_million(compare):
    compare(
        "dimension of (L/2, L/2)",
        lambda: Partition(500_000, 500_000).dim,
        {"math.comb": lambda: comb(10**6, 500_000) - comb(10**6, 499_999)},
        size="L = 10^6",
        before=dimension.cache_clear,
        agrees=lambda ours, theirs: ours == theirs,
    )


@pytest.mark.parametrize("n", [8, 12, 20, 24, 28, 30])
def test_character_table(compare, n):
    peer = gap(f'Irr(CharacterTable("Symmetric", {n}))')
    table = compare(
        "character table",
        lambda: bulk.table(n, bulk.rim_hooks),
        {"GAP": peer},
        size=f"S_{n}",
        before=forget,
    )
    assert table.shape[0] == len(dimensions(n))


@pytest.mark.parametrize("mu", [(10, 10, 5, 5, 5, 5), (9, 8, 7, 6, 6, 5, 5, 4, 4, 3, 2, 1)])
def test_column_of_a_character_table(compare, mu):
    table = CharacterTable(sum(mu))
    column = compare(
        "one column of a character table", lambda: table.column(mu), size=f"S_{sum(mu)}",
        before=forget,
    )  # fmt: skip
    assert sum(x * x for x in column) == Partition(*mu).centralizer_order


@pytest.mark.parametrize(
    ("lam", "mu"),
    [
        ((15, 13, 10, 8, 6, 4, 2, 2), (4,) * 8 + (3,) * 6 + (2,) * 5),
        ((25, 20, 16, 13, 10, 7, 5, 4), (5,) * 8 + (4,) * 6 + (3,) * 8 + (2,) * 6),
    ],
    ids=["60", "100"],
)
def test_one_character(compare, lam, mu):
    peer = sage(f"int(symmetrica.charvalue({list(lam)}, {list(mu)}))", SYMMETRICA)
    compare(
        "one character",
        lambda: character(Partition(lam), mu),
        {"Symmetrica": peer if sum(lam) == 60 else "(takes over 40 s)"},
        size=f"n = {sum(lam)}",
        agrees=lambda ours, theirs: ours == theirs,
    )


@pytest.mark.parametrize("n", [8, 12, 20])
def test_kostka_table(compare, n):
    peer = sage(f"bool(symmetrica.kostka_tafel({n}))", SYMMETRICA)
    ours = lambda: bulk.table(n, bulk.horizontal_strips)  # noqa: E731
    compare("Kostka table", ours, {"Symmetrica": peer}, size=f"n = {n}", before=forget)


@pytest.mark.parametrize(
    ("lam", "mu"),
    [((12, 8, 4), (2,) * 12), ((20, 10, 10, 10), (5,) * 10), ((20, 10, 10, 10), (1,) * 50)],
    ids=str,
)
def test_one_kostka_number(compare, lam, mu):
    peer = sage(f"int(symmetrica.kostka_number({list(lam)}, {list(mu)}))", SYMMETRICA)
    ours = lambda: kostka(Partition(lam), mu)  # noqa: E731
    compare(
        "one Kostka number", ours, {"Symmetrica": peer}, size=f"{lam}, {mu[0]}^{len(mu)}",
        before=forget, agrees=lambda ours, theirs: ours == theirs,
    )  # fmt: skip


STAIRS = tuple(range(8, 0, -1))
PRODUCTS = {
    "(10,8,6,4) x (9,7,5,3)": ((10, 8, 6, 4), (9, 7, 5, 3)),
    "staircases of 6": ((6, 5, 4, 3, 2, 1),) * 2,
    "staircases of 7": ((7, 6, 5, 4, 3, 2, 1),) * 2,
}


@pytest.mark.parametrize(
    "triple",
    [
        (tuple(2 * a for a in STAIRS), STAIRS, STAIRS),
        (tuple(2 * a for a in STAIRS), *((12, 10, 8, 6),) * 2),
        ((24, 20, 16, 12), *((12, 10, 8, 6),) * 2),
        ((9, 7, 6, 4, 3, 2, 1), (6, 4, 3, 2, 1), (5, 4, 3, 2, 2)),
    ],
    ids=str,
)
def test_one_littlewood_richardson_coefficient(compare, triple):
    big, left, right = triple
    shapes = [*map(Partition, triple)]
    compare(
        "one Littlewood-Richardson coefficient",
        lambda: littlewood_richardson_coefficient(*shapes),
        beside={
            "lrcalc itself": lrcalc("lrcoef", list(big), list(left), list(right)),
            "our own strips": lambda: lattice_words.strips(left, right, big)[big],
        },
        size=f"{big}; {left}, {right}",
        agrees=lambda ours, theirs: ours == theirs,
    )


@pytest.mark.parametrize("name", PRODUCTS)
def test_littlewood_richardson_product(compare, name):
    left, right = PRODUCTS[name]
    compare(
        "Littlewood-Richardson product",
        lambda: littlewood_richardson(Partition(left), Partition(right)),
        {"lrcalc": lrcalc("mult", list(left), list(right))},
        beside={"our own strips": lambda: lattice_words.strips(left, right)},
        size=name,
        agrees=lambda ours, theirs: len(ours) == len(theirs),
    )


@pytest.mark.parametrize("form", ["seminormal", "natural"])
def test_representation_matrix(compare, form):
    shape, w0 = Partition(4, 3, 2, 1), Permutation(*range(10, 0, -1))
    setup = COMBINAT + (
        "from sage.combinat.symmetric_group_representations import SymmetricGroupRepresentation\n"
        "from sage.combinat.permutation import Permutation\n"
        "rho = SymmetricGroupRepresentation([4, 3, 2, 1], 'seminormal')"
    )
    peers = {
        "seminormal": {
            "Sage": sage(f"bool(rho.representation_matrix(Permutation({list(w0.images)})))", setup)
        },
        "natural": {
            "Symmetrica": sage(
                f"bool(symmetrica.specht_dg([4, 3, 2, 1], {list(w0.images)}))", SYMMETRICA
            )
        },
    }
    found = compare(
        f"{form} matrix of the longest permutation",
        lambda: shape.matrix(w0, form=form),
        peers[form],
        size="dimension 768",
    )
    assert found.shape == (768, 768)


def test_decompose_half_a_million_words(compare):
    found = compare(
        "words decomposed", lambda: Action.words(12, 3).decompose(), size="L = 12, V = 3"
    )
    assert sum(m * p.dim for p, m in found.items()) == 531441


def test_block_form_of_a_kernel_on_words(compare):
    action = Action.words(8, 2)
    points = action.points
    rows = [[sum(a == b for a, b in zip(x, y, strict=True)) ** 2 for y in points] for x in points]
    form = block_form(action, rows)
    compare(
        "check of a block form", lambda: form.check(rows),
        {"its own search": lambda: block_form(action, rows)}, size="256 points",
    )  # fmt: skip
