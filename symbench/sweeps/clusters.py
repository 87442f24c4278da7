"""Executors of dask: a cluster of this machine, or a scheduler that somebody started."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from symbench._arguments import instance, integer
from symbench.decide.limits import seconds
from symbench.errors import BadExecutor, NotSupported

_PATIENCE = 10.0  # seconds within which a scheduler must answer
# Ctrl-C reaches all processes of a terminal: a worker leaves it to its parent, which ends it.
_DEAF = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"


@contextmanager
def cluster(workers: int) -> Iterator[Executor]:
    """An executor on so many dask workers of this machine, which end with the block.

    Each has one thread and no limit on memory: the work is done in a process of its own, which has.

    >>> cluster(0).__enter__()
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the number of workers is 0: give an integer of at least 1
    """
    number = integer(workers, "the number of workers", at_least=1)
    distributed = _distributed()
    with (
        distributed.LocalCluster(
            n_workers=number,
            threads_per_worker=1,
            memory_limit=0,
            preload=[_DEAF],
            silence_logs="ERROR",  # a worker that is lost or replaced is no news
            dashboard_address="127.0.0.1:0",  # dask listens anyhow: where nobody else does
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client.get_executor()


@contextmanager
def scheduler(address: str, *, timeout: float = _PATIENCE) -> Iterator[Executor]:
    """An executor on the workers of a dask scheduler, such as one that dask-jobqueue started.

    >>> scheduler("tcp://127.0.0.1:1", timeout=0.2).__enter__()
    Traceback (most recent call last):
    ...
    symbench.errors.BadExecutor: no scheduler answers at 'tcp://127.0.0.1:1' within 0.2 s: ...
    """
    instance(address, str, "the scheduler", "an address such as 'tcp://host:8786'")
    patience = seconds(timeout)
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=patience)
    except (OSError, TimeoutError, ValueError) as error:
        why = str(error).partition("\n")[0] or type(error).__name__
        raise BadExecutor(
            f"no scheduler answers at {address!r} within {patience:g} s: {why}"
        ) from None
    with client:
        yield client.get_executor()


def _distributed() -> Any:
    try:
        import distributed
    except ImportError:
        raise NotSupported("dask is not installed: pip install 'symbench[dask]'") from None
    return distributed
