"""Laws of words: how likely each word over the tokens 0, ..., V - 1 is, exactly.

>>> Iid("1/2", "1/3", "1/6").probability((0, 0, 2))
1/24
"""

from symbench.laws.base import ExchangeableLaw, Law, read_law
from symbench.laws.counts import Counts, Subsets
from symbench.laws.iid import Iid
from symbench.laws.markov import Exchangeability, HiddenMarkov, MarkovMixture
from symbench.laws.mixture import Mixture
from symbench.laws.words import Words, ring_chain, segments

# Former names.
CountsLaw = Counts
IidLaw = Iid
MixtureLaw = Mixture
WordLaw = Words
segments_law = segments

__all__ = [
    "Counts",
    "CountsLaw",
    "Exchangeability",
    "ExchangeableLaw",
    "HiddenMarkov",
    "Iid",
    "IidLaw",
    "Law",
    "MarkovMixture",
    "Mixture",
    "MixtureLaw",
    "Subsets",
    "WordLaw",
    "Words",
    "read_law",
    "ring_chain",
    "segments",
    "segments_law",
]
