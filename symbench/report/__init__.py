"""Pages to read: the documentation as an offline site, the report, how to cite.

A page asks the network for nothing: formulas are MathML, pictures are SVG.
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
