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

from symbench._lazy import open_room

__version__ = "0.1.0"

# Names of before that are one dot away now, by room; and those that have a new name there.
_MOVED = {
    "certificates": (
        "Certificate Counterexample Exhausted ModularPoints Nonsingular NonsingularBalls "
        "NotPositiveDefinite OnePoint PositiveDefinite RankIs Singular Stage TemplateRank "
        "TiedAssignment TypeRank UniqueAssignment"
    ),
    "kernels": "conditioning",
    "ktau": "PositionSymmetry TemplateMatrix coefficient_matrices position_symmetry stages",
    "laws": "HiddenMarkov MarkovMixture ring_chain",
    "learning": "excess_kurtosis learning_curve threshold_table",
    "registry": "Claim",
    "rings": "Balls Exponentials Polynomials PowerSeries Rational exponential_matrix",
    "spectra": "Spectrum eigenvalue_scaling softmax_tightness subset_spectrum",
    "texts": "compare_texts permutation_symmetry",
    "words": (
        "Substitutions Word all_tasks common_string count_tasks "
        "disjointness_graph disjointness_svg disjointness_table maximal_tasks"
    ),
    "young": (
        "Action CharacterTable CyclicGroup Representation YoungSubgroup block_form "
        "bratteli_diagram character kostka littlewood_richardson permutations rsk "
        "specht_polynomial young_lattice"
    ),
}
_RENAMED = {
    "FiniteLaw": "words.FiniteSubstitutions",
    "UniformLaw": "words.UniformSubstitutions",
    "TableKernel": "kernels.from_table",
    "CountsLaw": "laws.Counts",
    "IidLaw": "laws.Iid",
    "MixtureLaw": "laws.Mixture",
    "WordLaw": "laws.Words",
    "segments_law": "laws.segments",
    "compare_network": "_before.compare_network",
    "compare_predictions": "_before.compare_predictions",
    "equivalent_predictor": "_before.equivalent_predictor",
    "LinearFamily": "spectra.ClosedForms",
    "linear_attention_spectrum": "_before.linear_attention_spectrum",
    "group_lower_bound": "learning.lower_bound",
    "group_orbit_spectrum": "learning.orbit_average",
}
_PLACES = {name: f"{room}.{name}" for room, names in _MOVED.items() for name in names.split()}

__all__ = open_room(__name__, _PLACES | _RENAMED)
