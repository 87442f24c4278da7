"""Spectra of kernels on sequences, irreducible by irreducible of the symmetric group.

>>> found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
>>> found["58+2"].eigenvalues[:2], found["58+2"].dimension
((1, 0), 1710)
"""

from symbench.exact.roots import RealRoot
from symbench.spectra.approximate import BallSpectrum, FloatSpectrum
from symbench.spectra.bounds import TraceBound
from symbench.spectra.closed_forms import linear_attention_spectrum
from symbench.spectra.comparison import SpectraComparison, compare_spectra
from symbench.spectra.decomposition import Level, Piece, Spectrum, spectrum
from symbench.spectra.family import LinearFamily
from symbench.spectra.group_spectrum import GroupSpectrum, group_spectrum
from symbench.spectra.invariant import TableKernel
from symbench.spectra.levels import LinearSpectrum
from symbench.spectra.scaling import EigenvalueScaling, eigenvalue_scaling
from symbench.spectra.softmax_limit import softmax_tightness
from symbench.spectra.subsets import SubsetSpectrum, subset_spectrum

__all__ = [
    "BallSpectrum",
    "EigenvalueScaling",
    "FloatSpectrum",
    "GroupSpectrum",
    "Level",
    "LinearFamily",
    "LinearSpectrum",
    "Piece",
    "RealRoot",
    "SpectraComparison",
    "Spectrum",
    "SubsetSpectrum",
    "TableKernel",
    "TraceBound",
    "compare_spectra",
    "eigenvalue_scaling",
    "group_spectrum",
    "linear_attention_spectrum",
    "softmax_tightness",
    "spectrum",
    "subset_spectrum",
]
