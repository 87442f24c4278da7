"""The template matrix: certificates without entries, and the exact series. No peer does these."""

from __future__ import annotations

import pytest

import symbench as sb
from symbench.kernels import attention, inner_product


def _print(what: str, benchmark) -> None:
    if benchmark.stats is not None:
        print(f"\n{what}: {benchmark.stats.stats.median:.3f} s (no peer)")


@pytest.mark.parametrize("length", [8, 9, 10])
def test_one_certificate_for_all_templates(benchmark, length: int) -> None:
    def run() -> int:
        matrix = sb.template_matrix(sb.all_templates(length), attention())
        assert sb.certify(matrix).check()
        return len(matrix)

    count = benchmark.pedantic(run, rounds=1, iterations=1)
    _print(f"all {count:,} templates of length {length}, found and checked", benchmark)


def test_certificate_of_the_144_templates(benchmark) -> None:
    task = sb.tasks.distribution_of_three()
    benchmark.pedantic(lambda: sb.certify(sb.template_matrix(task, attention())), rounds=3)
    _print("certificate of distribution of three", benchmark)


def test_series_of_the_144_templates(benchmark) -> None:
    task = sb.tasks.distribution_of_three()
    benchmark.pedantic(
        lambda: sb.template_matrix(task, attention(order=6)).matrix, rounds=1, iterations=1
    )
    _print("exact series to beta^6 of distribution of three", benchmark)


def test_modular_determinant_of_length_seven(benchmark) -> None:
    matrix = sb.template_matrix(sb.all_templates(7), attention())
    benchmark.pedantic(lambda: matrix.certify(algorithm="modular"), rounds=1, iterations=1)
    _print("modular determinant of all 877 templates of length 7", benchmark)


@pytest.mark.parametrize("name", ["distribution_of_three", "length 7"])
@pytest.mark.parametrize("kernel", [inner_product(), attention()], ids=repr)
def test_is_it_learnable(benchmark, name: str, kernel) -> None:
    task = sb.all_templates(7) if name == "length 7" else sb.tasks.distribution_of_three()
    said = benchmark.pedantic(lambda: str(sb.learnable(task, kernel)), rounds=5)
    assert "learnable" in said.lower()
    _print(f"learnable, in words: {name}, {kernel!r}", benchmark)
