"""The public names, and what importing them costs."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import symbench as sb

# A new public name is added here and has a session in its docstring or in the README.
NAMES = [
    "GF",
    "QQ",
    "ZZ",
    "Balls",
    "Certificate",
    "Claim",
    "Counterexample",
    "Exhausted",
    "Exponentials",
    "Fails",
    "Matrix",
    "NearMiss",
    "Nonsingular",
    "NonsingularBalls",
    "NotPositiveDefinite",
    "Polynomials",
    "PositiveDefinite",
    "PowerSeries",
    "RankIs",
    "Rational",
    "Singular",
    "HiddenMarkov",
    "MarkovMixture",
    "compare_texts",
    "learning_curve",
    "lower_bound",
    "permutation_symmetry",
    "samples_needed",
    "targets",
    "threshold_table",
    "CountsLaw",
    "IidLaw",
    "MixtureLaw",
    "Spectrum",
    "TableKernel",
    "linear_attention_spectrum",
    "spectrum",
    "subset_spectrum",
    "Stage",
    "stages",
    "TiedAssignment",
    "UniqueAssignment",
    "Verdict",
    "certify",
    "conditioning",
    "check",
    "claim",
    "claims",
    "errors",
    "exponential_matrix",
    "hunt",
    "load",
    "verify",
    "FiniteLaw",
    "Substitution",
    "Substitutions",
    "Task",
    "Template",
    "UniformLaw",
    "Word",
    "all_tasks",
    "all_templates",
    "common_string",
    "count_tasks",
    "count_templates",
    "disjointness_graph",
    "disjointness_svg",
    "disjointness_table",
    "maximal_tasks",
    "tasks",
    "Action",
    "CharacterTable",
    "Partition",
    "Permutation",
    "Representation",
    "Tableau",
    "block_form",
    "bratteli_diagram",
    "character",
    "kostka",
    "littlewood_richardson",
    "partitions",
    "permutations",
    "rsk",
    "specht_polynomial",
    "young_lattice",
    "kernels",
    "ModularPoints",
    "OnePoint",
    "TemplateMatrix",
    "TemplateRank",
    "TypeRank",
    "PositionSymmetry",
    "analyse",
    "compare_network",
    "compare_predictions",
    "compare_spectra",
    "eigenvalue_scaling",
    "equivalent_predictor",
    "excess_kurtosis",
    "CyclicGroup",
    "YoungSubgroup",
    "WordLaw",
    "ring_chain",
    "segments_law",
    "softmax_tightness",
    "LinearFamily",
    "coefficient_matrices",
    "position_symmetry",
    "template_matrix",
]


def test_the_list_is_complete() -> None:
    assert sorted(sb.__all__) == sorted(NAMES)
    assert set(NAMES) <= set(dir(sb))


@pytest.mark.parametrize("name", NAMES)
def test_it_is_there_and_documented(name: str) -> None:
    value = getattr(sb, name)
    if inspect.isclass(value) or inspect.isfunction(value):
        assert inspect.getdoc(value)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Matrx'"):
        _ = sb.Matrx


def _loaded(statement: str) -> set[str]:
    code = f"import sys; {statement}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_importing_symbench_loads_no_heavy_library() -> None:
    heavy = {"sympy", "networkx", "matplotlib", "hypothesis", "numpy", "scipy", "flint", "rich"}
    assert not heavy & _loaded("import symbench")
    use = "import symbench as sb; sb.certify(sb.Matrix([[1, 2], [3, 4]])).check()"
    assert not (heavy - {"flint"}) & _loaded(use)
