"""symbench: exact algebra for the theory of transformers, symmetry and abstract reasoning."""

__version__ = "0.1.0"
