"""How many samples invariant kernels need at least: N = Omega(L^m), the dimension of (L-m, m).

Spectra are compared with the characteristic polynomial of the operator over all words.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import factorial
from typing import Any

import flint

from symbench.papers import _by_hand as by_hand
from symbench.papers._by_hand import Q, fraction, rational
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.papers.lavie2024.learning import kernel_value, library_kernel
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import spectrum
from symbench.young import Partition

# kernel, layers, length, vocabulary, m
Scaling = tuple[str, int, int, int, int]
_INVARIANT = ("sum", "flatten", "equal", "uniform")


def _scalings(max_length: int = 12) -> Iterator[Scaling]:
    for name, layers in (("sum", 1), ("flatten", 1), ("flatten", 2), ("equal", 1), ("uniform", 1)):
        for length in (2, 3, 4, 5, 6, 9, 12) if layers == 1 else (3, 4, 8):
            for m in range(4):
                if m * (m + 1) <= length <= max_length:
                    yield name, layers, length, 2, m
    for name, m in product(("sum", "flatten"), (0, 1)):
        yield name, 1, 3, 3, m


def _fixed_m(_: str, layers: int, length: int, vocabulary: int, m: int) -> bool:
    return m * (m + 1) <= length


@claim(
    "lavie2024.omega-l-m",
    source='Poster, Theory: "N ~ lambda_(L-m,m)^-1 sigma^2 = Omega(L^m)"',
    category="claim",
    wording="our reading",
    cases=_scalings,
    boundary=("flatten", 1, 2, 2, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(_INVARIANT),
            st.integers(1, 2),
            st.integers(2, 14),
            st.just(2),
            st.integers(0, 3),
        )
    ),
    applies=record(
        one_of(*_INVARIANT), integer(1), integer(1), integer(2), integer(0), where=_fixed_m
    ),
    assumes=["lavie2024.sample-complexity", "lavie2024.dimension"],
    proof="proofs/symbench/kernel-lower-bound.md",
    near_misses=[
        NearMiss(
            "read uniformly in m, with the constant 50: m = L/2",
            ("equal", 1, 10, 2, 5),
            {"constant": 50},
        ),
        NearMiss(
            "a kernel that grows: lambda itself in place of lambda / E k(x, x)",
            ("sum", 1, 12, 2, 1),
            {"normalised": False},
        ),
    ],
)
def omega(case: Scaling, constant: int | None = None, normalised: bool = True) -> bool | Fails:
    r"""Printed: "The result is an asymptotic bound on the sample complexity: $N \simeq
    \lambda_{(L-m,m)}^{-1} \sigma^2 = \Omega(L^m)$." Read as: for each fixed $m$, with one constant
    for all $L$ and for all invariant kernels with $\mathbb{E} k(x, x) = 1$. Every eigenvalue of
    $(L-m, m)$ has $\lambda^{-1} \ge \dim$, and $\dim \ge L^m / (2\, m!)$ from $L \ge m(m+1)$ on.
    Looked at for transformers of linear attention, softmax attention at scale 0 (uniform), and the
    kernel that only remembers, $1[x = y]$. By the trace it holds for softmax attention at every
    scale; that bounds are attained there is another claim.
    """
    name, layers, length, vocabulary, m = case
    at_most(layers, 3, "layers")
    at_most(length, 24, "positions")
    at_most(vocabulary**length, 3**4 if vocabulary > 2 else 2**24, "words")
    dim = by_hand.two_row_dimension(length, m)
    decomposed, operator = _decomposed(name, layers, length, vocabulary)
    piece = decomposed[Partition(length - m, m)]
    trace = _mean_diagonal(name, layers, length, vocabulary)
    if rational(decomposed.trace) != trace or piece.dimension != dim:
        return Fails(f"E k(x, x) = {trace}, dim = {dim}: not {decomposed.trace}, {piece.dimension}")
    least = Fraction(length**m, 2 * factorial(m) if constant is None else constant)
    whole = fraction(trace) if normalised else Fraction(1)
    if not operator:
        return Fails("the blocks do not have the characteristic polynomial of the operator")
    for value in piece.eigenvalues:
        if constant is None and normalised and value > whole / dim:
            return Fails(f"the eigenvalue {value} is above {whole} / {dim}")
        if value > whole / least:
            return Fails(f"1 / lambda = {whole} / {value} is less than {least}")
    return True


def _mean_diagonal(name: str, layers: int, length: int, vocabulary: int) -> Q:
    """The mean of k(x, x), uniform words, by the number of times that each token occurs."""
    total = Q(0)
    for counts in by_hand.counts_of_samples(range(vocabulary), length):
        word = tuple(token for token, n in counts.items() for _ in range(n))
        ways = factorial(length)
        for n in counts.values():
            ways //= factorial(n)
        total += Q(ways, vocabulary**length) * rational(kernel_value(name, word, word, layers))
    return total


@lru_cache(maxsize=32)
def _decomposed(name: str, layers: int, length: int, vocabulary: int) -> tuple[Any, bool]:
    """The spectrum, and whether its blocks, as often as their dimensions say, are the operator.

    The characteristic polynomial over all words is compared for up to 32 of them.
    """
    decomposed = spectrum(library_kernel(name, layers), length=length, vocabulary=vocabulary)
    if vocabulary**length > 32:
        return decomposed, True
    words = by_hand.words_over(vocabulary, length)
    K = by_hand.gram(lambda x, y: kernel_value(name, x, y, layers), words) / len(words)
    found = flint.fmpq_poly([1])
    for piece in decomposed.pieces:
        block = flint.fmpq_poly([rational(c) for c in piece.block.charpoly()])
        found *= block**piece.dimension
    return decomposed, bool(K.charpoly() == found)
