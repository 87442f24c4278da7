"""Blocks for binary words in floats: sums against orthonormal Hahn polynomials.

Let e_i be the unit vector of the copy of S^(L-m,m) on the words of weight i, chosen along the
raising operator. The 0/1 matrices of pairs of words with weights i, j and t common ones are
orthogonal, so <e_i, A_t e_j> = sqrt(N_t / dim S^(L-m,m)) u_m(t), N_t the number of such pairs and u
an orthogonal matrix: u_m is sqrt(w_t) times a polynomial of degree m that is orthonormal for the
hypergeometric law w_t = N_t / sum N, and positive where t is largest. With P_i the probability of
weight i the symmetric block is

    S_ij = sqrt(P_i P_j / dim S^(L-m,m)) sum over t of k_ij(t) sqrt(w_t) u_m(t),

in which nothing is larger than the kernel: rounding errors stay below the largest value times the
precision. For each t the numbers u_m(t) solve a recurrence in m. Both ends are binomials, and a
solution keeps its digits from either end to where it oscillates; the two are joined in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb, sqrt

from symbench.draw.progress import progress
from symbench.exact.arrays import Floats, Integers, np
from symbench.young import Partition


def pair_tables(length: int, i: int, *, symmetric: bool) -> Integers:
    """The tables of pairs of words that are seen from weight i, indexed by (case, b - i, t).

    The weights of the two words are (i, b) and (b, L - i) for b = i, ..., L - i, and for a kernel
    that is not symmetric also (b, i) and (L - i, b); t counts from the least common ones.

    >>> pair_tables(2, 1, symmetric=True)[0, 0].tolist()
    [[[0, 1], [1, 0]], [[1, 0], [0, 1]]]
    """
    L = length
    b = np.arange(i, L - i + 1)[:, None] + np.zeros(i + 1, dtype=np.int64)
    low, high = np.full_like(b, i), np.full_like(b, L - i)
    pairs = [(low, b), (b, high)]
    pairs += [] if symmetric else [(b, low), (high, b)]
    x, y = (np.stack(weights) for weights in zip(*pairs, strict=True))
    t = np.maximum(0, x + y - L) + np.arange(i + 1)
    return np.stack([L - x - y + t, y - t, x - t, t], axis=-1).reshape(*t.shape, 2, 2)


def float_blocks(length: int, values: Sequence[Floats], *, mirrored: bool) -> list[Floats]:
    """For each m the matrix of sqrt(dim) times what multiplies sqrt(P_i P_j), weights m to L - m.

    The values are those on `pair_tables` of each i up to L/2. The polynomials are computed for
    j <= L/2 and reflected, or with mirrored=True for j >= L/2 and reflected: two computations.

    >>> ones = [np.ones(pair_tables(2, i, symmetric=True).shape[:3]) for i in range(2)]
    >>> first, second = float_blocks(2, ones, mirrored=False)
    >>> first.round(12).tolist(), abs(second.round(12)).tolist()
    ([[1.0, 1.0, 1.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], [[0.0]])
    """
    L = length
    blocks = [np.zeros((L - 2 * m + 1, L - 2 * m + 1)) for m in range(L // 2 + 1)]
    work = [(i + 1) ** 2 * (L - 2 * i + 1) for i in range(len(values))]
    with progress(f"blocks of length {L}", sum(work)) as report:
        for i, known in enumerate(values):
            sums = _sums(L, i, known, mirrored)
            (across, down), (across_back, down_back) = sums[:2], sums[-2:]
            for m in range(i + 1):
                low, high = i - m, L - i - m
                blocks[m][low, low : high + 1] = across[m]
                blocks[m][low : high + 1, low] = across_back[m]
                blocks[m][low : high + 1, high] = down[m]
                blocks[m][high, low : high + 1] = down_back[m]
            report(work[i])
    return blocks


def _sums(L: int, i: int, known: Floats, mirrored: bool) -> Floats:
    """The sums of the values against the polynomials, indexed by (case, m, b - i).

    Complements of one word turn t around, and with it the sign of the odd polynomials.
    """
    computed = range(L - L // 2, L - i + 1) if mirrored else range(i, L // 2 + 1)
    u = hahn_vectors(L, i, computed)
    signs = (-1.0) ** np.arange(i + 1)
    here = np.array(computed) - i
    there = L - 2 * i - here
    found = np.empty((len(known), i + 1, known.shape[1]))
    for case, array in enumerate(known):
        # With a word of weight L - i the polynomials are those of its complement.
        plain, turned = (here, there) if case % 2 == 0 else (there, here)
        both = np.stack([array[plain], array[turned][:, ::-1]], axis=2) * u[:, 0, :, None]
        sums = u @ both
        found[case, :, turned] = sums[:, :, 1] * signs
        found[case, :, plain] = sums[:, :, 0]
    return found


def hahn_vectors(L: int, i: int, weights: range) -> Floats:
    """The matrices u for weights i and j: entry [place of j][m][t], t = 0, ..., i <= j <= L - i.

    u_m(t) is a coefficient of the coupling of spins i/2 and (L - i)/2, with t - i/2 and
    j - t - (L - i)/2 along the axis, to the spin L/2 - m. It oscillates in m where these can be
    sides of a triangle (Ponzano and Regge), and the middle is where the triangle has a right angle.

    >>> import numpy as np
    >>> found = hahn_vectors(9, 3, range(3, 5))
    >>> found.shape, bool(np.allclose(found @ found.transpose(0, 2, 1), np.eye(4)))
    ((2, 4, 4), True)
    >>> (found[0, 0] ** 2 * 84).round(9).tolist()  # C(3, t) C(6, 3 - t)
    [20.0, 45.0, 18.0, 1.0]
    """
    t = np.arange(i + 1)
    j = np.array(weights)[:, None]
    n = t.astype(np.float64)
    # The recurrence of Hahn polynomials; the last divisor vanishes only where nothing follows.
    up = (L + 1 - n) * (j - n) * (i - n) / ((L + 1 - 2 * n) * np.maximum(L - 2 * n, 1))
    down = n * (L + 1 - i - n) * (L + 1 - j - n) / ((L + 2 - 2 * n) * (L + 1 - 2 * n))
    middle, beside = up + down, np.sqrt(up[:, :-1] * down[:, 1:])
    inside = np.array([float(comb(i, k)) for k in range(i + 1)])
    outside = np.array([float(comb(L - i, k)) for k in range(L - i + 1)])[j - t]
    first = _unit(np.sqrt(inside * outside))
    last = _unit(np.sqrt(inside / outside) * (-1.0) ** (i - t))
    # The squares of the parts of the three spins that are across the axis: the third is the sum.
    axis = j - L / 2
    across = (i + 1) ** 2 / 4 - (t - i / 2) ** 2
    across = across + (L - i + 1) ** 2 / 4 - (axis - t + i / 2) ** 2
    turn = np.clip(np.rint((L + 1) / 2 - np.sqrt(axis**2 + across)), 0, i)
    low, high = int(turn.min()), int(turn.max())
    found = np.empty((i + 1, len(j), i + 1))
    # From the last down to the lowest turn, and from the first up to the highest.
    found[i] = last
    for m in range(i, low, -1):
        step = (n - middle[:, m : m + 1]) * found[m]
        if m < i:
            step -= beside[:, m : m + 1] * found[m + 1]
        np.divide(step, beside[:, m - 1 : m], out=found[m - 1])
    below, here = first, first
    for m in range(high + 1):
        np.copyto(found[m], here, where=turn >= m)
        if m < high:
            step = (n - middle[:, m : m + 1]) * here
            if m > 0:
                step -= beside[:, m - 1 : m] * below
            below, here = here, step / beside[:, m : m + 1]
    return found.transpose(1, 0, 2)


def _unit(rows: Floats) -> Floats:
    """The rows, each with norm 1."""
    return np.asarray(rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)))


def root_of_dimension(length: int, m: int) -> float:
    """The square root of dim S^(L-m,m).

    >>> root_of_dimension(4, 1) ** 2
    2.9999999999999996
    """
    return sqrt(Partition(length - m, m).dim)
