"""Every picture and table is made here: text, HTML and SVG, plots, the bar of long work.

>>> print(boxes_text([["1", "2"], ["3"]]))
1 2
3
>>> print(layers_text([["0"], ["1"]], {("0", "1"): ""}))
0
│
1
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
