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
    """The features for two choices of the parameters that are left open."""
    kernel = data["kernel"]
    for free in ((0.8, 1.2), (-1.1, 0.7)):
        beta, gamma = (
            value if kernel[name] is None else float(Fraction(kernel[name]))
            for name, value in zip(("beta", "gamma"), free, strict=True)
        )
        settings = {"normalised": kernel["normalised"], "scale": kernel["scale"]}
        yield features(data["rows"], data["tokens"], beta, gamma, **settings)


def random_kernel_annihilates(rows, tokens, vector):
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
    return all(sum(v * value(x, y) for v, y in zip(vector, right, strict=True)) == 0 for x in left)


def null_templates_are_true(data, fields, document):
    vector = [Fraction(x) for (x,) in fields["null"]["rows"]]
    count = sum(x != 0 for x in vector)
    kernel, rows, tokens = data["kernel"], data["rows"], data["tokens"]
    told = f"{name_of(kernel)} is singular: a null vector with {count} nonzero entries"
    if not count or document["statement"] != told:
        return False
    if kernel is None:
        return document["parameters"] == "every" and random_kernel_annihilates(rows, tokens, vector)
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
    if kernel is None or not kernel["normalised"] or kernel["beta"] == "0":
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


def rings_of(data):
    return {kind for kind in checker.EXACT.split() if kind in json.dumps(data)}


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


@every
def test_a_forged_document_is_true_or_bad(name):
    data, seen = DOCUMENTS[name], set()
    if name == "frame long-number":
        return  # each of its digits would be judged
    bad = 0
    for path in paths(data):
        for value in near(at(data, path)):
            new = changed(data, path, value)
            if value == at(data, path) or new["digest"] in seen:
                continue
            seen.add(new["digest"])
            bad += not assert_true_or_bad(new)
            other = forged(new) if path[0] in ("certificate", "subject", "kind") else new
            if other != new:
                bad += not assert_true_or_bad(other)
    assert bad > 50


@every
def test_the_digest_is_over_everything(name):
    data = DOCUMENTS[name]
    for path in paths(data):
        for value in near(at(data, path))[:3]:
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
        data = DOCUMENTS[dice.choice([name for name in DOCUMENTS if "long" not in name])]
        new = flipped(dice, as_bytes(data))
        try:
            checker.check_document(new)
        except (checker.Bad, checker.ReRun):
            continue
        assert json.loads(new) == data, new  # white space


def test_flipped_bytes_never_crash():
    assert_flips_are_harmless(random.Random(11), 3000)


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
    good = [data for name, data in DOCUMENTS.items() if "long" not in name]
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
