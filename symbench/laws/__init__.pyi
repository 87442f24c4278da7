from symbench.laws.base import ExchangeableLaw as ExchangeableLaw
from symbench.laws.base import Law as Law
from symbench.laws.base import read_law as read_law
from symbench.laws.counts import Counts as Counts
from symbench.laws.counts import Subsets as Subsets
from symbench.laws.iid import Iid as Iid
from symbench.laws.markov import Exchangeability as Exchangeability
from symbench.laws.markov import HiddenMarkov as HiddenMarkov
from symbench.laws.markov import MarkovMixture as MarkovMixture
from symbench.laws.mixture import Mixture as Mixture
from symbench.laws.words import Words as Words
from symbench.laws.words import ring_chain as ring_chain
from symbench.laws.words import segments as segments

CountsLaw = Counts
IidLaw = Iid
MixtureLaw = Mixture
WordLaw = Words
segments_law = segments
