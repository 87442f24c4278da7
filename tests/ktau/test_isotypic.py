"""Permuting positions of templates: blocks and weights against matrices over all permutations."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.ktau import coefficient_matrices
from symbench.ktau.isotypic import position_symmetry
from symbench.young import Partition

PARTITIONS = {2: 2, 3: 3, 4: 5}  # A000041


def matrix_of(g: tuple[int, ...], templates: list[sb.Template]) -> list[list[int]]:
    """The permutation matrix of g on templates, by moving letters and comparing."""
    moved = [sb.Template([z.letters[a] for a in g]) for z in templates]
    return [[int(w.is_equivalent(m)) for m in moved] for w in templates]


def cycle_type(g: tuple[int, ...]) -> tuple[int, ...]:
    seen, lengths = set(), []
    for start in range(len(g)):
        length, a = 0, start
        while a not in seen:
            seen.add(a)
            a, length = g[a], length + 1
        if length:
            lengths.append(length)
    return tuple(sorted(lengths, reverse=True))


def projector(shape: Partition, templates: list[sb.Template]) -> np.ndarray:
    """dim / n! times the sum of the character times the permutation matrices."""
    n = shape.size
    total = np.zeros((len(templates), len(templates)), dtype=object)
    for g in permutations(range(n)):
        total = total + shape.character(cycle_type(g)) * np.array(
            matrix_of(g, templates), dtype=object
        )
    return total * Fraction(shape.dim, factorial(n))


@pytest.mark.parametrize(("length", "tokens"), [(2, ""), (3, ""), (4, ""), (2, "AB"), (3, "A")])
def test_weights_are_those_of_the_projectors(length: int, tokens: str) -> None:
    templates = list(sb.all_templates(length, tokens=tokens))
    found = position_symmetry(templates)
    labels = [(7 * n + 3) % 5 - 2 for n in range(len(templates))]
    weights = found.weights(labels)
    assert sum(weights.values()) == sum(x * x for x in labels)
    vector = np.array(labels, dtype=object)
    for shape, weight in weights.items():
        part = projector(shape, templates) @ vector
        assert weight == sum(x * x for x in part)
    for shape in sb.partitions(length):
        trace = sum(projector(shape, templates).diagonal())
        assert found.multiplicities.get(shape, 0) * shape.dim == trace


@pytest.mark.parametrize("length", [2, 3, 4])
def test_blocks_have_the_eigenvalues_of_the_matrix(length: int) -> None:
    templates = list(sb.all_templates(length))
    found = position_symmetry(templates)
    for _, matrix in coefficient_matrices(templates, [(2, 2), (4, 0), (4, 2)]):
        blocks = found.blocks(matrix)
        expected = np.sort(np.linalg.eigvalsh(np.array(matrix.rows, dtype=float)))
        values = []
        for shape, block in blocks.items():
            assert block.shape[0] == found.multiplicities[shape]
            values += list(np.linalg.eigvals(np.array(block.rows, dtype=float)).real) * shape.dim
        assert np.allclose(np.sort(values), expected, atol=1e-9)


@pytest.mark.parametrize("length", [2, 3, 4])
def test_the_trivial_part_counts_types(length: int) -> None:
    found = position_symmetry(sb.all_templates(length))
    assert found.multiplicities[Partition(length)] == PARTITIONS[length]
    for (i, _), matrix in coefficient_matrices(found.templates, [(2, 0), (4, 0), (6, 0)]):
        ranks = {shape: block.rank() for shape, block in found.blocks(matrix).items()}
        assert sum(ranks.values()) == ranks[Partition(length)] > 0, i


def test_the_spectrum_of_length_three() -> None:
    # The values of the mathematics notes, found there by another program.
    found = position_symmetry(sb.all_templates(3))
    levels = found.levels([1, 1, -1, -1, 1], beta=1, gamma=1, digits=10)
    values = {(str(x.partition), x.multiplicity): [] for x in levels}
    for x in levels:
        values[str(x.partition), x.multiplicity].append(float(x.eigenvalue))
    assert values["3", 1] == pytest.approx([2.5293, 2.738e-3, 2.76e-6], rel=1e-3)
    assert values["2+1", 2] == pytest.approx([1.47868775e-3], rel=1e-8)
    exact = found.weights([1, 1, -1, -1, 1])
    for shape, weight in exact.items():
        assert sum(x.weight for x in levels if x.partition == shape) == pytest.approx(float(weight))
    smallest = min(levels, key=lambda x: float(x.eigenvalue)).eigenvalue
    assert 2 <= smallest.digits <= 5, "a millionth of the entries has fewer digits than they have"


@settings(max_examples=10, deadline=None)
@given(st.lists(st.integers(-3, 3), min_size=15, max_size=15))
def test_a_labelling_splits(labels: list[int]) -> None:
    weights = position_symmetry(sb.all_templates(4)).weights(labels)
    assert sum(weights.values()) == sum(x * x for x in labels)
    templates = list(sb.all_templates(4))
    by_type: dict[tuple[int, ...], list[int]] = {}
    for z, x in zip(templates, labels, strict=True):
        by_type.setdefault(tuple(sorted(map(z.letters.count, z.wildcards))), []).append(x)
    trivial = sum(Fraction(sum(xs) ** 2, len(xs)) for xs in by_type.values())
    assert weights[Partition(4)] == trivial


def test_a_zero_has_no_digits() -> None:
    levels = position_symmetry(sb.all_templates(2)).levels([1, 1], beta=0, gamma=1)
    assert [x.eigenvalue.digits > 0 for x in levels] == [True, False]
    assert float(levels[1].eigenvalue) == pytest.approx(0, abs=1e-8)


def test_a_wildcard_named_cls_is_a_wildcard() -> None:
    odd = sb.Template(["CLS", "CLS"], wildcards=["CLS"])
    assert position_symmetry([odd]).action.degree == 2
    assert position_symmetry([sb.Template(["CLS"])]).action.degree == 1


def test_cls_stays() -> None:
    closed = [z.with_cls() for z in sb.all_templates(3)]
    found, plain = position_symmetry(closed), position_symmetry(sb.all_templates(3))
    assert found.multiplicities == plain.multiplicities


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: position_symmetry(None), errors.BadType),
        (lambda: position_symmetry([]), errors.BadShape),
        (lambda: position_symmetry([sb.Template("ααβ")]), errors.BadValue),
        (lambda: position_symmetry([sb.Template("αβ"), sb.Template("βα")]), errors.BadValue),
        (lambda: position_symmetry(sb.all_templates(2)).weights([1]), errors.BadShape),
        (lambda: position_symmetry(sb.all_templates(2)).weights(None), errors.BadType),
        (lambda: position_symmetry(sb.all_templates(2)).weights([0.5, 1]), errors.NotExact),
        (lambda: position_symmetry(sb.all_templates(2)).blocks([[1]]), errors.BadType),
        (lambda: position_symmetry(sb.all_templates(2)).blocks(sb.Matrix([[1]])), errors.BadShape),
        (
            lambda: position_symmetry(sb.all_templates(2)).levels([1, 2], beta=None, gamma=1),
            errors.BadType,
        ),
        (
            lambda: position_symmetry(sb.all_templates(2)).levels(
                [1, 2], beta=1, gamma=1, digits=0
            ),
            errors.SymbenchError,
        ),
    ],
)
def test_bad_arguments(call, error) -> None:
    with pytest.raises(error):
        call()
