"""The one place where FLINT matrices and integer arrays become `symbench.exact.Matrix`."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import fmpq, fmpq_mat, fmpz_mat

from symbench.errors import BadType
from symbench.exact import QQ, ZZ, Matrix


def from_flint(matrix: Any) -> Matrix:
    """A Matrix with the entries of a FLINT matrix over the integers or rationals."""
    return Matrix(matrix)


def integer_matrix(array: Any) -> Matrix:
    """A Matrix over ZZ from a two-dimensional integer array."""
    rows, columns = array.shape
    if not rows or not columns:
        return from_flint(fmpz_mat(rows, columns, []))
    return from_flint(fmpz_mat(array.tolist()))


def rational_matrix(array: Any, denominator: int) -> Matrix:
    """A Matrix over QQ from integer numerators and one common denominator."""
    numerators = fmpq_mat(integer_matrix(array).flint)
    return from_flint(numerators * fmpq(1, denominator))


def as_matrix(value: object, name: str) -> Matrix:
    """The value as an exact rational Matrix; rows of numbers are converted."""
    if isinstance(value, Matrix):
        matrix = value
    elif isinstance(value, list | tuple) or hasattr(value, "shape") or hasattr(value, "nrows"):
        matrix = Matrix(value)
    else:
        raise BadType(f"{name} is {value!r} ({type(value).__name__}), expected a Matrix or rows")
    if matrix.ring not in (ZZ, QQ):
        raise BadType(f"{name} is over {matrix.ring!r}, expected integers or rationals")
    return matrix


def fraction(value: Any) -> Fraction:
    """An entry of a FLINT matrix as a Fraction."""
    number = fmpq(value)
    return Fraction(int(number.p), int(number.q))
