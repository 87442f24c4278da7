"""The generic kernel, and how many values a token-symmetric kernel has to give."""

from __future__ import annotations

import pickle
from collections.abc import Iterator

import pytest

from symbench.errors import SymbenchError, TooLarge
from symbench.exact import QQ, Matrix
from symbench.kernels.diagram import Diagram
from symbench.kernels.generic import (
    Generic,
    flip_invariant_diagrams,
    free_values,
    generic,
    variable_name,
)
from symbench.words import Template


def partitions(n: int) -> Iterator[tuple[int, ...]]:
    """All restricted growth strings, straight from the definition."""
    if n == 0:
        yield ()
        return
    for start in partitions(n - 1):
        for last in range(max(start, default=-1) + 2):
            yield (*start, last)


def diagrams(k: int) -> list[Diagram]:
    return [Diagram.from_codes(codes) for codes in partitions(2 * k)]


@pytest.mark.parametrize("k", [0, 1, 2, 3, 4])
def test_one_variable_per_diagram_and_flip(k: int) -> None:
    everything = diagrams(k)
    names: dict[str, set[Diagram]] = {}
    for d in everything:
        names.setdefault(variable_name(d), set()).add(d)
    assert all(members == {d, d.flip()} for members in names.values() for d in members)
    assert len(names) == free_values(k)
    assert sum(d == d.flip() for d in everything) == flip_invariant_diagrams(k)


def test_published_counts() -> None:
    # OEIS A002872: partitions of {1..2n} invariant under a permutation of n 2-cycles.
    assert [flip_invariant_diagrams(k) for k in range(10)] == [
        1, 2, 7, 31, 164, 999, 6841, 51790, 428131, 3827967,
    ]  # fmt: skip
    # With OEIS A000110 (Bell numbers): Bell(2k).
    bell = [1, 2, 15, 203, 4140, 115975, 4213597]
    assert [2 * free_values(k) - flip_invariant_diagrams(k) for k in range(7)] == bell


def test_names_stay_apart_beyond_ten_tokens() -> None:
    twelve = Diagram.from_codes(tuple(range(12)))
    assert variable_name(twelve) == "K0x1x2x3x4x5_6x7x8x9x10x11"
    assert QQ[variable_name(twelve)].gens[0] == generic().on_diagram(twelve)
    # 1, 10 and 11, 0 would read the same without the separator.
    names = {
        variable_name(Diagram.from_codes((*range(11), a, 10, b))) for a, b in ((1, 0), (11, 0))
    }
    assert len(names) == 2


def test_values_merge_in_one_matrix() -> None:
    templates = [Template(t) for t in ("αα", "αβ", "Aα")]
    kernel = generic()
    M = Matrix(
        [[kernel.on_diagram(Diagram.of_templates(z, w)) for w in templates] for z in templates]
    )
    assert M.is_symmetric()
    assert set(M.ring.variables) == {"K00_11", "K00_12", "K01_23", "K01_02"}
    variables = dict(zip(M.ring.variables, M.ring.gens, strict=True))
    same, mixed, apart, shared = (variables[n] for n in ("K00_11", "K00_12", "K01_23", "K01_02"))
    assert M.det() == (shared - apart) * (same * apart - mixed * mixed)


def test_bad_arguments_and_values() -> None:
    for bad in (None, 1.5, True, -1, "2"):
        with pytest.raises(SymbenchError):
            free_values(bad)
    with pytest.raises(TooLarge, match="at most 500"):
        free_values(501)
    with pytest.raises(SymbenchError):
        generic().on_diagram(None)  # type: ignore[arg-type]
    assert eval(repr(generic())) == generic() == pickle.loads(pickle.dumps(Generic()))
