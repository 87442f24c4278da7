"""Spectra of kernels on sequences, irreducible by irreducible of a group of positions.

>>> found = spectrum(linear_attention(1, 1, readout="flatten"), length=60, vocabulary=2)
>>> found["58+2"].eigenvalues[:2], found["58+2"].dimension
((1, 0), 1710)
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
