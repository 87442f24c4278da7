"""The second roads of boix2024's definitions, by hand; and errors planted in what they guard."""

from fractions import Fraction

import pytest

from symbench.kernels import attention
from symbench.papers.boix2024 import appendix_h, identity, stages, tasks
from symbench.papers.boix2024.templates import matches, strings_of
from symbench.registry import claims
from symbench.words import Task, Template
from symbench.words.substitution_law import UniformSubstitutions


def test_strings_that_match_are_those_that_are_put_in():
    for template in ("αα", "αβ", "αA", "αβA", "ABα"):
        listed = strings_of(template, "ABC")
        assert all(matches(template, x) for x in listed)
    assert strings_of("αβA", "ABC") == {"BCA", "CBA"}
    assert strings_of("αβA", "AB") == strings_of("αZ", "AB") == frozenset()


def test_the_law_of_a_sample_is_exact():
    task = Task([Template("αα"), Template("αβ")], labels=[1, -1], weights=["1/3", "2/3"],
                substitution="PQ")  # fmt: skip
    third = Fraction(1, 3)
    assert tasks._sampled(task) == {
        ("PP", 1): third / 2, ("QQ", 1): third / 2, ("PQ", -1): third, ("QP", -1): third,
    }  # fmt: skip


def test_old_ids_are_still_found():
    for old, new in (
        ("boix2024.def-3.1-example", "boix2024.definition-3.1"),
        ("boix2024.disjoint-vs-inequivalent", "boix2024.definition-4.1"),
        ("boix2024.diversity-bound", "boix2024.definition-4.2"),
        ("boix2024.observation-1.2-repaired", "symbench.identity-depth-one"),
    ):
        with pytest.warns(DeprecationWarning, match=new):
            assert claims[old].id == new


def test_logits_with_two_symbols():
    """Z Z^T z_k by hand: incidence with the last letter, and gamma^2 at its own place."""
    gamma, a, _ = identity._RING.gens
    assert identity._added(("A", "B", "A")) == (a, 0 * a, a * (1 + gamma * gamma))


def test_inner_products_of_embeddings():
    """E[(u . v)^2] = C^2 + (C_uu C_vv + C^2) / d for u, v with covariance C / d."""
    u, v, w = ("A", 0), ("A", 1), ("B", 2)
    narrow, _, gamma = appendix_h._RING.gens()
    g = gamma**2
    assert appendix_h._inner(((u, v),)) == 1 + 0 * g
    assert appendix_h._inner(((u, u),)) == 1 + g
    assert appendix_h._inner(((u, v), (u, v))) == 1 + narrow * ((1 + g) ** 2 + 1)
    assert appendix_h._inner(((u, w), (u, w))) == narrow * (1 + g) ** 2


def test_loops():
    (one, two, three) = appendix_h._pairings((0, 1, 2, 3))
    assert appendix_h._loops(one, one) == 2
    assert appendix_h._loops(one, two) == appendix_h._loops(two, three) == 1


def test_one_letter_at_width_one():
    """E[Z^2] = 1 + gamma^2 whatever beta is: there is one position."""
    assert appendix_h._network(("A", "A", 1, 1, 1)) == {(0, 0): 1, (0, 2): 1}
    assert appendix_h._network(("A", "B", 2, 1, 1)) == {(0, 2): 1}


def test_gaps_by_hand():
    """The three ways to pair four positions: 8 entries of x x^T differ, 8 / 5^4."""
    one, two = (Template(z).with_cls() for z in ("ααββ", "αβαβ"))
    assert stages._distance(one, two, 4) == Fraction(8, 625)
    same, different = (Template(z).with_cls() for z in ("αα", "αβ"))
    assert stages._distance(same, different, 2) == Fraction((5 - 3) ** 2, 3**6)


# --- errors that must be noticed ------------------------------------------------------------------
def noticed(id):
    claim = claims[id]
    return any(claim.look(case)[0] != "holds" for case in claim.list_cases())


def test_a_wrong_law_is_noticed(monkeypatch):
    monkeypatch.setattr(UniformSubstitutions, "open_to", lambda self, template: self.alphabet[:-1])
    assert noticed("boix2024.definition-4.2")
    assert noticed("boix2024.definition-3.2")
    assert noticed("boix2024.definition-J.1")


@pytest.mark.parametrize("id", ["boix2024.definition-4.1", "boix2024.alphabet-size"])
@pytest.mark.parametrize("answer", [True, False])
def test_disjointness_that_says_always_the_same_is_noticed(monkeypatch, id, answer):
    monkeypatch.setattr(Template, "is_disjoint", lambda self, other, **options: answer)
    assert noticed(id)


def test_a_wrong_factor_for_different_last_tokens_is_noticed(monkeypatch):
    right = type(attention()).taylor

    def wrong(self, x, y, *, beta):
        found = right(self, x, y, beta=beta)
        if self.softmax_scale == "appendix-H" and x[-1] != y[-1]:
            found = {key: 2 * c if key[0] else c for key, c in found.items()}
        return found

    monkeypatch.setattr(type(attention()), "taylor", wrong)
    assert noticed("boix2024.appendix-H")
    assert noticed("boix2024.appendix-H-width")
