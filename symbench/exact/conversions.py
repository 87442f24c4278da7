"""To and from sympy and numpy; the only module that computes with sympy's objects."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import flint

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, NotInRing
from symbench.exact.arrays import np
from symbench.exact.dense import QQ, ZZ
from symbench.exact.exponentials import Exponential
from symbench.exact.polynomials import POLYNOMIALS
from symbench.exact.rational import exact_number
from symbench.exact.series import Series

if TYPE_CHECKING:
    from symbench.exact.matrix import Matrix


def polynomial_terms(value: Any) -> tuple[tuple[str, ...], dict[tuple[int, ...], Any]]:
    """(variable names, terms) of a sympy polynomial or expression with rational coefficients."""
    import sympy

    if isinstance(value, sympy.Poly):
        poly = value
    else:
        try:
            poly = sympy.Poly(value, *sorted(value.free_symbols, key=str))
        except (sympy.PolynomialError, sympy.GeneratorsNeeded):
            raise NotInRing(f"{shown(value)} is not a polynomial") from None
    names = tuple(str(g) for g in poly.gens)
    if any(not g.is_Symbol for g in poly.gens):
        raise NotInRing(f"{shown(value)} is not a polynomial in its symbols")
    check_symbols([poly.gens])
    return names, {e: exact_number(c) for e, c in poly.as_dict().items()}


def check_symbols(table: Iterable[Iterable[Any]]) -> None:
    """Refuse two different symbols that print alike: variables are told apart by their names.

    >>> import sympy
    >>> check_symbols([[sympy.Symbol("x"), sympy.Symbol("x", positive=True)]])
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: two different sympy symbols have the name x: give them two names
    """
    import sympy

    known: dict[str, Any] = {}
    for row in table:
        for value in row:
            for symbol in value.free_symbols if isinstance(value, sympy.Basic) else ():
                if known.setdefault(str(symbol), symbol) != symbol:
                    raise BadValue(
                        f"two different sympy symbols have the name {symbol}: give them two names"
                    )


def to_sympy(matrix: Matrix) -> Any:
    """The sympy Matrix with the same entries (residues as integers, balls not at all)."""
    import sympy

    def entry(value: Any) -> Any:
        if isinstance(value, POLYNOMIALS):
            symbols = sympy.symbols(value.context().names())
            terms = (
                sympy.prod(
                    [s ** int(e) for s, e in zip(symbols, exponents, strict=True)], number(c)
                )
                for exponents, c in value.to_dict().items()
            )
            return sympy.Add(*terms)
        if isinstance(value, Exponential):
            # q stands for a positive number: q^(1/2) has one meaning.
            q = sympy.Symbol(value.variable, positive=True)
            return sympy.Add(*(number(c) * q ** number(e) for e, c in value.terms))
        if isinstance(value, Series):
            x = sympy.Symbol(value.ring.variable)
            known = sympy.Add(*(entry(c) * x**n for n, c in enumerate(value.coefficients)))
            return known + sympy.Order(x**value.ring.precision)
        if isinstance(value, flint.arb):
            raise NotInRing("a ball is not a sympy number: take its midpoint, value.mid()")
        return number(value)

    def number(value: Any) -> Any:
        exact = exact_number(value)
        return sympy.Rational(exact.numerator, exact.denominator)

    return sympy.Matrix(*matrix.shape, [entry(x) for row in matrix.rows for x in row])


def to_numpy(matrix: Matrix, dtype: Any) -> Any:
    """The numpy array with the same entries; dtype=float rounds, and is asked for by name."""
    try:
        kind = np.dtype(object if dtype is None else dtype)
    except TypeError:
        raise BadType(f"the dtype is {shown(dtype)}: give object, float, 'int64', ...") from None
    if kind.kind in "iu":
        matrix = matrix.change_ring(ZZ) if matrix.ring == QQ else matrix
    array = np.empty(matrix.shape, dtype=object)
    for i, row in enumerate(matrix.rows):
        for j, value in enumerate(row):
            array[i, j] = value
    try:
        return array.astype(kind)
    except (TypeError, ValueError) as error:
        raise BadType(f"entries of {matrix.ring!r} are no numpy {kind}: {error}") from None
    except OverflowError:
        raise NotInRing(f"an entry does not fit into numpy's {kind}: use dtype=object") from None
