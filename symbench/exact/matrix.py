"""Matrix: an immutable exact matrix, (representation, shape, ring), with FLINT behind it.

>>> M = Matrix([[2, 1], [1, "1/2"]])
>>> M
Matrix([[2, 1],
        [1, '1/2']])
>>> M.det(), M.rank(), M.nullspace()
(0, 1, ((-1/2, 1),))
>>> Matrix([[0.5]])
Traceback (most recent call last):
...
symbench.errors.NotExact: 0.5 is a float, not an exact number: write '1/2' or Fraction(1, 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, overload

import flint

from symbench._arguments import integer, sequence, shown
from symbench.errors import BadShape, BadType, NotExact, NotInRing, NotInvertible
from symbench.exact import rings
from symbench.exact.dense import QQ, ZZ, DenseRing, PrimeField
from symbench.exact.exponentials import Exponentials
from symbench.exact.primes import word_prime
from symbench.exact.printing import grid_text, latex_text, repr_text
from symbench.exact.ring import Element, Rep, Ring, Shape, Vector, square


class Matrix:
    """An exact matrix over a ring, inferred from the entries or given.

    Entries may be ints, Fractions, strings such as '3/7', sympy numbers and polynomials, FLINT
    values, numpy integers, and elements of the rings of symbench.

    >>> Matrix([[1, 2], [3, 4]]).ring
    ZZ
    >>> Matrix([[1, 2], [3, 4]], "GF(5)")
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the ring is 'GF(5)': give ZZ, QQ, GF(7), QQ['x'] or another ring
    >>> Matrix([[1, 2], [3]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: row 1 has 1 entries, row 0 has 2: all rows must be of one length
    """

    __slots__ = ("_hash", "_rep", "ring", "shape")
    ring: Ring
    shape: Shape
    _rep: Rep
    _hash: int | None

    def __init__(self, rows: Any, ring: Ring | None = None) -> None:
        if isinstance(rows, Matrix):
            same = rows if ring is None else rows.change_ring(ring)
            self._set(same._rep, same.shape, same.ring)
            return
        if hasattr(rows, "to_Matrix") and hasattr(rows, "domain"):  # sympy's DomainMatrix
            if ring is None and rows.domain.is_FiniteField:
                ring = PrimeField(int(rows.domain.mod))
            rows = rows.to_Matrix()
        found = rings.from_flint(rows) if ring is None else None
        if found is not None:
            self._set(found[1], (rows.nrows(), rows.ncols()), found[0])
            return
        table, shape = _read_table(rows)
        chosen = rings.infer(table) if ring is None else rings.check(ring)
        self._set(rings.build(chosen, table, shape), shape, chosen)

    def _set(self, rep: Rep, shape: Shape, ring: Ring) -> None:
        for name, value in (("_rep", rep), ("shape", shape), ("ring", ring), ("_hash", None)):
            object.__setattr__(self, name, value)

    @classmethod
    def _make(cls, rep: Rep, shape: Shape, ring: Ring) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._set(rep, shape, ring)
        return matrix

    @classmethod
    def identity(cls, size: int, ring: Ring = ZZ) -> Matrix:
        """The identity matrix.

        >>> Matrix.identity(2)
        Matrix([[1, 0],
                [0, 1]])
        """
        n = integer(size, "the size", at_least=0)
        return cls._of([[int(i == j) for j in range(n)] for i in range(n)], (n, n), ring)

    @classmethod
    def _of(cls, rows: Sequence[Sequence[Any]], shape: Shape, ring: Ring) -> Matrix:
        """A matrix of known shape: rows without columns keep their number."""
        return cls._make(rings.build(rings.check(ring), rows, shape), shape, ring)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"a Matrix is immutable: cannot set {name}")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"a Matrix is immutable: cannot delete {name}")

    # --- looking ----------------------------------------------------------------------------
    @property
    def rows(self) -> tuple[Vector, ...]:
        """The entries, row by row.

        >>> Matrix([[1, "1/2"]]).rows
        ((1, 1/2),)
        """
        return tuple(tuple(row) for row in self.ring.table(self._rep))

    @property
    def exactness(self) -> str:
        """'exact', or 'ball' for rigorous enclosures."""
        return self.ring.exactness

    @property
    def flint(self) -> Any:
        """What the ring keeps: over ZZ, QQ and GF(p) a FLINT matrix, not to be changed."""
        return self._rep

    def __getitem__(self, place: Any) -> Element:
        """The entry at (i, j), counted from 0."""
        if not isinstance(place, tuple) or len(place) != 2:
            raise BadType(f"the place is {shown(place)}: write M[i, j]; submatrix() takes blocks")
        i, j = (
            _index(k, n, what)
            for k, n, what in zip(place, self.shape, ("row", "column"), strict=True)
        )
        return self.ring.entry(self._rep, i, j)

    def __eq__(self, other: object) -> bool:
        """Equal shape, ring and entries; over ZZ and QQ the numbers decide."""
        if not isinstance(other, Matrix):
            return NotImplemented
        if self.shape != other.shape:
            return False
        if self.ring == other.ring:
            return self.ring.equal(self._rep, other._rep)
        if {self.ring, other.ring} == {ZZ, QQ}:
            return QQ.equal(self.change_ring(QQ)._rep, other.change_ring(QQ)._rep)
        return False

    def __hash__(self) -> int:
        if self._hash is None:
            ring = "Q" if self.ring in (ZZ, QQ) else repr(self.ring)
            value = hash((ring, self.shape, str(self.to_json()["rows"])))
            object.__setattr__(self, "_hash", value)
            return value
        return self._hash

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        if isinstance(self.ring, DenseRing):  # long numbers are quicker in binary than as text
            return Matrix._of, (self.rows, self.shape, self.ring)
        return Matrix.from_json, (self.to_json(),)

    def __repr__(self) -> str:
        return repr_text(self)

    def __str__(self) -> str:
        return grid_text(self)

    def _repr_latex_(self) -> str:
        return latex_text(self)

    # --- arithmetic -------------------------------------------------------------------------
    def _match(self, other: Any, operation: str) -> tuple[Ring, Rep, Rep]:
        if not isinstance(other, Matrix):
            raise BadType(f"cannot {operation} a Matrix and {shown(other)}: both must be matrices")
        ring = rings.common(self.ring, other.ring)
        return ring, self.change_ring(ring)._rep, other.change_ring(ring)._rep

    def __add__(self, other: Any) -> Matrix:
        ring, a, b = self._match(other, "add")
        _check_same_shape(self.shape, other.shape, "add")
        return self._make(ring.add(a, b), self.shape, ring)

    def __sub__(self, other: Any) -> Matrix:
        ring, a, b = self._match(other, "subtract")
        _check_same_shape(self.shape, other.shape, "subtract")
        return self._make(ring.subtract(a, b), self.shape, ring)

    def __neg__(self) -> Matrix:
        return -1 * self

    def __matmul__(self, other: Any) -> Matrix:
        ring, a, b = self._match(other, "multiply")
        if self.shape[1] != other.shape[0]:
            raise BadShape(f"cannot multiply {_size_text(self.shape)} by {_size_text(other.shape)}")
        shape = (self.shape[0], other.shape[1])
        return self._make(ring.multiply(a, b, shape), shape, ring)

    def __mul__(self, factor: Any) -> Matrix:
        if isinstance(factor, Matrix):
            raise BadType("* multiplies by a number: write A @ B for the matrix product")
        ring = rings.common(self.ring, rings.infer([[factor]]))
        rep = ring.scale(ring.coerce(factor), self.change_ring(ring)._rep)
        return self._make(rep, self.shape, ring)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Matrix:
        # Numbers divide polynomials; an integer modulo p is inverted there.
        single = Matrix([[divisor]], self.ring if isinstance(self.ring, PrimeField) else None)
        if not single.rank():
            raise NotInvertible(f"cannot divide a Matrix by {shown(divisor)}")
        factor: Any = single.inverse()[0, 0]
        return self.__mul__(factor)

    def __pow__(self, exponent: int) -> Matrix:
        """The power of a square matrix; negative ones are those of its inverse.

        >>> Matrix([[1, 1], [0, 1]]) ** 10, Matrix([[2]]) ** -2
        (Matrix([[1, 10],
                [0, 1]]), Matrix([['1/4']]))
        """
        size, n = square(self.shape, "a power"), integer(exponent, "the exponent")
        base = self if n >= 0 else self.inverse()
        found = Matrix.identity(size, base.ring)
        for digit in bin(abs(n))[2:]:
            found = found @ found
            found = found @ base if digit == "1" else found
        return found

    # Only reached with something on the left that is no matrix: the errors above say so.
    __radd__, __rsub__, __rmatmul__ = __add__, __sub__, __matmul__

    def entrywise_power(self, exponent: int) -> Matrix:
        """The matrix of the entries' powers (the Hadamard power).

        >>> Matrix([[1, 2], [3, 4]]).entrywise_power(2)
        Matrix([[1, 4],
                [9, 16]])
        """
        n = integer(exponent, "the exponent", at_least=0)
        return self._of(
            [[self.ring.power(x, n) for x in row] for row in self.rows], self.shape, self.ring
        )

    def transpose(self) -> Matrix:
        """Rows become columns.

        >>> Matrix([[1, 2]]).transpose().shape
        (2, 1)
        """
        return self._make(self.ring.transpose(self._rep, self.shape), self.shape[::-1], self.ring)

    @property
    def T(self) -> Matrix:
        """The transpose, as numpy writes it."""
        return self.transpose()

    def is_symmetric(self) -> bool:
        """Whether the matrix equals its transpose.

        >>> Matrix([[1, 2], [2, 5]]).is_symmetric()
        True
        """
        return self.shape[0] == self.shape[1] and self == self.transpose()

    def submatrix(self, rows: Sequence[int], columns: Sequence[int]) -> Matrix:
        """The rows and columns with the given indices, in the given order.

        >>> Matrix([[1, 2], [3, 4]]).submatrix([1], [0, 1])
        Matrix([[3, 4]])
        """
        chosen = [_indices(rows, self.shape[0], "row"), _indices(columns, self.shape[1], "column")]
        shape = (len(chosen[0]), len(chosen[1]))
        return self._make(self.ring.submatrix(self._rep, *chosen), shape, self.ring)

    # --- linear algebra -----------------------------------------------------------------------
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

    def minor(self, rows: Sequence[int], columns: Sequence[int]) -> Element:
        """The determinant of a square submatrix.

        >>> Matrix([[1, 2, 3], [4, 5, 6]]).minor([0, 1], [0, 2])
        -6
        """
        return self.submatrix(rows, columns).det()

    @overload
    def solve(self, right: Matrix) -> Matrix: ...
    @overload
    def solve(self, right: Sequence[Any]) -> Vector: ...
    def solve(self, right: Any) -> Matrix | Vector:
        """The x with M x = right, exactly; a vector for a vector, a Matrix for a Matrix.

        >>> Matrix([[2, 1], [1, 1]]).solve([1, "1/2"])
        (1/2, 0)
        >>> Matrix([[1, 1], [1, 1]]).solve([1, 2])
        Traceback (most recent call last):
        ...
        symbench.errors.NotInvertible: solve: the matrix is singular; nullspace() shows why
        """
        size = square(self.shape, "solve")
        vector = not isinstance(right, Matrix)
        b = right
        if vector:
            given = sequence(right, "the right side", "a list of numbers or a Matrix")
            b = Matrix([[x] for x in given])
        if b.shape[0] != size:
            raise BadShape(f"the right side has {b.shape[0]} rows, the matrix {size}")
        ring = rings.common(self.ring, b.ring)
        rep = ring.solve(self.change_ring(ring)._rep, b.change_ring(ring)._rep)
        x = self._make(rep, b.shape, ring.fraction_field())
        return tuple(row[0] for row in x.rows) if vector else x

    def inverse(self) -> Matrix:
        """The inverse, over the ring's fractions; its entries are as long as determinants are.

        >>> Matrix([[1, 2], [3, 4]]).inverse()
        Matrix([[-2, 1],
                ['3/2', '-1/2']])
        """
        return self.solve(Matrix.identity(square(self.shape, "inverse"), self.ring))

    def eigenvalues(self) -> tuple[tuple[Any, int], ...]:
        """The eigenvalues with their multiplicities, largest first, if all of them are real.

        Those that are not rational are exact roots of irreducible polynomials.

        >>> Matrix([[2, 1], [1, 1]]).eigenvalues()
        ((RealRoot((1, -3, 1), 1), 1), (RealRoot((1, -3, 1), 0), 1))
        """
        from symbench.exact.roots import eigenvalues

        return eigenvalues(self)

    def leading_residue(
        self, prime: int, point: Mapping[str, int] | None = None
    ) -> tuple[int, int]:
        """(order, leading coefficient modulo a prime) of the determinant, at a point as in reduce.

        The order is 0 but over power series. A nonzero residue proves the determinant nonzero.

        >>> Matrix([[1, 2], [3, 4]]).leading_residue(7)
        (0, 5)
        """
        size = square(self.shape, "the determinant")
        values = {} if point is None else point
        self.ring.check_point(values)
        return self.ring.leading_residue(self._rep, size, word_prime(prime, "the prime"), values)

    # --- maps -------------------------------------------------------------------------------
    def change_ring(self, ring: Ring) -> Matrix:
        """The same matrix over another ring, if its entries lie there.

        >>> Matrix([[1, 2]]).change_ring(QQ).ring
        QQ
        >>> Matrix([["1/2"]]).change_ring(ZZ)
        Traceback (most recent call last):
        ...
        symbench.errors.NotInRing: 1/2 is not an integer: use ring=QQ
        """
        if rings.check(ring) == self.ring:
            return self
        if self.exactness == "ball" and ring.exactness != "ball":
            raise NotExact(f"balls are no elements of {ring!r}: an enclosure is not its midpoint")
        if (self.ring, ring) == (ZZ, QQ):  # without the detour over elements
            return self._make(flint.fmpq_mat(self._rep), self.shape, ring)
        return self._of(self.rows, self.shape, ring)

    def reduce(self, prime: int, point: Mapping[str, int] | None = None) -> Matrix:
        """The image modulo a prime below 2^64, at a point if there are variables.

        Over exponentials the point's value is that of q^(1/d), d the common denominator of
        the exponents. It is a ring homomorphism, so a nonzero image of a determinant proves
        that the determinant is not zero.

        >>> Matrix([["1/2", 3]]).reduce(7)
        Matrix([[4, 3]], GF(7))
        """
        values = {} if point is None else point
        self.ring.check_point(values)
        ring, rep = self.ring.reduce(self._rep, self.shape, word_prime(prime, "the prime"), values)
        return self._make(rep, self.shape, ring)

    def evaluate(self, point: Mapping[str, Any]) -> Matrix:
        """The exact values at a point, given as {'x': 2, ...}.

        >>> x, = QQ["x"].gens
        >>> Matrix([[x, x * x]]).evaluate({"x": "1/2"})
        Matrix([['1/2', '1/4']])
        """
        ring, rep = self.ring.evaluate(self._rep, self.shape, point)
        return self._make(rep, self.shape, ring)

    def to_sympy(self) -> Any:
        """The sympy Matrix with the same entries.

        >>> Matrix([[1, "1/2"]]).to_sympy()
        Matrix([[1, 1/2]])
        """
        from symbench.exact.conversions import to_sympy

        return to_sympy(self)

    def to_numpy(self, dtype: Any = object) -> Any:
        """The numpy array of the exact entries, or of another dtype asked for by name.

        >>> Matrix([[1, "1/2"]]).to_numpy(float)
        array([[1. , 0.5]])
        """
        from symbench.exact.conversions import to_numpy

        return to_numpy(self, dtype)

    def to_json(self) -> dict[str, Any]:
        """The matrix as plain JSON: ring, shape and rows, every number a string.

        >>> Matrix([[1, "1/2"]]).to_json()
        {'ring': 'QQ', 'shape': ['1', '2'], 'rows': [['1', '1/2']]}
        """
        return {
            "ring": self.ring.to_json(),
            "shape": [str(n) for n in self.shape],
            "rows": self.ring.encode_rep(self._rep),
        }

    @classmethod
    def from_json(cls, data: Any) -> Matrix:
        """The matrix that to_json wrote; everything in it is validated.

        >>> Matrix.from_json({"ring": {"GF": "4"}, "shape": ["1", "1"], "rows": [["1"]]})
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the modulus is 4, which is not prime: give a prime below 2^64
        """
        rows, shape = _read_stored_table(data)
        ring = rings.from_json(data["ring"])
        return cls._make(ring.decode_rep(rows, shape), shape, ring)


def exponential_matrix(exponents: Any, *, variable: str = "q") -> Matrix:
    """The matrix [q^C_ij] of a rational matrix C.

    >>> exponential_matrix([[1, 0], [0, 1]]).det()
    -1 + q^2
    >>> exponential_matrix(None)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: the matrix is None: give a sequence of rows, each a sequence of numbers
    """
    table = Matrix(exponents)
    if (
        table.ring.variables
        or table.ring.exactness != "exact"
        or isinstance(table.ring, PrimeField)
    ):
        raise BadType(f"the exponents live in {table.ring!r}: give rational numbers")
    ring = Exponentials(variable)
    return Matrix([[ring.monomial(e) for e in row] for row in table.rows], ring)


# --- tables of entries as they come in ----------------------------------------------------------
_ROWS = "a sequence of rows, each a sequence of numbers"
# No matrix in a file has more rows or columns.
_LONGEST = 10**6


def _read_table(rows: Any) -> tuple[list[list[Any]], Shape]:
    """The rows (lists, a numpy array, a matrix of FLINT or sympy) as lists, and their shape."""
    if hasattr(rows, "table") and hasattr(rows, "nrows"):  # FLINT
        return rows.table(), (rows.nrows(), rows.ncols())
    if hasattr(rows, "tolist") and hasattr(rows, "shape"):  # numpy, sympy
        if len(rows.shape) != 2:
            raise BadShape(f"the array has {len(rows.shape)} dimensions: give two")
        return rows.tolist(), (rows.shape[0], rows.shape[1])
    table = [list(sequence(row, "a row", _ROWS)) for row in sequence(rows, "the matrix", _ROWS)]
    width = len(table[0]) if table else 0
    for i, row in enumerate(table):
        if len(row) != width:
            raise BadShape(
                f"row {i} has {len(row)} entries, row 0 has {width}: all rows must be of one length"
            )
    return table, (len(table), width)


def _read_shape(data: Any) -> Shape:
    """The shape that a file announces."""
    if not isinstance(data, list) or len(data) != 2:
        raise BadShape(f"the shape is {shown(data)}: two numbers in strings")
    rows, columns = (ZZ.decode(n) for n in data)
    # A matrix without rows may claim any number of columns: FLINT must not see it.
    if not (0 <= rows <= _LONGEST and 0 <= columns <= _LONGEST):
        raise BadShape(f"the shape is {shown(data)}: two numbers from 0 to {_LONGEST:,}")
    return rows, columns


def _read_stored_table(data: Any) -> tuple[list[list[Any]], Shape]:
    """The rows and the shape of a matrix in a file, which must fit together."""
    if not isinstance(data, Mapping) or set(data) != {"ring", "shape", "rows"}:
        raise NotInRing("a matrix in JSON has exactly ring, shape and rows")
    shape, rows = _read_shape(data["shape"]), data["rows"]
    if not isinstance(rows, list) or len(rows) != shape[0]:
        raise BadShape(f"the file announces {shape[0]} rows and has others")
    if any(not isinstance(row, list) or len(row) != shape[1] for row in rows):
        raise BadShape(f"the file announces rows of {shape[1]} entries and has others")
    return rows, shape


def _check_same_shape(a: Shape, b: Shape, operation: str) -> None:
    """Refuse two shapes that differ."""
    if a != b:
        raise BadShape(f"cannot {operation} {_size_text(a)} and {_size_text(b)}")


def _index(value: Any, size: int, what: str) -> int:
    """The index from 0 to size - 1 that value stands for."""
    if size == 0:
        raise BadShape(f"the {what} is {shown(value)}: the matrix has no {what}s")
    return integer(value, f"the {what}", at_least=0, at_most=size - 1)


def _indices(values: Any, size: int, what: str) -> list[int]:
    """The list of indices that values stands for."""
    given = sequence(values, f"the list of {what}s", "a list of indices")
    return [_index(k, size, what) for k in given]


def _size_text(shape: Shape) -> str:
    """The shape in words."""
    return f"a {shape[0]} x {shape[1]} matrix"
