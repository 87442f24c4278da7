"""Where a claim is declared, as plain data, so that another process can declare it too."""

from __future__ import annotations

import runpy
import sys
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from symbench.errors import BadClaim
from symbench.registry.book import claims
from symbench.registry.statement import Claim
from symbench.registry.verdict import versions

Origin = dict[str, str]


def origin(claim: Claim) -> Origin:
    """The module of a claim, and the source of one that is a single file.

    A module that another machine has not is run there from its source; so is a script.

    >>> origin(claims["lavie2024.dimension"])
    {'module': 'symbench.papers.lavie2024.polynomials'}
    """
    function = claim.function
    name = function.__module__
    found: Origin = {}
    if name in sys.modules and name != "__main__":
        found["module"] = name
        if sys.modules[name].__package__:
            return found  # a package has more than one file
    file = getattr(function, "__globals__", {}).get("__file__")
    if file is not None and Path(file).is_file():
        found |= {"file": Path(file).name, "source": Path(file).read_text(encoding="utf-8")}
    if not found:
        raise BadClaim(
            f"{claim.id} is declared in no file, so no other process knows it: "
            "write it to a file, and load that (--module FILE.py)"
        )
    return found


def declared(id: str, known: Origin) -> tuple[Claim, dict[str, str]]:
    """In a worker: the claim, declared where it comes from, and the versions of everything.

    The book is not opened: to load every claim takes longer than most cases.
    """
    if "module" in known:
        try:
            import_module(known["module"])
        except ModuleNotFoundError:
            if "source" not in known:
                raise
    if claims.declared(id) is not None or "source" not in known:
        claim = _known(id, known)
        return claim, versions(claim.edition)
    with TemporaryDirectory() as folder:
        path = Path(folder) / known["file"]
        path.write_text(known["source"], encoding="utf-8")
        runpy.run_path(str(path))
        claim = _known(id, known)
        return claim, versions(claim.edition)  # while the file is there


def _known(id: str, known: Origin) -> Claim:
    found = claims.declared(id)
    if found is None:
        raise BadClaim(
            f"{known.get('module') or known['file']} does not declare {id} when it is loaded: "
            "declare it at the top of the file, not inside of a function"
        )
    return found
