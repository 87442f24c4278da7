"""A ledger: a file with one verdict a line, written as it happens, from which a run goes on.

Several processes may use one ledger: each line is written in one piece, under a lock.
"""

from __future__ import annotations

import errno
import json
import os
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from symbench._arguments import path as file_name
from symbench.errors import BadValue
from symbench.registry.book import claims
from symbench.registry.verdict import Verdict, versions

_HEAD = b'{"claim": '  # how every line begins


class Ledger:
    """The verdicts in a file of JSON lines.

    >>> import tempfile, os
    >>> path = os.path.join(tempfile.mkdtemp(), "ledger.jsonl")
    >>> Ledger(path).add(verify("lavie2024.dimension", max_length=4))
    >>> Ledger(path).find("lavie2024.dimension", {"max_length": 4}).status
    'holds'
    """

    def __init__(self, path: str | Path) -> None:
        self.path = file_name(path, "the ledger")
        try:
            if self.path.exists() and not self.path.is_file():  # a pipe or a device may never end
                raise OSError(errno.EINVAL, "it is not a regular file")
            with self.path.open("a+b") as file, _locked(file):  # now: an hour later is too late
                file.seek(0)
                text = file.read()
        except (OSError, ValueError) as error:
            raise self._unwritable(error) from None
        lines = enumerate(text.split(b"\n"), start=1)
        found = [self._read(line, number) for number, line in lines if line.strip()]
        self._verdicts = [verdict for verdict in found if verdict is not None]

    def _unwritable(self, error: Exception) -> BadValue:
        reason = getattr(error, "strerror", None) or error
        return BadValue(f"cannot write the ledger {str(self.path)!r}: {reason}")

    def _read(self, line: bytes, number: int) -> Verdict | None:
        """The verdict on a line; None for a half, which a run that was stopped may have left."""
        try:
            return Verdict.from_json(json.loads(line))
        except (ValueError, RecursionError) as error:
            no_json = not isinstance(error, (BadValue, RecursionError))
            if no_json and line.startswith(_HEAD[: len(line)]):
                warnings.warn(f"{self.path}, line {number}: half a verdict, skipped", stacklevel=4)
                return None
            raise BadValue(
                f"{self.path}, line {number}: not a verdict: {error}; "
                "remove the line, or name another file"
            ) from None

    def find(self, claim: str, parameters: Mapping[str, Any]) -> Verdict | None:
        """The expected verdict on these parameters by this version of everything, if any."""
        current = versions(claims[claim].edition)
        for verdict in reversed(self._verdicts):
            same = verdict.claim == claim and verdict.parameters == dict(parameters)
            if same and verdict.versions == current and verdict.as_expected:
                return verdict
        return None

    def add(self, verdict: Verdict) -> None:
        """Append a verdict and hand it to the disk at once; BadValue if the disk does not take it.

        >>> Ledger("/dev/full")
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: cannot write the ledger '/dev/full': it is not a regular file
        """
        self._verdicts.append(verdict)
        text = json.dumps(verdict.to_json(), ensure_ascii=False) + "\n"
        line = text.encode(errors="backslashreplace")  # half a surrogate pair, as JSON writes it
        try:
            with self.path.open("a+b", buffering=0) as file, _locked(file):
                if file.seek(0, os.SEEK_END):
                    file.seek(-1, os.SEEK_END)
                    if file.read(1) != b"\n":  # half a line, which may still be somebody's
                        line = b"\n" + line
                while line:  # a full disk takes a part; asked again it says why
                    line = line[file.write(line) :]
        except OSError as error:
            raise self._unwritable(error) from None


@contextmanager
def _locked(file: IO[bytes]) -> Iterator[None]:
    """No other process reads or writes the ledger meanwhile, if the system knows such locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with suppress(OSError):  # some network drives have none
        fcntl.flock(file, fcntl.LOCK_EX)
    try:
        yield
    finally:
        # Closing is not enough: a worker process started meanwhile has the file open, too.
        with suppress(OSError):
            fcntl.flock(file, fcntl.LOCK_UN)
