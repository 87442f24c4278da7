"""Certificates about claims, saved and checked again where nobody remembers the search."""

import json

import pytest

from symbench.certificates import Counterexample
from symbench.certificates.claims import CaseDigest
from symbench.certificates.plain import to_plain
from symbench.errors import BadCertificate, BadType
from symbench.recheck import check, load
from symbench.registry import Fails, NearMiss, claims, verify
from tests.certificates.forging import sign

from .plugin import CLAIMS, fresh, write_plugin

SAVE = "import sys, symbench as sb; sb.verify(sys.argv[1]).save(sys.argv[2])"
HUNT = "import sys, symbench as sb; sb.hunt(sys.argv[1]).save(sys.argv[2])"
CHECK = "import sys, symbench as sb; print(sb.check(sys.argv[1]), sb.load(sys.argv[1]).explain())"


def forge(path, **changes):
    """Write changed fields, with the digest made to fit."""
    document = json.loads(path.read_text())
    for name, value in changes.items():
        part = document["certificate"] if name in document["certificate"] else document
        part[name] = value
    path.write_text(json.dumps(sign(document)))


@pytest.mark.parametrize(
    ("code", "id", "text"),
    [
        (SAVE, "demo.wrong", "True demo.wrong fails for 4: 4 is not"),
        (HUNT, "demo.small", "True demo.small fails for 50"),
        (SAVE, "demo.good", "True demo.good holds in all 5 cases"),
    ],
)
def test_saved_in_one_process_checked_in_another(plugin, tmp_path, code, id, text):
    path = tmp_path / "certificate.json"
    run = fresh(code, plugin, id, str(path))
    assert run.returncode == 0, run.stderr
    run = fresh(CHECK, plugin, str(path))
    assert run.returncode == 0, run.stderr
    assert run.stdout.startswith(text)


def test_a_repaired_claim_has_no_counterexample_any_more(plugin, tmp_path):
    path = tmp_path / "certificate.json"
    assert fresh(SAVE, plugin, "demo.wrong", str(path)).returncode == 0
    mended = write_plugin(tmp_path / "mended", CLAIMS.replace("0 < n < 4", "0 < n"))
    run = fresh(CHECK, mended, str(path))
    assert run.returncode != 0
    assert "BadCertificate" in run.stderr
    run = fresh(CHECK, None, str(path))  # where the claim is not known
    assert "CannotCheck" in run.stderr


@pytest.fixture
def counterexample(declare, tmp_path):
    def function(pair):
        """The first is at most the second."""
        a, b = pair
        return a <= b or Fails(f"{a} > {b}")

    declare(function, cases=[(1, 2), (5, 3)], boundary=(2, 2), near_misses=[NearMiss("x", (9, 1))])
    path = tmp_path / "counterexample.json"
    verify("test.claim").save(path)
    return path


def test_counterexample(counterexample):
    assert check(counterexample) is True
    certificate = load(counterexample)
    assert isinstance(certificate, Counterexample)
    assert (certificate.claim, certificate.case) == ("test.claim", (5, 3))


@pytest.mark.parametrize(
    "change",
    [
        {"case": to_plain((1, 2))},
        {"case": to_plain((5, 4))},  # fails too, for another reason
        {"case": to_plain((9, 1)), "reason": "9 > 1"},  # a near-miss
        {"case": to_plain(5)},
        {"case": to_plain(None)},
        {"case": to_plain("ab")},
        {"case": 5},
        {"case": {"type": "os.system", "data": "true"}},
        {"reason": "because"},
        {"reason": None},
        {"claim": "lavie2024.dimension"},
        {"claim": "no.such"},
        {"claim": None},
        {"claim": "lavie2024.dimension", "subject": {"claim": "lavie2024.dimension"}},
        {"claim": "no.such", "subject": {"claim": "no.such"}},
        {"claim": [], "subject": {"claim": []}},
        {"subject": {"claim": "lavie2024.dimension"}},
        {"subject": None},
        {"kind": "exhausted"},
    ],
    ids=str,
)
def test_tampered_counterexample(counterexample, change):
    forge(counterexample)
    assert check(counterexample) is True
    forge(counterexample, **change)
    with pytest.raises(BadCertificate):
        check(counterexample)


def numbers(top: int = 4, word: str = "a"):
    if word == "break":
        raise OSError("broken")
    return range(1, top + 1)


@pytest.fixture
def exhausted(declare, tmp_path):
    declare(lambda n: n > 0, cases=numbers)
    path = tmp_path / "exhausted.json"
    verify("test.claim").save(path)
    return path


def test_exhausted(exhausted):
    assert check(exhausted) is True
    assert load(exhausted).count == 4
    assert load(exhausted).parameters == {"top": 4, "word": "a"}


FEWER = CaseDigest()
for _case in (1, 2, 3):
    FEWER.add(_case)


@pytest.mark.parametrize(
    "change",
    [
        {"count": "5"},
        {"count": "3"},
        {"count": 4},
        {"count": "-4"},
        {"digest": "0" * 64},
        {"digest": FEWER.hexdigest(), "count": "3"},
        {"digest": None},
        {"parameters": to_plain({"top": 5, "word": "a"})},
        {"parameters": to_plain({"top": 4})},
        {"parameters": to_plain({"top": "4", "word": "a"})},
        {"parameters": to_plain({"top": 4, "word": "a", "more": 1})},
        {"parameters": to_plain({"top": True, "word": "a"})},
        {"parameters": to_plain({"top": 4, "word": "break"})},
        {"parameters": to_plain({4: "top"})},
        {"parameters": to_plain(())},
        {"parameters": None},
        {"claim": "lavie2024.dimension"},
        {"claim": "lavie2024.dimension", "subject": {"claim": "lavie2024.dimension"}},
        {"claim": "no.such", "subject": {"claim": "no.such"}},
        {"kind": "counterexample"},
    ],
    ids=str,
)
def test_tampered_exhausted(exhausted, change):
    if "digest" in change:  # the certificate's own, not that of the file
        document = json.loads(exhausted.read_text())
        document["certificate"].update(change)
        exhausted.write_text(json.dumps(sign(document)))
    else:
        forge(exhausted, **change)
    with pytest.raises(BadCertificate):
        check(exhausted)


def test_a_list_in_which_one_case_fails_now(declare, exhausted):
    del claims._claims["test.claim"]
    declare(lambda n: n > 0 and n != 3, cases=numbers)
    with pytest.raises(BadCertificate, match="does not prove"):
        check(exhausted)


def test_a_list_in_which_one_case_raises_now(declare, exhausted):
    del claims._claims["test.claim"]
    declare(lambda n: 1 // (n - 3) is not None, cases=numbers)
    with pytest.raises(BadCertificate):
        check(exhausted)


@pytest.mark.parametrize("path", [None, 5, ["x"]])
def test_bad_paths(path):
    with pytest.raises((BadCertificate, BadType)):
        check(path)
    with pytest.raises((BadCertificate, BadType)):
        load(path)
