"""Laws of words: how likely each word over the tokens 0, ..., V - 1 is, exactly.

>>> Iid("1/2", "1/3", "1/6").probability((0, 0, 2))
1/24
"""

from symbench._lazy import open_room

__all__ = open_room(
    __name__,
    moved={
        "CountsLaw": "Counts",
        "IidLaw": "Iid",
        "MixtureLaw": "Mixture",
        "WordLaw": "Words",
        "segments_law": "segments",
    },
)
