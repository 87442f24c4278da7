"""symbench: exact algebra for the theory of transformers, symmetry and abstract reasoning.

It takes a claim, a task or a kernel and answers holds, fails or undecided, with a certificate
that somebody else can re-check without trusting the search that found it.

>>> import symbench as sb
>>> M = sb.Matrix([[2, 1], [1, 2]])
>>> sb.certify(M).explain()
'nonsingular at these parameters: det = 3 modulo 2147483647'
>>> sb.verify("lavie2024.dimension").status
'holds'

Names are loaded when first used, so that `import symbench` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symbench import errors, kernels
    from symbench.certificates import (
        Certificate,
        Counterexample,
        Exhausted,
        ModularPoints,
        Nonsingular,
        NonsingularBalls,
        NotPositiveDefinite,
        OnePoint,
        PositiveDefinite,
        RankIs,
        Singular,
        Stage,
        TemplateRank,
        TiedAssignment,
        TypeRank,
        UniqueAssignment,
    )
    from symbench.decide import certify
    from symbench.exact import (
        GF,
        QQ,
        ZZ,
        Balls,
        Exponentials,
        Matrix,
        Polynomials,
        PowerSeries,
        Rational,
        exponential_matrix,
    )
    from symbench.kernels import conditioning
    from symbench.ktau import (
        PositionSymmetry,
        TemplateMatrix,
        coefficient_matrices,
        position_symmetry,
        stages,
        template_matrix,
    )
    from symbench.laws import (
        CountsLaw,
        HiddenMarkov,
        IidLaw,
        MarkovMixture,
        MixtureLaw,
        WordLaw,
        ring_chain,
        segments_law,
    )
    from symbench.learning import (
        analyse,
        compare_network,
        compare_predictions,
        equivalent_predictor,
        excess_kurtosis,
        group_lower_bound,
        group_orbit_spectrum,
        learning_curve,
        lower_bound,
        samples_needed,
        targets,
        threshold_table,
    )
    from symbench.recheck import check, load
    from symbench.registry import Claim, Fails, NearMiss, Verdict, claim, claims, hunt, verify
    from symbench.spectra import (
        LinearFamily,
        Spectrum,
        TableKernel,
        compare_spectra,
        eigenvalue_scaling,
        linear_attention_spectrum,
        softmax_tightness,
        spectrum,
        subset_spectrum,
    )
    from symbench.texts import compare_texts, permutation_symmetry
    from symbench.words import (
        FiniteLaw,
        Substitution,
        Substitutions,
        Task,
        Template,
        UniformLaw,
        Word,
        all_tasks,
        all_templates,
        common_string,
        count_tasks,
        count_templates,
        disjointness_graph,
        disjointness_svg,
        disjointness_table,
        maximal_tasks,
        tasks,
    )
    from symbench.young import (
        Action,
        CharacterTable,
        Partition,
        Permutation,
        Representation,
        Tableau,
        block_form,
        bratteli_diagram,
        character,
        kostka,
        littlewood_richardson,
        partitions,
        permutations,
        rsk,
        specht_polynomial,
        young_lattice,
    )
    from symbench.young.position_groups import CyclicGroup, YoungSubgroup

__version__ = "0.1.0"

# Which room each public name lives in.
_HOMES = {
    "symbench.exact": (
        "GF QQ ZZ Balls Exponentials Matrix Polynomials PowerSeries Rational exponential_matrix"
    ),
    "symbench.certificates": (
        "Certificate Counterexample Exhausted ModularPoints Nonsingular NonsingularBalls "
        "NotPositiveDefinite OnePoint PositiveDefinite RankIs Singular Stage TemplateRank "
        "TiedAssignment TypeRank UniqueAssignment"
    ),
    "symbench.decide": "certify",
    "symbench.laws": (
        "CountsLaw HiddenMarkov IidLaw MarkovMixture MixtureLaw WordLaw ring_chain segments_law"
    ),
    "symbench.learning": (
        "analyse compare_network compare_predictions equivalent_predictor excess_kurtosis "
        "group_lower_bound group_orbit_spectrum learning_curve lower_bound samples_needed targets "
        "threshold_table"
    ),
    "symbench.texts": "compare_texts permutation_symmetry",
    "symbench.young.position_groups": "CyclicGroup YoungSubgroup",
    "symbench.spectra": (
        "LinearFamily Spectrum TableKernel compare_spectra eigenvalue_scaling "
        "linear_attention_spectrum softmax_tightness spectrum subset_spectrum"
    ),
    "symbench.young": (
        "Action CharacterTable Partition Permutation Representation Tableau block_form "
        "bratteli_diagram character kostka littlewood_richardson partitions permutations rsk "
        "specht_polynomial young_lattice"
    ),
    "symbench.kernels": "conditioning",
    "symbench.ktau": (
        "PositionSymmetry TemplateMatrix coefficient_matrices position_symmetry stages "
        "template_matrix"
    ),
    "symbench.words": (
        "FiniteLaw Substitution Substitutions Task Template UniformLaw Word all_tasks "
        "all_templates common_string count_tasks count_templates disjointness_graph "
        "disjointness_svg disjointness_table maximal_tasks tasks"
    ),
    "symbench.recheck": "check load",
    "symbench.registry": "Claim Fails NearMiss Verdict claim claims hunt verify",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "GF",
    "QQ",
    "ZZ",
    "Action",
    "Balls",
    "Certificate",
    "CharacterTable",
    "Claim",
    "Counterexample",
    "CountsLaw",
    "CyclicGroup",
    "Exhausted",
    "Exponentials",
    "Fails",
    "FiniteLaw",
    "HiddenMarkov",
    "IidLaw",
    "LinearFamily",
    "MarkovMixture",
    "Matrix",
    "MixtureLaw",
    "ModularPoints",
    "NearMiss",
    "Nonsingular",
    "NonsingularBalls",
    "NotPositiveDefinite",
    "OnePoint",
    "Partition",
    "Permutation",
    "Polynomials",
    "PositionSymmetry",
    "PositiveDefinite",
    "PowerSeries",
    "RankIs",
    "Rational",
    "Representation",
    "Singular",
    "Spectrum",
    "Stage",
    "Substitution",
    "Substitutions",
    "TableKernel",
    "Tableau",
    "Task",
    "Template",
    "TemplateMatrix",
    "TemplateRank",
    "TiedAssignment",
    "TypeRank",
    "UniformLaw",
    "UniqueAssignment",
    "Verdict",
    "Word",
    "WordLaw",
    "YoungSubgroup",
    "all_tasks",
    "all_templates",
    "analyse",
    "block_form",
    "bratteli_diagram",
    "certify",
    "character",
    "check",
    "claim",
    "claims",
    "coefficient_matrices",
    "common_string",
    "compare_network",
    "compare_predictions",
    "compare_spectra",
    "compare_texts",
    "conditioning",
    "count_tasks",
    "count_templates",
    "disjointness_graph",
    "disjointness_svg",
    "disjointness_table",
    "eigenvalue_scaling",
    "equivalent_predictor",
    "errors",
    "excess_kurtosis",
    "exponential_matrix",
    "group_lower_bound",
    "group_orbit_spectrum",
    "hunt",
    "kernels",
    "kostka",
    "learning_curve",
    "linear_attention_spectrum",
    "littlewood_richardson",
    "load",
    "lower_bound",
    "maximal_tasks",
    "partitions",
    "permutation_symmetry",
    "permutations",
    "position_symmetry",
    "ring_chain",
    "rsk",
    "samples_needed",
    "segments_law",
    "softmax_tightness",
    "specht_polynomial",
    "spectrum",
    "stages",
    "subset_spectrum",
    "targets",
    "tasks",
    "template_matrix",
    "threshold_table",
    "verify",
    "young_lattice",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its room."""
    import importlib

    if name in ("errors", "kernels"):
        return importlib.import_module(f"symbench.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'symbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
