"""One value of every public class, as what a user types in a notebook.

The key is the class's public place below `symbench` (or its module, if only methods return it);
the expression is evaluated where the names of all rooms are known.
"""

VALUES = {
    # --- numbers, matrices, rings
    "Matrix": "Matrix([[1, '1/2'], [-3, 4]])",
    "rings.Balls": "Balls(64)",
    "rings.Exponential": "(Exponentials('q').monomial('1/2') - 1) * 3",
    "rings.Exponentials": "Exponentials('q')",
    "rings.Polynomials": "QQ['x', 'beta']",
    "rings.PowerSeries": "PowerSeries(QQ, 'b', 3)",
    "rings.Rational": "Rational(-22, 7)",
    "rings.Series": "PowerSeries(QQ, 'beta', 3).series([1, '-1/2'])",
    "spectra.RealRoot": "RealRoot((-2, 0, 1), 1)",
    "symbench.exact.dense.PrimeField": "GF(7)",
    "symbench.kernels.float_value.FloatValue": "softmax_attention(1, 1).value('AB', 'AB')",
    # --- words
    "Template": "Template('ααβST').with_cls()",
    "Substitution": "Substitution({'α': 'Q', 'β': '<b>'})",
    "Task": "Task([Template('αα'), Template('αβ')], labels=[1, -1])",
    "all_templates": "all_templates(5)",
    "tasks.Catalogue": "tasks.catalogue",
    "tasks.Entry": "tasks.catalogue['raven']",
    "words.Classification": "Task([Template('αα'), Template('αβ')], labels=[1, -1]).classify('QQ')",
    "words.FiniteSubstitutions": "FiniteSubstitutions([(Substitution({'α': 'P'}), Rational(1, 3)), "
    "(Substitution({'α': 'Q'}), Rational(2, 3))])",
    "words.Match": "Template('ααβST').explain('QQSST')",
    "words.Sample": "Task([Template('αS'), Template('αT')], labels=[1, -1]).sample(4, 1, 6)[0]",
    "words.Substitutions": "Substitutions('αβ', 'PQR')",
    "words.UniformSubstitutions": "UniformSubstitutions('PQRS')",
    "words.Word": "Word('QQR_1')",
    # --- young
    "Partition": "Partition(4, 2, 1)",
    "Permutation": "Permutation(2, 3, 1, 4)",
    "Tableau": "Tableau([[1, 2, 4], [3]])",
    "partitions": "partitions(30)",
    "young.Action": "Action.subsets(4, 2)",
    "young.AdaptedBasis": "adapted_basis(Action.subsets(3, 1))",
    "young.AlgebraElement": "AlgebraElement(2, {Permutation(2, 1): 1, Permutation(1, 2): -2})",
    "young.Block": "Block(Partition(2, 1), Matrix([[3, 1], [1, 2]]), 2)",
    "young.BlockForm": "block_form(Action.subsets(3, 1), [[2, 1, 1], [1, 2, 1], [1, 1, 2]])",
    "young.CharacterTable": "CharacterTable(5)",
    "young.ClassFunction": "ClassFunction(3, [1, '-1/2', 0])",
    "young.CyclicGroup": "CyclicGroup(5)",
    "young.MultilinearVector": "multilinear_basis(3, 1)[1]",
    "young.Representation": "Representation(Partition(2, 1))",
    "young.SemistandardTableaux": "SemistandardTableaux(Partition(2, 1), 3)",
    "young.StandardTableaux": "StandardTableaux(Partition(3, 2))",
    "young.Surd": "Surd('3/2', 12)",
    "young.SurdMatrix": "SurdMatrix([['-1/2', '3/2'], ['1/2', '1/2']], [1, 3])",
    "young.YoungSubgroup": "YoungSubgroup(3, 2)",
    # --- laws
    "laws.Counts": "Counts.of(lambda c: '1/6' if c == (2, 2) else 0, length=4, vocabulary=2)",
    "laws.Exchangeability": "HiddenMarkov(['1/2', '1/2'], [[0, 1], [1, 0]], "
    "[[1, 0], [0, 1]]).exchangeability()",
    "laws.HiddenMarkov": "HiddenMarkov([1], [[1]], [['1/3', '2/3']])",
    "laws.Iid": "Iid('1/2', '1/3', '1/6')",
    "laws.MarkovMixture": "MarkovMixture([('1/2', HiddenMarkov([1], [[1]], [['1/4', '3/4']])), "
    "('1/2', HiddenMarkov([1], [[1]], [['3/4', '1/4']]))])",
    "laws.Mixture": "Mixture([('1/4', Iid('1/2', '1/2')), ('3/4', Iid(1, 0))])",
    "laws.Subsets": "Subsets(length=4, size=2)",
    "laws.Words": "Words.of({(0, 1): '1/3', (1, 0): '2/3'}, length=2, vocabulary=2)",
    # --- kernels
    "kernels.Attention": "attention(gamma='1/2')",
    "kernels.AttentionDerivative": "attention_derivative(4, 2)",
    "kernels.Conditioning": "conditioning([Template('αα'), Template('αβ')], [1, 2], [1])",
    "kernels.Diagram": "Diagram.of('ABC', 'BBA')",
    "kernels.HardAttention": "HardAttention()",
    "kernels.cos": "cos(2, 'pi/4')",
    "kernels.from_function": "from_function(lambda x, y: int(x == y))",
    "kernels.from_table": "from_table(lambda table: table[0][0] / 2)",
    "kernels.generic": "generic()",
    "kernels.identity_attention": "identity_attention(q='1/2', gamma=2)",
    "kernels.inner_product": "inner_product(incidence=True)",
    "kernels.linear_attention": "linear_attention(1, '1/2', readout='last')",
    "kernels.polynomial": "sb.kernels.polynomial([1, '1/2', 0])",
    "kernels.softmax_attention": "softmax_attention(1, 1, readout='flatten', scale=2)",
    "kernels.tangent": "tangent(linear_attention(), position_rate=0)",
    "kernels.transformer": "transformer('sign', inner_product(lambda n: n))",
    "symbench.kernels.derivatives.features.Features": "attention().template_features("
    "tasks.same_different().templates)",
    "symbench.kernels.derivatives.invariants.Invariant": "attention_derivative(4, 2).terms[0][0]",
    "symbench.kernels.derivatives.laurent.Laurent": "attention_derivative(4, 2).terms[0][1]",
    "symbench.kernels.positions.PositionalAttention": "ring_attention(1, 1, positions=[1, 0, 0])",
    # --- ktau
    "ktau.NullSpace": "null_space(template_matrix(tasks.same_different(), inner_product()))",
    "ktau.PositionSymmetry": "position_symmetry(all_templates(3))",
    "ktau.TemplateMatrix": "template_matrix(list(all_templates(3)), linear_attention(1, 1))",
    "symbench.ktau.isotypic.LabelledLevel": "position_symmetry(all_templates(3))"
    ".levels([1, 1, -1, -1, 1], beta=1, gamma=1)[0]",
    # --- spectra
    "spectra.ClosedForms": "closed_forms(linear_attention(), vocabulary=2)",
    "spectra.EigenvalueScaling": "eigenvalue_scaling(linear_attention(1, 1), lengths=[4, 6], "
    "max_m=1)",
    "symbench.spectra.scaling.Exponent": "eigenvalue_scaling(linear_attention(1, 1), "
    "lengths=[4, 6], max_m=1).exponents[0]",
    "symbench.spectra.scaling.ScalingPoint": "eigenvalue_scaling(linear_attention(1, 1), "
    "lengths=[4, 6], max_m=1).of(1)[0]",
    "spectra.Level": "Level(Partition(3, 1), Rational(12), 3)",
    "spectra.Piece": "spectrum(linear_attention(1, 1), length=4, vocabulary=2)['3+1']",
    "spectra.Spectrum": "spectrum(linear_attention(1, 1), length=4, vocabulary=2)",
    "spectra.TraceBound": "TraceBound(Partition(3, 1), 1, Rational(12), Rational(314, 3))",
    "symbench.spectra.linear_forms.FamilyLevel": "closed_forms(linear_attention(), "
    "vocabulary=2).levels[0]",
    "symbench.spectra.linear_forms.Tightness": "closed_forms(linear_attention(1, 1), "
    "vocabulary=2).tightness()[2]",
    # --- learning
    "learning.Adam": "Adam('1/10')",
    "learning.Analysis": "analyse(linear_attention(1, 1, readout='flatten'), targets.parity(1), "
    "length=3, samples=[1], ridge=1, trials=2)",
    "learning.CopyCurve": "Copying(8, gamma=1).curve([2, 8], 4)",
    "learning.Copying": "Copying(8, width=6, gamma=1)",
    "learning.CostMap": "cost_map(tasks.same_different(), [1, 2], [1])",
    "learning.CostTable": "cost_table({'MLP': inner_product(lambda n: n)}, "
    "{'same': tasks.same_different()})",
    "learning.Ensemble": "Ensemble([Mlp([[[1, 0]]], 'AB'), Mlp([[[0, 1]]], 'AB')])",
    "learning.EquivalentPredictor": "Problem(lambda x, y: 1 + int(x == y), targets.parity(1), "
    "length=1, law=Iid(1, 0)).predictor(6, 1)",
    "learning.Errors": "Errors(train=None, test=Rational(1), shifted=None)",
    "learning.FeatureConvergence": "feature_convergence('AA*', 'BC*', beta=1, gamma=1, "
    "sizes=[(2, 8, 2)], draws=20)",
    "symbench.atlas._atlas.Atlas": "sb.atlas()",
    "symbench.atlas.answers.Answers": "sb.atlas()['majority']",
    "symbench.atlas.entry.AtlasEntry": "list(sb.atlas(2, ['mlp']).entries.values())[0]",
    "symbench.atlas.orders.LeastOrder": "sb.atlas()['majority'].least_order",
    "symbench.atlas.table.AtlasTable": "sb.atlas().table()",
    "learning.LabellingByIrrep": "labelling_by_irrep(tasks.same_different(), "
    "inner_product([0, 1, 4, 9, 16, 25, 36], incidence=True))",
    "learning.LabellingPart": "labelling_by_irrep(tasks.same_different(), "
    "inner_product([0, 1, 4, 9, 16, 25, 36], incidence=True)).parts[0]",
    "learning.Learnable": "learnable(tasks.same_different(), inner_product())",
    "learning.LearningCurve": "Problem(lambda x, y: int(x == y), targets.parity(1), "
    "length=2).curve([1], 1, trials=2)",
    "learning.Mlp": "Mlp([[[1, 2, -1, -2]], [[3]]], 'AB')",
    "learning.NetworkComparison": "Problem(linear_attention(1, 1), targets.parity(1), "
    "length=2).networks(2, sizes=[(2, 16, 4)], draws=3)",
    "learning.NetworkSize": "NetworkSize(4, None, 8)",
    "learning.OrbitAverage": "orbit_average(targets.of_weight([0, 0, 1]), length=4)",
    "learning.PredictionComparison": "Problem(linear_attention(1, 1), targets.parity(1), length=2, "
    "law=Iid('2/3', '1/3'), test_law=Iid('1/3', '2/3')).predictions(1, 4, trials=20)",
    "learning.Problem": "Problem(linear_attention(1, 1), targets.parity(1), length=3)",
    "learning.Regression": "Regression([0, 1], [[2, 1], [1, 2]], [1, -1], ['1/2', '1/2'])",
    "learning.Sgd": "Sgd('1/4', momentum='1/2')",
    "learning.Symmetry": "Problem(linear_attention(1, 1, readout='last'), targets.parity(1), "
    "length=2).symmetry",
    "learning.TaskProblem": "Problem(attention(beta=1, gamma=1), Task(['αα', 'αβ'], "
    "labels=[1, -1], substitution='ABCDEF'))",
    "learning.TaskRidge": "TaskRidge(tasks.same_different(), attention(beta=2, gamma=1), "
    "tasks.same_different().sample(20, 0, 400)[0])",
    "learning.TemplateSplit": "TemplateSplit(tasks.same_different(), attention(beta=1, gamma=1))",
    "learning.UnseenComparison": "compare_unseen(tasks.same_different(), attention(beta=2, "
    "gamma=1), [40], symbols=8, width=8, steps=50, trials=1)",
    "sparse.of_weight": "targets.of_weight([0, 0, '1/2', 1])",
    "sparse.polynomial": "targets.polynomial({(1, 2): 1, (3,): '1/2'})",
    "targets.WordFunction": "targets.WordFunction([1, 0, 0, 0, 1, 0, 0, 0, 1], vocabulary=3)",
    "symbench.learning.lower_bounds.ThresholdTable": "threshold_table([4, 10], [1, 2], "
    "error='1/2')",
    # --- sparse, texts, testing
    "sparse.Bound": "linear_cover(error=1, norm=1, dimension=10, points=100)",
    "sparse.Encoding": "from_vectors([['3/5', '4/5'], [1, 0]])",
    "sparse.Head": "head(conjunction(3), 16, base=60)",
    "sparse.Inseparable": "inseparable(flipped_simplex(2), (1, 2))",
    "sparse.Memoriser": "memoriser({(-1, 1): 0, (1, 1): 1}, gamma=2)",
    "sparse.Network": "sb.sparse.network(conjunction(3), 10**6)",
    "sparse.Norms": "head(conjunction(2), 32, encoding=hadamard(2), positions=(1, 17)).norms",
    "symbench.sparse.information.Identification": "identification([30], [5, 60], bits=2, trials=4)",
    "symbench.sparse.information.ComparisonTable": "kernels_against_features([100], bits=2)",
    "testing.KernelReport": "sb.testing.kernel_report(generic(), max_length=1)",
    "texts.SymmetryReport": "permutation_symmetry([[0, 1], [1, 0], [0, 0], [1, 1]], seed=1)",
    "texts.TextComparison": "compare_texts({'sorted': 'aabb' * 20, 'mixed': 'abbabaab' * 10}, "
    "length=4)",
    # --- claims
    "Fails": "Fails('1 is <not> 2')",
    "NearMiss": "NearMiss('equal rows', ((1, 1), (1, 1)))",
    "Verdict": "verify('lavie2024.one-hot')",
    "registry.Claim": "claims['lavie2024.dimension']",
    "registry.Control": "Control('the first odd number', 1)",
    "registry.Hunt": "sb.registry.hunting.search(claims['lavie2024.dimension'], max_examples=5)",
    "symbench.registry.book.Claims": "claims",
    "sweeps.Ledger": "_ledger",
    "symbench.registry.ledger.Count": "_ledger.counts()[0]",
    "symbench.registry.ledger.Row": "next(_ledger.rows())",
    "symbench.registry.ledger.Point": "_ledger.point(claims['lavie2024.dimension'], "
    "{'max_length': 3})",
    "sweeps.Sweep": "sb.sweep('lavie2024.dimension', {'max_length': range(1, 4)})",
    # --- certificates
    "certificates.BlockDiagonal": "BlockDiagonal(basis=Matrix([[1, 1, 0], [1, -1, 1], [1, 0, -1]]),"
    " blocks=(Matrix([[4]]), Matrix([[1]])), repeats=(1, 2), prime=7, residue=3)",
    "certificates.Counterexample": "verify('lavie2024.one-hot').certificate",
    "certificates.EquivariantTraining": "EquivariantTraining(permutation=(0, 2, 1), widths=(), "
    "tests=Matrix([[0, 1, 0, 1], [0, 0, 1, -1]]), starts=Matrix([[0, 1, 0], [0, 0, 1]]), "
    "rate=Rational(1, 2), momentum=Rational(0), decay=Rational(0), batch=1, error=Rational(5, 2))",
    "certificates.Exhausted": "verify('lavie2024.dimension', max_length=3).certificate",
    "certificates.HeadComputes": "HeadComputes(sparsity=2, length=6, key=Matrix([[1], [1]]), "
    "denominator=1, base=Rational(20), counts=(4,), error=Rational(9, 45))",
    "certificates.KernelFacts": "KernelFacts(activation=('relu',))",
    "certificates.ModularPoints": "ModularPoints(prime=7, base=3, points=Matrix([[0, 0, 0, 0], "
    "[1, 1, -2, 0]]), residue=5)",
    "certificates.Nonsingular": "certify(Matrix([[1, 2], [3, 4]]))",
    "certificates.NonsingularBalls": "NonsingularBalls(bits=64, inverse=Matrix([[-2, 1], "
    "['3/2', '-1/2']]))",
    "certificates.NotPositiveDefinite": "NotPositiveDefinite(direction=Matrix([[1], [-1]]))",
    "certificates.OnePoint": "template_matrix(tasks.same_different(), attention()).certify()",
    "certificates.PositiveDefinite": "PositiveDefinite(factor=Matrix.identity(2))",
    "certificates.RankIs": "RankIs(rank=1, rows=(0,), columns=(0,), prime=7, residue=1, "
    "null=Matrix([[-2], [1]]))",
    "certificates.RidgePrediction": "RidgePrediction(patterns=(0, 0, 1), own=Matrix([[8], [6]]), "
    "column=Matrix([[6], [4]]), meetings=Matrix([[0, 2, 5], [2, 3, 5]]), ridge=Rational(1), "
    "labels=Matrix([[1], [1], [-1]]), weights=Matrix([['15/62'], ['11/31'], ['21/62']]), "
    "prediction=Rational(8, 31))",
    "certificates.Singular": "Singular(null=Matrix([[1], [-1]]))",
    "certificates.Stage": "Stage(before=(0, 0, 0), after=(0, 1, 1))",
    "certificates.TemplateRank": "TemplateRank(rank=2, xi=(1, 2, -3), y=(5,))",
    "certificates.Templates": "sb.certificates.Templates(('S',), ('α', 'β'), "
    "(('α', 'α', 'S'), ('α', 'β', 'S')))",
    "certificates.TiedAssignment": "TiedAssignment(first=(0, 1), second=(1, 0), "
    "rows=Matrix([[1, 1]]), columns=Matrix([[0, 0]]))",
    "certificates.TraceBoundHolds": "TraceBoundHolds(place=2, dimension=3, trace=Rational(12))",
    "certificates.TypeRank": "TypeRank(rank=1)",
    "certificates.UniqueAssignment": "UniqueAssignment(assignment=(0, 1), rows=Matrix([[3, 2]]), "
    "columns=Matrix([[0, 0]]), order=(0, 1))",
}

# Values that are no class of ours: pictures that functions return, and what shows them.
PICTURES = {
    "bratteli_diagram(5)": "text/html",
    "disjointness_graph(list(all_templates(3, tokens='A')))": "text/html",
    "lattice_svg(young_lattice(0, 3))": "image/svg+xml",
    "disjointness_table([Template('αα'), Template('αβ'), Template('αA')])": "text/html",
    "spectrum(linear_attention(1, 1), length=4, vocabulary=2).table()": "text/html",
    "spectrum(linear_attention(1, 1), length=4, vocabulary=2).plot()": "image/svg+xml",
    "plot_influences(majority(3))": "image/svg+xml",
}
