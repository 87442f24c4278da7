"""The certificate of a trace bound against eigenvalues that are known beforehand."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.certificates import TraceBoundHolds
from symbench.kernels import linear_attention
from tests.certificates.forging import sign


def with_eigenvalues(values: list[int], turns: list[int]) -> sb.Matrix:
    """A matrix with these eigenvalues: a diagonal one, turned by unit triangular matrices."""
    size = len(values)
    matrix = [[Fraction(values[i] if i == j else 0) for j in range(size)] for i in range(size)]
    for n, turn in enumerate(turns):
        i, j = n % size, (n + 1) % size
        if i == j:
            continue
        for k in range(size):  # row i plus turn times row j, column j minus turn times column i
            matrix[i][k] += turn * matrix[j][k]
        for k in range(size):
            matrix[k][j] -= turn * matrix[k][i]
    return sb.Matrix(matrix, sb.QQ)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=5),
    st.lists(st.integers(-3, 3), max_size=8),
    st.integers(1, 5),
    st.integers(1, 4),
    st.integers(0, 60),
)
def test_it_holds_iff_the_eigenvalue_is_small(
    values: list[int], turns: list[int], place: int, dimension: int, trace: int
) -> None:
    found = TraceBoundHolds(place=place, dimension=dimension, trace=sb.rings.Rational(trace))
    largest = sorted(values, reverse=True)
    # A place that does not exist proves nothing.
    true = place <= len(values) and largest[place - 1] <= Fraction(trace, place * dimension)
    assert found.check(with_eigenvalues(values, turns)) == true


@pytest.mark.parametrize("vocabulary", [2, 3])
@pytest.mark.parametrize("readout", ["sum", "flatten"])
def test_every_level_has_one(vocabulary: int, readout: str) -> None:
    kernel = linear_attention(1, "1/2", readout=readout)
    found = sb.spectrum(kernel, length=4, vocabulary=vocabulary)
    for bound in found.trace_bounds():
        certificate = found.trace_certificate(bound.partition, bound.place)
        assert certificate.bound == bound.bound
        assert certificate.check()
        tight = attrs.evolve(certificate, trace=sb.rings.Rational(certificate.trace / 10**9))
        assert tight.check() == (bound.eigenvalue == 0)


def test_negative_kernels_are_refused() -> None:
    unequal = sb.kernels.from_table(lambda table: 10 - 9 * (table[0][0] + table[1][1]))
    found = sb.spectrum(unequal, length=1, vocabulary=2)
    with pytest.raises(errors.BadValue, match="semidefinite"):
        found.trace_certificate("1")


def test_files(tmp_path: Path) -> None:
    found = sb.spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    path = tmp_path / "bound.json"
    found.trace_certificate("3+1", 2).save(path)
    fresh = subprocess.run(
        [sys.executable, "-m", "symbench.cli", "check", str(path)], capture_output=True, check=False
    )
    assert fresh.returncode == 0, fresh.stdout
    for name, bad in {
        "place": "0",
        "dimension": "1000000",
        "trace": "5",
    }.items():
        document = json.loads(path.read_text())
        document["certificate"][name] = bad
        path.with_name("bad.json").write_text(json.dumps(sign(document)))
        with pytest.raises(errors.BadCertificate):
            sb.check(path.with_name("bad.json"))


def test_other_subjects() -> None:
    certificate = TraceBoundHolds(place=1, dimension=1, trace=sb.rings.Rational(100))
    assert certificate.check(sb.Matrix([[1]]))
    for subject in (sb.Matrix([[1, 2]]), sb.Matrix([[1]], sb.GF(7)), sb.Matrix([])):
        assert not certificate.check(subject)
    for subject in (None, 3):
        with pytest.raises(errors.BadType):
            certificate.check(subject)


@settings(deadline=None)
@given(
    st.lists(st.integers(0, 3), max_size=2),
    st.lists(st.integers(-3, 3), max_size=6),
    st.integers(-2, 2),
    st.integers(1, 3),
)
def test_complex_eigenvalues_prove_nothing(
    values: list[int], turns: list[int], middle: int, height: int
) -> None:
    # A rotation block beside real eigenvalues, in another basis.
    size = len(values) + 2
    rows = [[Fraction(0)] * size for _ in range(size)]
    rows[0][:2], rows[1][:2] = [middle, -height], [height, middle]
    for k, value in enumerate(values, start=2):
        rows[k][k] = Fraction(value)
    for n, turn in enumerate(turns):
        i, j = n % size, (n + 1) % size
        for k in range(size):
            rows[i][k] += turn * rows[j][k]
        for k in range(size):
            rows[k][j] -= turn * rows[k][i]
    for place in range(1, size + 1):
        bound = TraceBoundHolds(place=place, dimension=1, trace=sb.rings.Rational(10**9))
        assert not bound.check(sb.Matrix(rows, sb.QQ))


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (("5",), errors.UnknownName),
        ((None,), errors.BadType),
        (("3+1", 0), errors.SymbenchError),
        (("3+1", 4), errors.SymbenchError),
        (("3+1", 1.5), errors.NotExact),
    ],
)
def test_bad_arguments(arguments: tuple, error: type) -> None:
    found = sb.spectrum(linear_attention(1, 1), length=4, vocabulary=2)
    with pytest.raises(error):
        found.trace_certificate(*arguments)
