"""A repr fits the screen at any size, and printing changes nothing."""

import re

import flint
import pytest

from symbench.exact import GF, QQ, ZZ, Balls, Exponentials, Matrix, PowerSeries, exponential_matrix

HUGE = 10**5000
LONG = QQ[tuple(f"a_long_name_{k}" for k in range(12))]


def empty(rows, columns, ring=ZZ):
    shape = [str(rows), str(columns)]
    return Matrix.from_json({"ring": ring.to_json(), "shape": shape, "rows": [[]] * rows})


def many(rows, columns, entry=7, ring=None):
    return Matrix([[entry] * columns for _ in range(rows)], ring)


MATRICES = {
    "small": many(2, 2),
    "wide": many(1, 1000),
    "tall": many(1000, 1),
    "large": many(1000, 1000),
    "empty": empty(0, 0),
    "no rows": empty(0, 5),
    "no columns": empty(5, 0),
    "many without columns": empty(1000, 0, QQ),
    "huge": many(3, 3, HUGE),
    "huge fraction": many(3, 3, f"1/{'7' * 5000}"),
    "huge and large": many(40, 40, HUGE),
    "prime": many(20, 20, -1, GF(18446744073709551557)),
    "polynomials": Matrix([[(LONG.gens[0] + LONG.gens[1]) ** 12] * 9] * 30),
    "exponentials": exponential_matrix([[HUGE, "-1/3"], [5, 0]]),
    "series": Matrix([[PowerSeries(QQ, "b", 30).series(range(30))] * 30] * 30),
    "balls": Matrix([[flint.arb(2).sqrt()] * 300] * 300, Balls(53)),
    "huge balls": many(3, 3, HUGE, Balls(64)),
}


@pytest.mark.parametrize("name", MATRICES)
def test_every_repr_fits(name):
    M = MATRICES[name]
    before = hash(M.submatrix(range(min(M.shape[0], 2)), range(min(M.shape[1], 2))))
    for text in (repr(M), str(M)):
        assert text
        assert len(text.splitlines()) <= 14
        assert max(map(len, text.splitlines())) <= 100
    assert hash(M.submatrix(range(min(M.shape[0], 2)), range(min(M.shape[1], 2)))) == before
    assert M._repr_latex_().startswith(r"$\begin{pmatrix}")
    assert M._repr_latex_().count(r"\\") <= 10


@pytest.mark.parametrize("name", ["large", "no rows", "no columns", "empty", "huge and large"])
def test_what_is_left_out_is_named_by_its_size(name):
    M = MATRICES[name]
    assert f"{M.shape[0]} x {M.shape[1]}" in repr(M)


def test_small_ones_can_be_typed_back():
    for M in (many(2, 3), many(1, 1, "1/2"), many(2, 2, 1, QQ), many(2, 2, 3, GF(5)), many(1, 20)):
        typed = eval(repr(M), {"Matrix": Matrix, "QQ": QQ, "GF": GF})
        assert (typed, typed.ring) == (M, M.ring)


def test_rings_can_be_typed_back():
    names = {"ZZ": ZZ, "QQ": QQ, "GF": GF, "Balls": Balls, "PowerSeries": PowerSeries,
             "Exponentials": Exponentials}  # fmt: skip
    for ring in (ZZ, QQ, GF(7), ZZ["x"], QQ["x", "y"], GF(5)["x"], Exponentials("q"), Balls(99),
                 PowerSeries(QQ["y"], "b", 4)):  # fmt: skip
        assert eval(repr(ring), names) == ring


def test_dots_stand_where_entries_are_left_out():
    assert ".." in repr(many(1000, 1000))
    assert ".." not in repr(many(12, 12))
    assert r"\cdots" in many(11, 11)._repr_latex_()


def test_latex():
    (x,) = QQ["x"].gens
    q = Exponentials("q").monomial
    series = PowerSeries(QQ, "b", 12).series([0] * 10 + ["-1/2"])
    for M, body in (
        (Matrix([["-1/2", 3]]), r"-\frac{1}{2} & 3"),
        (Matrix([[x**12 / 2 - 3 * x]]), r"\frac{1}{2} x^{12} - 3 x"),
        (Matrix([[q(12) + 2 * q("-1/2")]]), r"2 q^{-\frac{1}{2}} + q^{12}"),
        (Matrix([[series]]), r"-\frac{1}{2} b^{10} + O(b^{12})"),
        (Matrix([[1], [2]], GF(3)), r"1 \\ 2"),
    ):
        assert M._repr_latex_() == rf"$\begin{{pmatrix}} {body} \end{{pmatrix}}$"


def test_text_of_elements():
    q = Exponentials("q").monomial
    assert repr(q(1) - 2 * q("-1/2") + 1) == "-2*q^(-1/2) + 1 + q"
    assert repr(q(1) - q(1)) == "0"
    ring = PowerSeries(QQ["y"], "b", 3)
    (y,) = QQ["y"].gens
    assert repr(ring.series([0, y - 1, -1])) == "(y - 1)*b - b^2 + O(b^3)"
    assert repr(ring.series([])) == "O(b^3)"
    assert re.fullmatch(r"\d+", repr(Matrix([[HUGE]], QQ)[0, 0]))
