"""Three programs that share no code agree on every certificate, honest or forged."""

import importlib.util
import json
import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from symbench.errors import BadCertificate
from symbench.recheck import recheck
from tests.certificates.forging import sign
from tests.certificates.samples import samples

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "check_certificate.py"
JAVASCRIPT = ROOT / "symbench" / "certificates" / "check_certificate.js"
SCHEMA = ROOT / "symbench" / "certificates" / "schema.json"
RE_RUN = ("exhausted", "counterexample")

_spec = importlib.util.spec_from_file_location("check_certificate", SCRIPT)
alone = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(alone)


def by_symbench(path):
    try:
        return recheck(path).status
    except BadCertificate:
        return "BAD"


def by_script(path):
    try:
        alone.check_document(path.read_bytes())
    except alone.ReRun:
        return "re-run"
    except alone.Bad:
        return "BAD"
    return "checked"


def by_javascript(paths):
    """One run of node for all files; None where node is not installed."""
    if shutil.which("node") is None:
        return None
    found = []
    for start in range(0, len(paths), 500):
        some = paths[start : start + 500]
        done = subprocess.run(
            ["node", str(JAVASCRIPT), *map(str, some)], capture_output=True, text=True, check=False
        )
        assert done.stderr == ""
        lines = done.stdout.splitlines()
        assert len(lines) == len(some)
        found += [line[len(f"{p}: ") :].split(":")[0] for p, line in zip(some, lines, strict=True)]
    return found


def agreed(documents, folder, *, wanted=None):
    """The outcome of each document (a text or bytes), the same in all programs."""
    paths = []
    for n, content in enumerate(documents):
        path = folder / f"{n}.json"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    ours = [by_symbench(path) for path in paths]
    for name, theirs in (("script", list(map(by_script, paths))), ("node", by_javascript(paths))):
        if theirs is None:
            continue
        for path, a, b in zip(paths, ours, theirs, strict=True):
            assert a == b, f"symbench says {a}, the {name} {b}: {path.read_bytes()[:3000]!r}"
    if wanted is not None:
        assert set(ours) == {wanted}
    return ours


@pytest.fixture(scope="module")
def documents(tmp_path_factory):
    folder = tmp_path_factory.mktemp("honest")
    found = {}
    for name, certificate in samples().items():
        if name not in RE_RUN:
            certificate.save(folder / "c.json", title="Grüße, 𝔖_n", note='tab\t and "quotes"')
            found[name] = json.loads((folder / "c.json").read_text(encoding="utf-8"))
    return found


def test_node_is_there():
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the checker in JavaScript was not run")


def test_honest_certificates_pass_everywhere(documents, tmp_path):
    agreed([json.dumps(d) for d in documents.values()], tmp_path, wanted="checked")


def test_stored_certificates_pass_everywhere(tmp_path):
    stored = sorted(ROOT.glob("proofs/**/*.json"))
    outcomes = agreed([path.read_bytes() for path in stored], tmp_path)
    assert "BAD" not in outcomes
    assert outcomes.count("checked") >= 14


def test_bundles_are_read_everywhere(tmp_path):
    from symbench.registry import verify

    kept = []
    for id, status in (("boix2024.remark-I.6", 0), ("boix2024.lemma-G.1", 3)):
        path = tmp_path / f"{id}.jsonl"
        verify(id, keep=path)
        kept.append((path, status))
    commands = [[sys.executable, str(SCRIPT)], [sys.executable, "-m", "symbench.cli", "check"]]
    if shutil.which("node") is not None:
        commands.append(["node", str(JAVASCRIPT)])
    for command in commands:
        for path, status in kept:
            done = subprocess.run(
                [*command, str(path)], capture_output=True, text=True, check=False
            )
            assert done.returncode == status, done.stdout
        broken = tmp_path / "broken.jsonl"
        broken.write_bytes(kept[0][0].read_bytes().replace(b'"-1"', b'"-2"', 1))
        assert subprocess.run([*command, str(broken)], check=False).returncode == 1


def test_every_file_has_the_form_of_the_schema(documents):
    import jsonschema

    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    validator = jsonschema.Draft202012Validator(schema)
    stored = [json.loads(p.read_text(encoding="utf-8")) for p in ROOT.glob("proofs/**/*.json")]
    for document in [*documents.values(), *stored]:
        validator.validate(document)
        assert not validator.is_valid({**document, "more": ""})
        assert not validator.is_valid({**document, "certificate": {}})


def test_words_that_do_not_follow_are_refused_everywhere(documents, tmp_path):
    """Another statement, other parameters, another theorem, signed with a digest that fits."""
    from symbench.certificates.plain import digest

    forged = []
    for document in documents.values():
        for name, value in (
            ("statement", "P = NP"),
            ("parameters", "every one"),
            ("theorems", [{"claim": "symbench.no-cls", "page": "proofs/nothing.md"}]),
            ("exactness", "float"),
        ):
            copy = {k: v for k, v in document.items() if k != "digest"} | {name: value}
            forged.append(json.dumps({**copy, "digest": digest(copy)}))
    agreed(forged, tmp_path, wanted="BAD")


def test_without_a_new_digest_nothing_passes(documents, tmp_path):
    stream = random.Random(0)
    forged = []
    for document in documents.values():
        for place in stream.sample(list(places(document)), 8):
            changed = put(document, place, other(at(document, place), stream))
            if place != ("digest",) and changed != document:
                forged.append(json.dumps(changed))
    agreed(forged, tmp_path, wanted="BAD")


# --- mutations ------------------------------------------------------------------------------------
def places(data, path=()):
    if isinstance(data, (dict, list)):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield (*path, key)
            yield from places(value, (*path, key))


def at(data, place):
    for key in place:
        data = data[key]
    return data


def put(data, place, value):
    copy = json.loads(json.dumps(data))
    at(copy, place[:-1])[place[-1]] = value
    return copy


NUMBERS = ["0", "1", "-1", "2", "7", "3", "1/2", "-3/7", "05", "+5", "2/4", "5/1", "-0", "1/0",
           " 1", "1e3", "0.5", str(2**64 + 13), "9" * 400, "x", "", "²", "１"]  # fmt: skip


def other(value, stream):
    """Another value, mostly of the same form."""
    if stream.random() < 0.1:
        return stream.choice([None, True, False, "", "x", [], {}, ["0"], {"GF": "2"}, "QQ", "ZZ"])
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        digits = value.lstrip("-").replace("/", "")
        numeric = digits.isascii() and digits.isdigit() and not value.endswith("/")
        if numeric and stream.random() < 0.6:
            top, _, bottom = value.partition("/")
            moved = str(int(top) + stream.choice([-2, -1, 1, 2, 7]))
            return f"{moved}/{bottom}" if bottom else moved
        return stream.choice(NUMBERS) if numeric else value + stream.choice(["1", " ", "\u0301"])
    if isinstance(value, list):
        copy = list(value)
        match stream.randrange(5):
            case 0 if copy:
                copy.pop(stream.randrange(len(copy)))
            case 1 if copy:
                copy.append(stream.choice(copy))
            case 2 if len(copy) > 1:
                i, j = stream.sample(range(len(copy)), 2)
                copy[i], copy[j] = copy[j], copy[i]
            case 3:
                copy.append("0")
            case _:
                copy.reverse()
        return copy
    if isinstance(value, dict):
        copy = dict(value)
        if copy and stream.random() < 0.5:
            copy.pop(stream.choice(list(copy)))
        else:
            copy[stream.choice(["x", "more", "q", "modulus"])] = "1"
        return copy
    return stream.choice(["0", "1", "1/2", ["relu"]])


def mutated(document, stream):
    """The document with one to three changes inside, its words derived anew, and signed."""
    copy = document
    for _ in range(stream.choice([1, 1, 1, 2, 3])):
        inside = [p for p in places(copy) if p[0] in ("certificate", "subject", "kind", "about")]
        place = stream.choice(inside)
        copy = put(copy, place, other(at(copy, place), stream))
    return json.dumps(sign(copy))


def flipped(document, stream):
    """A byte of the file changed."""
    content = bytearray(json.dumps(document, ensure_ascii=False).encode())
    content[stream.randrange(len(content))] = stream.randrange(256)
    return bytes(content)


def agree_on_mutations(documents, folder, count, seed):
    stream = random.Random(seed)
    names = sorted(documents)
    made = []
    for n in range(count):
        document = documents[names[n % len(names)]]
        made.append(mutated(document, stream) if n % 4 else flipped(document, stream))
    outcomes = agreed(made, folder)
    # What is accepted is true: a mutation may be of another true statement.
    from symbench.recheck import load
    from tests.certificates.samples import is_true

    for n, outcome in enumerate(outcomes):
        if outcome == "checked":
            assert is_true(load(folder / f"{n}.json")), (folder / f"{n}.json").read_text()
    assert outcomes.count("BAD") > count // 2


def test_the_programs_agree_on_mutations(documents, tmp_path):
    agree_on_mutations(documents, tmp_path, 800, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_the_programs_agree_on_ten_thousand_mutations(documents, tmp_path, seed):
    agree_on_mutations(documents, tmp_path, 2500, seed=int(os.environ.get("SEED", "100")) + seed)


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace('"kind":', '"kind": "singular", "kind":', 1),
        lambda text: text.replace('"title": ""', '"title": "\\ud800"'),
        lambda text: text.replace('"title": ""', '"title": 5'),
        lambda text: text.replace('"title": ""', '"title": 1.5'),
        lambda text: text.replace('"title": ""', '"title": NaN'),
        lambda text: text.replace("{", "[", 1),
        lambda text: text + "x",
        lambda text: text[:-2],
        lambda text: "",
        lambda text: "[" * 100_000,
        lambda text: '{"a":' * 100_000,
        lambda text: text.replace('"title": ""', f'"title": "{chr(9)}"'),
    ],
)
def test_broken_json_is_bad_everywhere(documents, tmp_path, change):
    changed = [change(json.dumps({**d, "title": ""})) for d in list(documents.values())[:3]]
    agreed(changed, tmp_path, wanted="BAD")
