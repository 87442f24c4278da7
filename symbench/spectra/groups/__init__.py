"""Spectra under smaller groups than S_L: rotations, and permutations inside segments."""
