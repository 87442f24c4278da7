"""The precision in which FLINT computes with balls, in the hands of one thread at a time.

FLINT has one precision for the whole process. A thread that sets it would set it for all the
others, in the midst of their computations, so whoever sets it holds a lock until it is set back.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import flint

_lock = threading.RLock()
_before: list[int] = []  # what the blocks that are open will set back, the outermost first


@contextmanager
def working_precision(bits: int | None = None) -> Iterator[None]:
    """FLINT computes with this many bits in the block, and other threads wait at theirs.

    Without a number it goes on with the bits that it has, which nobody else changes meanwhile.

    >>> with working_precision(200):
    ...     root = flint.arb(2).sqrt()
    >>> root.rel_accuracy_bits() > 190, flint.ctx.prec
    (True, 53)
    """
    with _lock:
        _before.append(flint.ctx.prec)
        try:
            if bits is not None:
                flint.ctx.prec = bits
            yield
        finally:
            flint.ctx.prec = _before[-1]
            _before.pop()


def current_precision() -> int:
    """The bits with which this thread computes, whatever another one has set meanwhile.

    >>> current_precision()
    53
    """
    with _lock:
        return int(flint.ctx.prec)


def _after_fork() -> None:
    """In a child: only the thread that forked lives on, and nobody ends the others' blocks."""
    global _lock
    if _lock.acquire(blocking=False):
        _lock.release()
        return
    if _before:
        flint.ctx.prec = _before[0]
    _before.clear()
    _lock = threading.RLock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_after_fork)
