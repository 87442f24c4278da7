"""One layer of linear attention on uniform words, in closed form for every length and vocabulary.

Let s = 1/V, tau_ab = V 1[x_a = y_b] - 1, S = sum_a tau_aa and T = sum_ab tau_ab. The kernel is
(r0 + r1 T + r2 S)(c0 + c1 T + c2 S), where c0 = alpha^2 s L^2 + 2 alpha beta s L + beta^2 L,
c1 = alpha^2 s and c2 = 2 alpha beta s. Sum pooling has r0 = alpha s L^2 + beta L, r1 = alpha s and
r2 = 0; flatten has r0 = alpha s L + beta L, r1 = 0 and r2 = alpha s.

tau is the reproducing kernel of the space H of functions of a token with mean zero, of dimension
V - 1. The product of two functions of H is a constant and a function m of H, and
tau^2 = (V - 2) tau + (V - 1) says that m m* = V - 2. The kernel sees 1, sums of functions f(x_a),
f in H, and sums of G(x_a, x_c), G in H x H. On these, T and S and their products act by blocks of
size at most 2 whose entries are polynomials in L: G couples to 1 by its trace and to H by m.
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.errors import BadType, BadValue, NotSupported, UnknownName
from symbench.exact import Matrix, Rational
from symbench.exact.rational import number_text, shown
from symbench.kernels.linear_attention import LinearAttention
from symbench.spectra.decomposition import Level
from symbench.spectra.law import sizes
from symbench.spectra.roots import Eigenvalue, compare, eigenvalues
from symbench.young import Partition
from symbench.young.partition import as_partition

# A block, and in how many copies of the irreducible it occurs.
Blocks = list[tuple[list[list[Any]], int]]


@attrs.frozen(repr=False)
class LinearSpectrum:
    """The nonzero eigenvalues; `linear_attention_spectrum(...)` makes one.

    `levels` has the irreducibles in the order of partitions, each with its largest eigenvalue
    first; everything else in the V^L dimensions has eigenvalue 0.
    """

    kernel: LinearAttention
    length: int
    vocabulary: int
    levels: tuple[Level, ...]
    trace: Rational
    exactness = "exact"

    def __repr__(self) -> str:
        size = f"length {number_text(self.length)}, vocabulary {number_text(self.vocabulary)}"
        return f"<LinearSpectrum of {self.kernel!r}, {size}: {len(self.levels)} levels>"

    def __getitem__(self, partition: Any) -> tuple[Level, ...]:
        wanted = as_partition(partition, "the partition")
        if wanted.size != self.length:
            raise UnknownName(f"{wanted!r} is no partition of the length {self.length}")
        return tuple(level for level in self.levels if level.partition == wanted)


def linear_attention_spectrum(kernel: Any, *, length: int, vocabulary: int) -> LinearSpectrum:
    """The exact nonzero spectrum of one layer of linear attention under the uniform law.

    The length is at least 4; neither it nor the vocabulary costs anything.

    >>> from symbench.kernels import linear_attention
    >>> found = linear_attention_spectrum(
    ...     linear_attention(1, 1, readout="flatten"), length=10**6, vocabulary=50000
    ... )
    >>> found
    <LinearSpectrum of linear_attention(1, 1, readout='flatten'), length 1000000, ...: 11 levels>
    >>> [level.eigenvalue for level in found[Partition(10**6 - 2, 1, 1)]]
    [1/625000000]
    """
    if not isinstance(kernel, LinearAttention):
        raise BadType(f"{shown(kernel)} is not a kernel of linear attention")
    if kernel.causal or kernel.readout == "last" or kernel.layers != 1:
        raise NotSupported(
            f"{kernel!r}: closed forms are for one layer without a mask, and sum or flatten; "
            "spectrum(...) takes other kernels"
        )
    if kernel.alpha is None or kernel.beta is None:
        raise BadType(f"{kernel!r} has variables: give alpha and beta as exact numbers")
    L, V = sizes(length, vocabulary)
    if L < 4:
        raise BadValue(f"the length is {L}: closed forms are for at least 4; spectrum(...) has it")
    levels = []
    for shape, blocks in _blocks(kernel, L, V).items():
        found: dict[Eigenvalue, int] = {}
        for rows, copies in blocks:
            for value, times in eigenvalues(Matrix(rows)) if copies else ():
                found[value] = found.get(value, 0) + times * copies
        for value in sorted(found, reverse=True):
            if compare(value, 0) != 0:
                levels.append(Level(shape, value, found[value] * shape.dim))
    return LinearSpectrum(kernel, L, V, tuple(levels), _trace(kernel, L, V))


def _blocks(kernel: LinearAttention, L: int, V: int) -> dict[Partition, Blocks]:
    alpha, beta, s = Rational(kernel.alpha or 0), Rational(kernel.beta or 0), Rational(1, V)
    c0 = alpha**2 * s * L**2 + 2 * alpha * beta * s * L + beta**2 * L
    c1, c2 = alpha**2 * s, 2 * alpha * beta * s
    if kernel.readout == "sum":
        r0, r1, r2 = Rational(alpha * s * L**2 + beta * L), Rational(alpha * s), Rational(0)
    else:
        r0, r1, r2 = Rational(alpha * s * L + beta * L), Rational(0), Rational(alpha * s)
    # The coefficients of T, S, TT, TS and SS in the kernel.
    t, o, tt, ts, ss = r0 * c1 + r1 * c0, r0 * c2 + r2 * c0, r1 * c1, r1 * c2 + r2 * c1, r2 * c2
    W = V - 2
    # In Sym^2 H: the constant, the image of m (none for V = 2), and the rest.
    symmetric, alternating = V * (V - 1) // 2, (V - 1) * W // 2
    image = V - 1 if V > 2 else 0
    # H alone where nothing couples to it.
    alone = V - 1 - image

    up = tt * L + ts
    pairs = 2 * (L - 1) * up + 2 * ss
    single = t * L + o + W * (up + ss)
    one = r0 * c0 + (V - 1) * L * (up + ss)
    whole: Blocks = [
        ([[one, 2 * L * (L - 1) * (V - 1) * up], [up, pairs]] if V > 1 else [[one]], 1),
        ([[single, 2 * (L - 1) * W * up], [up, pairs]], image),
        ([[single]], alone),
        ([[pairs]], max(0, symmetric - 1 - image)),
    ]
    pairs = (L - 2) * ts + 2 * ss
    single = o + W * (ts + ss)
    standard: Blocks = [
        ([[single, (L - 2) * W * ts], [ts, pairs]], image),
        ([[single]], alone),
        ([[pairs]], symmetric - image),
        ([[L * ts + 2 * ss]], alternating),
    ]
    return {
        Partition(L): whole,
        Partition(L - 1, 1): standard,
        Partition(L - 2, 2): [([[2 * ss]], symmetric)],
        Partition(L - 2, 1, 1): [([[2 * ss]], alternating)],
    }


def _trace(kernel: LinearAttention, L: int, V: int) -> Rational:
    """E k(x, x), from the moments of n . n = L + (pairs of positions with equal tokens)."""
    alpha, beta = Rational(kernel.alpha or 0), Rational(kernel.beta or 0)
    mean = L + Rational(L * (L - 1), V)
    if kernel.readout == "flatten":
        norm = alpha**2 * mean + 2 * alpha * beta * L + beta**2 * L
        return Rational(L * (alpha + beta) * norm)
    # Pairs of positions are equal independently two by two: only a pair with itself varies.
    variance = 2 * L * (L - 1) * Rational(V - 1, V**2)
    rest = 2 * alpha * beta * L + beta**2 * L
    return Rational(
        alpha**3 * (mean**2 + variance) + (alpha * rest + alpha**2 * beta * L) * mean
        + beta * L * rest
    )  # fmt: skip
