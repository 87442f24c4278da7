"""The book of claims: every registered statement by its id.

The papers of symbench and the modules of its users come in by one door, the entry-point group
`symbench.claims`, when the book is first opened.
"""

from __future__ import annotations

import difflib
import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from symbench._arguments import instance
from symbench.draw.views import Shown, View, card, columns_text
from symbench.errors import BadClaim, UnknownName
from symbench.registry.edition import symbench_edition
from symbench.registry.statement import Claim

_GROUP = "symbench.claims"
_OWN = "symbench.papers"


class Claims(Shown, Mapping[str, Claim]):
    """A mapping from ids to claims, in the order of registration."""

    def __init__(self) -> None:
        self._claims: dict[str, Claim] = {}
        self._former: dict[str, str] = {}  # ids that claims had before
        self._opened = False
        self._lock = threading.RLock()  # nobody reads a book that is half written

    def add(self, new: Claim) -> None:
        """Register a claim; an id is taken once."""
        old = self._claims.get(new.id)
        if old is not None and _home(old) != _home(new):
            raise BadClaim(f"claim {new.id!r} is registered twice: {_home(old)} and {_home(new)}")
        self._claims[new.id] = new
        self._former.update(dict.fromkeys(new.formerly, new.id))

    def declared(self, id: str) -> Claim | None:
        """The claim with this id if its module has been loaded; the book is not opened for it."""
        return self._claims.get(id)

    def _open(self) -> dict[str, Claim]:
        with self._lock:
            if not self._opened:
                self._opened = True  # before loading: the modules may look into this book
                try:
                    self._load()
                except BaseException:
                    self._opened = False
                    raise
        return self._claims

    def _load(self) -> None:
        from importlib.metadata import entry_points

        symbench_edition()  # before the source is loaded, not after somebody edited it
        for entry in sorted(entry_points(group=_GROUP), key=lambda e: e.value != _OWN):
            try:
                entry.load()
            except KeyboardInterrupt:
                raise
            except BaseException as error:  # a module may even call sys.exit()
                if entry.value == _OWN:
                    raise
                warnings.warn(f"claims of {entry.value} not loaded: {error!r}", stacklevel=4)

    def __getitem__(self, id: str) -> Claim:
        instance(id, str, "the id", "a string such as 'boix2024.lemma-E.1'")
        book = self._open()
        if id not in book and id in self._former:
            now = self._former[id]
            warnings.warn(f"{id} is {now} now", DeprecationWarning, stacklevel=2)
            return book[now]
        if id not in book:
            near = difflib.get_close_matches(id, book, n=3, cutoff=0.7)
            hint = f"did you mean {', '.join(near)}?" if near else "`symbench list` shows all"
            raise UnknownName(f"no claim {id!r}: {hint}")
        return book[id]

    def __contains__(self, id: Any) -> bool:
        return isinstance(id, str) and (id in self._open() or id in self._former)

    def __iter__(self) -> Iterator[str]:
        return iter(self._open())

    def __len__(self) -> int:
        return len(self._open())

    def __reduce__(self) -> str:
        return "claims"  # there is one book; another process has its own copy of it

    def __repr__(self) -> str:
        return f"<{len(self)} claims: {', '.join(list(self)[:3])}{', ...' * (len(self) > 3)}>"

    def _view(self) -> View:
        rows = [["paper", "claims", "of them expected to fail"]]
        for paper, number in Counter(claim.paper for claim in self.values()).items():
            fails = sum(x.expected == "fails" for x in self.values() if x.paper == paper)
            rows.append([paper, str(number), str(fails)])
        how = "claims[id] shows one, verify(id) its verdict"
        return card(f"{len(self)} claims", columns_text(rows, right=(1, 2)), how)


def _home(claim: Claim) -> str:
    """Where a claim is written; the same place may be executed again (a reload)."""
    return f"{claim.function.__module__}.{claim.function.__qualname__}"


claims = Claims()
