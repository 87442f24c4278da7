"""What a matrix has without looking at another one: determinant, rank, null space, charpoly."""

from __future__ import annotations

from symbench.exact.ring import Element, Rep, Ring, Shape, Vector, square


class Invariants:
    """The part of Matrix that asks its ring and nothing else."""

    __slots__ = ()
    ring: Ring
    shape: Shape
    _rep: Rep

    def det(self) -> Element:
        """The determinant.

        >>> Matrix([["1/2", 0], [5, 3]]).det()
        3/2
        """
        return self.ring.det(self._rep, square(self.shape, "det"))

    def rank(self) -> int:
        """The rank; over polynomials and exponentials at generic parameters.

        >>> Matrix([[1, 2], [2, 4]]).rank()
        1
        """
        return self.ring.rank(self._rep, self.shape)

    def nullspace(self) -> tuple[Vector, ...]:
        """A basis of the vectors v with M v = 0, one per free column.

        >>> Matrix([[1, 2], [2, 4]]).nullspace()
        ((-2, 1),)
        """
        return self.ring.nullspace(self._rep, self.shape)

    def charpoly(self) -> Vector:
        """The coefficients of det(x - M), constant term first.

        >>> Matrix([[1, 2], [3, 4]]).charpoly()
        (-2, -5, 1)
        """
        return self.ring.charpoly(self._rep, square(self.shape, "charpoly"))
