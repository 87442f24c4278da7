"""The conformance suite: good kernels pass, and each kind of fault is found with its witness."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import flint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench.errors import BadShape, BadType, BadValue, SymbenchError, TooLarge, UnknownName
from symbench.exact import Matrix, Rational
from symbench.kernels.activations.exact import cos
from symbench.kernels.diagram import Diagram
from symbench.kernels.from_function import FunctionKernel
from symbench.kernels.generic import generic
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.transformer import transformer
from symbench.testing import (
    _negative_direction,
    all_diagrams,
    check_kernel,
    from_function,
    kernel_report,
)
from symbench.young import YoungSubgroup


@pytest.mark.parametrize(
    "kernel",
    [
        inner_product(lambda n: n * n),
        inner_product([1, 1, 2, 6], incidence=False),
        inner_product(lambda n: 2**n, incidence=True),
        linear_attention(1, "1/2"),
        linear_attention(2, 1, readout="flatten", layers=2),
        linear_attention(1, 1, readout="last", causal=True),
        generic(),
        linear_attention(),
        transformer("relu", linear_attention("1/8", "1/8")),
        transformer(cos(1, "pi/4"), linear_attention("1/8", "1/8")),
        from_function(lambda x, y: sum(x.count(a) * y.count(a) for a in set(x))),
        from_function(lambda x, y: float(x == y), exactness="float"),
    ],
    ids=repr,
)
def test_good_kernels(kernel) -> None:
    report = check_kernel(kernel)
    assert report.ok
    assert not report.problems
    assert len(report.checks) in (4, 6)
    assert str(report).startswith(f"{kernel!r} conforms")


def test_diagrams_are_all_there() -> None:
    # OEIS A000110: Bell(2), Bell(4), Bell(6), Bell(8).
    for k, bell in ((1, 2), (2, 15), (3, 203), (4, 4140)):
        found = list(all_diagrams(k))
        assert len(found) == len(set(found)) == bell
        assert all(Diagram.from_codes((*d.left, *d.right)) == d for d in found)


def witness(function, **options) -> str:
    with pytest.raises(BadValue) as caught:
        check_kernel(from_function(function, **options))
    return str(caught.value)


def test_not_token_symmetric() -> None:
    """The message holds the pair and the renaming; following it shows the fault."""

    def loves_b(x, y) -> int:
        return x.count("B") * y.count("B")

    text = witness(loves_b)
    found = re.search(
        r"it is (\d+) at \((\w+), (\w+)\) and (\d+) at \((.+), (.+)\), its image", text
    )
    assert found is not None, text
    one, x, y, two, moved_x, moved_y = found.groups()
    assert loves_b(x, y) == int(one)
    assert loves_b(tuple(moved_x.split()), tuple(moved_y.split())) == int(two) or loves_b(
        moved_x, moved_y
    ) == int(two)
    assert one != two
    with pytest.raises(BadValue, match="not token-symmetric"):
        from_function(loves_b).on_diagram(Diagram.of("AB", "AB"))


def test_alphabetical_order_is_no_kernel() -> None:
    assert "not token-symmetric" in "".join(
        kernel_report(
            from_function(lambda x, y: int(x <= y) + int(y <= x) * int(x[0] < "B"))
        ).problems
    )


def test_not_symmetric() -> None:
    text = witness(lambda x, y: len(set(x)))
    assert "is not symmetric: it is 1 at (AA, AB) and 2 at (AB, AA)" in text


def test_not_positive_semidefinite() -> None:
    def distance(x, y) -> int:
        return sum(a != b for a, b in zip(x, y, strict=True))

    text = witness(distance)
    assert "words A, B with weights 1, -1 give -2" in text
    hidden = witness(lambda x, y: Fraction(int(x == y)) - Fraction(1, 8))
    # 9 words of length 2: v = 1 has 9 - 81/8 < 0.
    found = re.search(r"words (.+) with weights (.+) give (.+)$", hidden)
    assert found is not None
    used, weights = found[1].split(", "), [Fraction(w) for w in found[2].split(", ")]
    total = sum(
        a * b * (int(x == y) - Fraction(1, 8))
        for (x, a), (y, b) in product(zip(used, weights, strict=True), repeat=2)
    )
    assert total == Fraction(found[3])
    assert total < 0
    balls = witness(lambda x, y: flint.arb(int(x == y)) - flint.arb(1) / 3, exactness="ball")
    assert "not positive semidefinite" in balls
    floats = witness(lambda x, y: float(x == y) - 0.3, exactness="float")
    assert "not positive semidefinite" in floats


class Measured:
    """A float that says how many of its digits count."""

    exactness = "float"

    def __init__(self, value: float) -> None:
        self.value = value


def test_floats_that_carry_their_digits() -> None:
    good = from_function(lambda x, y: Measured(float(x == y)), exactness="float")
    assert check_kernel(good).checks[-1].endswith("(as far as floats see)")
    text = witness(lambda x, y: Measured(float(x == y) - 0.3), exactness="float")
    assert "not positive semidefinite" in text


def test_not_as_exact_as_promised() -> None:
    assert "promises exact values, and at (A, A) it is 0.5: float" in witness(lambda x, y: 0.5)
    assert "it is True: a bool" in witness(lambda x, y: x == y)
    assert "it is 1: exact" in witness(lambda x, y: 1, exactness="float")
    assert "it is None: a NoneType" in witness(lambda x, y: None)


def test_functions_that_fail() -> None:
    text = witness(lambda x, y: x[7])
    assert "fails at (A, A)" in text
    assert "IndexError" in text


class Liar:
    """on_diagram and value disagree."""

    needs_cls = False
    exactness = "exact"

    def on_diagram(self, diagram: Diagram) -> int:
        return 1

    def value(self, x, y) -> int:
        return 2

    def __repr__(self) -> str:
        return "Liar()"


class Minimal:
    """The three members and nothing else."""

    def __init__(self, needs_cls=True, exactness="exact") -> None:
        self.needs_cls = needs_cls
        self.exactness = exactness

    def on_diagram(self, diagram: Diagram) -> Rational:
        return Rational(diagram.meetings)


def test_objects() -> None:
    with pytest.raises(BadValue, match="contradicts itself: value is 2 at"):
        check_kernel(Liar())
    assert "token symmetry: given on diagrams, so it cannot fail" in check_kernel(Minimal()).checks
    with pytest.raises(BadValue, match="needs_cls = None"):
        check_kernel(Minimal(needs_cls=None))
    with pytest.raises(BadValue, match="exactness = 'good'"):
        check_kernel(Minimal(exactness="good"))


def test_bad_arguments() -> None:
    for bad in (None, 7, "kernel", lambda x, y: 1):
        with pytest.raises(BadType, match="is not a kernel"):
            check_kernel(bad)
    with pytest.raises(TooLarge, match="4213597 diagrams"):
        check_kernel(generic(), max_length=6)
    for bad in (0, None, 2.0, True):
        with pytest.raises(SymbenchError):
            check_kernel(generic(), max_length=bad)  # type: ignore[arg-type]
    with pytest.raises(UnknownName):
        from_function(len, exactness="rough")
    with pytest.raises(BadType):
        from_function(len, needs_cls=1)  # type: ignore[arg-type]
    kernel = from_function(lambda x, y: 1)
    with pytest.raises(BadShape):
        kernel.value("A", "AB")
    with pytest.raises(BadType):
        kernel.on_diagram(None)  # type: ignore[arg-type]
    assert isinstance(kernel, FunctionKernel)


squares = st.integers(1, 4).flatmap(
    lambda n: st.lists(st.lists(st.integers(-2, 2), min_size=n, max_size=n), min_size=n, max_size=n)
)


@given(squares, st.booleans())
@settings(max_examples=200, deadline=None)
def test_positive_semidefinite_against_principal_minors(rows: list[list[int]], gram: bool) -> None:
    """A symmetric matrix is positive semidefinite iff no principal minor is negative."""
    A = Matrix(rows)
    M = A.transpose() @ A if gram else A + A.transpose()
    n = M.shape[0]
    subsets = [[i for i in range(n) if mask >> i & 1] for mask in range(1, 2**n)]
    definite = all(M.minor(s, s) >= 0 for s in subsets)
    found = _negative_direction(tuple(tuple(Fraction(int(x)) for x in row) for row in M.rows))
    assert (found is None) == definite
    if found is not None:
        value = sum(found[i] * found[j] * int(M[i, j]) for i in range(n) for j in range(n))
        assert value < 0


# --- positions -----------------------------------------------------------------------------------
def test_symmetry_and_tables_are_compared_with_diagrams():
    for readout in ("sum", "last"):
        checks = check_kernel(linear_attention(1, 1, readout=readout)).checks
        assert any(line.startswith("positions: ") for line in checks)
        assert "tables: 220 values as on diagrams" in checks

    class OfTables:
        needs_cls, exactness = False, "exact"

        def __init__(self, more):
            self.more = more

        def on_diagram(self, diagram):
            return sum(map(int.__eq__, diagram.left, diagram.right))

        def on_table(self, table):
            return sum(row[u] for u, row in enumerate(table)) + self.more

    assert check_kernel(OfTables(0)).ok
    with pytest.raises(BadValue, match=r"contradicts itself: on_diagram is 1 at .* on_table is 2"):
        check_kernel(OfTables(1))

    class OfTheLast:
        needs_cls, exactness = False, "exact"
        symmetry = YoungSubgroup

        def on_diagram(self, diagram):
            return int(diagram.left[-1] == diagram.right[-1])

    with pytest.raises(BadValue, match=r"after the transposition \(1 2\) of positions"):
        check_kernel(OfTheLast())
