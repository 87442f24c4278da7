"""Activations: what a layer of neurons does to a pair of Gaussians."""
