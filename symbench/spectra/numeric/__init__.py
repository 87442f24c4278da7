"""Spectra in balls and floats: what two computations, or a radius, can stand for."""
