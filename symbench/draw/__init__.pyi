from symbench.draw.pictures import boxes_svg as boxes_svg
from symbench.draw.pictures import boxes_text as boxes_text
from symbench.draw.pictures import layers_svg as layers_svg
from symbench.draw.pictures import layers_text as layers_text
