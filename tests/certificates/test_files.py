"""Files: round trips, a fresh process, and every way to tamper with them."""

import json
import os
import stat
import subprocess
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symbench.certificates import Certificate, files
from symbench.errors import BadCertificate, BadType, BadValue
from symbench.recheck import check, load
from tests.certificates.forging import sign
from tests.certificates.samples import is_true, matrix_samples, samples, template_samples

NAMES = [*sorted(matrix_samples()), *sorted(template_samples()), "exhausted", "counterexample"]
every = pytest.mark.parametrize("name", NAMES)


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("certificates")
    result = {}
    for name, certificate in samples().items():
        path = folder / f"{name}.json"
        certificate.save(path)
        result[name] = path
    return result


def leaves(data, path=()):
    """The paths of everything in a document: every key, item and value."""
    if not isinstance(data, (dict, list)):
        return
    items = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in items:
        yield (*path, key)
        yield from leaves(value, (*path, key))


def changed(document, path, value, *, forge):
    """The document with another value at the path; forge computes the digest anew."""
    copy = json.loads(json.dumps(document))
    place = copy
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return sign(copy) if forge else copy


def at(document, path):
    for key in path:
        document = document[key]
    return document


def other_value(value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return str(int(value) + 1) if value.lstrip("-").isdigit() else value + "1"
    if isinstance(value, list):
        return [*value, "1"] if not value else value[:-1]
    if isinstance(value, dict):
        return {**value, "more": "1"}
    return "1"


def outcome(path):
    """True or 'bad'; anything else is an exception that fails the test."""
    try:
        assert check(path) is True
    except BadCertificate:
        return "bad"
    certificate = load(path)
    assert is_true(certificate), f"a false statement was accepted: {certificate!r}"
    return True


@every
def test_round_trip(documents, name):
    assert check(documents[name]) is True
    assert check(str(documents[name])) is True
    loaded = load(documents[name])
    assert loaded == samples()[name]
    assert loaded.check()
    assert isinstance(loaded, Certificate)


def run(*paths):
    command = [sys.executable, "-m", "symbench.cli", "check", *map(str, paths)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def test_every_kind_in_a_fresh_process(documents, tmp_path):
    done = run(*documents.values())
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(": checked: ") == len(documents) - 2
    assert done.stdout.count(": re-run: ") == 2
    bad = tmp_path / "bad.json"
    bad.write_text(documents["singular"].read_text().replace('"-1"', '"-2"'))
    done = run(documents["singular"], bad)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr


@every
def test_every_field_is_under_the_digest(documents, name, tmp_path):
    document = json.loads(documents[name].read_text())
    path = tmp_path / "changed.json"
    for place in leaves(document):
        copy = changed(document, place, other_value(at(document, place)), forge=False)
        path.write_text(json.dumps(copy))
        with pytest.raises(BadCertificate):
            check(path)
    for key in document:
        path.write_text(json.dumps({k: v for k, v in document.items() if k != key}))
        with pytest.raises(BadCertificate):
            check(path)


@every
def test_a_forged_digest_never_proves_a_false_statement(documents, name, tmp_path):
    """Each leaf changed by one, and to nothing, with a digest that fits."""
    document = json.loads(documents[name].read_text())
    path = tmp_path / "forged.json"
    for place in leaves(document):
        for value in (other_value(at(document, place)), None):
            if place != ("digest",):
                path.write_text(json.dumps(changed(document, place, value, forge=True)))
                outcome(path)


NUMBER = ("certificate",)
MATRIX = ("subject", "data")
# Changes after which the certificate is wrong, whatever the digest says.
WRONG = {
    "nonsingular": {
        ("certificate", "prime"): ["5", "6", "0", "-7", "4", str(2**64 + 13), "x", 7, None],
        ("certificate", "point"): [{"x": "1"}, [], None, "x"],
        ("certificate", "residue"): ["0", "6", "12", "-2", "5/2", 5],
        ("certificate", "valuation"): ["1", "-1"],
        ("certificate", "generic"): [True, "false", None, 0],
        ("subject", "data", "ring"): [{"GF": "5"}, {"GF": "8"}, "RR", {"balls": "64"}],
        ("subject", "data", "shape"): [["1", "4"], ["2", "3"], ["-2", "-2"], ["4"], None],
        ("subject", "data", "rows"): [[["1", "2"], ["2", "4"]], [["1", "2"]], [["1", "2"], ["3"]]],
        ("subject", "data", "rows", 0, 0): ["2", "1/7", "x", 1, None, ["1"]],
        ("subject", "type"): ["Nonsense", "os.system", "matrix", None],
        ("subject",): [None, "x", {"int": "5"}, {"tuple": []}, {"type": "Matrix"}],
        ("kind",): ["singular", "rank", "nonsense", "", None, 5, ["nonsingular"]],
        ("format",): ["symbench certificate 1", "symbench certificate 3", "", None],
        ("writer",): ["someone else", "", None, 5],
    },
    "nonsingular polynomials": {
        ("certificate", "point"): [{"x": "4"}, {"y": "3"}, {}, {"x": "1/2"}, {"x": 3}],
        ("certificate", "prime"): ["7"],
        ("certificate", "generic"): [False],
        ("subject", "data", "ring", "variables"): [["y"], ["x", "y"], []],
        ("subject", "data", "ring", "polynomials"): [{"GF": "5"}, {"balls": "64"}, None],
    },
    "nonsingular exponentials": {
        ("certificate", "point"): [{"q": "0"}, {"q": "11"}, {"q": "3"}],
        ("subject", "data", "ring", "exponentials"): ["r", "", None],
    },
    "nonsingular series": {
        ("certificate", "valuation"): ["0", "2"],
        ("certificate", "residue"): ["1", "0"],
        ("subject", "data", "ring", "precision"): ["2", "4", "0", "9" * 19, "9" * 30],
        ("subject", "data", "ring", "series"): [{"exponentials": "q"}],
    },
    "nonsingular field": {("certificate", "prime"): ["7"]},
    "nonsingular-balls": {
        ("certificate", "inverse", "rows"): [
            [["0", "0"], ["0", "0"]], [["1", "0"], ["0", "1"]], [["7/5", "-1"]],
        ],
        ("certificate", "inverse", "ring"): [{"GF": "7"}, {"balls": "64"}],
        ("certificate", "bits"): ["65", "1", "-64", "9" * 19, "x"],
        ("subject", "data", "ring", "balls"): ["53", "0", "9" * 19],
        ("subject", "data", "rows", 0, 0): [["1", "0", "1", "0"], ["1", "0", "1", "9" * 30]],
        ("subject", "data", "rows", 0, 0, 3): ["10"],
    },
    "singular": {
        ("certificate", "null", "rows"): [[["0"], ["0"]], [["1"], ["1"]], [["1"]], []],
        ("certificate", "null", "shape"): [["1", "2"], ["2", "2"]],
        ("certificate", "null", "ring"): [{"GF": "2"}, {"balls": "64"}, {"exponentials": "q"}],
        ("subject", "data", "rows", 0, 0): ["2"],
        ("subject", "data", "ring"): [{"GF": "4"}],
    },
    "rank": {
        ("certificate", "rank"): ["2", "0", "-1", "1/2"],
        ("certificate", "rows"): [["2"], ["1"], ["-1"], [], ["0", "1"], "0"],
        ("certificate", "columns"): [["3"], ["1"], [], ["0", "0"], None],
        ("certificate", "prime"): ["6", "-7", "1"],
        ("certificate", "residue"): ["0", "2", "8"],
        ("certificate", "point"): [{"x": "1"}],
        ("certificate", "null", "rows", 1, 0): ["0", "2"],
        ("certificate", "null", "rows", 1, 1): ["1"],
        ("subject", "data", "rows", 0, 0): ["2"],
    },
    "positive-definite": {
        ("certificate", "factor", "rows"): [
            [["1", "0"], ["0", "1"]][::-1], [["0", "0"], ["0", "0"]], [["1", "1"], ["0", "0"]],
        ],
        ("certificate", "factor", "shape"): [["1", "4"]],
        ("certificate", "factor", "ring"): [{"GF": "7"}, {"balls": "64"}],
        ("subject", "data", "rows"): [[["3", "3"], ["3", "3"]], [["3", "3"], ["2", "5"]],
                                      [["-3", "3"], ["3", "5"]]],
        ("subject", "data", "ring"): [{"GF": "1009"}, {"balls": "64"}],
    },
    "not-positive-definite": {
        ("certificate", "direction", "rows"): [[["0"], ["0"]], [["1"], ["1"]], [["1"], ["0"]]],
        ("certificate", "direction", "shape"): [["1", "2"]],
        ("subject", "data", "rows"): [[["2", "1"], ["1", "2"]], [["1", "2"], ["3", "1"]]],
    },
    "unique-assignment": {
        ("certificate", "assignment"): [["1", "0"], ["0", "0"], ["0"], ["0", "1", "2"]],
        ("certificate", "order"): [["0", "1"], ["0", "0"], ["0"], ["1", "0", "2"]],
        ("certificate", "rows", "rows", 0, 0): ["2", "4"],
        ("certificate", "columns", "rows", 0, 0): ["1", "-1"],
        ("subject", "data", "rows", 0, 1): ["4", "3/1", "10"],
        ("subject", "data", "rows", 0, 0): ["2"],
    },
    "tied-assignment": {
        ("certificate", "first"): [["1", "0"], ["0", "0"]],
        ("certificate", "second"): [["0", "1"], ["1", "1"], ["1"]],
        ("certificate", "rows", "rows", 0, 0): ["2", "0"],
        ("certificate", "columns", "rows", 0, 1): ["1", "-1"],
        ("subject", "data", "rows", 0, 0): ["2", "0"],
    },
    "nonsingular with an inverse": {
        ("certificate", "modulus"): ["1", "2", "0", "-3", "9", str(3 * 2**64), None],
        ("certificate", "inverse", "rows"): [
            [["1", "0"], ["0", "1"]], [["4", "1"], ["0", "1"]], [["1", "1"]],
        ],
        ("certificate", "inverse", "ring"): ["QQ", {"GF": "3"}],
        ("certificate", "inverse"): [None],
        ("subject", "data", "rows", 0, 1): ["1/2", "2"],
    },
    "nonsingular series with a frame": {
        ("certificate", "orders"): [["1", "2"], ["2"], ["3", "1"], ["-1", "5"], None],
        ("certificate", "frame", "rows"): [
            [[[], []], [[], []]],
            [[[["1", ["0"]]], []], [[["1", ["0"]]], []]],
        ],
        ("certificate", "frame", "ring", "variables"): [["x"]],
        ("certificate", "frame", "ring", "polynomials"): ["ZZ"],
        ("certificate", "valuation"): ["3", "2"],
        ("certificate", "residue"): ["2", "8"],
        ("subject", "data", "rows", 0, 1): [["0", "1", "0"], ["1", "0", "0"]],
    },
    "positive-definite by a Gram matrix": {
        ("certificate", "scale"): ["0", "-1", "1/2", "1", None],
        ("certificate", "gram", "rows"): [[["5", "5"]], [["2", "1"]], []],
        ("certificate", "gram", "ring"): ["QQ", {"GF": "7"}],
        ("subject", "data", "rows"): [[["1", "3/4"], ["3/4", "1/2"]]],
    },
    "stage": {
        ("certificate", "before"): [["0", "0", "0"], ["0", "1"], ["0", "0", "x"]],
        ("certificate", "after"): [["0", "0", "1"], ["0", "1", "1"], ["0", "1"], None],
        ("subject", "data", "rows", 0, 1): ["2"],
    },
    "block-form": {
        ("certificate", "basis", "rows"): [
            [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
            [["0", "0", "0"], ["0", "0", "0"], ["0", "0", "0"]],
        ],
        ("certificate", "blocks"): [
            [], None, [{"ring": "ZZ", "shape": ["1", "1"], "rows": [["4"]]}],
        ],
        ("certificate", "blocks", 0, "rows", 0, 0): ["5"],
        ("certificate", "repeats"): [["2", "1"], ["1", "1"], ["0", "3"], ["3"]],
        ("certificate", "prime"): ["3", "4", "-7", str(2**64 + 13)],
        ("certificate", "residue"): ["0", "4", "10"],
        ("subject", "data", "rows", 0, 0): ["3"],
    },
    "trace-bound": {
        ("certificate", "place"): ["0", "3", "1", "-1"],
        ("certificate", "dimension"): ["0", "-3", "1000"],
        ("certificate", "trace"): ["1/2", "-1", "0.5", {"rational": "25/2"}],
        ("subject", "data", "rows"): [[["0", "-1"], ["1", "0"]], [["9", "0"], ["0", "8"]]],
    },
    "head-computes": {
        ("certificate", "sparsity"): ["1", "3", "0", "-2"],
        ("certificate", "length"): ["4", "6", "-5"],
        ("certificate", "key", "rows"): [[["1"], ["0"]], [["4/5"]], [["0"], ["0"]]],
        ("certificate", "key", "ring"): [{"GF": "7"}, {"balls": "64"}],
        ("certificate", "denominator"): ["1", "2", "8", "0", "-4", "9" * 30],
        ("certificate", "base"): ["3", "0", "-2", "1/2", "2.0"],
        ("certificate", "counts"): [["1", "2"], ["3"], ["2", "1", "0"], ["3", "0"], []],
        ("certificate", "error"): ["35/83", "0", "1"],
        ("subject", "data", "rows", 0, 0): ["2"],
        ("subject", "data", "rows", 2, 0): ["1/2", "0"],
        ("subject", "data", "ring"): [{"GF": "1009"}, {"balls": "64"}],
    },
    "ridge-prediction": {
        ("certificate", "patterns"): [
            ["0", "1", "1"], ["0", "1"], ["0", "0", "2"], ["0", "0", "-1"], [],
        ],
        ("certificate", "own", "rows", 0, 0): ["7"],
        ("certificate", "own", "ring"): [{"GF": "7"}, {"balls": "64"}],
        ("certificate", "column", "rows", 0, 0): ["5"],
        ("certificate", "meetings", "rows"): [
            [["2", "3", "5"], ["0", "2", "5"]], [["0", "2", "5"], ["0", "2", "5"]],
            [["0", "2", "5"], ["2", "4", "5"]], [["2", "0", "5"], ["2", "3", "5"]],
            [["0", "2", "5"], ["2", "2", "5"]], [["0", "2", "4"], ["2", "3", "5"]],
            [["0", "1", "5"], ["2", "3", "5"]],
        ],
        ("certificate", "ridge"): ["2", "-1", "0"],
        ("certificate", "labels", "rows", 0, 0): ["2"],
        ("certificate", "weights", "rows", 0, 0): ["16/62", "0", "8/31"],
        ("certificate", "prediction"): ["16/31", "0", "0.5"],
        ("subject", "data", "rows", 0, 1): ["5"],
        ("subject", "data", "rows", 0, 0): ["5"],
        ("subject", "data", "ring"): [{"GF": "1009"}, {"balls": "64"}],
    },
    "ridge-prediction apart": {
        ("certificate", "weights", "rows", 1, 0): ["13/47"],
        ("certificate", "prediction"): ["15/47"],
    },
    "equivariant-training": {
        ("certificate", "permutation"): [
            ["0", "1", "2"], ["2", "1", "0"], ["0", "2"], ["0", "3", "1"],
        ],
        ("certificate", "tests", "rows", 0, 1): ["2"],
        ("certificate", "tests", "rows", 1, 3): ["5"],
        ("certificate", "tests", "ring"): [{"GF": "7"}, {"balls": "64"}],
        ("certificate", "widths"): [[], ["2"], ["1", "1"], ["0"], ["-1"]],
        ("certificate", "starts", "rows", 0, 1): ["2"],
        ("certificate", "starts", "ring"): [{"GF": "7"}],
        ("certificate", "rate"): ["1/2", "0", "0.25"],
        ("certificate", "momentum"): ["0", "-1/2"],
        ("certificate", "decay"): ["1", None],
        ("certificate", "batch"): ["0", "2", "3", "-1"],
        ("certificate", "error"): ["49/512", "0", "1"],
        ("subject", "data", "rows", 0, 1): ["1"],
        ("subject", "data", "rows", 0, 3): ["2"],
        ("subject", "data", "ring"): [{"GF": "1009"}, {"balls": "64"}],
    },
    "equivariant-training polynomial": {
        ("certificate", "activation", "rows"): [[["0", "0", "2"]], [["0", "1", "1"]], [[]], []],
        ("certificate", "activation", "ring"): [{"GF": "7"}],
        ("certificate", "starts", "rows", 0, 3): ["2"],
        ("certificate", "decay"): ["0"],
    },
    "one-point": {
        ("certificate", "xi"): [
            ["1", "2", "3"], ["0", "0", "0"], ["1", "-1"], ["1", "1", "-2", "0"],
        ],
        ("certificate", "y"): [["5"], ["5", "7", "9"], ["-6", "1"]],
        ("subject", "data", "kernel"): ["softmax"],
        ("subject", "data", "kernel", "gamma"): ["0"],
        ("subject", "data", "kernel", "beta"): ["0"],
        ("subject", "data", "kernel", "normalised"): [False, None],
        ("subject", "data", "kernel", "activation"): [
            ["polynomial", "3"], ["nonsense"], ["cos", "0", "1"], [],
        ],
        ("subject", "data", "rows", 1): [["α", "α", "CLS"], ["γ", "α", "CLS"], ["α"]],
        ("subject", "data", "tokens"): [["A", "CLS"], ["CLS"], ["CLS", "A", "B"]],
        ("subject", "data", "wildcards"): [["β", "α"], ["α"], ["α", "β", "CLS"]],
        ("subject", "data", "labels"): [["1"], [1, 2, 3, 4, 5]],
    },
    "modular-points": {
        ("certificate", "prime"): ["13", "6", "1"],
        ("certificate", "base"): ["0", "7", "1"],
        ("certificate", "points", "rows"): [[["0", "0", "0", "0"], ["0", "0", "0", "0"]]],
        ("certificate", "points", "rows", 1, 2): ["-1"],
        ("certificate", "residue"): ["0", "4", "12"],
        ("subject", "data", "kernel", "scale"): ["appendix-H", "other"],
    },
    "template-rank": {
        ("certificate", "rank"): ["6", "4", "0"],
        ("certificate", "xi"): [["1", "2", "-2"], ["0", "0", "0"]],
        ("certificate", "y"): [["5"], []],
        ("subject", "data", "kernel", "gamma"): ["0"],
    },
    "type-rank": {
        ("certificate", "rank"): ["6", "4", "-1"],
        ("subject", "data", "kernel", "gamma"): [None, "1"],
        ("subject", "data", "kernel", "beta"): ["0"],
    },
    "singular templates": {("certificate", "null", "rows", 1, 0): ["2", "0"]},
    "singular without positions": {
        ("subject", "data", "kernel", "gamma"): [None, "1"],
        ("certificate", "null", "rows", 0, 0): ["1"],
    },
    "singular without normalisation": {
        ("subject", "data", "kernel", "normalised"): [True],
        ("subject", "data", "kernel", "activation"): [["relu"]],
    },
    "exhausted": {
        ("certificate", "count"): ["0", "1", "-1", "x"],
        ("certificate", "digest"): ["0" * 64, "", None],
        ("certificate", "claim"): ["boix2024.lemma-E.1", "no.claim", "os.system", None],
        ("certificate", "parameters"): [{"dict": [["nothing", {"int": "1"}]]}, None, {"int": "1"},
                                        {"dict": [[{"int": "1"}, {"int": "1"}]]}, {"tuple": []}],
        ("subject",): [{"claim": "boix2024.lemma-E.1"}, {"claim": "no.claim"}, None, {}, "x"],
    },
    "counterexample": {
        ("certificate", "claim"): ["lavie2024.dimension", "no.claim", None],
        ("certificate", "reason"): ["because", "", None],
        ("certificate", "case"): [None, {"int": "5"}, "x", {"tuple": []},
                                  {"type": "os.system", "data": "true"}],
        ("certificate", "case", "tuple", 0, "int"): ["4", "x", "1/2", None],
        ("subject",): [{"claim": "lavie2024.dimension"}, {"claim": "no.claim"}, None],
    },
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_wrong_values_with_a_forged_digest(documents, name, tmp_path):
    document = json.loads(documents[name].read_text())
    path = tmp_path / "forged.json"
    for place, values in WRONG[name].items():
        for value in values:
            assert json.dumps(at(document, place)) != json.dumps(value)
            path.write_text(json.dumps(changed(document, place, value, forge=True)))
            assert outcome(path) == "bad", f"{place} = {value!r} was accepted"


def test_every_field_of_every_kind_has_a_wrong_value(documents):
    told = {}
    for name, places in WRONG.items():
        kind = json.loads(documents[name].read_text())["kind"]
        told.setdefault(kind, set()).update(p[1] for p in places if p[0] == "certificate")
    for name, path in documents.items():
        document = json.loads(path.read_text())
        assert set(document["certificate"]) <= told[document["kind"]], name


JUNK = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 2**70)
    | st.floats()
    | st.text(max_size=3)
    | st.integers(-(10**25), 10**25).map(str)
    | st.sampled_from(["1/0", "1/3", "9" * 5000, "ZZ", "QQ", "x", "\ud800", "1e9", str(2**64)]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["GF", "int", "tuple", "dict", "type", "data", "ring", "x", "claim"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=5,
)


# A junk case of a claim may be a long enumeration: these two kinds have their own lists above.
@pytest.mark.parametrize("name", [*sorted(matrix_samples()), *sorted(template_samples())])
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(data=st.data())
def test_junk_is_true_or_bad(documents, name, tmp_path, data):
    document = json.loads(documents[name].read_text())
    places = [p for p in leaves(document) if p != ("digest",)]
    for _ in range(data.draw(st.integers(1, 2))):
        place = data.draw(st.sampled_from(places))
        try:
            document = changed(document, place, data.draw(JUNK), forge=True)
        except (KeyError, IndexError, TypeError):  # the place went with the first change
            continue
    path = tmp_path / "junk.json"
    path.write_text(json.dumps(document))
    outcome(path)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"not JSON",
        b"{",
        b"null",
        b"[]",
        b"{}",
        b'"x"',
        b"5",
        b"NaN",
        bytes(range(256)),
        b"\x00" * 1000,
        b"\xff\xfe",
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b"9" * 10_000,
        b'{"digest": ' + b"9" * 10_000 + b"}",
    ],
    ids=lambda c: repr(c[:12]),
)
def test_malformed_files(content, tmp_path):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    with pytest.raises(BadCertificate):
        check(path)


def test_deep_subjects(tmp_path, documents):
    document = json.loads(documents["singular"].read_text())
    for deep in ('{"tuple": [' * 400 + "]}" * 400, '{"tuple": [' * 20_000 + "]}" * 20_000):
        document["subject"] = "HERE"
        del document["digest"]
        text = json.dumps(document).replace('"HERE"', deep)
        document["digest"] = "0" * 64
        path = tmp_path / "deep.json"
        path.write_text(text[:-1] + ', "digest": "' + "0" * 64 + '"}')
        with pytest.raises(BadCertificate):
            check(path)


def test_paths_that_are_no_files(tmp_path):
    for path in (tmp_path, tmp_path / "nothing", "", "a\0b"):
        with pytest.raises(BadCertificate):
            check(path)
    for path in (None, 5, 0.5, [], object()):
        with pytest.raises(BadType):
            check(path)


def test_an_interrupted_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "c.json"
    samples()["singular"].save(path)
    before = path.read_text()
    monkeypatch.setattr(json, "dumps", lambda *a, **k: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        samples()["rank"].save(path)
    monkeypatch.undo()
    assert path.read_text() == before
    assert check(path)


def test_a_link_and_a_pipe_are_written_through(tmp_path):
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    link.symlink_to(target)
    files.write(link, "one")
    files.write(link, "two")
    assert link.is_symlink()
    assert target.read_text(encoding="utf-8") == "two"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    files.write(pipe, "three")
    assert os.read(reader, 10) == b"three"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    with pytest.raises(BadValue, match="cannot write"):
        files.write("/dev/full", "four")
    assert os.path.exists("/dev/full")
    with pytest.raises(BadValue, match="cannot write"):
        files.write(target / "below", "five")
    assert {path.name for path in tmp_path.iterdir()} == {"target", "link", "pipe"}
