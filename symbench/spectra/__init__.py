"""Spectra of kernels on sequences, irreducible by irreducible of the symmetric group.

>>> from symbench.kernels import linear_attention
>>> from symbench.spectra import spectrum
>>> found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
>>> found["58+2"].eigenvalues[:2], found["58+2"].dimension
((1, 0), 1710)
"""

from symbench.spectra import targets
from symbench.spectra.bounds import TraceBound
from symbench.spectra.decomposition import Level, Piece, Spectrum, spectrum
from symbench.spectra.invariant import TableKernel
from symbench.spectra.law import CountsLaw, IidLaw, Law, MixtureLaw
from symbench.spectra.learning_curves import LearningCurve, learning_curve
from symbench.spectra.linear import LinearSpectrum, linear_attention_spectrum
from symbench.spectra.lower_bounds import (
    lower_bound,
    orbit_spectrum,
    samples_needed,
    threshold_table,
)
from symbench.spectra.markov import HiddenMarkov, MarkovMixture
from symbench.spectra.roots import RealRoot
from symbench.spectra.subsets import SubsetSpectrum, subset_spectrum
from symbench.spectra.text_symmetry import SymmetryReport, compare_texts, permutation_symmetry

__all__ = [
    "CountsLaw",
    "HiddenMarkov",
    "IidLaw",
    "Law",
    "LearningCurve",
    "Level",
    "LinearSpectrum",
    "MarkovMixture",
    "MixtureLaw",
    "Piece",
    "RealRoot",
    "Spectrum",
    "SubsetSpectrum",
    "SymmetryReport",
    "TableKernel",
    "TraceBound",
    "compare_texts",
    "learning_curve",
    "linear_attention_spectrum",
    "lower_bound",
    "orbit_spectrum",
    "permutation_symmetry",
    "samples_needed",
    "spectrum",
    "subset_spectrum",
    "targets",
    "threshold_table",
]
