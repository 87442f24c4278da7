"""Spectra of kernels on sequences, irreducible by irreducible of the symmetric group.

>>> from symbench.kernels import linear_attention
>>> from symbench.spectra import spectrum
>>> found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
>>> found["58+2"].eigenvalues[:2], found["58+2"].dimension
((1, 0), 1710)
"""

from symbench.spectra.bounds import TraceBound
from symbench.spectra.comparison import SpectraComparison, compare_spectra
from symbench.spectra.data.markov import HiddenMarkov, MarkovMixture
from symbench.spectra.data.text_symmetry import (
    SymmetryReport,
    TextComparison,
    compare_texts,
    permutation_symmetry,
)
from symbench.spectra.decomposition import Level, Piece, Spectrum, spectrum
from symbench.spectra.groups.bounds import (
    GroupOrbitSpectrum,
    group_lower_bound,
    group_orbit_spectrum,
)
from symbench.spectra.groups.decomposition import GroupSpectrum, group_spectrum
from symbench.spectra.groups.group import CyclicGroup, YoungSubgroup
from symbench.spectra.groups.word_law import WordLaw, ring_chain, segments_law
from symbench.spectra.invariant import TableKernel
from symbench.spectra.law import CountsLaw, IidLaw, Law, MixtureLaw
from symbench.spectra.learnability import targets
from symbench.spectra.learnability.analysis import Analysis, analyse
from symbench.spectra.learnability.finite_width import excess_kurtosis, finite_width_kernel
from symbench.spectra.learnability.learning_curves import LearningCurve, learning_curve
from symbench.spectra.learnability.lower_bounds import (
    lower_bound,
    orbit_spectrum,
    samples_needed,
    threshold_table,
)
from symbench.spectra.learnability.networks import NetworkComparison, NetworkSize, compare_network
from symbench.spectra.learnability.predictions import (
    EquivalentPredictor,
    PredictionComparison,
    compare_predictions,
    equivalent_predictor,
)
from symbench.spectra.linear.closed_forms import linear_attention_spectrum
from symbench.spectra.linear.family import LinearFamily
from symbench.spectra.linear.levels import LinearSpectrum
from symbench.spectra.numeric.approximate import BallSpectrum, FloatSpectrum
from symbench.spectra.roots import RealRoot
from symbench.spectra.scaling import EigenvalueScaling, eigenvalue_scaling
from symbench.spectra.softmax_limit import softmax_tightness
from symbench.spectra.subsets import SubsetSpectrum, subset_spectrum

__all__ = [
    "Analysis",
    "BallSpectrum",
    "CountsLaw",
    "CyclicGroup",
    "EigenvalueScaling",
    "EquivalentPredictor",
    "FloatSpectrum",
    "GroupOrbitSpectrum",
    "GroupSpectrum",
    "HiddenMarkov",
    "IidLaw",
    "Law",
    "LearningCurve",
    "Level",
    "LinearFamily",
    "LinearSpectrum",
    "MarkovMixture",
    "MixtureLaw",
    "NetworkComparison",
    "NetworkSize",
    "Piece",
    "PredictionComparison",
    "RealRoot",
    "SpectraComparison",
    "Spectrum",
    "SubsetSpectrum",
    "SymmetryReport",
    "TableKernel",
    "TextComparison",
    "TraceBound",
    "WordLaw",
    "YoungSubgroup",
    "analyse",
    "compare_network",
    "compare_predictions",
    "compare_spectra",
    "compare_texts",
    "eigenvalue_scaling",
    "equivalent_predictor",
    "excess_kurtosis",
    "finite_width_kernel",
    "group_lower_bound",
    "group_orbit_spectrum",
    "group_spectrum",
    "learning_curve",
    "linear_attention_spectrum",
    "lower_bound",
    "orbit_spectrum",
    "permutation_symmetry",
    "ring_chain",
    "samples_needed",
    "segments_law",
    "softmax_tightness",
    "spectrum",
    "subset_spectrum",
    "targets",
    "threshold_table",
]
