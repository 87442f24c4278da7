"""The conformance suite for laws: what it accepts, and what it notices."""

from fractions import Fraction

import attrs
import pytest
from hypothesis import given, settings

import symbench as sb
from symbench.errors import BadType, BadValue, NotExact
from symbench.testing import check_law


@settings(max_examples=30, deadline=None)
@given(sb.strategies.laws(vocabulary=2, length=3))
def test_our_own_laws_conform(law):
    assert check_law(law, length=3) is law


@attrs.frozen
class Own:
    chances: dict
    group: object = None
    vocabulary = 2
    length = 2

    def probability(self, word):
        return self.chances.get(word, 0)

    def symmetry(self, length):
        return self.group


HALF = Fraction(1, 2)


def test_what_is_wrong_is_named():
    asymmetric = {(0, 0): HALF, (0, 1): HALF}
    assert check_law(Own(asymmetric), length=2)
    with pytest.raises(BadValue, match=r"\(0, 1\) has probability 1/2 and \(1, 0\) has 0"):
        check_law(Own(asymmetric, sb.young.YoungSubgroup(2)), length=2)
    with pytest.raises(BadValue, match="add up to 1/2, not to 1"):
        check_law(Own({(0, 0): HALF}), length=2)
    with pytest.raises(BadValue, match="is -1/2: give none below 0"):
        check_law(Own({(0, 0): -HALF, (0, 1): 3 * HALF}), length=2)
    with pytest.raises(NotExact):
        check_law(Own({(0, 0): 0.5, (0, 1): 0.5}), length=2)
    with pytest.raises(BadType, match="the law is 'iid'"):
        check_law("iid")


def test_of_counts_is_compared():
    class Wrong(sb.laws.Iid):
        def of_counts(self, counts):
            return super().of_counts(counts[::-1])

        def probability(self, word):
            return sb.laws.Iid(*self.probabilities).probability(word)

    with pytest.raises(BadValue, match="but of_counts gives"):
        check_law(Wrong("1/3", "2/3"))
