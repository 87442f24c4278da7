"""Null spaces of parts: why one matrix of all templates answers for every task."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from typing import Any

from symbench.atlas.entry import AtlasEntry
from symbench.atlas.families import Family
from symbench.atlas.kernels import KERNELS
from symbench.certificates import Certificate
from symbench.papers._cases import at_most, drawn, one_of, record
from symbench.papers._second_roads import fresh, rank
from symbench.papers._templates import Templates, before_cls, every, templates
from symbench.registry import Fails, NearMiss, claim

# Templates before CLS is appended, and a kernel.
Case = tuple[Templates, str]

_NAMES = ("incidence-1", "incidence-2", "identity")


def _cases(max_length: int = 3) -> Iterator[Case]:
    for name in _NAMES:
        yield from ((every(length), name) for length in range(1, max_length + 1))
        yield from ((some, name) for some in combinations(every(3), 4))
        yield templates("ααA", "αβA", "αAα"), name
    yield templates("ααββ", "αβαβ", "αββα", "ααβγ", "αβγδ", "αααβ"), "incidence-1"
    yield templates("ααββ", "αβαβ", "αβγδ", "αααβ", "αβββ", "αααα"), "identity"
    yield every(4)[2:12], "incidence-1"
    yield every(4)[4:14], "identity"


def _drawn(st: Any) -> Any:
    from symbench.strategies import inequivalent_templates

    some = inequivalent_templates(min_size=1, max_size=6, max_length=4, tokens="A")
    return st.tuples(some.map(tuple), st.sampled_from(_NAMES))


@claim(
    "symbench.parts-of-null-spaces",
    source="Corollary of symbench: one matrix of all templates answers for every task",
    category="corollary",
    cases=_cases,
    boundary=(templates("α"), "identity"),
    applies=record(before_cls, one_of(*_NAMES)),
    strategy=drawn(_drawn),
    near_misses=[
        NearMiss(
            "a kernel that is not positive semidefinite",
            (templates("ααβ", "αβα"), "incidence-1"),
            {"less": 5},
        ),
    ],
    assumes=["symbench.gram"],
    proof="proofs/symbench/gram.md",
)
def parts_of_null_spaces(case: Case, less: int = 0) -> Certificate | bool | Fails:
    r"""Let the kernel be positive semidefinite. A vector on the templates of a task is a null
    vector of their template matrix iff, with zeros at all other templates, it is one of the
    matrix of all templates of their length. So the null spaces of the atlas say of every task what
    is confused: its classes of equal rows and its rank are those of the matrix that is computed
    from the definition.
    """
    chosen, name = case
    at_most(len(chosen), 15, "templates")
    at_most(len(chosen[0]), 4, "positions")
    tokens = len({a for z in chosen for a in z.tokens})
    rows = [[_value(name, fresh(z, "left"), fresh(w, "right")) - less for w in chosen]
            for z in chosen]  # fmt: skip
    if less:
        listed = every(len(chosen[0]))
        whole = [[_value(name, fresh(z, "left"), fresh(w, "right")) - less for w in listed]
                 for z in listed]  # fmt: skip
        outside = [i for i, z in enumerate(listed) if z not in chosen]
        # Null vectors of the whole that vanish outside, counted by ranks.
        more = [[Fraction(int(i == j)) for j in range(len(listed))] for i in outside]
        found = len(chosen) - (len(listed) - rank([*whole, *more]))
    else:
        entry = AtlasEntry.build(Family.of_length(len(chosen[0]), tokens), name, KERNELS[name])
        space = entry.null_space(chosen)
        alike = sorted(map(sorted, _alike(rows)))
        if sorted(map(list, space.classes)) != alike:
            return Fails(f"the classes are {alike}, not {space.classes}")
        for vector in space.vectors:
            if any(sum(x * y for x, y in zip(row, vector, strict=True)) for row in rows):
                return Fails(f"{vector} is no null vector")
        found = space.rank or 0
    expected = rank(rows)
    if found != expected:
        return Fails(f"the rank is {expected}, not {found}")
    return True if less or space.proof is None else space.proof


def _alike(rows: list[list[Fraction]]) -> list[list[int]]:
    found: dict[tuple[Fraction, ...], list[int]] = {}
    for i, row in enumerate(rows):
        found.setdefault(tuple(row), []).append(i)
    return list(found.values())


def _value(name: str, x: Any, y: Any) -> Fraction:
    """The kernel on two strings, from its definition."""
    if name == "identity":
        one, two = (_profile((*z, "CLS")) for z in (x, y))
        pairs = [(a, b) for a in range(len(one)) for b in range(len(two))]
        same = [(*x, "CLS")[a] == (*y, "CLS")[b] for a, b in pairs]
        return sum(
            (one[a] * two[b] * (s + (a == b)) for (a, b), s in zip(pairs, same, strict=True)),
            Fraction(0),
        )
    size = range(len(x))
    both = sum(x[a] == x[b] and y[a] == y[b] for a in size for b in size)
    agree = sum(x[a] == y[a] for a in size)
    return Fraction(1 + both + agree) ** int(name[-1])


def _profile(x: Any) -> list[Fraction]:
    """The mean of the rows of softmax(a (X X^T + I)), e^a = 2."""
    rows = [[Fraction(2) ** ((s == t) + (a == b)) for b, t in enumerate(x)]
            for a, s in enumerate(x)]  # fmt: skip
    return [sum((row[b] / sum(row) for row in rows), Fraction(0)) / len(x) for b in range(len(x))]
