"""symbench's own theorems about the template matrix of attention (`symbench.*`)."""

from symbench.papers.beyond import activations, definite, gram, sharpness, symmetries

__all__ = ["activations", "definite", "gram", "sharpness", "symmetries"]
