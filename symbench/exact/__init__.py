"""Exact numbers and matrices: one face, FLINT behind it.

`Matrix(rows, ring=None)` over ZZ, QQ, GF(p), polynomials QQ["x"], Exponentials("q"),
PowerSeries(QQ, "b", 7) and Balls(128).
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
