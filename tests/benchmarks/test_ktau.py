"""The template matrix: certificates without entries, and the exact series. No peer does these."""

from __future__ import annotations

import sys

import pytest

import symbench as sb
from symbench.kernels import attention, inner_product
from tests.benchmarks.measuring import child


@pytest.mark.parametrize("length", [8, 9, 10, 11])
def test_one_certificate_for_all_templates(compare, length: int) -> None:
    def run() -> int:
        matrix = sb.template_matrix(sb.all_templates(length), attention())
        assert sb.certify(matrix).check()
        return len(matrix)

    compare("one certificate for all templates, found and checked", run, size=f"length {length}")


def test_certificate_of_a_task(compare) -> None:
    task = sb.tasks.distribution_of_three()
    compare(
        "one certificate for a task",
        lambda: sb.certify(sb.template_matrix(task, attention())),
        size="144 templates",
    )


@pytest.mark.parametrize(
    ("size", "order"),
    [("144 templates", 6), ("144 templates", 8), ("all of length 6", 6)],
)
def test_series(compare, size: str, order: int) -> None:
    task = sb.all_templates(6) if "all" in size else sb.tasks.distribution_of_three()
    compare(
        f"exact series to beta^{order}",
        lambda: sb.template_matrix(task, attention(order=order)).matrix,
        size=size,
        rounds=1,
    )


def test_modular_determinant(compare) -> None:
    matrix = sb.template_matrix(sb.all_templates(7), attention())
    compare(
        "modular determinant of exponentials",
        lambda: matrix.certify(algorithm="modular"),
        size="877 templates",
        rounds=1,
    )


@pytest.mark.parametrize("size", [144, 877])
@pytest.mark.parametrize("kernel", [inner_product(), attention()], ids=repr)
def test_is_it_learnable(compare, size: int, kernel) -> None:
    task = sb.all_templates(7) if size == 877 else sb.tasks.distribution_of_three()
    said = compare(
        f"learnable? in words, {kernel!r}",
        lambda: str(sb.learnable(task, kernel)),
        size=f"{size} templates",
    )
    assert "learnable" in said.lower()


def test_import_and_first_answer(compare) -> None:
    """In a fresh process, beside FLINT alone."""
    code = "import symbench as sb; sb.certify([[1, 2], [3, 4]])"
    compare(
        "a first certificate, process and all",
        child(sys.executable, "-c", code),
        beside={"import flint": child(sys.executable, "-c", "import flint")},
    )
