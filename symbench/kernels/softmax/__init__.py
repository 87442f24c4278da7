"""Softmax at finite parameters: averages over Gaussian logits, as floats with their digits."""
