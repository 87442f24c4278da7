"""The pytest plugin in a project of its own, in processes of their own."""

import json
import os
import sys
import tomllib

import pytest

import symbench
from symbench.errors import BadCertificate, BadValue
from symbench.registry import load_case, save_case
from tests.documents import ROOT
from tests.registry.plugin import finished

CLAIMS = '''
import symbench as sb


def declare(id, **more):
    near = [sb.NearMiss("zero", 0)]
    return sb.claim(id, source="here", category="lemma", cases=[1, 2, 3], boundary=1,
                    near_misses=near, **more)


@declare("mine.good")
def good(n):
    """Every number is positive."""
    return n > 0


@declare("mine.wrong")
def wrong(n):
    """Every positive number is less than three."""
    return 0 < n < 3 or sb.Fails(f"{n} is not")


@declare("mine.open")
def open_(n):
    """A claim that raises."""
    return n > 0 if n != 2 else 1 // 0
'''

TESTS = """
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb


@given(sb.strategies.templates(), st.integers())
def test_short(template, n):
    assert len(template) < 3


class TestMethods:
    @given(st.from_type(sb.Partition))
    def test_flat(self, tmp_path_factory, partition):
        assert partition.parts[0] < 3


@given(st.lists(sb.strategies.kernels(), min_size=1, max_size=1))
def test_kernels(kernels):
    raise ValueError("no kernel is good")


@given(sb.strategies.partitions())
def test_two_mistakes(partition):
    if partition.size % 2:
        raise ValueError("odd")
    assert partition.size == 0


@given(st.integers())
def test_not_ours(n):
    assert n < 100


@given(sb.strategies.partitions())
def test_good(partition):
    assert partition.size > 0


def test_plain():
    assert sb.Partition(1).size == 2
"""


@pytest.fixture
def project(tmp_path):
    """A folder with claims and tests, in an environment where the plugin is installed."""
    info = tmp_path / "installed" / "plugin-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: plugin\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[pytest11]\nsymbench = symbench._pytest\n")
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "mine.py").write_text(CLAIMS)
    (folder / "pytest.ini").write_text("[pytest]\npythonpath = .\nsymbench_claims = mine\n")
    return folder


def run(folder, *arguments, code=None):
    paths = [str(folder.parent / "installed"), str(ROOT)]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "COLUMNS": "150"}
    env.pop("PYTEST_ADDOPTS", None)
    start = [sys.executable, "-c", code] if code else [sys.executable, "-m", "pytest"]
    options = ["-p", "no:cacheprovider", *arguments]
    return finished([*start, *options], env=env, cwd=folder)


def counts(result):
    """Passed and failed, by the last line."""
    words = result.stdout.strip().splitlines()[-1].replace(",", "").split()
    return {words[i + 1]: int(n) for i, n in enumerate(words[:-1]) if n.isdigit()}


def test_the_entry_point():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["entry-points"]["pytest11"] == {"symbench": "symbench._pytest"}


CHEAP = (
    "import sys, pytest; code = pytest.main(); "
    "print({n for n in sys.modules if n.split('.')[0] in ('symbench', 'flint', 'sympy')}); "
    "sys.exit(code)"
)


def test_it_costs_nothing_unless_it_is_asked_for(project):
    (project / "test_it.py").write_text("def test_it():\n    pass\n")
    result = run(project, code=CHEAP)
    assert result.returncode == 0, result.stdout
    loaded = set(eval(result.stdout.strip().splitlines()[-1]))
    # Hypothesis has a plugin for pytest, which loads its entry points when it is imported.
    assert loaded <= {"symbench", "symbench._lazy", "symbench._pytest", "symbench._hypothesis"}


class TestClaims:
    def test_a_pattern(self, project):
        result = run(project, "--symbench-claims=mine.*")
        assert result.returncode == 1
        assert counts(result) == {"failed": 2, "passed": 1}
        for text in ("mine.wrong: fails (expected: holds)", "fails: 3: 3 is not",
                     "mine.open: undecided", "symbench-claims::mine.wrong"):  # fmt: skip
            assert text in result.stdout
        assert "Traceback" not in result.stdout

    def test_beside_other_tests(self, project):
        (project / "test_it.py").write_text("def test_it():\n    pass\n")
        result = run(project, ".", "--symbench-claims=mine.good")
        assert (result.returncode, counts(result)) == (0, {"passed": 2})
        result = run(project, ".", "--symbench-claims=mine.*", "-k", "good or test_it")
        assert counts(result) == {"passed": 2, "deselected": 2}

    def test_the_whole_book(self, project):
        result = run(project, "--collect-only", "-q", "--symbench-claims")
        assert "symbench-claims::mine.good" in result.stdout
        assert "symbench-claims::lavie2024.dimension" in result.stdout

    def test_a_refuted_claim_is_as_expected(self, project):
        result = run(project, "--symbench-claims=boix2024.section-F.2.1")
        assert (result.returncode, counts(result)) == (0, {"passed": 1})

    def test_a_counterexample_is_saved(self, project):
        result = run(project, "--symbench-claims=mine.*", "--save-counterexample", "found")
        path = project / "found" / "mine.wrong.json"
        assert result.stdout.count(str(path)) >= 2
        assert json.loads(path.read_text())["kind"] == "counterexample"

    def test_without_it_there_are_none(self, project):
        assert run(project).returncode == 5

    def test_mistakes_are_named(self, project):
        result = run(project, "--symbench-claims=no.such")
        assert result.returncode == 4
        assert "no claim matches 'no.such'" in result.stderr
        (project / "pytest.ini").write_text("[pytest]\nsymbench_claims = no_such_module\n")
        result = run(project, "--symbench-claims=mine.*")
        assert result.returncode == 4
        assert "cannot import 'no_such_module'" in result.stderr
        assert "Traceback" not in result.stderr


class TestSaving:
    def test_failing_cases_are_saved(self, project):
        (project / "test_it.py").write_text(TESTS)
        result = run(project, "--save-counterexample", "found", "--tb=no")
        assert counts(result)["passed"] == 1
        found = {path.name.rsplit("-", 1)[0]: path for path in (project / "found").glob("*.json")}
        saved = result.stdout[result.stdout.index("counterexamples saved by symbench") :]
        for path in (project / "found").glob("*.json"):
            assert str(path) in saved
        # Shrunk by Hypothesis: the smallest.
        short = load_case(found["test_it.py-test_short"])
        assert short == {"template": symbench.Template("ααα"), "n": 0}
        flat = load_case(found["test_it.py-TestMethods-test_flat"])
        assert flat == {"partition": symbench.Partition(3)}
        kernels = load_case(found["test_it.py-test_kernels"])
        assert "inner_product" in kernels["kernels"] or "linear_attention" in kernels["kernels"]
        two = (project / "found").glob("test_it.py-test_two*.json")
        assert {load_case(p)["partition"].size for p in two} == {1, 2}
        assert not list((project / "found").glob("*not_ours*"))
        assert not list((project / "found").glob("*test_good*"))

    def test_the_failure_says_so(self, project):
        (project / "test_it.py").write_text(TESTS)
        result = run(project, "--save-counterexample=found", "-k", "short")
        assert "symbench counterexample" in result.stdout
        assert "saved to" in result.stdout

    @pytest.mark.parametrize("folder", ["mine.py", "mine.py/inside", "/proc/none"])
    def test_a_folder_that_is_none(self, project, folder):
        result = run(project, "--save-counterexample", folder)
        assert result.returncode == 4
        assert "--save-counterexample: " in result.stderr
        assert "Traceback" not in result.stderr

    def test_in_several_processes(self, project):
        (project / "test_it.py").write_text(TESTS)
        result = run(project, "--save-counterexample", "found", "-n", "1", "-k", "short or plain")
        assert "counterexamples saved by symbench" in result.stdout
        assert len(list((project / "found").glob("*.json"))) == 1


class TestFiles:
    def test_values_come_back(self, tmp_path):
        from symbench import Matrix, Partition, Permutation, Tableau, Task, Template
        from symbench.words import Word

        case = {"a": Partition(2, 1), "b": Permutation(2, 1), "c": Tableau([[1, 2], [3]]),
                "d": Matrix([[1, "1/2"]]), "e": (Word("AB"), [Template("αS")]),
                "f": Task([Template("α")], labels=[1]), "g": {"x": None}}  # fmt: skip
        found = load_case(save_case(tmp_path, case))
        assert found == {**case, "e": (Word("AB"), (Template("αS"),))}

    def test_one_name_a_case(self, tmp_path):
        first, second = (save_case(tmp_path, {"n": n}, test="a/b::c[α]") for n in (1, 2))
        assert first != second
        assert save_case(tmp_path, {"n": 1}, test="a/b::c[α]") == first

    def test_bad_files(self, tmp_path):
        path = save_case(tmp_path, {"p": symbench.Partition(2, 1)})
        good = path.read_text()
        for old, new in (("case 1", "case 9"), ('"int": "2"', '"int": "-2"'), ('"shown"', '"x"'),
                         ('"Partition"', '"os.system"')):  # fmt: skip
            assert old in good, old
            path.write_text(good.replace(old, new))
            with pytest.raises(BadCertificate):
                load_case(path)
        path.write_text("[")
        with pytest.raises(BadCertificate):
            load_case(path)

    def test_bad_folders(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(BadValue, match="cannot write"):
            save_case(tmp_path / "file" / "x", {"n": 1})
        with pytest.raises(TypeError, match="the arguments"):
            save_case(tmp_path, [1])
