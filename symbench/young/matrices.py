"""Matrices of representations: exact ones from arrays, and those with square roots as entries.

Every entry of Young's orthogonal form is a rational number times one square root, because it is
the seminormal form with its basis vectors scaled to length one.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import attrs
from flint import fmpq, fmpq_mat, fmpz, fmpz_mat

from symbench._arguments import instance, integer, sequence, shown
from symbench.draw.views import Shown, View, formula
from symbench.errors import BadShape, BadType, BadValue
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.latex import in_latex
from symbench.exact.rational import exact_number

_ENTRIES = 10  # rows and columns that a notebook shows


@attrs.frozen(init=False)
class Surd(Shown):
    """The number coefficient * √radicand, the radicand positive and free of squares.

    >>> Surd(1, 12)
    Surd(coefficient=Fraction(2, 1), radicand=3)
    >>> print(Surd(1, 2) * Surd(1, 6), Surd(1, 2) * Surd(1, 2))
    2√3 2
    """

    coefficient: Fraction
    radicand: int

    def __init__(self, coefficient: int | Fraction, radicand: int = 1) -> None:
        number = Fraction(exact_number(coefficient))
        inside = integer(radicand, "radicand", at_least=1)
        square, free = _square_part(inside)
        self.__attrs_init__(number * square, free if number else 1)

    def __mul__(self, other: Surd) -> Surd:
        instance(other, Surd, "the factor", "a Surd, as in Surd(2) * Surd(1, 3)")
        return Surd(self.coefficient * other.coefficient, self.radicand * other.radicand)

    def __str__(self) -> str:
        if self.radicand == 1:
            return str(self.coefficient)
        front = {1: "", -1: "-"}.get(self.coefficient, str(self.coefficient))  # type: ignore[call-overload]
        return f"{front}√{self.radicand}"

    def _view(self) -> View:
        return formula(str(self), in_latex(str(self)))

    def to_sympy(self) -> Any:
        """The number as a sympy expression.

        >>> Surd(1, 3).to_sympy()
        sqrt(3)
        """
        import sympy

        q = self.coefficient
        return sympy.Rational(q.numerator, q.denominator) * sympy.sqrt(self.radicand)


@attrs.frozen(init=False, repr=False)
class SurdMatrix(Shown):
    """The matrix with entries A[i, j] √(n_i / n_j), for a rational A and positive norms n.

    >>> M = SurdMatrix([["-1/2", "3/2"], ["1/2", "1/2"]], [1, 3])
    >>> [[str(entry) for entry in row] for row in M.tolist()]
    [['-1/2', '1/2√3'], ['1/2√3', '1/2']]
    >>> M.is_orthogonal()
    True
    """

    rational: Matrix
    norms: tuple[Fraction, ...]

    def __init__(self, rational: Any, norms: Any) -> None:
        matrix = as_matrix(rational, "rational")
        lengths = tuple(Fraction(exact_number(norm)) for norm in sequence(norms, "norms"))
        if matrix.shape != (len(lengths), len(lengths)):
            raise BadShape(
                f"the matrix has shape {matrix.shape} and {len(lengths)} norms: give a square "
                "matrix and one norm per row"
            )
        if any(norm <= 0 for norm in lengths):
            raise BadValue(f"the norms are {shown(norms)}: give positive numbers")
        self.__attrs_init__(matrix, lengths)

    def __repr__(self) -> str:
        rows = [[str(entry) for entry in row] for row in self.rational.rows]
        return f"SurdMatrix({rows}, {[str(n) for n in self.norms]})"

    def _view(self) -> View:
        few = range(min(len(self.norms), _ENTRIES))
        more = len(self.norms) > _ENTRIES
        rows = [[in_latex(str(self[i, j])) for j in few] + [r"\cdots"] * more for i in few]
        rows += [[r"\vdots"] * (len(few) + 1)] * more
        body = r" \\ ".join(" & ".join(row) for row in rows)
        return formula(repr(self), rf"\begin{{pmatrix}} {body} \end{{pmatrix}}")

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return self.rational.shape

    def __getitem__(self, place: tuple[int, int]) -> Surd:
        entry = self.rational[place]
        i, j = place
        ratio = self.norms[i] / self.norms[j]
        return Surd(Fraction(entry) / ratio.denominator, ratio.numerator * ratio.denominator)

    def tolist(self) -> list[list[Surd]]:
        """The entries, row by row."""
        size = range(len(self.norms))
        return [[self[i, j] for j in size] for i in size]

    def __matmul__(self, other: SurdMatrix) -> SurdMatrix:
        instance(other, SurdMatrix, "the factor", "a SurdMatrix")
        if self.norms != other.norms:
            raise BadValue("the bases have different norms: give matrices in one basis")
        return SurdMatrix(self.rational @ other.rational, self.norms)

    def transpose(self) -> SurdMatrix:
        """Rows and columns exchanged."""
        size = range(len(self.norms))
        flint = self.rational.transpose().flint
        rows = [
            [
                fmpq(flint[i, j]) * fmpq(q.numerator, q.denominator)
                for j in size
                if (q := self.norms[j] / self.norms[i])
            ]
            for i in size
        ]
        return SurdMatrix(Matrix(fmpq_mat(rows)), self.norms)

    def is_orthogonal(self) -> bool:
        """Whether the matrix times its transpose is the identity, multiplied out exactly."""
        product = (self @ self.transpose()).rational
        return product == Matrix.identity(len(self.norms))

    def trace(self) -> Fraction:
        """The sum of the diagonal, which is rational."""
        return sum((Fraction(self.rational[i, i]) for i in range(len(self.norms))), Fraction(0))

    def to_sympy(self) -> Any:
        """The matrix as a sympy Matrix.

        >>> SurdMatrix([[0, 2], [1, 0]], [1, 2]).to_sympy()
        Matrix([
        [      0, sqrt(2)],
        [sqrt(2),       0]])
        """
        import sympy

        return sympy.Matrix([[entry.to_sympy() for entry in row] for row in self.tolist()])


@lru_cache(maxsize=4096)
def _square_part(number: int) -> tuple[int, int]:
    square = free = 1
    for prime, power in fmpz(number).factor():
        square *= int(prime) ** (power // 2)
        free *= int(prime) ** (power % 2)
    return square, free


def integer_matrix(array: Any) -> Matrix:
    """A Matrix over ZZ from a two-dimensional integer array."""
    rows, columns = array.shape
    if not rows or not columns:
        return Matrix(fmpz_mat(rows, columns, []))
    return Matrix(fmpz_mat(array.tolist()))


def rational_matrix(array: Any, denominator: int) -> Matrix:
    """A Matrix over QQ from integer numerators and one common denominator."""
    numerators = fmpq_mat(integer_matrix(array).flint)
    return Matrix(numerators * fmpq(1, denominator))


def as_matrix(value: object, name: str) -> Matrix:
    """The value as an exact rational Matrix; rows of numbers are converted."""
    matrix = Matrix(value)
    if matrix.ring not in (ZZ, QQ):
        raise BadType(f"{name} is over {matrix.ring!r}: give integers or rationals")
    return matrix
