"""Speed of the room of the symmetric group, side by side with peers; run with --benchmark-only.

A peer that is not installed is named and skipped. GAP is started once per measurement and asked
for its own run time, so that its start-up does not count.
"""

import shutil
import subprocess
import time
from math import comb

import pytest

from symbench.young import (
    Action,
    Partition,
    Permutation,
    StandardTableaux,
    block_form,
    bulk,
    character,
    dimensions,
)

W0 = Permutation(*range(10, 0, -1))


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def report(capsys, what, ours, peer, peer_seconds):
    with capsys.disabled():
        if peer_seconds is None:
            print(f"\n{what}: symbench {ours:.4g} s; {peer} is not installed, no ratio measured")
        else:
            ratio = peer_seconds / ours
            print(
                f"\n{what}: symbench {ours:.4g} s, {peer} {peer_seconds:.4g} s, ratio {ratio:.3g}"
            )


def gap(code):
    """The milliseconds that GAP reports for a statement, as seconds; None without GAP."""
    if shutil.which("gap") is None:
        return None
    script = f't := Runtime();; {code};; Print(Runtime() - t, "\\n");\nQUIT;\n'
    done = subprocess.run(
        ["gap", "-q"], input=script, capture_output=True, text=True, check=True, timeout=300
    )
    return max(int(done.stdout.split()[-1]), 1) / 1000


def sage(module, name):
    """A class of Sage, or None."""
    try:
        return getattr(__import__(module, fromlist=[name]), name)
    except ImportError:
        return None


@pytest.mark.parametrize("shape", [(5, 4, 3, 2, 1), (6, 5, 4, 2), (10, 10)], ids=str)
def test_list_standard_tableaux(benchmark, capsys, shape):
    ts = StandardTableaux(Partition(shape))
    count = benchmark(lambda: sum(map(len, ts.arrays())))
    assert count == ts.count
    ours = benchmark.stats.stats.median
    objects = seconds(lambda: sum(1 for _ in ts))
    with capsys.disabled():
        print(
            f"\nstandard tableaux of {shape}: {count / ours / 1e6:.3g} million/s as arrays, "
            f"{count / objects / 1e6:.3g} million/s as objects"
        )
    peer = sage("sage.combinat.tableau", "StandardTableaux")
    small = None if peer is None else seconds(lambda: sum(1 for _ in peer([5, 4, 3]))) / 462 * count
    report(capsys, f"listing {shape} as arrays", ours, "Sage", small)


def test_rank_unrank_random_at_100(benchmark, capsys):
    ts = StandardTableaux(Partition(20, 20, 20, 20, 20))
    rank = ts.count // 3
    tableau = benchmark(lambda: ts[rank])
    assert ts.index(tableau) == rank
    with capsys.disabled():
        index = seconds(lambda: ts.index(tableau))
        draw = seconds(lambda: ts.random(seed=1))
        print(f"\nn = 100: rank {index * 1000:.3g} ms, random {draw * 1000:.3g} ms (no peer)")


@pytest.mark.parametrize("n", [40, 50])
def test_all_dimensions(benchmark, capsys, n):
    def work():
        bulk.level.cache_clear()
        return dimensions(n)

    assert len(benchmark(work)) > 37000
    code = (
        "hooks := function(p) local q, i, j, r; q := AssociatedPartition(p); r := 1; "
        "for i in [1..Length(p)] do for j in [1..p[i]] do r := r * (p[i]-j+q[j]-i+1); od; od; "
        f"return r; end;; t := Runtime();; List(Partitions({n}), p -> Factorial({n}) / hooks(p))"
    )
    report(capsys, f"all dimensions of S_{n}", benchmark.stats.stats.median, "GAP", gap(code))


def test_dimension_of_two_rows_at_a_million(benchmark, capsys):
    from symbench.young import shapes

    def work():
        shapes.dimension.cache_clear()
        return Partition(500_000, 500_000).dim

    assert benchmark(work).bit_length() == 999971
    slow = seconds(lambda: comb(10**6, 500_000) - comb(10**6, 499_999))
    report(capsys, "dim (L/2, L/2), L = 10^6", benchmark.stats.stats.median, "math.comb", slow)


@pytest.mark.parametrize("n", [20, 24, 28, 30])
def test_character_table(benchmark, capsys, n):
    def work():
        for cache in (bulk.level, bulk._sorted):
            cache.cache_clear()
        return bulk.table(n, bulk.rim_hook_step)

    table = benchmark.pedantic(work, rounds=3)
    assert table.shape[0] == len(dimensions(n))
    peer = gap(f'Irr(CharacterTable("Symmetric", {n}))')
    report(capsys, f"character table of S_{n}", benchmark.stats.stats.median, "GAP", peer)


def test_one_character_value_at_60(benchmark, capsys):
    lam = Partition(15, 13, 10, 8, 6, 4, 2, 2)
    mu = Partition("4+4+4+4+4+4+4+4+3+3+3+3+3+3+2+2+2+2+2")
    assert benchmark(lambda: character(lam, mu)) == -371280
    peer = sage("sage.libs.symmetrica.all", "charvalue_symmetrica")
    slow = None if peer is None else seconds(lambda: peer(list(lam), list(mu)))
    report(capsys, "one character value, n = 60", benchmark.stats.stats.median, "Symmetrica", slow)


def test_kostka_table_20(benchmark, capsys):
    def work():
        for cache in (bulk.level, bulk._sorted, bulk._strips):
            cache.cache_clear()
        return bulk.table(20, bulk.horizontal_strip_step)

    assert benchmark(work).shape == (627, 627)
    peer = sage("sage.libs.symmetrica.all", "kostka_tab")
    slow = None if peer is None else seconds(lambda: peer(20))
    report(capsys, "Kostka table, n = 20", benchmark.stats.stats.median, "Symmetrica", slow)


@pytest.mark.parametrize("form", ["seminormal", "natural"])
def test_representation_matrix(benchmark, capsys, form):
    shape = Partition(4, 3, 2, 1)
    assert benchmark(lambda: shape.matrix(W0, form=form)).shape == (768, 768)
    peer = sage("sage.combinat.symmetric_group_representations", "SymmetricGroupRepresentation")
    slow = None
    if peer is not None and form == "seminormal":
        rho = peer([4, 3, 2, 1], "seminormal")
        slow = seconds(lambda: rho.representation_matrix(list(W0.images)))
    report(capsys, f"{form} matrix of w0, dim 768", benchmark.stats.stats.median, "Sage", slow)


def test_decompose_half_a_million_words(benchmark, capsys):
    found = benchmark(lambda: Action.words(12, 3).decompose())
    assert sum(m * p.dim for p, m in found.items()) == 531441
    with capsys.disabled():
        print(
            f"\nwords of length 12 over 3 letters: {benchmark.stats.stats.median:.3g} s (no peer)"
        )


def test_block_form_of_a_kernel_on_words(benchmark, capsys):
    action = Action.words(8, 2)
    points = action.points
    rows = [[sum(a == b for a, b in zip(x, y, strict=True)) ** 2 for y in points] for x in points]
    form = benchmark.pedantic(lambda: block_form(action, rows), rounds=3)
    checked = seconds(lambda: form.check(rows))
    with capsys.disabled():
        median = benchmark.stats.stats.median
        print(f"\nblock form, 256 points: {median:.3g} s, its check {checked:.3g} s (no peer)")
