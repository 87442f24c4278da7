"""Products of Schur functions: our strips, lrcalc, and identities of dimensions."""

from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import TooLarge
from symbench.young import Partition, kostka, lattice_words, littlewood_richardson
from symbench.young.lattice_words import coefficient, product, strips


def shapes(rows, longest):
    """Shapes in a box."""
    lists = st.lists(st.integers(1, longest), max_size=rows)
    return lists.map(lambda p: tuple(sorted(p, reverse=True)))


def staircase(rows):
    return tuple(range(rows, 0, -1))


@settings(deadline=None, max_examples=60)
@given(shapes(5, 6), shapes(5, 6))
def test_strips_against_lrcalc(mu, nu):
    lrcalc = pytest.importorskip("lrcalc", reason="lrcalc is not installed: no second road")
    expected = lrcalc.mult(list(mu), list(nu))
    assert strips(mu, nu) == strips(nu, mu) == expected
    for lam in list(expected)[:: max(1, len(expected) // 10)]:
        assert strips(mu, nu, lam) == {lam: expected[lam]} == {lam: coefficient(lam, mu, nu)}


@settings(deadline=None, max_examples=30)
@given(shapes(3, 5), shapes(4, 3))
def test_dimensions_of_a_product(mu, nu):
    m, n = sum(mu), sum(nu)
    dim = sum(c * Partition(lam).dim for lam, c in strips(mu, nu).items())
    assert dim == comb(m + n, m) * Partition(mu).dim * Partition(nu).dim


@pytest.mark.parametrize("installed", [True, False])
def test_with_and_without_lrcalc(monkeypatch, installed):
    if installed:
        pytest.importorskip("lrcalc", reason="lrcalc is not installed: nothing to compare")
    else:
        monkeypatch.setattr(lattice_words, "_lrcalc", lambda: None)
    # published with lrcalc's tests of speed: one coefficient, and squares of staircases
    big, small = Partition(16, 14, 12, 10, 8, 6, 4, 2).parts, (12, 10, 8, 6)
    assert coefficient(big, small, small) == 1278
    found = product(staircase(5), staircase(5))
    assert (len(found), sum(found.values()), max(found.values())) == (1433, 26704, 176)
    assert product((), (2, 1)) == product((2, 1), ()) == {(2, 1): 1}
    assert product((), ()) == {(): 1}
    assert coefficient((), (), ()) == 1
    assert coefficient((1, 1, 1), (2,), (1,)) == coefficient((3,), (2,), (1, 1)[:1]) - 1 == 0


def test_where_lrcalc_is_asked(monkeypatch):
    class Peer:
        asked: list[str] = []  # noqa: RUF012

        def mult(self, mu, nu):
            self.asked.append("mult")
            return {}

        def lrcoef(self, lam, mu, nu):
            self.asked.append("lrcoef")
            return 0

    monkeypatch.setattr(lattice_words, "_lrcalc", Peer)
    product((2, 1), (2, 1))
    assert Peer.asked == ["mult"]
    # 26,704 tableaux on either side of the limit
    monkeypatch.setattr(lattice_words, "SURELY_FEW", 0)
    for few, asked in [(10_000, False), (60_000, True)]:
        Peer.asked.clear()
        monkeypatch.setattr(lattice_words, "FEW", few)
        assert bool(product(staircase(5), staircase(5))) != asked
        assert bool(Peer.asked) == asked
    monkeypatch.setattr(lattice_words, "SURELY_NOT_MANY", 0)
    lam, mu = (3, 2, 1), (2, 1)  # dimensions 8 * 8 / 15... over GL_3: at most 64 // 15
    for many, asked in [(0, False), (64, True)]:
        Peer.asked.clear()
        monkeypatch.setattr(lattice_words, "MANY", many)
        assert coefficient(lam, mu, mu) == (0 if asked else 2)
        assert bool(Peer.asked) == asked
    # its parts are C ints: long rows take our road
    Peer.asked.clear()
    assert coefficient((2**16 + 1,), (2**16,), (1,)) == 1
    assert not Peer.asked


@settings(deadline=None, max_examples=40)
@given(shapes(3, 5), shapes(4, 3), st.data())
def test_the_bound_of_a_coefficient(mu, nu, data):
    found = strips(mu, nu)
    lam = data.draw(st.sampled_from(sorted(found)))
    assert 1 <= found[lam] <= lattice_words._at_most(lam, mu, nu)
    assert sum(count**2 for count in found.values()) <= comb(sum(lam), sum(mu))
    most = lattice_words.SURELY_NOT_MANY
    assert comb(most, most // 2) <= (3 * 10**10) ** 2 < 2**126  # a long long counts


@pytest.mark.parametrize("bits", [3, 8, 14, 16, 20, 31, 40, 58])
@pytest.mark.parametrize("nu", [(3, 2, 1), (4,), (1, 1), (2, 2, 1)])
def test_rows_of_many_bits(bits, nu):
    """Rows far apart never meet, so a product adds the weights of nu to them."""
    far = 2**bits
    mu = (4 * far, 3 * far, 2 * far, far)
    found = {lam: count for lam, count in strips(mu, nu).items() if len(lam) == len(mu)}
    assert sum(found.values()) == Partition(nu).count_semistandard(len(mu))
    for lam, count in found.items():
        added = [a - b for a, b in zip(lam, mu, strict=True)]
        assert count == kostka(Partition(nu), added)
        assert strips(mu, nu, lam) == strips(nu, mu, lam) == {lam: count}


def test_long_rows_and_columns():
    assert strips((1,) * 100_000, (1,)) == {(1,) * 100_001: 1, (2, *(1,) * 99_999): 1}
    assert len(strips((2**40, 1), (1, 1))) == 4
    with pytest.raises(TooLarge, match="give shapes of fewer than 2"):
        littlewood_richardson(Partition(2**62), Partition(1))
    with pytest.raises(TooLarge, match="strip 1 of 2 leads to more than"):
        strips((2**58,) * 2, (2**58,) * 2)


def test_no_strip_fits():
    # both inside, but no tableau: states run out after one letter and after two
    assert strips((2, 2), (2, 2), (5, 1, 1, 1)) == {}
    assert strips((3, 3, 3), (2, 2, 1), (5, 3, 3, 3)) == {}
    assert strips((3, 1), (2,), (2, 2, 2)) == strips((1, 1), (2,), (4,)) == {}


@pytest.mark.parametrize("block", [1, 7, 100])
def test_blocks_of_states_are_joined(monkeypatch, block):
    expected, part = strips(staircase(4), staircase(4)), (5, 4, 4, 3, 2, 1, 1)
    monkeypatch.setattr(lattice_words, "BLOCK", block)
    assert strips(staircase(4), staircase(4)) == expected
    assert strips(staircase(4), staircase(4), part) == {part: expected[part]}


def test_the_number_of_tableaux_is_estimated():
    for mu, nu in [(staircase(5), staircase(5)), ((6, 4, 3, 1), (5, 5, 2))]:
        exact = sum(strips(mu, nu).values())
        assert lattice_words._Filling(mu, nu).tableaux == exact
        assert exact / 2 < lattice_words._Filling(mu, nu, sample=60).tableaux < exact * 2


def test_counts_past_a_machine_word(monkeypatch):
    expected = strips(staircase(4), staircase(4))
    monkeypatch.setattr(lattice_words, "WORD", 10.0)
    found = strips(staircase(4), staircase(4))
    assert found == expected
    assert lattice_words._Filling(staircase(4), staircase(4)).counts.dtype == object


def test_states_that_share_a_key_are_added_up(monkeypatch):
    expected = strips(staircase(4), staircase(4))
    # With all keys equal nothing but neighbours is merged.
    monkeypatch.setattr(lattice_words, "MULTIPLIER", 0)
    assert strips(staircase(4), staircase(4)) == expected


def test_too_many_states_are_refused_before_they_are_made(monkeypatch):
    monkeypatch.setattr(lattice_words, "_lrcalc", lambda: None)
    # the largest step of this product makes 5,658 states of 10 rows
    monkeypatch.setattr(lattice_words, "LARGEST", 56_580)
    assert len(littlewood_richardson(Partition(staircase(5)), Partition(staircase(5)))) == 1433
    monkeypatch.setattr(lattice_words, "LARGEST", 50_000)
    with pytest.raises(TooLarge, match=r"strip 4 of 5 leads to more than 5,[0-9]{3} states"):
        littlewood_richardson(Partition(staircase(5)), Partition(staircase(5)))
