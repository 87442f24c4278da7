"""Certificates in files: what is written, and how a file is read without trusting it.

A file explains itself: what is proved, of what, by which theorem. These sentences are derived from
the certificate by whoever checks it, and a file that says anything else is refused. The digest
covers the whole file: whoever changes a byte must forge the digest, and whoever forges the digest
must still pass the check of the certificate itself. `proofs/certificates.md` documents the format.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import attrs

import symbench
from symbench._arguments import path as file_name
from symbench._arguments import shown
from symbench.certificates.base import Certificate
from symbench.certificates.kinds import KINDS, PAGES
from symbench.certificates.plain import digest, to_plain
from symbench.certificates.templates import Templates
from symbench.errors import BadCertificate, BadType, BadValue, SymbenchError
from symbench.exact import Matrix

FORMAT = "symbench certificate 2"
BUNDLE = "symbench bundle 1"
FIELDS = {
    "format", "writer", "kind", "title", "note", "about", "statement", "parameters", "theorems",
    "exactness", "certificate", "subject", "digest",
}  # fmt: skip
# Larger files are refused.
LIMIT = 1 << 30

_SUBJECTS: dict[str, type[Matrix] | type[Templates]] = {"Matrix": Matrix, "Templates": Templates}


# --- writing ------------------------------------------------------------------------------------
def document(certificate: Certificate) -> dict[str, Any]:
    """The certificate and its subject as one JSON object, digest included."""
    if certificate.subject is None:
        raise BadType("this certificate has no subject to write beside it: certify() sets it")
    missing = [name for name in certificate.needed if getattr(certificate, name) is None]
    if missing:
        raise BadType(f"this certificate has no {missing[0]}: certify() finds one")
    written = {
        "format": FORMAT,
        "writer": f"symbench {symbench.__version__}",
        "kind": certificate.kind,
        "title": certificate.title,
        "note": certificate.note,
        "about": dict(certificate.about),
        **_derived(certificate),
        "certificate": certificate.to_json(),
        "subject": _subject_to_json(certificate),
    }
    return {**written, "digest": digest(written)}


def _derived(certificate: Certificate) -> dict[str, Any]:
    """What a file says in words, as it follows from the certificate."""
    return {
        "statement": certificate.explain(),
        "parameters": certificate.valid_for,
        "theorems": [{"claim": id, "page": PAGES[id]} for id in certificate.theorems],
        "exactness": certificate.exactness,
    }


def _subject_to_json(certificate: Certificate) -> Any:
    if certificate.re_run:
        return {"claim": certificate.to_json()["claim"]}
    return to_plain(certificate.subject)


def text(certificate: Certificate) -> str:
    """The file as text: one line a field, so that a person can read and compare it."""
    lines = (
        f" {json.dumps(name)}: {json.dumps(value, ensure_ascii=False)}"
        for name, value in document(certificate).items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def save(certificate: Certificate, path: str | Path) -> None:
    """Write a certificate and its subject to a JSON file."""
    write(path, text(certificate))


@contextmanager
def drafted(path: str | Path) -> Iterator[Path]:
    """A file beside a path, which takes its place when it is whole: nobody finds half of it.

    A link, or what is no file, such as a pipe, stays what it is and is written through.
    """
    target = file_name(path)
    through = target.is_symlink() or (target.exists() and not target.is_file())
    draft = target if through else target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        yield draft
        if not through:
            draft.replace(target)
    except OSError as error:
        raise BadValue(f"cannot write {str(path)!r}: {error.strerror or error}") from None
    finally:
        if not through:
            with suppress(OSError):
                draft.unlink()


def write(path: str | Path, content: str) -> None:
    """Write a text to a file, in one piece."""
    with drafted(path) as draft:
        draft.write_text(content, encoding="utf-8")


# --- reading ------------------------------------------------------------------------------------
def read(path: str | Path) -> bytes:
    """The content of a file, read once."""
    source = file_name(path)
    try:
        with source.open("rb") as file:  # of a size that is not known before, if it is a pipe
            content = file.read(LIMIT + 1)
    except (OSError, ValueError) as error:  # ValueError: a name with a null character
        reason = getattr(error, "strerror", None) or str(error)
        raise BadCertificate(f"cannot read {str(path)!r}: {reason}") from None
    if len(content) > LIMIT:
        raise BadCertificate(f"the file is larger than {LIMIT:,} bytes")
    return content


def parse(content: bytes) -> dict[str, Any]:
    """The JSON object in a file: no repeated keys, no numbers, and nothing but UTF-8."""
    try:
        found = json.loads(
            content.decode("utf-8"),
            object_pairs_hook=_once,
            parse_int=_no_number,
            parse_float=_no_number,
            parse_constant=_no_number,
        )
        json.dumps(found, ensure_ascii=False).encode("utf-8")  # lone surrogates
    except (ValueError, RecursionError) as error:
        raise BadCertificate(f"not a certificate: {error}") from None
    if not isinstance(found, dict):
        raise BadCertificate("not a certificate: the file holds no JSON object")
    return found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is repeated")
    return found


def _no_number(number: str) -> Any:
    raise ValueError(f"{shown(number)} is a JSON number: numbers are written in strings")


def is_bundle(content: bytes) -> bool:
    """Whether a file begins like a bundle of certificates."""
    return content.startswith(f'{{"format": "{BUNDLE}"'.encode())


def load(path: str | Path) -> Certificate:
    """Read a certificate with its subject, validated but not checked.

    The subject of a re-run kind is a claim, which only `symbench.load` finds.

    >>> certify([[2, 1], [1, 2]]).save("certificate.json")
    >>> load("certificate.json").explain()
    'nonsingular at these parameters: det = 3 modulo 2147483647'
    """
    return from_document(parse(read(path)))


def from_document(found: Mapping[str, Any], *, claim: Any = None) -> Certificate:
    """The certificate in a document; for a re-run kind the claim is its subject."""
    try:
        return _from_document(dict(found), claim)
    except BadCertificate:
        raise
    except (SymbenchError, ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise BadCertificate(f"{error}") from None
    except (RecursionError, MemoryError) as error:
        raise BadCertificate(f"{error}") from None


def kind_of(found: Mapping[str, Any]) -> type[Certificate]:
    """The kind of a document."""
    name = found.get("kind")
    if not isinstance(name, str) or name not in KINDS:
        raise BadCertificate(
            f"{shown(name)} is no kind of certificate: there are {', '.join(KINDS)}"
        )
    return KINDS[name]


def _from_document(found: dict[str, Any], claim: Any) -> Certificate:
    stated = found.pop("digest", None)
    if stated != digest(found):
        raise BadCertificate("the file has been changed: its digest does not fit")
    if not isinstance(found.get("writer"), str) or not found["writer"].startswith("symbench "):
        raise BadCertificate("the file does not name the version that wrote it")
    cls = kind_of(found)
    old = _upgraded(found)
    if old is not None:
        found = old
    elif found["format"] != FORMAT:
        raise BadCertificate(f"the format is {shown(found['format'])}, expected {FORMAT!r}")
    elif {*found, "digest"} != FIELDS:
        raise BadCertificate(f"not a certificate: the fields are not {sorted(FIELDS)}")
    texts = {name: found[name] for name in ("title", "note", "about")}
    certificate = cls.from_json(found["certificate"], **texts)
    subject = _subject_from_json(certificate, found["subject"], claim)
    certificate = attrs.evolve(certificate, subject=subject)
    if old is None:
        _check_spelling(certificate, found)
    return certificate


def _upgraded(found: dict[str, Any]) -> dict[str, Any] | None:
    """A document of an older format as if written today, or None."""
    if found.get("format") != "symbench certificate 1":
        return None
    from symbench.certificates.formats import upgrade

    return upgrade(found)


def _subject_from_json(certificate: Certificate, data: Any, claim: Any) -> Any:
    if certificate.re_run:
        if data != _subject_to_json(certificate):
            raise BadCertificate(f"the subject is {shown(data)}, not the claim that is named")
        return claim
    if not isinstance(data, dict) or set(data) != {"type", "data"}:
        raise BadCertificate(f"{shown(data)} is no subject")
    cls = _SUBJECTS.get(data["type"]) if isinstance(data["type"], str) else None
    if cls is None or cls not in certificate.about_types:
        raise BadCertificate(f"a {certificate.kind} certificate is not about {shown(data['type'])}")
    return cls.from_json(data["data"])


def _check_spelling(certificate: Certificate, found: Mapping[str, Any]) -> None:
    """Every value has one spelling, and every sentence is the one that follows."""
    missing = [name for name in certificate.needed if name not in found["certificate"]]
    if missing:
        raise BadCertificate(f"a {certificate.kind} certificate has the field {missing[0]}")
    written = {"certificate": certificate.to_json(), **_derived(certificate)}
    if not certificate.re_run:
        written["subject"] = to_plain(certificate.subject)
    for name, value in written.items():
        if found[name] != value:
            given, wanted = shown(found[name]), shown(value)
            raise BadCertificate(f"the {name} is written as {given}, where {wanted} is proved")
