"""Certificate documents of format 2, written by hand: every kind, over every ring it allows.

Nothing of symbench and no checker is used here. The statements are typed in from the format's
page, the numbers were computed by hand; only the digest is filled in by a function.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

PAGES = {
    "positive-definite": "proofs/symbench/positive-definite.md",
    "no-cls": "proofs/symbench/no-cls.md",
    "no-cls-types": "proofs/symbench/no-cls.md",
    "gamma-zero-rank": "proofs/symbench/gamma-zero-rank.md",
    "normalisation-needed": "proofs/symbench/normalisation-needed.md",
    "every-activation": "proofs/symbench/every-activation.md",
}


def seal(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the digest of all the rest."""
    rest = {key: value for key, value in document.items() if key != "digest"}
    text = json.dumps(rest, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return {**rest, "digest": hashlib.sha256(text.encode("ascii")).hexdigest()}


def document(
    kind: str,
    certificate: dict[str, Any],
    subject: dict[str, Any],
    statement: str,
    parameters: str = "these",
    *theorems: str,
    exactness: str = "exact",
    **others: Any,
) -> dict[str, Any]:
    """A whole document; other fields of the frame may be given by name."""
    frame = {
        "format": "symbench certificate 2",
        "writer": "symbench 0.1.0",
        "kind": kind,
        "title": "",
        "note": "",
        "about": {},
        "statement": statement,
        "parameters": parameters,
        "theorems": [{"claim": f"symbench.{name}", "page": PAGES[name]} for name in theorems],
        "exactness": exactness,
        "certificate": certificate,
        "subject": subject,
    }
    return seal({**frame, **others})


def entries(text: str) -> list[list[str]]:
    """Rows of numbers from a text: "1 2; 3 4"."""
    return [row.split() for row in text.split(";")] if text else []


def plain(ring: Any, rows: Any, shape: tuple[int, int] | None = None) -> dict[str, Any]:
    """A matrix; the rows may be a text."""
    rows = entries(rows) if isinstance(rows, str) else rows
    height, width = shape or (len(rows), len(rows[0]))
    return {"ring": ring, "shape": [str(height), str(width)], "rows": rows}


def matrix(ring: Any, rows: Any, shape: tuple[int, int] | None = None) -> dict[str, Any]:
    """A matrix as a subject."""
    return {"type": "Matrix", "data": plain(ring, rows, shape)}


def kernel(
    beta: str | None = None,
    gamma: str | None = None,
    *activation: str,
    normalised: bool = True,
    scale: str = "main",
) -> dict[str, Any]:
    """The description of an attention kernel."""
    return {
        "beta": beta,
        "gamma": gamma,
        "normalised": normalised,
        "scale": scale,
        "activation": list(activation) or None,
    }


def templates(
    rows: str, tokens: str, wildcards: str, kernel: Any, labels: Any = None
) -> dict[str, Any]:
    """Templates as a subject; a letter is a character, but * stands for CLS."""
    name = {"*": "CLS"}
    data = {
        "tokens": [name.get(x, x) for x in tokens],
        "wildcards": list(wildcards),
        "rows": [[name.get(x, x) for x in row] for row in rows.split()],
        "labels": labels,
        "kernel": kernel,
    }
    return {"type": "Templates", "data": data}


XY = {"polynomials": "ZZ", "variables": ["x", "y"]}
X_QQ = {"polynomials": "QQ", "variables": ["x"]}
X_GF = {"polynomials": {"GF": "7"}, "variables": ["x"]}
EXP = {"exponentials": "q"}


def series(base: Any, precision: int) -> dict[str, Any]:
    """The ring of power series in b."""
    return {"series": base, "variable": "b", "precision": str(precision)}


def residue(
    prime: str, value: str, valuation: str = "0", generic: bool = False, **point: str
) -> Any:
    """The fields that every certificate of kind nonsingular has."""
    return {
        "prime": prime,
        "point": point,
        "residue": value,
        "valuation": valuation,
        "generic": generic,
    }


# x + 1, y, x and so on as entries of matrices over XY: terms of coefficient and exponents.
X, Y = [["1", ["1", "0"]]], [["1", ["0", "1"]]]
X1 = [["1", ["1", "0"]], ["1", ["0", "0"]]]
AT, GENERIC = "nonsingular at these parameters: det", "nonsingular for generic parameters: det"

NONSINGULAR = {
    # det [[2, 1], [1, 3]] = 5
    "ZZ": document(
        "nonsingular", residue("7", "5"), matrix("ZZ", "2 1; 1 3"), f"{AT} = 5 modulo 7"
    ),
    "ZZ-inverse": document(
        "nonsingular",
        residue("7", "5") | {"modulus": "11", "inverse": plain("ZZ", "5 2; 2 7")},
        matrix("ZZ", "2 1; 1 3"),
        f"{AT} = 5 modulo 7",
    ),
    # 7 * 3 - 1 = 20; the first entry is zero modulo 7
    "ZZ-pivot": document(
        "nonsingular", residue("7", "6"), matrix("ZZ", "7 1; 1 3"), f"{AT} = 6 modulo 7"
    ),
    "ZZ-largest-prime": document(
        "nonsingular",
        residue("18446744073709551557", "18446744073709551556"),
        matrix("ZZ", "0 1 0; 1 0 0; 0 0 1"),
        f"{AT} = 18446744073709551556 modulo 18446744073709551557",
    ),
    "empty": document(
        "nonsingular", residue("2", "1"), matrix("ZZ", [], (0, 0)), f"{AT} = 1 modulo 2"
    ),
    # det = 1/2 - 1/12 = 5/12, and 1/12 = 1/5 = 3 modulo 7
    "QQ": document(
        "nonsingular", residue("7", "1"), matrix("QQ", "1/2 1/3; 1/4 1"), f"{AT} = 1 modulo 7"
    ),
    # 12 times it is [[6, 4], [3, 12]]
    "QQ-inverse": document(
        "nonsingular",
        residue("7", "1") | {"modulus": "7", "inverse": plain("ZZ", "3 6; 1 5")},
        matrix("QQ", "1/2 1/3; 1/4 1"),
        f"{AT} = 1 modulo 7",
    ),
    "GF": document(
        "nonsingular", residue("5", "2"), matrix({"GF": "5"}, "2 1; 1 4"), f"{AT} = 2 modulo 5"
    ),
    # (x + 1) x - y^2 at (2, 3) is -3
    "polynomials": document(
        "nonsingular",
        residue("101", "98", generic=True, x="2", y="3"),
        matrix(XY, [[X1, Y], [Y, X]]),
        f"{GENERIC} = 98 modulo 101, x = 2, y = 3",
        "generic",
    ),
    # z + 2 a at z = 5, a = -1; the sentence has its variables in alphabetical order
    "polynomials-order": document(
        "nonsingular",
        residue("11", "3", generic=True, a="-1", z="5"),
        matrix(
            {"polynomials": "ZZ", "variables": ["z", "a"]},
            [[[["1", ["1", "0"]], ["2", ["0", "1"]]]]],
        ),
        f"{GENERIC} = 3 modulo 11, a = -1, z = 5",
        "generic",
    ),
    # 3 / 2 = 3 * 4 modulo 7
    "polynomials-QQ": document(
        "nonsingular",
        residue("7", "5", generic=True, x="3"),
        matrix(X_QQ, [[[["1/2", ["1"]]]]]),
        f"{GENERIC} = 5 modulo 7, x = 3",
        "generic",
    ),
    # 3 * 4 * 2 - 1 = 23, at x = -3 = 4
    "polynomials-GF": document(
        "nonsingular",
        residue("7", "2", generic=True, x="-3"),
        matrix(X_GF, [[[["3", ["1"]]], [["1", ["0"]]]], [[["1", ["0"]]], [["2", ["0"]]]]]),
        f"{GENERIC} = 2 modulo 7, x = -3",
        "generic",
    ),
    # t = q^(1/6): t^3 t^-2 - 1 = 2 at t = 3
    "exponentials": document(
        "nonsingular",
        residue("7", "2", generic=True, q="3"),
        matrix(EXP, [[[["1", "1/2"]], [["1", "0"]]], [[["1", "0"]], [["1", "-1/3"]]]]),
        f"{GENERIC} = 2 modulo 7, q = 3",
        "generic",
    ),
    # det [[b, 1], [0, 2 b]] = 2 b^2
    "series": document(
        "nonsingular",
        residue("101", "2", "2", generic=True),
        matrix(series("ZZ", 3), [[["0", "1", "0"], ["1", "0", "0"]], [["0"] * 3, ["0", "2", "0"]]]),
        f"{GENERIC} = 2 b^2 + higher orders, modulo 101",
        "generic",
    ),
    # b^2 is beyond the precision, but over ZZ what is unknown has an image modulo 5 as well
    "series-beyond": document(
        "nonsingular",
        residue("5", "4", "2", generic=True),
        matrix(series("ZZ", 2), [[["0", "0"], ["0", "1"]], [["0", "1"], ["0", "0"]]]),
        f"{GENERIC} = 4 b^2 + higher orders, modulo 5",
        "generic",
    ),
    # -1 + b/2 * (1 + ...) begins with -1
    "series-QQ": document(
        "nonsingular",
        residue("101", "100", generic=True),
        matrix(series("QQ", 2), [[["0", "1/2"], ["1", "0"]], [["1", "0"], ["1", "0"]]]),
        f"{GENERIC} = 100 b^0 + higher orders, modulo 101",
        "generic",
    ),
    "series-GF": document(
        "nonsingular",
        residue("3", "2", "1", generic=True),
        matrix(series({"GF": "3"}, 2), [[["0", "2"]]]),
        f"{GENERIC} = 2 b^1 + higher orders, modulo 3",
        "generic",
    ),
    # x b at x = 4, and y x b^1 by the second column
    "series-polynomials": document(
        "nonsingular",
        residue("7", "5", "1", generic=True, x="4", y="3"),
        matrix(series(XY, 2), [[[[], X], [[], []]], [[Y, []], [Y, X]]]),
        f"{GENERIC} = 5 b^1 + higher orders, modulo 7, x = 4, y = 3",
        "generic",
    ),
    # rows b (1, 0) + ... and (1, 1) after the second is taken off the first
    "series-frame": document(
        "nonsingular",
        residue("11", "1", "1", generic=True)
        | {
            "frame": plain(
                {"polynomials": "QQ", "variables": ["b"]},
                [[[["1", ["0"]]], [["-1", ["0"]]]], [[], [["1", ["0"]]]]],
            ),
            "orders": ["1", "0"],
        },
        matrix(series("QQ", 2), [[["1", "1"], ["1", "0"]], [["1", "0"], ["1", "0"]]]),
        f"{GENERIC} of the combined rows = 1 b^1 + higher orders, modulo 11",
        "generic",
    ),
    # at x = 2 the rows are (b + 2 b^2, b + b^2) and (b, b): the first minus 1 + b times the second
    # is (b^2, 0)
    "series-frame-polynomials": document(
        "nonsingular",
        residue("11", "1", "3", generic=True, x="2")
        | {
            "frame": plain(
                {"polynomials": "QQ", "variables": ["b"]},
                [
                    [[["1", ["0"]]], [["-1", ["1"]], ["-1", ["0"]]]],
                    [[], [["1", ["0"]]]],
                ],
            ),
            "orders": ["2", "1"],
        },
        matrix(
            series(X_QQ, 3),
            [
                [
                    [[], [["1/2", ["1"]]], [["1", ["1"]]]],
                    [[], [["1", ["0"]]], [["1", ["0"]]]],
                ],
                [
                    [[], [["1/2", ["1"]]], []],
                    [[], [["1", ["0"]]], []],
                ],
            ],
        ),
        f"{GENERIC} of the combined rows = 1 b^3 + higher orders, modulo 11, x = 2",
        "generic",
    ),
}

INVERSE = "nonsingular: an approximate inverse serves every matrix in the balls"

BALLS = {
    # [[3 +- 1/4, 1], [1/2, 2 +- 1/2]] with the inverse of its middles; an entry is [m, e, r, s]
    "balls": document(
        "nonsingular-balls",
        {"bits": "64", "inverse": plain("QQ", "4/11 -2/11; -1/11 6/11")},
        matrix(
            {"balls": "64"},
            [
                [["3", "0", "1", "-2"], ["1", "0", "0", "0"]],
                [["1", "-1", "0", "0"], ["1", "1", "1", "-1"]],
            ],
        ),
        INVERSE,
        exactness="ball",
    ),
    # [[-1, 0 +- tiny], [0, -3 +- tiny]]: zero, and the least exponents that are allowed
    "balls-ends": document(
        "nonsingular-balls",
        {"bits": "10000000", "inverse": plain("QQ", "-1 0; 0 -1/2")},
        matrix(
            {"balls": "10000000"},
            [
                [["-1", "0", "0", "0"], ["0", "0", "1073741823", "-1048576"]],
                [["0", "0", "0", "0"], ["-3", "0", "1", "-1048576"]],
            ],
        ),
        INVERSE,
        exactness="ball",
    ),
    # around 1024 +- 512 with 1/1000 for an inverse: |1 - 1.024| + 0.512 < 1
    "balls-large": document(
        "nonsingular-balls",
        {"bits": "2", "inverse": plain("QQ", "1/1000")},
        matrix({"balls": "2"}, [[["1", "10", "1", "9"]]]),
        INVERSE,
        exactness="ball",
    ),
}


def null_vector(count: int) -> str:
    return f"singular: a null vector with {count} nonzero entries"


ROOT, ONE, MINUS_ONE = [["1", "1/2"]], [["1", "0"]], [["-1", "0"]]

SINGULAR = {
    "ZZ": document(
        "singular", {"null": plain("ZZ", "2; -1")}, matrix("ZZ", "1 2; 2 4"), null_vector(2)
    ),
    "ZZ-QQ": document(
        "singular", {"null": plain("QQ", "2; -1")}, matrix("ZZ", "1 2; 2 4"), null_vector(2)
    ),
    "QQ": document(
        "singular",
        {"null": plain("QQ", "1/2; -1; 0")},
        matrix("QQ", "1 1/2 5; 2/3 1/3 1; 0 0 7/2"),
        null_vector(2),
    ),
    # 2 + 3 * 1 = 5
    "GF": document(
        "singular",
        {"null": plain({"GF": "5"}, "1; 1")},
        matrix({"GF": "5"}, "2 3; 4 1"),
        null_vector(2),
    ),
    "GF-ZZ": document(
        "singular", {"null": plain("ZZ", "6; -4")}, matrix({"GF": "5"}, "2 3; 4 1"), null_vector(2)
    ),
    # (x, y; x y, y^2) times (y, -x)
    "polynomials": document(
        "singular",
        {"null": plain(XY, [[Y], [[["-1", ["1", "0"]]]]])},
        matrix(XY, [[X, Y], [[["1", ["1", "1"]]], [["1", ["0", "2"]]]]]),
        null_vector(2),
        "generic",
    ),
    "polynomials-ZZ": document(
        "singular",
        {"null": plain("ZZ", "1; 0; -1")},
        matrix(XY, [[X, Y, X], [Y, [], Y], [X1, X, X1]]),
        null_vector(2),
        "generic",
    ),
    "polynomials-QQ": document(
        "singular",
        {"null": plain("QQ", "1/2; -1")},
        matrix(X_QQ, [[[["2", ["3"]]], [["1", ["3"]]]], [[], []]]),
        null_vector(2),
        "generic",
    ),
    # 3 x + 2 * 2 x = 7 x
    "polynomials-GF": document(
        "singular",
        {"null": plain("ZZ", "1; 2")},
        matrix(X_GF, [[[["3", ["1"]]], [["2", ["1"]]]], [[], []]]),
        null_vector(2),
        "generic",
    ),
    # (q^(1/2), q; 1, q^(1/2)) times (q^(1/2), -1)
    "exponentials": document(
        "singular",
        {"null": plain(EXP, [[ROOT], [MINUS_ONE]])},
        matrix(EXP, [[ROOT, [["1", "1"]]], [ONE, ROOT]]),
        null_vector(2),
        "generic",
    ),
    "exponentials-QQ": document(
        "singular",
        {"null": plain("QQ", "1/3; -1/3")},
        matrix(EXP, [[ROOT, ROOT], [ONE, ONE]]),
        null_vector(2),
        "generic",
    ),
}


def minor(
    rank: str, rows: str, columns: str, prime: str, residue: str, null: Any
) -> dict[str, Any]:
    """The fields of kind rank, at no point."""
    return {
        "rank": rank,
        "rows": rows.split(),
        "columns": columns.split(),
        "prime": prime,
        "point": {},
        "residue": residue,
        "null": null,
    }


BASIS = "a nonzero minor modulo"

RANK = {
    # rows 0 and 2, columns 0 and 2: det [[1, 3], [0, 1]] = 1
    "ZZ": document(
        "rank",
        minor("2", "0 2", "0 2", "7", "1", plain("ZZ", "-2; 1; 0")),
        matrix("ZZ", "1 2 3; 2 4 6; 0 0 1; 1 2 4"),
        f"rank 2: {BASIS} 7 and a null space basis",
    ),
    # the same minor with the columns exchanged: det [[3, 1], [1, 0]] = -1
    "ZZ-inverse": document(
        "rank",
        minor("2", "0 2", "2 0", "7", "6", plain("ZZ", "-2; 1; 0"))
        | {"modulus": "10", "inverse": plain("ZZ", "0 1; 1 7")},
        matrix("ZZ", "1 2 3; 2 4 6; 0 0 1; 1 2 4"),
        f"rank 2: {BASIS} 7 and a null space basis",
    ),
    # columns 2 and 3 are the sum and the difference of the first two
    "two-null-vectors": document(
        "rank",
        minor("2", "0 1", "0 1", "3", "1", plain("ZZ", "-1 -1; -1 1; 1 0; 0 1")),
        matrix("ZZ", "1 0 1 1; 0 1 1 -1"),
        f"rank 2: {BASIS} 3 and a null space basis",
    ),
    "zero": document(
        "rank",
        minor("0", "", "", "2", "1", plain("QQ", "1 0; 0 1")),
        matrix("QQ", "0 0; 0 0; 0 0"),
        f"rank 0: {BASIS} 2 and a null space basis",
    ),
    "no-columns": document(
        "rank",
        minor("0", "", "", "2", "1", plain("ZZ", [], (0, 0))),
        matrix("ZZ", [[], []], (2, 0)),
        f"rank 0: {BASIS} 2 and a null space basis",
    ),
    "full": document(
        "rank",
        minor("2", "1 0", "0 1", "5", "1", plain("ZZ", [[], []], (2, 0))),
        matrix("ZZ", "1 1; 0 4"),
        f"rank 2: {BASIS} 5 and a null space basis",
    ),
    # the minor (1/2) is 4 modulo 7; its multiple by 2 is 1, inverse 1 modulo 9
    "QQ": document(
        "rank",
        minor("1", "0", "0", "7", "4", plain("QQ", "-2/3 0; 1 0; 0 1"))
        | {"modulus": "9", "inverse": plain("ZZ", "1")},
        matrix("QQ", "1/2 1/3 0; 1 2/3 0"),
        f"rank 1: {BASIS} 7 and a null space basis",
    ),
    "GF": document(
        "rank",
        minor("1", "1", "1", "5", "4", plain("ZZ", "1; 2")),
        matrix({"GF": "5"}, "4 3; 2 4"),
        f"rank 1: {BASIS} 5 and a null space basis",
    ),
    # (x, y; x^2, x y) times (y, -x); the minor is y at (1, 2)
    "polynomials": document(
        "rank",
        minor("1", "0", "1", "11", "2", plain(XY, [[Y], [[["-1", ["1", "0"]]]]]))
        | {"point": {"x": "1", "y": "2"}},
        matrix(XY, [[X, Y], [[["1", ["2", "0"]]], [["1", ["1", "1"]]]]]),
        f"rank 1: {BASIS} 11 and a null space basis",
        "generic",
    ),
    # with t = q^(1/2) = 3 the minor q is 9
    "exponentials": document(
        "rank",
        minor("1", "0", "1", "11", "9", plain(EXP, [[ROOT], [MINUS_ONE]])) | {"point": {"q": "3"}},
        matrix(EXP, [[ROOT, [["1", "1"]]], [ONE, ROOT]]),
        f"rank 1: {BASIS} 11 and a null space basis",
        "generic",
    ),
}

CONGRUENT = "positive definite: a congruent matrix is strictly diagonally dominant"
MULTIPLE = "positive definite: a multiple is a Gram matrix plus a strictly diagonally dominant one"

DEFINITE = {
    # F = [[1, -2], [0, 1]]: F^T M F = [[1, 0], [0, 1]]
    "factor": document(
        "positive-definite",
        {"factor": plain("ZZ", "1 -2; 0 1")},
        matrix("ZZ", "1 2; 2 5"),
        CONGRUENT,
    ),
    "factor-QQ": document(
        "positive-definite",
        {"factor": plain("QQ", "1 -2/3; 0 1")},
        matrix("QQ", "1/2 1/3; 1/3 1/3"),
        CONGRUENT,
    ),
    # 2 M - G^T G = [[2, 4], [4, 18]] - [[1, 4], [4, 16]] = [[1, 0], [0, 2]]
    "gram": document(
        "positive-definite",
        {"scale": "2", "gram": plain("ZZ", "1 4")},
        matrix("ZZ", "1 2; 2 9"),
        MULTIPLE,
    ),
    "both": document(
        "positive-definite",
        {
            "factor": plain("ZZ", "1 -2; 0 1"),
            "scale": "2",
            "gram": plain("ZZ", "1 4; 0 0"),
        },
        matrix("ZZ", "1 2; 2 9"),
        CONGRUENT,
    ),
    # a Gram matrix without rows is zero
    "gram-empty": document(
        "positive-definite",
        {"scale": "1", "gram": plain("ZZ", [], (0, 2))},
        matrix("QQ", "1/2 1/3; 1/3 1/2"),
        MULTIPLE,
    ),
    "not": document(
        "not-positive-definite",
        {"direction": plain("ZZ", "1; -1")},
        matrix("ZZ", "1 2; 2 3"),
        "not positive definite: a vector v with v^T M v <= 0",
    ),
    "not-axis": document(
        "not-positive-definite",
        {"direction": plain("ZZ", "1; 0")},
        matrix("ZZ", "0 5; 5 1"),
        "not positive definite: a vector v with v^T M v <= 0",
    ),
    "not-QQ": document(
        "not-positive-definite",
        {"direction": plain("QQ", "1/2; -1")},
        matrix("QQ", "4/3 2/3; 2/3 1/3"),
        "not positive definite: a vector v with v^T M v <= 0",
    ),
}

ASSIGNMENT = {
    # slack [[0, 1], [0, 0]] at u = (3, 2), v = (0, 0): row 1 leads to row 0, so 1 comes first
    "identity": document(
        "unique-assignment",
        {
            "assignment": ["0", "1"],
            "order": ["1", "0"],
            "rows": plain("ZZ", "3 2"),
            "columns": plain("ZZ", "0 0"),
        },
        matrix("ZZ", "3 2; 2 2"),
        "unique maximum: the identity permutation beats every other",
    ),
    "one": document(
        "unique-assignment",
        {
            "assignment": ["1", "2", "0"],
            "order": ["0", "1", "2"],
            "rows": plain("QQ", "1/2 0 0"),
            "columns": plain("QQ", "1 1/2 0"),
        },
        matrix("QQ", "0 1 0; 1/3 0 0; 1 0 -1"),
        "unique maximum: the one permutation beats every other",
    ),
    "tied": document(
        "tied-assignment",
        {
            "first": ["0", "1"],
            "second": ["1", "0"],
            "rows": plain("ZZ", "1 2"),
            "columns": plain("QQ", "0 1/2"),
        },
        matrix("QQ", "1 3/2; 2 5/2"),
        "no unique maximum: two permutations reach it",
    ),
}

# [[0, 1, 1], [1, 0, 1], [1, 1, 0]] has 2 once, on (1, 1, 1), and -1 twice
TRIANGLE = "0 1 1; 1 0 1; 1 1 0"

BLOCKS = {
    "block-form": document(
        "block-form",
        {
            "basis": plain("ZZ", "1 1 0; 1 -1 1; 1 0 -1"),
            "blocks": [plain("ZZ", "2"), plain("ZZ", "-1")],
            "repeats": ["1", "2"],
            "prime": "7",
            "residue": "3",
        },
        matrix("ZZ", TRIANGLE),
        "block diagonal in a basis: 1 x 1 (1 time), 1 x 1 (2 times)",
    ),
    # a block of size 2 twice: D[i t + u][j t + u] = b[i][j], in half the standard basis
    "block-form-pairs": document(
        "block-form",
        {
            "basis": plain("QQ", "1/2 0 0 0; 0 1/2 0 0; 0 0 1/2 0; 0 0 0 1/2"),
            "blocks": [plain("QQ", "1 1/2; 3 4")],
            "repeats": ["2"],
            "prime": "5",
            "residue": "1",
        },
        matrix("QQ", "1 0 1/2 0; 0 1 0 1/2; 3 0 4 0; 0 3 0 4"),
        "block diagonal in a basis: 2 x 2 (2 times)",
    ),
    # eigenvalues 3 and 1: the second is at most 4 / (2 * 2) = 1
    "trace-bound": document(
        "trace-bound",
        {"place": "2", "dimension": "2", "trace": "4"},
        matrix("ZZ", "2 1; 1 2"),
        "eigenvalue 2 of the block is at most 1 = 4 / (2 * 2)",
    ),
    # eigenvalues 2, -1, -1: the second is at most -4 / (2 * 2)
    "trace-bound-negative": document(
        "trace-bound",
        {"place": "2", "dimension": "2", "trace": "-4"},
        matrix("ZZ", TRIANGLE),
        "eigenvalue 2 of the block is at most -1 = -4 / (2 * 2)",
    ),
    "trace-bound-zero": document(
        "trace-bound",
        {"place": "1", "dimension": "7", "trace": "0"},
        matrix("ZZ", "0 1 0; 0 0 0; 0 0 0"),
        "eigenvalue 1 of the block is at most 0 = 0 / (1 * 7)",
    ),
    # not symmetric, a double eigenvalue 1/2
    "trace-bound-QQ": document(
        "trace-bound",
        {"place": "1", "dimension": "3", "trace": "5/2"},
        matrix("QQ", "1/2 7; 0 1/2"),
        "eigenvalue 1 of the block is at most 5/6 = 5/2 / (1 * 3)",
    ),
    # features 0, 0, 1 on a line: one group falls into two, the other template was apart before
    "stage": document(
        "stage",
        {"before": ["0", "0", "0", "1"], "after": ["0", "0", "2", "5"]},
        matrix("ZZ", "0 0 0 0; 0 0 0 0; 0 0 1 0; 0 0 0 0"),
        "separates 2 groups of templates into 3",
    ),
    "stage-QQ": document(
        "stage",
        {"before": ["-1", "-1"], "after": ["1", "0"]},
        matrix("QQ", "1/2 1/3; 1/3 1/2"),
        "separates 1 groups of templates into 2",
    ),
    # weights 20, 20, four times 1, and 1 for the token of value 0: (2 * 4 + 1) / 45
    "head-computes": document(
        "head-computes",
        {
            "sparsity": "2", "length": "6", "key": plain("ZZ", "1; 1"), "denominator": "1",
            "base": "20", "counts": ["4"], "error": "1/5",
        },
        matrix("ZZ", "1 0; 0 1; 0 0"),
        "a head of attention computes the mean of 2 of 6 signs with error at most 1/5, attained",
    ),
    # scores 1, 1, 1/2 twice, -1/4, 0: weights 32, 32, 8, 8, 1, 2 of 83, and 51 - 34 + 19 = 36
    "head-computes-QQ": document(
        "head-computes",
        {
            "sparsity": "2", "length": "5", "key": plain("QQ", "4/5; 4/5"), "denominator": "4",
            "base": "2", "counts": ["2", "1"], "error": "36/83",
        },
        matrix("QQ", "1 1/4; 1/4 1; 5/16 5/16; -5/8 5/16"),
        "a head of attention computes the mean of 2 of 5 signs with error at most 36/83, attained",
    ),
    # all positions matter: weights 3/2 and 1
    "head-computes-alone": document(
        "head-computes",
        {
            "sparsity": "1", "length": "1", "key": plain("QQ", "1/2"), "denominator": "1",
            "base": "3/2", "counts": [], "error": "2/5",
        },
        matrix("ZZ", "2"),
        "a head of attention computes the mean of 1 of 1 signs with error at most 2/5, attained",
    ),
    # the rows 9 6 5, 6 9 4, 5 4 7 times 15, 22, 21 are 62 times 6, 6, 5; 15 + 22 - 21 = 16
    "ridge-prediction": document(
        "ridge-prediction",
        {
            "patterns": ["0", "0", "1"], "own": plain("ZZ", "8; 6"),
            "column": plain("ZZ", "6; 4"), "meetings": plain("ZZ", "0 2 5; 2 3 5"), "ridge": "1",
            "labels": plain("ZZ", "1; 1; -1"), "weights": plain("QQ", "15/62; 11/31; 21/62"),
            "prediction": "8/31",
        },
        matrix("ZZ", "6 4; 4 4"),
        "ridge regression on 3 strings with 2 patterns and ridge 1 predicts 8/31",
    ),
    # 5/2 a = 3/2, three quarters of 3/5
    "ridge-prediction-QQ": document(
        "ridge-prediction",
        {
            "patterns": ["0"], "own": plain("QQ", "2"), "column": plain("QQ", "3/2"),
            "ridge": "1/2", "labels": plain("QQ", "3/4"), "weights": plain("QQ", "3/5"),
            "prediction": "9/20",
        },
        matrix("QQ", "1"),
        "ridge regression on 1 strings with 1 patterns and ridge 1/2 predicts 9/20",
    ),
    # the first weight goes from 0 to 1, the others stay: outputs 1, 0 and 0, 1
    "equivariant-training": document(
        "equivariant-training",
        {
            "permutation": ["0", "2", "1"], "tests": plain("ZZ", "0 1 0 1; 0 0 1 -1"),
            "widths": [], "starts": plain("ZZ", "0 1 0; 0 0 1"), "rate": "1/2", "momentum": "0",
            "decay": "0", "batch": "1", "error": "5/2",
        },
        matrix("ZZ", "1 0 0 1"),
        "the outputs at two inputs have the same law over 2 trained networks: "
        "one of the two expected squared errors is 5/2, at least 1",
    ),
    # relu(1) 1 = 1, both weights 1 -> 1/2 -> 7/16 with the velocity 1/2 * 2 - 3/4
    "equivariant-training-relu": document(
        "equivariant-training",
        {
            "permutation": ["0", "2", "1"], "tests": plain("ZZ", "0 1 0 1; 0 0 1 0"),
            "widths": ["1"], "starts": plain("ZZ", "1 1 0 1; 1 0 1 1"), "rate": "1/4",
            "momentum": "1/2", "decay": "0", "batch": "1", "error": "337/512",
        },
        matrix("ZZ", "1 0 0 0; 1 0 0 1"),
        "the outputs at two inputs have the same law over 2 trained networks: "
        "one of the two expected squared errors is 337/512, at least 1/4",
    ),
    # z^2: slopes -4 + 1/2, 1, 1 and -2 + 1/2, so the output is (3/2)^2 * 7/4
    "equivariant-training-QQ": document(
        "equivariant-training",
        {
            "permutation": ["0", "2", "1"], "tests": plain("QQ", "0 1 0 0; 0 0 1 1"),
            "widths": ["1"], "starts": plain("QQ", "1 2 2 1"),
            "activation": plain("QQ", "0 0 1"), "rate": "1/2", "momentum": "0", "decay": "1/2",
            "batch": "2", "error": "3969/256",
        },
        matrix("QQ", "1 0 0 1; 1 0 0 3"),
        "the outputs at two inputs have the same law over 1 trained networks: "
        "one of the two expected squared errors is 3969/256, at least 1/4",
    ),
}  # fmt: skip


def k_tau(kernel: str, text: str) -> str:
    return f"K_tau of {kernel} is {text}"


POINT = "positive definite for every beta, gamma != 0: distinct exponents at one point"
EVERY = "every beta, gamma != 0"
GENERIC = "with generic values is nonsingular"
SOFTMAX = kernel()
H = kernel(scale="appendix-H")
# The exponents of αα*, αβ* and Aα* at this point are 9, 1 + 4 and 2 * 3 + 4.
PAIRS, PAIRS_POINT = ("αα* αβ* Aα*", "*A", "αβ"), {"xi": ["1", "2", "-3"], "y": ["0", "3"]}

POINTS = {
    "one-point": document(
        "one-point",
        PAIRS_POINT,
        templates(*PAIRS, SOFTMAX, ["1", "-1", "same"]),
        k_tau("softmax attention", POINT),
        EVERY,
        "positive-definite",
    ),
    "one-point-relu": document(
        "one-point",
        PAIRS_POINT,
        templates(*PAIRS, kernel("-1/2", "3", "relu")),
        k_tau("relu over softmax attention", POINT),
        EVERY,
        "positive-definite",
        "every-activation",
    ),
    "one-point-generic": document(
        "one-point",
        PAIRS_POINT,
        templates(*PAIRS, None),
        f"K_tau of every token-symmetric kernel {GENERIC}: distinct exponents at one point",
        "generic",
        "positive-definite",
    ),
    # 0 for the templates of one letter, then 2 and 2 * 2 + 1
    "one-point-no-cls": document(
        "one-point",
        {"xi": ["1", "-1"], "y": ["2", "0"]},
        templates("AA BB αα αβ Aα", "AB", "αβ", SOFTMAX),
        k_tau("softmax attention", POINT),
        EVERY,
        "no-cls",
    ),
    "one-point-length-1": document(
        "one-point",
        {"xi": ["0"], "y": ["0", "0"]},
        templates("A B α", "AB", "α", SOFTMAX),
        k_tau("softmax attention", POINT),
        EVERY,
        "no-cls",
    ),
    # ending in A: 0, 6, -3; in a wildcard: a = 0 for αα and αβ, 5 for Bα; exponents 0 and 2
    "one-point-23": document(
        "one-point",
        {"xi": ["1", "-1"], "y": ["2", "5"]},
        templates("AA BA αA AB αα Bα αβ", "AB", "αβ", H),
        k_tau("softmax attention (23)", POINT),
        EVERY,
        "no-cls",
    ),
    "one-point-23-cos": document(
        "one-point",
        PAIRS_POINT,
        templates(*PAIRS, kernel(None, "2", "cos", "1/2", "pi/4", scale="appendix-H")),
        k_tau("cos over softmax attention (23)", POINT),
        EVERY,
        "no-cls",
        "every-activation",
    ),
    # exponents 9, 5 and 4, 2: 2^9 2^2 - 2^5 2^4 = 1536 = 21 modulo 101
    "modular-points": document(
        "modular-points",
        {
            "prime": "101",
            "base": "2",
            "points": plain("ZZ", "1 2 -3 0; 1 1 -2 0"),
            "residue": "21",
        },
        templates("αα* αβ*", "*", "αβ", SOFTMAX),
        k_tau(
            "softmax attention",
            "nonsingular for gamma != 0, algebraic beta^2 != 0: det != 0 mod 101",
        ),
        "gamma != 0, algebraic beta^2 != 0",
        "positive-definite",
    ),
    # exponents 3, -1 and 0, -2: 8/4 - 1/2 = 3/2 = 3 * 51 = 52; -99 = 2
    "modular-points-negative": document(
        "modular-points",
        {
            "prime": "101",
            "base": "-99",
            "points": plain("ZZ", "1 2 -3 1; 1 1 -2 1"),
            "residue": "52",
        },
        templates("αα* αβ*", "*", "αβ", kernel("1", None, "polynomial", "0", "1")),
        k_tau(
            "polynomial over softmax attention",
            "nonsingular for gamma != 0, algebraic beta^2 != 0: det != 0 mod 101",
        ),
        "gamma != 0, algebraic beta^2 != 0",
        "positive-definite",
        "every-activation",
    ),
    "template-rank": document(
        "template-rank",
        {"rank": "2", "xi": ["1", "2", "-3"], "y": ["0"]},
        templates("αβ* βα* αα* ββ*", "*", "αβ", SOFTMAX),
        "K_tau of softmax attention has rank 2 for every beta, gamma != 0: "
        "as many inequivalent templates",
        EVERY,
        "positive-definite",
    ),
    "template-rank-generic": document(
        "template-rank",
        {"rank": "3", "xi": ["1", "-1"], "y": ["2"]},
        templates("αβ βα Aα AA", "A", "αβ", None),
        "K_tau of every token-symmetric kernel with generic values has rank 3: "
        "as many inequivalent templates",
        "generic",
        "no-cls",
    ),
    "template-rank-23": document(
        "template-rank",
        {"rank": "3", "xi": ["1", "-1"], "y": ["1"]},
        templates("αβ βα Aα Aβ AA", "A", "αβ", H),
        "K_tau of softmax attention (23) has rank 3 for every beta, gamma != 0: "
        "as many inequivalent templates",
        EVERY,
        "no-cls",
    ),
    "type-rank": document(
        "type-rank",
        {"rank": "3"},
        templates("αβ* ββ* βα* AA*", "*A", "αβ", kernel(None, "0")),
        "K_tau of softmax attention has rank 3 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        "gamma = 0, every beta != 0",
        "gamma-zero-rank",
    ),
    "type-rank-no-cls": document(
        "type-rank",
        {"rank": "2"},
        templates("Aα αA αα BB", "AB", "α", kernel("3", "0")),
        "K_tau of softmax attention has rank 2 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        "gamma = 0, every beta != 0",
        "no-cls-types",
    ),
    # the first three have A and B once, and blocks of two and one wildcards
    "type-rank-orders": document(
        "type-rank",
        {"rank": "2"},
        templates("ααβAB αββBA ABααβ αβγAB", "AB", "αβγ", kernel(None, "0")),
        "K_tau of softmax attention has rank 2 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        "gamma = 0, every beta != 0",
        "no-cls-types",
    ),
    "type-rank-23-erf": document(
        "type-rank",
        {"rank": "1"},
        templates("αβ* βα*", "*", "αβ", kernel(None, "0", "erf", scale="appendix-H")),
        "K_tau of erf over softmax attention (23) has rank 1 at gamma = 0 for every beta != 0: "
        "as many types with a token",
        "gamma = 0, every beta != 0",
        "gamma-zero-rank",
        "every-activation",
    ),
}

NULL = "singular: a null vector with 2 nonzero entries"
DIFFERENCE = {"null": plain("ZZ", "1; -1")}
BARE = "attention without normalisation"

TEMPLATES_SINGULAR = {
    "every-kernel": document(
        "singular",
        DIFFERENCE,
        templates("αβ* βα*", "*", "αβ", None),
        k_tau("every token-symmetric kernel", NULL),
        "every",
    ),
    "equivalent": document(
        "singular",
        {"null": plain("QQ", "2/3; -2/3; 0")},
        templates("αβ βα αα", "", "αβ", SOFTMAX),
        k_tau("softmax attention", NULL),
        "beta any, gamma any",
    ),
    "gamma-zero": document(
        "singular",
        DIFFERENCE,
        templates("αβα* ααβ*", "*", "αβ", kernel("1/2", "0")),
        k_tau("softmax attention", NULL),
        "beta = 1/2, gamma = 0",
        "gamma-zero-rank",
    ),
    # without a token nothing attends to anything that is compared: the second row is zero
    "gamma-zero-no-token": document(
        "singular",
        {"null": plain("ZZ", "0; -7")},
        templates("Aα αα", "A", "α", kernel(None, "0")),
        k_tau("softmax attention", "singular: a null vector with 1 nonzero entries"),
        "beta any, gamma = 0",
        "no-cls-types",
    ),
    "beta-gamma-zero": document(
        "singular",
        DIFFERENCE,
        templates("αA Aα", "A", "α", kernel("0", "0")),
        k_tau("softmax attention", NULL),
        "beta = 0, gamma = 0",
        "no-cls-types",
    ),
    "gamma-zero-23": document(
        "singular",
        DIFFERENCE,
        templates("αβα βαα", "", "αβ", kernel(None, "0", scale="appendix-H")),
        k_tau("softmax attention (23)", NULL),
        "beta any, gamma = 0",
        "no-cls-types",
    ),
    "gamma-zero-relu": document(
        "singular",
        DIFFERENCE,
        templates("αA* Aα*", "A*", "α", kernel(None, "0", "relu")),
        k_tau("relu over softmax attention", NULL),
        "beta any, gamma = 0",
        "gamma-zero-rank",
    ),
    "bare": document(
        "singular",
        DIFFERENCE,
        templates("αα* αβ*", "*", "αβ", kernel(normalised=False)),
        k_tau(BARE, NULL),
        "beta any, gamma any",
        "normalisation-needed",
    ),
    "bare-gamma-zero-23": document(
        "singular",
        DIFFERENCE,
        templates("Aαα βAβ", "A", "αβ", kernel("1", "0", normalised=False, scale="appendix-H")),
        k_tau(f"{BARE} (23)", NULL),
        "beta = 1, gamma = 0",
        "normalisation-needed",
    ),
    "bare-tanh": document(
        "singular",
        DIFFERENCE,
        templates("αβ* βα*", "*", "αβ", kernel(None, "-3/2", "tanh", normalised=False)),
        k_tau(f"tanh over {BARE}", NULL),
        "beta any, gamma = -3/2",
    ),
    "constant": document(
        "singular",
        DIFFERENCE,
        templates("Aα* αβ*", "A*", "αβ", kernel(None, None, "polynomial", "5", "0")),
        k_tau("polynomial over softmax attention", NULL),
        "beta any, gamma any",
    ),
    "constant-cos": document(
        "singular",
        DIFFERENCE,
        templates("A α", "A", "α", kernel("1", "0", "cos", "0", "any text", normalised=False)),
        k_tau(f"cos over {BARE}", NULL),
        "beta = 1, gamma = 0",
    ),
}

FAMILIES = {
    "nonsingular": NONSINGULAR,
    "balls": BALLS,
    "singular": SINGULAR,
    "rank": RANK,
    "definite": DEFINITE,
    "assignment": ASSIGNMENT,
    "blocks": BLOCKS,
    "points": POINTS,
    "templates": TEMPLATES_SINGULAR,
    "frame": {
        "texts": document(
            "nonsingular",
            residue("7", "5"),
            matrix("ZZ", "2 1; 1 3"),
            f"{AT} = 5 modulo 7",
            title='Über 𝔽₇, "quoted" \\ \x7f \x00\n\t\u2028',
            note="two\r\nlines",
            about={"kernel": "none", "zeta": "ζ", "Z": "\ufffd", "𝔽": "", "\uff21": ""},
            writer="symbench 0.2.0rc1",
        ),
        "long-number": document(
            "singular",
            {"null": plain("ZZ", [["1" + "0" * 20000], ["-1"]])},
            matrix("ZZ", [["1", "1" + "0" * 20000], ["0", "0"]]),
            null_vector(2),
        ),
    },
}

DOCUMENTS = {
    f"{family} {name}": data for family, group in FAMILIES.items() for name, data in group.items()
}

RE_RUN = {
    "exhausted": document(
        "exhausted",
        {
            "claim": "boix2024.lemma-4.6",
            "parameters": {"length": "3", "flags": [True, None, {}]},
            "count": "12",
            "digest": "0" * 64,
        },
        {"claim": "boix2024.lemma-4.6"},
        "holds in all 12 cases",
        "length = 3",
    ),
    "counterexample": document(
        "counterexample",
        {"claim": "boix2024.lemma-4.6", "case": ["αα", "αβ"], "reason": "the rank is 1"},
        {"claim": "boix2024.lemma-4.6"},
        "fails",
        "",
    ),
}


def lines(*values: Any) -> bytes:
    """JSON lines."""
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def bundle(*certificates: dict[str, Any] | None, **last: str) -> bytes:
    """A bundle with one case for each certificate (None: the case can only be run again)."""
    head = {
        "format": "symbench bundle 1",
        "writer": "symbench 0.1.0",
        "claim": "boix2024.lemma-4.6",
        "parameters": {"length": "3"},
    }
    cases = [{"case": [str(i)], "certificate": data} for i, data in enumerate(certificates)]
    before = lines(head, *cases)
    end = {
        "status": "holds",
        "cases": str(len(cases)),
        "certified": str(sum(data is not None for data in certificates)),
        "digest": hashlib.sha256(before).hexdigest(),
    }
    return before + lines(end | last)
