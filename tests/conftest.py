"""What all tests share: one thread for BLAS, no clock in Hypothesis, a cache of their own."""

import atexit
import os
import shutil
import tempfile

from hypothesis import settings

# Tests run on all cores already, and the threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A busy machine is no counterexample.
settings.register_profile("no-clock", deadline=None)
settings.load_profile("no-clock")

# What a hunt finds here is nothing to look at first elsewhere.
os.environ["SYMBENCH_CACHE"] = tempfile.mkdtemp(prefix="symbench-tests-")
atexit.register(shutil.rmtree, os.environ["SYMBENCH_CACHE"], ignore_errors=True)
