"""Every session in README, pages and docstrings, found and run by sybil."""

from __future__ import annotations

import doctest
import importlib
import re
import shlex
import subprocess
import sys
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

from sybil import Sybil
from sybil.document import PythonDocStringDocument
from sybil.example import Example
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser

ROOT = Path(__file__).resolve().parent.parent
FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL

_SET_UP = re.compile(r"^python3 -m venv ")


def run_shell(example: Example) -> str | None:
    """Run each `$ command` of a console block, and compare what it prints with what follows.

    The two set-up commands (no prompt) are what .ci/run does, word for word; here it is only
    checked that they stand there.
    """
    text = str(example.parsed)
    if not text.lstrip().startswith("$ "):
        lines = [line for line in text.splitlines() if line.strip()]
        if all(_SET_UP.match(line) for line in lines):
            return None
        return f"a console block without prompts, and not a set-up command: {text}"
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        words = shlex.split(command)
        if words[0] == "symbench":
            words[:1] = [sys.executable, "-m", "symbench.cli"]
        if words[0] == "python":  # a program that lies beside the pages
            words[:2] = [sys.executable, str(ROOT / words[1])]
        if words[0] == "pytest":
            words[:1] = [sys.executable, "-m", "pytest", *_plugin()]
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=example.namespace["folder"], check=False
        )
        flags = FLAGS | doctest.NORMALIZE_WHITESPACE
        wanted, found = expected.strip() + "\n", done.stdout.strip() + "\n"
        if not doctest.OutputChecker().check_output(wanted, found, flags):
            return f"$ {command}\nexpected:\n{expected}\ngot:\n{done.stdout}{done.stderr}"
    return None


def _plugin() -> list[str]:
    """The option that loads our plugin where an editable install is older than it."""
    known = any(entry.name == "symbench" for entry in entry_points(group="pytest11"))
    return [] if known else ["-p", "symbench._pytest"]


def markdown() -> Sybil:
    return Sybil(
        parsers=[
            PythonCodeBlockParser(doctest_optionflags=FLAGS),
            CodeBlockParser(language="console", evaluator=run_shell),
        ]
    )


def docstrings() -> Sybil:
    return Sybil(
        parsers=[DocTestParser(optionflags=doctest.ELLIPSIS)],
        document_types={".py": PythonDocStringDocument},
    )


ROOMS = (
    "exact draw certificates decide words young laws kernels ktau spectra learning sparse texts "
    "registry sweeps report"
)


@cache
def room_names() -> dict[str, Any]:
    """What every session in a docstring has: `sb`, and the public names of all rooms."""
    names: dict[str, Any] = {"sb": importlib.import_module("symbench")}
    for room in ROOMS.split():
        module = importlib.import_module(f"symbench.{room}")
        names.update({name: getattr(module, name) for name in module.__all__})
    return names


def pages() -> list[Path]:
    found = [ROOT / "README.md", *ROOT.glob("proofs/**/*.md"), *ROOT.glob("examples/**/*.md")]
    return sorted(found)


def modules() -> list[Path]:
    return sorted(
        path for path in ROOT.glob("symbench/**/*.py") if ">>>" in path.read_text(encoding="utf-8")
    )
