"""What a sweep costs on this machine, and what the tasks of longer templates would take.

`python examples/sweep_costs.py` measures `symbench.small-tasks` and prints the tables that the page
sweeps.md speaks of, in about a minute. Seconds of cores are CPU time of this machine; how many
tasks there are is counted exactly.
"""

from __future__ import annotations

import math
import random
import time
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import symbench as sb
from symbench.certificates.plain import to_plain
from symbench.registry.running import examined
from symbench.registry.verdict import versions
from symbench.sweeps import Ledger, cluster
from symbench.sweeps.batches import OwnPool, answer
from symbench.sweeps.origins import origin

ID = "symbench.small-tasks"
KERNELS = 6
CORES = 1_000


# --- how many tasks there are -------------------------------------------------------------------
def cycle_types(n: int, most: int | None = None) -> Iterator[tuple[int, ...]]:
    """The partitions of n, which are the cycle types of its permutations."""
    if n == 0:
        yield ()
    for part in range(min(n, most or n), 0, -1):
        for rest in cycle_types(n - part, part):
            yield (part, *rest)


def permutations_of_type(cycles: tuple[int, ...]) -> Fraction:
    """The share of all permutations that have this cycle type."""
    return Fraction(1, math.prod(k**m * math.factorial(m) for k, m in Counter(cycles).items()))


@cache
def fixed_partitions(cycles: tuple[int, ...]) -> int:
    """How many set partitions a permutation with these cycles leaves as they are.

    Blocks that go round in a circle of d blocks are made of cycles whose lengths d divides; each
    cycle but the first can begin at any of the d blocks.
    """
    if not cycles:
        return 1
    first, rest = cycles[0], Counter(cycles[1:])
    total = 0
    for together, ways in _choices(tuple(rest.items())):
        common = math.gcd(first, *together)
        circles = sum(d ** len(together) for d in range(1, common + 1) if common % d == 0)
        left = tuple(sorted((rest - Counter(together)).elements(), reverse=True))
        total += ways * circles * fixed_partitions(left)
    return total


def _choices(lengths: tuple[tuple[int, int], ...]) -> Iterator[tuple[tuple[int, ...], int]]:
    """Which cycles, by their lengths, and in how many ways."""
    if not lengths:
        yield (), 1
        return
    (length, number), *others = lengths
    for rest, ways in _choices(tuple(others)):
        for k in range(number + 1):
            yield (length,) * k + rest, ways * math.comb(number, k)


def power(cycles: tuple[int, ...], k: int) -> tuple[int, ...]:
    """The cycle type of the k-th power."""
    found = [length // math.gcd(length, k) for length in cycles for _ in range(math.gcd(length, k))]
    return tuple(sorted(found, reverse=True))


def count_tasks(length: int, size: int) -> int:
    """The sets of so many wildcard-only templates up to permutations of positions (Burnside)."""
    total = Fraction(0)
    for cycles in cycle_types(length):
        # Cycles of the permutation on set partitions: those of length k, by Moebius inversion.
        fixed = [0] + [fixed_partitions(power(cycles, k)) for k in range(1, size + 1)]
        series = [1] + [0] * size
        moved: dict[int, int] = {}
        for k in range(1, size + 1):
            inside = sum(d * moved[d] for d in moved if k % d == 0)
            moved[k] = (fixed[k] - inside) // k
            more = [0] * (size + 1)
            for taken in range(size // k + 1):
                ways = math.comb(moved[k], taken)
                for degree in range(size + 1 - k * taken):
                    more[degree + k * taken] += ways * series[degree]
            series = more
        total += series[size] * permutations_of_type(cycles)
    return int(total)


# --- what a case costs --------------------------------------------------------------------------
def random_cases(length: int, size: int, number: int) -> Iterator[Any]:
    """Tasks drawn at random, each with all kernels."""
    source = random.Random(length)
    names = [case[1] for case in sb.claims[ID].list_cases(length=1, max_templates=1)][:KERNELS]
    letters = "αβγδεζηθικλμνξοπρστυφχψω"
    for _ in range(number):
        chosen: dict[str, None] = {}
        while len(chosen) < size:
            urns = random_urns(length, source)
            order = list(dict.fromkeys(urns))
            chosen["".join(letters[order.index(urn)] for urn in urns)] = None
        for name in names:
            yield tuple(map(sb.Template, chosen)), name


def random_urns(length: int, source: random.Random) -> list[int]:
    """A set partition, each with the same chance: positions in urns, their number as by Stam."""
    numbers = range(1, 4 * length)
    weights = [u**length / math.factorial(u) for u in numbers]
    urns = source.choices(numbers, weights)[0]
    return [source.randrange(urns) for _ in range(length)]


def milliseconds(length: int, size: int, number: int) -> float:
    """The CPU time of a case with its certificate, on average; the best of three runs."""
    cases = list(random_cases(length, size, number))
    claim, found = sb.claims[ID], []
    for _ in range(3):
        start = time.process_time()
        for case in cases:
            result, _, _ = examined(claim, case, True)
            assert result == ("holds", ""), result
        found.append(time.process_time() - start)
    return 1000 * min(found) / len(cases)


def overhead(executor: Any, batches: int = 40) -> float:
    """Milliseconds that a batch of one case takes there and back beyond the case, at least."""
    claim = sb.claims[ID]
    setup = {"id": ID, "origin": origin(claim), "memory": None}
    cases = list(claim.list_cases())[:batches]
    found = []
    for case in cases:
        items = (["case", to_plain(case)],)
        start = time.perf_counter()
        [(_, inside)] = executor.submit(
            answer, setup, versions(claim.edition), items, None
        ).result()
        found.append(1000 * (time.perf_counter() - start - inside))
    return min(found)


def ledger_costs() -> tuple[float, float]:
    """Bytes in the ledger, and milliseconds of the parent, for one more case."""
    spent, sizes, cases = [], [], []
    with TemporaryDirectory() as folder:
        for most in (2, 4):
            path = Path(folder) / f"{most}.db"
            start = time.process_time()
            sb.sweep(ID, {"length": [4], "max_templates": [most]}, ledger=path, jobs=1)
            spent.append(1000 * (time.process_time() - start))
            sizes.append(path.stat().st_size)
            with Ledger(path) as book:
                cases.append(sum(count.holds for count in book.counts()))
    more = cases[1] - cases[0]
    return (sizes[1] - sizes[0]) / more, (spent[1] - spent[0]) / more


def duration(seconds: float) -> str:
    """A time in the unit that a person would take."""
    for unit, size in (("years", 31_557_600), ("days", 86_400), ("hours", 3600), ("min", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"


def main() -> None:
    """Print the measured model and what follows from it."""
    pool = OwnPool(1)
    there = overhead(pool)
    pool.stop()
    with cluster(1) as executor:
        far = overhead(executor)
    ledger_costs()  # once, to load what is needed
    size, parent = ledger_costs()
    print(f"a batch of one case, there and back: own pool {there:.2f} ms, dask {far:.2f} ms")
    print(f"a case in the ledger: {size:,.0f} bytes, {parent:.2f} ms of the parent's CPU")
    print()
    print("tasks of at most three templates, six kernels each; CPU time of a case and, for all of")
    print(f"them, on {CORES:,} cores, and in one parent that writes one ledger")
    print("length  templates           tasks  ms a case  cases/core-s       cores      parent")
    for length in range(5, 13):
        sizes = [count_tasks(length, r) for r in (1, 2, 3)]
        cost = milliseconds(length, 3, 20)
        number = KERNELS * sum(sizes)
        print(
            f"{length:6}  {fixed_partitions((1,) * length):9,}  {sum(sizes):14,}  {cost:9.2f}  "
            f"{1000 / cost:12,.0f}  {duration(number * cost / 1000 / CORES):>10}  "
            f"{duration(number * parent / 1000):>10}"
        )


if __name__ == "__main__":
    main()
