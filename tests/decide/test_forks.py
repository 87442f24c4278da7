"""Workers are forked safely: no lock of another thread comes along."""

import threading
from functools import cached_property

import pytest

from symbench.decide.limits import Workers


class _Slow:
    """A value that takes a while to compute, once."""

    started = threading.Event()
    go_on = threading.Event()

    @cached_property
    def value(self):
        self.started.set()
        self.go_on.wait(30)
        return 7


class _Other(_Slow):
    pass


def _look():
    quick = _Other()
    _Slow.go_on.set()
    return quick.value


@pytest.mark.parametrize("started_before", [True, False])
def test_a_fork_while_another_thread_computes_a_cached_property(started_before):
    """Before Python 3.12 the property has a lock, which the child would find taken for ever."""
    _Slow.started.clear()
    _Slow.go_on.clear()
    busy = threading.Thread(target=lambda: _Slow().value, daemon=True)
    if started_before:
        busy.start()
        assert _Slow.started.wait(30)
    with Workers() as workers:
        if not started_before:
            busy.start()
            assert _Slow.started.wait(30)
        assert workers.run(_look, timeout=60) == 7
    _Slow.go_on.set()
    busy.join(30)
