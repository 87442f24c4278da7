"""Every law in every public function that takes one, under every group of positions.

A law is accepted wherever no permutation of the group changes it, gives the number that the same
probabilities give word by word, and is refused elsewhere by the name of the missing symmetry.
"""

from __future__ import annotations

import inspect
from fractions import Fraction
from importlib import import_module
from itertools import product

import pytest

import symbench as sb
from symbench.errors import BadValue, NotSupported
from symbench.learning import Problem
from symbench.learning.orbit_average import orbit_average
from symbench.learning.targets import from_function
from symbench.spectra import closed_forms, eigenvalue_scaling
from tests.laws.test_read_law import Own, Polya, all_permutations, shown_words, unchanged

L, V = 4, 2
WORDS = list(product(range(V), repeat=L))
HALF = Fraction(1, 2)
COIN = sb.laws.HiddenMarkov([1], [[1]], [["1/3", "2/3"]])
FORGETS = sb.laws.HiddenMarkov(["1/2", "1/2"], [["1/2", "1/2"]] * 2, [["1/3", "2/3"], [1, 0]])
STICKY = sb.laws.HiddenMarkov([HALF, HALF], [["3/4", "1/4"], ["1/4", "3/4"]], [[1, 0], [0, 1]])
CLOCK = sb.laws.HiddenMarkov(  # coins at the first two places, others at the last two
    [1, 0, 0], [[0, 1, 0], [0, 0, 1], [0, 0, 1]], [["1/3", "2/3"]] * 2 + [["1/5", "4/5"]]
)
RING = sb.laws.ring_chain([["3/4", "1/4"], ["1/4", "3/4"]], length=L)
LAWS = {
    "uniform": None,
    "iid": sb.laws.Iid("1/3", "2/3"),
    "mixture": sb.laws.Mixture([("1/4", sb.laws.Iid(1, 0)), ("3/4", sb.laws.Iid("1/5", "4/5"))]),
    "counts": sb.laws.Counts.of(Polya().of_counts, length=L, vocabulary=V),
    "subsets": sb.laws.Subsets(L, 2),
    "words, exchangeable": sb.laws.Words.of(
        lambda w: Polya().of_counts((L - sum(w), sum(w))), length=L, vocabulary=V
    ),
    "words, one": sb.laws.Words.of({(0, 0, 1, 1): 1}, length=L, vocabulary=V),
    "words, first": sb.laws.Words.of({(1, 0, 0, 0): 1}, length=L, vocabulary=V),
    "ring": RING,
    "segments": sb.laws.segments((3, sb.laws.Iid("1/4", "3/4")), (1, None)),
    "hidden, one state": COIN,
    "hidden, forgets": FORGETS,
    "hidden, sticky": STICKY,
    "hidden, clock": CLOCK,
    "mixed coins": sb.laws.MarkovMixture([("1/2", COIN), ("1/2", FORGETS)]),
    "mixed chains": sb.laws.MarkovMixture([("1/2", COIN), ("1/2", STICKY)]),
    "own, by counts": Polya(),
    "own, exchangeable": Own(dict.fromkeys(WORDS, Fraction(1, len(WORDS))), L, V),
    "own, ring": Own({w: RING.probability(w) for w in WORDS}, L, V),
}
GROUPS = [None, (4,), (3, 1), (1, 3), (2, 2), (2, 1, 1), (1, 1, 1, 1), "cyclic"]
# Polynomials of the first two bits that no permutation of all four leaves unchanged.
TARGET = from_function(lambda w: 2 * w[0] - w[1], variables=2, vocabulary=V)
KERNEL = sb.kernels.linear_attention(1, 1)


def chances(law):
    """The probability of each word, by what the law itself says."""
    if law is None:
        return dict.fromkeys(WORDS, Fraction(1, len(WORDS)))
    if hasattr(law, "probability"):
        return {w: law.probability(w) for w in WORDS}
    return {w: law.of_counts((L - sum(w), sum(w))) for w in WORDS}


def analysed(law):
    return sb.analyse(KERNEL, TARGET, length=L, law=law, samples=[1], ridge=1, trials=3)


# Functions that take a group, and what they find under a law.
IN_A_GROUP = {
    "spectrum": lambda law, group: (
        sb.spectrum(KERNEL, length=L, vocabulary=V, law=law, group=group).trace
    ),
    "lower_bound": lambda law, group: sb.lower_bound(
        TARGET, length=L, samples=1, law=law, group=group
    ),
    "samples_needed": lambda law, group: sb.samples_needed(
        TARGET, length=L, error="1/10", law=law, group=group
    ),
    "orbit_average": lambda law, group: orbit_average(TARGET, length=L, law=law, group=group).norm,
}
# Functions that ask for no symmetry.
ANYWHERE = {
    "Problem": lambda law: Problem(KERNEL, TARGET, length=L, law=law).errors(1, 1).test,
    "Problem, tested": lambda law: (
        Problem(KERNEL, TARGET, length=L, test_law=law).errors(1, 1).test
    ),
    "Problem.chances_under": lambda law: Problem(KERNEL, TARGET, length=L).chances_under(law),
    "EquivalentPredictor.error": lambda law: (
        Problem(KERNEL, TARGET, length=L).predictor(2, 1).error(law)
    ),
    "learning_curve": lambda law: sb.learning.learning_curve(
        KERNEL, TARGET, length=L, samples=[1], ridge=1, law=law, trials=3
    ).table(),
    "analyse": lambda law: analysed(law).table(),
}
# Functions that ask for all permutations.
EXCHANGEABLE = {
    "eigenvalue_scaling": lambda law: (
        eigenvalue_scaling(KERNEL, lengths=[L], law=law, max_m=1).of(1)[0].eigenvalue
    ),
}


def by_words(law):
    return sb.laws.Words.of(chances(law), length=L, vocabulary=V)


def check(function, law, group):
    """Accepted iff unchanged; then the number is that of the law word by word."""
    table, asked = chances(law), (L,) if group is None else group
    if unchanged(table, asked, L):
        assert function(law) == function(by_words(law))
        return
    with pytest.raises(BadValue) as caught:
        function(law)
    name = "CyclicGroup(4)" if group == "cyclic" else f"YoungSubgroup{asked}"
    missing = "not exchangeable: " if asked == (L,) else f"not invariant under {name}: "
    assert missing in str(caught.value)
    (x, p), (y, q) = shown_words(str(caught.value))
    assert table[x] == p != q == table[y]
    assert y in [tuple(x[a] for a in g) for g in all_permutations(asked, L)]


@pytest.mark.parametrize("group", GROUPS, ids=str)
@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("function", IN_A_GROUP)
def test_under_a_group(function, name, group):
    check(lambda law: IN_A_GROUP[function](law, group), LAWS[name], group)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("function", EXCHANGEABLE)
def test_under_all_permutations(function, name):
    check(EXCHANGEABLE[function], LAWS[name], None)


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("function", ANYWHERE)
def test_without_a_symmetry(function, name):
    found = ANYWHERE[function]
    assert found(LAWS[name]) == found(by_words(LAWS[name]))


@pytest.mark.parametrize("name", LAWS)
def test_an_analysis_says_whether_the_law_is_exchangeable(name):
    found, holds = analysed(LAWS[name]), unchanged(chances(LAWS[name]), (L,), L)
    assert found.symmetry.holds == holds == (found.weights is not None)
    if not holds:
        assert "not exchangeable: p(" in found.symmetry.witness


@pytest.mark.parametrize("name", LAWS)
def test_closed_forms(name):
    """Polynomials in the length are there for independent tokens only."""
    law = LAWS[name]
    if law is None or isinstance(law, sb.laws.Iid):
        assert closed_forms(KERNEL, vocabulary=V, law=law).vocabulary == V
        return
    with pytest.raises((NotSupported, sb.errors.BadShape), match=r"independent|length"):
        closed_forms(KERNEL, vocabulary=V, law=law)


def test_no_function_is_left_out():
    """Whatever public function or method has an argument for a law is gone through above."""
    found = set()
    for room in ("spectra", "learning", "kernels", "ktau", "texts"):
        module = import_module(f"symbench.{room}")
        for name in module.__all__:
            value = getattr(module, name)
            for label, function in [(name, value), *_methods(name, value)]:
                if inspect.isfunction(function) and _takes_a_law(function):
                    found.add(label)
    listed = {name.split(",")[0] for name in (*IN_A_GROUP, *ANYWHERE, *EXCHANGEABLE)}
    assert found - {"closed_forms", "Regression.chances_under"} == listed


def _methods(name, value):
    """The public methods of a class, and the class itself where it reads its own arguments."""
    if not inspect.isclass(value):
        return
    for label, method in vars(value).items():
        if not label.startswith("_"):
            yield f"{name}.{label}", getattr(method, "__func__", method)
    if name == "Problem":
        yield name, value.__init__


def _takes_a_law(function):
    return any("law" in name for name in inspect.signature(function).parameters)
