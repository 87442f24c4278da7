"""Work that can take long says how far it is: to its bar, of a total that is what it reaches.

With `within` the same reports end it when its time is over.
"""

import pytest

import symbench as sb
from symbench import ktau, laws, learning, spectra, texts, words, young
from symbench.draw import progress
from symbench.errors import Undecided
from symbench.kernels import (
    attention,
    from_function,
    inner_product,
    linear_attention,
    transformer,
)
from symbench.young import Action, Partition, Representation, products

T = sb.Template
FLATTEN = linear_attention(1, 1, readout="flatten")


def matches(x, y):
    return sum(a == b for a, b in zip(x, y, strict=True))


def float_matches(x, y):
    return float(matches(x, y))


def group_algebra_square():
    return young.jucys_murphy(4, 4) * young.jucys_murphy(4, 3)


WORK = {
    "entries of the template matrix": lambda: (
        sb.template_matrix([T("αα"), T("αβ"), T("αA")], from_function(matches)).matrix
    ),
    "members of partitions(5)": lambda: young.word_character(5, 2),
    "nodes of Young's lattice": lambda: young.young_lattice(2, 5),
    "partitions of the interval": lambda: young.interval(Partition(1), Partition(4, 3, 1)),
    "products of permutations": group_algebra_square,
    "pairs of shapes": lambda: young.restriction(Partition(3, 2, 1), 3),
    "steps between shapes": lambda: young.kostka(Partition(9, 8, 7, 6, 5), [5] * 7),
    "eigenvalues of the Johnson scheme": lambda: young.johnson_spectrum(9, 4, lambda n: n),
    "entries of the projector": lambda: young.johnson_projector(9, 4, 2),
    "terms of the eigenvalue": lambda: young.johnson_eigenvalue(9, 4, 2, 3),
    "matrices of the generators": lambda: Representation(Partition(3, 1)).generators(),
    "relations of the representation": lambda: young.check_representation(
        Representation(Partition(3, 1))
    ),
    "points of Action.subsets(5, 2), moved": lambda: Action.subsets(5, 2),
    "blocks of length 7": lambda: sb.spectrum(FLATTEN, length=7, vocabulary=2),
    "blocks of length 4": lambda: sb.spectrum(FLATTEN, length=4, vocabulary=3),
    "blocks of length 9": lambda: sb.spectrum(FLATTEN, length=9, vocabulary=2, backend="float"),
    "eigenvalues": lambda: sb.spectrum(FLATTEN, length=6, vocabulary=2).levels,
    "values on pairs of words": lambda: sb.spectrum(matches, length=4, vocabulary=2),
    "pairs of words, moved": lambda: sb.spectrum(matches, length=3, vocabulary=2),
    "balls on pairs of words": lambda: sb.spectrum(
        transformer("relu", FLATTEN), length=3, vocabulary=2
    ),
    "pairs of words": lambda: attention(beta=1, gamma=1).on_tables([((1, 1), (0, 0))], digits=4),
    "graphs of pairs of strings": lambda: attention(beta=1, gamma=1).value("AB*", "BA*", digits=4),
    "resamples": lambda: texts.permutation_symmetry("abab" * 20, length=4, resamples=3),
    "pairs of templates": lambda: words.disjointness_graph(sb.all_templates(3, tokens="A")),
    "token counts": lambda: laws.Counts.of(lambda counts: "1/81", length=4, vocabulary=3),
    "symmetries of templates": lambda: words.count_tasks(4, size=2, tokens=1),
    "training sets": lambda: learning.Problem(
        linear_attention(1, 1), learning.targets.parity(1), length=2
    ).simulate(2, 1, trials=4),
    "templates, moved": lambda: ktau.position_symmetry(sb.all_templates(3)),
    "points, moved": lambda: Action.of(3, [1, 2, 3], lambda g, x: g(x)),
    "costs": lambda: learning.cost_map(sb.tasks.same_different(), [1, 2], [1]),
    "steps of Adam, by strings": lambda: learning.compare_unseen(
        sb.tasks.same_different(), attention(beta=2, gamma=1), [5, 7], symbols=6, steps=3, trials=2
    ),
    "networks": lambda: learning.Problem(
        linear_attention(1, 1), learning.targets.parity(1), length=2
    ).networks(2, sizes=[(2, 16, 4), (3, 8, 4)], draws=3),
    "terms of the kernel": lambda: learning.finite_width_kernel(FLATTEN, (0, 1), (1, 0), width=3),
}


@pytest.fixture
def bars(monkeypatch):
    """What every bar was told: its title, how much was done, and of what total."""
    told = []
    plain = progress.Progress.__exit__

    def end(self, *exception):
        told.append((self._title, self._done, progress._asked(self._total)))
        return plain(self, *exception)

    monkeypatch.setattr(progress.Progress, "__exit__", end)
    return told


@pytest.mark.parametrize("title", WORK)
def test_long_work_reaches_the_total_of_its_bar(bars, monkeypatch, title):
    monkeypatch.setattr(products, "FEW_SHAPES", 0)
    WORK[title]()
    found = [(done, total) for name, done, total in bars if name == title]
    assert found
    for done, total in found:
        assert done == total if total is not None else done > 0
    assert any(done for done, _ in found)


def test_the_training_sets_of_a_task_and_the_networks_that_copy_are_counted(bars):
    problem = learning.Problem(inner_product([1, 2, 4]), sb.tasks.same_different(), symbols=6)
    problem.simulate(4, 1, trials=3, tests=5)
    learning.Copying(8, width=6, gamma=1).simulate(4, draws=6, rates={"b": 1}, head_width=4)
    assert ("training sets", 3, 3) in bars
    assert ("networks", 6, 6) in bars


def test_the_digits_of_a_null_vector_are_about_as_many_as_foreseen(bars):
    rows = [[(7 * i * i + 11 * i * j + j**3) % 1009 for j in range(12)] for i in range(11)]
    last = [sum(column) for column in zip(*rows, strict=True)]
    assert sb.certify([*rows, last]).kind == "singular"
    ((done, total),) = [(done, total) for name, done, total in bars if "digits" in name]
    assert 0 < done <= 2 * total


@pytest.mark.parametrize("title", ["entries of the template matrix", "networks", "costs"])
def test_long_work_ends_when_its_time_is_over(title):
    with pytest.raises(Undecided, match="out of time after 1e-09 s"), progress.within(1e-9):
        WORK[title]()
    WORK[title]()  # no limit is left behind


def test_the_nearest_limit_ends_the_work():
    with (
        pytest.raises(Undecided, match="after 1e-09 s"),
        progress.within(60),
        progress.within(1e-9),
    ):
        group_algebra_square()
    with progress.within(None), progress.within(600):
        assert len(group_algebra_square().terms) == 6


def test_scaling_needs_no_bar_where_there_are_closed_forms(bars):
    assert spectra.eigenvalue_scaling(linear_attention(1, 1), lengths=[10**6]).points
    assert not [name for name, _, _ in bars if name.startswith("blocks")]
