#!/usr/bin/env python3
"""Check certificate files of symbench (format 2) with Python's standard library and nothing else.

    python check_certificate.py FILE...        (- reads standard input)

A certificate proves one sentence, its statement, about a matrix or a list of templates, and
checking it takes no search. This program reads strictly (one spelling of each number, exactly the
named keys, a digest of the whole), computes with Python's integers and fractions alone, derives
the statement itself and compares it with the one in the file. The docstring of each check says
why passing it proves the statement. Statements about templates rest on the theorems that are
printed beside them; their proofs are pages of symbench. Title, note, labels and "about" are
whatever the writer of the file says: nobody checks them.

Each file gets one line: "FILE: checked: statement", "FILE: re-run: ..." (only symbench can go
through those cases again) or "FILE: BAD: reason". The exit code is 0 if everything was checked,
1 if anything is bad, 2 if a file cannot be read, 3 if nothing is bad but something is re-run only.
"""

import argparse
import hashlib
import json
import re
import sys
from collections import Counter, namedtuple
from fractions import Fraction
from itertools import islice, pairwise, zip_longest
from math import gcd, inf, lcm, prod
from operator import add, mul

MAX_FILE, MAX_DOCUMENT = 2**30, 10**8  # bytes; a bundle has many documents
MAX_DIGITS, MAX_LENGTH = 10**7, 10**5  # digits of a document and of one number
MAX_SIZE, MAX_WORK = 10**7, 2 * 10**9  # rows; products of small integers (some minutes)
sys.set_int_max_str_digits(0)  # MAX_LENGTH does what Python's own limit is for

NUMBERS, EXACT = "ZZ QQ", "ZZ QQ GF polynomials exponentials"  # kinds of rings
INTEGER = re.compile(f"0|-?[1-9][0-9]{{0,{MAX_LENGTH - 1}}}")
ACTIVATIONS = ("erf", "exp", "gelu", "relu", "sigmoid", "sign", "step", "tanh")


class Bad(Exception):
    """The file is not a certificate, or does not prove its statement."""


class ReRun(Exception):
    """The file is well-formed, but only symbench can go through its cases again."""


def need(condition, reason, *values):
    """Give the file up unless the condition holds."""
    if not condition:
        raise Bad(reason.format(*(ascii(value)[:80] for value in values)))


def afford(products, bits):
    """Refuse work that would take more than some minutes, before it is begun."""
    need(products * (1 + (bits / 256) ** 2) < MAX_WORK, "too large: it would take too long")


# Where entries lie: numbers is the ring of the coefficients (its modulus, if it is GF), a point
# gives values to the variables, precision is that of series in terms or of balls in bits.
Ring = namedtuple(
    "Ring", "kind numbers modulus variables series precision", defaults=("", 0, (), "", 0)
)
Matrix = namedtuple("Matrix", "ring height width rows")
# Letters are numbers, tokens 0, 1, ... and wildcards -1, -2, ...; constant says that the activation
# is, one_end that all rows end in one and the same token.
Templates = namedtuple("Templates", "rows tokens kernel constant one_end name")


# Reading: what JSON gave goes in, values that need no further doubt come out.


def parse(data):
    """The JSON value of the bytes, without numbers, repeated keys and lone surrogates."""

    def number(text):
        need(False, "a JSON number, {}: numbers are strings", text)

    def pairs(found):
        need(len(dict(found)) == len(found), "an object has a key twice")
        return dict(found)

    digits = len(data) - len(data.translate(None, b"0123456789"))
    need(len(data) <= MAX_DOCUMENT and digits <= MAX_DIGITS, "too large: 100 MB or 10^7 digits")
    hooks = dict.fromkeys(("parse_int", "parse_float", "parse_constant"), number)
    try:
        value = json.loads(data.decode("utf-8"), object_pairs_hook=pairs, **hooks)
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except ValueError as error:
        raise Bad(f"not JSON in UTF-8: {str(error)!a:.80}") from None
    return value


def typed(value, kind, length=None):
    """The value, a str, list or dict, of the length if one is given."""
    need(isinstance(value, kind), "{} stands where a {} belongs", value, kind.__name__)
    need(length in (None, len(value)), "{} has {} items, not {}", value, len(value), length)
    return value


def keys(value, required, optional=""):
    """An object with all required keys and none but these and the optional ones."""
    missing = set(required.split()) - set(typed(value, dict))
    unknown = set(value) - set(required.split()) - set(optional.split())
    need(not missing and not unknown, "keys are missing: {}, or not known: {}", missing, unknown)
    return value


def strings(value, length=None):
    """A list of strings."""
    return [typed(text, str) for text in typed(value, list, length)]


def integer(text, low=-inf, high=inf):
    """An integer from low to high, in its one spelling."""
    if not INTEGER.fullmatch(typed(text, str)):
        need(len(text) <= MAX_LENGTH, "too large: a number of more than 10^5 digits")
        need(False, "{} is not the spelling of an integer", text)
    value = int(text)
    need(low <= value <= high, "{} is not from {} to {}", text, low, high)
    return value


def integers(value, length=None, low=-inf, high=inf):
    """A list of integers from low to high."""
    return [integer(text, low, high) for text in typed(value, list, length)]


def rational(text):
    """An integer, or p/q in lowest terms with q > 1."""
    top, slash, bottom = typed(text, str).partition("/")
    p, q = integer(top), integer(bottom, 2) if slash else 1
    need(gcd(p, q) == 1, "{} is not in lowest terms", text)
    return Fraction(p, q) if slash else p


def permutation(value, size):
    """The numbers from 0 to size - 1 in some order."""
    result = integers(value, size)
    need(sorted(result) == list(range(size)), "{} is not a permutation", value)
    return result


def prime(text, modulus=0):
    """A prime below 2^64 (these twelve bases of Miller's test decide there); over GF its own."""
    p = integer(text, 2, 2**64 - 1)
    bases = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)
    twos = (p - 1 & 1 - p).bit_length() - 1
    for base in bases if p not in bases else ():
        powers = [pow(base, (p - 1) >> k, p) for k in range(1, twos + 1)]
        need(p - 1 in powers or powers[-1:] == [1], "{} is not prime", p)
    need(modulus in (0, p), "the prime is {}, but the matrix is over GF({})", p, modulus)
    return p


def variable(text):
    """The name of a variable."""
    need(re.fullmatch("[A-Za-z_][A-Za-z_0-9]*", typed(text, str)), "{} is no variable", text)
    return text


def ring_of(value):
    """The ring that a file describes."""
    if value in ("ZZ", "QQ"):
        return Ring(value, value)
    if "GF" in typed(value, dict):
        return Ring("GF", "GF", prime(keys(value, "GF")["GF"]))
    if "exponentials" in value:
        q = variable(keys(value, "exponentials")["exponentials"])
        return Ring("exponentials", "QQ", variables=(q,))
    if "polynomials" in value:
        base = ring_of(keys(value, "polynomials variables")["polynomials"])
        names = tuple(map(variable, typed(value["variables"], list)))
        need(base.kind in ("ZZ", "QQ", "GF"), "the coefficients of polynomials are numbers")
        need(names and len(set(names)) == len(names), "variables are distinct, at least one")
        return base._replace(kind="polynomials", variables=names)
    if "series" in value:
        base = ring_of(keys(value, "series variable precision")["series"])
        b, precision = variable(value["variable"]), integer(value["precision"], 1, 10**4)
        need(base.kind in ("ZZ", "QQ", "GF", "polynomials"), "series have no such coefficients")
        need(b not in base.variables, "the base has the variable of the series")
        return base._replace(kind="series", series=b, precision=precision)
    return Ring("balls", precision=integer(keys(value, "balls")["balls"], 2, 10**7))


def entry(value, ring):
    """A number, {exponents: coefficient}, a list of coefficients, or (m, e, r, s) of a ball."""
    if ring.kind == "series":
        base = Ring("polynomials" if ring.variables else ring.numbers, *ring[1:4])
        return [entry(item, base) for item in typed(value, list, ring.precision)]
    if ring.kind == "balls":
        m, e, r, s = integers(value, 4)
        need(m % 2 or m == e == 0, "m of a ball is odd, or m = e = 0")
        need(0 <= r < 2**30 and (r % 2 or r == s == 0), "r is odd and below 2^30, or r = s = 0")
        need(max(abs(e), abs(s)) <= 2**20, "an exponent of a ball is beyond 2^20")
        return m, e, r, s
    if ring.variables:
        terms, laurent = [], ring.kind == "exponentials"
        for coefficient, power in (typed(term, list, 2) for term in typed(value, list)):
            limits = len(ring.variables), 0, 10**6
            powers = (rational(power),) if laurent else tuple(integers(power, *limits))
            terms.append((powers, entry(coefficient, Ring(ring.numbers, *ring[1:3]))))
        rising = all(a < b for (a, _), (b, _) in pairwise(terms if laurent else terms[::-1]))
        need(rising and all(c for _, c in terms), "terms are not in order, or a coefficient is 0")
        return dict(terms)
    if ring.kind == "QQ":
        return rational(value)
    return integer(value, 0, ring.modulus - 1) if ring.modulus else integer(value)


def columns(M):
    """The columns of a matrix."""
    return [[row[j] for row in M.rows] for j in range(M.width)]


def matrix(value, kinds=NUMBERS, shape=None):
    """A matrix over a ring of one of the kinds, of the shape if one is given."""
    ring = ring_of(keys(value, "ring shape rows")["ring"])
    height, width = integers(value["shape"], 2, 0, MAX_SIZE)
    need(ring.kind in kinds.split(), "a matrix is over {}, not {}", ring.kind, kinds)
    need(shape in (None, (height, width)), "shape {}, not {}", (height, width), shape)
    rows = [typed(row, list, width) for row in typed(value["rows"], list, height)]
    return Matrix(ring, height, width, [[entry(item, ring) for item in row] for row in rows])


def square(M, symmetric=False):
    """The size of a square matrix."""
    need(M.height == M.width, "the matrix is not square")
    need(not symmetric or M.rows == columns(M), "the matrix is not symmetric")
    return M.height


# Arithmetic.


def longest(numbers):
    """The bits of the longest numerator or denominator."""
    return max((max(abs(x.numerator), x.denominator) for x in numbers), default=0).bit_length()


def clear(vector):
    """The vector times its least common denominator, in integers, and that denominator."""
    common = 1
    for denominator in {x.denominator for x in vector}:
        common = lcm(common, denominator)
        afford(len(vector), common.bit_length())
    return [x.numerator * (common // x.denominator) for x in vector], common


def products(left, right):
    """The inner product of each vector on the left with each on the right."""
    us, vs = [clear(vector) for vector in left], [clear(vector) for vector in right]
    bits = max((longest(vector) for vector, _ in us + vs), default=0)
    afford(len(us) * sum(len(v) + 1 for v, _ in vs), bits)
    dots = ((d, [(sum(map(mul, u, v)), e) for v, e in vs]) for u, d in us)
    return [[Fraction(x, d * e) if d * e > 1 else x for x, e in row] for d, row in dots]


def dominant(rows):
    """Whether each diagonal entry exceeds the sum of the absolute values of the others."""
    whole = (clear(row)[0] for row in rows)
    return all(2 * row[i] > sum(map(abs, row)) for i, row in enumerate(whole))


def modulo(x, p):
    """The image of a number modulo p."""
    need(x.denominator % p, "{} divides a denominator", p)
    return x.numerator * pow(x.denominator, -1, p) % p


def images(M, p, point):
    """The image of a matrix modulo p at the point: a homomorphism, applied to each entry."""
    laurent, root, variables = M.ring.kind == "exponentials", 1, M.ring.variables
    if laurent:  # Laurent polynomials in q^(1/root), whose value the point gives
        need(point[variables[0]] % p, "the point is zero modulo {}", p)
        root = clear([e for row in M.rows for x in row for (e,) in x])[1]

    def image(x):
        if isinstance(x, list):
            return [image(coefficient) for coefficient in x]
        if not variables:
            return modulo(x, p)
        total = 0
        for powers, coefficient in x.items():
            if laurent:
                powers = [int(powers[0] * root) % (p - 1)]  # Fermat, as the value is not zero
            values = [pow(point[v], e, p) for v, e in zip(variables, powers, strict=True)]
            total += modulo(coefficient, p) * prod(values)
        return total % p

    return [[image(x) for x in row] for row in M.rows]


def determinant(rows, p):
    """The determinant modulo p, by elimination of the first column again and again."""
    afford(len(rows) ** 3 // 3, 64)
    rows, result = list(rows), 1
    while rows:
        k = next((k for k, row in enumerate(rows) if row[0]), None)
        if k is None:
            return 0
        lead, *pivot = rows.pop(k)
        result, inverse = result * lead * (-1) ** k % p, pow(lead, -1, p)
        for i, (first, *rest) in enumerate(rows):
            q = first * inverse % p
            rows[i] = [(x - q * y) % p for x, y in zip(rest, pivot, strict=True)]
    return result


def series_determinant(rows, p, n):
    """Order and leading coefficient of a determinant over GF(p)[b], entries known modulo b^n.

    The pivot is an entry of least order, so quotients are series and what is unknown stays beyond
    b^n. The determinant is the product of the pivots up to a factor 1 + higher orders.
    """
    afford(len(rows) ** 3 * n * (n + 18) // 6, 64)
    rows, total, lead = [list(row) for row in rows], 0, 1
    while rows:
        order = [[next((k for k, a in enumerate(x) if a), n) for x in row] for row in rows]
        low, i, j = min((o, i, j) for i, row in enumerate(order) for j, o in enumerate(row))
        need(low < n, "the determinant is zero as far as the series are known")
        pivot = rows.pop(i)
        first = pivot.pop(j)[low:]
        total, lead = total + low, lead * first[0] * (-1) ** (i + j) % p
        inverse = pow(first[0], -1, p)
        for row in rows:
            q = []
            for k, a in enumerate(row.pop(j)[low:]):
                q.append((a - sum(map(mul, q, first[k:0:-1]))) * inverse % p)
            q += [0] * low  # unknown, but they meet only zeros of the pivot's row
            for k, y in enumerate(pivot):
                row[k] = [(a - sum(map(mul, q, y[s::-1]))) % p for s, a in enumerate(row[k])]
    return total, lead


def null_space(M, value, width):
    """The rows of null, mapped into the ring of M, after M null = 0 was seen to hold there."""
    N, ring = matrix(value, f"{NUMBERS} {M.ring.kind}", (M.width, width)), M.ring
    rows, modulus, one = N.rows, ring.modulus, (0,) * len(ring.variables)
    if N.ring != ring:
        need(N.ring.kind == "ZZ" or (N.ring.kind == "QQ" and not modulus), "null has a wrong ring")
        whole = all(type(x) is int for row in rows for x in row)
        need(whole or ring.numbers == "QQ", "null has fractions, the matrix does not")
        rows = [[x % modulus if modulus else x for x in row] for row in rows]
        rows = [[{one: x} if x else {} for x in row] for row in rows] if one else rows
    right = [[row[k] for row in rows] for k in range(width)]
    if one:
        terms = [[sum(map(len, line)) for line in side] for side in (columns(M), rows)]
        numbers = (c for row in M.rows + rows for x in row for c in x.values())
        afford(100 * len(one) * sum(map(mul, *terms)), longest(numbers))
        values = [polynomial_product(row, column) for row in M.rows for column in right]
    else:
        values = products(M.rows, right)
    need(not any(x % modulus if modulus else x for row in values for x in row), "M null is not 0")
    return rows


def polynomial_product(row, column):
    """The coefficients of the inner product of two lists of polynomials or exponentials."""
    total = Counter()
    for x, y in zip(row, column, strict=True):
        for e, a in x.items():
            for f, b in y.items():
                total[tuple(map(add, e, f))] += a * b
    return total.values()


# The checks. Each takes the fields of the certificate and the subject, and returns the statement,
# the parameters for which it holds, and any theorems that lead from the check to the statement.


def residue_of(c, M):
    """Prime, residue and point of a certificate about M."""
    p, variables = prime(c["prime"], M.ring.modulus), M.ring.variables
    point = keys(c["point"], " ".join(variables))
    return p, integer(c["residue"], 1, p - 1), {v: integer(point[v]) for v in variables}


def inverse_modulo(c, M, rows):
    """If there is a modulus m: the inverse times the rows, denominators cleared, is 1 modulo m."""
    need(("modulus" in c) == ("inverse" in c), "modulus and inverse come together")
    if "modulus" in c:
        m, r = integer(c["modulus"], 2, 2**64 - 1), len(rows)
        A = matrix(c["inverse"], "ZZ", (r, r)).rows
        need(M.ring.kind in NUMBERS.split(), "an inverse modulo m is for matrices over ZZ and QQ")
        need(all(0 <= x < m for row in A for x in row), "the inverse is not reduced modulo m")
        cleared = [x % m for x in clear([row[j] for j in range(r) for row in rows])[0]]
        found = products(A, [cleared[r * j : r * j + r] for j in range(r)])
        for i, row in enumerate(found):
            unit = all((x - (i == j)) % m == 0 for j, x in enumerate(row))
            need(unit, "the inverse is not the inverse modulo m")


def nonsingular(c, M):
    """The image of the determinant under a homomorphism is not zero, so the determinant is not.

    For series the image has a term residue b^valuation. Coefficients beyond the precision do not
    reach it if valuation < precision, or if they have images too (numbers that are not QQ).
    """
    (p, residue, point), ring = residue_of(c, M), M.ring
    generic = ring.kind not in ("ZZ", "QQ", "GF")
    series, frame = ring.kind == "series", "frame" in c
    need(c["generic"] is generic, "generic is not what the ring says")
    need(frame == ("orders" in c) and (series or not frame), "frame and orders are for series")
    square(M)
    inverse_modulo(c, M, M.rows)
    if frame:
        found = framed(c, M, p, point)
    elif series:
        found = series_determinant(images(M, p, point), p, ring.precision)
        need(found[0] < ring.precision or ring.numbers != "QQ", "unknown terms may matter")
    else:
        found = 0, determinant(images(M, p, point), p)
    need(found == (integer(c["valuation"]), residue), "valuation and residue are {}", found)
    power = f" {ring.series}^{found[0]} + higher orders," if series else ""
    det = f"det{' of the combined rows' if frame else ''} = {residue}{power} modulo {p}"
    at = "".join(f", {v} = {c['point'][v]}" for v in sorted(point))
    scope = "for generic parameters" if generic else "at these parameters"
    return f"nonsingular {scope}: {det}{at}", "generic" if generic else "these"


def framed(c, M, p, point):
    """At the point row i of W M begins with N_i b^(d_i), so det (W M) with det N b^(sum of d).

    det N is not zero because its image modulo p is not, so det M is not zero.
    """
    ring, r, n, N = M.ring, M.height, M.ring.precision, []
    W, orders = matrix(c["frame"], "polynomials", (r, r)), integers(c["orders"], r, 0, n - 1)
    need(W.ring == Ring("polynomials", "QQ", 0, (ring.series,)), "the ring of frame is wrong")
    need(ring.numbers == "QQ", "a frame is for series over the rationals")

    def value(x):
        if not ring.variables:
            return x
        for powers in x:
            afford(1, sum(e * longest([v]) for v, e in zip(point.values(), powers, strict=True)))
        return sum(a * prod(map(pow, point.values(), powers)) for powers, a in x.items())

    known = [clear([value(x) for row in M.rows for x in row[j]]) for j in range(r)]
    bits = max((longest(column) for column, _ in known), default=0)
    for row, d in zip(W.rows, orders, strict=True):
        places = [(n * k - e, e) for k, x in enumerate(row) for (e,) in x]
        factors, common = clear([a for x in row for a in x.values()])
        afford(10 * r * len(places) * (d + 1), bits + longest(factors))
        terms, line = list(zip(factors, places, strict=True)), []
        for column, denominator in known:
            sums = [sum(a * column[k + s] for a, (k, e) in terms if e <= s) for s in range(d + 1)]
            need(not any(sums[:-1]), "a combined row has a term below its order")
            line.append(modulo(Fraction(sums[-1], common * denominator), p))
        N.append(line)
    return sum(orders), determinant(N, p)


def nonsingular_balls(c, M):
    """|1 - A M| < 1 in the row-sum norm for every M in the balls, so A M has no null vector."""
    r, balls = square(M), [ball for row in M.rows for ball in row]
    need(integer(c["bits"]) == M.ring.precision, "bits are not those of the ring")
    A = matrix(c["inverse"], "QQ", (r, r)).rows
    low = min((min(e, s) for _, e, _, s in balls), default=0)  # 2^-low times the balls is whole
    afford(r * r, max((max(e, s) for _, e, _, s in balls), default=0) - low)
    middles = [[m << (e - low) for m, e, _, _ in column] for column in columns(M)]
    radii = [[t << (s - low) for _, _, t, s in column] for column in columns(M)]
    spread = products([[abs(x) for x in row] for row in A], radii)
    for i, row in enumerate(products(A, middles)):
        error = sum(abs((i == j) * Fraction(2) ** -low - x) for j, x in enumerate(row))
        need(error + sum(spread[i]) < Fraction(2) ** -low, "row {} is too far from 1", i)
    return "nonsingular: an approximate inverse serves every matrix in the balls", "these"


def singular(c, M):
    """A vector that is not zero is annihilated by a matrix over a domain."""
    if isinstance(M, Templates):
        return singular_templates(c, M)
    square(M)
    n = sum(bool(x) for (x,) in null_space(M, c["null"], 1))
    need(n, "null is zero")
    scope = "generic" if M.ring.variables else "these"
    return f"singular: a null vector with {n} nonzero entries", scope


def rank(c, M):
    """A minor is not zero, as its image is not, and there are null vectors for the other columns.

    They are independent: at the places of these columns, each has one entry that is not zero.
    """
    r, (p, residue, point) = integer(c["rank"], 0), residue_of(c, M)
    down = integers(c["rows"], r, 0, M.height - 1)
    across = integers(c["columns"], r, 0, M.width - 1)
    need(len(set(down)) == len(set(across)) == r, "a row or column is named twice")
    N = images(M, p, point)
    need(determinant([[N[i][j] for j in across] for i in down], p) == residue, "another minor")
    inverse_modulo(c, M, [[M.rows[i][j] for j in across] for i in down])
    null = null_space(M, c["null"], M.width - r)
    free = (row for j, row in enumerate(null) if j not in set(across))
    own = all(bool(x) == (j == k) for k, row in enumerate(free) for j, x in enumerate(row))
    need(own, "the null vectors are not told apart by the other columns")
    scope = "generic" if M.ring.variables else "these"
    return f"rank {r}: a nonzero minor modulo {p} and a null space basis", scope


def positive_definite(c, M):
    """F^T M F is positive definite, as it is dominant; then F is invertible and M is definite too.

    Or: scale M is the positive semidefinite G^T G and a dominant, so definite, matrix; scale > 0.
    """
    r, text = square(M, symmetric=True), "a congruent matrix is strictly diagonally dominant"
    need("factor" in c or "gram" in c, "there is neither factor nor gram")
    need(("scale" in c) == ("gram" in c), "scale and gram come together")
    if "factor" in c:
        F = columns(matrix(c["factor"], NUMBERS, (r, r)))
        need(dominant(products(F, products(F, M.rows))), "F^T M F is not dominant")
    if "gram" in c:
        scale, G = integer(c["scale"], 1), matrix(c["gram"], "ZZ")
        need(G.width == r, "gram has another number of columns")
        gram = products(columns(G), columns(G))
        rest = [[scale * x - gram[i][j] for j, x in enumerate(row)] for i, row in enumerate(M.rows)]
        need(dominant(rest), "scale M - G^T G is not dominant")
    if "factor" not in c:
        text = "a multiple is a Gram matrix plus a strictly diagonally dominant one"
    return f"positive definite: {text}", "these"


def not_positive_definite(c, M):
    """The vector contradicts the definition."""
    (v,) = columns(matrix(c["direction"], NUMBERS, (square(M, symmetric=True), 1)))
    need(any(v) and products([v], products([v], M.rows))[0][0] <= 0, "v = 0, or v^T M v > 0")
    return "not positive definite: a vector v with v^T M v <= 0", "these"


def slacks(c, M):
    """Size and u_i + v_j - M_ij >= 0: the sum along a permutation is at most sum(u) + sum(v)."""
    r = square(M)
    (u,), (v,) = (matrix(c[side], NUMBERS, (1, r)).rows for side in ("rows", "columns"))
    afford(20 * r * r, longest([*u, *v]))
    result = [[u[i] + v[j] - x for j, x in enumerate(row)] for i, row in enumerate(M.rows)]
    need(all(x >= 0 for row in result for x in row), "a slack is negative")
    return r, result


def unique_assignment(c, M):
    """The assignment reaches the bound; another one would follow zero slacks round a cycle of rows.

    But each zero slack beside the assignment leads to a row that is later in the order.
    """
    r, slack = slacks(c, M)
    assignment, order = permutation(c["assignment"], r), permutation(c["order"], r)
    time = {assignment[i]: k for k, i in enumerate(order)}
    need(not any(slack[i][j] for i, j in enumerate(assignment)), "the bound is not reached")
    later = all(x or time[j] >= k for k, i in enumerate(order) for j, x in enumerate(slack[i]))
    need(later, "a zero slack leads back in the order")
    which = "identity" if assignment == sorted(assignment) else "one"
    return f"unique maximum: the {which} permutation beats every other", "these"


def tied_assignment(c, M):
    """Two different permutations reach the bound that none exceeds."""
    r, slack = slacks(c, M)
    first, second = permutation(c["first"], r), permutation(c["second"], r)
    reached = not any(slack[i][j] for way in (first, second) for i, j in enumerate(way))
    need(reached and first != second, "one permutation twice, or a bound that is not reached")
    return "no unique maximum: two permutations reach it", "these"


def block_form(c, M):
    """B is invertible, as its determinant modulo p is not zero, and M B = B D: D = B^-1 M B."""
    r, p, D, start, shapes = square(M), prime(c["prime"]), {}, 0, []
    B = matrix(c["basis"], NUMBERS, (r, r))
    repeats = integers(c["repeats"], len(typed(c["blocks"], list)), 1)
    for block, t in zip(map(matrix, c["blocks"]), repeats, strict=True):
        size = square(block)
        need(size and start + size * t <= r, "a block of size zero, or too many")
        for i, row in enumerate(block.rows):
            for j, x in enumerate(row):
                D |= {(start + i * t + u, start + j * t + u): x for u in range(t)}
        start += size * t
        shapes.append(f"{size} x {size} ({t} {'time' if t == 1 else 'times'})")
    need(start == r, "the blocks do not fill the matrix")
    found = determinant([[modulo(x, p) for x in row] for row in B.rows], p)
    need(found == integer(c["residue"], 1, p - 1), "the determinant of the basis is {}", found)
    right = [[D.get((i, j), 0) for i in range(r)] for j in range(r)]
    need(products(M.rows, columns(B)) == products(B.rows, right), "M B is not B D")
    return f"block diagonal in a basis: {', '.join(shapes)}", "these"


def trace_bound(c, M):
    """The characteristic polynomial P has real roots alone, as many as Sturm's chain counts.

    So Descartes' rule is exact: P(t + bound) has a change of sign for each root above the bound.
    """
    n = square(M)
    place, dimension = integer(c["place"], 1, n), integer(c["dimension"], 1)
    bound = rational(c["trace"]) / Fraction(place * dimension)
    *whole, shift = clear([x for row in M.rows for x in row] + [bound])[0]  # all times one number
    A, P, power = [whole[n * i : n * i + n] for i in range(n)], [1], [[0] * n for _ in range(n)]
    afford(n**4 + n**2, n * longest([*whole, shift]))
    for k in range(1, n + 1):  # Faddeev and LeVerrier: coefficients of P, highest first
        power = [[x + (i == j) * P[-1] for j, x in enumerate(row)] for i, row in enumerate(power)]
        power = products(A, list(zip(*power, strict=True)))
        P.append(-sum(power[i][i] for i in range(n)) // k)
    afford(n**2, n * longest(P))
    chain = [P, [x * (n - k) for k, x in enumerate(P[:-1])]]
    while rest := remainder(*chain[-2:]):
        chain.append([-x for x in rest])
    low, high = ([f[0] * sign ** (len(f) - 1) for f in chain] for sign in (-1, 1))
    need(changes(low) - changes(high) == n + 1 - len(chain[-1]), "not all roots are real")
    for k in range(n, 0, -1):
        for i in range(1, k + 1):
            P[i] += shift * P[i - 1]
    need(changes(P) < place, "too many eigenvalues exceed the bound")
    ratio = f"{bound} = {c['trace']} / ({place} * {dimension})"
    return f"eigenvalue {place} of the block is at most {ratio}", "these"


def changes(numbers):
    """The changes of sign, zeros left out."""
    return sum((a < 0) != (b < 0) for a, b in pairwise(x for x in numbers if x))


def remainder(f, g):
    """A positive multiple of the remainder of f by g, highest coefficient first, [] for zero."""
    while len(f) >= len(g):
        f = [g[0] ** 2 * x - g[0] * f[0] * y for x, y in zip_longest(f, g, fillvalue=0)][1:]
        common = gcd(*f) or 1
        f = [x // common for x in f]
    while f and not f[0]:
        f = f[1:]
    return f


def stage(c, M):
    """M_ii + M_jj - 2 M_ij, the squared distance of two features, is zero just in equal groups."""
    r = square(M, symmetric=True)
    before, after = integers(c["before"], r), integers(c["after"], r)
    afford(20 * r * r, longest(x for row in M.rows for x in row))
    for i in range(r):
        for j in range(i):
            gap, same = M.rows[i][i] + M.rows[j][j] - 2 * M.rows[i][j], after[i] == after[j]
            fits = gap >= 0 and (gap == 0) == same if before[i] == before[j] else not same
            need(fits, "templates {} and {} are not in the groups that the matrix gives", j, i)
    groups = f"{len(set(before))} groups of templates into {len(set(after))}"
    return f"separates {groups}", "these"


def head_computes(c, M):
    """Scores r = M key are 1 on the first s rows; a weight is the base to the power d (r - 1).

    One more token has score and value zero. The output minus the mean is linear in the signs: its
    largest value is the sum of the absolute values of its coefficients, 1 - s/Z + (others)/Z.
    """
    s, d = integer(c["sparsity"], 1), integer(c["denominator"], 1)
    counts, base = integers(c["counts"], low=1), rational(c["base"])
    need(M.height == s + len(counts), "there are not {} + {} rows", s, len(counts))
    need(integer(c["length"]) == s + sum(counts), "the counts do not add up to the length")
    need(base > 0, "the base is not positive")
    key = columns(matrix(c["key"], NUMBERS, (M.width, 1)))
    scores = [x for (x,) in products(M.rows, key)]
    need(all(x == 1 for x in scores[:s]), "a score is not 1")
    powers = [d * (x - 1) for x in scores[s:]] + [-d]
    need(all(x.denominator == 1 for x in powers), "a power is not whole")
    most = max(map(abs, powers))
    need(most * longest([base]) <= 2**20, "too large: a power is too long")
    afford(20 * len(powers), int(most) * longest([base]) + longest(counts))
    *others, last = [
        n * Fraction(base) ** int(x) for n, x in zip([*counts, 1], powers, strict=True)
    ]
    off = sum(others)
    found = (2 * off + last) / (s + off + last)
    need(found == rational(c["error"]), "the error is {}", str(found))
    mean = f"the mean of {s} of {c['length']} signs"
    text = f"a head of attention computes {mean} with error at most {c['error']}, attained"
    return text, "these"


def equivariant_training(c, M):
    """Every network is trained, and compared with the one that starts with permuted columns.

    The permutation fixes all samples and takes one test to the other, and the list of starts does
    not change under it: so equal outputs, pair by pair, are equal laws over the list.
    """
    size, perm = M.width - 1, permutation(c["permutation"], M.width - 1)
    sizes = [size, *integers(c["widths"], low=1, high=MAX_SIZE), 1]
    shapes = list(pairwise(sizes))
    count, batch = sum(a * b for a, b in shapes), integer(c["batch"], 1)
    need(size > 0 and M.height % batch == 0, "no inputs, or not a whole number of batches")
    tests, starts = matrix(c["tests"], NUMBERS, (2, M.width)).rows, matrix(c["starts"])
    need(starts.height > 0 and starts.width == count, "a start has not {} weights", count)
    phi = None
    if "activation" in c:
        found = matrix(c["activation"])
        need(found.height == 1 and 0 < found.width <= 16, "an activation has 1 to 16 coefficients")
        phi = found.rows[0]
    rate, momentum, decay = (rational(c[key]) for key in ("rate", "momentum", "decay"))
    bits, products = 2**12, 20 * starts.height * (M.height + 2) * count * len(phi or [1])
    afford(products, bits)

    def moved(row):
        found = list(row)
        for j, image in enumerate(perm):
            found[image] = row[j]
        return found

    def columns_moved(start):
        first = [x for n in range(sizes[1]) for x in moved(start[n * size : (n + 1) * size])]
        return tuple(first) + tuple(start[size * sizes[1] :])

    def value(z):
        """The activation and its derivative."""
        if phi is None:
            return max(z, 0), int(z > 0)
        powers = [z**n for n in range(len(phi))]
        slope = sum(n * x * powers[n - 1] for n, x in enumerate(phi) if n)
        return sum(map(mul, phi, powers)), slope

    def run(w, row):
        """The output at the row's input, and the derivatives of its squared error."""
        x, at, kept = row[:-1], 0, []
        for before, after in shapes:
            rows = [w[at + i * before : at + (i + 1) * before] for i in range(after)]
            at += before * after
            z = [sum(map(mul, line, x)) for line in rows]
            need(longest(z) <= bits, "too large: a number is too long")
            kept.append((rows, x, [value(a) for a in z]))
            x = [a for a, _ in kept[-1][2]]
        back, slopes = [2 * (z[0] - row[-1])], []
        for n in range(len(kept) - 1, -1, -1):
            rows, x, _ = kept[n]
            slopes = [d * a for d in back for a in x] + slopes
            if n:
                through = [sum(map(mul, back, column)) for column in zip(*rows, strict=True)]
                back = [d * slope for d, (_, slope) in zip(through, kept[n - 1][2], strict=True)]
        return z[0], slopes

    def trained(start):
        w, speeds = [Fraction(x) for x in start], [Fraction(0)] * count
        for n in range(0, M.height, batch):
            found = [run(w, row)[1] for row in M.rows[n : n + batch]]
            for j, slopes in enumerate(zip(*found, strict=True)):
                speeds[j] = momentum * speeds[j] + sum(slopes) / batch + decay * w[j]
            w = [x - rate * speed for x, speed in zip(w, speeds, strict=True)]
            need(longest(w) <= bits, "too large: a number is too long")
        return [run(w, row)[0] for row in tests]

    need(all(moved(row) == row for row in M.rows), "a sample is moved")
    need(moved(tests[0])[:-1] == tests[1][:-1], "the first test is not moved to the second")
    rows = [tuple(row) for row in starts.rows]
    images = [columns_moved(row) for row in rows]
    need(Counter(rows) == Counter(images), "the starts are not a union of orbits")
    outputs = {row: trained(row) for row in set(rows)}
    for row, image in zip(rows, images, strict=True):
        need(outputs[row][0] == outputs[image][1], "the outputs at the two tests differ")
    found = max(
        Fraction(sum((outputs[row][i] - tests[i][-1]) ** 2 for row in rows), len(rows))
        for i in (0, 1)
    )
    need(found == rational(c["error"]), "the error is {}", str(found))
    least = Fraction((tests[0][-1] - tests[1][-1]) ** 2, 4)
    text = f"have the same law over {len(rows)} trained networks"
    errors = f"one of the two expected squared errors is {c['error']}, at least {least}"
    return f"the outputs at two inputs {text}: {errors}", "these"


def ridge_prediction(c, M):
    """The weights a solve (K + ridge) a = k(x), and the labels times them are the prediction.

    K of two strings is the entry of M at their patterns, but for equal strings and for those that
    meet; the string number n is the new one. If (K + ridge) c = y, then c . k(x) = y . a.
    """
    n, r = len(typed(c["patterns"], list)), M.height
    need(n > 0, "there are no strings")
    need(M.width == r and columns(M) == [list(row) for row in M.rows], "M is not symmetric")
    patterns, ridge = integers(c["patterns"], low=0, high=r - 1), rational(c["ridge"])
    need(ridge >= 0, "the ridge is negative")
    (own,), (column,) = (columns(matrix(c[key], NUMBERS, (r, 1))) for key in ("own", "column"))
    (y,), (a,) = (columns(matrix(c[key], NUMBERS, (n, 1))) for key in ("labels", "weights"))
    met = matrix(c["meetings"], NUMBERS).rows if "meetings" in c else []
    need(all(len(row) == 3 for row in met), "a meeting is not three numbers")
    pairs = [(i, j) for i, j, _ in met]
    need(all(i.denominator == j.denominator == 1 for i, j in pairs), "a place is not whole")
    need(all(0 <= i < j <= n for i, j in pairs), "a place is not one of a pair")
    need(all(one < two for one, two in pairwise(pairs)), "the meetings are not in order")
    known = [*own, *column, *a, *(x for row in M.rows for x in row), *(x for _, _, x in met)]
    afford(20 * (r * r + 4 * n + 4 * len(met)), 2 * n.bit_length() + 4 * longest([*known, ridge]))
    sums = [0] * r
    for p, x in zip(patterns, a, strict=True):
        sums[p] += x
    found = [sum(map(mul, row, sums)) for row in M.rows]
    left = [found[p] + (ridge + own[p] - M.rows[p][p]) * x - column[p]
            for p, x in zip(patterns, a, strict=True)]  # fmt: skip
    for i, j, value in met:
        i, j = int(i), int(j)
        if j == n:
            left[i] -= value - column[patterns[i]]
        else:
            more = value - M.rows[patterns[i]][patterns[j]]
            left[i] += more * a[j]
            left[j] += more * a[i]
    need(not any(left), "the weights do not solve the system")
    value = sum(map(mul, y, a))
    need(value == rational(c["prediction"]), "the prediction is {}", str(value))
    text = f"ridge regression on {n} strings with {r} patterns and ridge {c['ridge']}"
    return f"{text} predicts {c['prediction']}", "these"


def softmax(T, at_zero):
    """Whether this is softmax attention, beta != 0, gamma = 0 or not, no constant activation."""
    k = T.kernel or {"normalised": False}
    fits = k["normalised"] and k["beta"] != "0" and not T.constant
    return fits and (k["gamma"] == "0") == at_zero


def templates(value):
    """The templates that a file describes."""
    keys(value, "tokens wildcards rows labels kernel")
    rows = [strings(row) for row in typed(value["rows"], list)]
    need(rows and rows[0], "there are no templates, or empty ones")
    need(len(set(map(len, rows))) == 1, "templates have different lengths")
    tokens, wildcards = strings(value["tokens"]), strings(value["wildcards"])
    number = {x: i for i, x in enumerate(tokens)} | {x: -1 - i for i, x in enumerate(wildcards)}
    letters = list(dict.fromkeys(x for row in rows for x in row))
    need(all(letters) and set(letters) == set(number), "letters are empty, missing or superfluous")
    listed = [x for x in letters if number[x] >= 0] + [x for x in letters if number[x] < 0]
    need(listed == tokens + wildcards, "letters are not listed once, in the order of appearance")
    if value["labels"] is not None:
        strings(value["labels"], len(rows))
    rows, constant = [tuple(number[x] for x in row) for row in rows], False
    name = "every token-symmetric kernel"
    if (kernel := value["kernel"]) is not None:
        keys(kernel, "beta gamma normalised scale activation")
        for text in (kernel["beta"], kernel["gamma"]):
            rational("1" if text is None else text)
        need(kernel["normalised"] in (True, False), "normalised is true or false")
        need(kernel["scale"] in ("main", "appendix-H"), "the scale is not known")
        name = "softmax attention" if kernel["normalised"] else "attention without normalisation"
        name += "" if kernel["scale"] == "main" else " (23)"
        if kernel["activation"] is not None:
            constant = is_constant(kernel["activation"])
            name = f"{kernel['activation'][0]} over {name}"
    one_end = rows[0][-1] >= 0 and len({row[-1] for row in rows}) == 1
    return Templates(rows, len(tokens), kernel, constant, one_end, f"K_tau of {name}")


def is_constant(activation):
    """Whether the activation, one of those that are known, is constant."""
    name, *rest = strings(activation) or [""]
    if name == "polynomial" and rest:
        return not any([rational(text) for text in rest][1:])
    if name == "cos" and len(rest) == 2:
        return rational(rest[0]) == 0
    need(name in ACTIVATIONS and not rest, "the activation {} is not known", activation)
    return False


def canonical(row):
    """The row with its wildcards renamed in the order of appearance: one for equivalent rows."""
    names = {}
    return tuple(x if x >= 0 else names.setdefault(x, -1 - len(names)) for x in row)


def type_of(row):
    """How often each token occurs, and the sizes of the blocks of wildcards."""
    counts = Counter(row)
    tokens = tuple(sorted((x, n) for x, n in counts.items() if x >= 0))
    return tokens, tuple(sorted(n for x, n in counts.items() if x < 0))


def view(T, row):
    """The row without what the kernel does not see."""
    k = T.kernel
    if T.constant:
        return (-1,) * len(row)
    if k is None or (k["activation"] and not k["normalised"]):
        return canonical(row)
    if not k["normalised"]:  # the weight of a place depends on its own letter alone
        row = [x if x >= 0 else -1 - place for place, x in enumerate(row)]
    row = canonical(row)
    if k["gamma"] == "0":  # there are no positions, but (23) knows the last letter
        end, counts = len(row) - (k["scale"] != "main"), Counter(row)
        front = sorted(row[:end], key=lambda x: (x < 0, -counts[x], abs(x)))
        row = canonical([*front, *row[end:]])
    return row


def diagram(a, b):
    """The letters of two rows, numbered as they appear; tokens are shared, wildcards are not."""
    names = {}
    letters = [*a, *((x, "second") if x < 0 else x for x in b)]
    return tuple(names.setdefault(x, len(names)) for x in letters)


def singular_templates(c, T):
    """Entries of K_tau with one name are equal, and in each row null adds up to zero name by name.

    A name is the pattern of equal letters of two rows as the kernel sees them, up to exchange; or,
    by the theorem at gamma = 0, a pair of types (the entry is zero if they share no token).
    """
    k, null, weights = T.kernel, matrix(c["null"], NUMBERS, (len(T.rows), 1)).rows, Counter()
    types = softmax(T, at_zero=True) and not k["activation"] and (k["scale"] == "main" or T.one_end)
    for row, (x,) in zip(T.rows, null, strict=True):
        weights[type_of(row) if types else view(T, row)] += x
    right = [(b, x) for b, x in weights.items() if x]
    afford(40 * len(weights) * len(right) * len(T.rows[0]), longest(x for (x,) in null))
    for a in weights:
        sums = Counter()
        for b, x in right:
            if not types:
                sums[min(diagram(a, b), diagram(b, a))] += x
            elif {t for t, _ in a[0]} & {t for t, _ in b[0]}:
                sums[min(a, b), max(a, b)] += x
        need(not any(sums.values()), "the matrix does not annihilate null")
    n, theorems = sum(x != 0 for (x,) in null), []
    need(n, "null is zero")
    statement = f"{T.name} is singular: a null vector with {n} nonzero entries"
    if k is None:
        return statement, "every"
    if not k["normalised"] and not k["activation"]:
        theorems = ["normalisation-needed"]
    elif k["normalised"] and k["gamma"] == "0" and not T.constant:
        theorems = ["gamma-zero-rank" if T.one_end else "no-cls-types"]
    beta, gamma = ("any" if k[x] is None else f"= {k[x]}" for x in ("beta", "gamma"))
    return statement, f"beta {beta}, gamma {gamma}", theorems


def exponent(row, xi, y):
    """The exponent of a template at a point."""
    sums = Counter()
    for letter, x in zip(row, xi, strict=True):
        sums[letter] += x
    return sum(2 * y[letter] * x if letter >= 0 else x * x for letter, x in sums.items())


def separated(T, rows, c):
    """The point (xi, y) tells the rows apart as far as the theorems ask for it.

    Rows of one letter have exponent 0, and their tokens tell them apart. In (23) rows that end in
    different tokens, or in a token and a wildcard, are apart anyway.
    """
    xi, y = integers(c["xi"], len(rows[0])), integers(c["y"], T.tokens)
    afford(10 * len(rows) * len(xi), longest([*xi, *y]))
    plain = [tuple(max(x, -1) for x in row) for row in rows]  # all wildcards count as one
    if T.kernel is None or T.kernel["scale"] == "main":
        single = [max(row[0], -1) for row in rows if len(set(row)) == 1]
        marks = [exponent(row, xi, y) for row in rows if len(set(row)) > 1] + [0] * bool(single)
        need(len(set(single)) == len(single), "two templates of one letter are equivalent")
    else:
        layouts = {row for row in plain if row[-1] < 0}
        places = {sum(y[t] * x for t, x in zip(row, xi, strict=True) if t >= 0) for row in layouts}
        need(len(places) == len(layouts), "two layouts of tokens are not told apart")
        ends = [row if row[-1] < 0 else row[-1] for row in plain]
        marks = [(end, exponent(row, xi, y)) for end, row in zip(ends, rows, strict=True)]
    need(sum(xi) == 0 and len(set(marks)) == len(marks), "the point does not tell all rows apart")


def definite(T):
    """The theorems that lead from exponents to positive definiteness, and the parameters.

    A determinant that is not zero for softmax attention is not zero as a polynomial in the values.
    """
    if T.kernel is None:
        return ["positive-definite" if T.one_end else "no-cls"], "generic"
    need(softmax(T, at_zero=False), "this needs softmax attention with beta, gamma != 0")
    first = "positive-definite" if T.one_end and T.kernel["scale"] == "main" else "no-cls"
    above = ["every-activation"] if T.kernel["activation"] else []
    return [first, *above], "every beta, gamma != 0"


def one_point(c, T):
    """By the theorem a null vector v has sum v_i q^(t e_i) = 0 for all t > 0, q = exp(-beta^2/2).

    Distinct exponents e_i make this a Vandermonde system, so v = 0.
    """
    theorems, parameters = definite(T)
    separated(T, T.rows, c)
    proved = f"is positive definite for {parameters}"
    text = proved if T.kernel else "with generic values is nonsingular"
    return f"{T.name} {text}: distinct exponents at one point", parameters, theorems


def modular_points(c, T):
    """By the theorem a null vector of K_tau is one of [q^(e_ij)], templates j at points i.

    Its determinant is a Laurent polynomial in q, not zero since it is not modulo p at q = base; so
    it does not vanish at q = exp(-beta^2/2), which is transcendental (Lindemann).
    """
    (theorems, _), p, r, k = definite(T), prime(c["prime"]), len(T.rows), len(T.rows[0])
    need(T.kernel, "modular points are for softmax attention")
    base, points = integer(c["base"]), matrix(c["points"], "ZZ", (r, k + T.tokens)).rows
    need(T.kernel["scale"] == "main" and base % p, "scale is not main, or base is zero modulo p")
    need(not any(sum(row[:k]) for row in points), "the sum of xi is not zero")
    afford(r**3 // 3 + 20 * r * r * k, longest(x for row in points for x in row))
    found = [[exponent(row, point[:k], point[k:]) for row in T.rows] for point in points]
    det = determinant([[pow(base, e % (p - 1), p) for e in row] for row in found], p)
    need(det == integer(c["residue"], 1, p - 1), "the determinant is {}", det)
    parameters = "gamma != 0, algebraic beta^2 != 0"
    return f"{T.name} is nonsingular for {parameters}: det != 0 mod {p}", parameters, theorems


def template_rank(c, T):
    """Equivalent templates have equal rows in K_tau; one of each gives a definite matrix."""
    theorems, parameters = definite(T)
    rows = list(dict.fromkeys(map(canonical, T.rows)))
    r = len(rows)
    need(r == integer(c["rank"]), "there are {} inequivalent templates", r)
    separated(T, rows, c)
    text = f"has rank {r} for {parameters}" if T.kernel else f"with generic values has rank {r}"
    return f"{T.name} {text}: as many inequivalent templates", parameters, theorems


def type_rank(c, T):
    """By the theorem the rank at gamma = 0 is the number of types with a token."""
    need(softmax(T, at_zero=True), "this needs softmax attention with beta != 0, gamma = 0")
    need(T.kernel["scale"] == "main" or T.one_end, "(23) needs one last token for all")
    types = [type_of(row) for row in T.rows if max(row) >= 0]
    need(len(types) == len(T.rows) or not T.kernel["activation"], "a template has no token")
    r, first = len(set(types)), "gamma-zero-rank" if T.one_end else "no-cls-types"
    theorems = [first, "every-activation"] if T.kernel["activation"] else [first]
    need(r == integer(c["rank"]), "there are {} types with a token", r)
    text = f"has rank {r} at gamma = 0 for every beta != 0: as many types with a token"
    return f"{T.name} {text}", "gamma = 0, every beta != 0", theorems


# fmt: off
DERIVED = ("statement", "parameters", "theorems", "exactness")
KINDS = {  # the check, rings of the matrix (or templates), fields, optional fields
    "nonsingular": (nonsingular, f"{EXACT} series", "prime point residue valuation generic",
                    "modulus inverse frame orders"),
    "nonsingular-balls": (nonsingular_balls, "balls", "bits inverse", ""),
    "singular": (singular, f"{EXACT} templates", "null", ""),
    "rank": (rank, EXACT, "rank rows columns prime point residue null", "modulus inverse"),
    "positive-definite": (positive_definite, NUMBERS, "", "factor scale gram"),
    "not-positive-definite": (not_positive_definite, NUMBERS, "direction", ""),
    "unique-assignment": (unique_assignment, NUMBERS, "assignment order rows columns", ""),
    "tied-assignment": (tied_assignment, NUMBERS, "first second rows columns", ""),
    "block-form": (block_form, NUMBERS, "basis blocks repeats prime residue", ""),
    "trace-bound": (trace_bound, NUMBERS, "place dimension trace", ""),
    "stage": (stage, NUMBERS, "before after", ""),
    "one-point": (one_point, "templates", "xi y", ""),
    "modular-points": (modular_points, "templates", "prime base points residue", ""),
    "template-rank": (template_rank, "templates", "rank xi y", ""),
    "type-rank": (type_rank, "templates", "rank", ""),
    "head-computes": (head_computes, NUMBERS,
                      "sparsity length key denominator base counts error", ""),
    "equivariant-training": (equivariant_training, NUMBERS,
                             "permutation tests widths starts rate momentum decay batch error",
                             "activation"),
    "ridge-prediction": (ridge_prediction, NUMBERS,
                         "patterns own column ridge labels weights prediction", "meetings"),
    "exhausted": (None, "", "claim parameters count digest", ""),
    "counterexample": (None, "", "claim case reason", ""),
}
# fmt: on


def derive(kind, certificate, subject):
    """Check, and derive what a document must say of it: statement, parameters and so on."""
    need(typed(kind, str) in KINDS, "{} is no kind of certificate", kind)
    check, rings, required, optional = KINDS[kind]
    keys(certificate, required, optional)
    if check is None:
        strings([certificate["claim"], keys(subject, "claim")["claim"]])
        raise ReRun(f"{kind}: only symbench can go through its cases again")
    if keys(subject, "type data")["type"] == "Templates" and "templates" in rings:
        found = check(certificate, templates(subject["data"]))
    else:
        need(subject["type"] == "Matrix", "{} is a wrong type of subject", subject["type"])
        found = check(certificate, matrix(subject["data"], rings))
    pages = {"no-cls-types": "no-cls"}  # the others have a page of their own name
    theorems = [{"claim": f"symbench.{name}", "page": f"proofs/symbench/{pages.get(name, name)}.md"}
                for names in found[2:] for name in names]  # fmt: skip
    exactness = "ball" if kind == "nonsingular-balls" else "exact"
    return dict(zip(DERIVED, (*found[:2], theorems, exactness), strict=True))


def verdict(value):
    """The statement of a document and the theorems it rests on; raises Bad or ReRun."""
    need(typed(value, dict).get("format") == "symbench certificate 2", "no certificate, format 2")
    keys(value, "format writer kind title note about certificate subject digest statement "
                "parameters theorems exactness")  # fmt: skip
    content = {key: item for key, item in value.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    need(hashlib.sha256(text.encode()).hexdigest() == value["digest"], "the digest does not fit")
    texts = ("writer", "kind", "title", "note", "statement", "parameters", "exactness")
    strings([value[key] for key in texts] + list(typed(value["about"], dict).values()))
    need(value["writer"].startswith("symbench "), "the writer is {}", value["writer"])
    for theorem in typed(value["theorems"], list):
        strings(list(keys(theorem, "claim page").values()))
    found = derive(value["kind"], value["certificate"], value["subject"])
    for key in DERIVED:
        need(value[key] == found[key], "{} is not what was checked, {}", key, found[key])
    return found["statement"], found["theorems"]


def check_document(data):
    """The statement that a file (its bytes) proves; raises Bad or ReRun."""
    try:
        return verdict(parse(data))[0]
    except (RecursionError, MemoryError):
        raise Bad("too large, or nested too deep") from None


def check_bundle(data):
    """The summary of a bundle; what its certificates say of its cases, only symbench knows."""
    first, *lines, end = data.split(b"\n")
    head = keys(parse(first), "format writer claim parameters")
    last = parse(lines.pop()) if lines else {}
    need(end == b"" and "status" in typed(last, dict), "the bundle is incomplete: no last line")
    strings([head["writer"], head["claim"], *keys(last, "status cases certified digest").values()])
    before = data[: data.rindex(b"\n", 0, -1) + 1]
    need(last["status"] in ("holds", "fails", "undecided"), "{} is no verdict", last["status"])
    sealed = last["digest"] == hashlib.sha256(before).hexdigest()
    need(sealed and head["writer"].startswith("symbench "), "writer or digest is wrong")
    found = Counter()
    for number, line in enumerate(lines, 2):
        try:
            document = keys(parse(line), "case certificate")["certificate"]
            found["bare" if document is None else verdict(document) and "checked"] += 1
        except ReRun:
            found["re-run"] += 1
        except Bad as error:
            raise Bad(f"line {number}: {error}") from None
    cases, certified = len(lines), len(lines) - found["bare"]
    counts = integer(last["cases"], 1), integer(last["certified"])
    need(counts == (cases, certified), "{} cases, {} with a certificate", cases, certified)
    text = f"bundle of {head['claim']!a:.80}: {found['checked']} of {cases} cases checked"
    if found["checked"] < cases:
        raise ReRun(f"{text}, {cases - found['checked']} re-run only")
    return text


def examine(data):
    """What to say of a good file: its statement and what it rests on; raises Bad or ReRun."""
    first = data.partition(b"\n")[0]
    try:
        bundle = b"symbench bundle 1" in first and parse(first)["format"] == "symbench bundle 1"
    except (Bad, KeyError, TypeError):
        bundle = False
    if bundle:
        return check_bundle(data)
    statement, theorems = verdict(parse(data))
    proofs = ", ".join(f"{x['claim']} ({x['page']})" for x in theorems)
    return statement + (f"; rests on {proofs}" if proofs else "")


def main():
    """Check the files that the command line names."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE")
    sys.stdout.reconfigure(errors="backslashreplace")
    codes = set()
    for name in parser.parse_args().files:
        code, pieces = 0, MAX_FILE // 2**20 + 1
        try:
            with sys.stdin.buffer if name == "-" else open(name, "rb") as file:
                data = b"".join(islice(iter(lambda: file.read(2**20), b""), pieces))
        except (OSError, ValueError, MemoryError) as error:
            code, text = 2, f"cannot be read: {error}"
        else:
            try:
                need(len(data) <= MAX_FILE, "too large: more than 1 GiB")
                text = f"checked: {examine(data)}"
            except ReRun as error:
                code, text = 3, f"re-run: {error}"
            except Bad as error:
                code, text = 1, f"BAD: {error}"
            except (RecursionError, MemoryError):
                code, text = 1, "BAD: too large, or nested too deep"
        codes.add(code)
        print(f"{name if name.isprintable() else ascii(name)}: {text}")
    return next(code for code in (1, 2, 3, 0) if code in codes)


if __name__ == "__main__":
    sys.exit(main())
