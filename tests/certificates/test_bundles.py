"""Bundles: what verify keeps of every case, re-checked without the claim."""

import hashlib
import json

import pytest

from symbench.certificates import Singular
from symbench.certificates.bundles import BundleWriter, read_bundle
from symbench.certificates.files import document
from symbench.errors import BadCertificate, BadType, BadValue
from symbench.exact import Matrix
from symbench.recheck import check, recheck
from symbench.registry import verify
from tests.certificates.forging import sign
from tests.certificates.samples import samples

GOOD = Singular(null=Matrix([[1], [-1]]), subject=Matrix([[1, 1], [2, 2]]))


def write(path, certificates, status="holds"):
    with BundleWriter(path, "demo.claim", {"top": 2}) as bundle:
        for n, certificate in enumerate(certificates):
            bundle.add(n, certificate and document(certificate))
        if status:
            bundle.finish(status)
    return path.read_bytes()


def resign(lines):
    """The lines with a digest that fits."""
    *body, last = lines
    before = b"".join(json.dumps(line, ensure_ascii=False).encode() + b"\n" for line in body)
    last = {**last, "digest": hashlib.sha256(before).hexdigest()}
    return before + json.dumps(last).encode() + b"\n"


def test_a_bundle_counts_and_checks(tmp_path):
    content = write(tmp_path / "b.jsonl", [GOOD, None, GOOD])
    assert str(read_bundle(content)) == (
        "2 certificates, 1 case to re-run; the writer says: demo.claim holds in 3 cases"
    )
    failing = write(tmp_path / "f.jsonl", [GOOD, None, GOOD], "fails")
    assert str(read_bundle(failing)).endswith(
        "demo.claim fails on a list of 3 cases"
    )  # in one of them, or in more
    assert check(tmp_path / "b.jsonl")
    assert recheck(tmp_path / "b.jsonl").status == "checked in part"
    write(tmp_path / "b.jsonl", [GOOD, GOOD])
    assert recheck(tmp_path / "b.jsonl").status == "checked"


def test_a_bundle_without_certificates_is_not_checked(tmp_path):
    write(tmp_path / "b.jsonl", [None, None])
    found = recheck(tmp_path / "b.jsonl")
    assert found.status == "not checked"
    assert str(found).startswith("not checked: 0 certificates, 2 cases to re-run")


def test_every_kind_but_the_re_run_ones(tmp_path):
    alone = {n: c for n, c in samples().items() if n not in ("exhausted", "counterexample")}
    content = write(tmp_path / "b.jsonl", alone.values())
    assert read_bundle(content).certified == len(alone)
    for name in ("exhausted", "counterexample"):
        with pytest.raises(BadCertificate):
            read_bundle(write(tmp_path / "b.jsonl", [samples()[name]]))


def test_an_interrupted_bundle_is_incomplete(tmp_path):
    content = write(tmp_path / "b.jsonl", [GOOD, GOOD], status=None)
    with pytest.raises(BadCertificate, match="incomplete"):
        read_bundle(content)
    whole = write(tmp_path / "b.jsonl", [GOOD, GOOD])
    for cut in range(1, len(whole), 37):
        with pytest.raises(BadCertificate):
            read_bundle(whole[:-cut])


def test_a_changed_bundle_is_bad_whatever_its_digest_says(tmp_path):
    content = write(tmp_path / "b.jsonl", [GOOD, None])
    lines = [json.loads(line) for line in content.splitlines()]
    assert read_bundle(resign(lines)).certified == 1
    bad = sign({**lines[1]["certificate"], "certificate": {"null": Matrix([[1], [1]]).to_json()}})
    for changed in (
        [lines[0], {**lines[1], "certificate": bad}, *lines[2:]],
        [lines[0], {**lines[1], "certificate": "x"}, *lines[2:]],
        [lines[0], {**lines[1], "more": "x"}, *lines[2:]],
        [lines[0], lines[1], lines[3]],
        [lines[0], {**lines[3], "cases": "0", "certified": "0"}],  # no cases prove nothing
        [*lines[:3], {**lines[3], "certified": "2"}],
        [*lines[:3], {**lines[3], "status": None}],
        [*lines[:3], {**lines[3], "status": "wonderful"}],
        [{**lines[0], "claim": None}, *lines[1:]],
        [{**lines[0], "format": "symbench bundle 2"}, *lines[1:]],
        lines[1:],
    ):
        with pytest.raises(BadCertificate):
            read_bundle(resign(changed))
    with pytest.raises(BadCertificate):
        read_bundle(content.replace(b'"demo.claim"', b'"demo.other"'))


@pytest.mark.parametrize("jobs", [1, 2])
def test_verify_keeps_the_certificates_of_its_cases(tmp_path, jobs):
    path = tmp_path / "kept.jsonl"
    verdict = verify("boix2024.remark-I.6", max_length=3, keep=path, jobs=jobs)
    assert verdict.certified == verdict.cases > 3
    found = read_bundle(path.read_bytes())
    assert (found.cases, found.certified) == (verdict.cases, verdict.certified)
    assert f"{verdict.certified} cases carry one" in verdict.explain()


def test_bad_paths(tmp_path):
    with pytest.raises(BadType):
        verify("lavie2024.dimension", keep=5)
    with pytest.raises(BadValue, match="cannot write"):
        verify("lavie2024.dimension", keep=tmp_path / "no folder" / "b.jsonl")
