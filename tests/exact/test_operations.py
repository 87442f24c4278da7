"""Every operation over every ring, against arithmetic on dictionaries of terms."""

import pickle
from fractions import Fraction

import flint
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symbench.errors import NotInvertible, NotSupported, Undecided
from symbench.exact import GF, QQ, ZZ, Balls, Exponentials, Matrix, PowerSeries
from tests.exact.formal import (
    EXACT,
    EXPONENTIALS,
    NUMBERS,
    POLYNOMIALS,
    SERIES,
    Formal,
    elements,
    tables,
)

quick = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
every_ring = pytest.mark.parametrize("ring", EXACT, ids=repr)
with_det = pytest.mark.parametrize("ring", NUMBERS + POLYNOMIALS + EXPONENTIALS, ids=repr)
numbers = pytest.mark.parametrize("ring", NUMBERS, ids=repr)


@every_ring
@quick
@given(data=st.data())
def test_entries_shape_and_places(ring, data):
    formal = Formal(ring)
    table, shape = data.draw(tables(ring))
    M = formal.matrix(table, shape)
    assert (M.shape, M.ring, M.exactness) == (shape, ring, "exact")
    assert formal.table(M) == table
    assert all(
        formal.terms(M[i, j]) == table[i][j] for i in range(shape[0]) for j in range(shape[1])
    )


@every_ring
@quick
@given(data=st.data())
def test_sum_difference_negative_and_scalar_multiple(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    b = [[data.draw(elements(ring)) for _ in row] for row in a]
    factor = data.draw(elements(ring))
    A, B = formal.matrix(a, shape), formal.matrix(b, shape)
    pairs = [list(zip(r, s, strict=True)) for r, s in zip(a, b, strict=True)]
    assert formal.table(A + B) == [[formal.add(x, y) for x, y in row] for row in pairs]
    assert formal.table(A - B) == [[formal.add(x, y, -1) for x, y in row] for row in pairs]
    assert formal.table(-A) == [[formal.add({}, x, -1) for x in row] for row in a]
    scaled = [[formal.mul(factor, x) for x in row] for row in a]
    assert formal.table(A * formal.element(factor)) == scaled
    assert formal.table(formal.element(factor) * A) == scaled
    assert formal.table(3 * A) == [[formal.mul(formal.number(3), x) for x in row] for row in a]


@every_ring
@quick
@given(data=st.data(), exponent=st.integers(0, 4))
def test_powers(ring, data, exponent):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring, rows=st.just(2), columns=st.just(2)))
    power = [[formal.number(int(i == j)) for j in range(2)] for i in range(2)]
    for _ in range(exponent):
        power = [
            [formal.add(formal.mul(r[0], a[0][j]), formal.mul(r[1], a[1][j])) for j in range(2)]
            for r in power
        ]
    assert formal.table(formal.matrix(a, shape) ** exponent) == power


@numbers
@quick
@given(data=st.data(), divisor=st.integers(-9, 9))
def test_inverse_and_quotients(ring, data, divisor):
    a, shape = data.draw(tables(ring, rows=st.just(2), columns=st.just(2)))
    M = Formal(ring).matrix(a, shape)
    one = Matrix.identity(2, ring.fraction_field())
    if M.det() == 0:
        with pytest.raises(NotInvertible):
            M.inverse()
    else:
        assert M @ M.inverse() == one == M**-1 @ M
        assert one == M**-2 @ M @ M
    if divisor == 0 or (ring not in (ZZ, QQ) and divisor % ring.modulus == 0):
        with pytest.raises(NotInvertible, match="cannot divide"):
            M / divisor
    else:
        assert M / divisor * divisor == M
    assert M.transpose() == M.T


@pytest.mark.parametrize("domain", ["ZZ", "QQ", "ZZ[x]", "GF(5)"])
def test_sympys_domain_matrices(domain):
    import sympy
    from sympy.polys.matrices import DomainMatrix

    ring = eval(domain, {"ZZ": sympy.ZZ, "QQ": sympy.QQ, "GF": sympy.GF, "x": sympy.Symbol("x")})
    rows = [[1, 2], [3, 4]]
    found = Matrix(DomainMatrix([[ring.convert(n) for n in row] for row in rows], (2, 2), ring))
    assert found == Matrix(rows, GF(5) if domain == "GF(5)" else found.ring)
    assert found.ring == {"ZZ": ZZ, "QQ": ZZ, "ZZ[x]": ZZ, "GF(5)": GF(5)}[domain]


@every_ring
@quick
@given(data=st.data())
def test_product(ring, data):
    formal = Formal(ring)
    a, (height, middle) = data.draw(tables(ring))
    b, (_, width) = data.draw(tables(ring, rows=st.just(middle), columns=st.integers(0, 3)))
    product = formal.matrix(a, (height, middle)) @ formal.matrix(b, (middle, width))
    assert product.shape == (height, width)
    assert formal.table(product) == formal.product(a, b, width)


@every_ring
@quick
@given(data=st.data(), exponent=st.integers(0, 3))
def test_transpose_power_submatrix_and_symmetry(ring, data, exponent):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    M = formal.matrix(a, shape)
    turned = [[a[i][j] for i in range(shape[0])] for j in range(shape[1])]
    assert M.transpose().shape == shape[::-1]
    assert formal.table(M.transpose()) == turned
    assert M.is_symmetric() == (shape[0] == shape[1] and a == turned)
    powers = []
    for row in a:
        powers.append([])
        for x in row:
            power = formal.number(1)
            for _ in range(exponent):
                power = formal.mul(power, x)
            powers[-1].append(power)
    assert formal.table(M.entrywise_power(exponent)) == powers
    rows = data.draw(st.lists(st.integers(0, shape[0] - 1), max_size=3)) if shape[0] else []
    columns = data.draw(st.lists(st.integers(0, shape[1] - 1), max_size=3)) if shape[1] else []
    block = M.submatrix(rows, columns)
    assert block.shape == (len(rows), len(columns))
    assert formal.table(block) == [[a[i][j] for j in columns] for i in rows]


@with_det
@quick
@given(data=st.data())
def test_det_and_minor(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring, square=True))
    M = formal.matrix(a, shape)
    assert formal.terms(M.det()) == formal.det(a)
    if shape[0] > 1:
        smaller = [row[1:] for row in a[:-1]]
        places = list(range(shape[0]))
        assert formal.terms(M.minor(places[:-1], places[1:])) == formal.det(smaller)


def seen_at_no_point(formal, error):
    """A polynomial can vanish at all points of a small field without being zero."""
    modulus = formal.modulus
    return modulus is not None and modulus < 100 and "seen at no point" in str(error)


@with_det
@quick
@given(data=st.data())
def test_rank_and_nullspace(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    M = formal.matrix(a, shape)
    try:
        rank, basis = M.rank(), M.nullspace()
    except Undecided as error:
        if seen_at_no_point(formal, error):
            return
        raise
    assert rank == formal.rank(a, shape)
    assert len(basis) == shape[1] - rank
    vectors = [[formal.terms(x) for x in v] for v in basis]
    for vector in vectors:
        assert not any(formal.total(map(formal.mul, row, vector)) for row in a)
    assert formal.rank(vectors, (len(vectors), shape[1])) == len(vectors)


@pytest.mark.parametrize("columns", [(0,), (4, 4), (0, 1, 2, 0, 2), (2, 2, 1, 0, 0), (3, 4, 3, 5)])
@pytest.mark.parametrize("rows", [(), (1, 0), (1, 2, 1)])
def test_columns_and_rows_that_come_again(columns, rows):
    """Null vectors of a polynomial matrix most of whose lines are copies: one per free column."""
    x, y = QQ["x", "y"].gens
    lines = [
        (x, y, x + y, x * x, 0 * x, x * y),
        (1, y, 1 + y, x, 0, y),
        (y, x, x + y, x * y, 0, y * y),
    ]
    table = [[lines[i][j] * (x + 1 - x) for j in columns] for i in (0, *rows)]
    M = Matrix(table, QQ["x", "y"])
    formal = Formal(M.ring)
    basis = M.nullspace()
    plain = [[formal.terms(entry) for entry in row] for row in table]
    rank = formal.rank(plain, M.shape)
    pivots = [
        j
        for j in range(len(columns))
        if formal.rank([row[: j + 1] for row in plain], (M.shape[0], j + 1))
        > (formal.rank([row[:j] for row in plain], (M.shape[0], j)) if j else 0)
    ]
    free = [j for j in range(len(columns)) if j not in pivots]
    assert M.rank() == rank == len(pivots)
    assert [[j for j in free if vector[j] != 0] for vector in basis] == [[j] for j in free]
    for vector in basis:
        terms = [formal.terms(entry) for entry in vector]
        assert not any(formal.total(map(formal.mul, row, terms)) for row in plain)


@numbers
@quick
@given(data=st.data())
def test_solve(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring, square=True))
    b, wide = data.draw(tables(ring, rows=st.just(shape[0]), columns=st.integers(0, 2)))
    A, B = formal.matrix(a, shape), formal.matrix(b, wide)
    if not formal.det(a) and wide[1]:  # without right sides there is nothing to solve
        with pytest.raises(NotInvertible):
            A.solve(B)
        return
    if not formal.det(a):
        return
    X = A.solve(B)
    field = Formal(X.ring)
    assert X.ring == (QQ if ring == ZZ else ring)
    assert X.shape == wide
    assert field.product(a, field.table(X), wide[1]) == b
    if wide[1]:
        vector = A.solve([row[0] for row in B.rows])
        assert vector == tuple(row[0] for row in X.rows)


@numbers
@quick
@given(data=st.data())
def test_charpoly_is_det_of_x_minus_m(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring, square=True))
    coefficients = formal.matrix(a, shape).charpoly()
    assert len(coefficients) == shape[0] + 1
    for point in range(-2, 4):
        shifted = [
            [formal.add(formal.number(point if i == j else 0), x, -1) for j, x in enumerate(row)]
            for i, row in enumerate(a)
        ]
        value = sum(Fraction(c) * point**k for k, c in enumerate(coefficients))
        assert formal.number(value) == formal.det(shifted)


def invariants(formal, table, shape, base):
    """(order of the gcd of the largest minors, that of the minors one smaller); None if zero."""
    size = min(shape)
    exact = Formal(base)  # polynomials: nothing is cut off

    def lowest(k):
        orders = [min(e[0] for e in m) for m in exact.minors(table, shape, k) if m]
        return min(orders, default=None)

    return lowest(size), lowest(size - 1)


@pytest.mark.parametrize(
    ("ring", "lift"),
    [
        (PowerSeries(ZZ, "b", 3), QQ["b"]),
        (PowerSeries(QQ, "b", 3), QQ["b"]),
        (PowerSeries(GF(5), "b", 3), GF(5)["b"]),
    ],
    ids=repr,
)
@settings(quick, max_examples=150)
@given(data=st.data())
def test_series_rank_is_seen_exactly_where_every_completion_has_it(ring, lift, data):
    """Smith's invariants of one completion: the last is below the precision, or none is forced.

    If the last invariant is at least the precision, a change beyond it makes the rank drop.
    """
    formal = Formal(ring)
    table, shape = data.draw(tables(ring, rows=st.integers(1, 3)))
    top, below = invariants(formal, table, shape, lift)
    M = formal.matrix(table, shape)
    if top is not None and top - below < ring.precision:
        assert M.rank() == min(shape)
    else:
        with pytest.raises(Undecided, match="rank at least"):
            M.rank()


@pytest.mark.parametrize("prime", [2, 5, 2147483647])
def test_a_prime_in_unknown_denominators_proves_nothing(prime):
    """[[b^2, p], [b^4/p, b^2]] is singular, and modulo b^3 it looks like this."""
    ring = PowerSeries(QQ, "b", 3)
    square = ring.series([0, 0, 1])
    M = Matrix([[square, prime], [0, square]], ring)
    with pytest.raises(Undecided):
        M.rank()
    with pytest.raises(Undecided):
        M.leading_residue(prime)
    # With one more coefficient known nothing can be completed to a singular matrix.
    longer = PowerSeries(QQ, "b", 5)
    square = longer.series([0, 0, 1])
    assert Matrix([[square, prime], [0, square]], longer).rank() == 2


@pytest.mark.parametrize("ring", POLYNOMIALS, ids=repr)
@quick
@given(data=st.data())
def test_evaluate_polynomials(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    point = {v: data.draw(st.integers(-3, 3)) for v in ring.variables}
    values = list(point.values())
    scalars = Formal(ring.base)

    def at(terms):
        total = Fraction(0)
        for exponents, c in terms.items():
            for x, e in zip(values, exponents, strict=True):
                c *= Fraction(x) ** e
            total += c
        return scalars.number(total)

    image = formal.matrix(a, shape).evaluate(point)
    assert image.ring == ring.base
    assert scalars.table(image) == [[at(x) for x in row] for row in a]


def test_evaluate_elsewhere():
    x, y = ZZ["x", "y"].gens
    assert Matrix([[x * y - 1]]).evaluate({"x": "1/2", "y": 3}) == Matrix([["1/2"]])
    q = Exponentials("q").monomial
    assert Matrix([[q(2) + q(-1)]]).evaluate({"q": 2}) == Matrix([["9/2"]])
    ring = PowerSeries(QQ["y"], "b", 2)
    (y,) = QQ["y"].gens
    image = Matrix([[ring.series([y, y * y])]], ring).evaluate({"y": 3})
    assert image == Matrix([[PowerSeries(QQ, "b", 2).series([3, 9])]])
    assert Matrix([[1, 2]]).evaluate({}) == Matrix([[1, 2]])


@every_ring
@quick
@given(data=st.data())
def test_reduce(ring, data):
    """Terms at a point modulo a prime; exponentials through the root q^(1/2)."""
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    prime = formal.modulus or data.draw(st.sampled_from([5, 101, 2**31 - 1]))
    point = {v: data.draw(st.integers(1, 4)) for v in ring.variables}
    values = list(point.values())
    root = 1
    if isinstance(ring, Exponentials):
        exponents = [e for row in a for x in row for (e,) in x]
        root = 2 if any(e.denominator == 2 for e in exponents) else 1
    series = isinstance(ring, PowerSeries)
    image = formal.matrix(a, shape).reduce(prime, point)
    target = Formal(image.ring)
    assert target.modulus == prime

    def at(terms):
        total = {}
        for exponents, c in terms.items():
            order, exponents = (exponents[:1], exponents[1:]) if series else ((), exponents)
            for x, e in zip(values, exponents, strict=True):
                c = c * Fraction(x) ** int(e * root)
            total = target.add(total, target.clean({order: c}))
        return total

    assert target.table(image) == [[at(x) for x in row] for row in a]


@every_ring
@quick
@given(data=st.data())
def test_equality_hash_pickle_and_json(ring, data):
    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    b = [[dict(x) for x in row] for row in a]
    if 0 not in shape and data.draw(st.booleans()):
        b[0][0] = data.draw(elements(ring))
    A, B = formal.matrix(a, shape), formal.matrix(b, shape)
    assert (A == B) == (a == b)
    if A == B:
        assert hash(A) == hash(B)
    for copy in (pickle.loads(pickle.dumps(A)), Matrix.from_json(A.to_json()), Matrix(A)):
        assert copy == A
        assert hash(copy) == hash(A)
        assert (copy.ring, copy.shape) == (A.ring, A.shape)


@pytest.mark.parametrize("ring", NUMBERS, ids=repr)
@quick
@given(data=st.data())
def test_eval_of_repr(ring, data):
    # Two numbers of 19 digits and the name of their field still fit on a line.
    a, shape = data.draw(tables(ring, rows=st.integers(1, 3), columns=st.integers(1, 2)))
    M = Formal(ring).matrix(a, shape)
    typed = eval(repr(M), {"Matrix": Matrix, "QQ": QQ, "GF": GF})
    assert typed == M
    assert typed.ring == M.ring


@every_ring
@quick
@given(data=st.data())
def test_to_sympy_and_to_numpy(ring, data):
    import sympy

    formal = Formal(ring)
    a, shape = data.draw(tables(ring))
    M = formal.matrix(a, shape)
    array = M.to_numpy()
    assert array.shape == shape
    assert array.dtype == object
    assert [list(row) for row in array] == [list(row) for row in M.rows]
    image = M.to_sympy()
    assert image.shape == shape
    if isinstance(ring, PowerSeries):
        return
    symbols = [
        sympy.Symbol(v, positive=True if isinstance(ring, Exponentials) else None)
        for v in ring.variables
    ]
    for i in range(shape[0]):
        for j in range(shape[1]):
            expected = sympy.Integer(0)
            for exponents, c in a[i][j].items():
                term = sympy.Rational(str(c))
                for s, e in zip(symbols, exponents, strict=True):
                    term *= s ** sympy.Rational(str(e))
                expected += term
            assert sympy.expand(image[i, j] - expected) == 0
    if ring in (ZZ, QQ) or ring in POLYNOMIALS[:3]:
        assert Matrix(image).change_ring(ring) == M or 0 in shape


def test_series_to_sympy_keeps_the_order_term():
    import sympy

    b = sympy.Symbol("b")
    M = Matrix([[PowerSeries(QQ, "b", 3).series([1, "1/2"])]])
    assert M.to_sympy()[0, 0] == 1 + b / 2 + sympy.Order(b**3)


@quick
@given(data=st.data())
def test_balls_enclose_the_exact_results(data):
    formal = Formal(QQ)
    a, shape = data.draw(tables(QQ, rows=st.integers(0, 3), square=True))
    A = formal.matrix(a, shape)
    B = A.change_ring(Balls(64))
    assert B.exactness == "ball"

    def encloses(ball, terms):
        (middle, e), (radius, f) = ball.mid().man_exp(), ball.rad().man_exp()
        distance = abs(terms.get((), Fraction(0)) - int(middle) * Fraction(2) ** int(e))
        return distance <= int(radius) * Fraction(2) ** int(f)

    def all_enclose(balls, table):
        return all(
            encloses(x, y)
            for r, s in zip(balls.rows, table, strict=True)
            for x, y in zip(r, s, strict=True)
        )

    assert encloses(B.det(), formal.det(a))
    assert all_enclose(B @ B, formal.product(a, a, shape[1]))
    assert all_enclose(B + B, formal.table(A + A))
    assert all_enclose(B - B, formal.table(A - A))
    assert all_enclose(B * "1/3", formal.table(A * "1/3"))
    assert all_enclose(B.entrywise_power(3), formal.table(A.entrywise_power(3)))
    assert all_enclose(B.transpose(), formal.table(A.transpose()))
    assert B.transpose().transpose() == B
    assert B.is_symmetric() == A.is_symmetric()
    if formal.det(a):
        assert all_enclose(B.solve(B), formal.table(Matrix.identity(shape[0], QQ)))
    for copy in (pickle.loads(pickle.dumps(B)), Matrix.from_json(B.to_json())):
        assert copy == B
        assert hash(copy) == hash(B)


@given(radius=st.integers(1, 2**30 - 1), scale=st.integers(-200, 200), middle=st.integers())
@quick
def test_balls_survive_unchanged(radius, scale, middle):
    """FLINT rounds every radius up when it is set; a matrix must not grow by being looked at."""
    with flint.ctx.workprec(300):
        ball = flint.arb(middle, flint.arb((radius, scale)))
    M = Matrix([[ball]], Balls(64))
    again = M[0, 0]
    assert again.mid() == ball.mid()
    assert again.rad() == ball.rad()
    assert Matrix([[again]], Balls(64)) == M


OPERATIONS = {
    "det": lambda M: M.det(),
    "rank": lambda M: M.rank(),
    "nullspace": lambda M: M.nullspace(),
    "solve": lambda M: M.solve([1, 1]),
    "charpoly": lambda M: M.charpoly(),
    "reduce": lambda M: M.reduce(7, dict.fromkeys(M.ring.variables, 1)),
}
MISSING = {
    **dict.fromkeys(POLYNOMIALS + EXPONENTIALS, ("solve", "charpoly")),
    **dict.fromkeys(SERIES, ("det", "nullspace", "solve", "charpoly")),
    Balls(64): ("rank", "nullspace", "charpoly", "reduce"),
}


@pytest.mark.parametrize(
    ("ring", "name"), [(r, n) for r, names in MISSING.items() for n in names], ids=repr
)
def test_what_does_not_exist_says_so(ring, name):
    M = Matrix([[1, 2], [3, 4]], ring)
    with pytest.raises(NotSupported, match="there is no"):
        OPERATIONS[name](M)
