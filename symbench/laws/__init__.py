"""Laws of words: how likely each word over the tokens 0, ..., V - 1 is, exactly.

>>> Iid("1/2", "1/3", "1/6").probability((0, 0, 2))
1/24
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)

# Former names.
from symbench.laws.counts import Counts as CountsLaw
from symbench.laws.iid import Iid as IidLaw
from symbench.laws.mixture import Mixture as MixtureLaw
from symbench.laws.words import Words as WordLaw
from symbench.laws.words import segments as segments_law

__all__ += ["CountsLaw", "IidLaw", "MixtureLaw", "WordLaw", "segments_law"]
