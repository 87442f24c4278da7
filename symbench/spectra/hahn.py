"""Blocks for binary words in floats: sums against orthonormal Hahn polynomials.

Let e_i be the unit vector of the copy of S^(L-m,m) on the words of weight i, chosen along the
raising operator. The 0/1 matrices of pairs of words with weights i, j and t common ones are
orthogonal, so <e_i, A_t e_j> = sqrt(N_t / dim S^(L-m,m)) u_m(t), N_t the number of such pairs and u
an orthogonal matrix: u_m is sqrt(w_t) times a polynomial of degree m that is orthonormal for the
hypergeometric law w_t = N_t / sum N, and positive where t is largest. With P_i the probability of
weight i the symmetric block is

    S_ij = sqrt(P_i P_j / dim S^(L-m,m)) sum over t of k_ij(t) sqrt(w_t) u_m(t),

in which nothing is larger than the kernel: rounding errors stay below the largest value times the
precision. The columns of u are eigenvectors of a Jacobi matrix whose eigenvalues are the numbers t
themselves; a twisted factorisation gives them without loss.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from typing import Any

from symbench.exact.arrays import Floats, np
from symbench.young import Partition

# k_ij(t) for t = max(0, i + j - L), ..., min(i, j).
Values = Callable[[int, int], Any]


def float_blocks(length: int, values: Values, *, symmetric: bool, mirrored: bool) -> list[Floats]:
    """For each m the matrix of sqrt(dim) times what multiplies sqrt(P_i P_j), weights m to L - m.

    For a symmetric kernel only values with i <= j are asked for. The polynomials are computed for
    j <= L/2 and reflected, or with mirrored=True for j >= L/2 and reflected: two computations.

    >>> first, second = float_blocks(
    ...     2, lambda i, j: [1.0] * (min(i, j) - max(0, i + j - 2) + 1), symmetric=True,
    ...     mirrored=False)
    >>> first.round(12).tolist(), abs(second.round(12)).tolist()
    ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[0.0]])
    """
    L = length
    blocks = [np.zeros((L - 2 * m + 1, L - 2 * m + 1)) for m in range(L // 2 + 1)]
    for i in range(L // 2 + 1):
        others = range(i, L - i + 1)
        first, second = _sums_for(L, i, mirrored)
        across = np.einsum("bmt,bt->mb", first, np.array([values(i, b) for b in others]))
        down = np.einsum("bmt,bt->mb", second, np.array([values(b, L - i) for b in others]))
        across_back, down_back = across, down
        if not symmetric:
            across_back = np.einsum("bmt,bt->mb", first, np.array([values(b, i) for b in others]))
            down_back = np.einsum(
                "bmt,bt->mb", second, np.array([values(L - i, b) for b in others])
            )
        for m in range(i + 1):
            low, high = i - m, L - i - m
            blocks[m][low, low : high + 1] = across[m]
            blocks[m][low : high + 1, low] = across_back[m]
            blocks[m][low : high + 1, high] = down[m]
            blocks[m][high, low : high + 1] = down_back[m]
    return blocks


def _sums_for(L: int, i: int, mirrored: bool) -> tuple[Floats, Floats]:
    """What multiplies the values of weights (b, i) and of (b, L - i), for b = i, ..., L - i.

    Complements of one word turn t around, and with it the sign of the odd polynomials.
    """
    computed = range(L - L // 2, L - i + 1) if mirrored else range(i, L // 2 + 1)
    u = hahn_vectors(L, i, computed)
    signs = ((-1.0) ** np.arange(i + 1))[:, None]
    plain = u * u[:, :1]
    first = np.empty((L - 2 * i + 1, i + 1, i + 1))
    first[[L - b - i for b in computed]] = plain[:, :, ::-1] * signs
    first[[b - i for b in computed]] = plain
    return first, first[:, :, ::-1] * signs


def hahn_vectors(L: int, i: int, weights: range) -> Floats:
    """The matrices u for weights i and j: entry [place of j][m][t], t = 0, ..., i <= j <= L - i.

    >>> import numpy as np
    >>> found = hahn_vectors(9, 3, range(3, 5))
    >>> found.shape, bool(np.allclose(found @ found.transpose(0, 2, 1), np.eye(4)))
    ((2, 4, 4), True)
    >>> (found[0, 0] ** 2 * 84).round(9).tolist()  # C(3, t) C(6, 3 - t)
    [20.0, 45.0, 18.0, 1.0]
    """
    j = np.array(weights, dtype=np.float64)[:, None]
    n = np.arange(i + 1, dtype=np.float64)[None, :]
    # The recurrence of Hahn polynomials; the last divisor vanishes only where nothing follows.
    up = (L + 1 - n) * (j - n) * (i - n) / ((L + 1 - 2 * n) * np.maximum(L - 2 * n, 1))
    down = n * (L + 1 - i - n) * (L + 1 - j - n) / ((L + 2 - 2 * n) * (L + 1 - 2 * n))
    beside = np.sqrt(up[:, :-1] * down[:, 1:])[:, :, None]
    t = np.arange(i + 1, dtype=np.float64)
    shifted = (up + down)[:, :, None] - t
    forward, backward = shifted.copy(), shifted.copy()
    tiny = np.finfo(np.float64).eps ** 2 * (i + 1)

    def pivot(x: Any) -> Any:
        return np.where(np.abs(x) < tiny, tiny, x)

    for m in range(1, i + 1):
        forward[:, m] -= beside[:, m - 1] ** 2 / pivot(forward[:, m - 1])
        k = i - m
        backward[:, k] -= beside[:, k] ** 2 / pivot(backward[:, k + 1])
    forward, backward = pivot(forward), pivot(backward)
    twist = np.abs(forward + backward - shifted).argmin(axis=1)[:, None, :]
    place = np.arange(i + 1)[None, :, None]
    found = (place == twist).astype(np.float64)
    for m in range(1, i + 1):
        found[:, m] -= np.where(
            m > twist[:, 0], beside[:, m - 1] * found[:, m - 1] / backward[:, m], 0
        )
        k = i - m
        found[:, k] -= np.where(k < twist[:, 0], beside[:, k] * found[:, k + 1] / forward[:, k], 0)
    # The first entry of a column is positive, though it may be too small for a float.
    sign = np.where(place < twist, -np.sign(forward), 1).prod(axis=1)
    norm = np.sqrt((found**2).sum(axis=1)) * sign
    return np.asarray(found / norm[:, None, :])


def root_of_dimension(length: int, m: int) -> float:
    """The square root of dim S^(L-m,m).

    >>> root_of_dimension(4, 1) ** 2
    2.9999999999999996
    """
    return sqrt(Partition(length - m, m).dim)
