"""Exact numbers and matrices: one face, FLINT behind it.

`Matrix(rows, ring=None)` over ZZ, QQ, GF(p), polynomials QQ["x"], Exponentials("q"),
PowerSeries(QQ, "b", 7) and Balls(128).
"""

from symbench.exact.balls import Balls
from symbench.exact.dense import GF, QQ, ZZ
from symbench.exact.exponentials import Exponential, Exponentials, exponential_matrix
from symbench.exact.matrix import Matrix
from symbench.exact.polynomials import Polynomials
from symbench.exact.rational import Rational
from symbench.exact.series import PowerSeries, Series

__all__ = [
    "GF",
    "QQ",
    "ZZ",
    "Balls",
    "Exponential",
    "Exponentials",
    "Matrix",
    "Polynomials",
    "PowerSeries",
    "Rational",
    "Series",
    "exponential_matrix",
]
