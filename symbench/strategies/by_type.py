"""Which strategy draws the values of a public class: what `st.from_type` asks for.

Results of computations are drawn as what they are: the results of a small drawn question.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st

from symbench import (
    _hypothesis,
    kernels,
    ktau,
    laws,
    learning,
    registry,
    rings,
    sparse,
    spectra,
    sweeps,
    texts,
    words,
    young,
)
from symbench import certificates as kinds
from symbench import strategies as sts
from symbench.errors import NotSupported
from symbench.learning import targets
from symbench.words import tasks

Made = st.SearchStrategy[Any]


def register() -> None:
    """Tell Hypothesis how to build the types of symbench: `st.from_type(Template)` works.

    Importing `symbench.strategies` does so, and the installed package has Hypothesis do so when it
    is imported, through the entry point group ``hypothesis``; types are registered as they are
    loaded.

    >>> from hypothesis import find
    >>> from hypothesis import strategies as st
    >>> register()
    >>> find(st.from_type(Template), lambda t: len(t) == 2)
    Template('αα')
    """
    _hypothesis.register()


def strategy_of(cls: type) -> Made:
    """The strategy of a public class.

    >>> from hypothesis import find
    >>> find(strategy_of(Partition), lambda p: True)
    Partition(1)
    >>> strategy_of(dict)
    Traceback (most recent call last):
    ...
    symbench.errors.NotSupported: symbench has no strategy for builtins.dict
    """
    place = f"{cls.__module__}.{cls.__qualname__}"
    found = _BY_PLACE.get(place.removeprefix("symbench."))
    if found is None:
        raise NotSupported(f"symbench has no strategy for {place}")
    return found()


# --- words ------------------------------------------------------------------------------------
def _classifications() -> Made:
    return st.builds(
        lambda task, word: task.classify(word), sts.tasks(max_length=3), sts.strings(max_length=3)
    )


def _matches() -> Made:
    return st.builds(
        lambda template, word: template.explain(word),
        sts.templates(max_length=3),
        sts.strings(max_length=3),
    )


def _samples() -> Made:
    return st.builds(
        lambda task, count, seed: task.sample(count, seed, 12)[0],
        sts.tasks(max_length=3),
        st.integers(1, 4),
        st.integers(0, 9),
    )


def _finite_substitutions() -> Made:
    def made(maps: list[Any], parts: list[Any]) -> Any:
        return words.FiniteSubstitutions(list(zip(maps, parts, strict=True)))

    one = sts.substitutions("αβ")
    return st.integers(1, 3).flatmap(
        lambda n: st.builds(
            made,
            st.lists(one, min_size=n, max_size=n, unique=True),
            sts.distributions(n, positive=True),
        )
    )


# --- the symmetric group ----------------------------------------------------------------------
def _actions() -> Made:
    size = st.integers(1, 4)
    return (
        st.builds(young.Action.words, st.integers(1, 3), st.integers(1, 2))
        | st.builds(lambda n, k: young.Action.subsets(n, min(n, k)), size, st.integers(0, 4))
        | sts.partitions(max_size=4).map(young.Action.tabloids)
    )


def _commuting() -> st.SearchStrategy[tuple[Any, Any]]:
    """An action on points, and the matrix a + b on and a off the diagonal, which commutes."""

    def made(size: int, a: int, b: int) -> tuple[Any, Any]:
        rows = [[a + b if i == j else a for j in range(size)] for i in range(size)]
        return young.Action.subsets(size, 1), rows

    return st.builds(made, st.integers(1, 4), st.integers(-3, 3), st.integers(-3, 3))


def _block_forms() -> Made:
    return _commuting().map(lambda pair: young.block_form(*pair))


def _class_functions() -> Made:
    def of_size(n: int) -> Made:
        count = len(list(young.partitions(n)))
        values = st.lists(st.integers(-5, 5), min_size=count, max_size=count)
        return values.map(lambda found: young.ClassFunction(n, found))

    return st.integers(1, 4).flatmap(of_size)


def _algebra_elements() -> Made:
    def of_degree(n: int) -> Made:
        one = sts.permutations(min_size=n, max_size=n)
        terms = st.dictionaries(one, sts.rationals(), max_size=3)
        return terms.map(lambda found: young.AlgebraElement(n, found))

    return st.integers(1, 4).flatmap(of_degree)


def _multilinear() -> Made:
    def made(variables: int, degree: int, place: int) -> Any:
        basis = young.multilinear_basis(variables, min(degree, variables))
        return basis[place % len(basis)]

    return st.builds(made, st.integers(1, 4), st.integers(0, 4), st.integers(0, 20))


def _surd_matrices() -> Made:
    def of_size(n: int) -> Made:
        norms = st.lists(st.integers(1, 6), min_size=n, max_size=n)
        table = sts.matrices(ring=rings.QQ, shape=(n, n))
        return st.builds(lambda a, b: young.SurdMatrix(a.rows, b), table, norms)

    return st.integers(1, 3).flatmap(of_size)


# --- spectra and learning ---------------------------------------------------------------------
def _part(of: Callable[[Any], Any]) -> Callable[[], Made]:
    """One of the parts of a drawn spectrum."""

    def strategy() -> Made:
        return st.builds(
            lambda found, place: of(found)[place % len(of(found))],
            sts.spectra(max_length=3, max_vocabulary=2),
            st.integers(0, 20),
        )

    return strategy


def _real_roots() -> Made:
    roots = st.sampled_from([2, 3, 5, 6, 7, 10, 13])
    return st.builds(lambda n, index: spectra.RealRoot((-n, 0, 1), index), roots, st.integers(0, 1))


def _one_layer() -> Made:
    number, readout = st.integers(1, 3), st.sampled_from(["sum", "flatten"])
    return st.builds(kernels.linear_attention, number, number, readout=readout)


def _closed_forms() -> Made:
    return st.builds(
        lambda kernel, size: spectra.closed_forms(kernel, vocabulary=size),
        _one_layer(),
        st.integers(2, 3),
    )


def _scalings() -> Made:
    lengths = st.lists(st.integers(3, 6), min_size=1, max_size=2, unique=True).map(sorted)
    return st.builds(
        lambda kernel, found: spectra.eigenvalue_scaling(kernel, lengths=found, max_m=1),
        _one_layer(),
        lengths,
    )


def _from_problem(made: Callable[[Any, int], Any]) -> Callable[[], Made]:
    """What a drawn problem says for a number of samples."""
    return lambda: st.builds(made, sts.problems(max_length=2), st.integers(1, 2))


def _networks(problem: Any, samples: int) -> Any:
    kernel = kernels.linear_attention(1, 1)
    target = targets.parity(1)
    one = learning.Problem(kernel, target, length=len(problem.points[0]))
    return one.networks(samples, 1, sizes=[(2, 16, 4)], draws=2)


def _analyses() -> Made:
    return st.builds(
        lambda kernel, target, samples: learning.analyse(
            kernel, target, length=2, samples=[samples], ridge=1, trials=2
        ),
        sts.kernels(kinds=kernels.linear_attention),
        sts.targets(max_variables=2),
        st.integers(1, 2),
    )


def _orbit_averages() -> Made:
    return st.builds(
        lambda target, length: learning.orbit_average(target, length=length),
        sts.targets(max_variables=3),
        st.integers(3, 4),
    )


def _regressions() -> Made:
    def of_size(n: int) -> Made:
        return st.builds(
            lambda matrix, values, chances: learning.Regression(
                list(range(n)), matrix.rows, values, chances
            ),
            sts.matrices(positive_definite=True, min_size=n, max_size=n),
            st.lists(st.integers(-3, 3), min_size=n, max_size=n),
            sts.distributions(n),
        )

    return st.integers(1, 3).flatmap(of_size)


def _copying() -> Made:
    return st.builds(
        learning.Copying, st.integers(2, 9), width=st.integers(1, 9), gamma=sts.rationals()
    )


def _network_sizes() -> Made:
    small = st.integers(1, 8)
    return st.builds(learning.NetworkSize, small, st.none() | small, small, st.none() | small)


def _perceptrons() -> Made:
    """Networks with one hidden unit on words of two letters of two."""
    weights = st.lists(st.integers(-3, 3), min_size=5, max_size=5)
    return weights.map(lambda w: learning.Mlp([[w[:4]], [w[4:]]], "AB"))


def _labellings() -> Made:
    kernel = kernels.inner_product(lambda s: s**2, incidence=True)
    label = st.integers(-3, 3).filter(bool)
    return st.builds(
        lambda a, b: learning.labelling_by_irrep(words.Task(["αα", "αβ"], labels=[a, b]), kernel),
        label,
        label,
    )


def _sweeps() -> Made:
    return _verdicts().map(
        lambda verdict: sweeps.Sweep(
            claim=verdict.claim, verdicts=(verdict,), counts=(), computed=verdict.cases, seconds=0.0
        )
    )


def _rates() -> Made:
    return sts.rationals(min_value=0, max_value=1, max_denominator=8)


def _parts() -> Made:
    return sts.rationals(min_value=0, max_value="9/10", max_denominator=10)


def _unseen() -> Made:
    return st.integers(1, 8).map(
        lambda n: learning.compare_unseen(
            words.tasks.same_different(), kernels.inner_product([1, 2, 5]), [n],
            symbols=8, width=2, steps=5, trials=1,
        )
    )  # fmt: skip


def _incidences() -> Any:
    return kernels.inner_product(lambda n: n, incidence=True)


def _labelled() -> Made:
    """Same and different with other labels."""
    same = words.tasks.same_different().templates
    labels = st.lists(st.integers(-3, 3), min_size=2, max_size=2)
    return labels.map(lambda found: words.Task(same, labels=found))


def _ridges() -> Made:
    strings = st.lists(st.text("ABC", min_size=2, max_size=2), min_size=1, max_size=4)
    return st.builds(
        lambda task, found: learning.TaskRidge(task, _incidences(), found), _labelled(), strings
    )


# --- sparse functions ---------------------------------------------------------------------------
def _bounds() -> Made:
    size = st.integers(1, 100)
    return st.builds(
        lambda norm, dimension, points: sparse.linear_cover(
            error=1, norm=norm, dimension=dimension, points=points
        ),
        st.integers(1, 5),
        size,
        size,
    )


def _networks_of_heads() -> Made:
    return st.builds(sparse.network, sts.sparse_functions(max_sparsity=2), st.integers(4, 20))


def _inseparable() -> Made:
    return (
        st.integers(1, 4)
        .map(lambda half: sparse.inseparable(sparse.flipped_simplex(half), range(1, half + 1)))
        .filter(lambda found: found is not None)
    )


# --- the rest ---------------------------------------------------------------------------------
def _answers() -> Made:
    return st.builds(learning.learnable, sts.tasks(max_length=3), sts.kernels())


def _template_matrices() -> Made:
    return st.builds(
        ktau.template_matrix,
        sts.inequivalent_templates(max_size=3, max_length=3),
        sts.kernels() | st.builds(kernels.attention, gamma=st.none() | st.integers(0, 2)),
    )


def _plain_templates() -> Made:
    return st.builds(
        ktau.plain_templates,
        sts.inequivalent_templates(max_size=3, max_length=3),
        st.none() | sts.kernel_facts(),
    )


def _texts(size: int = 2) -> Made:
    window = st.lists(st.integers(0, 2), min_size=size, max_size=size)
    return st.lists(window, min_size=2, max_size=6)


def _reports() -> Made:
    return _texts().map(lambda found: texts.permutation_symmetry(found, resamples=5))


def _comparisons() -> Made:
    return st.builds(
        lambda a, b: texts.compare_texts({"one": a, "two": b}, resamples=5), _texts(), _texts()
    )


def _kernel_reports() -> Made:
    from symbench.testing import kernel_report

    return sts.kernels().map(lambda kernel: kernel_report(kernel, max_length=1))


def _claims() -> Made:
    return st.sampled_from(list(registry.claims.values()))


def _near_misses() -> Made:
    return st.builds(registry.NearMiss, st.text(min_size=1), sts.plain_values())


def _verdicts() -> Made:
    status = st.sampled_from(["holds", "fails", "undecided"])
    return st.builds(
        registry.Verdict,
        claim=st.sampled_from(list(registry.claims)),
        status=status,
        expected=status,
        scope=st.sampled_from(["proved", "all cases", "sampled"]),
        cases=st.integers(0, 100),
        notes=st.lists(st.text(max_size=9), max_size=2).map(tuple),
    )


def _hunts() -> Made:
    return st.builds(
        registry.Hunt,
        claim=st.sampled_from(list(registry.claims)),
        expected=st.sampled_from(["holds", "fails", "undecided"]),
        cases=st.integers(0, 100),
        open=st.lists(st.text(max_size=9), max_size=2).map(tuple),
    )


def _kind(name: str) -> Callable[[], Made]:
    """The certificates of one kind."""
    return lambda: sts.certificates(kinds=getattr(kinds, name))


def _law(name: str) -> Callable[[], Made]:
    return lambda: sts.laws(kinds=getattr(laws, name))


def _kernel(name: str) -> Callable[[], Made]:
    return lambda: sts.kernels(kinds=getattr(kernels, name))


def _target(name: str) -> Callable[[], Made]:
    return lambda: sts.targets(kinds=getattr(targets, name))


# By the place where a class is written, since that is all that a class says of itself.
_BY_PLACE: dict[str, Callable[[], Made]] = {
    "words.template.Template": lambda: sts.templates(),
    "words.template.Match": _matches,
    "words.templates.Templates": lambda: st.builds(
        words.all_templates, st.integers(1, 4), tokens=st.sampled_from(["", "S", "ST"])
    ),
    "words.substitution.Substitution": lambda: sts.substitutions(),
    "words.substitution.Substitutions": lambda: st.builds(
        words.Substitutions, st.sampled_from(["α", "αβ"]), st.integers(1, 4)
    ),
    "words.substitution_law.UniformSubstitutions": lambda: st.integers(1, 6).map(
        words.UniformSubstitutions
    ),
    "words.substitution_law.FiniteSubstitutions": _finite_substitutions,
    "words.letters.Word": lambda: sts.strings(),
    "words.task.Task": lambda: sts.tasks(),
    "words.classify.Classification": _classifications,
    "words.sample.Sample": _samples,
    "words.tasks.Entry": lambda: st.sampled_from(list(tasks.catalogue.values())),
    "words.tasks.Catalogue": lambda: st.just(tasks.catalogue),
    "exact.matrix.Matrix": lambda: sts.matrices(),
    "exact.rational.Rational": lambda: sts.rationals(),
    "exact.balls.Balls": lambda: st.integers(32, 256).map(rings.Balls),
    "exact.exponentials.Exponentials": lambda: st.sampled_from("qtu").map(rings.Exponentials),
    "exact.exponentials.Exponential": lambda: sts.elements(rings.Exponentials("q")),
    "exact.polynomials.Polynomials": lambda: st.builds(
        rings.Polynomials,
        st.sampled_from([rings.ZZ, rings.QQ, rings.GF(5)]),
        st.sampled_from([("x",), ("x", "y")]),
    ),
    "exact.series.PowerSeries": lambda: st.builds(
        rings.PowerSeries, st.sampled_from([rings.ZZ, rings.QQ]), st.just("b"), st.integers(1, 6)
    ),
    "exact.series.Series": lambda: sts.elements(rings.PowerSeries(rings.QQ, "b", 4)),
    "exact.roots.RealRoot": _real_roots,
    "young.partition.Partition": lambda: sts.partitions(),
    "young.permutation.Permutation": lambda: sts.permutations(),
    "young.tableau.Tableau": lambda: sts.tableaux() | sts.semistandard_tableaux(),
    "young.enumeration.Partitions": lambda: st.integers(0, 12).map(young.partitions),
    "young.tableaux.StandardTableaux": lambda: sts.partitions(max_size=5).map(
        young.StandardTableaux
    ),
    "young.tableaux.SemistandardTableaux": lambda: st.builds(
        young.SemistandardTableaux, sts.partitions(max_size=4), st.integers(1, 3)
    ),
    "young.position_groups.YoungSubgroup": lambda: sts.young_subgroups(),
    "young.position_groups.CyclicGroup": lambda: st.integers(1, 8).map(young.CyclicGroup),
    "young.representation.Representation": lambda: st.builds(
        young.Representation,
        sts.partitions(max_size=4),
        st.sampled_from(["seminormal", "orthogonal", "natural"]),
    ),
    "young.action.Action": _actions,
    "young.blocks.AdaptedBasis": lambda: _actions().map(young.adapted_basis),
    "young.blocks.BlockForm": _block_forms,
    "young.blocks.Block": lambda: _block_forms().map(lambda form: form.blocks[0]),
    "young.characters.CharacterTable": lambda: st.integers(1, 6).map(young.CharacterTable),
    "young.characters.ClassFunction": _class_functions,
    "young.group_algebra.AlgebraElement": _algebra_elements,
    "young.matrices.Surd": lambda: st.builds(
        young.Surd, st.fractions(-3, 3, max_denominator=4), st.integers(1, 20)
    ),
    "young.matrices.SurdMatrix": _surd_matrices,
    "young.specht.MultilinearVector": _multilinear,
    "laws.base.Law": lambda: sts.laws(),
    "laws.base.ExchangeableLaw": lambda: sts.laws(exchangeable=True),
    "laws.iid.Iid": _law("Iid"),
    "laws.mixture.Mixture": _law("Mixture"),
    "laws.counts.Counts": _law("Counts"),
    "laws.counts.Subsets": _law("Subsets"),
    "laws.words.Words": _law("Words"),
    "laws.markov.HiddenMarkov": _law("HiddenMarkov"),
    "laws.markov.MarkovMixture": _law("MarkovMixture"),
    "laws.markov.Exchangeability": lambda: sts.hidden_markov_laws().map(
        lambda law: law.exchangeability()
    ),
    "kernels.base.Kernel": lambda: sts.kernels(),
    "kernels.diagram.Diagram": lambda: sts.diagrams(),
    "kernels.attention.Attention": _kernel("Attention"),
    "kernels.hard_attention.HardAttention": _kernel("HardAttention"),
    "kernels.from_function.FunctionKernel": _kernel("from_function"),
    "kernels.from_table.TableKernel": _kernel("from_table"),
    "kernels.generic.Generic": _kernel("generic"),
    "kernels.identity_attention.IdentityAttention": _kernel("identity_attention"),
    "kernels.inner_product.InnerProduct": _kernel("inner_product"),
    "kernels.linear_attention.LinearAttention": _kernel("linear_attention"),
    "kernels.softmax_attention.SoftmaxAttention": _kernel("softmax_attention"),
    "kernels.tangent.TangentKernel": _kernel("tangent"),
    "kernels.transformer.Transformer": _kernel("transformer"),
    "kernels.activations.exact.Cosine": lambda: sts.activations(exact=True).filter(
        lambda f: isinstance(f, kernels.cos)
    ),
    "kernels.activations.exact.Polynomial": lambda: sts.activations(exact=True).filter(
        lambda f: isinstance(f, kernels.polynomial)
    ),
    "kernels.derivatives.formulas.AttentionDerivative": lambda: st.builds(
        kernels.AttentionDerivative, st.sampled_from([0, 2, 4]), st.sampled_from([0, 2])
    ),
    "kernels.softmax.conditioning.Conditioning": lambda: sts.inequivalent_templates(
        max_size=2, max_length=2
    ).map(lambda found: kernels.conditioning(found, [1], [1], digits=6)),
    "ktau.matrix.TemplateMatrix": _template_matrices,
    "ktau.null_space.NullSpace": lambda: _template_matrices().map(ktau.null_space),
    "ktau.isotypic.PositionSymmetry": lambda: st.integers(1, 3).map(
        lambda n: ktau.position_symmetry(words.all_templates(n))
    ),
    "spectra._spectrum.Spectrum": lambda: sts.spectra(),
    "spectra._spectrum.Piece": _part(lambda found: found.pieces),
    "spectra._spectrum.Level": _part(lambda found: found.levels),
    "spectra.bounds.TraceBound": _part(lambda found: found.trace_bounds()),
    "spectra.linear_forms.ClosedForms": _closed_forms,
    "spectra.scaling.EigenvalueScaling": _scalings,
    "learning.targets.BitPolynomial": _target("BitPolynomial"),
    "learning.targets.WeightFunction": _target("WeightFunction"),
    "learning.targets.WordFunction": _target("WordFunction"),
    "learning.problem.Problem": lambda: sts.problems(),
    "learning.problem.Symmetry": _from_problem(lambda problem, n: problem.symmetry),
    "learning.regression.Regression": _regressions,
    "learning.regression.Errors": _from_problem(lambda problem, n: problem.errors(n, 1)),
    "learning.predictions.EquivalentPredictor": _from_problem(
        lambda problem, n: problem.predictor(n, 1)
    ),
    "learning.predictions.PredictionComparison": _from_problem(
        lambda problem, n: problem.predictions(n, 1, trials=2)
    ),
    "learning.learning_curves.LearningCurve": _from_problem(
        lambda problem, n: problem.curve([n], 1, trials=2)
    ),
    "learning.learnable.Learnable": _answers,
    "learning.template_split.TemplateSplit": lambda: _labelled().map(
        lambda task: learning.TemplateSplit(task, _incidences())
    ),
    "learning.task_ridge.TaskRidge": _ridges,
    "learning.task_problem.TaskProblem": lambda: st.builds(
        lambda task, size: learning.TaskProblem(_incidences(), task, symbols=size),
        _labelled(),
        st.integers(2, 20),
    ),
    "learning.by_irrep.LabellingByIrrep": _labellings,
    "learning.by_irrep.LabellingPart": lambda: _labellings().map(lambda found: found.parts[0]),
    "learning.costs.CostTable": lambda: _labelled().map(
        lambda task: learning.cost_table({"incidence": _incidences()}, {"task": task})
    ),
    "learning.costs.CostMap": lambda: st.integers(1, 3).map(
        lambda n: learning.cost_map(words.tasks.same_different(), [1], [n], digits=6)
    ),
    "learning.copying.Copying": _copying,
    "learning.copying.CopyCurve": lambda: _copying().map(
        lambda copying: copying.curve([1, 2, 5], 1)
    ),
    "learning.random_features.FeatureConvergence": lambda: st.integers(1, 3).map(
        lambda n: learning.feature_convergence(
            "AB*", "AA*", beta=1, gamma=1, sizes=[(n, 2, n)], draws=2
        )
    ),
    "learning.networks.NetworkComparison": _from_problem(_networks),
    "learning.networks.NetworkSize": _network_sizes,
    "learning.mlp.Mlp": _perceptrons,
    "learning.mlp.Ensemble": lambda: st.lists(_perceptrons(), min_size=1, max_size=3).map(
        learning.Ensemble
    ),
    "learning.optimisers.Sgd": lambda: st.builds(learning.Sgd, _rates(), momentum=_parts()),
    "learning.optimisers.Adam": lambda: st.builds(learning.Adam, _rates(), beta1=_parts()),
    "learning.unseen.UnseenComparison": _unseen,
    "learning.orbit_average.OrbitAverage": _orbit_averages,
    "learning.analysis.Analysis": _analyses,
    "sparse.capacity.Bound": _bounds,
    "sparse.encodings.Encoding": lambda: sts.encodings(),
    "sparse.encodings.Inseparable": _inseparable,
    "sparse.heads.Head": lambda: sts.heads(),
    "sparse.heads.Norms": lambda: sts.heads().map(lambda found: found.norms),
    "sparse.heads.Network": _networks_of_heads,
    "sparse.memoriser.Memoriser": lambda: _networks_of_heads().map(lambda found: found.memoriser),
    "texts.symmetry.SymmetryReport": _reports,
    "texts.symmetry.TextComparison": _comparisons,
    "testing.KernelReport": _kernel_reports,
    "registry.statement.Claim": _claims,
    "registry.statement.Control": lambda: st.builds(
        registry.Control, st.text(min_size=1), sts.plain_values()
    ),
    "registry.statement.Fails": lambda: st.builds(registry.Fails, st.text(max_size=9)),
    "registry.statement.NearMiss": _near_misses,
    "registry.ledger.Ledger": lambda: st.just(":memory:").map(sweeps.Ledger),
    "registry.verdict.Verdict": _verdicts,
    "registry.hunting.Hunt": _hunts,
    "sweeps.running.Sweep": _sweeps,
    "certificates.base.Certificate": lambda: sts.certificates(),
    "certificates.templates.KernelFacts": lambda: sts.kernel_facts(),
    "certificates.templates.Templates": _plain_templates,
    "certificates.ranks.Nonsingular": _kind("Nonsingular"),
    "certificates.ranks.NonsingularBalls": _kind("NonsingularBalls"),
    "certificates.ranks.RankIs": _kind("RankIs"),
    "certificates.ranks.Singular": _kind("Singular"),
    "certificates.definite.PositiveDefinite": _kind("PositiveDefinite"),
    "certificates.definite.NotPositiveDefinite": _kind("NotPositiveDefinite"),
    "certificates.assignments.Stage": _kind("Stage"),
    "certificates.assignments.TiedAssignment": _kind("TiedAssignment"),
    "certificates.assignments.UniqueAssignment": _kind("UniqueAssignment"),
    "certificates.blocks.BlockDiagonal": _kind("BlockDiagonal"),
    "certificates.blocks.TraceBoundHolds": _kind("TraceBoundHolds"),
    "certificates.separation.ModularPoints": _kind("ModularPoints"),
    "certificates.separation.OnePoint": _kind("OnePoint"),
    "certificates.separation.TemplateRank": _kind("TemplateRank"),
    "certificates.separation.TypeRank": _kind("TypeRank"),
    "certificates.heads.HeadComputes": _kind("HeadComputes"),
    "certificates.training.EquivariantTraining": _kind("EquivariantTraining"),
    "certificates.regression.RidgePrediction": _kind("RidgePrediction"),
    "certificates.claims.Counterexample": _kind("Counterexample"),
    "certificates.claims.Exhausted": _kind("Exhausted"),
}
