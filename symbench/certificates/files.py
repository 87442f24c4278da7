"""Certificates in files: what is written, and how a file is read without trusting it.

The digest covers the whole file. Whoever changes a byte must forge the digest, and whoever
forges the digest must still pass the check of the certificate itself.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import attrs

import symbench
from symbench.certificates.base import Certificate, kinds
from symbench.certificates.plain import digest, from_plain, to_plain
from symbench.errors import BadCertificate, BadType, SymbenchError
from symbench.exact.rational import shown

_FORMAT = "symbench certificate 1"
_FIELDS = {"format", "writer", "kind", "certificate", "subject", "digest"}
# Larger files are refused.
_LIMIT = 1 << 30

# Subjects that are not data but looked up by name: registered by the room that knows them.
_lookups: dict[str, tuple[Callable[[Any], Any], Callable[[Any, Certificate], Any]]] = {}


def register_lookup(
    kind: str, describe: Callable[[Any], Any], find: Callable[[Any, Certificate], Any]
) -> None:
    """For a kind of certificate: how its subject is described in a file, and found again."""
    _lookups[kind] = (describe, find)


def save(certificate: Certificate, path: str | Path) -> None:
    """Write a certificate and its subject to a JSON file."""
    if certificate.subject is None:
        raise BadType("this certificate has no subject to write beside it: certify() sets it")
    describe = _lookups[certificate.kind][0] if certificate.kind in _lookups else to_plain
    document = {
        "format": _FORMAT,
        "writer": f"symbench {symbench.__version__}",
        "kind": certificate.kind,
        "certificate": certificate.to_json(),
        "subject": describe(certificate.subject),
    }
    document["digest"] = digest(document)
    # Written beside and moved, so that an interrupted save leaves no half file.
    if not isinstance(path, (str, Path)):
        raise BadType(f"the path is {shown(path)}: give a file name")
    target = Path(path)
    draft = target.with_name(target.name + ".part")
    draft.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    draft.replace(target)


def load(path: str | Path) -> Certificate:
    """Read a certificate with its subject, validated but not checked."""
    try:
        return _load(Path(path))
    except BadCertificate:
        raise
    except OSError as error:
        raise BadCertificate(f"cannot read {str(path)!r}: {error.strerror}") from None
    except (SymbenchError, TypeError, ValueError, RecursionError) as error:
        raise BadCertificate(f"{path}: {error}") from None


def _load(path: Path) -> Certificate:
    with path.open("rb") as file:  # of a size that is not known before, if it is a pipe
        content = file.read(_LIMIT + 1)
    if len(content) > _LIMIT:
        raise BadCertificate(f"{path} is larger than {_LIMIT:,} bytes")
    document = json.loads(content.decode("utf-8"))
    if not isinstance(document, dict) or set(document) != _FIELDS:
        raise BadCertificate(f"{path} is not a certificate: its fields are not {sorted(_FIELDS)}")
    stated = document.pop("digest")
    if stated != digest(document):
        raise BadCertificate(f"{path} has been changed: its digest does not fit")
    if document["format"] != _FORMAT:
        raise BadCertificate(f"{path} is written as {document['format']!r}, expected {_FORMAT!r}")
    if not isinstance(document["writer"], str) or not document["writer"].startswith("symbench "):
        raise BadCertificate(f"{path} does not name the version that wrote it")
    cls = kinds.get(document["kind"]) if isinstance(document["kind"], str) else None
    if cls is None:
        raise BadCertificate(f"{path}: {document['kind']!r} is no kind of certificate")
    certificate = cls.from_json(document["certificate"])
    if cls.kind in _lookups:
        subject = _lookups[cls.kind][1](document["subject"], certificate)
    else:
        subject = from_plain(document["subject"])
    return attrs.evolve(certificate, subject=subject)


def check(path: str | Path) -> bool:
    """True if the file holds a certificate that checks; otherwise BadCertificate.

    >>> check("no such file")
    Traceback (most recent call last):
    ...
    symbench.errors.BadCertificate: cannot read 'no such file': No such file or directory
    """
    if not load(path).check():
        raise BadCertificate(f"{path} does not prove what it says")
    return True
