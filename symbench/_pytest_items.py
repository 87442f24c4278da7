"""What the pytest plugin does once it is asked: claims as tests, failing cases as files."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Iterable, Iterator
from fnmatch import fnmatchcase
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from symbench.errors import SymbenchError
from symbench.registry import Verdict, claims, verify
from symbench.registry.case_files import save_case

_SAVED = "symbench counterexample"


def register(config: pytest.Config, pattern: str | None, folder: str | None) -> None:
    """Add the parts of the plugin that are asked for."""
    saving = None
    if folder is not None:
        saving = _Saving(_checked(config, folder))
        config.pluginmanager.register(saving, "symbench-save")
    if pattern is not None:
        config.pluginmanager.register(_Collecting(config, pattern), "symbench-claims")


def _checked(config: pytest.Config, folder: str) -> Path:
    path = Path(config.invocation_params.dir, folder)
    if path.exists() and not path.is_dir():
        raise pytest.UsageError(f"--save-counterexample: {folder!r} is no folder: name one")
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise pytest.UsageError(
            f"--save-counterexample: cannot make {folder!r}: {error.strerror}"
        ) from None
    if not os.access(path, os.W_OK):
        raise pytest.UsageError(f"--save-counterexample: cannot write to {folder!r}")
    return path


# --- claims as tests ----------------------------------------------------------------------------
class _Collecting:
    """Adds a test a claim to those that were collected."""

    def __init__(self, config: pytest.Config, pattern: str) -> None:
        self.pattern = pattern
        self.modules: list[str] = config.getini("symbench_claims")

    # First, so that -k and -m choose among the claims, too.
    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(
        self, session: pytest.Session, items: list[pytest.Item]
    ) -> None:
        for name in self.modules:
            try:
                import_module(name)
            except Exception as error:
                raise pytest.UsageError(
                    f"symbench_claims: cannot import {name!r}: {error!r}; `pythonpath` in the "
                    "configuration of pytest says where modules are"
                ) from None
        chosen = [id for id in claims if fnmatchcase(id, self.pattern)]
        if not chosen:
            raise pytest.UsageError(
                f"--symbench-claims: no claim matches {self.pattern!r}: write "
                "--symbench-claims='boix2024.*', and paths of tests before the option"
            )
        parent = _Registry.from_parent(session, name="symbench-claims", nodeid="symbench-claims")
        items.extend(ClaimItem.from_parent(parent, name=id) for id in chosen)


class _Registry(pytest.Collector):
    """The parent of the claims, which are made where the items are known."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        return []


class NotAsExpected(AssertionError):
    """A verdict that is not the one that the claim announces."""

    def __init__(self, verdict: Verdict) -> None:
        super().__init__(verdict.explain())
        self.verdict = verdict


class ClaimItem(pytest.Item):
    """A claim as a test: it passes if the verdict is as expected."""

    def runtest(self) -> None:
        verdict = verify(self.name)
        if not verdict.as_expected:
            raise NotAsExpected(verdict)

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        if isinstance(excinfo.value, (NotAsExpected, SymbenchError)):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        claim = claims[self.name]
        code = claim.function.__code__
        return Path(code.co_filename), code.co_firstlineno - 1, f"claim {self.name}"


# --- failing cases as files ---------------------------------------------------------------------
class _Saving:
    """Writes what was drawn in failing tests to files of a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        # The last failing case with each error, of the test that is running.
        self.failed: dict[Any, tuple[BaseException, dict[str, Any]]] = {}

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
        self.failed.clear()
        handle: Any = getattr(pyfuncitem.obj, "hypothesis", None)
        inner = getattr(handle, "inner_test", None)
        if not callable(inner):
            return (yield)
        # Hypothesis documents inner_test as the place where plugins put themselves.
        handle.inner_test = self._watched(inner, {"self", *pyfuncitem.funcargs})
        try:
            return (yield)
        finally:
            handle.inner_test = inner

    def _watched(self, inner: Callable[..., Any], fixtures: set[str]) -> Callable[..., Any]:
        @wraps(inner)
        def watched(*args: Any, **kwargs: Any) -> Any:
            try:
                return inner(*args, **kwargs)
            except Exception as error:
                drawn = {name: x for name, x in kwargs.items() if name not in fixtures}
                self.failed[_place(error)] = (error, drawn)
                raise

        return watched

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        report: Any = yield
        if call.when == "call" and call.excinfo is not None and report.failed:
            for path in self._saved(item, call.excinfo.value):
                report.sections.append((_SAVED, f"saved to {path}"))
                report.user_properties.append((_SAVED, str(path)))
        return report

    def _saved(self, item: pytest.Item, raised: BaseException) -> Iterator[Path]:
        if isinstance(raised, NotAsExpected) and raised.verdict.certificate is not None:
            path = self.folder / f"{item.name}.json"
            raised.verdict.save(path)
            yield path
        leaves = {id(error) for error in _leaves(raised)}
        for error, drawn in self.failed.values():
            if id(error) in leaves and any(map(_ours, drawn.values())):
                said = f"{type(error).__name__}: {error}"[:1000]
                yield save_case(self.folder, drawn, test=item.nodeid, error=said)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        saved = [
            value
            for report in terminalreporter.stats.get("failed", [])
            for name, value in report.user_properties
            if name == _SAVED
        ]
        if saved:
            terminalreporter.section("counterexamples saved by symbench")
            for path in saved:
                terminalreporter.line(path)


def _place(error: BaseException) -> tuple[type, str, int]:
    """The kind of an error and where it was raised: cases with the same are one mistake."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    if trace is None:
        return type(error), "", 0
    return type(error), trace.tb_frame.f_code.co_filename, trace.tb_lineno


def _leaves(error: BaseException) -> Iterator[BaseException]:
    if isinstance(error, BaseExceptionGroup):
        for part in error.exceptions:
            yield from _leaves(part)
    else:
        yield error


def _ours(value: Any, depth: int = 5) -> bool:
    """Whether a value is one of symbench, or holds one."""
    if type(value).__module__.partition(".")[0] == "symbench":
        return True
    if depth and isinstance(value, dict):
        return any(_ours(part, depth - 1) for pair in value.items() for part in pair)
    if depth and isinstance(value, (list, tuple, set, frozenset)):
        return any(_ours(part, depth - 1) for part in value)
    return False
