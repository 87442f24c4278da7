"""Speed of checking: a file in a fresh process beside `import flint`, and the other checkers.

Run with `pytest tests/benchmarks/test_certificates.py --benchmark-only -s`. Seconds of processor
time of child processes, the minimum of several runs each, in one run.
"""

import random
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symbench as sb

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "examples" / "check_certificate.py"
JAVASCRIPT = ROOT / "symbench" / "certificates" / "check_certificate.js"


def child_seconds(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measured(benchmark, command, rounds):
    found = []
    benchmark.pedantic(lambda: found.append(child_seconds(command)), rounds=rounds)
    return min(found)


@pytest.mark.benchmark(group="check")
def test_a_small_file_in_a_fresh_process(benchmark, tmp_path):
    path = tmp_path / "c.json"
    sb.certify([[1, 2], [3, 4]]).save(path)
    code = f"import symbench as sb; sb.check({str(path)!r})"
    ours = measured(benchmark, [sys.executable, "-c", code], 10)
    flint = min(child_seconds([sys.executable, "-c", "import flint"]) for _ in range(10))
    print(f"check of a 2 x 2 file: {ours:.3f} s; import flint: {flint:.3f} s; {ours / flint:.2f}")


def _certificates(folder):
    stream = random.Random(0)
    size = 144
    rows = [[stream.randrange(-(10**20), 10**20) for _ in range(size)] for _ in range(size)]
    half = sb.Matrix(
        [[stream.randrange(-(10**9), 10**9) for _ in range(size)] for _ in range(size)]
    )
    found = {
        "nonsingular 144": sb.certify(rows),
        "definite 144": sb.certify(half @ half.transpose(), question="positive-definite"),
        "877 templates": sb.certify(
            sb.template_matrix(sb.all_templates(7), sb.kernels.attention())
        ),
    }
    for name, certificate in found.items():
        certificate.save(folder / f"{name}.json")
    return [folder / f"{name}.json" for name in found]


@pytest.mark.benchmark(group="check")
@pytest.mark.parametrize("program", ["symbench", "python", "node"])
def test_larger_files_in_every_program(benchmark, tmp_path, program):
    if program == "node" and shutil.which("node") is None:
        pytest.skip("node is not installed")
    command = {
        "symbench": [sys.executable, "-m", "symbench.cli", "check"],
        "python": [sys.executable, str(SCRIPT)],
        "node": ["node", str(JAVASCRIPT)],
    }[program]
    first, *rest = _certificates(tmp_path)
    print(f"{program}: {first.stem} {measured(benchmark, [*command, str(first)], 2):.2f} s")
    for path in rest:
        print(f"{program}: {path.stem} {child_seconds([*command, str(path)]):.2f} s")
