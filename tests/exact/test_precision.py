"""FLINT has one precision for all threads; no thread of symbench computes in another's."""

import os
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import flint
import pytest

import symbench
from symbench.exact import Balls, Matrix
from symbench.exact.precision import current_precision, working_precision


@pytest.fixture(autouse=True)
def unchanged():
    before = flint.ctx.prec
    yield
    assert flint.ctx.prec == before


def texts(bits):
    """What comes out of some work with balls, so exactly that one bit would show."""
    ring = Balls(bits)
    M = Matrix([["1/3", "1/7"], [flint.arb(2), "2/11"]], ring)
    solution = M.solve(Matrix([["1/13"], ["1/17"]], ring))
    kept = [M, M @ M, M + M, 3 * M, solution, M.entrywise_power(5), Matrix([[M.det()]], ring)]
    return [str(matrix.to_json()) for matrix in kept]


def test_threads_do_not_share_a_precision():
    sizes = [20, 33, 53, 64, 200, 1000]
    alone = {bits: texts(bits) for bits in sizes}
    assert len({str(found) for found in alone.values()}) == len(sizes)
    work = [sizes[k % len(sizes)] for k in range(300)]  # about 20 operations each
    with ThreadPoolExecutor(6) as threads:
        together = list(threads.map(texts, work))
    wrong = [bits for bits, found in zip(work, together, strict=True) if found != alone[bits]]
    assert wrong == []


def test_threads_of_the_rooms_above():
    """Kernels and eigenvalues, beside a thread that computes in two bits all the while."""
    from symbench.exact.roots import RealRoot, _real_roots
    from symbench.kernels.activations.closed_forms import Relu

    def look(k):
        _real_roots.cache_clear()
        value = interval(Relu().dual(k + 2, k + 3, k + 1, bits=100))
        root = RealRoot((-2 - 4 * k, 0, 0, 0, 0, 1), 0)
        return value, root.interval(100), Matrix([[flint.arb(k, 1)]]).ring

    def interval(ball):
        return str(Matrix([[ball]]).to_json())

    alone = [look(k) for k in range(200)]
    done = threading.Event()

    def disturb():
        while not done.is_set():
            with working_precision(2):
                flint.arb(2).sqrt()

    other = threading.Thread(target=disturb)
    other.start()
    try:
        assert [look(k) for k in range(200)] == alone
    finally:
        done.set()
        other.join()


def test_another_thread_waits():
    with ThreadPoolExecutor(1) as thread:
        with working_precision(99):
            reading = thread.submit(current_precision)
            with pytest.raises(TimeoutError):
                reading.result(0.1)
            assert current_precision() == 99
        assert reading.result(10) == 53


def test_blocks_within_blocks_and_errors():
    with working_precision(100):
        with working_precision(200):
            assert flint.ctx.prec == 200
        assert flint.ctx.prec == 100
        with working_precision():
            assert flint.ctx.prec == 100
        for bad, error in ((0, ValueError), ("x", TypeError)):
            with pytest.raises(error), working_precision(bad):
                pass
        assert flint.ctx.prec == 100
    with pytest.raises(ZeroDivisionError), working_precision(300):
        raise ZeroDivisionError
    assert flint.ctx.prec == 53


def exit_code(work):
    """What a forked child that does the work exits with; 99 if it hangs."""
    child = os.fork()
    if child == 0:
        threading.Timer(5, lambda: os._exit(99)).start()
        try:
            os._exit(0 if work() else 1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def test_a_child_of_a_process_whose_thread_computes():
    """Worker processes are forked while threads compute: nobody ends their blocks there."""
    inside, leave = threading.Event(), threading.Event()

    def compute():
        with working_precision(400):
            inside.set()
            leave.wait(30)

    thread = threading.Thread(target=compute)
    thread.start()
    inside.wait(30)
    try:
        assert flint.ctx.prec == 400
        assert exit_code(lambda: current_precision() == 53 and len(texts(64)) == 7) == 0
    finally:
        leave.set()
        thread.join()


def test_a_child_made_within_a_block_stays_in_it():
    with working_precision(400):
        assert exit_code(lambda: current_precision() == 400) == 0


def test_nothing_else_sets_the_precision():
    folder = Path(symbench.__file__).parent
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*.py")
        if re.search(r"ctx\.(prec|dps|work|extra)", path.read_text(encoding="utf-8"))
    }
    assert found == {"exact/precision.py"}
