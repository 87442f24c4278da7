"""The checker in JavaScript: honest documents pass, tampered ones do not.

Documents are made by hand here, with a helper that fills in the digest and nothing else, and what
is still true after a change is decided by an oracle below: exact, slow and from the definitions.
Node is started once for each batch of documents.
"""

import copy
import hashlib
import itertools
import json
import math
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from tests.certificates.regression import is_true as regression_is_true
from tests.certificates.training import is_true as training_is_true

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

CHECKER = Path(__file__).parents[2] / "symbench" / "certificates" / "check_certificate.js"
DRIVER = """
const {checkCertificate} = require(process.argv[1]);
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(texts.map((text) => {
  const start = performance.now();
  return {...checkCertificate(text), seconds: (performance.now() - start) / 1000};
})));
"""


def results(documents):
    """What the checker says of each, from one start of node."""
    texts = [d if isinstance(d, str) else json.dumps(d) for d in documents]
    run = subprocess.run(
        [NODE, "-e", DRIVER, str(CHECKER)],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        timeout=300,
        check=True,
    )
    answers = json.loads(run.stdout)
    assert len(answers) == len(texts)
    return answers


def command(*paths):
    """The exit code and the lines of the command."""
    run = subprocess.run(
        [NODE, str(CHECKER), *map(str, paths)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return run.returncode, run.stdout.splitlines(), run.stderr


def digested(document):
    """The document with the digest that fits it."""
    body = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**body, "digest": hashlib.sha256(text.encode()).hexdigest()}


def document(kind, statement, certificate, subject, parameters="these", theorems=()):
    if "ring" in subject:
        subject = {"type": "Matrix", "data": subject}
    elif "rows" in subject:
        subject = {"type": "Templates", "data": subject}
    pages = {"no-cls-types": "no-cls"}
    return digested(
        {
            "format": "symbench certificate 2",
            "writer": "symbench 0.1.0",
            "kind": kind,
            "title": "",
            "note": "",
            "about": {"kernel": "by hand"},
            "statement": statement,
            "parameters": parameters,
            "theorems": [
                {
                    "claim": f"symbench.{name}",
                    "page": f"proofs/symbench/{pages.get(name, name)}.md",
                }
                for name in theorems
            ],
            "exactness": "ball" if kind == "nonsingular-balls" else "exact",
            "certificate": certificate,
            "subject": subject,
        }
    )


def matrix(rows, ring="ZZ", shape=None):
    """A matrix as it is stored; integers among the entries become strings."""

    def plain(x):
        return [plain(y) for y in x] if isinstance(x, list) else str(x)

    rows = plain(rows)
    shape = shape or [len(rows), len(rows[0]) if rows else 0]
    return {"ring": ring, "shape": plain(shape), "rows": rows}


def templates(rows, tokens, kernel="softmax", labels=None, **changes):
    """Templates written as words; the letters of `tokens` are tokens, all others wildcards."""
    letters = list(dict.fromkeys("".join(rows)))
    softmax = {
        "beta": None,
        "gamma": None,
        "normalised": True,
        "scale": "main",
        "activation": None,
    }
    return {
        "tokens": [x for x in letters if x in tokens],
        "wildcards": [x for x in letters if x not in tokens],
        "rows": [list(row) for row in rows],
        "labels": labels,
        "kernel": {**softmax, **changes} if kernel == "softmax" else kernel,
    }


# ---- Honest documents: every kind, every ring, statements by hand ----

POLYNOMIALS = {"polynomials": "ZZ", "variables": ["x", "y"]}
X, Y = [["1", ["1", "0"]]], [["1", ["0", "1"]]]
T2 = {"polynomials": "QQ", "variables": ["t"]}
Z5 = {"polynomials": {"GF": "5"}, "variables": ["z"]}
EXPONENTIALS = {"exponentials": "q"}


def series(base, precision):
    return {"series": base, "variable": "b", "precision": str(precision)}


def in_b(*rows):
    """Polynomials in b over QQ from their coefficients, lowest first, as a frame stores them."""
    return matrix(
        [
            [
                [[str(c), [str(k)]] for k, c in reversed(list(enumerate(cell))) if c != 0]
                for cell in row
            ]
            for row in rows
        ],
        {"polynomials": "QQ", "variables": ["b"]},
    )


def image(prime, residue, point=None, valuation=0, generic=False, **more):
    return {
        "prime": str(prime),
        "point": point or {},
        "residue": str(residue),
        "valuation": str(valuation),
        "generic": generic,
        **more,
    }


def vector(*entries, ring="ZZ"):
    return matrix([[x] for x in entries], ring)


HERE = "nonsingular at these parameters: det = "
GENERIC = "nonsingular for generic parameters: det = "
COMBINED = "nonsingular for generic parameters: det of the combined rows = "

NONSINGULAR = {
    "ZZ": (HERE + "1 modulo 101", image(101, 1), matrix([[2, 1], [1, 1]])),
    "ZZ with an inverse": (
        HERE + "1 modulo 101",
        image(101, 1, modulus="5", inverse=matrix([[1, 4], [4, 2]])),
        matrix([[2, 1], [1, 1]]),
    ),
    "ZZ, odd permutation": (
        HERE + "100 modulo 101",
        image(101, 100),
        matrix([[0, 0, 1], [0, 1, 0], [1, 0, 0]]),
    ),
    "ZZ modulo 2": (HERE + "1 modulo 2", image(2, 1), matrix([[3, 2], [4, 5]])),
    # 103 times 1/103 is below 1 in floating point, and a zero comes before the last pivot.
    "ZZ modulo 103": (
        HERE + "102 modulo 103",
        image(103, 102),
        matrix([[1, 1, 1], [1, 1, 2], [1, 2, 1]]),
    ),
    "ZZ modulo a prime below 2^32": (
        HERE + "4294967289 modulo 4294967291",
        image(4294967291, 4294967289),
        matrix([[4294967290, 4294967289], [-3, -4]]),
    ),
    "ZZ modulo a prime above 2^32": (
        HERE + "2 modulo 4294967311",
        image(4294967311, 2),
        matrix([[4294967310, 4294967309], [-3, -8]]),
    ),
    "ZZ modulo the last prime below 2^64": (
        HERE + "18446744073709551555 modulo 18446744073709551557",
        image(18446744073709551557, 18446744073709551555),
        matrix([[1, 2], [3, 4]]),
    ),
    "ZZ without rows": (HERE + "1 modulo 2", image(2, 1), matrix([])),
    "QQ": (
        HERE + "2 modulo 7",
        image(7, 2, modulus="7", inverse=matrix([[3, 2], [5, 4]])),
        matrix([["1/2", "1/3"], ["1/4", "1/5"]], "QQ"),
    ),
    "GF": (HERE + "5 modulo 7", image(7, 5), matrix([[1, 2], [3, 4]], {"GF": "7"})),
    "polynomials over ZZ": (
        GENERIC + "8 modulo 101, x = 3, y = -1",
        image(101, 8, {"y": "-1", "x": "3"}, generic=True),
        matrix([[X, Y], [Y, X]], POLYNOMIALS),
    ),
    "polynomials over QQ": (
        GENERIC + "3 modulo 101, t = 2",
        image(101, 3, {"t": "2"}, generic=True),
        matrix([[[["1/2", ["1"]], [1, ["0"]]], [[1, ["0"]]]], [[[1, ["0"]]], [[1, ["1"]]]]], T2),
    ),
    "polynomials over GF": (
        GENERIC + "3 modulo 5, z = 2",
        image(5, 3, {"z": "2"}, generic=True),
        matrix([[[[1, ["1"]]], [[1, ["0"]]]], [[[1, ["0"]]], [[1, ["1"]]]]], Z5),
    ),
    "exponentials": (
        GENERIC + "32 modulo 101, q = 2",
        image(101, 32, {"q": "2"}, generic=True),
        matrix([[[[1, "1/2"]], [[1, "-1/3"]]], [[[1, 0]], [[1, 1]]]], EXPONENTIALS),
    ),
    "series over ZZ": (
        GENERIC + "2 b^1 + higher orders, modulo 101",
        image(101, 2, valuation=1, generic=True),
        matrix([[[1, 1, 0], [0, 1, 0]], [[0, 1, 0], [0, 2, 0]]], series("ZZ", 3)),
    ),
    "series over ZZ, order beyond the precision": (
        GENERIC + "100 b^2 + higher orders, modulo 101",
        image(101, 100, valuation=2, generic=True),
        matrix([[[0, 0], [0, 1]], [[0, 1], [0, 0]]], series("ZZ", 2)),
    ),
    "series over ZZ, pivots in the middle": (
        GENERIC + "2 b^1 + higher orders, modulo 101",
        image(101, 2, valuation=1, generic=True),
        matrix(
            [
                [[0, 1, 1], [0, 1, 0], [0, 3, 0]],
                [[0, 0, 1], [0, 0, 2], [1, 0, 0]],
                [[1, 0, 0], [-1, 5, 0], [0, 0, 0]],
            ],
            series("ZZ", 3),
        ),
    ),
    "series over QQ": (
        GENERIC + "51 b^1 + higher orders, modulo 101",
        image(101, 51, valuation=1, generic=True),
        matrix([[["1/2", 1], [1, 0]], [[0, 0], [0, 1]]], series("QQ", 2)),
    ),
    "series over GF": (
        GENERIC + "6 b^1 + higher orders, modulo 7",
        image(7, 6, valuation=1, generic=True),
        matrix([[[3, 1], [1, 5]], [[0, 0], [0, 2]]], series({"GF": "7"}, 2)),
    ),
    "series over polynomials": (
        GENERIC + "9 b^0 + higher orders, modulo 101, x = 3, y = 5",
        image(101, 9, {"x": "3", "y": "5"}, generic=True),
        matrix([[[X, Y], [[], X]], [[[], X], [X, []]]], series(POLYNOMIALS, 2)),
    ),
    "series with a frame": (
        COMBINED + "1 b^2 + higher orders, modulo 101",
        image(
            101,
            1,
            valuation=2,
            generic=True,
            frame=in_b([[1], [0]], [[-1, 1], [1, -1]]),
            orders=["1", "1"],
        ),
        matrix([[[0, 1], [0, 1]], [[0, 1], [0, 2]]], series("QQ", 2)),
    ),
    "series with a frame, fractions": (
        COMBINED + "3 b^1 + higher orders, modulo 101, t = 3",
        image(
            101,
            3,
            {"t": "3"},
            valuation=1,
            generic=True,
            frame=in_b([[1], [0]], [["-1/3"], [1]]),
            orders=["0", "1"],
        ),
        matrix(
            [
                [[[[1, ["1"]]], []], [[[1, ["1"]]], []]],
                [[[[1, ["0"]]], []], [[[1, ["0"]]], [[1, ["0"]]]]],
            ],
            series(T2, 2),
        ),
    ),
}

SINGULAR = {
    "ZZ": (vector(2, -1), matrix([[1, 2], [2, 4]]), "these"),
    "ZZ by a vector over QQ": (vector(2, -1, ring="QQ"), matrix([[1, 2], [2, 4]]), "these"),
    "QQ": (vector("2/3", "-1/3", ring="QQ"), matrix([["1/2", 1], [2, 4]], "QQ"), "these"),
    "GF by a vector over ZZ": (vector(7, -1), matrix([[1, 2], [2, 4]], {"GF": "5"}), "these"),
    "GF": (
        vector(2, 4, ring={"GF": "5"}),
        matrix([[1, 2], [2, 4]], {"GF": "5"}),
        "these",
    ),
    "polynomials": (
        vector(Y, [["-1", ["1", "0"]]], ring=POLYNOMIALS),
        matrix([[X, Y], [[["2", ["2", "0"]]], [["2", ["1", "1"]]]]], POLYNOMIALS),
        "generic",
    ),
    "polynomials by integers": (
        vector(1, -1),
        matrix([[X, X], [Y, Y]], POLYNOMIALS),
        "generic",
    ),
    "polynomials over GF": (
        vector(3, 3),
        matrix(
            [[[[2, ["1"]]], [[3, ["1"]]]], [[[4, ["0"]]], [[1, ["0"]]]]],
            Z5,
        ),
        "generic",
    ),
    "exponentials": (
        vector([[1, "1/2"]], [[-1, 0]], ring=EXPONENTIALS),
        matrix([[[[1, 0]], [[1, "1/2"]]], [[[1, "1/3"]], [[1, "5/6"]]]], EXPONENTIALS),
        "generic",
    ),
    "exponentials by integers": (
        vector(1, -1),
        matrix([[[[1, "1/2"]], [[1, "1/2"]]], [[], []]], EXPONENTIALS),
        "generic",
    ),
}

# name: (kernel's name, parameters, theorems, null vector, templates)
FORMAL = {
    "every kernel": (
        "every token-symmetric kernel",
        "every",
        [],
        vector(1, -1, 0),
        templates(["ABαβ", "ABγα", "BAαα"], "AB", kernel=None),
    ),
    "softmax, equivalent templates": (
        "softmax attention",
        "beta any, gamma = 1/2",
        [],
        vector("1/2", "-1/2", ring="QQ"),
        templates(["αβC", "βαC"], "C", gamma="1/2"),
    ),
    "softmax without positions": (
        "softmax attention",
        "beta = 3, gamma = 0",
        ["no-cls-types"],
        vector(1, -1, 0, 0),
        templates(["Aα", "αA", "AA", "αα"], "A", beta="3", gamma="0"),
    ),
    "softmax without positions, one end": (
        "softmax attention",
        "beta any, gamma = 0",
        ["gamma-zero-rank"],
        vector(1, -1, 0),
        templates(["ααβC", "αββC", "αβγC"], "C", gamma="0"),
    ),
    "softmax without positions, a zero row": (
        "softmax attention",
        "beta any, gamma = 0",
        ["no-cls-types"],
        vector(0, 1, 0),
        templates(["Aα", "αβ", "AB"], "AB", gamma="0"),
    ),
    "softmax without positions, appendix H": (
        "softmax attention (23)",
        "beta any, gamma = 0",
        ["no-cls-types"],
        vector(1, -1, 0, 0),
        templates(["ααβγ", "βααγ", "αβγγ", "AAAα"], "A", gamma="0", scale="appendix-H"),
    ),
    "relu without positions": (
        "relu over softmax attention",
        "beta any, gamma = 0",
        ["no-cls-types"],
        vector(1, -1, 0),
        templates(["ααβ", "βαα", "αβγ"], "", gamma="0", activation=["relu"]),
    ),
    "at beta = 0 without positions": (
        "softmax attention",
        "beta = 0, gamma = 0",
        ["no-cls-types"],
        vector(1, -1, 0),
        templates(["AAα", "αAA", "αβγ"], "A", beta="0", gamma="0"),
    ),
    "without normalisation": (
        "attention without normalisation",
        "beta any, gamma any",
        ["normalisation-needed"],
        vector(1, -1, 0),
        templates(["ααC", "αβC", "αCC"], "C", normalised=False),
    ),
    "without normalisation and positions": (
        "attention without normalisation",
        "beta any, gamma = 0",
        ["normalisation-needed"],
        vector(1, -1, 0),
        templates(["AαB", "βBA", "AAα"], "AB", normalised=False, gamma="0"),
    ),
    "constant activation": (
        "polynomial over softmax attention",
        "beta any, gamma any",
        [],
        vector(1, -1),
        templates(["αα", "Aβ"], "A", activation=["polynomial", "5", "0"]),
    ),
    "constant cosine": (
        "cos over attention without normalisation",
        "beta any, gamma any",
        [],
        vector(1, -1),
        templates(["αα", "αβ"], "", normalised=False, activation=["cos", "0", "1/2 π"]),
    ),
    "activation without normalisation": (
        "tanh over attention without normalisation",
        "beta any, gamma any",
        [],
        vector(1, -1, 0),
        templates(["ααβ", "γγα", "αβα"], "", normalised=False, activation=["tanh"]),
    ),
}

EVERY = "every beta, gamma != 0"
POINT = f"is positive definite for {EVERY}: distinct exponents at one point"
CLS = templates(["ααC", "αβC"], "C", labels=["1", "-1"])
NO_CLS = templates(["AA", "BB", "αα", "Aα", "αβ"], "AB", beta="1/3")
ENDS = templates(["AA", "BA", "BB", "αβ", "αα", "Aα"], "AB", scale="appendix-H")
TYPES = templates(["αA", "Aα", "AA", "αβ"], "A", gamma="0")


def lists(**values):
    return {name: [str(x) for x in items] for name, items in values.items()}


def minor(rank, rows, columns, prime, residue, null, point=None, **more):
    return {
        "rank": str(rank),
        **lists(rows=rows, columns=columns),
        "prime": str(prime),
        "point": point or {},
        "residue": str(residue),
        "null": null,
        **more,
    }


def rank_statement(rank, prime):
    return f"rank {rank}: a nonzero minor modulo {prime} and a null space basis"


CONGRUENT = "positive definite: a congruent matrix is strictly diagonally dominant"
GRAM = "positive definite: a multiple is a Gram matrix plus a strictly diagonally dominant one"

# Blocks of size 1, once, and of size 2, twice, in a basis that shears the standard one.
BLOCKS = matrix(
    [[7, 0, 0, -3, 0], [0, 5, 0, 1, 0], [0, 0, 5, 0, -1], [0, 2, 0, 3, 0], [0, 0, -2, 0, 3]]
)
SHEAR = matrix(
    [[1, 1, 0, 1, 0], [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [0, 0, 0, 0, -1]]
)

HONEST = {
    **{
        f"nonsingular, {name}": document(
            "nonsingular",
            statement,
            certificate,
            subject,
            "generic" if certificate["generic"] else "these",
        )
        for name, (statement, certificate, subject) in NONSINGULAR.items()
    },
    **{
        f"singular, {name}": document(
            "singular",
            "singular: a null vector with 2 nonzero entries",
            {"null": null},
            subject,
            parameters,
        )
        for name, (null, subject, parameters) in SINGULAR.items()
    },
    **{
        f"singular, {name}": document(
            "singular",
            f"K_tau of {kernel} is singular: a null vector with "
            f"{1 if 'zero row' in name else 2} nonzero entries",
            {"null": null},
            subject,
            parameters,
            theorems,
        )
        for name, (kernel, parameters, theorems, null, subject) in FORMAL.items()
    },
    "balls": document(
        "nonsingular-balls",
        "nonsingular: an approximate inverse serves every matrix in the balls",
        {"bits": "64", "inverse": matrix([["1/2", 0], ["-1/12", "1/3"]], "QQ")},
        matrix(
            [[[1, 1, 1, -2], [0, 0, 0, 0]], [[1, -1, 0, 0], [3, 0, 5, -1]]],
            {"balls": "64"},
        ),
    ),
    "rank, ZZ": document(
        "rank",
        rank_statement(1, 101),
        minor(1, [0], [1], 101, 2, matrix([[2, 0], [-1, 3], [0, -2]])),
        matrix([[1, 2, 3], [2, 4, 6]]),
    ),
    "rank, ZZ, full": document(
        "rank",
        rank_statement(2, 101),
        minor(2, [1, 0], [0, 1], 101, 2, matrix([[], []], shape=[2, 0])),
        matrix([[1, 2], [3, 4]]),
    ),
    "rank, zero": document(
        "rank",
        rank_statement(0, 2),
        minor(0, [], [], 2, 1, matrix([[1, 0], [0, 2]], "QQ")),
        matrix([[0, 0], [0, 0], [0, 0]]),
    ),
    "rank, QQ with an inverse": document(
        "rank",
        rank_statement(1, 101),
        minor(
            1,
            [0],
            [0],
            101,
            51,
            matrix([[2], [-1]]),
            modulus="5",
            inverse=matrix([[1]]),
        ),
        matrix([["1/2", 1], ["1/3", "2/3"]], "QQ"),
    ),
    "rank, GF": document(
        "rank",
        rank_statement(1, 5),
        minor(1, [0], [0], 5, 1, matrix([[3, 5], [1, 5], [5, 1]])),
        matrix([[1, 2, 0]], {"GF": "5"}),
    ),
    "rank, polynomials": document(
        "rank",
        rank_statement(1, 101),
        minor(
            1,
            [1],
            [0],
            101,
            4,
            vector(Y, [[-1, ["1", "0"]]], ring=POLYNOMIALS),
            {"x": "2", "y": "7"},
        ),
        matrix([[X, Y], [[[1, ["2", "0"]]], [[1, ["1", "1"]]]]], POLYNOMIALS),
        "generic",
    ),
    "rank, exponentials": document(
        "rank",
        rank_statement(1, 101),
        minor(1, [1], [0], 101, 4, vector([[1, "1/2"]], [[-1, 0]], ring=EXPONENTIALS), {"q": "2"}),
        matrix([[[[1, 0]], [[1, "1/2"]]], [[[1, "1/3"]], [[1, "5/6"]]]], EXPONENTIALS),
        "generic",
    ),
    "positive definite, factor": document(
        "positive-definite",
        CONGRUENT,
        {"factor": matrix([[1, "-1/2"], [0, 1]], "QQ")},
        matrix([[2, 1], [1, 1]]),
    ),
    "positive definite, gram": document(
        "positive-definite",
        GRAM,
        {"scale": "2", "gram": matrix([[1, 1], [0, 0], [0, 0]])},
        matrix([["3/2", "1/3"], ["1/3", "3/2"]], "QQ"),
    ),
    "positive definite, both": document(
        "positive-definite",
        CONGRUENT,
        {"factor": matrix([[1, 0], [0, 1]]), "scale": "1", "gram": matrix([[1, 1]])},
        matrix([[2, 1], [1, 2]]),
    ),
    "not positive definite": document(
        "not-positive-definite",
        "not positive definite: a vector v with v^T M v <= 0",
        {"direction": vector(2, "-1/2", ring="QQ")},
        matrix([[1, 4], [4, 16]]),
    ),
    "unique assignment": document(
        "unique-assignment",
        "unique maximum: the identity permutation beats every other",
        {
            **lists(assignment=[0, 1], order=[1, 0]),
            "rows": matrix([[3, 2]]),
            "columns": matrix([[0, 0]], "QQ"),
        },
        matrix([[3, 1], [2, 2]]),
    ),
    "unique assignment, three": document(
        "unique-assignment",
        "unique maximum: the one permutation beats every other",
        {
            **lists(assignment=[1, 2, 0], order=[2, 0, 1]),
            "rows": matrix([["1/2", 1, 0]], "QQ"),
            "columns": matrix([[0, 1, 2]]),
        },
        matrix([[-1, "3/2", "5/2"], [0, "1/2", 3], [0, 1, 1]], "QQ"),
    ),
    "tied assignment": document(
        "tied-assignment",
        "no unique maximum: two permutations reach it",
        {
            **lists(first=[0, 1], second=[1, 0]),
            "rows": matrix([[1, 2]]),
            "columns": matrix([[0, "1/2"]], "QQ"),
        },
        matrix([[1, "3/2"], [2, "5/2"]], "QQ"),
    ),
    "block form": document(
        "block-form",
        "block diagonal in a basis: 1 x 1 (1 time), 2 x 2 (2 times)",
        {
            "basis": SHEAR,
            "blocks": [matrix([[7]]), matrix([[5, 1], [2, 3]])],
            **lists(repeats=[1, 2]),
            "prime": "101",
            "residue": "100",
        },
        BLOCKS,
    ),
    "block form, the repeated block first": document(
        "block-form",
        "block diagonal in a basis: 2 x 2 (2 times), 1 x 1 (1 time)",
        {
            "basis": matrix([[int(i == j) for j in range(5)] for i in range(5)]),
            "blocks": [matrix([[5, 1], [2, 3]]), matrix([[7]])],
            **lists(repeats=[2, 1]),
            "prime": "2",
            "residue": "1",
        },
        matrix(
            [
                [5, 0, 1, 0, 0],
                [0, 5, 0, 1, 0],
                [2, 0, 3, 0, 0],
                [0, 2, 0, 3, 0],
                [0, 0, 0, 0, 7],
            ]
        ),
    ),
    "block form, fractions in the matrix alone": document(
        "block-form",
        "block diagonal in a basis: 1 x 1 (1 time), 1 x 1 (1 time)",
        {
            "basis": matrix([[1, 1], [1, -1]]),
            "blocks": [matrix([[1]]), matrix([[0]])],
            **lists(repeats=[1, 1]),
            "prime": "7",
            "residue": "5",
        },
        matrix([["1/2", "1/2"], ["1/2", "1/2"]], "QQ"),
    ),
    "block form, fractions": document(
        "block-form",
        "block diagonal in a basis: 1 x 1 (1 time), 1 x 1 (1 time)",
        {
            "basis": matrix([["1/2", 1], ["1/2", -1]], "QQ"),
            "blocks": [matrix([["5/6"]], "QQ"), matrix([["1/6"]], "QQ")],
            **lists(repeats=[1, 1]),
            "prime": "7",
            "residue": "6",
        },
        matrix([["1/2", "1/3"], ["1/3", "1/2"]], "QQ"),
    ),
    "trace bound": document(
        "trace-bound",
        "eigenvalue 2 of the block is at most 2/3 = 4 / (2 * 3)",
        {"place": "2", "dimension": "3", "trace": "4"},
        matrix([["1/2", "1/3"], ["1/3", "1/2"]], "QQ"),
    ),
    "trace bound, equality and a double root": document(
        "trace-bound",
        "eigenvalue 1 of the block is at most 2 = 2 / (1 * 1)",
        {"place": "1", "dimension": "1", "trace": "2"},
        matrix([[2, 1, 0], [0, 2, 0], [0, 0, -5]]),
    ),
    "stage": document(
        "stage",
        "separates 2 groups of templates into 3",
        lists(before=[0, 0, 0, 1], after=[5, 5, -2, 7]),
        matrix([[1, 1, "1/2", 1], [1, 1, "1/2", 1], ["1/2", "1/2", 1, 0], [1, 1, 0, 1]], "QQ"),
    ),
    "head": document(
        "head-computes",
        "a head of attention computes the mean of 2 of 6 signs with error at most 1/5, attained",
        {
            "sparsity": "2",
            "length": "6",
            "denominator": "1",
            "base": "20",
            "error": "1/5",
            "key": vector(1, 1),
            **lists(counts=[4]),
        },
        matrix([[1, 0], [0, 1], [0, 0]]),
    ),
    "head, fractions": document(
        "head-computes",
        "a head of attention computes the mean of 2 of 5 signs with error at most 36/83, attained",
        {
            "sparsity": "2",
            "length": "5",
            "denominator": "4",
            "base": "2",
            "error": "36/83",
            "key": vector("4/5", "4/5", ring="QQ"),
            **lists(counts=[2, 1]),
        },
        matrix([[1, "1/4"], ["1/4", 1], ["5/16", "5/16"], ["-5/8", "5/16"]], "QQ"),
    ),
    "head, a base below one": document(
        "head-computes",
        "a head of attention computes the mean of 1 of 2 signs with error at most 6/5, attained",
        {
            "sparsity": "1",
            "length": "2",
            "denominator": "1",
            "base": "1/2",
            "error": "6/5",
            "key": vector("1/3", ring="QQ"),
            **lists(counts=[1]),
        },
        matrix([[3], [0]]),
    ),
    "prediction": document(
        "ridge-prediction",
        "ridge regression on 3 strings with 2 patterns and ridge 1 predicts 8/31",
        {
            **lists(patterns=[0, 0, 1]),
            "own": matrix([[8], [6]]),
            "column": matrix([[6], [4]]),
            "meetings": matrix([[0, 2, 5], [2, 3, 5]]),
            "labels": matrix([[1], [1], [-1]]),
            "weights": matrix([["15/62"], ["11/31"], ["21/62"]], "QQ"),
            "ridge": "1",
            "prediction": "8/31",
        },
        matrix([[6, 4], [4, 4]]),
    ),
    "prediction, apart": document(
        "ridge-prediction",
        "ridge regression on 1 strings with 1 patterns and ridge 1/2 predicts 9/20",
        {
            **lists(patterns=[0]),
            "own": matrix([[2]]),
            "column": matrix([["3/2"]], "QQ"),
            "labels": matrix([["3/4"]], "QQ"),
            "weights": matrix([["3/5"]], "QQ"),
            "ridge": "1/2",
            "prediction": "9/20",
        },
        matrix([[1]], "QQ"),
    ),
    "training": document(
        "equivariant-training",
        "the outputs at two inputs have the same law over 2 trained networks: "
        "one of the two expected squared errors is 5/2, at least 1",
        {
            "tests": matrix([[0, 1, 0, 1], [0, 0, 1, -1]]),
            "starts": matrix([[0, 1, 0], [0, 0, 1]]),
            **lists(permutation=[0, 2, 1], widths=[]),
            "rate": "1/2",
            "momentum": "0",
            "decay": "0",
            "batch": "1",
            "error": "5/2",
        },
        matrix([[1, 0, 0, 1]]),
    ),
    "training, relu": document(
        "equivariant-training",
        "the outputs at two inputs have the same law over 2 trained networks: "
        "one of the two expected squared errors is 337/512, at least 1/4",
        {
            "tests": matrix([[0, 1, 0, 1], [0, 0, 1, 0]]),
            "starts": matrix([[1, 1, 0, 1], [1, 0, 1, 1]]),
            **lists(permutation=[0, 2, 1], widths=[1]),
            "rate": "1/4",
            "momentum": "1/2",
            "decay": "0",
            "batch": "1",
            "error": "337/512",
        },
        matrix([[1, 0, 0, 0], [1, 0, 0, 1]]),
    ),
    "training, a polynomial": document(
        "equivariant-training",
        "the outputs at two inputs have the same law over 1 trained networks: "
        "one of the two expected squared errors is 3969/256, at least 1/4",
        {
            "tests": matrix([[0, 1, 0, 0], [0, 0, 1, 1]], "QQ"),
            "starts": matrix([[1, 2, 2, 1]]),
            "activation": matrix([[0, 0, 1]]),
            **lists(permutation=[0, 2, 1], widths=[1]),
            "rate": "1/2",
            "momentum": "0",
            "decay": "1/2",
            "batch": "2",
            "error": "3969/256",
        },
        matrix([[1, 0, 0, 1], [1, 0, 0, 3]], "QQ"),
    ),
    "one point": document(
        "one-point",
        f"K_tau of softmax attention {POINT}",
        lists(xi=[1, 2, -3], y=[4]),
        CLS,
        EVERY,
        ["positive-definite"],
    ),
    "one point without CLS": document(
        "one-point",
        f"K_tau of gelu over softmax attention {POINT}",
        lists(xi=[1, -1], y=[1, 5]),
        {**NO_CLS, "kernel": {**NO_CLS["kernel"], "activation": ["gelu"]}},
        EVERY,
        ["no-cls", "every-activation"],
    ),
    "one point, appendix H": document(
        "one-point",
        f"K_tau of softmax attention (23) {POINT}",
        lists(xi=[1, -1], y=[1, 5]),
        ENDS,
        EVERY,
        ["no-cls"],
    ),
    "one point, appendix H, one end": document(
        "one-point",
        f"K_tau of softmax attention (23) {POINT}",
        lists(xi=[1, 2, -3], y=[4]),
        {**CLS, "kernel": {**CLS["kernel"], "scale": "appendix-H"}},
        EVERY,
        ["no-cls"],
    ),
    "modular points": document(
        "modular-points",
        "K_tau of softmax attention is nonsingular for gamma != 0, algebraic beta^2 != 0: "
        "det != 0 mod 101",
        {
            "prime": "101",
            "base": "2",
            "points": matrix([[1, 2, -3, 0], [1, -1, 0, -4]]),
            "residue": "97",
        },
        CLS,
        "gamma != 0, algebraic beta^2 != 0",
        ["positive-definite"],
    ),
    "modular points, negative exponents": document(
        "modular-points",
        "K_tau of polynomial over softmax attention is nonsingular for gamma != 0, "
        "algebraic beta^2 != 0: det != 0 mod 18446744073709551557",
        {
            "prime": "18446744073709551557",
            "base": "18446744073709551559",
            "points": matrix([[1, -1, -1], [1, -1, 0]]),
            "residue": "18446744073709551551",
        },
        templates(["Aα", "αβ"], "A", activation=["polynomial", "0", "0", "1/2"]),
        "gamma != 0, algebraic beta^2 != 0",
        ["no-cls", "every-activation"],
    ),
    "template rank": document(
        "template-rank",
        f"K_tau of softmax attention has rank 3 for {EVERY}: as many inequivalent templates",
        {"rank": "3", **lists(xi=[1, 2, -3], y=[4])},
        templates(["αβC", "βαC", "ααC", "CαC", "βγC"], "C", gamma="-7"),
        EVERY,
        ["positive-definite"],
    ),
    "type rank": document(
        "type-rank",
        "K_tau of softmax attention has rank 2 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        {"rank": "2"},
        TYPES,
        "gamma = 0, every beta != 0",
        ["no-cls-types"],
    ),
    "type rank, one end and an activation": document(
        "type-rank",
        "K_tau of cos over softmax attention (23) has rank 2 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        {"rank": "2"},
        templates(
            ["ααβC", "αβαC", "αβγC"],
            "C",
            gamma="0",
            scale="appendix-H",
            activation=["cos", "2", "any phase"],
        ),
        "gamma = 0, every beta != 0",
        ["gamma-zero-rank", "every-activation"],
    ),
}


# ---- The oracle: is a document true? Exact, slow, from the definitions; sizes are tiny ----
#
# An element of a ring is a dictionary from exponents to coefficients; the variable of a series is
# the last variable, and what lies beyond its precision is filled in at random.


def element(entry, ring, noise):
    if isinstance(ring, str) or "GF" in ring:
        return {(): Fraction(entry)} if entry != "0" else {}
    if "polynomials" in ring:
        return {tuple(map(Fraction, e)): Fraction(c) for c, e in entry}
    if "exponentials" in ring:
        return {(Fraction(e),): Fraction(c) for c, e in entry}
    found = {}
    for k, coefficient in enumerate(entry):
        for e, c in element(coefficient, ring["series"], noise).items():
            found[(*e, Fraction(k))] = c
    constant = (Fraction(0),) * (len(variables_of(ring)))
    return {**found, (*constant, Fraction(len(entry))): Fraction(noise.randrange(1, 50))}


def variables_of(ring):
    if isinstance(ring, str) or "GF" in ring:
        return []
    if "polynomials" in ring:
        return ring["variables"]
    return [ring["exponentials"]] if "exponentials" in ring else variables_of(ring["series"])


def characteristic(ring):
    if isinstance(ring, str):
        return 0
    inner = ring.get("polynomials") or ring.get("series")
    return characteristic(inner) if inner else int(ring.get("GF", 0))


def elements(stored, noise=None):
    noise = noise or random.Random(1)
    return [[element(x, stored["ring"], noise) for x in row] for row in stored["rows"]]


def added(*parts):
    total = {}
    for part in parts:
        for e, c in part.items():
            total[e] = total.get(e, 0) + c
    return {e: c for e, c in total.items() if c}


def product(one, two):
    return added(
        *(
            {tuple(map(sum, itertools.zip_longest(e, f, fillvalue=0))): c * d}
            for e, c in one.items()
            for f, d in two.items()
        )
    )


def leibniz(rows):
    """The determinant as a sum over permutations."""
    total = {}
    for p in itertools.permutations(range(len(rows))):
        sign = (-1) ** sum(p[i] > p[j] for i, j in itertools.combinations(range(len(p)), 2))
        term = {(): Fraction(sign)}
        for i, j in enumerate(p):
            term = product(term, rows[i][j])
        total = added(total, term)
    return total


def modulo(x, p):
    return x.numerator * pow(x.denominator, -1, p) % p


def at_point(value, stored, point, p):
    """Coefficients by the power of the last variable that is left: orders of series, else 0."""
    names = variables_of(stored["ring"])
    root = 1
    if "exponentials" in stored["ring"]:
        root = math.lcm(
            1, *(Fraction(e).denominator for row in stored["rows"] for x in row for _, e in x)
        )
    found = {}
    for exponents, c in value.items():
        term = modulo(c, p)
        full = (*exponents, *[Fraction(0)] * (len(names) + 1 - len(exponents)))
        for name, e in zip(names, full, strict=False):
            term = term * pow(int(point[name]), int(e * root), p) % p
        order = int(full[len(names)]) if len(full) > len(names) else 0
        found[order] = (found.get(order, 0) + term) % p
    return {order: c for order, c in found.items() if c}


def fractions(stored):
    return [[Fraction(x) for x in row] for row in stored["rows"]]


def times(A, B):
    return [
        [sum((x * y for x, y in zip(a, b, strict=True)), Fraction(0)) for b in zip(*B, strict=True)]
        for a in A
    ]


def determinant(rows):
    return leibniz([[{(): x} if x else {} for x in row] for row in rows]).get((), Fraction(0))


def is_prime(p):
    import sympy

    return 2 <= p < 2**64 and sympy.isprime(p)


def nonsingular_is_true(c, stored):
    p = int(c["prime"])
    assert is_prime(p)
    if characteristic(stored["ring"]):
        assert characteristic(stored["ring"]) == p
    for seed in range(3):
        value = leibniz(elements(stored, random.Random(seed)))
        if "frame" in c:
            value = product(value_in_last(leibniz(elements(c["frame"])), stored), value)
        lowest = at_point(value, stored, c["point"], p)
        order = min(lowest)
        if (order, lowest[order]) != (int(c["valuation"]), int(c["residue"])):
            return False
    if "inverse" in c:
        m = int(c["modulus"])
        M, A = fractions(stored), fractions(c["inverse"])
        D = math.lcm(1, *(x.denominator for row in M for x in row))
        scaled = [[D * x for x in row] for row in M]
        return all(
            (x - (i == j)) % m == 0
            for i, row in enumerate(times(A, scaled))
            for j, x in enumerate(row)
        )
    return True


def value_in_last(value, stored):
    """A polynomial in the variable of a series, as an element of the ring of series."""
    front = (Fraction(0),) * len(variables_of(stored["ring"]))
    return {(*front, *e): c for e, c in value.items()}


def balls_are_true(c, stored):
    A = fractions(c["inverse"])
    n = len(A)

    def ends(cell):
        m, e, r, s = map(int, cell)
        return [m * Fraction(2) ** e + sign * r * Fraction(2) ** s for sign in (-1, 1)]

    # The norm of I - A M is convex in M, so its largest values are at corners: each row of M apart.
    cells = [(i, j) for i in range(n) for j in range(n)]
    for corner in itertools.product(*(ends(stored["rows"][i][j]) for i, j in cells)):
        M = [list(corner[i * n : i * n + n]) for i in range(n)]
        rows = times(A, M)
        if any(
            sum(abs((i == j) - x) for j, x in enumerate(row)) >= 1 for i, row in enumerate(rows)
        ):
            return False
    return c["bits"] == stored["ring"]["balls"]


def vanishes(value, ring):
    p = characteristic(ring)
    return all(c % p == 0 for c in value.values()) if p else not any(value.values())


def is_null(rows, columns, ring):
    return all(
        vanishes(added(*(product(x, y[0]) for x, y in zip(row, column, strict=True))), ring)
        for row in rows
        for column in columns
    )


def singular_is_true(c, subject):
    if "ring" in subject:
        ring = subject["ring"]
        null = elements(c["null"])
        nonzero = any(not vanishes(x, ring) for [x] in null)
        square = subject["shape"][0] == subject["shape"][1]
        return square and nonzero and is_null(elements(subject), [null], ring)
    weights = [Fraction(x) for [x] in c["null"]["rows"]]
    assert len(weights) == len(subject["rows"])
    names = formal_matrix(subject)
    return any(weights) and all(
        sum(w for w, other in zip(weights, row, strict=True) if other == name) == 0
        for row in names
        for name in set(row)
        if name != "zero"
    )


def formal_matrix(subject):
    """Entries K_tau must share, by going through all symmetries the kernel has."""
    kernel, tokens = subject["kernel"], subject["tokens"]
    rows = subject["rows"]
    constant = kernel and is_constant(kernel["activation"])
    plain = kernel and not kernel["activation"]
    blind = plain and not kernel["normalised"]
    moves = bool(
        kernel and kernel["gamma"] == "0" and not constant and (plain or kernel["normalised"])
    )
    one_end = len({row[-1] for row in rows}) == 1 and rows[0][-1] in tokens
    zeros = bool(
        moves
        and plain
        and kernel["normalised"]
        and kernel["beta"] != "0"
        and (kernel["scale"] == "main" or one_end)
    )
    fixed = moves and kernel["scale"] == "appendix-H" and not zeros

    def letters(row, side):
        if constant:
            return [(side,)] * len(row)
        return [x if x in tokens else (side, x, a if blind else 0) for a, x in enumerate(row)]

    def orders(row):
        if not moves:
            return [row]
        end = [row[-1]] if fixed else []
        return [
            list(front) + end for front in set(itertools.permutations(row[: len(row) - len(end)]))
        ]

    def pattern(word):
        seen = {}
        return tuple(seen.setdefault(x, len(seen)) for x in word)

    def name(one, two):
        if zeros and not {x for x in one if x in tokens} & set(two):
            return "zero"
        x, y = letters(one, 0), letters(two, 1)
        return min(min(pattern(a + b), pattern(b + a)) for a in orders(x) for b in orders(y))

    table = [[name(one, two) for two in rows] for one in rows]
    if not zeros:
        return table
    kinds = [type_of(row, tokens) for row in rows]
    return [
        [x if x == "zero" else frozenset([kinds[i], kinds[j]]) for j, x in enumerate(row)]
        for i, row in enumerate(table)
    ]


def is_constant(activation):
    if not activation or activation[0] not in ("polynomial", "cos"):
        return False
    return set(activation[2:] if activation[0] == "polynomial" else activation[1:2]) <= {"0"}


def type_of(row, tokens):
    counts = {x: row.count(x) for x in row}
    return (
        tuple(sorted((x, n) for x, n in counts.items() if x in tokens)),
        tuple(sorted(n for x, n in counts.items() if x not in tokens)),
    )


def rank_is_true(c, stored):
    rows, ring, p = elements(stored), stored["ring"], int(c["prime"])
    height, width, rank = len(rows), int(stored["shape"][1]), int(c["rank"])
    chosen = [[rows[int(i)][int(j)] for j in c["columns"]] for i in c["rows"]]
    if not is_prime(p) or characteristic(ring) not in (0, p):
        return False
    if at_point(leibniz(chosen), stored, c["point"], p) != {0: int(c["residue"])}:
        return False
    columns = [[[x] for x in column] for column in zip(*elements(c["null"]), strict=True)]
    if len(columns) != width - rank or not is_null(rows, columns, ring):
        return False
    if "inverse" in c:
        m = int(c["modulus"])
        M = [[Fraction(stored["rows"][int(i)][int(j)]) for j in c["columns"]] for i in c["rows"]]
        D = math.lcm(1, *(x.denominator for row in M for x in row))
        unit = times(fractions(c["inverse"]), [[D * x for x in row] for row in M])
        if any((x - (i == j)) % m for i, row in enumerate(unit) for j, x in enumerate(row)):
            return False
    minors = {
        k: any(
            not vanishes(leibniz([[rows[i][j] for j in across] for i in down]), ring)
            for down in itertools.combinations(range(height), k)
            for across in itertools.combinations(range(width), k)
        )
        for k in range(1, min(height, width) + 1)
    }
    return rank == max([k for k, found in minors.items() if found], default=0)


def is_symmetric(M):
    return all(list(column) == row for row, column in zip(M, zip(*M, strict=True), strict=True))


def definite_is_true(c, stored):
    M = fractions(stored)
    parts = []
    if "factor" in c:
        F = fractions(c["factor"])
        parts.append(times(list(map(list, zip(*F, strict=True))), times(M, F)))
    if "gram" in c:
        G, s = fractions(c["gram"]), Fraction(c["scale"])
        gram = times(list(map(list, zip(*G, strict=True))), G)
        parts.append(
            [[s * x - y for x, y in zip(a, b, strict=True)] for a, b in zip(M, gram, strict=True)]
        )
        if s <= 0:
            return False
    dominant = all(
        row[i] > sum(abs(x) for j, x in enumerate(row) if j != i)
        for S in parts
        for i, row in enumerate(S)
    )
    minors = [determinant([row[:k] for row in M[:k]]) for k in range(1, len(M) + 1)]
    return bool(parts) and dominant and is_symmetric(M) and all(x > 0 for x in minors)


def indefinite_is_true(c, stored):
    M, v = fractions(stored), fractions(c["direction"])
    value = times([[x for [x] in v]], times(M, v))[0][0]
    return is_symmetric(M) and any(x for [x] in v) and value <= 0


def best(stored):
    C = fractions(stored)
    sums = {p: sum(C[i][j] for i, j in enumerate(p)) for p in itertools.permutations(range(len(C)))}
    return [p for p, value in sums.items() if value == max(sums.values())]


def slack_is_right(c, stored, *permutations):
    C, [u], [v] = fractions(stored), fractions(c["rows"]), fractions(c["columns"])
    slack = [[u[i] + v[j] - x for j, x in enumerate(row)] for i, row in enumerate(C)]
    return all(x >= 0 for row in slack for x in row) and not any(
        slack[i][j] for p in permutations for i, j in enumerate(p)
    )


def unique_is_true(c, stored):
    p = tuple(map(int, c["assignment"]))
    C, [u], [v] = fractions(stored), fractions(c["rows"]), fractions(c["columns"])
    order = list(map(int, c["order"]))
    tight = [(i, k) for i in range(len(C)) for k, j in enumerate(p) if u[i] + v[j] == C[i][j]]
    forward = all(i == k or order.index(i) < order.index(k) for i, k in tight)
    return best(stored) == [p] and slack_is_right(c, stored, p) and forward


def tied_is_true(c, stored):
    pair = {tuple(map(int, c["first"])), tuple(map(int, c["second"]))}
    return len(pair) == 2 and pair <= set(best(stored)) and slack_is_right(c, stored, *pair)


def blocks_are_true(c, stored):
    M, B, p = fractions(stored), fractions(c["basis"]), int(c["prime"])
    D = [[Fraction(0)] * len(M) for _ in M]
    place = 0
    for stored_block, t in zip(c["blocks"], map(int, c["repeats"]), strict=True):
        block = fractions(stored_block)
        for i, j, u in itertools.product(range(len(block)), range(len(block)), range(t)):
            D[place + i * t + u][place + j * t + u] = block[i][j]
        place += len(block) * t
    if place != len(M) or not is_prime(p):
        return False
    return times(M, B) == times(B, D) and modulo(determinant(B), p) == int(c["residue"]) != 0


def trace_bound_is_true(c, stored):
    import sympy

    x = sympy.Symbol("x")
    M = sympy.Matrix(fractions(stored))
    roots = sympy.real_roots(sympy.Poly(M.charpoly(x).as_expr(), x))
    bound = sympy.Rational(c["trace"]) / (int(c["place"]) * int(c["dimension"]))
    return (
        len(roots) == M.shape[0]
        and int(c["dimension"]) >= 1
        and bool(sorted(roots, reverse=True)[int(c["place"]) - 1] <= bound)
    )


def stage_is_true(c, stored):
    C, before, after = fractions(stored), c["before"], c["after"]
    pairs = list(itertools.combinations(range(len(C)), 2))
    gaps = {(i, j): C[i][i] + C[j][j] - 2 * C[i][j] for i, j in pairs}
    return is_symmetric(C) and all(
        after[i] != after[j]
        if before[i] != before[j]
        else gaps[i, j] >= 0 and (gaps[i, j] > 0) == (after[i] != after[j])
        for i, j in pairs
    )


def separates(kernel):
    """Without a kernel values are generic, and those of softmax attention are among them."""
    return kernel is None or (
        kernel["normalised"]
        and "0" not in (kernel["beta"], kernel["gamma"])
        and not is_constant(kernel["activation"])
    )


def equivalent(one, two, tokens):
    pairs = set(zip(one, two, strict=True))
    return len({a for a, _ in pairs}) == len({b for _, b in pairs}) == len(pairs) and all(
        a == b or not {a, b} & set(tokens) for a, b in pairs
    )


def inequivalent(subject):
    found = []
    for row in subject["rows"]:
        if not any(equivalent(row, other, subject["tokens"]) for other in found):
            found.append(row)
    return found


def exponent_of(row, xi, y, tokens):
    total = 0
    for letter in set(row):
        s = sum(x for x, other in zip(xi, row, strict=True) if other == letter)
        total += 2 * y[tokens.index(letter)] * s if letter in tokens else s * s
    return total


def is_separated(rows, c, subject):
    xi, y, tokens = [int(x) for x in c["xi"]], [int(x) for x in c["y"]], subject["tokens"]
    if sum(xi) or len(y) != len(tokens):
        return False

    def wild(letter):
        return letter if letter in tokens else None

    for one, two in itertools.combinations(rows, 2):
        e, f = (exponent_of(row, xi, y, tokens) for row in (one, two))
        if subject["kernel"] is None or subject["kernel"]["scale"] == "main":
            if len(set(one)) == len(set(two)) == 1:
                apart = wild(one[0]) != wild(two[0])
            elif 1 in (len(set(one)), len(set(two))):
                apart = (e if len(set(one)) > 1 else f) != 0
            else:
                apart = e != f
        elif wild(one[-1]) != wild(two[-1]):
            apart = True
        elif wild(one[-1]) is not None or [*map(wild, one)] == [*map(wild, two)]:
            apart = e != f
        else:
            sums = [
                sum(y[tokens.index(t)] * x for t, x in zip(row, xi, strict=True) if t in tokens)
                for row in (one, two)
            ]
            apart = sums[0] != sums[1]
        if not apart:
            return False
    return True


def point_is_true(c, subject):
    return (
        separates(subject["kernel"])
        and len(inequivalent(subject)) == len(subject["rows"])
        and is_separated(subject["rows"], c, subject)
    )


def template_rank_is_true(c, subject):
    rows = inequivalent(subject)
    return (
        separates(subject["kernel"])
        and int(c["rank"]) == len(rows)
        and is_separated(rows, c, subject)
    )


def modular_is_true(c, subject):
    p, tokens = int(c["prime"]), subject["tokens"]
    if subject["kernel"] is None or subject["kernel"]["scale"] != "main":
        return False
    if not is_prime(p) or not separates(subject["kernel"]):
        return False
    rows = []
    for point in c["points"]["rows"]:
        values = list(map(int, point))
        xi, y = values[: len(subject["rows"][0])], values[len(subject["rows"][0]) :]
        if sum(xi) or len(y) != len(tokens):
            return False
        exponents = [exponent_of(row, xi, y, tokens) for row in subject["rows"]]
        rows.append([{(): Fraction(pow(int(c["base"]), e, p))} for e in exponents])
    found = modulo(leibniz(rows).get((), Fraction(0)), p)
    return found == int(c["residue"]) != 0 and len(inequivalent(subject)) == len(rows)


def type_rank_is_true(c, subject):
    kernel, rows, tokens = subject["kernel"], subject["rows"], subject["tokens"]
    kinds = [type_of(row, tokens) for row in rows]
    one_end = len({row[-1] for row in rows}) == 1 and rows[0][-1] in tokens
    return (
        kernel is not None
        and kernel["normalised"]
        and kernel["beta"] != "0"
        and kernel["gamma"] == "0"
        and (kernel["scale"] == "main" or one_end)
        and not is_constant(kernel["activation"])
        and (not kernel["activation"] or all(kind[0] for kind in kinds))
        and int(c["rank"]) == len({kind for kind in kinds if kind[0]})
    )


def head_is_true(c, stored):
    rows, key = fractions(stored), [row[0] for row in fractions(c["key"])]
    s, d, base = int(c["sparsity"]), int(c["denominator"]), Fraction(c["base"])
    counts = [1] * s + [int(n) for n in c["counts"]]
    if s < 1 or d < 1 or base <= 0 or len(counts) != len(rows) or min(counts) < 1:
        return False
    if len(key) != len(rows[0]) or sum(counts) != int(c["length"]) or sum(counts) > 12:
        return False
    scores = [sum(x * y for x, y in zip(row, key, strict=True)) for row in rows]
    if any((r * d).denominator > 1 or abs(r * d) > 1000 for r in scores) or d > 1000:
        return False
    each = [base ** int(r * d) for r, n in zip(scores, counts, strict=True) for _ in range(n)]
    total = sum(each) + 1
    signs = itertools.product((-1, 1), repeat=len(each))
    worst = max(
        abs(
            sum(x * w for x, w in zip(word, each, strict=True)) / total - Fraction(sum(word[:s]), s)
        )
        for word in signs
    )
    return all(r == 1 for r in scores[:s]) and worst == Fraction(c["error"])


ORACLE = {
    "nonsingular": nonsingular_is_true,
    "nonsingular-balls": balls_are_true,
    "singular": singular_is_true,
    "rank": rank_is_true,
    "positive-definite": definite_is_true,
    "not-positive-definite": indefinite_is_true,
    "unique-assignment": unique_is_true,
    "tied-assignment": tied_is_true,
    "block-form": blocks_are_true,
    "trace-bound": trace_bound_is_true,
    "stage": stage_is_true,
    "head-computes": head_is_true,
    "equivariant-training": training_is_true,
    "ridge-prediction": regression_is_true,
    "one-point": point_is_true,
    "modular-points": modular_is_true,
    "template-rank": template_rank_is_true,
    "type-rank": type_rank_is_true,
}


def is_true(document):
    return ORACLE[document["kind"]](document["certificate"], document["subject"]["data"])


# ---- Tests ----


def test_honest_documents_pass():
    answers = results(HONEST.values())
    for (name, honest), answer in zip(HONEST.items(), answers, strict=True):
        assert answer["status"] == "checked", (name, answer["reason"])
        assert answer["statement"] == honest["statement"]
        assert answer["theorems"] == honest["theorems"]
        assert is_true(honest), name


def test_every_kind_and_ring_is_among_them():
    kinds = {honest["kind"] for honest in HONEST.values()}
    assert kinds == set(ORACLE)
    text = json.dumps(list(HONEST.values()))
    for ring in ('"ZZ"', '"QQ"', '"GF"', '"polynomials"', '"exponentials"', '"series"', '"balls"'):
        assert f'"ring": {ring}' in text or f'"ring": {{{ring}' in text


def leaves(value, path=()):
    """Every place in a document, containers included."""
    yield path, value
    if isinstance(value, (dict, list)):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))


def changed(document, path, change):
    result = copy.deepcopy(document)
    *front, last = path
    holder = result
    for key in front:
        holder = holder[key]
    change(holder, last)
    return digested(result)


def replaced(value):
    def change(holder, key):
        holder[key] = value

    return change


def dropped(holder, key):
    del holder[key]


def doubled(holder, key):
    holder.insert(key, copy.deepcopy(holder[key]))


def swapped(holder, key):
    holder[key], holder[key - 1] = holder[key - 1], holder[key]


def is_number(value):
    try:
        Fraction(value)
    except (ValueError, TypeError):
        return False
    return isinstance(value, str)


def tampered(document, most=None, choice=None):
    """Changes of one place each, digest and all, with the path that was changed."""
    for path, value in leaves(document):
        if not path or path[0] in ("digest", "about", "title", "note", "writer"):
            continue
        changes = [replaced(x) for x in (None, [], {}, "0", "") if x != value]
        if is_number(value):
            x = Fraction(value)
            changes = [replaced(str(y)) for y in (x + 1, x - 1, -x, 2 * x) if x != y] + changes
        elif isinstance(value, bool):
            changes.append(replaced(not value))
        elif isinstance(value, str):
            changes += [replaced(value + "x"), replaced("A"), replaced("α"), replaced("appendix-H")]
        elif isinstance(value, dict):
            changes += [replaced("ZZ"), replaced("QQ"), replaced({"GF": "101"})]
            changes.append(lambda holder, key: holder[key].update(extra="0"))
        elif value is None:
            changes += [replaced(["relu"]), replaced(["polynomial", "1"]), replaced("main")]
        changes += [dropped] if isinstance(path[-1], str) else [dropped, doubled]
        if path[-1] and not isinstance(path[-1], str):
            changes.append(swapped)
        if most is not None and len(changes) > most:
            changes = choice.sample(changes, most)
        for change in changes:
            result = changed(document, path, change)
            if result != document:
                yield path, result


DERIVED = ("statement", "parameters", "theorems", "exactness")


def check_tampered(most=None):
    choice = random.Random(20)
    everything = [
        (name, path, d)
        for name, honest in HONEST.items()
        for path, d in tampered(honest, most, choice)
    ]
    answers = results(d for _, _, d in everything)
    # The checker compares sentences last: one that misses another sentence has passed the rest.
    passed = [
        (name, path, d, answer)
        for (name, path, d), answer in zip(everything, answers, strict=True)
        if answer["status"] != "BAD" or " should be " in answer["reason"]
    ]
    for name, path, d, answer in passed:
        if path[0] in DERIVED:
            assert answer["reason"].startswith(f"{path[0]} should be "), (name, path)
        elif "labels" not in path:
            assert is_true(d), (name, path, d, answer)
    seconds = sum(answer["seconds"] for answer in answers)
    print(f"{len(everything)} tampered documents in {seconds:.2f} s, {len(passed)} are still true")
    assert len(everything) > 3000
    assert 100 < len(passed) < len(everything) / 5


def test_tampered_documents_fail_unless_they_are_true():
    check_tampered(most=1)


@pytest.mark.slow
def test_all_tampered_documents_fail_unless_they_are_true():
    check_tampered()


def test_another_digest_fails():
    wrong = []
    for honest in HONEST.values():
        wrong.append({**honest, "title": "another"})
        wrong.append({**honest, "digest": honest["digest"].upper()})
        wrong.append({**honest, "digest": "0" * 64})
    honest = HONEST["one point"]
    moved = copy.deepcopy(honest)
    moved["certificate"]["y"] = ["5"]  # as true as before
    answers = results([*wrong, moved, digested(moved)])
    assert {a["reason"] for a in answers[:-1]} == {"the digest does not fit the text"}
    assert answers[-1]["status"] == "checked"


def test_the_digest_of_any_text():
    texts = ["x" * n for n in range(140)] + [
        "".join(map(chr, range(0x20))),
        "\x7f\x80\xff\u0100\u2028\u2029\ufeff\ufffe\uffff",
        "\ud7ff\ue000\U00010000\U0001f600\U0010ffff",
        '\\ " / \\u0041 </script>',
        "é" * 1000,
    ]
    documents = [digested({**HONEST["one point"], "title": x, "note": x}) for x in texts]
    # Python sorts keys by code point, JavaScript by UTF-16 units, where U+1F600 is before U+FFFF.
    keys = ["\U0001f600", "\uffff", "\ue000", "\ud7ff", "z", "__proto__", "", "10", "9", "zz"]
    about = {**HONEST["one point"], "about": dict.fromkeys(keys, "π")}
    word = templates(["\U0001f600\U0001f600Γ", "\U0001f600\x7fΓ"], "Γ")
    letters = document(
        "one-point",
        f"K_tau of softmax attention {POINT}",
        lists(xi=[1, 2, -3], y=[4]),
        word,
        EVERY,
        ["positive-definite"],
    )
    documents += [digested(about), letters]
    raw = [json.dumps(d, ensure_ascii=False, indent=1) for d in documents]
    answers = results([*documents, *raw])
    assert [a["reason"] for a in answers if a["status"] != "checked"] == []


NOT_NUMBERS = ["05", "+5", "2/4", "5/1", "-0", "0/3", "1/-2", "1/0", "-1/02", " 5", "5 ", "5\n", ""]
NOT_NUMBERS += ["٣", "５", "1e3", "0x5", "1_0", "1.0", "5n", "--5", "1/2/3", "/", "1/", "NaN"]
NOT_NUMBERS += ["Infinity"]


def numbers_in(document):
    """The places of numbers: all but words that merely look like one."""
    for path, value in leaves(document):
        word = "labels" in path or ("activation" in path and path[-1] == 2)
        if is_number(value) and path[0] in ("certificate", "subject") and not word:
            yield path


def test_numbers_have_one_spelling():
    wrong, choice = [], random.Random(5)
    for honest in HONEST.values():
        for path in numbers_in(honest):
            wrong += [changed(honest, path, replaced(x)) for x in choice.sample(NOT_NUMBERS, 2)]
    everywhere = HONEST["positive definite, gram"]
    for path in numbers_in(everywhere):
        wrong += [changed(everywhere, path, replaced(x)) for x in NOT_NUMBERS]
    answers = results(wrong)
    assert {a["status"] for a in answers} == {"BAD"}
    assert not any(" should be " in a["reason"] for a in answers)


def test_json_is_read_strictly():
    text = json.dumps(HONEST["one point"])
    assert text.count('"title": ""') == 1

    def digest_of(value):
        return digested({**HONEST["one point"], "title": value})["digest"]

    wrong = {
        "a key is given twice": [
            text.replace('"title": ""', '"title": "", "title": ""'),
            text.replace('"title": ""', '"title": "", "\\u0074itle": ""'),
            text.replace('"kernel": "by hand"', '"a": "", "a": ""'),
            text.replace('"gamma": null', '"gamma": null, "gamma": null'),
            '{"a": {"b": "", "c": ""}, "a": ""}',
            text.replace('"by hand"', '{"a:": {}, "a:": ":"}'),
        ],
        "a number that is not a string": [
            text.replace('"title": ""', '"title": 5'),
            text.replace('"xi": ["1"', '"xi": [1'),
            text.replace('"title": ""', '"title": -1.5e300'),
            "5",
        ],
        "half a surrogate pair": [
            text.replace('"title": ""', f'"title": "{half}"')
            for half in ("\\ud800", "\\udc00 x", "\\ude00\\ud83d", "\ud800", "x\udfff")
        ]
        + [text.replace('"by hand"', '"", "\\ud800": ""')],
        "the text is not JSON": [
            "",
            " ",
            text + "x",
            text + text,
            text[:-1],
            "\ufeff" + text,
            text.replace('"title": ""', '"title": NaN'),
            text.replace('"title": ""', '"title": True'),
            text.replace('"title": ""', "'title': ''"),
            text.replace('"title": ""', "title: ''"),
            text.replace('"title": ""', '"title": "\t"'),
            text.replace('"title": ""', '"title": "\\x41"'),
            text.replace('"title": ""', '"title": "\\u12"'),
            text.replace('"title": ""', '"title": "",'),
            text.replace('"title": ""', '"title": "" /* */'),
            text.replace('"title": ""', '"title" ""'),
            text.replace('"xi": [', '"xi": [,'),
            text.replace("{", "{\xa0", 1),
        ],
        "nesting deeper than 100": ["[" * 10**6, '{"a":' * 10**5, text[:-1] + "[" * 101],
    }
    answers = results(x for many in wrong.values() for x in many)
    reasons = [reason for reason, many in wrong.items() for _ in many]
    assert [a["reason"] for a in answers] == reasons
    right = [
        text.replace('"title": ""', '"\\u0074itle": ""'),
        json.dumps(HONEST["one point"], separators=(" \t\r\n,", " :\n")),
        json.dumps({**HONEST["one point"], "title": ":{[", "digest": digest_of(":{[")}),
        json.dumps({**HONEST["one point"], "title": '\\":', "digest": digest_of('\\":')}),
    ]
    assert [a["status"] for a in results(right)] == ["checked"] * len(right)


def refuse(wrong):
    """Each document is refused for the reason under which it stands."""
    answers = iter(results(d for documents in wrong.values() for d in documents))
    for reason, documents in wrong.items():
        for _ in documents:
            answer = next(answers)
            assert answer["status"] == "BAD", reason
            assert reason in answer["reason"], (reason, answer["reason"])


def test_the_frame_of_a_document():
    honest = HONEST["singular, ZZ"]
    subject, certificate = honest["subject"], honest["certificate"]
    gram = {"claim": "symbench.gram", "page": "proofs/symbench/gram.md"}

    def changed_to(*changes):
        return [digested({**honest, **change}) for change in changes]

    refuse(
        {
            'the format is not "symbench certificate 2"': changed_to(
                {"format": "symbench certificate 1"}, {"format": "symbench certificate 3"}
            ),
            "the writer is not symbench": changed_to({"writer": "symbench"}, {"writer": "other 1"}),
            "is unknown": changed_to(
                *({"kind": x} for x in ("constructor", "__proto__", "singularity", ""))
            )
            + changed_to({"subject": {**subject, "type": "Series"}}),
            "is not about": [
                variant("nonsingular, ZZ", (("subject",), HONEST["one point"]["subject"])),
                variant("one point", (("subject",), HONEST["nonsingular, ZZ"]["subject"])),
                variant("stage", (("subject",), HONEST["one point"]["subject"])),
            ],
            "is no string": changed_to(
                {"about": {"kernel": None}}, {"title": None}, {"note": []}, {"statement": False}
            ),
            "about is not an object": changed_to({"about": []}, {"about": "x"}, {"about": None}),
            "is not of the format": changed_to(
                {"extra": ""},
                {"": ""},
                {"subject": {**subject, "extra": ""}},
                {"subject": {**subject, "": ""}},
                {"certificate": {**certificate, "": ""}},
            ),
            "theorems should be []": changed_to({"theorems": [gram]}, {"theorems": {}}),
            "exactness should be ": changed_to({"exactness": "ball"}),
            "keys are missing": [
                *(
                    digested({k: v for k, v in honest.items() if k != key})
                    for key in list(honest)[:-1]
                ),
                {k: v for k, v in honest.items() if k != "digest"},
                [honest],
                "null",
                '"x"',
                "[]",
                "{}",
            ],
        }
    )


def variant(name, *changes):
    """An honest document with some places replaced, and its digest."""
    result = copy.deepcopy(HONEST[name])
    for path, value in changes:
        result = changed(result, path, replaced(value))
    return result


DATA = ("subject", "data")
ENTRY = (*DATA, "rows", 0, 0)


def test_rings_and_matrices_have_one_spelling():
    def polynomial(*entry):
        return variant("nonsingular, polynomials over ZZ", (ENTRY, list(entry)))

    def exponential(*entry):
        return variant("nonsingular, exponentials", (ENTRY, list(entry)))

    def ball(*entry):
        return variant("balls", (ENTRY, [str(x) for x in entry]))

    def ring(name, **changes):
        stored = HONEST[name]["subject"]["data"]["ring"]
        return variant(name, ((*DATA, "ring"), {**stored, **changes}))

    def plain(*changes):
        return variant("nonsingular, ZZ", *(((*DATA, key), value) for key, value in changes))

    xy = "nonsingular, polynomials over ZZ"
    refuse(
        {
            "terms are not in their order": [
                polynomial(["1", ["1", "0"]], ["1", ["1", "0"]]),
                polynomial(["1", ["0", "1"]], ["1", ["1", "0"]]),
                polynomial(["1", ["1", "0"]], ["1", ["1", "1"]]),
                exponential(["1", "1/2"], ["1", "1/3"]),
                exponential(["1", "1/2"], ["1", "1/2"]),
            ],
            "a term has the coefficient zero": [
                polynomial(["0", ["1", "0"]]),
                exponential(["0", "0"]),
            ],
            "a term has not one exponent per variable": [
                polynomial(["1", ["1"]]),
                polynomial(["1", ["1", "0", "0"]]),
            ],
            "an exponent is not from 0 to 1000000": [
                polynomial(["1", ["-1", "0"]]),
                polynomial(["1", ["1000001", "0"]]),
            ],
            '"1/2" is not an integer': [
                polynomial(["1/2", ["1", "0"]]),
                polynomial(["1", ["1/2", "0"]]),
                plain(("rows", [["1/2", "1"], ["1", "1"]])),
            ],
            "a term is not a coefficient and its exponents": [
                polynomial(["1", ["1", "0"], "0"]),
                exponential(["1"]),
            ],
            "the variables are not distinct names": [
                *(
                    ring(xy, variables=names)
                    for names in ([], ["x", "x"], ["x", "2y"], ["x", "ü"], ["x", ""], ["x", None])
                ),
                ring("nonsingular, exponentials", exponentials="2"),
                ring("nonsingular, series over polynomials", variable="x"),
                ring("nonsingular, series over ZZ", variable="b\n"),
            ],
            "polynomials are not over": [
                ring(xy, polynomials=base)
                for base in (POLYNOMIALS, EXPONENTIALS, series("ZZ", 2), {"balls": "64"})
            ],
            "series are not over": [
                ring("nonsingular, series over ZZ", series=base)
                for base in (EXPONENTIALS, series("ZZ", 2), {"balls": "64"})
            ],
            "is not a ring": [plain(("ring", x)) for x in ({}, {"ZZ": ""}, "RR", None, ["ZZ"])],
            "is not of the format": [ring(xy, extra="")],
            "the bits is not from 2 to 10000000": [
                ring("balls", balls="1"),
                ring("balls", balls="10000001"),
            ],
            "the precision is not from 1 to 10000": [
                ring("nonsingular, series over ZZ", precision="0"),
                ring("nonsingular, series over ZZ", precision="10001"),
            ],
            "9 is not a prime": [ring("nonsingular, GF", GF="9")],
            "an entry is no residue of the field": [
                variant("nonsingular, GF", (ENTRY, "8")),
                variant("nonsingular, GF", (ENTRY, "-6")),
                variant("nonsingular, polynomials over GF", (ENTRY, [["6", ["1"]]])),
            ],
            "a series has another length": [
                variant("nonsingular, series over ZZ", (ENTRY, ["1", "1"])),
                variant("nonsingular, series over ZZ", (ENTRY, ["1", "1", "0", "0"])),
            ],
            "a ball is not in its one spelling": [
                ball(2, 0, 1, -2),
                ball(0, 1, 1, -2),
                ball(1, 1, 2, -3),
                ball(1, 1, 0, 1),
                ball(1, 1, -1, -9),
                ball(1, 1, 2**30 + 1, -40),
                ball(1, 1, 1),
                ball(1, 1, 1, -2, 0),
                ball(1, 2**20 + 1, 0, 0),
                ball(1, -(2**20) - 1, 0, 0),
                ball(1, 1, 1, -(2**20) - 1),
                ball(1, 1, 1, 2**20 + 1),
            ],
            "the shape is not two numbers": [
                plain(("shape", ["2", "2", "1"])),
                plain(("shape", ["2"])),
            ],
            "the rows do not fit the shape": [
                plain(("shape", ["3", "2"])),
                plain(("shape", ["2", "3"])),
                plain(("rows", [["2", "1"], ["1", "1", "0"]])),
            ],
            "the matrix is not square": [
                variant("nonsingular, ZZ without rows", ((*DATA, "shape"), ["0", "5"])),
                plain(("shape", ["1", "2"]), ("rows", [["1", "1"]])),
                variant(
                    "trace bound", ((*DATA, "shape"), ["1", "2"]), ((*DATA, "rows"), [["1"] * 2])
                ),
            ],
            "a matrix over GF, not over ZZ,QQ": [
                variant(name, ((*DATA, "ring"), {"GF": "101"}), ((*DATA, "rows"), rows))
                for name, rows in (
                    ("positive definite, factor", [["2", "1"], ["1", "1"]]),
                    ("tied assignment", [["1", "1"], ["1", "1"]]),
                )
            ],
            "keys are missing: x y": [variant(xy, (("certificate", "point"), {"x": "3"}))],
            'the key "z" is not of the format': [
                variant(xy, (("certificate", "point"), {"x": "3", "y": "-1", "z": "0"}))
            ],
        }
    )


def test_conditions_that_keep_a_claim_true():
    """Each of these misses one condition of its kind, with all else in order."""
    inverse = matrix([[1, 4], [4, 2]])
    in_qq = (*DATA, "ring", "series")

    short = matrix([[["0", "0"]]], series("ZZ", 2))

    def inverted(modulus, rows):
        yield ("certificate", "modulus"), str(modulus)
        yield ("certificate", "inverse"), matrix(rows)

    wrong = {
        "the order is beyond the precision": [
            variant("nonsingular, series over ZZ, order beyond the precision", (in_qq, "QQ"))
        ],
        "is not a prime": [
            variant("nonsingular, ZZ", (("certificate", "prime"), str(n)))
            for n in (4, 1729, 3215031751, 4294967297, 3825123056546413051)
        ],
        "is not from 2 to 2^64": [
            variant("nonsingular, ZZ", (("certificate", "prime"), str(n)))
            for n in (1, 0, -3, 2**64 + 13)
        ],
        "the modulus is not from 2 to 2^64": [
            variant("nonsingular, ZZ with an inverse", *inverted(modulus, rows))
            for modulus, rows in ((1, [[0, 0], [0, 0]]), (2**64 + 1, [[1, 2**64], [2**64, 2]]))
        ],
        "the inverse is not of residues": [
            variant("nonsingular, ZZ with an inverse", *inverted(5, rows))
            for rows in ([[6, 4], [4, 2]], [[1, -1], [-1, 2]])
        ]
        + [
            document(
                "nonsingular",
                "",
                image(3, 1, modulus="5", inverse=matrix([[1, 5], [0, 1]])),
                matrix([[1, 0], [0, 1]]),
            )
        ],
        "a slack is negative": [
            variant("unique assignment", ((*DATA, "rows", 0, 1), "4")),
            variant("tied assignment", (("certificate", "rows"), matrix([[1, "3/2"]], "QQ"))),
        ],
        "a slack on a permutation is not zero": [
            variant("unique assignment", ((*DATA, "rows", 1, 1), "1")),
            variant("tied assignment", ((*DATA, "rows", 1, 0), "1")),
        ],
        "a row's sum reaches 1": [
            document(
                "nonsingular-balls",
                "",
                {"bits": "64", "inverse": matrix([["0"]], "QQ")},
                matrix([[[1, 0, 0, 0]]], {"balls": "64"}),
            )
        ],
        "v^T M v is positive": [
            variant(
                "not positive definite",
                ((*DATA, "rows"), [["1", "0"], ["0", "1"]]),
                (("certificate", "direction"), vector(1, 0)),
            )
        ],
        "two rows are grouped wrongly": [
            document("stage", "", lists(before=[0, 0], after=after), matrix([[0, x], [x, 0]]))
            for x, after in ((1, [0, 1]), (1, [0, 0]), (-1, [0, 0]), (0, [0, 1]))
        ]
        + [document("stage", "", lists(before=[0, 1], after=[2, 2]), matrix([[1, 0], [0, 1]]))],
        "two templates have one and the same letter": [
            document("one-point", "", lists(xi=[1, -1], y=y), templates(rows, "A"))
            for rows, y in ((["αα", "ββ"], []), (["AA", "αβ", "AA"], [1]))
        ],
        "the inverse is none": [
            variant("nonsingular, ZZ with an inverse", *inverted(5, [[1, 4], [4, 3]]))
        ],
        "the point's value is zero modulo the prime": [
            variant("nonsingular, exponentials", (("certificate", "point", "q"), "202"))
        ],
        "the frame's ring is another": [
            variant(
                "nonsingular, series with a frame",
                (("certificate", "frame", "ring"), {"polynomials": base, "variables": [name]}),
            )
            for base, name in (("QQ", "c"), ("ZZ", "b"))
        ],
        "there is not one order per row": [
            variant("nonsingular, series with a frame", (("certificate", "orders"), orders))
            for orders in (["1"], ["1", "1", "0"])
        ],
        "an order is not from 0 to 1": [
            variant("nonsingular, series with a frame", (("certificate", "orders"), ["1", "2"]))
        ],
        "divides a denominator": [variant("nonsingular, QQ", (("certificate", "prime"), "5"))],
        "the prime is not that of the field": [
            variant("nonsingular, GF", (("certificate", "prime"), "101"))
        ],
        "modulus and inverse come together": [
            variant("nonsingular, ZZ", (("certificate", "inverse"), inverse)),
            variant("nonsingular, ZZ", (("certificate", "modulus"), "5")),
        ],
        "frame and orders are for series, together": [
            variant("nonsingular, ZZ", (("certificate", "orders"), ["0", "0"])),
            variant("nonsingular, ZZ", (("certificate", "frame"), in_b([[1]]))),
        ],
        "a frame is for series over the rational numbers": [
            variant("nonsingular, series with a frame", (in_qq, "ZZ"))
        ],
        "a modulus is for matrices over ZZ and QQ": [
            variant(
                "nonsingular, GF",
                (("certificate", "modulus"), "7"),
                (("certificate", "inverse"), matrix([[5, 1], [5, 3]])),
            )
        ],
        "null vectors over QQ, a matrix over GF": [
            variant("singular, GF", (("certificate", "null", "ring"), "QQ"))
        ],
        "the null vector is zero": [
            variant(
                "singular, GF by a vector over ZZ",
                (("certificate", "null"), vector(5, -10)),
            )
        ],
        "a null vector has fractions": [
            variant("singular, ZZ", (("certificate", "null"), vector("1/2", "-1/4", ring="QQ")))
        ],
        "the null vectors are over another ring": [
            variant("singular, ZZ", (("certificate", "null"), vector(2, 4, ring={"GF": "5"}))),
        ],
        "the two permutations are the same": [
            variant("tied assignment", (("certificate", "second"), ["0", "1"]))
        ],
        "there is not one group per row": [
            variant("stage", (("certificate", key), groups))
            for key, groups in (("before", ["0", "0", "0", "1", "1"]), ("after", ["5", "5", "-2"]))
        ],
        "neither factor nor gram is given": [
            variant("positive definite, factor", (("certificate",), {}))
        ],
        "the scale is not positive": [
            variant("positive definite, gram", (("certificate", "scale"), "0"))
        ],
        "scale and gram come together": [
            variant("positive definite, factor", (("certificate", "scale"), "1")),
            variant("positive definite, factor", (("certificate", "gram"), matrix([[0, 0]]))),
        ],
        "the direction is zero": [
            variant("not positive definite", (("certificate", "direction"), vector(0, 0)))
        ],
        "generic is not what the ring says": [
            variant(name, (("certificate", "generic"), value))
            for name, value in (
                ("nonsingular, ZZ", True),
                ("nonsingular, ZZ", "false"),
                ("nonsingular, exponentials", False),
                ("nonsingular, series over GF", False),
            )
        ],
        "balls have a kind of their own": [
            document("nonsingular", "", image(3, 1), HONEST["balls"]["subject"]["data"])
        ],
        "a vector does not decide series or balls": [
            document("singular", "", {"null": short}, short)
        ],
        "series and balls have no such rank": [
            document("rank", "", minor(0, [], [], 2, 1, short), short)
        ],
        "the null vectors have not one free column each": [
            variant("rank, ZZ", (("certificate", "null"), matrix(rows)))
            for rows in (
                [[1, 1], [1, 1], [-1, -1]],
                [[2, 2], [-1, -1], [0, 0]],
                [[2, 0], [-1, 0], [0, 0]],
                [[0, 2], [3, -1], [-2, 0]],
            )
        ],
        "the scale is unknown": [variant("one point", ((*DATA, "kernel", "scale"), "appendix"))],
        "there is not one label per row": [variant("one point", ((*DATA, "labels"), ["1"]))],
        "an exponent is zero beside a template with one letter": [
            variant("one point without CLS", (("certificate",), lists(xi=[2, -2], y=[-1, 5])))
        ],
        "two templates have one exponent": [
            document(
                "one-point",
                "",
                lists(xi=[1, -1], y=[]),
                templates(["αβ", "βα"], "", scale=scale),
            )
            for scale in ("main", "appendix-H")
        ]
        + [
            variant("one point without CLS", (("certificate",), lists(xi=[2, -2], y=[1, 5]))),
            variant("one point, appendix H", (("certificate", "y"), ["1", "1"])),
            variant("one point, appendix H", (("certificate", "xi"), ["0", "0"])),
        ],
        "two layouts of tokens have one sum": [
            variant("one point, appendix H", (("certificate", "y"), ["0", "5"]))
        ],
        "the matrix is not symmetric": [
            variant(name, ((*DATA, "rows", 0, 1), "-1"))
            for name in ("positive definite, both", "not positive definite", "stage")
        ],
        "not all eigenvalues are real": [
            variant("trace bound", ((*DATA, "rows"), [["0", "-1"], ["1", "0"]])),
            variant(
                "trace bound, equality and a double root",
                ((*DATA, "rows"), [["0", "-1", "0"], ["1", "0", "0"], ["0", "0", "-5"]]),
            ),
        ],
        "eigenvalues are larger": [
            variant(
                "trace bound, equality and a double root",
                (("certificate", "place"), "2"),
                (("certificate", "trace"), "799/200"),
            )
        ],
        "the point has not one coordinate per place and token": [
            variant("one point", (("certificate", "y"), [])),
            variant("one point", (("certificate", "xi"), ["1", "2", "-3", "0"])),
        ],
        "the weights do not solve the system": [
            variant("prediction", (("certificate", "ridge"), "2")),
            variant("prediction", (("certificate", "own", "rows", 0, 0), "7")),
            variant("prediction", (("certificate", "column", "rows", 0, 0), "7")),
            variant("prediction", (("certificate", "weights", "rows", 0, 0), "1")),
            variant("prediction", (("certificate", "meetings", "rows", 0, 2), "4")),
            variant("prediction", (("certificate", "patterns"), ["0", "0", "0"])),
        ],
        "the prediction is another": [
            variant("prediction", (("certificate", "prediction"), "1")),
            variant("prediction", (("certificate", "labels", "rows", 0, 0), "2")),
        ],
        "the ridge is negative": [variant("prediction", (("certificate", "ridge"), "-1"))],
        "there are no strings": [variant("prediction", (("certificate", "patterns"), []))],
        "M is not symmetric": [variant("prediction", ((*DATA, "rows", 0, 1), "5"))],
        "a meeting is not of two strings": [
            variant("prediction", (("certificate", "meetings", "rows", 1), ["2", "4", "5"])),
            variant("prediction", (("certificate", "meetings", "rows", 1), ["2", "2", "5"])),
        ],
        "the meetings are not in order": [
            variant("prediction", (("certificate", "meetings", "rows", 1), ["0", "2", "5"])),
        ],
        "it is not a permutation": [
            variant("training", (("certificate", "permutation"), ["0", "2"])),
            variant("training", (("certificate", "permutation"), ["0", "2", "2"])),
        ],
        "a sample is moved": [
            variant("training", (("certificate", "permutation"), ["1", "0", "2"])),
            variant("training", ((*DATA, "rows", 0, 1), "1")),
        ],
        "a test is not moved to the other": [
            variant("training", (("certificate", "permutation"), ["0", "1", "2"])),
        ],
        "the starts are not a union of orbits": [
            variant("training", (("certificate", "starts", "rows", 0, 1), "2")),
        ],
        "there are no starts": [
            variant("training", (("certificate", "starts"), matrix([], shape=[0, 3]))),
        ],
        "there is not a whole number of batches": [
            variant("training", (("certificate", "batch"), "2")),
        ],
        "an activation has at most 16 coefficients": [
            variant("training", (("certificate", "activation"), matrix([[1] * 17]))),
            variant("training", (("certificate", "activation"), matrix([[]], shape=[1, 0]))),
        ],
        "the error is another": [
            variant(name, (("certificate", key), "1"))
            for name in ("training, relu", "training, a polynomial")
            for key in ("rate", "momentum", "decay", "batch", "error")
            if (name, key) != ("training, relu", "batch")
            if (name, key) != ("training, a polynomial", "momentum")
        ],
        "the coordinates xi do not add up to zero": [
            variant("one point", (("certificate", "xi"), ["1", "2", "-2"]))
        ],
        "the kernel does not separate": [
            variant("one point", ((*DATA, "kernel", "beta"), "0")),
            variant("one point", ((*DATA, "kernel", "gamma"), "0")),
            variant("one point", ((*DATA, "kernel", "normalised"), False)),
            variant("one point", ((*DATA, "kernel", "activation"), ["polynomial", "3"])),
            variant("one point", ((*DATA, "kernel", "activation"), ["cos", "0", "π"])),
        ],
        "the activation is unknown": [
            variant("one point", ((*DATA, "kernel", "activation"), activation))
            for activation in (["relu", "1"], ["polynomial"], ["cos", "1"], ["cos", "1", "2", "3"])
        ]
        + [
            variant("one point", ((*DATA, "kernel", "activation"), activation))
            for activation in (["swish"], ["none"], ["constructor"])
        ],
        "a part of the activation is no string": [
            variant("one point", ((*DATA, "kernel", "activation"), activation))
            for activation in ([None], [], [["relu"]], ["cos", "1", None])
        ],
        "modular points are for the main scale": [
            variant("modular points", ((*DATA, "kernel"), None)),
            variant("modular points", ((*DATA, "kernel", "scale"), "appendix-H")),
        ],
        "the base is zero modulo the prime": [
            variant("modular points", (("certificate", "base"), "-202"))
        ],
        "the kernel does not count types": [
            variant("type rank", ((*DATA, "kernel", "scale"), "appendix-H")),
            variant("type rank", ((*DATA, "kernel", "activation"), ["polynomial", "1"])),
            variant("type rank", ((*DATA, "kernel", "gamma"), None)),
            document(
                "type-rank",
                "",
                {"rank": "1"},
                templates(["Aα", "αα"], "A", gamma="0", activation=["erf"]),
            ),
        ],
        "letters are not listed as they first appear": [
            variant("one point", ((*DATA, "wildcards"), ["β", "α"])),
            variant("one point", ((*DATA, "rows", 1, 1), "γ")),
        ],
        "letters are not distinct": [
            variant("one point", ((*DATA, "wildcards"), ["α", "C"])),
            variant("one point", ((*DATA, "wildcards"), ["α", "β", "β"])),
            variant("one point", ((*DATA, "wildcards"), ["α", "β", ""])),
        ],
        "a listed letter does not occur": [
            variant("one point", ((*DATA, "tokens"), ["C", "D"])),
            variant("one point", ((*DATA, "wildcards"), ["α", "β", "γ"])),
        ],
        "templates of several lengths, or none": [
            variant("one point", ((*DATA, "rows", 1), ["α", "β", "C", "C"])),
            document("one-point", "", lists(xi=[], y=[]), templates([], "")),
            document("one-point", "", lists(xi=[], y=[]), templates(["", ""], "")),
        ],
    }
    refuse(wrong)


def series_determinant(rows, precision, p):
    """By cofactors, modulo p and b^precision: what the sum over permutations would give, sooner."""
    if not rows:
        return [1] + [0] * (precision - 1)
    total = [0] * precision
    for j, cell in enumerate(rows[0]):
        rest = series_determinant([row[:j] + row[j + 1 :] for row in rows[1:]], precision, p)
        for a, x in enumerate(cell):
            for b, y in enumerate(rest[: precision - a]):
                total[a + b] = (total[a + b] + (-1) ** j * x * y) % p
    return total


def test_random_determinants():
    """Determinants modulo primes of every size, of integers and of series, are what they are."""
    choice, documents = random.Random(7), []
    primes = [2, 3, 101, 65537, 67108859, 2147483647, 4294967291, 4294967311, 2**61 - 1, 2**64 - 59]
    for n, p in itertools.product(range(1, 6), primes):
        for precision in (1, 1, 4):
            bound = choice.choice([2, p, 10**30])
            rows = [
                [
                    [
                        choice.randrange(-bound, bound) * (choice.random() < 0.6)
                        for _ in range(precision)
                    ]
                    for _ in range(n)
                ]
                for _ in range(n)
            ]
            value = series_determinant(rows, precision, p)
            order = next((k for k, x in enumerate(value) if x), None)
            if order is None:
                continue
            c = image(p, value[order], valuation=order, generic=precision > 1)
            if precision == 1:
                stored = matrix([[x for [x] in row] for row in rows])
                statement = f"{HERE}{value[0]} modulo {p}"
            else:
                stored = matrix(rows, series("ZZ", precision))
                statement = f"{GENERIC}{value[order]} b^{order} + higher orders, modulo {p}"
            scope = "generic" if precision > 1 else "these"
            documents.append(document("nonsingular", statement, c, stored, scope))
    answers = results(documents)
    assert [a for a in answers if a["status"] != "checked"] == []
    assert len(documents) > 100


def test_random_symmetric_matrices():
    """Eigenvalue bounds of random matrices, on both sides of the truth."""
    choice, documents, verdicts = random.Random(11), [], []
    for _ in range(60):
        n = choice.randrange(1, 5)
        half = [
            [Fraction(choice.randrange(-3, 4), choice.randrange(1, 3)) for _ in range(n)]
            for _ in range(n)
        ]
        lopsided = choice.random() < 0.5
        rows = [
            [half[i][j] if lopsided or i <= j else half[j][i] for j in range(n)] for i in range(n)
        ]
        place, dimension = choice.randrange(1, n + 1), choice.randrange(1, 4)
        trace = Fraction(choice.randrange(-12, 20), choice.randrange(1, 4))
        bound = trace / (place * dimension)
        c = {"place": str(place), "dimension": str(dimension), "trace": str(trace)}
        quotient = f"{trace} / ({place} * {dimension})"
        statement = f"eigenvalue {place} of the block is at most {bound} = {quotient}"
        stored = matrix([[str(x) for x in row] for row in rows], "QQ")
        documents.append(document("trace-bound", statement, c, stored))
        verdicts.append(trace_bound_is_true(c, stored))
    answers = results(documents)
    assert [a["status"] == "checked" for a in answers] == verdicts
    assert 10 < sum(verdicts) < 50


def test_random_null_vectors_of_templates():
    """Vectors against the formal matrix, for kernels of every sort, true and false."""
    choice, documents, verdicts = random.Random(13), [], []
    for _ in range(400):
        length, count = choice.randrange(1, 4), choice.randrange(2, 5)
        words = ["".join(choice.choice("AABαβγ") for _ in range(length)) for _ in range(count)]
        words[1] = "".join(choice.sample(words[0], length))
        activation = choice.choice([None, None, ["relu"], ["polynomial", "2"], ["cos", "0", ""]])
        kernel = choice.choice(["softmax", "softmax", "softmax", None])
        scale = choice.choice(["main", "appendix-H"])
        changes = {
            "beta": choice.choice([None, "0", "2"]),
            "gamma": choice.choice([None, "0", "0", "3"]),
            "normalised": choice.random() < 0.6,
            "scale": scale,
            "activation": activation,
        }
        subject = templates(words, "AB", kernel=kernel, **(changes if kernel else {}))
        null = [1, -1] + [0] * (count - 2)
        if choice.random() < 0.3:
            null = [choice.randrange(-1, 2) for _ in range(count)]
        c = {"null": vector(*null)}
        documents.append(document("singular", "", c, subject))
        verdicts.append(singular_is_true(c, subject))
    answers = results(documents)
    passed = ["statement should be " in a["reason"] for a in answers]
    # Where the last place is fixed, sorting may leave apart what a permutation joins: more names.
    for d, verdict, found in zip(documents, verdicts, passed, strict=True):
        kernel = d["subject"]["data"]["kernel"]
        if kernel and kernel["scale"] == "appendix-H" and kernel["gamma"] == "0":
            assert verdict or not found
        else:
            assert verdict == found, d
    assert 50 < sum(passed) < 350


def rerun(kind, certificate):
    return document(kind, "any sentence", certificate, {"claim": "symbench.gram"}, "any", ["gram"])


def test_claims_can_only_be_rerun():
    exhausted = {
        "claim": "symbench.gram",
        "parameters": {"n": ["3", None]},
        "count": "7",
        "digest": "ab",
    }
    found = {"claim": "symbench.gram", "case": ["a", {"b": True}], "reason": "it fails"}
    honest = [rerun("exhausted", exhausted), rerun("counterexample", found)]
    answers = results(
        [
            *honest,
            {**honest[0], "title": "x"},
            rerun("exhausted", {**exhausted, "extra": ""}),
            rerun("exhausted", found),
            rerun("counterexample", {**found, "claim": None}),
            digested({**honest[1], "theorems": [{"claim": "symbench.gram", "page": None}]}),
            digested({**honest[0], "subject": {"claim": "symbench.gram", "type": "Matrix"}}),
        ]
    )
    assert [a["status"] for a in answers] == ["re-run", "re-run"] + ["BAD"] * 6


# ---- Bundles, the command, the browser ----


def bundle(certificates, **changes):
    """JSON lines: the claim, its cases, what holds of them."""
    head = {
        "format": "symbench bundle 1",
        "writer": "symbench 0.1.0",
        "claim": "symbench.gram",
        "parameters": {"π": "ü"},
    }
    lines = [head] + [{"case": str(i), "certificate": c} for i, c in enumerate(certificates)]
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
    last = {
        "status": "holds",
        "cases": str(len(certificates)),
        "certified": str(sum(c is not None for c in certificates)),
        "digest": hashlib.sha256(text.encode()).hexdigest(),
        **changes,
    }
    return text + json.dumps(last) + "\n"


def test_bundles():
    one, two = HONEST["one point"], HONEST["singular, ZZ"]
    claim = rerun("counterexample", {"claim": "a", "case": "", "reason": ""})
    full = bundle([one, two, two])
    answers = results([full, bundle([one, None]), bundle([None]), bundle([one, claim])])
    assert [a["status"] for a in answers] == ["checked"] + ["re-run"] * 3
    gram = 'bundle of "symbench.gram": '
    assert answers[0]["statement"] == gram + "3 of 3 cases have checked certificates"
    assert [x["claim"] for x in answers[0]["theorems"]] == ["symbench.positive-definite"]
    assert answers[1]["statement"] == gram + "1 of 2 cases have checked certificates"
    assert answers[1]["reason"] == "only symbench can go through the other 1 again"
    lines = full.splitlines(keepends=True)
    fits = "the bundle's digest does not fit its lines"
    refuse(
        {
            "case 2: the digest does not fit the text": [bundle([one, {**one, "title": "x"}])],
            "case 1: keys are missing": [bundle([x]) for x in ("", False, {}, [])],
            "a bundle without cases": [bundle([])],
            "the bundle's status is no verdict": [bundle([one], status="wonderful")],
            "the bundle's counts do not fit": [
                bundle([one], cases="2"),
                bundle([one], cases="01"),
                bundle([one, None], certified="2"),
            ],
            'the key "extra" is not of the format': [bundle([one], extra="")],
            fits: [
                bundle([one], digest="0" * 64),
                full.replace("gram", "gran", 1),
                "".join([lines[0], *lines[2:]]),
                full + lines[-1],
            ],
            "keys are missing: status cases": ["".join(lines[:-1])],
            "the bundle is incomplete": ["".join(lines[:1]), full[:-1]],
            "the text is not JSON": [full + "\n"],
            "the writer is not symbench": [full.replace("symbench 0.1.0", "other 0.1.0", 1)],
            "keys are missing: format writer claim": [full.replace('"claim"', '"clam"', 1)],
        }
    )
    # Without its first line it is read as a certificate, and is none.
    assert [a["status"] for a in results(["".join(lines[1:]), full.replace(" 1", " 2", 1)])] == [
        "BAD",
        "BAD",
    ]


def test_the_command(tmp_path):
    texts = {
        "point": json.dumps(HONEST["one point"]),
        "plain": json.dumps(HONEST["nonsingular, ZZ"], indent=2) + "\n",
        "raw": json.dumps(HONEST["one point without CLS"], ensure_ascii=False),
        "claim": json.dumps(rerun("counterexample", {"claim": "a", "case": "", "reason": ""})),
        "bundle": bundle([HONEST["one point"]]),
        "bad": json.dumps({**HONEST["one point"], "title": "tampered"}),
    }
    paths = {name: tmp_path / f"{name}.json" for name in [*texts, "latin", "bom"]}
    for name, text in texts.items():
        paths[name].write_bytes(text.encode())
    paths["latin"].write_bytes(texts["raw"].encode("utf-16"))
    paths["bom"].write_bytes(b"\xef\xbb\xbf" + texts["plain"].encode())
    gone = tmp_path / "gone.json"
    page = "proofs/symbench/positive-definite.md"
    lines = {
        "point": f"checked: K_tau of softmax attention {POINT}; rests on "
        f"symbench.positive-definite ({page})",
        "plain": "checked: nonsingular at these parameters: det = 1 modulo 101",
        "raw": f"checked: K_tau of gelu over softmax attention {POINT}; rests on symbench.no-cls "
        "(proofs/symbench/no-cls.md), symbench.every-activation "
        "(proofs/symbench/every-activation.md)",
        "claim": 're-run: counterexample of "symbench.gram"; format and digest are right, and only '
        "symbench can go through the cases again",
        "bundle": 'checked: bundle of "symbench.gram": 1 of 1 cases have checked certificates; '
        f"rests on symbench.positive-definite ({page})",
        "bad": "BAD: the digest does not fit the text",
        "latin": "BAD: the file is not UTF-8",
        "bom": "BAD: the text is not JSON",
    }

    def told(*names):
        return [f"{paths[name]}: {lines[name]}" for name in names]

    everything = ["point", "plain", "raw", "bundle"]
    assert command(*(paths[x] for x in everything)) == (0, told(*everything), "")
    everything += ["claim"]
    assert command(*(paths[x] for x in everything)) == (3, told(*everything), "")
    everything += ["bad", "latin", "bom"]
    assert command(*(paths[x] for x in everything), gone)[:2] == (1, told(*everything))
    code, out, errors = command(paths["claim"], gone, tmp_path)
    assert (code, out) == (2, told("claim"))
    assert errors.startswith(f"{gone}: unreadable: ENOENT")
    assert command() == (2, [], "usage: node check_certificate.js FILE...\n")


def test_in_a_page():
    """A classic script that knows no module, and may stand between script tags."""
    source = CHECKER.read_text(encoding="utf-8")
    assert source.isascii()
    assert "</script" not in source.lower()
    assert "<!--" not in source
    script = """
    const vm = require("vm"), context = vm.createContext({TextEncoder});
    const [path, text] = process.argv.slice(1);
    vm.runInContext(require("fs").readFileSync(path, "utf8"), context);
    context.text = text;
    const {status} = vm.runInContext("checkCertificate(text)", context);
    console.log(Object.keys(context).join(), status);
    """
    text = json.dumps(HONEST["one point"])
    run = subprocess.run(
        [NODE, "-e", script, str(CHECKER), text], capture_output=True, text=True, check=True
    )
    assert run.stdout == "TextEncoder,checkCertificate,text checked\n"


# ---- Crafted and large ----


def test_crafted_documents_end_soon():
    """Sizes are looked at before work begins: what is too large is refused, nothing hangs."""
    long, n = "7" * 10**6, 70
    fractions_apart = [
        [f"1/{10**60 + 7919 * (n * min(i, j) + max(i, j))}" for j in range(n)] for i in range(n)
    ]
    far = [["1", str(2**20), "1", str(-(2**20))]] * 60
    wide = {"polynomials": "ZZ", "variables": [f"x{i}" for i in range(3000)]}
    many = [["1", [str(10**6 - k), str(k)]] for k in range(8000)]
    letters = [chr(0x4E00 + i) for i in range(2000)]
    refused = "too large to be checked here"
    crafted = [
        (
            refused,
            "not-positive-definite",
            {"direction": vector(*"1" * n)},
            matrix(fractions_apart, "QQ"),
        ),
        (
            refused,
            "nonsingular",
            image(101, 1, {"q": "2"}, generic=True),
            matrix([[[["1", x]] for x in row] for row in fractions_apart], EXPONENTIALS),
        ),
        (
            refused,
            "nonsingular-balls",
            {"bits": "64", "inverse": matrix([["1"] * 60] * 60, "QQ")},
            matrix([far] * 60, {"balls": "64"}),
        ),
        (refused, "nonsingular", image(7, 1), matrix([[f"{long}/{long[:-1]}8"]], "QQ")),
        (
            refused,
            "not-positive-definite",
            {"direction": vector(*"1" * 50)},
            matrix([["1"] * 50] * 49 + [["1"] * 49 + [f"1/{long}"]], "QQ"),
        ),
        ("vanishes", "nonsingular", image(7, 1), matrix([[long]])),
        (refused, "nonsingular", image(7, 1), matrix([[long + "7"]])),
        ("is not from 2 to 2^64", "nonsingular", image(long, 1), matrix([["1"]])),
        (
            "vanishes",
            "nonsingular",
            image(7, 1, dict.fromkeys(wide["variables"], long[:100]), generic=True),
            matrix([[[["1", ["1000000"] * 3000]]]], wide),
        ),
        (
            refused,
            "singular",
            {"null": vector(many, ring=POLYNOMIALS)},
            matrix([[many]], POLYNOMIALS),
        ),
        (
            refused,
            "nonsingular",
            image(101, 1, {"t": long[:20000]}, generic=True, frame=in_b([[1]]), orders=["0"]),
            matrix([[[[["1", ["1000000"]]]]]], series(T2, 1)),
        ),
        (
            refused,
            "trace-bound",
            {"place": "1", "dimension": "1", "trace": long[:5000]},
            matrix([[f"{1 + i * j % 7}" + "1" * 400 for j in range(60)] for i in range(60)]),
        ),
        (
            refused,
            "nonsingular",
            image(2**61 - 1, 1, generic=True),
            matrix([[["1"] * 1000] * 12] * 12, series("ZZ", 1000)),
        ),
        (
            "the rows do not fit the shape",
            "rank",
            minor(0, [], [], 2, 1, matrix([], shape=[10**9, 10**9])),
            matrix([], shape=[0, 10**9]),
        ),
        (
            "the blocks do not fill the matrix",
            "block-form",
            {
                "basis": matrix([[1]]),
                "blocks": [matrix([[1]])],
                **lists(repeats=[10**9]),
                "prime": "2",
                "residue": "1",
            },
            matrix([[1]]),
        ),
        (
            refused,
            "singular",
            {"null": vector(*[1] * 900)},
            {
                **templates(["A"], "A", gamma="0"),
                "rows": [letters[i : i + 100] for i in range(900)],
                "tokens": letters[:999],
            },
        ),
        (
            "statement should be ",  # a single template, however long, is told apart from no other
            "one-point",
            lists(xi=[*[1] * 1999, -1999], y=[long[:100]] * 2000),
            {**templates(["A"], "A"), "rows": [letters], "tokens": letters},
        ),
    ]
    texts = {
        '{"a":"' + "\\\\" * 10**6: "the text is not JSON",
        "[" + '"",' * 10**6: "the text is not JSON",
        '{"format":"symbench bundle 1"}\n' * 10**5: "keys are missing",
    }
    documents = [document(kind, "", c, subject) for _, kind, c, subject in crafted]
    answers = results([*documents, *texts])
    print(*(f"{a['seconds']:.2f} s: {a['reason'][:60]}" for a in answers), sep="\n")
    expected = [reason for reason, *_ in crafted] + list(texts.values())
    for reason, answer in zip(expected, answers, strict=True):
        assert answer["status"] == "BAD"
        assert reason in answer["reason"], (reason, answer["reason"][:200])


def set_partitions(n):
    """Restricted growth strings."""
    words = [[]]
    for _ in range(n):
        words = [[*word, k] for word in words for k in range(max(word, default=-1) + 2)]
    return words


def test_large_documents():
    """877 templates, and matrices of 144 rows with 20 digits; times are printed, not asserted."""
    choice = random.Random(3)
    words = ["".join(chr(ord("α") + k) for k in word) + "C" for word in set_partitions(7)]
    front = [choice.randrange(-(10**6), 10**6) for _ in range(7)]
    xi = [*front, -sum(front)]
    everything = templates(words, "C")
    one = document(
        "one-point",
        f"K_tau of softmax attention {POINT}",
        lists(xi=xi, y=[0]),
        everything,
        EVERY,
        ["positive-definite"],
    )
    small = templates(words[:300], "C")
    rows = [[choice.randrange(-99, 99) for _ in range(7)] for _ in words[:300]]
    points = document(
        "modular-points",
        "",
        {
            "prime": "2147483647",
            "base": "3",
            "points": matrix([[*row, -sum(row), 0] for row in rows]),
            "residue": "1",
        },
        small,
    )
    n, p = 144, 2147483647
    lower = [
        [choice.randrange(10**9) if i > j else int(i == j) for j in range(n)] for i in range(n)
    ]
    upper = [[choice.randrange(10**9) if i < j else 0 for j in range(n)] for i in range(n)]
    for i in range(n):
        upper[i][i] = choice.randrange(1, 10**9)
    columns = list(zip(*upper, strict=True))
    product_rows = [[sum(map(int.__mul__, row, column)) for column in columns] for row in lower]
    residue = math.prod(upper[i][i] for i in range(n)) % p
    matrices = [
        document(
            "nonsingular", f"{HERE}{residue} modulo {p}", image(p, residue), matrix(product_rows)
        )
    ]
    big = 2**64 - 59
    residue = math.prod(upper[i][i] for i in range(n)) % big
    matrices.append(
        document(
            "nonsingular",
            f"{HERE}{residue} modulo {big}",
            image(big, residue),
            matrix(product_rows),
        )
    )

    def near_identity(scale):
        noise = scale // 10**5
        rows = [[choice.randrange(-noise, noise) for _ in range(n)] for _ in range(n)]
        return [[rows[min(i, j)][max(i, j)] + scale * (i == j) for j in range(n)] for i in range(n)]

    stored = matrix(near_identity(10**20))
    factor = matrix(near_identity(10**19))
    matrices.append(document("positive-definite", CONGRUENT, {"factor": factor}, stored))
    gram = matrix(near_identity(10**9))
    c = {"scale": "1", "gram": gram}
    matrices.append(document("positive-definite", GRAM, c, matrix(near_identity(10**20))))
    answers = results([one, *matrices, points])
    names = [
        "877 templates",
        "nonsingular 2^31",
        "nonsingular 2^64",
        "factor",
        "gram",
        "300 points",
    ]
    print(", ".join(f"{x}: {a['seconds']:.2f} s" for x, a in zip(names, answers, strict=True)))
    for name, answer in zip(names[:-1], answers[:-1], strict=True):
        assert answer["status"] == "checked", (name, answer["reason"])
    assert answers[-1]["reason"].endswith("modulo the prime, not the residue")
