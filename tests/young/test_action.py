import itertools
import pickle
from fractions import Fraction
from math import factorial

import numpy as np
import pytest
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, NotExact, TooLarge
from symbench.exact import Matrix
from symbench.young import (
    Action,
    Block,
    BlockForm,
    ClassFunction,
    Partition,
    Permutation,
    Representation,
    adapted_basis,
    block_form,
    commuting_blocks,
    isotypic_projector,
    kostka,
    partitions,
    project,
    word_multiplicity,
)
from tests.young import oracles

SMALL = [
    Action.words(0, 2),
    Action.words(1, 3),
    Action.words(3, 2),
    Action.words(3, 3),
    Action.words(4, 2),
    Action.subsets(4, 2),
    Action.subsets(5, 0),
    Action.subsets(5, 2),
    Action.set_partitions(4),
    Action.templates(3, tokens=1),
    Action.templates(4),
    Action.tabloids(Partition(2, 1, 1)),
    Action.tabloids(Partition(2, 2)),
]


def moved(action, g, point):
    """Where g sends a point, from the meaning of the point."""
    name = repr(action)
    if "subsets" in name:
        return tuple(sorted(g[x - 1] for x in point))
    if "set_partitions" in name:
        return tuple(sorted(tuple(sorted(g[x - 1] for x in block)) for block in point))
    letters = list(point)
    for a, letter in enumerate(point):
        letters[g[a] - 1] = letter
    if "templates" not in name:
        return tuple(letters)
    tokens = 1 if "tokens=1" in name else 0
    names = {}
    for letter in letters:
        if letter > tokens:
            names.setdefault(letter, tokens + 1 + len(names))
    return tuple(names.get(letter, letter) for letter in letters)


@pytest.mark.parametrize("action", SMALL, ids=repr)
def test_actions_move_points_as_they_should(action):
    points = action.points
    place = {p: k for k, p in enumerate(points)}
    assert len(place) == action.size == len(points)
    fixed = dict.fromkeys((mu.parts for mu in partitions(action.degree)), None)
    for g in oracles.group(action.degree):
        images = [place[moved(action, g, p)] for p in points]
        assert action.permutation(Permutation(*g)).tolist() == images
        fixed[oracles.cycle_type(g)] = sum(k == image for k, image in enumerate(images))
    assert list(action.character().values) == list(fixed.values())
    orbits = {
        frozenset(place[moved(action, g, p)] for g in oracles.group(action.degree)) for p in points
    }
    assert {frozenset(orbit) for orbit in action.orbits()} == orbits
    assert sum(m * p.dim for p, m in action.decompose().items()) == action.size
    assert action.decompose().get(Partition(action.degree), 0) == len(orbits)  # Burnside
    again = pickle.loads(pickle.dumps(action))
    assert (again.generators == action.generators).all()
    assert again.points == points


def test_points_are_complete():
    assert Action.words(2, 3).points == list(itertools.product((1, 2, 3), repeat=2))
    # A000110: Bell numbers; A000110 again for templates without tokens
    assert [Action.set_partitions(n).size for n in range(8)] == [1, 1, 2, 5, 15, 52, 203, 877]
    assert [Action.templates(n).size for n in range(7)] == [1, 1, 2, 5, 15, 52, 203]
    # one token: Bell(n + 1)
    assert [Action.templates(n, tokens=1).size for n in range(6)] == [1, 2, 5, 15, 52, 203]


@oracles.law(oracles.shapes(min_size=1, max_size=6), examples=20)
def test_permutation_modules_by_kostka_numbers(mu):
    found = Action.tabloids(mu).decompose()
    assert found == {p: k for p in partitions(mu.size) if (k := kostka(p, mu))}


def test_words_of_length_12_over_3_letters():
    """531,441 points: by characters, and the fixed points counted on the points themselves."""
    action = Action.words(12, 3)
    assert action.size == 531441
    found = action.decompose()
    assert found == {p: word_multiplicity(p, 3) for p in partitions(12, max_length=3)}
    for mu in ["2+1+1+1+1+1+1+1+1+1+1", "5+4+3", "12"]:
        g = Permutation.of_type(Partition(mu))
        images = action.permutation(g)
        assert int((images == np.arange(action.size)).sum()) == 3 ** len(Partition(mu))


def test_character_without_closed_form():
    action = Action.words(6, 2)
    plain = Action(6, action.size, action.generators, action.point, "plain")
    assert plain.character() == action.character()


def test_own_points():
    graphs = [
        frozenset(edges)
        for k in range(4)
        for edges in itertools.combinations([(1, 2), (1, 3), (2, 3)], k)
    ]

    def act(g, graph):
        return frozenset(tuple(sorted((g(a), g(b)))) for a, b in graph)

    action = Action.of(3, graphs, act)
    assert len(action.orbits()) == 4  # A000088: graphs on 3 nodes
    assert action.decompose() == {Partition(3): 4, Partition(2, 1): 2}


@pytest.mark.parametrize("action", SMALL, ids=repr)
def test_projectors_by_the_group(action):
    """dim/n! times the sum of chi(g) g, over all g, from the definition."""
    n, size = action.degree, action.size
    place = {p: k for k, p in enumerate(action.points)}
    total = [[0] * size for _ in range(size)]
    characters = oracles.frobenius_characters(n)
    moves = [
        (characters[oracles.cycle_type(g)], [place[moved(action, g, p)] for p in action.points])
        for g in oracles.group(n)
    ]
    identity = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    for shape in oracles.all_partitions(n):
        dim = Partition(shape).dim
        rows = [[0] * size for _ in range(size)]
        for chi, images in moves:
            for k, image in enumerate(images):
                rows[image][k] += chi[shape]
        expected = [[Fraction(dim * v, factorial(n)) for v in row] for row in rows]
        found = isotypic_projector(action, Partition(shape))
        assert [list(row) for row in found.rows] == expected
        total = [
            [a + b for a, b in zip(r, e, strict=True)] for r, e in zip(total, expected, strict=True)
        ]
        vector = [Fraction(k % 5 - 2, 1 + k % 3) for k in range(size)]
        image = [sum(a * b for a, b in zip(row, vector, strict=True)) for row in expected]
        assert list(project(action, Partition(shape), vector)) == image
    assert total == identity


def test_projectors_where_content_sums_collide():
    """(4,1,1) and (3,3) have the same sum of contents: a second central element is needed."""
    assert Partition(4, 1, 1).content_sum == Partition(3, 3).content_sum
    action = Action.tabloids(Partition(3, 2, 1))
    a = isotypic_projector(action, Partition(4, 1, 1))
    b = isotypic_projector(action, Partition(3, 3))
    zero = a - a
    assert a @ a == a
    assert b @ b == b
    assert a @ b == zero
    assert a.rank() == action.decompose()[Partition(4, 1, 1)] * 10
    assert b.rank() == action.decompose()[Partition(3, 3)] * 5


@pytest.mark.parametrize("action", SMALL, ids=repr)
def test_adapted_basis(action):
    """On the columns of a copy every permutation acts by its seminormal matrix."""
    basis = adapted_basis(action)
    size = action.size
    assert basis.matrix.shape == (size, size)
    assert basis.matrix.rank() == size
    assert dict(basis.pieces) == action.decompose()
    for g in oracles.group(action.degree)[:: max(1, factorial(action.degree) // 6)]:
        g = Permutation(*g)
        images = action.permutation(g).tolist()
        columns = list(zip(*basis.matrix.rows, strict=True))
        start = 0
        for shape, copies in basis.pieces:
            rho = Representation(shape)(g)
            for _ in range(copies):
                copy = columns[start : start + shape.dim]
                for t in range(shape.dim):
                    # (g f)(g x) = f(x)
                    left = [None] * size
                    for x, image in enumerate(images):
                        left[image] = copy[t][x]
                    right = [
                        sum(rho[s, t] * copy[s][x] for s in range(shape.dim)) for x in range(size)
                    ]
                    assert left == right
                start += shape.dim
        assert start == size


def commuting(action, seed):
    """A random matrix that is constant on the orbits of pairs, computed by brute force."""
    place = {p: k for k, p in enumerate(action.points)}
    moves = [
        [place[moved(action, g, p)] for p in action.points] for g in oracles.group(action.degree)
    ]
    rows = [[None] * action.size for _ in range(action.size)]
    value = seed
    for i, j in itertools.product(range(action.size), repeat=2):
        if rows[i][j] is None:
            value = (value * 37 + 11) % 101
            for images in moves:
                rows[images[i]][images[j]] = Fraction(value - 50, 1 + value % 4)
    return rows


@pytest.mark.parametrize("action", SMALL, ids=repr)
def test_block_form_remultiplies(action):
    rows = commuting(action, 5)
    form = block_form(action, rows)
    assert form.check(rows)
    assert form.check(Matrix(rows))
    assert {b.partition: b.matrix.shape[0] for b in form.blocks} == action.decompose()
    assert all(b.repeats == b.partition.dim for b in form.blocks)
    # the characteristic polynomial of the whole is the product of those of the blocks
    import flint

    product = flint.fmpq_poly([1])
    for block in form.blocks:
        coefficients = [flint.fmpq(c.numerator, c.denominator) for c in block.matrix.charpoly()]
        product *= flint.fmpq_poly(coefficients) ** block.repeats
    whole = [flint.fmpq(c.numerator, c.denominator) for c in Matrix(rows).charpoly()]
    assert product == flint.fmpq_poly(whole)
    assert pickle.loads(pickle.dumps(form)) == form
    # a function of points gives the same blocks
    place = {p: k for k, p in enumerate(action.points)}
    blocks = commuting_blocks(action, lambda x, y: rows[place[x]][place[y]])
    assert blocks == {b.partition: b.matrix for b in form.blocks}


@oracles.law(st.integers(0, 15), st.integers(0, 15), examples=30)
def test_block_form_refuses_other_matrices(i, j):
    action = Action.words(4, 2)
    rows = commuting(action, 3)
    form = block_form(action, rows)
    rows[i][j] += 1
    assert not form.check(rows)
    wrong = [Block(b.partition, b.matrix * 2, b.repeats) for b in form.blocks]
    rows[i][j] -= 1
    assert form.check(rows)
    assert not BlockForm(form.basis, tuple(wrong)).check(rows)
    assert not BlockForm(form.basis * 0, form.blocks).check(rows)
    assert not BlockForm(form.basis, form.blocks[:1]).check(rows)
    for junk in (None, 3, "x", [[1]], [[0.5] * 16] * 16, [[1, 2], [3]]):
        assert not form.check(junk)


def test_class_function_of_an_action_is_a_character():
    action = Action.set_partitions(6)
    chi = action.character()
    assert isinstance(chi, ClassFunction)
    assert chi.inner(chi) == sum(m * m for m in action.decompose().values())


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: Action.words(3, 0), BadValue),
        (lambda: Action.words(None, 2), BadType),
        (lambda: Action.words(40, 3), TooLarge),
        (lambda: Action.subsets(60, 30), TooLarge),
        (lambda: Action.set_partitions(30), TooLarge),
        (lambda: Action.templates(30), TooLarge),
        (lambda: Action.templates(3, tokens=-1), BadValue),
        (lambda: Action.tabloids(None), BadType),
        (lambda: Action.tabloids(Partition(*[1] * 20)), TooLarge),
        (lambda: Action.of(2, [1, 1], lambda g, x: x), BadValue),
        (lambda: Action.of(2, [[1]], lambda g, x: x), BadType),
        (lambda: Action.of(2, 5, lambda g, x: x), BadType),
        (lambda: Action.of(2, [1, 2], None), BadType),
        (lambda: Action.of(2, [1, 2, 3], lambda g, x: x % 3 + 1), BadValue),
        (lambda: Action.of(3, range(6), lambda g, x: (x + g(1) + 4) % 6), BadValue),
        (lambda: Action.subsets(3, 1).permutation(Permutation(1)), BadValue),
        (lambda: Action.subsets(3, 1).permutation(None), BadType),
        (lambda: Action.subsets(3, 1).point(3), BadValue),
        (lambda: Action.subsets(3, 1).point(-1), BadValue),
        (lambda: Action.subsets(3, 1).point(None), BadType),
        (lambda: Action.subsets(3, 1).labels([0]), BadValue),
        (lambda: Action.subsets(3, 1).labels([3]), BadValue),
        (lambda: Action.subsets(3, 1).labels(None), BadType),
        (lambda: isotypic_projector(None, Partition(1)), BadType),
        (lambda: isotypic_projector(Action.subsets(3, 1), Partition(2)), BadValue),
        (lambda: isotypic_projector(Action.words(8, 3), Partition(8)), TooLarge),
        (lambda: project(Action.subsets(3, 1), Partition(3), [1, 2]), BadShape),
        (lambda: project(Action.subsets(3, 1), Partition(3), [1, 2, 0.5]), NotExact),
        (lambda: project(Action.subsets(3, 1), Partition(3), None), BadType),
        (lambda: adapted_basis(3), BadType),
        (lambda: adapted_basis(Action.words(8, 3)), TooLarge),
        (lambda: block_form(Action.subsets(3, 1), [[1]]), BadShape),
        (lambda: block_form(Action.subsets(3, 1), None), BadType),
        (lambda: block_form(None, [[1]]), BadType),
        (lambda: block_form(Action.subsets(2, 1), [[1, 0], [0, 2]]), BadValue),
        (lambda: block_form(Action.subsets(2, 1), [[1.5, 0], [0, 1.5]]), NotExact),
        (lambda: commuting_blocks(Action.subsets(2, 1), lambda x, y: 0.5), NotExact),
    ],
)
def test_bad_input(call, error):
    with pytest.raises(error):
        call()
