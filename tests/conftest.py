"""What all tests share: one thread for BLAS, no clock in Hypothesis, caches of their own."""

import atexit
import os
import shutil
import tempfile

from hypothesis import Phase, settings

# Tests run on all cores already, and the threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Hundreds of processes are started here. Each would compile every module of symbench again, for
# longer than it runs, where bytecode is not to be written; a folder of its own disturbs nobody.
if os.environ.pop("PYTHONDONTWRITEBYTECODE", None):
    os.environ.setdefault(
        "PYTHONPYCACHEPREFIX",
        os.path.join(tempfile.gettempdir(), f"symbench-bytecode-{os.getuid()}"),
    )

# A busy machine is no counterexample; and what `find` has found needs no explanation, which costs
# more than to find it.
settings.register_profile(
    "no-clock", deadline=None, phases=[phase for phase in Phase if phase is not Phase.explain]
)
settings.load_profile("no-clock")

# What a hunt finds here is nothing to look at first elsewhere.
os.environ["SYMBENCH_CACHE"] = tempfile.mkdtemp(prefix="symbench-tests-")
atexit.register(shutil.rmtree, os.environ["SYMBENCH_CACHE"], ignore_errors=True)
