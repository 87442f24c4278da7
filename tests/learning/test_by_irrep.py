"""labelling_by_irrep(): against projectors from printed characters, and matrices by definition."""

from fractions import Fraction
from itertools import permutations
from math import factorial

import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.kernels import attention, inner_product, linear_attention
from symbench.learning import TemplateSplit, labelling_by_irrep

# Character tables as they are printed, by cycle type.
CHARACTERS = {
    3: {
        (3,): {(1, 1, 1): 1, (2, 1): 1, (3,): 1},
        (2, 1): {(1, 1, 1): 2, (2, 1): 0, (3,): -1},
        (1, 1, 1): {(1, 1, 1): 1, (2, 1): -1, (3,): 1},
    },
    4: {
        (4,): {(1, 1, 1, 1): 1, (2, 1, 1): 1, (2, 2): 1, (3, 1): 1, (4,): 1},
        (3, 1): {(1, 1, 1, 1): 3, (2, 1, 1): 1, (2, 2): -1, (3, 1): 0, (4,): -1},
        (2, 2): {(1, 1, 1, 1): 2, (2, 1, 1): 0, (2, 2): 2, (3, 1): -1, (4,): 0},
        (2, 1, 1): {(1, 1, 1, 1): 3, (2, 1, 1): -1, (2, 2): -1, (3, 1): 0, (4,): 1},
        (1, 1, 1, 1): {(1, 1, 1, 1): 1, (2, 1, 1): -1, (2, 2): 1, (3, 1): 1, (4,): -1},
    },
}


def cycle_type(g):
    left, found = set(range(len(g))), []
    while left:
        place, size = left.pop(), 1
        while g[place] in left:
            place = g[place]
            left.remove(place)
            size += 1
        found.append(size)
    return tuple(sorted(found, reverse=True))


def pattern(letters):
    names = {}
    return tuple(names.setdefault(a, len(names)) for a in letters)


def part(labels, shape):
    """The part of a function on set partitions in one irreducible: a sum over all permutations."""
    length = sum(shape)
    table = CHARACTERS[length][shape]
    dim = table[(1,) * length]
    found = dict.fromkeys(labels, Fraction(0))
    for g in permutations(range(length)):
        for z in labels:
            moved = pattern([z[a] for a in g])
            found[z] += Fraction(dim * table[cycle_type(g)], factorial(length)) * labels[moved]
    return found


def inner(x, y, same_string):
    """The inner product of strings with their incidence matrices."""
    places = range(len(x))
    pairs = sum(x[a] == x[b] and y[a] == y[b] for a in places for b in places)
    return pairs + (len(x) if same_string else 0)


@settings(max_examples=12)
@given(st.sampled_from([3, 4]), st.integers(3, 5), st.data())
def test_parts_are_those_of_the_definition(length, degree, data):
    every = [pattern(z.letters) for z in sb.all_templates(length)]
    values = data.draw(st.lists(st.integers(-3, 3), min_size=len(every), max_size=len(every)))
    labels = dict(zip(every, values, strict=True))
    task = sb.Task(list(sb.all_templates(length)), labels=values)
    found = labelling_by_irrep(task, inner_product(lambda s: (1 + s) ** degree, incidence=True))
    N = sympy.Matrix([[(1 + inner(z, w, False)) ** degree for w in every] for z in every])
    rest = [(1 + inner(z, z, True)) ** degree - (1 + inner(z, z, False)) ** degree for z in every]
    inverse = N.inv()
    total = 0
    for shape in CHARACTERS[length]:
        f = part(labels, shape)
        vector = sympy.Matrix([sympy.Rational(f[z].numerator, f[z].denominator) for z in every])
        weight = (vector.T * vector)[0]
        known = [p for p in found.parts if tuple(p.partition.parts) == shape]
        assert sum(p.weight for p in known) == weight
        if weight:
            dual = inverse * vector
            costs = [abs(g) * len(every) * r for g, r in zip(dual, rest, strict=True)]
            assert known[0].cost == max(costs)
            assert known[0].eigenvalue == weight / (vector.T * dual)[0]
        total += weight
    assert total == sum(x * x for x in values)
    costs = [
        abs(g) * len(every) * r for g, r in zip(inverse * sympy.Matrix(values), rest, strict=True)
    ]
    assert found.cost == max(costs)
    assert found.exactness == "exact"


def test_floats_are_those_of_exact_numbers(monkeypatch):
    kernel = inner_product(lambda s: (1 + s) ** 4, incidence=True)
    task = sb.tasks.majority_all_patterns(5)
    exact = labelling_by_irrep(task, kernel)
    monkeypatch.setattr("symbench.learning.by_irrep._EXACT", 10)
    floats = labelling_by_irrep(task, kernel)
    assert (floats.exactness, exact.exactness) == ("float", "exact")
    for one, two in zip(exact.parts, floats.parts, strict=True):
        assert (one.partition, one.copies, one.weight) == (two.partition, two.copies, two.weight)
        if one.weight:
            assert float(two.cost) == pytest.approx(float(one.cost), rel=10.0**-two.cost.digits)
            assert float(two.eigenvalue) == pytest.approx(float(one.eigenvalue), rel=1e-6)
    assert float(floats.cost) == pytest.approx(float(exact.cost), rel=1e-6)


def test_attention_has_the_levels_of_its_blocks():
    task = sb.tasks.majority_all_patterns(3)
    found = labelling_by_irrep(task, attention(beta=1, gamma=1))
    levels = sb.ktau.position_symmetry(task).levels(task.labels, beta=1, gamma=1, digits=8)
    for part_ in found.parts:
        inverse = sum(
            level.weight / float(level.eigenvalue)
            for level in levels
            if level.partition == part_.partition
        )
        assert float(part_.eigenvalue) == pytest.approx(float(part_.weight) / inverse, rel=1e-3)
    costs = TemplateSplit(task, attention(beta=1, gamma=1)).cost()
    assert float(found.cost) == pytest.approx(max(map(float, costs)), rel=1e-4)


def test_bad_input():
    kernel = inner_product(lambda s: (1 + s) ** 2, incidence=True)
    task = sb.tasks.majority_all_patterns(3)
    with pytest.raises(errors.BadValue, match="tells positions apart"):
        labelling_by_irrep(
            sb.Task(["ααA", "αβA", "αAα", "αAβ", "Aαα", "Aαβ"], labels=[1, 2, 3, 4, 5, 6]),
            linear_attention(1, 1, readout="last"),
        )
    with pytest.raises(errors.NotInvertible, match="singular"):
        labelling_by_irrep(task, linear_attention(1, 1))
    with pytest.raises(errors.NotSupported, match="give it numbers"):
        labelling_by_irrep(task, inner_product(incidence=True))
    with pytest.raises(errors.BadType, match="no labels that are numbers"):
        labelling_by_irrep(sb.tasks.copy(), kernel)
    with pytest.raises(errors.BadValue, match="moves αβα"):
        labelling_by_irrep(sb.tasks.aba_abb(), kernel)


@pytest.mark.slow
def test_all_templates_of_length_eight():
    kernel = inner_product(lambda s: (1 + s) ** 7, incidence=True)
    found = labelling_by_irrep(sb.tasks.majority_all_patterns(8), kernel)
    assert {str(p.partition): p.weight for p in found.parts if p.weight} == {"8": 3832, "7+1": 308}
    assert found.cost.digits >= 4
