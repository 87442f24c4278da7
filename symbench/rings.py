"""The rings that matrices are over, and their elements (`sb.rings`).

>>> sb.rings.PowerSeries(sb.QQ, "b", 3)
PowerSeries(QQ, 'b', 3)
>>> sb.rings.Rational("0.5")
1/2
"""

from symbench.exact.balls import Balls as Balls
from symbench.exact.dense import GF as GF
from symbench.exact.dense import QQ as QQ
from symbench.exact.dense import ZZ as ZZ
from symbench.exact.exponentials import Exponential as Exponential
from symbench.exact.exponentials import Exponentials as Exponentials
from symbench.exact.matrix import exponential_matrix as exponential_matrix
from symbench.exact.polynomials import Polynomials as Polynomials
from symbench.exact.rational import Rational as Rational
from symbench.exact.series import PowerSeries as PowerSeries
from symbench.exact.series import Series as Series
