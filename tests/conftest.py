"""One thread for BLAS: tests run on all cores, and its threads would wait for each other."""

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
