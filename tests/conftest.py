"""What all tests share: one thread for BLAS, and no clock in Hypothesis."""

import os

from hypothesis import settings

# Tests run on all cores already, and the threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no counterexample.
settings.register_profile("no-clock", deadline=None)
settings.load_profile("no-clock")
