"""Ridge regression on a task, beside scikit-learn and a dense solve of our own.

The dense peers are given the kernel matrix, which is not counted.
"""

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


@pytest.mark.parametrize("n", [1000, 5000])
def test_ridge(compare, n):
    TaskRidge(TASK, KERNEL, ["AA", "AB", "BC", "CA", "BA", "BB"])  # kernel values are known then
    train = TASK.sample(n, 0, 2 * n, test=0)[0]
    one = TaskRidge(TASK, KERNEL, train)
    K, own = gram(one), one._solutions[-1].c

    def cholesky():
        return scipy.linalg.cho_solve(scipy.linalg.cho_factor(K + np.eye(n)), one.labels)

    peers = {"dense Cholesky": cholesky, "scikit-learn": "(not installed)"}
    try:
        from sklearn.kernel_ridge import KernelRidge

        model = KernelRidge(alpha=1.0, kernel="precomputed")
        peers["scikit-learn"] = lambda: model.fit(K, one.labels).dual_coef_
    except ImportError:
        pass
    compare(
        "ridge regression on a task",
        lambda: TaskRidge(TASK, KERNEL, train).unseen,
        peers,
        size=f"{n:,} samples",
        agrees=lambda _, dual: np.allclose(dual, own, atol=1e-9),
    )


def test_a_hundred_thousand(compare):
    train, _ = TASK.sample(100_000, 0, 1_000_000, test=0)
    found = compare(
        "ridge regression on a task",
        lambda: TaskRidge(TASK, KERNEL, train).unseen,
        {"dense solve": "(does not fit)"},
        size="100,000 samples",
    )
    assert abs(float(found[0]) - 1) < 0.1
