"""What a ledger has, in files that are the same to the byte wherever its cases were looked at.

A row a case: the claim, the edition of the source that computed it, the parameters, the number and
the case itself (plain JSON, as in certificates), what came out and why, and the digest of its
certificate. How long anything took stands in the ledger's verdicts and not here.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import IO, Any

from symbench._arguments import choice
from symbench.certificates.bundles import BundleWriter
from symbench.certificates.files import drafted
from symbench.certificates.plain import from_plain
from symbench.errors import BadLedger, NotSupported
from symbench.registry.ledger import Ledger, Row

_COLUMNS = (
    "claim", "edition", "parameters", "number", "case", "outcome", "reason", "certificate",
)  # fmt: skip
_TOGETHER = 10_000  # rows of a group in Parquet


def write_table(ledger: Ledger | str | Path, path: str | Path | IO[bytes], form: str) -> None:
    """Write the table of a ledger as "jsonl", "csv" or "parquet", to a path or an open file.

    >>> found = verify("lavie2024.dimension", max_length=1, ledger="table.db")
    >>> write_table("table.db", "table.csv", "csv")
    >>> print(Path("table.csv").read_text())
    claim,edition,parameters,number,case,outcome,reason,certificate
    lavie2024.dimension,...,"{""max_length"":1}",1,...
    """
    write = _WRITERS[choice(form, "the format", _WRITERS)]
    with _opened(ledger) as book, _written(path) as file:
        write(book.rows(), file)


def write_bundle(ledger: Ledger | str | Path, path: str | Path, claim: str | None = None) -> None:
    """Write the certificates of a claim's cases as a bundle, which `symbench check` re-checks.

    The claim is asked for where the ledger has several.

    >>> found = verify("boix2024.lemma-E.1", ledger="certified.db")
    >>> write_bundle("certified.db", "certified.jsonl")
    >>> sb.check("certified.jsonl")
    True
    """
    with _opened(ledger) as book:
        counts = [count for count in book.counts() if claim in (None, count.claim)]
        found = sorted({count.claim for count in counts})
        if len(found) != 1:
            several = f"cases of {', '.join(found)}: name one"
            has = several if found else f"no cases of {claim or 'any claim'}"
            raise BadLedger(f"the ledger {str(book.path)!r} has {has}")
        if len({count.edition for count in counts}) > 1:
            raise BadLedger(f"the ledger {str(book.path)!r} has cases by several editions")
        names = counts[0].parameters
        with book.reading():
            grid = {name: tuple({c.parameters[name]: None for c in counts}) for name in names}
        seen = set[str]()
        with drafted(path) as draft, BundleWriter(draft, found[0], grid) as bundle:
            for row in book.rows(found[0]):
                written = json.dumps(row.case)
                if written not in seen:
                    seen.add(written)
                    with book.reading():
                        case = from_plain(row.case)
                    bundle.add(case, row.certificate)
            bundle.finish(_status(book, found[0], len(counts)))


def _status(book: Ledger, claim: str, points: int) -> str:
    """What can be said of all points together."""
    known = [verdict.status for verdict in book.verdicts() if verdict.claim == claim]
    if "fails" in known:
        return "fails"
    return "holds" if known == ["holds"] * points else "undecided"


@contextmanager
def _opened(ledger: Ledger | str | Path) -> Iterator[Ledger]:
    if isinstance(ledger, Ledger):
        yield ledger
        return
    with Ledger(ledger, create=False) as book:
        yield book


@contextmanager
def _written(path: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    if not isinstance(path, (str, Path)):
        yield path
        return
    with drafted(path) as draft, draft.open("wb") as file:
        yield file


def _plain(row: Row) -> dict[str, Any]:
    certificate = row.certificate and row.certificate["digest"]
    return {**{name: getattr(row, name) for name in _COLUMNS}, "certificate": certificate}


def _flat(row: Row) -> dict[str, Any]:
    """The row with texts and one number: what has parts is JSON."""
    found = _plain(row)
    for name in ("parameters", "case"):
        found[name] = json.dumps(found[name], separators=(",", ":"), ensure_ascii=False)
    return found


def _jsonl(rows: Iterator[Row], file: IO[bytes]) -> None:
    for row in rows:
        file.write(json.dumps(_plain(row), ensure_ascii=False).encode() + b"\n")


def _csv(rows: Iterator[Row], file: IO[bytes]) -> None:
    text = TextIOWrapper(file, encoding="utf-8", newline="", write_through=True)
    try:
        table = csv.DictWriter(text, _COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(map(_flat, rows))
    finally:
        text.detach()


def _parquet(rows: Iterator[Row], file: IO[bytes]) -> None:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise NotSupported("pyarrow is not installed: pip install 'symbench[parquet]'") from None
    number = {"number": pyarrow.int64()}
    schema = pyarrow.schema([(name, number.get(name, pyarrow.string())) for name in _COLUMNS])
    with pyarrow.parquet.ParquetWriter(file, schema) as writer:
        while group := [_flat(row) for row in islice(rows, _TOGETHER)]:
            writer.write_table(pyarrow.Table.from_pylist(group, schema))


_WRITERS: dict[str, Callable[[Iterator[Row], IO[bytes]], None]] = {
    "jsonl": _jsonl,
    "csv": _csv,
    "parquet": _parquet,
}
