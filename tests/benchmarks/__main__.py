"""The table of speeds, and how cost grows.

python -m tests.benchmarks                       every row, printed as text
python -m tests.benchmarks young matrices        some groups
python -m tests.benchmarks --rows rows.json      and kept as JSON
python -m tests.benchmarks --growth growth.json  how cost grows with size
python -m tests.benchmarks --markdown rows.json  a stored table as Markdown
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

from tests.benchmarks.written import write


def main() -> int:
    """Run what is asked for, with one thread for BLAS, as the peers have."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("groups", nargs="*", help="files of this folder, without test_ and .py")
    parser.add_argument("--rows", type=Path, help="write the rows here as JSON")
    parser.add_argument("--growth", type=Path, help="measure how cost grows, write it here")
    parser.add_argument(
        "--write",
        action="store_true",
        help="write the README's table and the page from the last run",
    )
    asked = parser.parse_args()
    if asked.write:
        write()
        return 0
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    if asked.growth is not None:
        from tests.benchmarks.growth import main as grow

        return grow(asked.growth)
    here = Path(__file__).parent
    files = [here / f"test_{name}.py" for name in asked.groups] or [here]
    missing = [str(path) for path in files if not path.exists()]
    if missing:
        parser.error(f"there is no {', '.join(missing)}")
    command = [sys.executable, "-m", "pytest", "-q", "--benchmark-quiet", *map(str, files)]
    if asked.rows is not None:
        command += ["--rows", str(asked.rows)]
    return subprocess.run(command, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
