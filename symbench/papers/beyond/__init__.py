"""symbench's own theorems about the template matrix of attention (`symbench.*`)."""

from symbench.papers.beyond import definite, gram, sharpness

__all__ = ["definite", "gram", "sharpness"]
