"""Bundles: the certificates of all cases of a claim in one file, written as they come.

JSON lines: first the claim and its parameters, then a line a case with its certificate (or null
where the case can only be gone through again), last the verdict, the counts, and the digest of all
that stands before. A bundle is re-checked without the claim: the certificates stand alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import attrs

import symbench
from symbench._arguments import path as file_name
from symbench._arguments import shown
from symbench.certificates.files import BUNDLE, from_document, parse
from symbench.certificates.plain import to_plain
from symbench.errors import BadCertificate, BadValue

_HEAD = {"format", "writer", "claim", "parameters"}
_END = {"status", "cases", "certified", "digest"}
_VERDICTS = ("holds", "fails", "undecided")


class BundleWriter:
    """A bundle that is being written; without `finish` it stays incomplete.

    >>> import os, tempfile
    >>> from symbench.certificates.files import document
    >>> path = os.path.join(tempfile.mkdtemp(), "demo.jsonl")
    >>> found = Singular(null=Matrix([[1], [-1]]), subject=Matrix([[1, 1], [2, 2]]))
    >>> with BundleWriter(path, "demo.claim", {"max_size": 2}) as bundle:
    ...     bundle.add(2, document(found))
    ...     bundle.finish("holds")
    >>> print(read_bundle(Path(path).read_bytes()))
    1 certificate, 0 cases to re-run; the writer says: demo.claim holds in 1 case
    """

    def __init__(self, path: str | Path, claim: str, parameters: Any) -> None:
        self.path = file_name(path, "the bundle")
        self._digest = hashlib.sha256()
        self._cases = self._certified = 0
        try:
            self._file = self.path.open("wb")
        except OSError as error:
            raise BadValue(f"cannot write {str(path)!r}: {error.strerror}") from None
        writer = f"symbench {symbench.__version__}"
        self._write(
            {"format": BUNDLE, "writer": writer, "claim": claim, "parameters": to_plain(parameters)}
        )

    def _write(self, line: dict[str, Any]) -> None:
        data = json.dumps(line, ensure_ascii=False).encode() + b"\n"
        self._digest.update(data)
        try:
            self._file.write(data)
        except OSError as error:
            raise BadValue(f"cannot write {str(self.path)!r}: {error.strerror}") from None

    def add(self, case: Any, certificate: dict[str, Any] | None) -> None:
        """One case, and the document of its certificate if it has one."""
        self._cases += 1
        self._certified += certificate is not None
        self._write({"case": to_plain(case), "certificate": certificate})

    def finish(self, status: str) -> None:
        """The last line."""
        counts = {"cases": str(self._cases), "certified": str(self._certified)}
        self._write({"status": status, **counts, "digest": self._digest.hexdigest()})

    def __enter__(self) -> BundleWriter:
        return self

    def __exit__(self, *exception: object) -> None:
        try:
            self._file.close()
        except OSError as error:
            raise BadValue(f"cannot write {str(self.path)!r}: {error.strerror}") from None


@attrs.frozen
class Bundle:
    """What a bundle holds, every certificate in it checked; claim and status are the writer's."""

    claim: str
    status: str
    cases: int
    certified: int

    def __str__(self) -> str:
        rest = _count(self.cases - self.certified, "case")
        among = "in" if self.status == "holds" else "on a list of"
        return (
            f"{_count(self.certified, 'certificate')}, {rest} to re-run; the writer says: "
            f"{self.claim} {self.status} {among} {_count(self.cases, 'case')}"
        )


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'s' * (number != 1)}"


def read_bundle(content: bytes) -> Bundle:
    """Check every certificate of a bundle, without the claim; the first bad one ends it."""
    if not content.endswith(b"\n"):
        raise BadCertificate("the bundle is incomplete: its last line has no end")
    *body, last = _lines(content)
    if not body or set(body[0]) != _HEAD or body[0]["format"] != BUNDLE:
        raise BadCertificate("the first line of a bundle names its format, writer and claim")
    if set(last) != _END:
        raise BadCertificate(
            f"the bundle is incomplete: {_count(len(body), 'line')} and no last one; "
            "run verify again"
        )
    before = content[: content.rstrip(b"\n").rfind(b"\n") + 1]
    if last["digest"] != hashlib.sha256(before).hexdigest():
        raise BadCertificate("the bundle has been changed: its digest does not fit")
    certified = sum(_checked(line, n) for n, line in enumerate(body[1:], start=1))
    counts = str(len(body) - 1), str(certified)
    if (last["cases"], last["certified"]) != counts or len(body) < 2:
        raise BadCertificate(f"the bundle has {counts[0]} cases and {counts[1]} certificates")
    if not isinstance(body[0]["claim"], str) or last["status"] not in _VERDICTS:
        raise BadCertificate("the first line names a claim, the last one its verdict")
    return Bundle(body[0]["claim"], last["status"], len(body) - 1, certified)


def _lines(content: bytes) -> Iterator[dict[str, Any]]:
    for line in content.removesuffix(b"\n").split(b"\n"):
        yield parse(line)


def _checked(line: dict[str, Any], number: int) -> bool:
    """Whether the line of a case has a certificate; it is checked then."""
    if set(line) != {"case", "certificate"}:
        raise BadCertificate(f"case {number}: a line has a case and a certificate")
    if line["certificate"] is None:
        return False
    if not isinstance(line["certificate"], dict):
        raise BadCertificate(f"case {number}: {shown(line['certificate'])} is no certificate")
    certificate = from_document(line["certificate"])
    if certificate.re_run or not certificate.check():
        raise BadCertificate(f"case {number} does not prove what it says")
    return True
