"""A certificate is checked by the trusted base alone: nothing else of symbench is loaded."""

import json
import subprocess
import sys

import pytest

from symbench.certificates import KINDS
from tests.certificates.samples import samples

CHECK = """
import json, sys
import symbench as sb
assert sb.check(sys.argv[1])
print(json.dumps(sorted(name for name in sys.modules if name.split(".")[0] == "symbench")))
"""
# Rooms that search, or that only somebody who trusts us would load.
OTHERS = ("decide", "kernels", "spectra", "papers", "registry", "ktau", "young", "words", "draw")


@pytest.mark.parametrize("name", sorted(set(KINDS) - {"exhausted", "counterexample"}))
def test_nothing_but_the_trusted_base_is_loaded(name, tmp_path):
    path = tmp_path / "certificate.json"
    samples()[name].save(path)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(path)], capture_output=True, text=True, check=True
    )
    loaded = json.loads(done.stdout)
    assert len(loaded) <= 45
    assert not [module for module in loaded if module.split(".")[1:2] and
                module.split(".")[1] in OTHERS]  # fmt: skip


def test_a_re_run_kind_opens_the_book_of_claims(tmp_path):
    path = tmp_path / "certificate.json"
    samples()["counterexample"].save(path)
    done = subprocess.run(
        [sys.executable, "-c", CHECK, str(path)], capture_output=True, text=True, check=True
    )
    assert "symbench.registry" in json.loads(done.stdout)
