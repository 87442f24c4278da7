"""What a ring of matrix entries is: its elements, and the matrix operations that it has.

A ring holds no data but its own description. A matrix over it is kept in a representation
of the ring's choosing (a FLINT matrix, or a tuple of rows), which only the ring reads.
An operation that does not exist over a ring raises NotSupported and says so.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from operator import add, sub
from typing import Any, NoReturn

from symbench._arguments import mapping, shown
from symbench.errors import BadShape, NotInvertible, NotSupported, UnknownName
from symbench.exact.latex import in_latex

Rep = Any
Element = Any
Vector = tuple[Element, ...]
Shape = tuple[int, int]


class Ring(ABC):
    """The base of every ring; not meant to be subclassed outside symbench."""

    exactness = "exact"
    # What else is known of the entries: variables that a point must give values to.
    variables: tuple[str, ...] = ()

    @property
    def scalars(self) -> Any:
        """The ring of numbers at the bottom: ZZ, QQ or GF(p)."""
        self._unsupported("ring of exact scalars")

    # --- elements -------------------------------------------------------------------------
    @abstractmethod
    def coerce(self, value: Any) -> Element:
        """value as an element of this ring, or an error that says why it is none."""

    @abstractmethod
    def encode(self, element: Element) -> Any:
        """element as plain JSON, numbers as strings."""

    @abstractmethod
    def decode(self, data: Any) -> Element:
        """The element that encode wrote, validated."""

    @abstractmethod
    def to_json(self) -> Any:
        """The ring as plain JSON."""

    def text(self, element: Element) -> str:
        """element as printed in a table."""
        return str(element)

    def latex(self, element: Element) -> str:
        """element as LaTeX: its text with braces round exponents, fractions as such."""
        return in_latex(self.text(element))

    def _repr_latex_(self) -> str:
        return f"${self._symbol()}$"

    @abstractmethod
    def _symbol(self) -> str:
        """The ring as LaTeX."""

    def is_zero(self, element: Element) -> bool:
        """Whether element is (known to be) zero."""
        return bool(element == 0)

    def fraction_field(self) -> Ring:
        """Where solutions of linear systems over this ring live."""
        return self

    # --- representations ------------------------------------------------------------------
    def rep(self, rows: Sequence[Sequence[Element]], shape: Shape) -> Rep:
        """The representation of a table of elements."""
        return tuple(tuple(row) for row in rows)

    def table(self, rep: Rep) -> Sequence[Sequence[Element]]:
        """The rows of elements behind a representation."""
        return rep  # type: ignore[no-any-return]

    def entry(self, rep: Rep, i: int, j: int) -> Element:
        """One entry."""
        return self.table(rep)[i][j]

    def submatrix(self, a: Rep, rows: Sequence[int], columns: Sequence[int]) -> Rep:
        """The entries in these rows and columns, in this order."""
        table = [[self.entry(a, i, j) for j in columns] for i in rows]
        return self.rep(table, (len(rows), len(columns)))

    def equal(self, a: Rep, b: Rep) -> bool:
        """Whether two representations of one shape hold the same entries."""
        return all(x == y for r, s in zip(a, b, strict=True) for x, y in zip(r, s, strict=True))

    def encode_rep(self, rep: Rep) -> Any:
        """The whole table as plain JSON."""
        return [[self.encode(x) for x in row] for row in self.table(rep)]

    def decode_rep(self, data: list[list[Any]], shape: Shape) -> Rep:
        """The representation that encode_rep wrote, validated entry by entry."""
        return self.rep([[self.decode(x) for x in row] for row in data], shape)

    # --- arithmetic, entry by entry; rings with a FLINT matrix do better -------------------
    def add(self, a: Rep, b: Rep) -> Rep:
        """a + b."""
        return tuple(tuple(map(add, r, s)) for r, s in zip(a, b, strict=True))

    def subtract(self, a: Rep, b: Rep) -> Rep:
        """a - b."""
        return tuple(tuple(map(sub, r, s)) for r, s in zip(a, b, strict=True))

    def scale(self, factor: Element, a: Rep) -> Rep:
        """factor * a."""
        return tuple(tuple(factor * x for x in row) for row in a)

    def multiply(self, a: Rep, b: Rep, shape: Shape) -> Rep:
        """The matrix product, of the given shape."""
        zero = self.coerce(0)
        columns = list(zip(*b, strict=True)) or [()] * shape[1]
        return tuple(
            tuple(
                sum((x * y for x, y in zip(row, column, strict=True)), zero) for column in columns
            )
            for row in a
        )

    def transpose(self, a: Rep, shape: Shape) -> Rep:
        """The transpose of a matrix of the given shape."""
        return self.rep(list(zip(*self.table(a), strict=True)) or [()] * shape[1], shape[::-1])

    def power(self, element: Element, exponent: int) -> Element:
        """element ** exponent."""
        return element**exponent

    # --- linear algebra -------------------------------------------------------------------
    def det(self, a: Rep, size: int) -> Element:
        """The determinant of a square matrix."""
        self._unsupported("det")

    def rank(self, a: Rep, shape: Shape) -> int:
        """The rank."""
        self._unsupported("rank")

    def nullspace(self, a: Rep, shape: Shape) -> tuple[Vector, ...]:
        """A basis of the vectors v with a v = 0."""
        self._unsupported("nullspace")

    def solve(self, a: Rep, b: Rep) -> Rep:
        """The x over the fraction field with a x = b."""
        self._unsupported("solve")

    def charpoly(self, a: Rep, size: int) -> Vector:
        """The coefficients of det(x - a), constant term first."""
        self._unsupported("charpoly")

    def leading_residue(
        self, a: Rep, size: int, prime: int, point: Mapping[str, int]
    ) -> tuple[int, int]:
        """(valuation, leading coefficient modulo the prime) of the determinant at the point.

        The valuation is 0 but for power series. A nonzero residue proves det a nonzero.
        """
        image, rep = self.reduce(a, (size, size), prime, point)
        return 0, image.det(rep, size)

    # --- maps -----------------------------------------------------------------------------
    def check_point(self, point: Mapping[str, Any]) -> list[Any]:
        """The values of a point in the order of the variables; each has one, and nothing else."""
        mapping(point, "the point", "values such as {'x': 1}")
        if set(point) != set(self.variables):
            raise UnknownName(
                f"the point is {shown(dict(point))}, the variables are {list(self.variables)}: "
                "give a value to each of them and to nothing else"
            )
        return [point[name] for name in self.variables]

    def reduce(
        self, a: Rep, shape: Shape, prime: int, point: Mapping[str, int]
    ) -> tuple[Ring, Rep]:
        """The image under entries -> entries mod prime at the point: a ring homomorphism."""
        self._unsupported("reduction modulo a prime")

    def evaluate(self, a: Rep, shape: Shape, point: Mapping[str, Any]) -> tuple[Ring, Rep]:
        """The matrix of values at a point."""
        self._unsupported("evaluation at a point")

    def _unsupported(self, operation: str) -> NoReturn:
        raise NotSupported(f"there is no {operation} over {self!r}: {self.advice}")

    advice = "map the matrix to another ring first (change_ring, evaluate, reduce)"


def is_matrix(value: object) -> bool:
    """Whether value is a matrix, told without importing it: elements leave products to it."""
    return hasattr(value, "shape") and hasattr(value, "ring")


def square(shape: Shape, what: str) -> int:
    """The size of a square shape, or BadShape."""
    if shape[0] != shape[1]:
        raise BadShape(f"{what} needs a square matrix, this one is {shape[0]} x {shape[1]}")
    return shape[0]


def singular(what: str = "solve") -> NotInvertible:
    """The error of a solve with a singular matrix."""
    return NotInvertible(f"{what}: the matrix is singular; nullspace() shows why")
