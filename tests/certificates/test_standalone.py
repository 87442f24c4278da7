"""The checker in one file of standard-library Python, against documents written by hand.

It is asked to accept every good document, and nothing that is not true: documents are changed in
every field, their digest and their sentences are made to fit again, and whatever still passes is
judged by `is_true`, which works from the definitions (Leibniz' determinants, all permutations, all
corners of a box, the features of attention) and shares no helper with the checker.
"""

from __future__ import annotations

import ast
import copy
import functools
import hashlib
import importlib.util
import itertools
import json
import math
import random
import re
import subprocess
import sys
import time
from fractions import Fraction
from pathlib import Path

import flint
import jsonschema
import numpy as np
import pytest
import sympy

from tests.certificates.documents import (
    DOCUMENTS,
    EVERY,
    FAMILIES,
    POINT,
    RE_RUN,
    SOFTMAX,
    bundle,
    document,
    k_tau,
    lines,
    matrix,
    plain,
    residue,
    seal,
    series,
    templates,
)
from tests.certificates.regression import is_true as regression_is_true
from tests.certificates.training import is_true as training_is_true

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "check_certificate.py"
SCHEMA = json.loads((ROOT / "symbench" / "certificates" / "schema.json").read_text())

_spec = importlib.util.spec_from_file_location("standalone_checker", SCRIPT)
checker = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(checker)
validator = jsonschema.Draft202012Validator(SCHEMA)
every = pytest.mark.parametrize("name", DOCUMENTS)


def as_bytes(document):
    return json.dumps(document).encode()


def outcome(document):
    """The statement, or the class of what was raised."""
    try:
        return checker.check_document(as_bytes(document))
    except (checker.Bad, checker.ReRun) as error:
        return type(error)


def reason(data):
    with pytest.raises(checker.Bad) as caught:
        checker.check_document(data if isinstance(data, bytes) else as_bytes(data))
    return str(caught.value)


def changed(document, path, value):
    """A copy with another value at the path, and a digest that fits."""
    found = json.loads(json.dumps(document))
    place = functools.reduce(lambda data, key: data[key], path[:-1], found)
    place[path[-1]] = value
    return seal(found)


# What is true, from the definitions. Elements of every ring are {exponents: coefficient}.


def element(ring, entry):
    if ring in ("ZZ", "QQ") or "GF" in ring:
        return {(): Fraction(entry)}
    if "polynomials" in ring:
        return {tuple(map(Fraction, powers)): Fraction(c) for c, powers in entry}
    if "exponentials" in ring:
        return {(Fraction(power),): Fraction(c) for c, power in entry}
    known = [element(ring["series"], c) for c in entry]
    return {(*e, Fraction(k)): c for k, x in enumerate(known) for e, c in x.items()}


def times(x, y):
    result = {}
    for (e, a), (f, b) in itertools.product(x.items(), y.items()):
        power = tuple(s + t for s, t in zip(e, f, strict=True))
        result[power] = result.get(power, 0) + a * b
    return result


def plus(x, y, factor=1):
    return {e: x.get(e, 0) + factor * y.get(e, 0) for e in {*x, *y}}


def leibniz(rows):
    """The determinant of a matrix of elements, as a sum over all permutations."""
    total = {}
    for way in itertools.permutations(range(len(rows))):
        sign = (-1) ** sum(a > b for a, b in itertools.combinations(way, 2))
        product = functools.reduce(times, (rows[i][j] for i, j in enumerate(way)), one(rows))
        total = plus(total, product, sign)
    return total


def one(rows):
    width = next((len(e) for row in rows for x in row for e in x), 0)
    return {(Fraction(0),) * width: Fraction(1)}


def vanishes(x, ring):
    p = characteristic(ring)
    return not any(c % p if p else c for c in x.values())


def characteristic(ring):
    while isinstance(ring, dict):
        if "GF" in ring:
            return int(ring["GF"])
        ring = ring.get("polynomials", ring.get("series"))
    return 0


def bottom(ring):
    while isinstance(ring, dict) and "GF" not in ring:
        ring = ring.get("polynomials", ring.get("series"))
    return ring


def elements(data):
    return [[element(data["ring"], x) for x in row] for row in data["rows"]]


def numbers(data):
    return [[Fraction(x) for x in row] for row in data["rows"]]


def det(rows):
    return leibniz([[{(): x} for x in row] for row in rows]).get((), 0)


def mod(x, p):
    return x.numerator * pow(x.denominator, -1, p) % p


def value_at(x, values, p):
    """The value of an element at integers modulo p, where all exponents are whole."""
    return (
        sum(
            mod(c, p) * math.prod(pow(v, int(e), p) for v, e in zip(values, power, strict=True))
            for power, c in x.items()
        )
        % p
    )


def nonsingular_is_true(data, fields, statement):
    ring, rows = data["ring"], elements(data)
    number = r"(\d+)"
    found = re.fullmatch(
        rf"nonsingular (?:at these|for generic) parameters: det( of the combined rows)? = {number}"
        rf"(?: (\w+)\^{number} \+ higher orders,)? modulo {number}((?:, \w+ = -?\d+)*)",
        statement,
    )
    combined, lead, variable, order, p, at = found.groups()
    lead, p = int(lead), int(p)
    point = dict(re.findall(r"(\w+) = (-?\d+)", at))
    if not sympy.isprime(p) or not lead or characteristic(ring) not in (0, p):
        return False
    if ("for generic" in statement) != (isinstance(ring, dict) and "GF" not in ring):
        return False
    if isinstance(ring, dict) and "series" in ring:
        return variable == ring["variable"] and series_is_true(
            ring, rows, lead, int(order), p, point, combined and fields["frame"]
        )
    if isinstance(ring, dict) and "exponentials" in ring:
        root = math.lcm(*(e.denominator for row in rows for x in row for (e,) in x))
        rows = [[{(e * root,): c for (e,), c in x.items()} for x in row] for row in rows]
        names = [ring["exponentials"]]
    else:
        names = ring["variables"] if isinstance(ring, dict) and "GF" not in ring else []
    return sorted(names) == sorted(point) and lead == value_at(
        leibniz(rows), [int(point[name]) for name in names], p
    )


def series_is_true(ring, rows, lead, order, p, point, frame):
    """Whatever the unknown terms are, the determinant begins as is said."""
    base = ring["series"]
    names = base["variables"] if isinstance(base, dict) and "variables" in base else []
    values = [int(point[name]) for name in names]
    dice, zeros = random.Random(1), (Fraction(0),) * len(names)
    for _ in range(3):
        filled = []
        for row in rows:
            filled.append([])
            for x in row:
                tail = {}
                for k in range(int(ring["precision"]), int(ring["precision"]) + 3):
                    unknown = Fraction(dice.randrange(-9, 10))
                    if bottom(ring) == "QQ":
                        unknown /= p
                    tail[(*zeros, Fraction(k))] = unknown
                filled[-1].append(plus(x, tail))
        if frame:
            W = [[{(*zeros, *e): c for e, c in x.items()} for x in row] for row in elements(frame)]
            filled = [
                [
                    functools.reduce(plus, map(times, row, column), {})
                    for column in zip(*filled, strict=True)
                ]
                for row in W
            ]
        found = {}
        for power, c in leibniz(filled).items():
            *powers, k = map(int, power)
            exact = c * math.prod(Fraction(v) ** e for v, e in zip(values, powers, strict=True))
            found[k] = found.get(k, 0) + exact
        low = [mod(found.get(k, Fraction(0)), p) for k in range(order + 1)]
        if low != [0] * order + [lead] or (frame and any(found.get(k, 0) for k in range(order))):
            return False
    return sorted(names) == sorted(point)


def balls_are_true(data):
    """The determinant is affine in each entry, so its sign at the corners decides."""
    flat = [list(map(int, ball)) for row in data["rows"] for ball in row]
    two, r = Fraction(2), len(data["rows"])
    ends = [{m * two**e - t * two**s, m * two**e + t * two**s} for m, e, t, s in flat]
    signs = set()
    for corner in itertools.product(*ends):
        value = det([corner[i * r : i * r + r] for i in range(r)])
        signs.add((value > 0) - (value < 0))
    return signs in ({1}, {-1})


def rank_of(data):
    """The size of the largest minor that is not zero."""
    rows, ring = elements(data), data["ring"]
    height, width = len(rows), int(data["shape"][1])
    for size in range(min(height, width), 0, -1):
        for down in itertools.combinations(range(height), size):
            for across in itertools.combinations(range(width), size):
                minor = [[rows[i][j] for j in across] for i in down]
                if not vanishes(leibniz(minor), ring):
                    return size
    return 0


def is_definite(rows):
    """Sylvester's criterion."""
    symmetric = all(rows[i][j] == rows[j][i] for i in range(len(rows)) for j in range(i))
    return symmetric and all(
        det([row[:k] for row in rows[:k]]) > 0 for k in range(1, len(rows) + 1)
    )


def maxima(rows):
    sums = {
        way: sum(rows[i][j] for i, j in enumerate(way))
        for way in itertools.permutations(range(len(rows)))
    }
    return [way for way, value in sums.items() if value == max(sums.values())]


def blocks_are_true(M, B, statement):
    """B^-1 M B, by Cramer's rule, has the blocks that are named."""
    if det(B) == 0:
        return False
    r = len(M)
    MB = [[sum(M[i][k] * B[k][j] for k in range(r)) for j in range(r)] for i in range(r)]
    D = [
        [
            det([[MB[a][j] if b == i else B[a][b] for b in range(r)] for a in range(r)]) / det(B)
            for j in range(r)
        ]
        for i in range(r)
    ]
    owner, start = {}, 0
    for n, (size, again, t, _) in enumerate(
        re.findall(r"(\d+) x (\d+) \((\d+) (times?)\)", statement)
    ):
        size, t = int(size), int(t)
        assert size == int(again)
        for i in range(size):
            for u in range(t):
                owner[start + i * t + u] = (n, i, u)
        start += size * t
    names = {}
    for a, b in itertools.product(range(r), repeat=2):
        (n, i, u), (m, j, v) = owner[a], owner[b]
        if (n, u) != (m, v):
            if D[a][b]:
                return False
        elif names.setdefault((n, i, j), D[a][b]) != D[a][b]:
            return False
    return start == r


def trace_is_true(rows, statement):
    found = re.fullmatch(
        r"eigenvalue (\d+) of the block is at most (\S+) = (\S+) / \((\d+) \* (\d+)\)", statement
    )
    place, c, trace, again, dimension = found.groups()
    c = Fraction(c)
    poly = sympy.Matrix([[sympy.Rational(str(x)) for x in row] for row in rows]).charpoly()
    roots = sorted(sympy.Poly(poly.as_expr(), *poly.gens).real_roots(), reverse=True)
    return (
        place == again
        and c == Fraction(trace) / (int(place) * int(dimension))
        and len(roots) == len(rows)
        and bool(roots[int(place) - 1] <= sympy.Rational(c.numerator, c.denominator))
    )


def stage_is_true(rows, fields, statement):
    before, after = fields["before"], fields["after"]
    apart = {}
    for i, j in itertools.combinations(range(len(rows)), 2):
        square = rows[i][i] + rows[j][j] - rows[i][j] - rows[j][i]
        if before[i] == before[j] and square < 0:
            return False
        apart[i, j] = before[i] != before[j] or square > 0
    told = f"separates {len(set(before))} groups of templates into {len(set(after))}"
    return statement == told and all((after[i] != after[j]) == x for (i, j), x in apart.items())


# Templates.


def name_of(kernel):
    if kernel is None:
        return "K_tau of every token-symmetric kernel"
    words = ["softmax attention" if kernel["normalised"] else "attention without normalisation"]
    if kernel["activation"]:
        words = [kernel["activation"][0], "over", *words]
    if kernel["scale"] == "appendix-H":
        words.append("(23)")
    return " ".join(["K_tau of", *words])


def equivalent(a, b, tokens):
    """Whether renaming wildcards one to one leads from a to b."""
    there, back = {}, {}
    return all(
        (x == y)
        if x in tokens or y in tokens
        else there.setdefault(x, y) == y and back.setdefault(y, x) == x
        for x, y in zip(a, b, strict=True)
    )


def same_type(a, b, tokens, moved):
    """Whether some order of the places that may move makes them equivalent."""
    return any(
        equivalent([a[i] for i in way] + a[moved:], b, tokens)
        for way in itertools.permutations(range(moved))
    )


def classes(rows, same):
    found = []
    for row in rows:
        if not any(same(row, other) for other in found):
            found.append(row)
    return found


def is_flat(activation):
    if activation is None:
        return False
    if activation[0] == "polynomial":
        return all(x == "0" for x in activation[2:])
    return activation[0] == "cos" and activation[1] == "0"


def features(rows, tokens, beta, gamma, *, normalised, scale, samples=25):
    """The features of attention at random points: one line for each row.

    N_ij is the mean over what all strings share (Gaussians of the tokens and of the positions, and
    in (23) such Gaussians for each last token) of S_i^token S_j^token and gamma^2 F_ia F_ja, where
    F_ia is the mean attention on place a over what a string has for itself.
    """
    k, dice = len(rows[0]), np.random.default_rng(5)
    nodes, weights = np.polynomial.hermite_e.hermegauss(20)
    weights = weights / weights.sum()
    result = [[] for _ in rows]
    for _ in range(samples):
        common = {t: dice.standard_normal() for t in tokens}, dice.standard_normal(k)
        own = {t: ({s: dice.standard_normal() for s in tokens}, dice.standard_normal(k))
               for t in tokens}  # fmt: skip
        for line, row in zip(result, rows, strict=True):
            wild = np.array([[x == y and x not in tokens for x in row] for y in row], float)
            mean = np.array([common[0].get(x, 0) for x in row]) + gamma * common[1]
            spread = wild
            if scale == "appendix-H":
                mean, spread = gamma * mean, gamma**2 * spread
                if row[-1] in tokens:
                    letters, places = own[row[-1]]
                    mean = mean + np.array([letters.get(x, 0) for x in row]) + gamma * places
                    spread = spread + wild
                else:
                    same = np.array([[x == y for x in row] for y in row], float)
                    spread = spread + same + gamma**2 * np.eye(k)
            if normalised:
                size, axes = np.linalg.eigh(spread)
                axes = (axes * np.sqrt(np.maximum(size, 0)))[:, size > 1e-9]
                grid = np.array(list(itertools.product(nodes, repeat=axes.shape[1])))
                mass = np.array([math.prod(w) for w in
                                 itertools.product(weights, repeat=axes.shape[1])])  # fmt: skip
                logits = beta * (mean + grid.reshape(len(mass), -1) @ axes.T)
                attention = np.exp(logits - logits.max(axis=1, keepdims=True))
                F = mass @ (attention / attention.sum(axis=1, keepdims=True))
            else:
                F = np.exp(beta * mean + beta**2 * np.diag(spread) / 2)
            line += [sum(F[a] for a in range(k) if row[a] == t) for t in tokens]
            line += list(gamma * F)
    return np.array(result)


def kernel_features(data):
    """The features for two choices of the parameters that are left open, or the matrix itself."""
    kernel = data["kernel"]
    if kernel is None:
        yield np.array(random_kernel(data["rows"], data["tokens"]), dtype=float)
        return
    for free in ((0.8, 1.2), (-1.1, 0.7)):
        beta, gamma = (
            value if kernel[name] is None else float(Fraction(kernel[name]))
            for name, value in zip(("beta", "gamma"), free, strict=True)
        )
        settings = {"normalised": kernel["normalised"], "scale": kernel["scale"]}
        yield features(data["rows"], data["tokens"], beta, gamma, **settings)


def random_kernel(rows, tokens):
    """Values drawn at random for each pattern of equal letters of two strings, up to exchange."""
    dice, values = random.Random(3), {}

    def value(x, y):
        patterns = []
        for word in (x + y, y + x):
            patterns.append(tuple(word.index(letter) for letter in word))
        return values.setdefault(min(patterns), dice.randrange(10**6))

    left, right = (
        [[(n, x) if x not in tokens else x for x in row] for row in rows] for n in (0, 1)
    )
    return [[value(x, y) for y in right] for x in left]


def null_templates_are_true(data, fields, document):
    vector = [Fraction(x) for (x,) in fields["null"]["rows"]]
    count = sum(x != 0 for x in vector)
    kernel, rows, tokens = data["kernel"], data["rows"], data["tokens"]
    told = f"{name_of(kernel)} is singular: a null vector with {count} nonzero entries"
    if not count or document["statement"] != told:
        return False
    if kernel is None:
        annihilated = all(
            sum(v * x for v, x in zip(vector, row, strict=True)) == 0
            for row in random_kernel(rows, tokens)
        )
        return document["parameters"] == "every" and annihilated
    open_or = {name: "any" if kernel[name] is None else f"= {kernel[name]}" for name in kernel}
    if document["parameters"] != f"beta {open_or['beta']}, gamma {open_or['gamma']}":
        return False
    if is_flat(kernel["activation"]):
        return sum(vector) == 0
    if kernel["activation"]:  # rows that differ by nothing the kernel sees: sufficient
        moved = len(rows[0]) - (kernel["scale"] != "main")
        still = kernel["gamma"] != "0" or not kernel["normalised"]
        same = (
            functools.partial(equivalent, tokens=tokens)
            if still
            else functools.partial(same_type, tokens=tokens, moved=moved)
        )
        return all(
            sum(v for v, row in zip(vector, rows, strict=True) if same(row, first)) == 0
            for first in rows
        )
    weights = np.array([float(x) for x in vector])
    weights /= abs(weights).max()
    return all(
        abs(weights @ found).max() <= 1e-7 * max(1, abs(found).max())
        for found in kernel_features(data)
    )


def templates_are_true(document):
    data, fields = document["subject"]["data"], document["certificate"]
    kernel, rows, tokens = data["kernel"], data["rows"], data["tokens"]
    if document["kind"] == "singular":
        return null_templates_are_true(data, fields, document)
    if kernel is None:
        r = len(classes(rows, functools.partial(equivalent, tokens=tokens)))
        told = {"template-rank": f"has rank {r}: as many inequivalent templates"}
        if r == len(rows):
            told["one-point"] = "is nonsingular: distinct exponents at one point"
        said = f"{name_of(kernel)} with generic values {told.get(document['kind'])}"
        return document["statement"] == said
    if not kernel["normalised"] or kernel["beta"] == "0":
        return False
    if is_flat(kernel["activation"]):
        return False
    same = functools.partial(equivalent, tokens=tokens)
    name, statement = name_of(kernel), document["statement"]
    if document["kind"] == "type-rank":
        ends = {row[-1] for row in rows}
        one_end = len(ends) == 1 and ends <= set(tokens)
        if kernel["gamma"] != "0" or (kernel["scale"] != "main" and not one_end):
            return False
        with_token = [row for row in rows if set(row) & set(tokens)]
        if kernel["activation"] and len(with_token) < len(rows):
            return False
        moved = functools.partial(same_type, tokens=tokens, moved=len(rows[0]))
        r = len(classes(with_token, moved))
        text = f"{name} has rank {r} at gamma = 0 for every beta != 0: as many types with a token"
        return statement == text
    r = len(classes(rows, same))
    rank = f"{name} has rank {r} for {EVERY}: as many inequivalent templates"
    algebraic = "gamma != 0, algebraic beta^2 != 0"
    told = {
        "one-point": f"{name} is {POINT}",
        "modular-points": f"{name} is nonsingular for {algebraic}: "
        f"det != 0 mod {fields.get('prime')}",
        "template-rank": rank,
    }
    definite = document["kind"] == "template-rank" or r == len(rows)
    return definite and kernel["gamma"] != "0" and statement == told[document["kind"]]


def head_is_true(rows, fields, statement):
    """The largest error over all words of signs, with the weights as they are."""
    s, T, error = fields["sparsity"], fields["length"], fields["error"]
    told = f"computes the mean of {s} of {T} signs with error at most {error}, attained"
    key = [x for (x,) in numbers(fields["key"])]
    scores = [sum((x * c for x, c in zip(row, key, strict=True)), Fraction(0)) for row in rows]
    counts = [1] * int(s) + [int(n) for n in fields["counts"]]
    each = [r for r, n in zip(scores, counts, strict=True) for _ in range(n)]
    if len(each) != int(T) or len(each) > 12:
        return False
    d = int(fields["denominator"])
    powers = [Fraction(fields["base"]) ** int(r * d) for r in (*each, 0)]
    worst = max(
        abs(
            sum(x * w for x, w in zip(signs, powers, strict=False)) / sum(powers)
            - Fraction(sum(signs[: int(s)]), int(s))
        )
        for signs in itertools.product((-1, 1), repeat=len(each))
    )
    return statement.endswith(told) and worst == Fraction(error)


def is_true(document):
    kind, fields, statement = (document[key] for key in ("kind", "certificate", "statement"))
    data = document["subject"]["data"]
    if (document["exactness"] == "ball") != (kind == "nonsingular-balls"):
        return False
    if document["subject"]["type"] == "Templates":
        return templates_are_true(document)
    generic = isinstance(data["ring"], dict) and not {"GF", "balls"} & set(data["ring"])
    if document["parameters"] != ("generic" if generic else "these") or document["theorems"]:
        return False
    if kind == "nonsingular":
        return nonsingular_is_true(data, fields, statement)
    if kind == "nonsingular-balls":
        return balls_are_true(data)
    if kind == "singular":
        count = sum(x not in ("0", []) for (x,) in fields["null"]["rows"])
        told = statement == f"singular: a null vector with {count} nonzero entries"
        return told and count > 0 and vanishes(leibniz(elements(data)), data["ring"])
    if kind == "rank":
        p = int(fields["prime"])
        told = f"rank {rank_of(data)}: a nonzero minor modulo {p} and a null space basis"
        return sympy.isprime(p) and statement == told
    rows = numbers(data)
    if kind == "positive-definite":
        return is_definite(rows)
    if kind == "not-positive-definite":
        return not is_definite(rows)
    if kind == "unique-assignment":
        best = maxima(rows)
        which = "identity" if best[0] == tuple(range(len(rows))) else "one"
        told = f"unique maximum: the {which} permutation beats every other"
        return len(best) == 1 and statement == told
    if kind == "tied-assignment":
        return len(maxima(rows)) > 1
    if kind == "block-form":
        return blocks_are_true(rows, numbers(fields["basis"]), statement)
    if kind == "trace-bound":
        return trace_is_true(rows, statement)
    if kind == "head-computes":
        return head_is_true(rows, fields, statement)
    if kind == "equivariant-training":
        return training_is_true(fields, data, statement)
    if kind == "ridge-prediction":
        return regression_is_true(fields, data, statement)
    assert kind == "stage"
    return stage_is_true(rows, fields, statement)


# Good documents.


@every
def test_good_documents_are_checked(name):
    data = DOCUMENTS[name]
    assert checker.check_document(as_bytes(data)) == data["statement"]
    assert is_true(data)
    validator.validate(data)
    indented = json.dumps(data, indent=1, ensure_ascii=False, sort_keys=True).encode()
    assert checker.check_document(indented + b"\n") == data["statement"]


@pytest.mark.parametrize("name", RE_RUN)
def test_re_run_kinds_are_looked_at(name):
    data = RE_RUN[name]
    validator.validate(data)
    with pytest.raises(checker.ReRun, match="only symbench"):
        checker.check_document(as_bytes(data))
    assert outcome({**data, "digest": "0" * 64}) is checker.Bad
    for key in data["certificate"]:
        fields = {k: v for k, v in data["certificate"].items() if k != key}
        assert outcome(changed(data, ["certificate"], fields)) is checker.Bad
        assert outcome(changed(data, ["certificate", key], "x")) is checker.ReRun
    assert outcome(changed(data, ["certificate", "more"], "")) is checker.Bad
    assert outcome(changed(data, ["subject", "type"], "")) is checker.Bad
    assert outcome(changed(data, ["subject", "claim"], None)) is checker.Bad
    assert outcome(changed(data, ["certificate", "claim"], None)) is checker.Bad
    assert outcome(changed(data, ["theorems"], [{"claim": "", "page": None}])) is checker.Bad


def test_the_documents_cover_every_kind_and_every_ring():
    kinds = SCHEMA["properties"]["kind"]["enum"]
    assert {data["kind"] for data in (DOCUMENTS | RE_RUN).values()} == set(kinds)
    assert set(checker.KINDS) == set(kinds)
    found = {}
    for data in DOCUMENTS.values():
        if data["subject"]["type"] == "Matrix":
            ring = data["subject"]["data"]["ring"]
            found.setdefault(data["kind"], set()).add(
                ring if isinstance(ring, str) else next(iter(ring))
            )
        else:
            found.setdefault(data["kind"], set()).add("templates")
    # "unique-assignment" and the like are over ZZ and QQ; one document for each will do
    for kind, (_, rings, _, _) in checker.KINDS.items():
        assert found.get(kind, set()) <= set(rings.split())
        if rings != checker.NUMBERS and rings:
            assert found[kind] == set(rings.split()), kind
    numbers = set().union(*(found[k] for k, v in checker.KINDS.items() if v[1] == checker.NUMBERS))
    assert numbers == {"ZZ", "QQ"}


@pytest.mark.parametrize("name", FAMILIES["points"])
def test_the_theorems_agree_with_the_features_of_attention(name):
    """K_tau is a Gram matrix of the features, so its rank is theirs."""
    data = FAMILIES["points"][name]["subject"]["data"]
    expected = {"one-point": len(data["rows"]), "modular-points": len(data["rows"])}
    kind, fields = FAMILIES["points"][name]["kind"], FAMILIES["points"][name]["certificate"]
    for found in kernel_features(data):
        sizes = np.linalg.svd(found, compute_uv=False)
        rank = int((sizes > 1e-6 * sizes[0]).sum())
        assert rank == expected.get(kind, int(fields.get("rank", 0)))


def test_primes():
    for n in [*range(2, 3000), *range(2**32 - 300, 2**32), *range(2**64 - 300, 2**64)]:
        try:
            assert checker.prime(str(n)) == n
            found = True
        except checker.Bad:
            found = False
        assert found == sympy.isprime(n), n


def random_entry(dice, ring):
    """A small element that is often zero, and often zero modulo 2, 3 or 5."""
    if ring == "ZZ":
        return str(dice.choice((0, 0, 1, 2, 3, 4, 5, 6, -1, -2, -6, 7)))
    if ring == "QQ":
        return str(Fraction(dice.choice((0, 0, 1, 2, 3, 5, -6)), dice.choice((1, 1, 7, 11))))
    if "GF" in ring:
        return str(dice.randrange(int(ring["GF"])))
    if "series" in ring:
        return [random_entry(dice, ring["series"]) for _ in range(int(ring["precision"]))]
    if "exponentials" in ring:
        powers = sorted({Fraction(dice.randrange(-3, 4), dice.choice((1, 2, 3))) for _ in "ab"})
        terms = [[random_entry(dice, "QQ"), str(power)] for power in powers]
    else:
        powers = {tuple(dice.choice("012") for _ in ring["variables"]) for _ in "abc"}
        base = ring["polynomials"]
        terms = [[random_entry(dice, base), list(x)] for x in sorted(powers, reverse=True)]
    return [term for term in terms if term[0] != "0"]


RINGS = {
    "ZZ": "ZZ",
    "QQ": "QQ",
    "GF": {"GF": "3"},
    "polynomials-ZZ": {"polynomials": "ZZ", "variables": ["y", "x"]},
    "polynomials-QQ": {"polynomials": "QQ", "variables": ["x"]},
    "polynomials-GF": {"polynomials": {"GF": "5"}, "variables": ["x"]},
    "exponentials": {"exponentials": "q"},
    "series-ZZ": series("ZZ", 3),
    "series-QQ": series("QQ", 3),
    "series-polynomials": series({"polynomials": "ZZ", "variables": ["x"]}, 2),
}


def variables(ring):
    if isinstance(ring, str) or "GF" in ring:
        return []
    if "exponentials" in ring:
        return [ring["exponentials"]]
    return ring["variables"] if "variables" in ring else variables(ring["series"])


def begins_with(ring, rows, point, p):
    """The first term of Leibniz' determinant that is known and not zero modulo p, or None."""
    found, values = elements(plain(ring, rows)), [int(point[x]) for x in variables(ring)]
    if isinstance(ring, dict) and "series" in ring:
        total = leibniz(found)
        for k in range(int(ring["precision"])):
            part = {tuple(e): c for (*e, order), c in total.items() if order == k}
            if value := value_at(part, values, p):
                return k, value
        return None
    if isinstance(ring, dict) and "exponentials" in ring:
        root = math.lcm(*(e.denominator for row in found for x in row for (e,) in x))
        found = [[{(e * root,): c for (e,), c in x.items()} for x in row] for row in found]
    value = value_at(leibniz(found), values, p)
    return (0, value) if value else None


@pytest.mark.parametrize("name", RINGS)
def test_random_determinants(name):
    """The residue that is accepted is that of Leibniz, and only that one."""
    dice, ring, accepted = random.Random(name), RINGS[name], 0
    for _ in range(12):
        r, p = dice.randrange(1, 4), characteristic(ring) or dice.choice((2, 3, 5))
        rows = [[random_entry(dice, ring) for _ in range(r)] for _ in range(r)]
        point = {x: str(dice.randrange(1, p) + p * dice.randrange(-2, 3)) for x in variables(ring)}
        generic, passed = bool(point) or "series" in ring, []
        for valuation, value in itertools.product(range(6 if "series" in ring else 2), range(1, p)):
            fields = residue(str(p), str(value), str(valuation), generic, **point)
            data = forged(document("nonsingular", fields, matrix(ring, rows), ""))
            if assert_true_or_bad(data):
                passed.append((valuation, value))
        expected = begins_with(ring, rows, point, p)
        assert len(passed) <= 1
        assert passed == [expected] or (expected is None and (not passed or "series" in ring))
        accepted += len(passed)
    assert accepted > 2


def test_elimination_agrees_with_leibniz():
    dice, seen = random.Random(7), 0
    for _ in range(600):
        r, p, n = dice.randrange(4), dice.choice((2, 3, 5, 7)), dice.randrange(1, 4)
        rows = [[[dice.randrange(p) for _ in range(n)] for _ in range(r)] for _ in range(r)]
        lows = [[x[0] for x in row] for row in rows]
        assert checker.determinant(lows, p) == det([[Fraction(x) for x in row] for row in lows]) % p
        series = [[{(k,): Fraction(c) for k, c in enumerate(x)} for x in row] for row in rows]
        total = leibniz(series) if rows else {(0,): Fraction(1)}
        known = [(k, total.get((k,), 0) % p) for k in range(n)]
        expected = next((term for term in known if term[1]), None)
        try:
            found = checker.series_determinant(rows, p, n)
        except checker.Bad:
            found = None
        assert found == expected or (expected is None and found[0] >= n)
        seen += expected is not None and expected[0] > 0
    assert seen > 50


# Documents that were tampered with.


def paths(data, path=()):
    """All places in a document."""
    if path:
        yield path
    for key in (
        data if isinstance(data, dict) else range(len(data) if isinstance(data, list) else 0)
    ):
        yield from paths(data[key], (*path, key))


def at(data, path):
    return functools.reduce(lambda place, key: place[key], path, data)


def near(value, dice=None):
    """Values that one might put in the place of a value."""
    if isinstance(value, bool) or value is None:
        return [True, False, None, "0", "1/2"]
    if isinstance(value, dict):
        return [{}, None, [value], *({k: v for k, v in value.items() if k != key} for key in value)]
    if isinstance(value, list):
        gone = [value[:i] + value[i + 1 :] for i in range(len(value))][:4]
        return [[], [*value, *value[-1:]], value[::-1], None, {}, *gone]
    if re.fullmatch(r"-?\d+(/\d+)?", value):
        x = Fraction(value)
        return [
            *map(str, (x + 1, x - 1, -x, x / 2)),
            "0",
            "1",
            "",
            "05",
            f"{value}/1",
            None,
            [value],
        ]
    return ["", value + "x", value.upper(), "α", "A", "CLS", "QQ", "ZZ", None]


def forged(data):
    """The document with every derived sentence as the checker wants it, and a digest that fits."""
    try:
        found = checker.derive(data["kind"], data["certificate"], data["subject"])
    except (checker.Bad, checker.ReRun):
        return data
    return seal({**data, **found})


@functools.cache
def judged(text):
    data = json.loads(text)
    assert validator.is_valid(data), data
    return is_true(data)


def assert_true_or_bad(data):
    """A document that is accepted is true and has the form of the schema; returns whether it is."""
    found = outcome(data)
    if found in (checker.Bad, checker.ReRun):
        return False
    assert found == data["statement"]
    essence = {
        **data,
        "title": "",
        "note": "",
        "about": {},
        "writer": "symbench ",
        "digest": "0" * 64,
    }
    assert judged(json.dumps(essence)), data
    return True


def forge_everywhere(data, step):
    """Change every place of the document, and judge every step-th result; how many are bad?"""
    bad, turn, seen = 0, 0, set()
    for path in paths(data):
        for value in near(at(data, path)):
            turn += 1
            if turn % step or value == at(data, path):
                continue
            new = changed(data, path, value)
            if new["digest"] in seen:
                continue
            seen.add(new["digest"])
            bad += not assert_true_or_bad(new)
            other = forged(new) if path[0] in ("certificate", "subject", "kind") else new
            if other != new:
                bad += not assert_true_or_bad(other)
    return bad


# Without two whose numbers have so many digits that judging them takes a while.
SHORT = [name for name in DOCUMENTS if name not in ("frame long-number", "balls balls-ends")]


@pytest.mark.parametrize("name", SHORT)
def test_a_forged_document_is_true_or_bad(name):
    assert forge_everywhere(DOCUMENTS[name], 8) > 8


@pytest.mark.slow
@pytest.mark.parametrize("name", SHORT)
def test_every_forged_document_is_true_or_bad(name):
    assert forge_everywhere(DOCUMENTS[name], 1) > 80


@every
def test_the_digest_is_over_everything(name):
    data = DOCUMENTS[name]
    for path in paths(data):
        for value in near(at(data, path))[:1]:
            new = {**changed(data, path, value), "digest": data["digest"]}
            if new != data:
                found = reason(new)
                assert path[0] in ("digest", "format") or "digest" in found
    for digest in ("", None, [], data["digest"].upper(), data["digest"] + "0"):
        if digest != data["digest"]:
            assert "digest" in reason({**data, "digest": digest})


def test_derived_sentences_are_compared():
    data = DOCUMENTS["points one-point-relu"]
    for key, value in {
        "statement": data["statement"] + ".",
        "parameters": "every beta",
        "theorems": data["theorems"][:1],
        "exactness": "ball",
    }.items():
        assert reason(changed(data, [key], value)).startswith(f"'{key}' is not what was checked")
    assert "theorems" in reason(changed(data, ["theorems"], data["theorems"][::-1]))
    page = changed(data, ["theorems", 0, "page"], "proofs/other.md")
    assert "theorems" in reason(page)


def flipped(dice, data):
    new = bytearray(data)
    for _ in range(dice.randrange(1, 4)):
        way, place = dice.randrange(4), dice.randrange(len(new))
        if way == 0:
            new[place] ^= 1 << dice.randrange(8)
        elif way == 1:
            new[place] = dice.choice(b'0123456789-/[]{}",: \n\\u')
        elif way == 2:
            del new[place : place + dice.randrange(1, 9)]
        else:
            new[place:place] = new[dice.randrange(len(new)) :][: dice.randrange(1, 9)]
    return bytes(new)


def assert_flips_are_harmless(dice, count):
    for _ in range(count):
        data = DOCUMENTS[dice.choice(SHORT)]
        new = flipped(dice, as_bytes(data))
        try:
            checker.check_document(new)
        except (checker.Bad, checker.ReRun):
            continue
        assert json.loads(new) == data, new  # white space


def test_flipped_bytes_never_crash():
    assert_flips_are_harmless(random.Random(11), 2000)


def mutated(dice, data, pool):
    """The document with a few random changes that respect its structure."""
    new = copy.deepcopy(data)
    for _ in range(dice.choice((1, 1, 1, 2, 2, 3, 5))):
        parts = ("certificate", "subject") if dice.random() < 0.9 else tuple(new)
        places = [path for path in paths(new) if path[0] in parts and path[0] != "digest"]
        path = dice.choice(places)
        old = at(new, path)
        place = at(new, path[:-1])
        way = dice.randrange(5)
        if way == 0 and isinstance(old, str) and re.fullmatch(r"-?\d+(/\d+)?", old):
            place[path[-1]] = str(Fraction(old) + dice.randrange(-3, 4))
        elif way == 1:
            place[path[-1]] = copy.deepcopy(dice.choice(pool))
        elif way == 2:
            place[path[-1]] = copy.deepcopy(at(new, dice.choice(places)))
        elif way == 3 and isinstance(place, list):
            dice.shuffle(place)
        else:
            place[path[-1]] = copy.deepcopy(dice.choice(near(old)))
        if any(not isinstance(new.get(key), (dict, str, list)) for key in data):
            return data
    return new


@pytest.mark.slow
def test_random_forgeries_are_true_or_bad():
    """Structure-aware mutations, signed by a forger who knows what the checker wants to read."""
    dice = random.Random(2024)
    good = [DOCUMENTS[name] for name in SHORT]
    pool = [at(data, path) for data in good for path in paths(data) if path[0] != "digest"]
    pool = [value for value in pool if len(json.dumps(value)) < 400]
    accepted = 0
    for _ in range(30_000):
        new = mutated(dice, dice.choice(good), pool)
        accepted += assert_true_or_bad(forged(seal(new)))
    assert accepted > 500


@pytest.mark.slow
def test_many_flipped_bytes_never_crash():
    assert_flips_are_harmless(random.Random(12), 100_000)


# What is refused, one reason after the other: the document, what is changed, words of the reason.


def fields(**values):
    return [(["certificate", key], value) for key, value in values.items()]


def data_of(*keys):
    return ["subject", "data", *keys]


def entry(value, row=0, column=0):
    return [(data_of("rows", row, column), value)]


REFUSED = {
    "nonsingular ZZ": [
        (fields(residue="4"), "valuation and residue are (0, 5)"),
        (fields(residue="0"), "not from 1"),
        (fields(residue="12"), "not from 1"),
        (fields(prime="9"), "not prime"),
        (fields(prime="18446744073709551629"), "not from 2"),
        (fields(prime="1"), "not from 2"),
        (fields(prime="3215031751"), "not prime"),
        (fields(prime="3825123056546413051"), "not prime"),
        (fields(prime="25326001"), "not prime"),
        (fields(prime="10"), "not prime"),
        (fields(valuation="1"), "valuation and residue"),
        (fields(generic=True), "generic"),
        (fields(generic="false"), "generic"),
        (fields(point={"x": "1"}), "not known: {'x'}"),
        (fields(modulus="7"), "come together"),
        (fields(inverse=plain("ZZ", "2 4; 4 6")), "come together"),
        (fields(orders=["0", "0"]), "frame and orders"),
        (fields(frame=plain("ZZ", "1 0; 0 1"), orders=["0", "0"]), "frame and orders"),
        (entry([]) + fields(residue="6"), "belongs"),
        ([(data_of("rows"), [["2", "1"]]), (data_of("shape"), ["1", "2"])], "not square"),
        ([(data_of("rows"), [["2", "1"], ["1"]])], "1 items, not 2"),
        ([(data_of("shape"), ["3", "2"])], "2 items, not 3"),
        ([(data_of("shape"), ["2", "2", "1"])], "3 items, not 2"),
        ([(data_of("shape"), ["-2", "2"])], "not from 0"),
        ([(data_of("ring"), "RR")], "belongs"),
        ([(data_of("ring"), {})], "missing: {'balls'}"),
        ([(data_of("ring"), {"GF": "4"})], "not prime"),
        ([(data_of("ring"), {"GF": "5"})], "the prime is 7, but the matrix is over GF(5)"),
        ([(["subject", "type"], "Templates")], "wrong type of subject"),
        ([(["subject", "type"], ["Matrix"])], "wrong type of subject"),
        ([(["kind"], "nonsense")], "no kind"),
        ([(["kind"], "nonsingular-balls")], "keys are missing"),
        ([(["writer"], "symbench")], "writer"),
        ([(["writer"], ["symbench "])], "belongs"),
        ([(["format"], "symbench certificate 1")], "no certificate, format 2"),
        ([(["title"], None)], "belongs"),
        ([(["note"], {})], "belongs"),
        ([(["about"], [])], "belongs"),
        ([(["about"], {"kernel": None})], "belongs"),
        ([(["more"], "")], "not known: {'more'}"),
        ([(["certificate", "more"], "")], "not known: {'more'}"),
        ([(["subject", "more"], "")], "not known: {'more'}"),
        ([(data_of("more"), "")], "not known: {'more'}"),
        ([(["certificate"], [])], "belongs"),
    ],
    "nonsingular ZZ-inverse": [
        (fields(inverse=plain("ZZ", "5 2; 2 6")), "not the inverse"),
        (fields(inverse=plain("ZZ", "0 1; 2 7")), "not the inverse"),
        (fields(inverse=plain("ZZ", "5 2; 13 7")), "not reduced"),
        (fields(inverse=plain("ZZ", "5 -9; 2 7")), "not reduced"),
        (fields(inverse=plain("QQ", "5 2; 2 7")), "over 'QQ'"),
        (fields(inverse=plain("ZZ", "5 2 0; 2 7 0")), "shape (2, 3)"),
        (fields(modulus="1", inverse=plain("ZZ", "0 0; 0 0")), "not from 2"),
        (fields(modulus="18446744073709551616"), "not from 2"),
    ],
    "nonsingular GF": [
        (fields(prime="7"), "over GF(5)"),
        (entry("7"), "not from 0 to 4"),
        (entry("-3"), "not from 0 to 4"),
        (fields(modulus="5", inverse=plain("ZZ", "2 2; 2 1")), "over ZZ and QQ"),
    ],
    "nonsingular QQ": [
        (fields(prime="3", residue="1"), "3 divides a denominator"),
        (entry("2/4"), "lowest terms"),
    ],
    "nonsingular polynomials": [
        (fields(point={"x": "2"}), "missing: {'y'}"),
        (fields(point={"x": "2", "y": "3", "z": "0"}), "not known: {'z'}"),
        (fields(point={"x": "2", "y": "1/2"}), "not the spelling"),
        (fields(generic=False), "generic"),
        (entry([["1", ["0", "0"]], ["1", ["1", "0"]]]), "not in order"),
        (entry([["1", ["1", "0"]], ["1", ["1", "0"]], ["1", ["0", "0"]]]), "not in order"),
        (entry([["1", ["1", "0"]], ["1", ["0", "0"]], ["0", ["0", "0"]]]), "not in order"),
        (entry([["0", ["1", "1"]], ["1", ["1", "0"]], ["1", ["0", "0"]]]), "coefficient is 0"),
        (entry([["1", ["1"]], ["1", ["0"]]]), "1 items, not 2"),
        (entry([["1", ["1000001", "0"]]]), "not from 0 to 1000000"),
        (entry([["1", ["-1", "0"]]]), "not from 0"),
        (entry([["1/2", ["1", "0"]]]), "not the spelling"),
        (entry([["1", ["1", "0"], "2"]]), "3 items, not 2"),
        ([(data_of("ring", "variables"), ["x", "x"])], "distinct"),
        ([(data_of("ring", "variables"), ["x", "2y"])], "no variable"),
        ([(data_of("ring", "variables"), ["x", "y\n"])], "no variable"),
        ([(data_of("ring", "variables"), ["x", "é"])], "no variable"),
        ([(data_of("ring", "variables"), [])], "at least one"),
        ([(data_of("ring", "polynomials"), "RR")], "belongs"),
        ([(data_of("ring", "polynomials"), {"exponentials": "q"})], "are numbers"),
        ([(data_of("ring", "more"), "ZZ")], "not known"),
    ],
    "nonsingular polynomials-GF": [
        (entry([["8", ["1"]]]), "not from 0 to 6"),
        (fields(prime="11"), "over GF(7)"),
    ],
    "nonsingular exponentials": [
        (fields(point={"q": "7"}), "zero modulo 7"),
        (entry([["1", "1/2"], ["1", "1/3"]]), "not in order"),
        (entry([["1", "1/2"], ["1", "1/2"]]), "not in order"),
        (entry([["0", "1/2"]]), "coefficient is 0"),
        (entry([["1", ["1/2"]]]), "belongs"),
        ([(data_of("ring"), {"exponentials": ""})], "no variable"),
        ([(data_of("ring"), {"exponentials": "q", "variables": ["q"]})], "not known"),
    ],
    "nonsingular series": [
        (entry(["0", "1"]), "2 items, not 3"),
        (entry(["0", "0", "0"]), "zero as far as"),
        (fields(valuation="1"), "valuation and residue are (2, 2)"),
        ([(data_of("ring", "precision"), "0")], "not from 1"),
        ([(data_of("ring", "precision"), "10001")], "not from 1"),
        ([(data_of("ring", "variable"), "")], "no variable"),
        ([(data_of("ring", "series"), {"balls": "3"})], "no such coefficients"),
        ([(data_of("ring", "series"), {"exponentials": "q"})], "no such coefficients"),
        ([(data_of("ring", "more"), "")], "not known"),
    ],
    # the determinant b^2 is not seen to be more than what lies beyond the precision
    "nonsingular series-beyond": [([(data_of("ring", "series"), "QQ")], "unknown terms")],
    "nonsingular series-polynomials": [
        ([(data_of("ring", "variable"), "y")], "has the variable"),
        (fields(point={"x": "4", "y": "3", "b": "0"}), "not known: {'b'}"),
    ],
    "nonsingular series-frame": [
        (fields(orders=["0", "0"], valuation="0"), "valuation and residue are (0, 0)"),
        (fields(orders=["1", "1"], valuation="2"), "below its order"),
        (fields(orders=["2", "0"], valuation="2"), "not from 0 to 1"),
        (fields(orders=["1"]), "1 items, not 2"),
        ([(["certificate", "frame", "ring", "variables"], ["c"])], "ring of frame"),
        ([(["certificate", "frame", "ring", "polynomials"], "ZZ")], "ring of frame"),
        ([(["certificate", "frame", "shape"], ["1", "2"])], "shape (1, 2)"),
        ([(data_of("ring", "series"), "ZZ")], "over the rationals"),
        (entry(["1", "1/11"]), "11 divides"),
    ],
    "balls balls": [
        (fields(bits="63"), "bits"),
        (fields(inverse=plain("QQ", "1 0; 0 1")), "row 0 is too far"),
        (fields(inverse=plain("ZZ", "0 0; 0 1")), "over 'ZZ'"),
        (fields(inverse=plain("QQ", "1")), "shape (1, 1)"),
        (entry(["3", "0", "11", "-2"]), "row 0 is too far"),
        (entry(["6", "0", "1", "-2"]), "m of a ball"),
        (entry(["0", "1", "1", "-2"]), "m of a ball"),
        (entry(["3", "0", "2", "-3"]), "r is odd"),
        (entry(["3", "0", "0", "1"]), "r is odd"),
        (entry(["3", "0", "-1", "-2"]), "r is odd"),
        (entry(["3", "0", "1073741825", "-40"]), "r is odd"),
        (entry(["3", "0", "1", "-1048577"]), "2^20"),
        (entry(["3", "1048577", "0", "0"]), "2^20"),
        (entry(["3", "-1048577", "0", "0"]), "2^20"),
        (entry(["3", "0", "1"]), "3 items, not 4"),
        (entry("3"), "belongs"),
        ([(data_of("ring", "balls"), "1")], "not from 2"),
        ([(data_of("ring", "balls"), "10000001")], "not from 2"),
    ],
    # 1024 +- 1024 reaches zero: |1 - 1.024| + 1.024 > 1
    "balls balls-large": [
        (entry(["1", "10", "1", "10"]), "too far"),
        ([*entry(["1", "0", "1", "0"]), *fields(inverse=plain("QQ", "1"))], "too far"),
    ],
    "singular ZZ": [
        (fields(null=plain("ZZ", "1; -1")), "M null is not 0"),
        (fields(null=plain("ZZ", "0; 0")), "null is zero"),
        (fields(null=plain("QQ", "1; -1/2")), "fractions"),
        (fields(null=plain("ZZ", "2 -1")), "shape (1, 2)"),
        (fields(null=plain({"GF": "5"}, "2; 4")), "over 'GF'"),
        ([(data_of("ring"), {"balls": "53"})], "is over 'balls'"),
        (
            [(data_of("rows"), [["1", "2"]]), (data_of("shape"), ["1", "2"])],
            "not square",
        ),
    ],
    "singular GF": [
        (fields(null=plain("QQ", "1; 1")), "wrong ring"),
        (fields(null=plain({"GF": "7"}, "1; 1")), "wrong ring"),
        (fields(null=plain("ZZ", "5; -5")), "null is zero"),
        (fields(null=plain("ZZ", "1; 2")), "not 0"),
    ],
    "singular polynomials": [
        (fields(null=plain("QQ", "1/2; -1")), "fractions"),
        (fields(null=plain("ZZ", "1; -1")), "M null is not 0"),
        ([(["certificate", "null", "ring", "variables"], ["y", "x"])], "wrong ring"),
    ],
    "singular polynomials-GF": [
        (fields(null=plain("QQ", "1; 2")), "wrong ring"),
        (fields(null=plain("ZZ", "7; 0")), "null is zero"),
        (fields(null=plain("ZZ", "1; 1")), "not 0"),
    ],
    "singular exponentials": [([(["certificate", "null", "rows", 1, 0], [])], "not 0")],
    "rank ZZ": [
        (fields(rows=["0", "0"]), "twice"),
        (fields(columns=["2", "2"]), "twice"),
        (fields(rows=["0", "4"]), "not from 0 to 3"),
        (fields(columns=["0", "3"]), "not from 0 to 2"),
        (fields(rows=["-1", "2"]), "not from 0"),
        (fields(rows=["0"]), "1 items, not 2"),
        (fields(rank="-1"), "not from 0"),
        (fields(rank="1"), "2 items, not 1"),
        (fields(rows=["0", "1"]), "another minor"),
        (fields(residue="2"), "another minor"),
        (fields(null=plain("ZZ", "-4; 2; 1")), "not 0"),
        (fields(null=plain("ZZ", "0; 0; 0")), "not told apart"),
        (fields(null=plain("ZZ", "-2 0; 1 0; 0 0")), "shape (3, 2)"),
        (fields(modulus="7"), "come together"),
    ],
    "rank ZZ-inverse": [(fields(inverse=plain("ZZ", "10 1; 1 7")), "not reduced")],
    # the first row of the null vectors' part belongs to column 1, the second to column 2
    "rank QQ": [
        (fields(null=plain("QQ", "0 -2/3; 0 1; 1 0")), "not told apart"),
        (fields(null=plain("QQ", "-2/3 -2/3; 1 1; 0 1")), "not told apart"),
        (fields(inverse=plain("ZZ", "2")), "not the inverse"),
    ],
    "rank GF": [(fields(modulus="5", inverse=plain("ZZ", "4")), "over ZZ and QQ")],
    "definite factor": [
        (fields(factor=plain("ZZ", "1 0; 0 1")), "not dominant"),
        (fields(factor=plain("ZZ", "1 -2; 0 0")), "not dominant"),
        (fields(factor=plain("ZZ", "1; 0")), "shape (2, 1)"),
        (fields(gram=plain("ZZ", "1 0")), "come together"),
        (fields(scale="1"), "come together"),
        ([(["certificate"], {})], "neither"),
        (entry("3", 0, 1), "not symmetric"),
    ],
    # S = [[1, 1], [1, 1]]: as large as what stands beside it is not enough
    "definite factor-QQ": [
        (
            [*fields(factor=plain("QQ", "1 0; 0 1")), (data_of("rows"), [["1", "1"], ["1", "1"]])],
            "not dominant",
        ),
    ],
    "definite gram": [
        (fields(gram=plain("ZZ", "1 3")), "not dominant"),
        (fields(gram=plain("ZZ", "1 4 0")), "number of columns"),
        (fields(gram=plain("QQ", "1 4")), "over 'QQ'"),
        (fields(scale="1"), "not dominant"),
        (fields(scale="0", gram=plain("ZZ", "0 0")), "not from 1"),
        (fields(scale="-2"), "not from 1"),
    ],
    "definite both": [
        (fields(gram=plain("ZZ", "2 4; 0 0")), "G^T G is not dominant"),
        (fields(factor=plain("ZZ", "1 0; 0 1")), "F^T M F is not dominant"),
    ],
    "definite not": [
        (fields(direction=plain("ZZ", "1; 0")), "v^T M v > 0"),
        (fields(direction=plain("ZZ", "0; 0")), "v = 0"),
        (fields(direction=plain("ZZ", "1 -1")), "shape (1, 2)"),
        (entry("1", 0, 1), "not symmetric"),
    ],
    "assignment identity": [
        (fields(order=["0", "1"]), "leads back"),
        (fields(order=["1", "1"]), "not a permutation"),
        (fields(assignment=["0", "2"]), "not a permutation"),
        (fields(assignment=["1", "0"]), "not reached"),
        (fields(rows=plain("ZZ", "2 2")), "negative"),
        (fields(rows=plain("ZZ", "4 2")), "not reached"),
        (fields(rows=plain("ZZ", "3; 2")), "shape (2, 1)"),
    ],
    "assignment tied": [
        (fields(second=["0", "1"]), "one permutation twice"),
        (fields(rows=plain("ZZ", "1 3")), "not reached"),
        (fields(rows=plain("ZZ", "1 1")), "negative"),
    ],
    "blocks block-form": [
        (fields(residue="4"), "the determinant of the basis is 3"),
        (fields(prime="3", residue="1"), "the determinant of the basis is 0"),
        (fields(repeats=["2", "1"]), "M B is not B D"),
        (fields(repeats=["1", "1"]), "do not fill"),
        (fields(repeats=["1", "3"]), "too many"),
        (fields(repeats=["1", "0"]), "not from 1"),
        (fields(repeats=["1"]), "1 items, not 2"),
        (fields(blocks=[plain("ZZ", "2"), plain("ZZ", "1")]), "M B is not B D"),
        (fields(blocks=[plain("ZZ", "2"), plain("ZZ", [], (0, 0))]), "size zero"),
        (fields(blocks=[plain("ZZ", "2"), plain("ZZ", "-1 0")]), "not square"),
        (fields(basis=plain("ZZ", "1 1 0; 1 -1 1")), "shape (2, 3)"),
    ],
    "blocks block-form-pairs": [
        (fields(blocks=[plain("QQ", "1 3; 1/2 4")]), "M B is not B D"),
    ],
    "blocks trace-bound": [
        (fields(trace="3"), "too many eigenvalues"),
        (fields(place="1", trace="5"), "too many eigenvalues"),
        (fields(place="3"), "not from 1 to 2"),
        (fields(place="0"), "not from 1"),
        (fields(dimension="0"), "not from 1"),
        (fields(trace="4/2"), "lowest terms"),
        (entry("-1", 0, 1), "not all roots are real"),
        ([(data_of("rows"), []), (data_of("shape"), ["0", "0"])], "not from 1 to 0"),
    ],
    "blocks trace-bound-negative": [(fields(trace="-5"), "too many eigenvalues")],
    # the companion matrix of t^3 - 1, and a rotation beside a zero
    "blocks trace-bound-zero": [
        ([(data_of("rows"), [["0", "0", "1"], ["1", "0", "0"], ["0", "1", "0"]])], "not all roots"),
        (
            [(data_of("rows"), [["0", "1", "0"], ["-1", "0", "0"], ["0", "0", "0"]])],
            "not all roots",
        ),
        (entry("1", 2, 2), "too many eigenvalues"),
    ],
    "blocks stage": [
        (fields(after=["0", "1", "2", "5"]), "templates 0 and 1"),
        (fields(after=["0", "0", "0", "5"]), "templates 0 and 2"),
        (fields(after=["0", "0", "2", "0"]), "templates 0 and 3"),
        (fields(before=["0", "0", "0"]), "3 items, not 4"),
        (entry("-1", 2, 2), "templates 0 and 2"),
        (entry("1", 0, 1), "not symmetric"),
    ],
    "blocks head-computes": [
        (fields(error="1/6"), "the error is '1/5'"),
        (fields(error="2/10"), "lowest terms"),
        (fields(base="21"), "the error is '9/47'"),
        (fields(base="0"), "not positive"),
        (fields(base="-20"), "not positive"),
        (fields(length="7"), "add up"),
        (fields(counts=["5"], length="7"), "the error is '11/46'"),
        (fields(counts=["4", "1"], length="7"), "there are not"),
        (fields(counts=["0"], length="2"), "not from 1"),
        (fields(sparsity="1"), "there are not"),
        (fields(sparsity="0"), "not from 1"),
        (fields(denominator="0"), "not from 1"),
        (fields(denominator="2"), "the error is"),
        (fields(denominator="1000000"), "too long"),
        (fields(key=plain("ZZ", "1; 2")), "a score is not 1"),
        (fields(key=plain("ZZ", "1 1")), "shape (1, 2)"),
        (entry("2", 0, 0), "a score is not 1"),
        (entry("1", 2, 0), "the error is"),
    ],
    "blocks head-computes-QQ": [
        (fields(denominator="2"), "not whole"),
        (entry("1/3", 2, 0), "not whole"),
    ],
    "blocks ridge-prediction": [
        (fields(prediction="1/31"), "the prediction is '8/31'"),
        (fields(labels=plain("ZZ", "1; 1; 1")), "the prediction is '29/31'"),
        (fields(patterns=[]), "there are no strings"),
        (fields(patterns=["0", "0", "2"]), "not from 0"),
        (fields(patterns=["0", "0", "0"]), "do not solve"),
        (fields(ridge="-1"), "negative"),
        (fields(ridge="2"), "do not solve"),
        (fields(own=plain("ZZ", "8; 7")), "do not solve"),
        (fields(own=plain("ZZ", "8 6")), "shape (1, 2)"),
        (fields(column=plain("ZZ", "7; 4")), "do not solve"),
        (fields(weights=plain("ZZ", "1; 0; 0")), "do not solve"),
        (fields(meetings=plain("ZZ", "0 2; 2 3")), "three numbers"),
        (fields(meetings=plain("QQ", "1/2 2 5; 2 3 5")), "not whole"),
        (fields(meetings=plain("ZZ", "0 2 5; 2 4 5")), "one of a pair"),
        (fields(meetings=plain("ZZ", "2 0 5; 2 3 5")), "one of a pair"),
        (fields(meetings=plain("ZZ", "2 3 5; 0 2 5")), "in order"),
        (fields(meetings=plain("ZZ", "0 2 5; 2 3 4")), "do not solve"),
        (fields(meetings=plain("ZZ", "0 2 4; 2 3 5")), "do not solve"),
        (entry("5", 0, 1), "not symmetric"),
    ],
    "blocks equivariant-training": [
        (fields(error="2"), "the error is '5/2'"),
        (fields(permutation=["0", "1", "2"]), "is not moved to the second"),
        (fields(permutation=["1", "2", "0"]), "a sample is moved"),
        (fields(permutation=["0", "1"]), "2 items, not 3"),
        (fields(permutation=["0", "2", "2"]), "not a permutation"),
        (fields(starts=plain("ZZ", "0 1 0; 0 0 2")), "union of orbits"),
        (fields(starts=plain("ZZ", "0 1 0; 0 1 0; 0 0 1")), "union of orbits"),
        (fields(starts=plain("ZZ", [], (0, 3))), "a start has not"),
        (fields(starts=plain("ZZ", "0 1; 1 0")), "a start has not"),
        (fields(widths=["1"]), "a start has not 4 weights"),
        (fields(widths=["0"]), "not from 1"),
        (fields(batch="0"), "not from 1"),
        (fields(batch="2"), "whole number of batches"),
        (fields(tests=plain("ZZ", "0 1 0 1")), "shape (1, 4)"),
        (fields(tests=plain("ZZ", "0 1 0 1; 0 0 1 0")), "the error is '1/2'"),
        (fields(activation=plain("ZZ", "0; 1")), "1 to 16"),
        (fields(activation=plain("ZZ", [], (0, 1))), "1 to 16"),
        (entry("1", 0, 1), "a sample is moved"),
    ],
    "blocks equivariant-training-relu": [
        (fields(momentum="0"), "the error is"),
        (fields(rate="1/3"), "the error is"),
        (fields(decay="1"), "the error is"),
        (fields(batch="2"), "the error is"),
        (fields(activation=plain("ZZ", "0 1 1")), "the error is"),
        (fields(starts=plain("ZZ", f"1 1 0 {10**1300}; 1 0 1 {10**1300}")), "too long"),
        (entry("2", 0, 3), "the error is"),
    ],
    "points one-point": [
        (fields(xi=["1", "2", "-2"]), "not tell"),
        (fields(xi=["0", "0", "0"]), "not tell"),
        (fields(xi=["1", "-1"]), "2 items, not 3"),
        (fields(y=["0"]), "1 items, not 2"),
        # 9 - 42, 5 - 42 and 8 + 1 - 42
        (fields(xi=["2", "1", "-3"], y=["7", "2"]), "not tell"),
        ([(data_of("rows", 1, 1), "α")], "missing or superfluous"),
        ([(data_of("rows", 1), ["β", "β", "CLS"])], "not tell"),
        ([(data_of("rows", 0, 0), "")], "empty"),
        (
            [(data_of("rows", 2), ["", "α", "CLS"]), (data_of("tokens"), ["CLS", ""])],
            "empty",
        ),
        ([(data_of("rows", 0), ["α", "α"])], "different lengths"),
        ([(data_of("rows"), [])], "no templates"),
        ([(data_of("rows"), [[], []])], "no templates"),
        ([(data_of("rows"), [True])], "belongs"),
        ([(data_of("rows", 0), "αα*")], "belongs"),
        ([(data_of("tokens"), ["A", "CLS"])], "order of appearance"),
        ([(data_of("tokens"), ["CLS", "A", "A"])], "order of appearance"),
        ([(data_of("tokens"), ["CLS", "A", "B"])], "superfluous"),
        ([(data_of("tokens"), ["CLS", "A", "α"])], "listed once"),
        ([(data_of("wildcards"), ["β", "α"])], "order of appearance"),
        ([(data_of("labels"), ["1"])], "1 items, not 3"),
        ([(data_of("labels"), ["1", "2", None])], "belongs"),
        ([(data_of("kernel", "normalised"), False)], "needs softmax"),
        ([(data_of("kernel", "normalised"), "true")], "true or false"),
        ([(data_of("kernel", "beta"), "0")], "needs softmax"),
        ([(data_of("kernel", "gamma"), "0")], "needs softmax"),
        ([(data_of("kernel", "gamma"), "0/1")], "not from 2"),
        ([(data_of("kernel", "beta"), True)], "belongs"),
        ([(data_of("kernel", "scale"), "other")], "scale"),
        ([(data_of("kernel", "more"), "")], "not known"),
        ([(data_of("kernel", "activation"), [])], "is not known"),
        ([(data_of("kernel", "activation"), ["swish"])], "is not known"),
        ([(data_of("kernel", "activation"), ["relu", "1"])], "is not known"),
        ([(data_of("kernel", "activation"), ["polynomial"])], "is not known"),
        ([(data_of("kernel", "activation"), ["polynomial", "x"])], "not the spelling"),
        ([(data_of("kernel", "activation"), ["polynomial", "3"])], "needs softmax"),
        ([(data_of("kernel", "activation"), ["polynomial", "3", "0", "0"])], "needs softmax"),
        ([(data_of("kernel", "activation"), ["cos", "1"])], "is not known"),
        ([(data_of("kernel", "activation"), ["cos", "1", "0", "0"])], "is not known"),
        ([(data_of("kernel", "activation"), ["cos", "0", "1"])], "needs softmax"),
        ([(data_of("kernel", "activation"), "relu")], "belongs"),
    ],
    "points one-point-no-cls": [
        (fields(xi=["0", "0"]), "not tell"),
        # Aα has 2 * (-2) + 4 = 0, the exponent of templates of one letter
        (fields(xi=["2", "-2"], y=["-1", "0"]), "not tell"),
        (
            [(data_of("rows", 1), ["A", "A"]), (data_of("tokens"), ["A"]), *fields(y=["2"])],
            "one letter",
        ),
        ([(data_of("rows", 3), ["β", "β"])], "one letter"),
    ],
    "points one-point-23": [
        (fields(y=["2", "0"]), "two layouts"),
        (fields(y=["2", "2"]), "not tell"),
        ([(data_of("rows", 6), ["β", "β"])], "not tell"),
        ([(data_of("rows", 3), ["A", "A"])], "not tell"),
    ],
    "points modular-points": [
        (fields(residue="20"), "the determinant is 21"),
        (fields(base="101"), "base is zero"),
        (fields(base="1"), "the determinant is 0"),
        (fields(points=plain("ZZ", "1 2 -3 0; 1 2 -3 0")), "the determinant is 0"),
        (fields(points=plain("ZZ", "1 2 -3 0; 1 1 -1 0")), "the sum of xi"),
        (fields(points=plain("ZZ", "1 2 -3; 1 1 -2")), "shape (2, 3)"),
        (fields(points=plain("QQ", "1 2 -3 0; 1 1 -2 0")), "over 'QQ'"),
        (fields(prime="91"), "not prime"),
        ([(data_of("kernel"), None)], "modular points are for softmax"),
        ([(data_of("kernel", "scale"), "appendix-H")], "scale is not main"),
        ([(data_of("kernel", "gamma"), "0")], "needs softmax"),
    ],
    "points template-rank": [
        (fields(rank="3"), "2 inequivalent"),
        (fields(xi=["0", "0", "0"]), "not tell"),
        ([(data_of("kernel", "beta"), "0")], "needs softmax"),
    ],
    "points type-rank": [
        (fields(rank="4"), "3 types"),
        ([(data_of("kernel", "gamma"), None)], "needs softmax"),
        ([(data_of("kernel", "gamma"), "1")], "needs softmax"),
        ([(data_of("kernel", "beta"), "0")], "needs softmax"),
        ([(data_of("kernel", "normalised"), False)], "needs softmax"),
        ([(data_of("kernel", "activation"), ["cos", "0", ""])], "needs softmax"),
        ([(data_of("kernel"), None)], "needs softmax"),
    ],
    "points type-rank-no-cls": [
        ([(data_of("kernel", "activation"), ["relu"])], "no token"),
        ([(data_of("kernel", "scale"), "appendix-H")], "one last token"),
    ],
    "templates every-kernel": [
        (fields(null=plain("ZZ", "0; 0")), "null is zero"),
        (fields(null=plain("ZZ", "1; 1")), "does not annihilate"),
        (fields(null=plain("ZZ", "1 -1")), "shape (1, 2)"),
        (fields(null=plain({"GF": "2"}, "1; 1")), "over 'GF'"),
        ([(data_of("rows", 1), ["β", "β", "CLS"])], "does not annihilate"),
    ],
    "templates gamma-zero": [
        ([(data_of("kernel", "gamma"), "1")], "does not annihilate"),
        ([(data_of("kernel", "gamma"), None)], "does not annihilate"),
        ([(data_of("kernel"), None)], "does not annihilate"),
    ],
    "templates gamma-zero-no-token": [
        ([(data_of("kernel", "gamma"), None)], "does not annihilate"),
        ([(data_of("kernel", "scale"), "appendix-H")], "does not annihilate"),
        ([(data_of("kernel", "activation"), ["relu"])], "does not annihilate"),
    ],
    # (23) knows the last letter, so only the places before it may change
    "templates beta-gamma-zero": [([(data_of("kernel", "scale"), "appendix-H")], "annihilate")],
    "templates bare": [
        ([(data_of("kernel", "normalised"), True)], "does not annihilate"),
        ([(data_of("kernel", "activation"), ["relu"])], "does not annihilate"),
    ],
    "templates bare-tanh": [([(data_of("rows", 1), ["β", "β", "CLS"])], "does not annihilate")],
    "templates constant": [
        ([(data_of("kernel", "activation", 2), "1")], "does not annihilate"),
        (fields(null=plain("ZZ", "1; 1")), "does not annihilate"),
    ],
}
CASES = [(name, *case) for name, cases in REFUSED.items() for case in cases]


@pytest.mark.parametrize(("name", "changes", "words"), CASES)
def test_what_is_refused_and_why(name, changes, words):
    data = DOCUMENTS[name]
    for path, value in changes:
        data = changed(data, path, value)
    assert words in reason(forged(data))


@pytest.mark.parametrize("name", ["points one-point-no-cls", "rank ZZ", "frame texts"])
def test_every_key_is_needed_and_no_other(name):
    data = DOCUMENTS[name]
    for path in [(), *paths(data)]:
        if path[:1] == ("about",) or not isinstance(at(data, path), dict):
            continue
        more = changed(data, (*path, "other"), "")
        assert "not known: {'other'}" in reason(more)
        for key in at(data, path):
            if (*path, key) != ("digest",):
                less = {k: v for k, v in at(data, path).items() if k != key}
                less = seal(less) if not path else changed(data, path, less)
                assert "missing" in reason(less) or "format 2" in reason(less)
    assert "missing" in reason({k: v for k, v in data.items() if k != "digest"})


# Strict reading.

ZZ, QQ = DOCUMENTS["nonsingular ZZ"], DOCUMENTS["nonsingular QQ"]


@pytest.mark.parametrize(
    "text",
    [
        "05",
        "+5",
        "-0",
        "00",
        "5.0",
        "5e0",
        " 5",
        "5 ",
        "5\n",
        "",
        "-",
        "--5",
        "0x5",
        "٥",
        "５",
        "5_0",
    ],
)
def test_integers_have_one_spelling(text):
    assert "not the spelling of an integer" in reason(changed(ZZ, data_of("rows", 0, 0), text))
    assert "not the spelling of an integer" in reason(changed(QQ, data_of("rows", 0, 0), text))
    assert "not the spelling of an integer" in reason(changed(ZZ, ["certificate", "prime"], text))


@pytest.mark.parametrize(
    "text",
    ["2/4", "5/1", "0/2", "1/-2", "-1/-2", "1/0", "/2", "1/", "1/2/3", "1/02", "+1/2", "-0/3"],
)
def test_rationals_have_one_spelling(text):
    assert outcome(changed(QQ, data_of("rows", 0, 0), text)) is checker.Bad
    assert outcome(changed(ZZ, data_of("rows", 0, 0), text)) is checker.Bad
    assert outcome(changed(ZZ, data_of("rows", 0, 0), "1/2")) is checker.Bad


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"title": ""', '"title": "", "title": ""', "key twice"),
        ('"prime": "7"', '"prime": "7", "prime": "7"', "key twice"),
        ('"prime": "7"', '"prime": "7", "pr\\u0069me": "7"', "key twice"),
        ('"prime": "7"', '"prime": 7', "JSON number, '7'"),
        ('"prime": "7"', '"prime": 7.0', "JSON number"),
        ('"prime": "7"', '"prime": -1e3', "JSON number"),
        ('"prime": "7"', '"prime": NaN', "JSON number"),
        ('"prime": "7"', '"prime": -Infinity', "JSON number"),
        ('"title": ""', '"title": "\\ud800"', "not JSON"),
        ('"title": ""', '"title": "\\udc00\\ud800"', "not JSON"),
        ('"about": {}', '"about": {"\\ud800": ""}', "not JSON"),
        ('"title": ""', '"title": "\n"', "not JSON"),
        ('"title": ""', "'title': ''", "not JSON"),
        ('"title": ""', '"title": "",', "not JSON"),
        ("{", "\ufeff{", "not JSON"),
        ("}", "} {}", "not JSON"),
    ],
)
def test_json_is_read_strictly(old, new, words):
    text = json.dumps(ZZ)
    assert old in text
    place = text.rindex(old) if old == "}" else text.index(old)
    forgery = text[:place] + new + text[place + len(old) :]
    data = forgery.encode()
    try:  # the digest fits what a careless reader would see
        careless = seal(json.loads(forgery))
        data = data.replace(ZZ["digest"].encode(), careless["digest"].encode())
    except ValueError:
        pass
    assert words in reason(data)


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[]", b"null", b"true", b'""', b"7", b"{}", b"\xff", b"\x00", b'{"format": []}',
     json.dumps(ZZ).encode("utf-16"), json.dumps(ZZ, ensure_ascii=False).encode() + b"\x00",
     json.dumps([ZZ]).encode(), b'{"title": "\xed\xa0\x80"}', b'"\xc0\x80"'],
)  # fmt: skip
def test_what_is_no_document_is_bad(data):
    reason(data)


def test_the_digest_escapes_as_python_does():
    """All but printable ASCII is escaped, 0x7f too, and the order is that of code points."""
    data = changed(ZZ, ["title"], "\x7f é 𝔽 /")
    data = changed(data, ["about"], {"𝔽": "1", "\uff21": "2"})
    rest = {key: value for key, value in data.items() if key != "digest"}

    def text(value):
        if isinstance(value, dict):
            return "{" + ",".join(f"{text(k)}:{text(value[k])}" for k in sorted(value)) + "}"
        if isinstance(value, list):
            return "[" + ",".join(map(text, value)) + "]"
        if isinstance(value, str):
            pieces = [x if " " <= x <= "~" else "" for x in value]
            for i, x in enumerate(value):
                units = x.encode("utf-16-be")
                if not pieces[i]:
                    pieces[i] = "".join(
                        f"\\u{units[k : k + 2].hex()}" for k in range(0, len(units), 2)
                    )
            return '"' + "".join(pieces) + '"'
        return {True: "true", False: "false", None: "null"}[value]

    assert "\\u007f \\u00e9 \\ud835\\udd3d /" in text(rest)
    assert text(rest).index("\\uff21") < text(rest).index('\\ud835\\udd3d":')
    assert hashlib.sha256(text(rest).encode()).hexdigest() == data["digest"]
    assert outcome(data) == ZZ["statement"]


# Nothing that was made to be slow or large is.


def nested(depth):
    return b'{"format": ' + b"[" * depth + b"]" * depth + b"}"


def square_balls(size, exponents):
    ball = [["1", e, "0", "0"] for e in exponents]
    rows = [[ball[(i + j) % len(ball)] for j in range(size)] for i in range(size)]
    inverse = [["0"] * size] * size
    return document(
        "nonsingular-balls",
        {"bits": "53", "inverse": plain("QQ", inverse)},
        matrix({"balls": "53"}, rows),
        "",
        exactness="ball",
    )


def fractions(size, seed=0):
    dice = random.Random(seed)
    return [[f"1/{dice.randrange(10**30) * 2 + 3}" for _ in range(size)] for _ in range(size)]


def long_polynomial(count):
    return [["1", [str(k)]] for k in range(count, 0, -1)]


X = {"polynomials": "QQ", "variables": ["x"]}
HUGE = "9" * 100_000
HOSTILE = {
    "deep": (lambda: nested(100_000), "too deep"),
    "deep-value": (lambda: as_bytes(ZZ).replace(b'"title": ""', b'"title": ' + nested(900)), ""),
    "long-number": (lambda: changed(ZZ, data_of("rows", 0, 0), "9" * 100_001), "10^5 digits"),
    "many-digits": (lambda: changed(ZZ, ["title"], "1" * 10_000_001), "10^7 digits"),
    "many-bytes": (lambda: b" " * 100_000_001, "100 MB"),
    "wide": (
        lambda: document("rank", DOCUMENTS["rank zero"]["certificate"],
                         matrix("ZZ", [], (0, 10**7)), ""),
        "shape",
    ),
    "wider": (lambda: document("stage", {"before": [], "after": []},
                               matrix("ZZ", [], (0, 10**8)), ""), "not from 0"),
    "balls": (lambda: square_balls(60, ["1048576", "-1048576"]), "too long"),
    "powers": (
        lambda: document(
            "nonsingular",
            residue("7", "1", generic=True, x=HUGE)
            | {"frame": plain({"polynomials": "QQ", "variables": ["b"]}, [[[["1", ["0"]]]]]),
               "orders": ["0"]},
            matrix(series(X, 1), [[[[["1", ["1000000"]]]]]]),
            "",
        ),
        "too long",
    ),
    "terms": (
        lambda: document("singular", {"null": plain(X, [[long_polynomial(9000)]])},
                         matrix(X, [[long_polynomial(9000)]]), ""),
        "too long",
    ),
    "exponents": (
        lambda: document(
            "nonsingular",
            residue("7", "1", generic=True, q="3"),
            matrix({"exponentials": "q"},
                   [[[["1", x]] for x in row] for row in fractions(100)]),
            "",
        ),
        "too long",
    ),
    "denominators": (
        lambda: document("not-positive-definite", {"direction": plain("QQ", [["1/3"]] * 300)},
                         matrix("QQ", [[row[0]] * 300 for row in [["1"]] * 300]), ""),
        "v^T M v > 0",
    ),
    "fractions": (
        lambda: document("positive-definite", {"factor": plain("QQ", fractions(220))},
                         matrix("ZZ", [["1"] * 220] * 220), ""),
        "too long",
    ),
    "roots": (
        lambda: document("trace-bound", {"place": "1", "dimension": "1", "trace": "1"},
                         matrix("ZZ", [[str((7 * i + j * j) % 10**6) for j in range(150)]
                                       for i in range(150)]), ""),
        "too long",
    ),
    "precision": (
        lambda: document("nonsingular", residue("7", "1", generic=True),
                         matrix(series("ZZ", 10**4), [[["1"] * 10**4] * 5] * 5), ""),
        "too long",
    ),
    "exponent-of-points": (
        lambda: document(
            "modular-points",
            {"prime": "7", "base": "3", "residue": "1",
             "points": plain("ZZ", [["1", "-1", "0", HUGE] for _ in range(12)])},
            templates(" ".join(["αα*", "αβ*"] * 6), "*", "αβ", SOFTMAX), ""),
        "too long",
    ),
    "large-determinant": (
        lambda: document("nonsingular", residue("7", "1"), matrix("ZZ", [["1"] * 1900] * 1900), ""),
        "too long",
    ),
}  # fmt: skip


SLOW = {"large-determinant", "fractions"}


@pytest.mark.parametrize(
    "name", [pytest.param(x, marks=[pytest.mark.slow] * (x in SLOW)) for x in HOSTILE]
)
def test_hostile_files_are_bad_at_once(name):
    make, words = HOSTILE[name]
    data = make()
    data = data if isinstance(data, bytes) else as_bytes(data)
    start = time.process_time()
    assert words in reason(data)
    assert time.process_time() - start < (60 if name in SLOW else 10)


# Sizes that occur.


@pytest.fixture(scope="module")
def large():
    """144 x 144 integers of twenty digits."""
    dice = random.Random(144)
    return [[dice.randrange(-(10**20), 10**20) for _ in range(144)] for _ in range(144)]


def text_matrix(rows):
    return [[str(x) for x in row] for row in rows]


def in_time(data, seconds):
    start = time.process_time()
    assert checker.check_document(as_bytes(data)) == data["statement"]
    assert time.process_time() - start < seconds


def test_a_large_determinant(large):
    p = 2**61 - 1
    value = int(flint.nmod_mat(144, 144, [x % p for row in large for x in row], p).det())
    statement = f"nonsingular at these parameters: det = {value} modulo {p}"
    subject = matrix("ZZ", text_matrix(large))
    data = document("nonsingular", residue(str(p), str(value)), subject, statement)
    in_time(data, 30)
    assert outcome(forged(changed(data, data_of("rows", 77, 5), "1"))) is checker.Bad


def test_a_large_gram_matrix(large):
    G = flint.fmpz_mat(large)
    M = [[int(x) for x in row] for row in (G.transpose() * G).tolist()]
    for i in range(144):
        M[i][i] += 1
    data = document(
        "positive-definite",
        {"scale": "1", "gram": plain("ZZ", text_matrix(large))},
        matrix("ZZ", text_matrix(M)),
        "positive definite: a multiple is a Gram matrix plus a strictly diagonally dominant one",
    )
    in_time(data, 30)
    changes = changed(data, data_of("rows", 9, 9), str(M[9][9] - 1))
    assert "not dominant" in reason(changes)


def test_a_large_congruence(large):
    """U^T S U with S dominant and U = 1 + (1 above the diagonal), so F = U^-1 has entries +-1."""
    r = range(144)
    S = [[144 * 10**20 if i == j else large[min(i, j)][max(i, j)] for j in r] for i in r]
    SU = [[row[j] + (row[j - 1] if j else 0) for j in r] for row in S]
    M = [[SU[i][j] + (SU[i - 1][j] if i else 0) for j in r] for i in r]
    F = [[(-1) ** (j - i) if j >= i else 0 for j in r] for i in r]
    data = document(
        "positive-definite",
        {"factor": plain("ZZ", text_matrix(F))},
        matrix("ZZ", text_matrix(M)),
        "positive definite: a congruent matrix is strictly diagonally dominant",
    )
    in_time(data, 30)
    assert "not dominant" in reason(changed(data, ["certificate", "factor", "rows", 3, 4], "1"))


def partitions(length):
    """All set partitions, as words: each letter is an old one or the next new one."""
    words = [[0]]
    for _ in range(length - 1):
        words = [[*word, x] for word in words for x in range(max(word) + 2)]
    return words


def test_877_templates():
    words, dice = partitions(7), random.Random(877)
    assert len(words) == 877
    while True:
        xi = [dice.randrange(-500, 500) for _ in range(7)]
        found = {
            sum(sum(x for x, y in zip(xi, word, strict=True) if y == z) ** 2 for z in set(word))
            for word in words
        }
        if len(found) == 877:
            break
    wild = "αβγδεζη"
    rows = " ".join("".join(wild[x] for x in word) + "*" for word in words)
    data = document(
        "one-point",
        {"xi": [str(x) for x in (*xi, -sum(xi))], "y": ["0"]},
        templates(rows, "*", wild, SOFTMAX),
        k_tau("softmax attention", POINT),
        EVERY,
        "positive-definite",
    )
    in_time(data, 3)
    twice = changed(data, data_of("rows", 3), data["subject"]["data"]["rows"][5])
    assert "not tell" in reason(twice)


# Bundles.

GOOD = [ZZ, DOCUMENTS["points one-point"]]


def test_bundles():
    text = checker.examine(bundle(*GOOD))
    assert text == "bundle of 'boix2024.lemma-4.6': 2 of 2 cases checked"
    for rest in (None, RE_RUN["exhausted"]):
        with pytest.raises(checker.ReRun, match="2 of 3 cases checked, 1 re-run only"):
            checker.examine(bundle(*GOOD, rest))


def bad_bundles():
    data = bundle(*GOOD, None)
    head, *cases, last = data.splitlines(keepends=True)
    yield head + b"".join(cases), "incomplete"
    yield head, "incomplete"
    yield data[:-1], "incomplete"
    yield data + b"\n", "not JSON"
    yield head + cases[0] + last, "digest"
    yield data.replace(b"0.1.0", b"0.1.1", 1), "digest"
    yield bundle(), "not from 1"
    yield bundle(*GOOD, cases="3"), "2 cases, 2 with a certificate"
    yield bundle(*GOOD, certified="1"), "2 cases, 2 with a certificate"
    yield bundle(*GOOD, None, certified="3"), "3 cases, 2 with a certificate"
    yield bundle(*GOOD, cases="02"), "spelling"
    yield bundle(*GOOD, status="wonderful"), "no verdict"
    yield bundle(*GOOD, more=""), "not known"
    yield bundle(ZZ, {**ZZ, "title": "other"}), "line 3: the digest does not fit"
    yield bundle(ZZ, {}), "line 3: no certificate"
    yield bundle(ZZ, []), "line 3"
    for old, new, words in (
        (b'"case"', b'"Case"', "line 2: keys"),
        (b'"claim": "boix', b'"claims": "boix', "keys"),
        (b'"symbench 0.1.0", "claim"', b'"bench 0.1.0", "claim"', "writer"),
        (b'{"length": "3"}', b'{"length": 3}', "number"),
        (b'{"length": "3"}', b'{"x": "3", "x": "3"}', "twice"),
    ):
        changed_data = data.replace(old, new, 1)
        before = changed_data[: changed_data.rindex(b"\n", 0, -1) + 1]
        end = {**json.loads(last), "digest": hashlib.sha256(before).hexdigest()}
        yield before + lines(end), words


@pytest.mark.parametrize(("data", "words"), list(bad_bundles()))
def test_bundles_that_are_bad(data, words):
    with pytest.raises(checker.Bad) as caught:
        checker.examine(data)
    assert words in str(caught.value)


def test_a_document_that_speaks_of_bundles_is_a_document():
    data = changed(ZZ, ["title"], "symbench bundle 1")
    assert checker.examine(as_bytes(data) + b"\n") == ZZ["statement"]
    assert checker.examine(json.dumps(data, indent=1).encode()) == ZZ["statement"]
    broken = as_bytes(data).replace(b'"note"', b'\n"note"')
    assert checker.examine(broken) == ZZ["statement"]
    assert checker.examine(as_bytes(data).replace(b', "note"', b'\n, "note"')) == ZZ["statement"]


# The program.


def test_a_file_that_is_too_large(tmp_path, monkeypatch, capsys):
    (tmp_path / "zeros").write_bytes(bytes(3 * 2**20))
    monkeypatch.setattr(checker, "MAX_FILE", 2**20)
    monkeypatch.setattr(sys, "argv", ["check_certificate.py", str(tmp_path / "zeros")])
    assert checker.main() == 1
    assert capsys.readouterr().out.endswith(": BAD: too large: more than 1 GiB\n")


def run(*arguments, data=b""):
    command = [sys.executable, "-I", "-S", str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, input=data, capture_output=True, timeout=300, check=False)
    assert b"Traceback" not in done.stderr
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_the_program(tmp_path):
    data = {
        "good": as_bytes(ZZ),
        "point": as_bytes(DOCUMENTS["points one-point-relu"]),
        "bad": as_bytes({**ZZ, "title": "other"}),
        "again": as_bytes(RE_RUN["exhausted"]),
        "bundle": bundle(*GOOD),
        "partly": bundle(*GOOD, None),
        "deep": nested(100_000),
    }
    for name, content in data.items():
        (tmp_path / name).write_bytes(content)
    expected = {
        "good": (0, "checked: nonsingular at these parameters: det = 5 modulo 7"),
        "point": (
            0,
            "checked: K_tau of relu over softmax attention is positive definite for every beta, "
            "gamma != 0: distinct exponents at one point; rests on symbench.positive-definite "
            "(proofs/symbench/positive-definite.md), symbench.every-activation "
            "(proofs/symbench/every-activation.md)",
        ),
        "bad": (1, "BAD: the digest does not fit"),
        "again": (3, "re-run: exhausted: only symbench can go through its cases again"),
        "bundle": (0, "checked: bundle of 'boix2024.lemma-4.6': 2 of 2 cases checked"),
        "partly": (
            3,
            "re-run: bundle of 'boix2024.lemma-4.6': 2 of 3 cases checked, 1 re-run only",
        ),
        "deep": (1, "BAD: too large, or nested too deep"),
    }
    for name, (code, text) in expected.items():
        assert run(tmp_path / name) == (code, f"{tmp_path / name}: {text}\n", "")
    everything = [tmp_path / name for name in data]
    code, text, _ = run(*everything)
    assert code == 1
    assert text.splitlines() == [f"{tmp_path / name}: {expected[name][1]}" for name in data]
    assert run("-", data=data["good"]) == (0, f"-: {expected['good'][1]}\n", "")
    assert run(tmp_path / "good", tmp_path / "bundle")[0] == 0
    assert run(tmp_path / "good", tmp_path / "again")[0] == 3
    code, text, _ = run(tmp_path / "missing", tmp_path / "again")
    assert (code, "missing: cannot be read" in text) == (2, True)
    assert run(tmp_path / "missing", tmp_path / "bad")[0] == 1
    assert run(tmp_path)[0] == 2
    code, text, error = run()
    assert (code, text, "usage:" in error) == (2, "", True)
    code, text, _ = run("--help")
    assert (code, "checking it takes no search" in text) == (0, True)


def test_one_line_for_each_file_whatever_its_name(tmp_path):
    path = tmp_path / "a: checked: everything\nb"
    path.write_bytes(b"{")
    code, text, _ = run(path)
    assert code == 1
    assert text.count("\n") == 1


def test_the_program_is_standard_library_alone():
    tree = ast.parse(SCRIPT.read_text())
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    assert names <= set(sys.stdlib_module_names)
    assert not {"float", "decimal", "eval", "exec"} & {
        node.id for node in ast.walk(tree) if isinstance(node, ast.Name)
    }


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    refused = {
        ("writer",): "other 1",
        ("kind",): "nonsense",
        ("certificate", "prime"): "07",
        ("certificate", "residue"): 5,
        ("certificate", "more"): "",
        ("subject", "type"): "Templates",
        ("subject", "data", "rows", 0, 0): "1/2",
        ("subject", "data", "rows", 0, 1): "-0",
        ("subject", "data", "ring"): "RR",
        ("theorems",): [{"claim": "symbench.no-cls", "page": "other"}],
        ("exactness",): "ball",
        ("about",): {"kernel": None},
    }
    for path, value in refused.items():
        assert not validator.is_valid(changed(ZZ, path, value)), path
    assert not validator.is_valid({**ZZ, "digest": ZZ["digest"].upper()})
    for name, data in {data["kind"]: data for data in DOCUMENTS.values()}.items():
        for key in data:
            assert not validator.is_valid({k: v for k, v in data.items() if k != key}), name
        for kind in checker.KINDS:
            if kind != data["kind"]:
                assert not validator.is_valid({**data, "kind": kind}) or {kind, data["kind"]} == {
                    "one-point", "template-rank"
                }  # fmt: skip
