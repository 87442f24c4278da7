"""Ridge regression on a task: sparse, beside scikit-learn and a whole kernel matrix of our own.

`pytest tests/benchmarks/test_task_ridge.py` prints the seconds of each road, and the ratios; both
peers are given the kernel matrix, which is not counted.
"""

from time import perf_counter

import numpy as np
import pytest
import scipy.linalg

import symbench as sb
from symbench.kernels import attention
from symbench.learning import TaskRidge

TASK, KERNEL = sb.tasks.same_different(), attention(beta=1, gamma=1)


def gram(found):
    """The whole kernel matrix of the training strings."""
    N = np.array([[float(x) for x in row] for row in found.split.lists[-1][0]])
    K = N[np.ix_(found.strings.which, found.strings.which)]
    K += found._solutions[-1].system.matrix.toarray()
    return K - float(found.ridge) * np.eye(len(found))


def timed(road):
    start = perf_counter()
    found = road()
    return perf_counter() - start, found


@pytest.fixture(scope="module")
def trained():
    TaskRidge(TASK, KERNEL, ["AA", "AB", "BC", "CA", "BA", "BB"])  # kernel values are known then
    return {n: TASK.sample(n, 0, 2 * n, test=0)[0] for n in (1000, 5000)}


@pytest.mark.parametrize("n", [1000, 5000])
def test_sparse(benchmark, trained, n):
    found = benchmark(lambda: TaskRidge(TASK, KERNEL, trained[n]).unseen)
    assert len(found) == 2


def test_a_hundred_thousand(benchmark):
    train, _ = TASK.sample(100_000, 0, 1_000_000, test=0)
    found = benchmark(lambda: TaskRidge(TASK, KERNEL, train).unseen)
    assert abs(float(found[0]) - 1) < 0.1


@pytest.mark.parametrize("n", [1000, 5000])
def test_dense(trained, n, capsys):
    """Cholesky of the whole matrix, the same digits, and the ratio of the times."""
    sparse, found = timed(lambda: TaskRidge(TASK, KERNEL, trained[n]))
    K = gram(found)

    def cholesky():
        return scipy.linalg.cho_solve(scipy.linalg.cho_factor(K + np.eye(n)), found.labels)

    dense, dual = timed(cholesky)
    own = found._solutions[-1].c
    assert np.allclose(dual, own, atol=1e-9)
    with capsys.disabled():
        print(f"\nn = m = {n}: sparse {sparse:.3f} s, dense {dense:.3f} s, {dense / sparse:.0f} x")


@pytest.mark.parametrize("n", [1000, 5000])
def test_scikit_learn(trained, n, capsys):
    linear = pytest.importorskip("sklearn.kernel_ridge", reason="scikit-learn is not installed")
    sparse, found = timed(lambda: TaskRidge(TASK, KERNEL, trained[n]))
    K = gram(found)
    peer = linear.KernelRidge(alpha=1.0, kernel="precomputed")
    seconds, _ = timed(lambda: peer.fit(K, found.labels))
    assert np.allclose(peer.dual_coef_, found._solutions[-1].c, atol=1e-9)
    with capsys.disabled():
        print(f"\nn = m = {n}: sparse {sparse:.3f} s, KernelRidge {seconds:.3f} s, "
              f"{seconds / sparse:.0f} x")  # fmt: skip
