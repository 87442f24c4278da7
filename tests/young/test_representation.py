import itertools
import pickle
from fractions import Fraction

import pytest
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge, UnknownName
from symbench.exact import Matrix
from symbench.young import (
    AlgebraElement,
    Partition,
    Permutation,
    Representation,
    Surd,
    SurdMatrix,
    Tableau,
    check_representation,
    class_sum,
    column_group,
    jucys_murphy,
    partitions,
    permutations,
    row_group,
    specht_polynomial,
    young_symmetriser,
)
from symbench.young.representation import trace
from tests.young import oracles

FORMS = ["seminormal", "orthogonal", "natural"]
SHAPES = [Partition(*p) for n in range(6) for p in oracles.all_partitions(n)] + [Partition(3, 2, 1)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_every_form_is_a_representation(shape, form):
    rho = Representation(shape, form)
    assert check_representation(rho, trials=3)
    assert rho.dim == len(rho.basis) == rho(Permutation.identity(shape.size)).shape[0]
    assert eval(repr(rho)) == rho == pickle.loads(pickle.dumps(rho))


@st.composite
def cases(draw):
    shape = draw(oracles.shapes(min_size=1, max_size=6))
    return shape, draw(oracles.perms(degree=shape.size)), draw(oracles.perms(degree=shape.size))


@oracles.law(cases(), examples=50)
def test_homomorphism_and_character(case):
    shape, g, h = case
    for form in FORMS:
        rho = Representation(shape, form)
        assert rho(g) @ rho(h) == rho(g * h)
        assert trace(rho(g)) == shape.character(g.cycle_type)
    assert shape.matrix(g, form="orthogonal").is_orthogonal()
    assert shape.matrix(g, form="orthogonal").transpose() == shape.matrix(
        g.inverse, form="orthogonal"
    )


@pytest.mark.parametrize(
    "shape", [p for n in (2, 3, 4, 5) for p in oracles.all_partitions(n)] + [(3, 2, 1)], ids=str
)
def test_natural_form_is_the_action_on_specht_polynomials(shape):
    tableaux = list(Partition(shape).standard_tableaux())
    for seed in range(3):
        g = Permutation.random(sum(shape), seed=seed)
        expected = oracles.specht_matrix(shape, g.images, tableaux)
        found = Partition(shape).matrix(g, form="natural")
        assert [list(map(Fraction, row)) for row in found.rows] == expected


def test_natural_matrices_by_hand():
    # Tabloids of (2,1) by their second row: e_1 = 3 - 1 (tableau 12/3), e_2 = 2 - 1 (13/2).
    rho = Representation(Partition(2, 1), "natural")
    assert rho(Permutation(2, 1, 3)).rows == ((1, 0), (-1, -1))  # e_1 -> e_1 - e_2, e_2 -> -e_2
    assert rho(Permutation(1, 3, 2)).rows == ((0, 1), (1, 0))  # e_1 <-> e_2


@pytest.mark.parametrize(
    "shape", [p for n in (3, 4, 5) for p in oracles.all_partitions(n)], ids=str
)
def test_seminormal_formula_and_jucys_murphy(shape):
    """s_i v_T = (1/r) v_T + (1 + 1/r) v_{s_i T}, and X_k diagonal with the contents."""
    shape = Partition(shape)
    n = shape.size
    rho = Representation(shape)
    basis = list(rho.basis)
    for i in range(1, n):
        matrix = rho(Permutation.adjacent(n, i))
        for column, t in enumerate(basis):
            c = t.content_vector
            r = Fraction(c[i] - c[i - 1])
            swapped = t.act(Permutation.adjacent(n, i))
            for row, other in enumerate(basis):
                value = 1 / r if other == t else 1 + 1 / r if other == swapped else 0
                assert matrix[row, column] == value
    for k in range(1, n + 1):
        found = jucys_murphy(n, k).matrix(rho)
        for (a, s), (b, t) in itertools.product(enumerate(basis), repeat=2):
            assert found[a, b] == (t.content_vector[k - 1] if s == t else 0)
        assert rho.jucys_murphy(k) == tuple(t.content_vector[k - 1] for t in basis)


def test_central_elements_act_by_scalars():
    for shape in partitions(4):
        for mu in partitions(4):
            scalar = Fraction(mu.class_size * shape.character(mu), shape.dim)
            matrix = class_sum(mu).matrix(Representation(shape))
            assert matrix == Matrix.identity(shape.dim) * scalar
        assert shape.content_sum == Fraction(6 * shape.character("2+1+1"), shape.dim)


def test_a_large_exact_matrix():
    """w0 on (4,3,2,1): an involution with the right trace, 768 rows."""
    w0 = Permutation(*range(10, 0, -1))
    shape = Partition(4, 3, 2, 1)
    natural = shape.matrix(w0, form="natural")
    assert natural @ natural == Matrix.identity(768)
    seminormal = shape.matrix(w0)
    assert trace(seminormal) == shape.character(w0.cycle_type) == trace(natural)
    # w0 conjugates s_i to s_(n-i)
    for i in (1, 4):
        left = seminormal @ shape.matrix(Permutation.adjacent(10, i))
        assert left == shape.matrix(Permutation.adjacent(10, 10 - i)) @ seminormal


def test_rows_that_outgrow_a_machine_word(monkeypatch):
    """With almost no room the rows are kept as Python integers: the matrix is the same."""
    from symbench.young import representation as seminormal

    g = Permutation(6, 3, 5, 1, 2, 4)
    expected = Partition(3, 2, 1).matrix(g)
    monkeypatch.setattr(seminormal, "ROOM", 5)
    rows = seminormal.seminormal((3, 2, 1), g)
    assert rows.top.dtype == object
    assert Partition(3, 2, 1).matrix(g) == expected


def test_checker_refuses_what_is_no_representation():
    class Wrong:
        degree = 3

        def __call__(self, g):
            return Matrix([[g.sign, 0], [0, 1 if g == Permutation.identity(3) else -1]])

    with pytest.raises(BadValue, match=r"braid|not rho|commute|identity"):
        check_representation(Wrong())

    class Twisted:
        degree = 4
        inner = Representation(Partition(3, 1))

        def __call__(self, g):
            return self.inner(g.inverse)  # reversed products

    with pytest.raises(BadValue, match="is not rho"):
        check_representation(Twisted())

    class Mislabelled:
        degree, partition = 3, Partition(3)

        def __call__(self, g):
            return Matrix([[g.sign]])

    with pytest.raises(BadValue, match="character"):
        check_representation(Mislabelled(), trials=10)


def test_surds():
    assert Surd(Fraction(1, 2), 12) == Surd(1, 3)
    assert Surd(0, 5) == Surd(0)
    assert str(Surd(-1, 2)) == "-√2"
    assert str(Surd(3)) == "3"
    matrix = Partition(2, 1).matrix(Permutation(1, 3, 2), form="orthogonal")
    assert [[str(x) for x in row] for row in matrix.tolist()] == [
        ["-1/2", "1/2√3"],
        ["1/2√3", "1/2"],
    ]
    assert not SurdMatrix([[1, 1], [0, 1]], [1, 1]).is_orthogonal()
    assert eval(repr(matrix)) == matrix == pickle.loads(pickle.dumps(matrix))
    squared = matrix.to_sympy() ** 2
    assert squared.is_Identity


@pytest.mark.parametrize(
    "shape", [p for n in (2, 3, 4) for p in oracles.all_partitions(n)], ids=str
)
def test_young_symmetrisers(shape):
    shape = Partition(shape)
    for t in itertools.islice(shape.standard_tableaux(), 2):
        c = young_symmetriser(t)
        factor = 1
        for row in shape.hooks:
            for h in row:
                factor *= h
        assert c * c == factor * c
        rank = c.matrix(Representation(shape)).rank()
        assert rank == 1
        for other in partitions(shape.size):
            if other != shape:
                assert c.matrix(Representation(other)).rank() == 0
    assert set(row_group(t)) & set(column_group(t)) == {Permutation.identity(shape.size)}


def test_group_algebra():
    n = 4
    elements = [jucys_murphy(n, k) for k in range(1, n + 1)]
    for a, b in itertools.combinations(elements, 2):
        assert a * b == b * a
    total = elements[0]
    for x in elements[1:]:
        total = total + x
    assert total == class_sum(Partition(2, 1, 1))
    assert eval(repr(total)) == total == pickle.loads(pickle.dumps(total))
    assert (total - total).items == ()
    for g in itertools.islice(permutations(n), 5):
        single = AlgebraElement(n, {g: 1})
        assert single * total == total * single


def test_specht_polynomials_are_a_basis():
    for shape in partitions(5):
        polynomials = [specht_polynomial(t) for t in shape.standard_tableaux()]
        monomials = sorted({m for p in polynomials for m in p.monoms()})
        rows = []
        for p in polynomials:
            terms = dict(p.terms())
            rows.append([int(terms.get(m, 0)) for m in monomials])
        assert Matrix(rows).rank() == shape.dim
    t = Tableau([[1, 2], [3, 4]])
    assert str(specht_polynomial(t)) == "x1*x2 - x1*x4 - x2*x3 + x3*x4"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Partition(2, 1).matrix(Permutation(2, 1)), BadValue),
        (lambda: Partition(2, 1).matrix((2, 1, 3)), BadType),
        (lambda: Partition(2, 1).matrix(Permutation(2, 1, 3), form="unitary"), UnknownName),
        (lambda: Partition(2, 1).matrix(Permutation(2, 1, 3), form=None), UnknownName),
        (lambda: Representation(None), BadType),
        (lambda: Representation(Partition(2)).jucys_murphy(3), BadValue),
        (lambda: Partition(10, 5, 5, 5).matrix(Permutation.identity(25)), TooLarge),
        (lambda: check_representation(3), BadType),
        (lambda: Surd(0.5), NotExact),
        (lambda: Surd(1, -2), BadValue),
        (lambda: Surd(1) * 2, BadType),
        (lambda: SurdMatrix([[1, 2]], [1]), BadShape),
        (lambda: SurdMatrix([[1]], [0]), BadValue),
        (lambda: SurdMatrix([[1.5]], [1]), NotExact),
        (lambda: SurdMatrix(3, [1]), BadType),
        (lambda: SurdMatrix([[1]], [1]) @ 3, BadType),
        (lambda: SurdMatrix([[1]], [1]) @ SurdMatrix([[1]], [2]), BadValue),
        (lambda: AlgebraElement(2, 3), BadType),
        (lambda: AlgebraElement(2, {Permutation(1): 1}), BadValue),
        (lambda: AlgebraElement(1, {Permutation(1): 0.5}), NotExact),
        (lambda: AlgebraElement(1, {}) + AlgebraElement(2, {}), BadValue),
        (lambda: AlgebraElement(1, {}) + 1, BadType),
        (lambda: AlgebraElement(1, {}) * None, BadType),
        (lambda: jucys_murphy(3, 4), BadValue),
        (lambda: class_sum(Partition(20)), TooLarge),
        (lambda: young_symmetriser(Tableau([[1, 1]])), BadValue),
        (lambda: young_symmetriser(Tableau([list(range(1, 13))])), TooLarge),
        (lambda: row_group(None), BadType),
        (lambda: specht_polynomial(Tableau([[2]])), BadValue),
        (lambda: specht_polynomial("x"), BadType),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
