"""Re-checking files: certificates that stand alone, bundles of them, and cases to run again.

A certificate that stands alone is checked by `symbench.certificates` and nothing else of symbench
is loaded. Only the re-run kinds (a claim's cases, a counterexample) open the book of claims.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import attrs

from symbench.certificates import files
from symbench.certificates.base import Certificate
from symbench.certificates.kinds import PAGES
from symbench.errors import BadCertificate, CannotCheck

Status = Literal["checked", "re-run", "checked in part", "not checked"]


@attrs.frozen
class Recheck:
    """What came out for a file, and what it says.

    'checked' without any search, 're-run', 'checked in part' or 'not checked': a bundle some or all
    of whose cases have no certificate.
    """

    status: Status
    statement: str
    theorems: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.status == "re-run":
            return f"re-run: {self.statement} (the claim was run again; it is not checked apart)"
        if self.status != "checked":
            return f"{self.status}: {self.statement}"
        rests = ", ".join(f"{id} ({PAGES[id]})" for id in self.theorems)
        return f"checked: {self.statement}{f'; rests on {rests}' if rests else ''}"


def check(path: str | Path) -> bool:
    """Re-check a saved certificate or bundle: True, or BadCertificate with the reason.

    >>> check("missing.json")
    Traceback (most recent call last):
    ...
    symbench.errors.BadCertificate: cannot read 'missing.json': No such file or directory
    """
    recheck(path)
    return True


def recheck(path: str | Path) -> Recheck:
    """Re-check a file and say what it proves; the file is read once."""
    content = files.read(path)
    try:
        return _recheck(content)
    except BadCertificate as error:
        raise type(error)(f"{path}: {error}") from None


def _recheck(content: bytes) -> Recheck:
    if files.is_bundle(content):
        from symbench.certificates.bundles import read_bundle

        bundle = read_bundle(content)
        some: Status = "checked in part" if bundle.certified else "not checked"
        return Recheck("checked" if bundle.certified == bundle.cases else some, str(bundle))
    certificate = _certificate(files.parse(content))
    if not certificate.check():
        raise BadCertificate(f"does not prove what it says: {certificate.explain()}")
    status: Status = "re-run" if certificate.re_run else "checked"
    return Recheck(status, certificate.explain(), certificate.theorems)


def load(path: str | Path) -> Certificate:
    """Read a saved certificate with its subject, without checking it.

    >>> sb.certify([[1, 2], [2, 4]]).save("certificate.json")
    >>> load("certificate.json").vector
    (-2, 1)
    """
    content = files.read(path)
    try:
        return _certificate(files.parse(content))
    except BadCertificate as error:
        raise type(error)(f"{path}: {error}") from None


def _certificate(found: dict[str, Any]) -> Certificate:
    if not files.kind_of(found).re_run:
        return files.from_document(found)
    from symbench.registry import claims

    fields = found.get("certificate")
    id = fields.get("claim") if isinstance(fields, dict) else None
    if isinstance(id, str) and id not in claims:
        raise CannotCheck(
            f"cannot be checked here: the claim {id!r} is not installed; install the package that "
            "declares it, or load its file (--module FILE.py)"
        )
    return files.from_document(found, claim=claims[id] if isinstance(id, str) else None)
