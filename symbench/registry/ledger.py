"""A ledger: one SQLite file with a row a case, from which a run that was stopped goes on.

What is written was handed to the disk in a transaction: a process that is killed, a second writer
or a full disk costs nothing that was reported. The journal is SQLite's rollback journal and not
the write-ahead log: between transactions a ledger is one file that can be copied, and it may lie on
a network drive, where clusters keep their files. Writers come by tens a second at most, so the log
would save nothing.

A case is kept under the claim and the version of everything that computed it, once, whichever
sizes list it: larger sizes find the cases of the smaller ones. Times stand in verdicts only, so
that two runs of the same sweep give the same table.
"""

from __future__ import annotations

import errno
import json
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import path as file_name
from symbench._arguments import shown
from symbench.certificates.files import document, from_document
from symbench.certificates.plain import canonical, to_plain
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, card, columns_text, fact
from symbench.errors import BadClaim, BadLedger, SymbenchError, TooLarge
from symbench.registry.book import claims
from symbench.registry.statement import Claim, Result
from symbench.registry.verdict import Verdict, versions

# The result of a case, whether it has a certificate, and its document if it is kept.
Examined = tuple[Result, bool, "dict[str, Any] | None"]

_SQLITE = b"SQLite format 3\0"
_OURS = 0x73796D62  # "symb", the application id in the header of the file
_FORMAT = 1
_PATIENCE = 120  # seconds that a writer waits for another one
_LARGEST = 1 << 28  # bytes of a certificate that are read
_TOGETHER = 0.2  # seconds of quick cases that go into one transaction
_OUTCOMES = ("holds", "fails", "error", "unfinished")
_UNANSWERED = ("error", "unfinished")
# What reading raises where a value is not what was written.
_DAMAGE = (
    SymbenchError, ArithmeticError, AttributeError, LookupError, RecursionError, TypeError,
    ValueError, zlib.error,
)  # fmt: skip
_TABLES = """
CREATE TABLE runs(id INTEGER PRIMARY KEY, claim TEXT NOT NULL, versions TEXT NOT NULL,
                  UNIQUE(claim, versions));
CREATE TABLE points(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, parameters TEXT NOT NULL,
                    total INTEGER, verdict TEXT, certificate BLOB, UNIQUE(run, parameters));
CREATE TABLE cases(id INTEGER PRIMARY KEY, run INTEGER NOT NULL, key BLOB NOT NULL,
                   written TEXT NOT NULL, outcome TEXT, reason TEXT, UNIQUE(run, key));
CREATE TABLE listed(point INTEGER NOT NULL, number INTEGER NOT NULL, "case" INTEGER NOT NULL,
                    PRIMARY KEY(point, number)) WITHOUT ROWID;
CREATE TABLE certificates("case" INTEGER PRIMARY KEY, document BLOB NOT NULL);
"""


@attrs.frozen(kw_only=True)
class Row(Shown):
    """One case in the table of a ledger; `case` is plain JSON, and outcome "pending" is no answer.

    >>> verify("lavie2024.dimension", max_length=2, ledger="ledger.db").cases
    3
    >>> first = next(Ledger("ledger.db").rows())
    >>> first.claim, first.number, first.outcome
    ('lavie2024.dimension', 1, 'holds')
    """

    claim: str
    edition: str
    parameters: Mapping[str, Any]
    number: int
    case: Any
    outcome: str
    reason: str
    certificate: dict[str, Any] | None


@attrs.frozen(kw_only=True)
class Count(Shown):
    """How many cases of a point came out how; `listed` says whether all of its cases are known."""

    claim: str
    edition: str
    parameters: Mapping[str, Any]
    listed: bool
    holds: int
    fails: int
    error: int
    unfinished: int
    pending: int


class Ledger(Shown):
    """The cases and verdicts in a file; ":memory:" is a ledger that is gone with the process.

    >>> verdict = verify("lavie2024.dimension", max_length=4, ledger="verdicts.db")
    >>> book = Ledger("verdicts.db")
    >>> book.find("lavie2024.dimension", {"max_length": 4}) == verdict
    True
    >>> [verdict.cases for verdict in book.verdicts()]
    [8]
    """

    def __init__(self, path: str | Path, *, create: bool = True) -> None:
        self.path = file_name(path, "the ledger")
        self._lock = threading.RLock()  # one connection, which several threads use
        self._connection: sqlite3.Connection | None = None
        text = str(self.path)
        try:
            if text != ":memory:":
                self._check_file(create)
            self._connection = sqlite3.connect(
                text, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
            self._connection.execute("PRAGMA synchronous = EXTRA")
        except (OSError, ValueError, sqlite3.Error) as error:
            raise self._unusable(error) from None
        if not create:  # whoever only reads may have a file that cannot be written
            self._check_format(create)
            return
        with self._transaction():  # now: an hour later is too late
            self._check_format(create)

    def _check_file(self, create: bool) -> None:
        if not self.path.exists():
            if not create:
                raise OSError(errno.ENOENT, "there is no such file")
            if not self.path.parent.is_dir():
                raise OSError(errno.ENOENT, "there is no such folder")
            return
        if not self.path.is_file():  # a pipe or a device may never end
            raise OSError(errno.EINVAL, "it is not a regular file")
        with self.path.open("rb") as file:
            head = file.read(len(_SQLITE))
        if head.startswith(b'{"claim": '):
            raise ValueError(
                "it is a ledger of an earlier symbench, whose verdicts say nothing of this "
                "version: it is left as it is; name another file"
            )
        if head and head != _SQLITE:
            raise ValueError("it is not a ledger: it is left as it is; name another file")

    def _check_format(self, create: bool) -> None:
        [[ours]] = self._execute("PRAGMA application_id")
        [[version]] = self._execute("PRAGMA user_version")
        [[tables]] = self._execute("SELECT count(*) FROM sqlite_master")
        if (ours, version, tables) == (0, 0, 0):
            if not create:
                raise self._unusable("it is empty")
            for statement in _TABLES.split(";"):
                self._execute(statement)
            self._execute(f"PRAGMA application_id = {_OURS}")
            self._execute(f"PRAGMA user_version = {_FORMAT}")
        elif ours != _OURS:
            raise self._unusable("it is a database of something else; name another file")
        elif version != _FORMAT:
            raise self._unusable(f"its format is {version}, this symbench writes {_FORMAT}")

    def _unusable(self, error: object) -> BadLedger:
        reason = getattr(error, "strerror", None) or error
        return BadLedger(f"cannot use the ledger {str(self.path)!r}: {reason}")

    def _execute(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        with self._lock:
            if self._connection is None:
                raise self._unusable("it is closed")
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.Error as error:
                raise self._unusable(error) from None

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """All that is written inside, or nothing; no other process writes meanwhile."""
        with self._lock:
            self._execute("BEGIN IMMEDIATE")
            try:
                yield
                self._execute("COMMIT")
            except BaseException:
                if self._connection is not None and self._connection.in_transaction:
                    with suppress(BadLedger):
                        self._execute("ROLLBACK")
                raise

    @contextmanager
    def reading(self) -> Iterator[None]:
        """Whatever is damaged in the file, so that it cannot be read, raises BadLedger."""
        try:
            yield
        except BadLedger:
            raise
        except _DAMAGE as error:
            why = f"it is damaged: {type(error).__name__}: {error}"
            raise BadLedger(f"cannot read the ledger {str(self.path)!r}: {why}") from None

    def close(self) -> None:
        """Close the file; a ledger that is forgotten closes itself."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def __del__(self) -> None:
        if getattr(self, "_connection", None) is not None:
            self.close()

    def __repr__(self) -> str:
        return f"Ledger({str(self.path)!r})"

    def _view(self) -> View:
        if self._connection is None:
            return card(repr(self), "It is closed.")
        rows = [["claim", "parameters", "cases"]]
        for _, claim, _, sizes, total in self._points():
            rows.append([claim, fact(sizes), "not all known" if total is None else f"{total:,}"])
        return card(repr(self), columns_text(rows, right=(2,)))

    # Points: a claim, the version of everything, and the sizes

    def point(self, claim: Claim, sizes: Mapping[str, Any]) -> Point:
        """The place of a claim with these sizes, by this version of everything."""
        with self._transaction():
            return self._point(claim, sizes)

    def _point(self, claim: Claim, sizes: Mapping[str, Any]) -> Point:
        current = _text(versions(claim.edition))
        values = (claim.id, current)
        self._execute("INSERT OR IGNORE INTO runs(claim, versions) VALUES (?, ?)", values)
        [[run]] = self._execute("SELECT id FROM runs WHERE claim = ? AND versions = ?", values)
        place = (run, _text(dict(sizes)))
        self._execute("INSERT OR IGNORE INTO points(run, parameters) VALUES (?, ?)", place)
        [[id]] = self._execute("SELECT id FROM points WHERE run = ? AND parameters = ?", place)
        return Point(self, run, id)

    def only(self, claim: Claim) -> None:
        """Refuse a ledger with cases of another claim, or by another version of anything.

        >>> book = Ledger(":memory:")
        >>> book.add(verify("lavie2024.dimension", max_length=2))
        >>> book.only(claims["lavie2024.one-hot"])
        Traceback (most recent call last):
        ...
        symbench.errors.BadLedger: cannot use the ledger ':memory:': it is of lavie2024.dimensi...
        """
        current = versions(claim.edition)
        for id, written in self._execute("SELECT claim, versions FROM runs ORDER BY id"):
            with self.reading():
                found = dict(json.loads(written))
            if id != claim.id:
                raise self._unusable(
                    f"it is of {id} and not of {claim.id}: it is left as it is; name another file"
                )
            if found != current:
                name = next(name for name in current if found.get(name) != current[name])
                raise self._unusable(
                    f"it is of {name} {found.get(name)} and this is {current[name]}: "
                    "it is left as it is; name another file"
                )

    def plan(self, claim: Claim, points: Iterable[Mapping[str, Any]], most: int) -> list[Point]:
        """List the cases of all points, in one transaction; TooLarge if they are more than most.

        What is listed already is not listed again.
        """
        found: list[Point] = []
        cases = 0
        with self._transaction(), progress(f"cases of {claim.id} listed", None) as report:
            for sizes in points:
                point = self._point(claim, sizes)
                found.append(point)
                [[total]] = self._execute("SELECT total FROM points WHERE id = ?", (point.id,))
                if total is not None:
                    with self.reading():
                        cases += total
                    continue
                before = cases
                for case in claim.list_cases(**sizes):
                    cases += 1
                    if cases > most:
                        raise TooLarge(self._too_large(claim, sizes, len(found), cases, before))
                    self._enter(point, cases - before, _text(to_plain(case)), None)
                    report(1)
                point.finish(cases - before)
        return found

    def _too_large(
        self, claim: Claim, sizes: Mapping[str, Any], place: int, cases: int, before: int
    ) -> str:
        """What was listed until it was too much, and how many bytes that takes."""
        [[listed, size]] = self._execute("SELECT count(*), sum(length(written)) FROM cases")
        bytes_ = (size or 0) // max(listed, 1) + 60  # the key twice, and the lists
        at = ", ".join(f"{name}={value}" for name, value in sizes.items())
        return (
            f"the sweep of {claim.id} has more than {cases - 1:,} cases: point {place} ({at}) "
            f"has {cases - before:,} and goes on, at about {bytes_} bytes a case: "
            "give a smaller grid, or allow more cases (most=..., --most)"
        )

    def _enter(self, point: Point, number: int, written: str, examined: Examined | None) -> None:
        """The row of a case, inside a transaction; an answer stays, whoever comes later."""
        key = _key(written)
        found = self._execute(
            "SELECT id, outcome, reason FROM cases WHERE run = ? AND key = ?", (point.run, key)
        )
        if not found:
            insert = "INSERT INTO cases(run, key, written) VALUES (?, ?, ?)"
            self._execute(insert, (point.run, key, written))
            found = self._execute("SELECT last_insert_rowid(), NULL, NULL")
        [row] = found
        self._execute("INSERT OR IGNORE INTO listed VALUES (?, ?, ?)", (point.id, number, row[0]))
        if examined is not None:
            self._answer(row, written, examined)

    def _answer(self, row: tuple[Any, ...], written: str, examined: Examined) -> None:
        id, before, why = row
        (outcome, reason), _, certificate = examined
        if before is not None and before not in _UNANSWERED:
            if outcome not in _UNANSWERED and (outcome, reason) != (before, why):
                raise BadClaim(
                    f"the claim changes its mind about {written}: the ledger {str(self.path)!r} "
                    f"has {before} {why!r}, now it is {outcome} {reason!r}"
                )
            return
        change = "UPDATE cases SET outcome = ?, reason = ? WHERE id = ?"
        self._execute(change, (outcome, _printable(reason), id))
        if certificate is not None:
            packed = _pack(certificate)
            self._execute("INSERT OR REPLACE INTO certificates VALUES (?, ?)", (id, packed))

    def pending(self, points: Sequence[Point], *, retry: bool = False) -> list[tuple[int, str]]:
        """The cases without an answer, each once, in the order of the points; their ids and texts.

        With retry also those that ended in an error or ran out.
        """
        found: dict[int, str] = {}
        outcomes = "IS NULL OR outcome IN ('error', 'unfinished')" if retry else "IS NULL"
        for point in points:
            for id, key, written in self._execute(
                'SELECT cases.id, key, written FROM listed JOIN cases ON "case" = cases.id '
                f"WHERE point = ? AND (outcome {outcomes}) ORDER BY number",
                (point.id,),
            ):
                self._check_key(key, written)
                found[id] = written
        return list(found.items())

    def answered(self, ids: Sequence[int]) -> set[int]:
        """Those of the cases that have an answer by now: another process may have found it."""
        asked = ", ".join("?" * len(ids))
        found = self._execute(
            f"SELECT id FROM cases WHERE id IN ({asked}) AND outcome IN ('holds', 'fails')", ids
        )
        return {id for [id] in found}

    def record(self, answers: Iterable[tuple[int, Examined]]) -> None:
        """The results of cases that are listed, in one transaction."""
        with self._transaction():
            for id, examined in answers:
                select = "SELECT id, outcome, reason, written FROM cases WHERE id = ?"
                [row] = self._execute(select, (id,))
                self._answer(row[:3], row[3], examined)

    # Verdicts

    def add(self, verdict: Verdict) -> None:
        """Keep a verdict, in place of an earlier one on the same sizes by the same version.

        >>> Ledger("/dev/full")
        Traceback (most recent call last):
        ...
        symbench.errors.BadLedger: cannot use the ledger '/dev/full': it is not a regular file
        """
        certificate = None
        if verdict.certificate is not None:
            certificate = _pack(document(verdict.certificate))
        data = verdict.to_json()
        with self._transaction():
            values = (verdict.claim, _text(data["versions"]))
            self._execute("INSERT OR IGNORE INTO runs(claim, versions) VALUES (?, ?)", values)
            self._execute(
                "INSERT INTO points(run, parameters, verdict, certificate) SELECT id, ?, ?, ? "
                "FROM runs WHERE claim = ? AND versions = ? ON CONFLICT(run, parameters) "
                "DO UPDATE SET verdict = excluded.verdict, certificate = excluded.certificate",
                (_text(data["parameters"]), _text(data), certificate, *values),
            )

    def find(self, claim: str, parameters: Mapping[str, Any]) -> Verdict | None:
        """The expected verdict on these parameters by this version of everything, if any."""
        current = _text(versions(claims[claim].edition))
        found = self._verdicts(
            "claim = ? AND versions = ? AND parameters = ?",
            (claim, current, _text(dict(parameters))),
        )
        return next((verdict for verdict in found if verdict.as_expected), None)

    def verdicts(self) -> list[Verdict]:
        """The last verdict on each claim, sizes and version of everything, the oldest run first.

        If the claim is registered here, a verdict has its certificate, and what is expected is what
        the claim says.
        """
        return list(self._verdicts("1"))

    def _verdicts(self, condition: str, values: Sequence[Any] = ()) -> Iterator[Verdict]:
        rows = self._execute(
            "SELECT verdict, claim, certificate FROM points JOIN runs ON run = runs.id "
            f"WHERE verdict IS NOT NULL AND {condition} ORDER BY points.id",
            values,
        )
        for data, id, packed in rows:
            with self.reading():
                verdict = Verdict.from_json(json.loads(data))
                if verdict.claim != id:
                    raise ValueError(f"a verdict on {verdict.claim} is among those on {id}")
                if id in claims:  # what is expected the claim says, and not the file
                    claim = claims[id]
                    certificate = packed and from_document(_unpack(packed), claim=claim)
                    verdict = attrs.evolve(
                        verdict, expected=claim.expected, certificate=certificate
                    )
            yield verdict

    # The table

    def _points(self) -> list[tuple[int, str, str, dict[str, Any], int | None]]:
        """Id, claim, edition, parameters and number of cases of each point, in a fixed order."""
        rows = self._execute(
            "SELECT points.id, claim, versions, parameters, total FROM points "
            "JOIN runs ON run = runs.id"
        )
        with self.reading():
            found = [
                (
                    id,
                    str(claim),
                    json.loads(written),
                    json.loads(sizes),
                    None if total is None else int(total),
                )
                for id, claim, written, sizes, total in rows
            ]
            # By numbers as numbers: 10 comes after 9.
            found.sort(
                key=lambda r: (r[1], _text(r[2]), [(k, type(v) is str, v) for k, v in r[3].items()])
            )
            return [
                (id, claim, str(got["edition"]), sizes, n) for id, claim, got, sizes, n in found
            ]

    def rows(self, claim: str | None = None) -> Iterator[Row]:
        """The table: a row for each case of each point, ordered by claim, sizes and number."""
        for id, name, edition, sizes, _ in self._points():
            if claim is not None and name != claim:
                continue
            for number, _, written, outcome, reason, packed in self._cases(id):
                with self.reading():
                    row = Row(
                        claim=name,
                        edition=edition,
                        parameters=sizes,
                        number=number,
                        case=json.loads(written),
                        outcome=outcome or "pending",
                        reason=str(reason or ""),
                        certificate=None if packed is None else _unpack(packed),
                    )
                yield row

    def _cases(self, point: int, last_column: str = "document") -> Iterator[tuple[Any, ...]]:
        # By pages: a reader that pauses in the midst of one long answer would keep writers out.
        last = 0
        while page := self._execute(
            f"SELECT number, key, written, outcome, reason, {last_column} FROM listed JOIN cases "
            'ON listed."case" = cases.id LEFT JOIN certificates '
            'ON certificates."case" = cases.id WHERE point = ? AND number > ? '
            "ORDER BY number LIMIT 500",
            (point, last),
        ):
            for row in page:
                if not isinstance(row[0], int):
                    raise self._unusable(f"it is damaged: {shown(row[0])} is no number of a case")
                self._check_outcome(row[3])
                yield row
            last = page[-1][0]

    def _check_key(self, key: Any, written: Any) -> None:
        with self.reading():
            if _key(written) != key:
                raise ValueError(f"a case was changed to {shown(written)}")

    def _check_outcome(self, outcome: Any) -> None:
        if outcome is not None and outcome not in _OUTCOMES:
            raise self._unusable(f"it is damaged: {shown(outcome)} is no outcome of a case")

    def counts(self) -> list[Count]:
        """How the cases of each point came out, in the order of the table."""
        found = []
        for id, name, edition, sizes, total in self._points():
            tally = dict.fromkeys((*_OUTCOMES, "pending"), 0)
            for outcome, number in self._execute(
                "SELECT outcome, count(*) FROM listed "
                'JOIN cases ON "case" = cases.id WHERE point = ? GROUP BY outcome',
                (id,),
            ):
                self._check_outcome(outcome)
                tally[outcome or "pending"] = number
            found.append(
                Count(
                    claim=name, edition=edition, parameters=sizes, listed=total is not None, **tally
                )
            )
        return found

    def certificates(self, claim: str) -> Iterator[dict[str, Any]]:
        """The documents of the certificates of a claim's cases, each case once, as listed.

        >>> found = verify("boix2024.lemma-E.1", ledger="certified.db")
        >>> documents = list(Ledger("certified.db").certificates("boix2024.lemma-E.1"))
        >>> len(documents) == found.certified
        True
        """
        rows = self._execute(
            'SELECT document FROM certificates JOIN cases ON "case" = cases.id '
            "JOIN runs ON run = runs.id WHERE claim = ? ORDER BY cases.id",
            (claim,),
        )
        for [packed] in rows:
            with self.reading():
                found = _unpack(packed)
            yield found


@attrs.define
class Point(Shown):
    """Where the cases of one run go: a claim, its sizes, this version of everything."""

    ledger: Ledger
    run: int
    id: int
    _waiting: list[tuple[int, str, Examined]] = attrs.field(factory=list)
    _written: float = attrs.field(factory=time.monotonic)

    @property
    def sizes(self) -> dict[str, Any]:
        """The parameters."""
        select = "SELECT parameters FROM points WHERE id = ?"
        [[written]] = self.ledger._execute(select, (self.id,))
        with self.ledger.reading():
            return dict(json.loads(written))

    def examined(self) -> Iterator[tuple[str, Result, bool]]:
        """The cases in order as canonical JSON, what came out, and whether it has a certificate.

        One that nobody has looked at is unfinished. That all are there, and as they were listed, is
        looked at on the way: BadLedger if one is missing or was changed.
        """
        has, n = "document IS NOT NULL", 0
        nobody: Result = ("unfinished", "nobody looked at it")
        for n, row in enumerate(self.ledger._cases(self.id, has), 1):
            number, key, written, outcome, reason, certified = row
            if number != n:
                raise self.ledger._unusable(f"it is damaged: case {n} is missing")
            self.ledger._check_key(key, written)
            yield written, (outcome, reason) if outcome else nobody, bool(certified)
        [[total]] = self.ledger._execute("SELECT total FROM points WHERE id = ?", (self.id,))
        if total not in (None, n):
            raise self.ledger._unusable(f"it is damaged: of {total} cases {n} are there")

    def known(self, case: Any, *, retry: bool = False) -> Examined | None:
        """What the ledger has for a case: its result and the document of its certificate."""
        key = _key(_text(to_plain(case)))
        found = self.ledger._execute(
            'SELECT outcome, reason, document FROM cases LEFT JOIN certificates ON "case" = id '
            "WHERE run = ? AND key = ?",
            (self.run, key),
        )
        if not found or found[0][0] is None or (retry and found[0][0] in _UNANSWERED):
            return None
        [(outcome, reason, packed)] = found
        self.ledger._check_outcome(outcome)
        if packed is None:
            return (outcome, reason), False, None
        with self.ledger.reading():
            return (outcome, reason), True, _unpack(packed)

    def put(self, number: int, case: Any, examined: Examined) -> None:
        """The result of a case; quick ones wait a moment, so that they are written together."""
        self._waiting.append((number, _text(to_plain(case)), examined))
        if time.monotonic() - self._written > _TOGETHER:
            self.flush()

    def flush(self) -> None:
        """Write what waits."""
        waiting, self._waiting = self._waiting, []
        if waiting:
            with self.ledger._transaction():
                for number, written, examined in waiting:
                    self.ledger._enter(self, number, written, examined)
        self._written = time.monotonic()

    def finish(self, total: int) -> None:
        """All cases are listed: there are so many."""
        self.ledger._execute("UPDATE points SET total = ? WHERE id = ?", (total, self.id))


def _text(data: Any) -> str:
    return canonical(data).decode()


def _key(written: str) -> bytes:
    return sha256(written.encode()).digest()[:16]


def _pack(certificate: dict[str, Any]) -> bytes:
    # In the order in which it is written, so that a file made from it is the same.
    return zlib.compress(json.dumps(certificate, separators=(",", ":")).encode())


def _unpack(packed: bytes) -> dict[str, Any]:
    # A few bytes can be told to become gigabytes.
    whole = zlib.decompressobj()
    text = whole.decompress(packed, _LARGEST)
    if not whole.eof:
        raise ValueError(f"a certificate is cut, or has more than {_LARGEST:,} bytes")
    found: dict[str, Any] = json.loads(text)
    if not isinstance(found["digest"], str) or not isinstance(found["about"], dict):
        raise ValueError("what stands in place of a certificate is none")
    return found


def _printable(text: str) -> str:
    """Half a surrogate pair cannot be written; JSON and the table show it by its number."""
    return text.encode(errors="backslashreplace").decode()
