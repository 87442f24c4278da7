"""`compare`: a row of the table of speeds; all rows are printed last, and kept with --rows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.measuring import Row, as_text, row, save

_ROWS = pytest.StashKey[list[Row]]()


def pytest_addoption(parser):
    parser.addoption("--rows", type=Path, help="Write the rows here as JSON.")


def pytest_configure(config):
    config.stash[_ROWS] = []


@pytest.fixture
def compare(request, benchmark):
    """compare(operation, ours, peers, size=...): measure, keep the row, return what ours found.

    What is no peer, a limit or another road of our own, is given as `beside`.
    """

    def run(operation, ours, peers=None, *, beside=None, size="", **options):
        group = Path(request.node.path).stem.removeprefix("test_")
        found, measured = row(
            group,
            operation,
            size,
            ours,
            peers or {},
            beside or {},
            first=benchmark.pedantic,
            **options,
        )
        request.config.stash[_ROWS].append(measured)
        return found

    return run


def pytest_terminal_summary(terminalreporter, config):
    rows = config.stash[_ROWS]
    if rows:
        terminalreporter.section("CPU seconds, the least of a few rounds, peers in between")
        terminalreporter.write_line(as_text(rows))
    if rows and config.getoption("--rows"):
        save(rows, config.getoption("--rows"))
