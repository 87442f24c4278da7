"""The edition of a claim changes with every line that the claim can reach."""

import importlib
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import symbench
from symbench.registry import claims
from symbench.registry.edition import edition_of, symbench_edition

from .plugin import PATIENCE, environment, fresh

CLAIM = "lavie2024.dimension"
EDITION = f"import symbench as sb; print(sb.__file__); print(sb.claims[{CLAIM!r}].edition)"


@pytest.fixture
def copy(tmp_path):
    """A folder with a copy of the package, to be put first on the path."""
    shutil.copytree(Path(symbench.__file__).parent, tmp_path / "symbench",
                    ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    return tmp_path


def edition_in(folder):
    run = fresh(f"import sys; sys.path.insert(0, {str(folder)!r}); {EDITION}")
    assert run.returncode == 0, run.stderr
    file, found = run.stdout.split()
    assert Path(file).is_relative_to(folder)
    return found


def add_a_comment(path):
    with path.open("a", encoding="utf-8") as file:
        file.write("# another edition\n")


@pytest.mark.parametrize(
    "changed", ["kernels/tangent.py", "exact/dense.py", "papers/lavie2024/__init__.py"]
)
def test_every_room_of_symbench_counts(copy, changed):
    assert edition_in(copy) == symbench_edition() == claims[CLAIM].edition
    add_a_comment(copy / "symbench" / changed)
    assert edition_in(copy) != symbench_edition()


def test_a_file_that_is_new_gone_or_renamed(copy):
    kernels = copy / "symbench" / "kernels"
    new = kernels / "unheard_of.py"
    new.write_text("")
    seen = {symbench_edition(), edition_in(copy)}
    new.rename(kernels / "unheard.py")
    seen.add(edition_in(copy))
    assert len(seen) == 3
    (kernels / "unheard.py").unlink()
    assert edition_in(copy) == symbench_edition()


def verify(folder, ledger):
    """The claims that were run, not found in the ledger."""
    arguments = ["verify", CLAIM, "--size", "max_length=4", "--json", "--ledger", str(ledger)]
    code = f"import sys; sys.path.insert(0, {str(folder)!r}); from symbench.cli import main; main()"
    run = subprocess.run([sys.executable, "-c", code, *arguments], env=environment(),
                         capture_output=True, text=True, timeout=PATIENCE)  # fmt: skip
    assert run.returncode == 0, run.stderr
    assert [v["status"] for v in json.loads(run.stdout)] == ["holds"]
    return re.findall(r"^\[1/1\] (\S+):", run.stderr, re.M)


def test_a_ledger_of_an_older_kernel_is_not_believed(copy):
    ledger = copy / "ledger.db"
    assert verify(copy, ledger) == [CLAIM]
    assert verify(copy, ledger) == []
    add_a_comment(copy / "symbench" / "kernels" / "tangent.py")
    assert verify(copy, ledger) == [CLAIM]
    assert verify(copy, ledger) == []


def load(name, monkeypatch, folder):
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
    module = importlib.import_module(name)
    for loaded in [m for m in sys.modules if m.partition(".")[0] == name.partition(".")[0]]:
        monkeypatch.setitem(sys.modules, loaded, sys.modules[loaded])  # taken out again
    return module


FUNCTION = "def f(n):\n    return n > 0\n"


def test_a_module_of_a_user(tmp_path, monkeypatch):
    path = tmp_path / "edited_claims.py"
    path.write_text(FUNCTION)
    (tmp_path / "another.py").write_text("")  # a neighbour is no part of it
    f = load("edited_claims", monkeypatch, tmp_path).f
    first = edition_of(f)
    assert first != symbench_edition()
    add_a_comment(tmp_path / "another.py")
    assert edition_of(f) == first
    path.write_text(FUNCTION.replace("n > 0", "n > 00"))
    assert edition_of(f) != first


def test_a_package_of_a_user(tmp_path, monkeypatch):
    inner = tmp_path / "edited_package" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent, inner):
        (folder / "__init__.py").write_text("")
    (inner / "claims.py").write_text(FUNCTION)
    f = load("edited_package.inner.claims", monkeypatch, tmp_path).f
    first = edition_of(f)
    assert edition_of(f) == first
    (inner.parent / "helper.py").write_text("HELP = 1\n")
    assert edition_of(f) != first


def test_without_a_source_nothing_is_the_same():
    """Typed in at a prompt the same name may be another function."""
    run = fresh(
        "from symbench.registry.edition import edition_of\n"
        "def f(n): return n > 0\n"
        "print(edition_of(f) != edition_of(f), edition_of(len) != edition_of(len),\n"
        "      edition_of(str.upper) != edition_of(str.upper))"
    )
    assert run.stdout == "True True True\n", run.stderr
