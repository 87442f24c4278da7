"""Hypothesis strategies for the objects of symbench.

Names are plural nouns, bounds are ``min_`` and ``max_``, ``kinds`` chooses classes, and examples
shrink to the smallest object: the template α, the partition 1, the matrix [[0]]. Hypothesis knows
them by type, too: `st.from_type(X)` works for every public class X of symbench.

>>> from hypothesis import find
>>> find(sb.strategies.templates(), lambda t: True)
Template('α')
>>> find(sb.strategies.templates(), lambda t: len(t.wildcards) == 2 and "S" not in t.tokens)
Template('αβ')
"""

from symbench import _hypothesis
from symbench._lazy import open_room

__all__ = open_room(__name__)

_hypothesis.register()
