"""The public names: where they are, what is said of them, and what loading them costs."""

from __future__ import annotations

import ast
import inspect
import os
import subprocess
import sys
import tomllib
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import symbench as sb

ROOT = Path(sb.__file__).parent
SOURCE = Path(__file__).resolve().parent.parent
SPACES = [name for name in sb.__all__ if inspect.ismodule(getattr(sb, name))]

# Every name that was at the top before the rooms had it, so that none is lost.
BEFORE = """
Action Balls Certificate CharacterTable Claim Counterexample CountsLaw CyclicGroup Exhausted
Exponentials FiniteLaw HiddenMarkov IidLaw LinearFamily MarkovMixture MixtureLaw ModularPoints
Nonsingular NonsingularBalls NotPositiveDefinite OnePoint Polynomials PositionSymmetry
PositiveDefinite PowerSeries RankIs Rational Representation Singular Spectrum Stage Substitutions
TableKernel TemplateMatrix TemplateRank TiedAssignment TypeRank UniformLaw UniqueAssignment Word
WordLaw YoungSubgroup all_tasks block_form bratteli_diagram character coefficient_matrices
common_string compare_network compare_predictions compare_texts conditioning
count_tasks disjointness_graph disjointness_svg disjointness_table eigenvalue_scaling
equivalent_predictor excess_kurtosis exponential_matrix group_lower_bound group_orbit_spectrum
kostka learning_curve linear_attention_spectrum littlewood_richardson maximal_tasks
permutation_symmetry permutations position_symmetry ring_chain rsk segments_law softmax_tightness
specht_polynomial stages subset_spectrum threshold_table young_lattice
"""


def names_of(space: str) -> list[str]:
    module = getattr(sb, space)
    listed = getattr(module, "__all__", None)
    own = [n for n, v in vars(module).items() if getattr(v, "__module__", "") == module.__name__]
    return listed or [name for name in own if not name.startswith("_")]


def public() -> Iterator[tuple[str, Any]]:
    """Every class and function of symbench that has a public name, once."""
    places = [(name, getattr(sb, name)) for name in sb.__all__]
    places += [
        (f"{space}.{name}", getattr(getattr(sb, space), name))
        for space in SPACES
        for name in names_of(space)
    ]
    seen = set()
    for place, value in places:
        ours = getattr(value, "__module__", "").startswith("symbench")
        if ours and (inspect.isclass(value) or inspect.isfunction(value)) and value not in seen:
            seen.add(value)
            yield place, value


PUBLIC = dict(public())


def test_about_forty_names() -> None:
    assert len(sb.__all__) <= 50
    assert [name for name in dir(sb) if not name.startswith("__")] == sorted(sb.__all__)


@pytest.mark.parametrize("stub", sorted(ROOT.rglob("*.pyi")), ids=str)
def test_a_stub_is_the_list_of_names(stub: Path) -> None:
    parts = stub.with_suffix("").relative_to(ROOT.parent).parts
    package = ".".join(part for part in parts if part != "__init__")
    __import__(package)
    room = sys.modules[package]
    imports = [n for n in ast.parse(stub.read_text()).body if isinstance(n, ast.ImportFrom)]
    listed = {alias.asname: node.module for node in imports for alias in node.names}
    assert room._homes == listed
    for name in listed:
        value = getattr(room, name)
        # A name that is spelled like its module is the public thing all the same.
        assert inspect.ismodule(value) == (f"{listed[name]}.{name}" in sys.modules)


@pytest.mark.parametrize("name", BEFORE.split())
def test_a_name_of_before_says_where_it_is(name: str) -> None:
    with pytest.warns(DeprecationWarning, match=rf"symbench\.{name} is now symbench\.") as warned:
        value = getattr(sb, name)
    assert warned[0].filename == __file__
    if value.__module__ == "symbench._before":  # a call that is written otherwise now
        return
    place = str(warned[0].message).split()[3].rstrip(":")
    room, _, new = place.rpartition(".")
    assert getattr(sys.modules[room], new) is value
    assert room.removeprefix("symbench.") in SPACES
    assert new in names_of(room.removeprefix("symbench."))


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Matrx'"):
        _ = sb.Matrx


@pytest.mark.parametrize("place", PUBLIC)
def test_it_is_documented(place: str) -> None:
    assert inspect.getdoc(PUBLIC[place])


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The function or class, and the public functions that are written in the class."""
    yield value.__qualname__, value
    for name, part in vars(value).items() if inspect.isclass(value) else ():
        plain = getattr(part, "__func__", getattr(part, "fget", part))
        generated = "<attrs generated" in getattr(plain, "__code__", _parts.__code__).co_filename
        if inspect.isfunction(plain) and not generated and not name.startswith("_"):
            yield f"{value.__qualname__}.{name}", plain


@pytest.mark.parametrize("place", PUBLIC)
def test_its_type_hints_can_be_read(place: str) -> None:
    for _, part in _parts(PUBLIC[place]):
        typing.get_type_hints(part)


# Abstract things, described where they are made.
NO_SESSION = ["certificates.Certificate", "kernels.Kernel", "laws.ExchangeableLaw"]


@pytest.mark.parametrize("place", sorted(set(PUBLIC) - set(NO_SESSION)))
def test_it_has_a_session(place: str) -> None:
    if not place.startswith("errors."):
        assert any(">>>" in (inspect.getdoc(part) or "") for _, part in _parts(PUBLIC[place]))


# What returns anything, and why.
ANYTHING: dict[str, str] = {}


def test_public_functions_return_named_types() -> None:
    found = [
        place
        for place, value in PUBLIC.items()
        if inspect.isfunction(value) and value.__annotations__["return"] == "Any"
    ]
    assert sorted(found) == sorted(ANYTHING)


def _loaded(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    # Without the entry points of what is installed: the statement calls ours itself.
    alone = {**os.environ, "HYPOTHESIS_NO_PLUGINS": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=alone
    )
    return set(done.stdout.split())


def _ours(loaded: set[str]) -> set[str]:
    return {name for name in loaded if name.partition(".")[0] == "symbench"}


HEAVY = {"sympy", "networkx", "matplotlib", "hypothesis", "numpy", "scipy", "flint", "rich"}


def test_importing_symbench_loads_no_heavy_library() -> None:
    loaded = _loaded("import symbench")
    assert not HEAVY & loaded
    assert _ours(loaded) == {"symbench", "symbench._lazy"}
    use = "import symbench as sb; sb.certify(sb.Matrix([[1, 2], [3, 4]])).check()"
    assert not (HEAVY - {"flint"}) & _loaded(use)


@pytest.mark.parametrize(
    ("name", "most"),
    [("Template", 12), ("Partition", 12), ("Matrix", 22), ("check", 29), ("spectrum", 85)],
)
def test_a_name_loads_little(name: str, most: int) -> None:
    loaded = _loaded(f"import symbench as sb; sb.{name}")
    assert len(_ours(loaded)) <= most
    assert not (HEAVY - {"flint"}) & loaded


# What Hypothesis does with the entry point when it is imported.
ENTRY = "import hypothesis; from symbench._hypothesis import register; register()"
FOUND = (
    "from hypothesis import find, strategies as st; "
    "assert find(st.from_type(sb.Template), len) == sb.Template('α'); "
    "assert find(st.from_type(sb.laws.Law), lambda law: True).vocabulary == 2"
)


def test_importing_hypothesis_loads_nothing_of_ours() -> None:
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["hypothesis"] == {"symbench": "symbench._hypothesis:register"}
    loaded = _loaded(ENTRY)
    assert _ours(loaded) == {"symbench", "symbench._lazy", "symbench._hypothesis"}
    assert not (HEAVY - {"hypothesis"}) & loaded
    # Nor does a type of ours, until a strategy is asked for.
    assert "symbench.strategies" not in _loaded(f"{ENTRY}; import symbench as sb; sb.Template")


@pytest.mark.parametrize("first", [True, False])
def test_hypothesis_finds_our_types_in_either_order(first: bool) -> None:
    ours = "import symbench as sb; sb.Template; sb.laws.Law"
    both = f"{ENTRY}; {ours}" if first else f"{ours}; {ENTRY}"
    assert "symbench.strategies" in _loaded(f"{both}; {FOUND}")


def test_calls_of_before_work_as_they_were_written() -> None:
    kernel, target = sb.kernels.linear_attention(1, 1), sb.learning.targets.parity(1)
    problem = sb.learning.Problem(kernel, target, length=2)
    with pytest.warns(DeprecationWarning, match=r"Problem\(kernel, target, length=\.\.\.\).pred"):
        predictor = sb.equivalent_predictor
    found = predictor(kernel, target, length=2, samples=3, ridge=1)
    assert found.values == problem.predictor(3, 1).values
    with pytest.warns(DeprecationWarning, match="networks"):
        networks = sb.compare_network
    found = networks(kernel, target, length=2, samples=2, sizes=[(2, 16, 4)], draws=3)
    assert found.rows == problem.networks(2, sizes=[(2, 16, 4)], draws=3).rows
    with pytest.warns(DeprecationWarning, match="closed-form"):
        closed = sb.linear_attention_spectrum
    assert closed(kernel, length=5, vocabulary=2).levels
    assert closed(kernel, length=None, vocabulary=2).levels
    with pytest.warns(DeprecationWarning, match="road= is now algorithm="):
        assert sb.spectrum(kernel, length=2, vocabulary=2, road="words").algorithm == "words"
    matrix = sb.template_matrix(sb.tasks.same_different(), sb.kernels.attention())
    with pytest.warns(DeprecationWarning, match="road= is now algorithm="):
        assert matrix.certify(road="modular") == matrix.certify(algorithm="modular")
    with pytest.warns(DeprecationWarning, match="predictions"):
        predictions = sb.compare_predictions
    assert predictions(kernel, target, length=2, samples=1, trials=5).exact is not None
