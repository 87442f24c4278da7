"""Spectra of kernels on sequences, irreducible by irreducible of the symmetric group.

>>> from symbench.kernels import linear_attention
>>> from symbench.spectra import spectrum
>>> found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
>>> found["58+2"].eigenvalues[:2], found["58+2"].dimension
((1, 0), 1710)
"""

from symbench.spectra.bounds import TraceBound
from symbench.spectra.decomposition import Level, Piece, Spectrum, spectrum
from symbench.spectra.invariant import TableKernel
from symbench.spectra.law import CountsLaw, IidLaw, Law, MixtureLaw
from symbench.spectra.linear import LinearSpectrum, linear_attention_spectrum
from symbench.spectra.roots import RealRoot
from symbench.spectra.subsets import SubsetSpectrum, subset_spectrum

__all__ = [
    "CountsLaw",
    "IidLaw",
    "Law",
    "Level",
    "LinearSpectrum",
    "MixtureLaw",
    "Piece",
    "RealRoot",
    "Spectrum",
    "SubsetSpectrum",
    "TableKernel",
    "TraceBound",
    "linear_attention_spectrum",
    "spectrum",
    "subset_spectrum",
]
