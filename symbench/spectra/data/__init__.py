"""Laws of data: hidden Markov models, moments, and the symmetry of texts."""
