"""Pictures of boxes and of layered graphs, as text and as SVG.

Nothing here knows what it draws: labels in rows, labels in layers. The rooms below decide what
the labels mean.

>>> print(boxes_text([["1", "2"], ["3"]]))
1 2
3
>>> print(layers_text([["0"], ["1"]], {("0", "1"): ""}))
0
│
1
"""

from symbench.draw.boxes import boxes_svg, boxes_text
from symbench.draw.layers import layers_svg, layers_text

__all__ = ["boxes_svg", "boxes_text", "layers_svg", "layers_text"]
