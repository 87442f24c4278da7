"""Which ring: inferred from entries, common to two, or read from JSON.

>>> infer([[1, "1/2"]]), common(ZZ, GF(7)), from_json({"GF": "7"})
(QQ, GF(7), GF(7))
>>> common(GF(5), GF(7))
Traceback (most recent call last):
...
symbench.errors.NotInRing: no ring holds both GF(5) and GF(7): use change_ring first
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import flint

from symbench._arguments import instance, shown
from symbench.errors import NotInRing
from symbench.exact.balls import Balls
from symbench.exact.dense import GF, QQ, ZZ, DenseRing, PrimeField
from symbench.exact.exponentials import Exponential, Exponentials
from symbench.exact.polynomials import POLYNOMIALS, Polynomials
from symbench.exact.precision import current_precision
from symbench.exact.rational import exact_number, is_sympy
from symbench.exact.ring import Rep, Ring, Shape
from symbench.exact.series import PowerSeries, Series


def check(ring: Any) -> Ring:
    """The ring itself, if it is one."""
    return instance(ring, Ring, "the ring", "ZZ, QQ, GF(7), QQ['x'] or another ring")  # type: ignore[type-abstract]


def from_flint(matrix: Any) -> tuple[Ring, Rep] | None:
    """(ring, copy) of a FLINT matrix over ZZ, QQ or a prime field; None for anything else."""
    if isinstance(matrix, flint.fmpz_mat):
        return ZZ, flint.fmpz_mat(matrix)
    if isinstance(matrix, flint.fmpq_mat):
        return QQ, flint.fmpq_mat(matrix)
    if isinstance(matrix, flint.nmod_mat):
        return GF(int(matrix.modulus())), flint.nmod_mat(matrix)
    return None


def build(ring: Ring, table: Sequence[Sequence[Any]], shape: Shape) -> Rep:
    """The representation of a table of anything that coerces."""
    if ring == ZZ and _only_ints(table):
        return ring.rep(table, shape)
    if "sympy" in sys.modules:
        from symbench.exact.conversions import check_symbols

        check_symbols(table)
    coerce = ring.coerce
    return ring.rep([[coerce(x) for x in row] for row in table], shape)


def _only_ints(table: Sequence[Sequence[Any]]) -> bool:
    kinds: set[type] = set()
    for row in table:
        kinds.update(map(type, row))
    return kinds <= {int, flint.fmpz}


def infer(table: Sequence[Sequence[Any]]) -> Ring:
    """The smallest ring that holds all entries."""
    if _only_ints(table):
        return ZZ
    found: Ring = ZZ
    seen: set[Any] = set()
    for row in table:
        for value in row:
            ring = _ring_of(value)
            if ring not in seen:
                seen.add(ring)
                found = common(found, ring)
    return found


def _ring_of(value: Any) -> Ring:
    if isinstance(value, Fraction) or (isinstance(value, str) and "/" in value):
        exact_number(value)
        return QQ
    if isinstance(value, flint.fmpq):
        return QQ
    if isinstance(value, flint.nmod):
        return GF(int(value.modulus()))
    if isinstance(value, POLYNOMIALS):
        base: DenseRing = ZZ if isinstance(value, flint.fmpz_mpoly) else QQ
        if isinstance(value, flint.nmod_mpoly):
            base = GF(int(value.context().modulus()))
        return Polynomials(base, tuple(value.context().names()))
    if isinstance(value, Exponential):
        return Exponentials(value.variable)
    if isinstance(value, Series):
        return value.ring
    if isinstance(value, flint.arb):
        return Balls(max(53, current_precision()))
    if is_sympy(value) and not value.is_number:
        from symbench.exact.conversions import polynomial_terms

        return Polynomials(QQ, polynomial_terms(value)[0])
    number = exact_number(value)
    return ZZ if isinstance(number, int) else QQ


def common(a: Ring, b: Ring) -> Ring:
    """The smallest ring into which both map naturally."""
    if a == b:
        return a
    for small, large in ((a, b), (b, a)):
        joined = _join(small, large)
        if joined is not None:
            return joined
    raise NotInRing(f"no ring holds both {a!r} and {b!r}: use change_ring first")


def _join(small: Ring, large: Ring) -> Ring | None:
    """A ring that extends large and holds small, or None."""
    if small == ZZ:
        return large
    if isinstance(large, Balls):
        if isinstance(small, Balls):
            return Balls(max(small.bits, large.bits))
        return large if small == QQ else None
    if isinstance(large, Exponentials):
        return large if small == QQ else None
    if isinstance(large, Polynomials):
        return _join_polynomials(small, large)
    if isinstance(large, PowerSeries):
        return _join_series(small, large)
    return None


def _join_polynomials(small: Ring, large: Polynomials) -> Ring | None:
    if isinstance(small, DenseRing):
        base = common(small, large.base)
        return Polynomials(base, large.variables) if isinstance(base, DenseRing) else None
    if isinstance(small, Polynomials):
        base = common(small.base, large.base)
        extra = tuple(v for v in small.variables if v not in large.variables)
        assert isinstance(base, DenseRing)
        return Polynomials(base, large.variables + extra)
    return None


def _join_series(small: Ring, large: PowerSeries) -> Ring | None:
    precision, variable = large.precision, large.variable
    if isinstance(small, PowerSeries):
        if small.variable != variable:
            return None
        precision, small = min(precision, small.precision), small.base
    elif isinstance(small, Polynomials) and variable in small.variables:
        rest = tuple(v for v in small.variables if v != variable)
        small = Polynomials(small.base, rest) if rest else small.base
    if not isinstance(small, (DenseRing, Polynomials)):
        return None
    base = common(small, large.base)
    assert isinstance(base, (DenseRing, Polynomials))
    return PowerSeries(base, variable, precision)


def from_json(data: Any) -> Ring:
    """The ring that to_json wrote, validated."""
    if data == "ZZ":
        return ZZ
    if data == "QQ":
        return QQ
    if isinstance(data, Mapping):
        keys = set(data)
        if keys == {"GF"}:
            return PrimeField(_natural(data["GF"]))
        if keys == {"polynomials", "variables"} and isinstance(data["variables"], list):
            base = from_json(data["polynomials"])
            return Polynomials(base, tuple(data["variables"]))  # type: ignore[arg-type]
        if keys == {"exponentials"}:
            return Exponentials(data["exponentials"])
        if keys == {"series", "variable", "precision"}:
            base = from_json(data["series"])
            return PowerSeries(base, data["variable"], _natural(data["precision"]))  # type: ignore[arg-type]
        if keys == {"balls"}:
            return Balls(_natural(data["balls"]))
    raise NotInRing(f"{shown(data)} is no ring that symbench writes")


# Precisions and moduli in files are small numbers; a huge one is an attack on memory.
def _natural(data: Any) -> int:
    if not isinstance(data, str) or not data.isascii() or not data.isdigit() or len(data) > 20:
        raise NotInRing(
            f"{shown(data)} should be a natural number of at most 20 digits, in a string"
        )
    return int(data)
