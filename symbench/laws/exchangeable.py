"""Former home of the exchangeable laws."""

from symbench._arguments import integer
from symbench.laws.base import Counts as Counts
from symbench.laws.base import ExchangeableLaw as Law
from symbench.laws.base import asymmetry as asymmetry
from symbench.laws.base import compositions as compositions
from symbench.laws.base import count_tokens as count_tokens
from symbench.laws.base import exchangeable_law as read_law
from symbench.laws.base import number_of_words as number_of_words
from symbench.laws.base import read_word as read_word
from symbench.laws.base import sizes as sizes
from symbench.laws.counts import Counts as CountsLaw
from symbench.laws.iid import Iid as IidLaw
from symbench.laws.mixture import Mixture as MixtureLaw

__all__ = ["CountsLaw", "IidLaw", "Law", "MixtureLaw", "positive", "read_law"]


def positive(value: object, what: str) -> int:
    """A positive integer, or an error that names the argument."""
    return integer(value, what, at_least=1)
