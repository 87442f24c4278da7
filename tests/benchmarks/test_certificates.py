"""Checking: files, and every claim, in a fresh process of each program, start included."""

import random
import sys
from pathlib import Path

import pytest

import symbench as sb
from tests.benchmarks.measuring import child

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "symbench": [sys.executable, "-m", "symbench.cli", "check"],
    "python": [sys.executable, str(ROOT / "examples" / "check_certificate.py")],
    "node": ["node", str(ROOT / "symbench" / "certificates" / "check_certificate.js")],
}


def _matrix(digits):
    stream, top = random.Random(0), 10**digits
    return sb.Matrix([[stream.randrange(-top, top) for _ in range(144)] for _ in range(144)])


CERTIFICATES = {
    "nonsingular, 2 x 2": lambda: sb.certify([[1, 2], [3, 4]]),
    "nonsingular, r = 144": lambda: sb.certify(_matrix(20)),
    "positive definite, r = 144": lambda: sb.certify(
        _matrix(9) @ _matrix(9).T, question="positive-definite"
    ),
    "one point, 877 templates": lambda: sb.certify(
        sb.template_matrix(sb.all_templates(7), sb.kernels.attention())
    ),
}


@pytest.mark.parametrize("name", CERTIFICATES)
def test_a_file_in_every_program(compare, tmp_path, name):
    path = tmp_path / "certificate.json"
    CERTIFICATES[name]().save(path)
    compare(
        "a file checked, start included",
        child(*PROGRAMS["symbench"], path),
        beside={other: child(*PROGRAMS[other], path) for other in ("python", "node")},
        size=name,
        rounds=2,
    )


def test_every_claim(compare):
    command = [sys.executable, "-m", "symbench.cli", "verify"]
    compare("symbench verify, every claim", child(*command), rounds=1)
