"""The rings that matrices are over, and their elements (`sb.rings`).

>>> sb.rings.PowerSeries(sb.QQ, "b", 3)
PowerSeries(QQ, 'b', 3)
>>> sb.rings.Rational("0.5")
1/2
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
