"""Forgeries that were met once: each is impossible now."""

import json
import os
import subprocess
import sys
import threading

import attrs
import pytest

import symbench as sb
from symbench.certificates import Counterexample, Exhausted, Nonsingular, TraceBoundHolds
from symbench.certificates.claims import CaseDigest
from symbench.errors import BadCertificate
from symbench.exact import QQ, Matrix, PowerSeries
from tests.certificates.forging import sign

REFUTED = sorted(id for id, claim in sb.claims.items() if claim.expected == "fails")


def held_cases(claim):
    """The cases in which a claim holds, as a forger would count them."""
    running = CaseDigest()
    for case in claim.list_cases():
        if claim.look(case)[0] == "holds":
            running.add(case)
    return running


@pytest.mark.parametrize("id", REFUTED)
def test_a_list_without_the_cases_that_fail_proves_nothing(id):
    claim = sb.claims[id]
    held, empty = held_cases(claim), CaseDigest()
    for running in (held, empty):
        forged = Exhausted(
            claim=id,
            parameters=claim.parameters,
            count=running.count,
            digest=running.hexdigest(),
            subject=claim,
        )
        assert forged.check() is False


@pytest.mark.parametrize("id", ["lavie2024.dimension", "young.dimension-squares"])
def test_no_cases_prove_nothing(id):
    empty = CaseDigest()
    claim = sb.claims[id]
    sizes = dict.fromkeys(claim.parameters, 0)
    forged = Exhausted(claim=id, parameters=sizes, count=0, digest=empty.hexdigest(), subject=claim)
    assert forged.check() is False


def test_a_near_miss_is_no_counterexample():
    for claim in sb.claims.values():
        for near in claim.near_misses:
            if near.check is None:
                outcome, reason = claim.look(near.case, near)
                assert outcome == "fails", claim.id
                forged = Counterexample(claim=claim.id, case=near.case, reason=reason)
                assert forged.check(claim) is False, claim.id


def test_a_stage_names_no_derivative(tmp_path):
    (stage,) = sb.ktau.stages([sb.Template("αα"), sb.Template("αβ")])
    path = tmp_path / "stage.json"
    stage.save(path)
    document = json.loads(path.read_text(encoding="utf-8"))
    document["certificate"]["order"] = ["-5", "99"]
    path.write_text(json.dumps(sign(document)))
    with pytest.raises(BadCertificate):
        sb.check(path)


def test_trace_bounds_of_places_and_matrices_that_are_not_there():
    bound = TraceBoundHolds(place=1, dimension=1, trace=sb.rings.Rational(100))
    assert bound.check([[3]])
    assert not bound.check(Matrix([]))
    assert not bound.check([[0, -1], [1, 0]])
    assert not attrs.evolve(bound, place=2).check([[3]])


def test_a_series_determinant_is_said_modulo_the_prime_only():
    ring = PowerSeries(QQ, "b", 3)
    # det = 7 + b: modulo 7 it begins at b, and that is all that is said.
    M = Matrix([[ring.series([7, 1])]], ring)
    found = Nonsingular(prime=7, residue=1, valuation=1, generic=True, subject=M)
    assert found.check()
    assert found.explain().endswith("det = 1 b^1 + higher orders, modulo 7")
    assert not attrs.evolve(found, valuation=0, residue=7).check()
    assert not attrs.evolve(found, valuation=2).check()


def test_a_file_is_read_once(tmp_path):
    """A pipe that would say something else when it is read again."""
    good = tmp_path / "good.json"
    sb.certify([[1, 2], [3, 4]]).save(good)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(good.read_bytes()))
    writer.start()
    done = subprocess.run(
        [sys.executable, "-m", "symbench.cli", "check", str(pipe)],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    writer.join()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "checked: nonsingular" in done.stdout
    with good.open("rb") as file:
        done = subprocess.run(
            [sys.executable, "-m", "symbench.cli", "check", "/dev/stdin"],
            stdin=file, capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    "change",
    [
        {"prime": str(2**9689 - 1)},  # a prime, and larger than any that is taken
        {"prime": "9" * 5000},
        {"residue": "9" * 100_000},
        {"point": {"x" * 10_000: "1"}},
    ],
)
def test_crafted_numbers_neither_hang_nor_raise(tmp_path, change):
    path = tmp_path / "c.json"
    sb.certify([[1, 2], [3, 4]]).save(path)
    document = json.loads(path.read_text())
    document["certificate"].update(change)
    path.write_text(json.dumps(sign(document)))
    with pytest.raises(BadCertificate):
        sb.check(path)


def test_a_long_series_is_refused(tmp_path):
    path = tmp_path / "c.json"
    ring = PowerSeries(QQ, "b", 3)
    sb.certify(Matrix([[ring.series([1])]], ring)).save(path)
    document = json.loads(path.read_text())
    document["subject"]["data"]["ring"]["precision"] = "200000"
    document["subject"]["data"]["rows"] = [[["1"] * 200_000]]
    path.write_text(json.dumps(sign(document)))
    with pytest.raises(BadCertificate):
        sb.check(path)
