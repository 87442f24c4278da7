"""Laws of words: how likely each word over the tokens 0, ..., V - 1 is, exactly.

>>> IidLaw("1/2", "1/3", "1/6").probability((0, 0, 2))
1/24
"""

from symbench.laws.by_word import WordLaw, ring_chain, segments_law
from symbench.laws.exchangeable import CountsLaw, IidLaw, Law, MixtureLaw
from symbench.laws.markov import Exchangeability, HiddenMarkov, MarkovMixture

__all__ = [
    "CountsLaw",
    "Exchangeability",
    "HiddenMarkov",
    "IidLaw",
    "Law",
    "MarkovMixture",
    "MixtureLaw",
    "WordLaw",
    "ring_chain",
    "segments_law",
]
