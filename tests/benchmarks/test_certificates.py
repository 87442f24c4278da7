"""Checking: files in a fresh process of each program, start included."""

import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symbench as sb
from tests.benchmarks.measuring import External

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = {
    "symbench": [sys.executable, "-m", "symbench.cli", "check"],
    "python": [sys.executable, str(ROOT / "examples" / "check_certificate.py")],
    "node": ["node", str(ROOT / "symbench" / "certificates" / "check_certificate.js")],
}


def child(program, path):
    """The CPU time of a child process that checks a file."""
    if shutil.which(PROGRAMS[program][0]) is None:
        return "(not installed)"

    def work():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([*PROGRAMS[program], str(path)], check=True, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return External(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)

    return work


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
        "a file checked, start included", child("symbench", path),
        {other: child(other, path) for other in ("python", "node")}, size=name, rounds=2,
    )  # fmt: skip
