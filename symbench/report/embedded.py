"""Certificates as a page carries them: compressed, and no more than there is room for."""

from __future__ import annotations

import json
import zlib
from base64 import b64encode
from collections.abc import Iterable

import attrs

from symbench.report.entries import Certified, Entry

_ROOM = 1_500_000  # characters for the certificates of a page
_LARGE = 100_000  # one that takes more is left out


@attrs.frozen
class Embedded:
    """The certificates of a claim on a page: how many, packed, and how many are left out."""

    count: int
    left_out: int
    packed: str


def embed(entries: Iterable[Entry], *, room: int = _ROOM) -> dict[str, Embedded]:
    """The certificates of each claim that fit; of many, some from all over their list.

    The text in `packed` is zlib's, in base64: a list of pairs of a case and a document.

    >>> from symbench.registry.ledger import Ledger
    >>> verdict = verify("boix2024.lemma-E.1", ledger="embedded.db")
    >>> found = embed(Report(Ledger("embedded.db")).entries)["boix2024.lemma-E.1"]
    >>> found.count == verdict.certified, found.left_out
    (True, 0)
    """
    listed = list(entries)
    small = {
        entry.id: [c for c in entry.certified if len(c.document) <= _LARGE or _fits(c)]
        for entry in listed
    }
    most = max(map(len, small.values()), default=0)
    while True:
        packed = {id: _packed(_spread(found, most)) for id, found in small.items()}
        if most == 0 or sum(len(made.packed) for made in packed.values()) <= room:
            break
        most //= 2
    return {
        entry.id: attrs.evolve(
            packed[entry.id],
            left_out=entry.left_out + len(entry.certified) - packed[entry.id].count,
        )
        for entry in listed
    }


def _fits(certified: Certified) -> bool:
    return len(zlib.compress(certified.document.encode())) * 4 / 3 <= _LARGE


def _spread(found: list[Certified], most: int) -> list[Certified]:
    if len(found) <= most:
        return found
    return [found[i * len(found) // most] for i in range(most)]


def _packed(found: list[Certified]) -> Embedded:
    if not found:
        return Embedded(0, 0, "")
    pairs = json.dumps([[c.case, c.document] for c in found], separators=(",", ":"))
    return Embedded(len(found), 0, b64encode(zlib.compress(pairs.encode(), 9)).decode())
