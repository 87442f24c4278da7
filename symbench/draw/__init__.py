"""Every picture and table is made here: text and SVG, plots, the bar of long work.

>>> print(boxes_text([["1", "2"], ["3"]]))
1 2
3
>>> print(layers_text([["0"], ["1"]], {("0", "1"): ""}))
0
│
1
"""

from symbench.draw.pictures import boxes_svg, boxes_text, layers_svg, layers_text

__all__ = ["boxes_svg", "boxes_text", "layers_svg", "layers_text"]
