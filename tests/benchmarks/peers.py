"""The peers that are programs: GAP, PARI, and Sage's libraries in an environment of their own.

Each is asked for its own CPU time, so that its start does not count. `install_peers.sh` beside
this file installs what there is. A peer that is not there is a sentence instead of a function.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

from tests.benchmarks.measuring import External, Peer

_HERE = Path(__file__).resolve().parents[2]
_LIMIT = 600  # seconds


def _run(command: list[str], text: str) -> str:
    done = subprocess.run(
        command, input=text, capture_output=True, text=True, check=True, timeout=_LIMIT
    )
    return done.stdout


def gap(statement: str, setup: str = "") -> Peer:
    """A statement of GAP, which is timed by itself, in milliseconds."""
    if shutil.which("gap") is None:
        return "(gap is not installed)"
    script = f'{setup}\nt := Runtime();; {statement};; Print(Runtime() - t, "\\n");\nQUIT;\n'
    return lambda: External(max(int(_run(["gap", "-q"], script).split()[-1]), 1) / 1000)


def pari(statement: str, setup: str = "") -> Peer:
    """A statement of PARI, which is timed by itself, in milliseconds."""
    if shutil.which("gp") is None:
        return "(gp is not installed)"
    script = f"{setup}\nt=getabstime();\n{statement};\nprint(getabstime()-t);\n"
    command = ["gp", "-q", "-f", "-s", "2000000000"]
    return lambda: External(max(int(_run(command, script).split()[-1]), 1) / 1000)


def _interpreter() -> str | None:
    """The Python of the environment with Sage's libraries."""
    given = os.environ.get("SYMBENCH_PEERS", str(_HERE / "build" / "peers"))
    path = Path(given) / "bin" / "python"
    return str(path) if path.exists() else None


def sage(expression: str, setup: str) -> Peer:
    """An expression of Python with Sage's libraries: the least CPU time of three."""
    python = _interpreter()
    if python is None:
        return "(not installed)"
    code = (
        f"import json, time\n{setup}\ntimes = []\n"
        "for _ in range(3):\n"
        f"    t = time.process_time(); found = {expression}\n"
        "    times.append(time.process_time() - t)\n"
        "    if times[-1] > 3: break\n"
        "print(json.dumps([min(times), found if isinstance(found, (int, list)) else None]))\n"
    )

    def work() -> External:
        try:
            return External(*json.loads(_run([python, "-c", code], "").splitlines()[-1]))
        except subprocess.CalledProcessError as error:
            raise RuntimeError(error.stderr) from error

    return work


@cache
def others() -> dict[str, str]:
    """The versions of the programs."""
    found: dict[str, Any] = {"GAP": "none", "PARI": "none"}
    if shutil.which("gap"):
        found["GAP"] = _run(["gap", "-q"], 'Print(GAPInfo.Version, "\\n");\nQUIT;\n').split()[-1]
    if shutil.which("gp"):
        found["PARI"] = _run(["gp", "--version-short"], "").strip()
    python = _interpreter()
    code = (
        "from importlib.metadata import distributions as d\n"
        "print(*{x.name + ' ' + x.version for x in d() if 'passagemath-combinat' in x.name})"
    )
    found["Sage by pip"] = _run([python, "-c", code], "").strip() if python else "none"
    return found
