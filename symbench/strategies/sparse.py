"""Strategies for sparse Boolean functions, vectors of positions, and heads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from symbench.exact import Rational
from symbench.learning.targets import Target, conjunction, disjunction, majority, parity
from symbench.sparse import (
    Encoding,
    Head,
    boolean,
    equiangular,
    hadamard,
    head,
    orthonormal,
    random_signs,
    unbiased,
)
from symbench.strategies._bounds import bounds


def sparse_functions(*, min_sparsity: int = 1, max_sparsity: int = 3) -> st.SearchStrategy[Target]:
    """Boolean functions of the first s bits: AND, OR, parity, majority, and any table.

    >>> from hypothesis import find
    >>> find(sparse_functions(), lambda f: f.variables == 2).value((0, 1)) in (-1, 0, 1)
    True
    """
    low, high = bounds(min_sparsity, max_sparsity, "sparsity", floor=1)
    named = st.sampled_from([conjunction, disjunction, parity])
    sizes = st.integers(low, high)
    odd = [majority(s) for s in range(low, high + 1) if s % 2]
    tables = sizes.flatmap(lambda s: st.lists(st.integers(0, 1), min_size=2**s, max_size=2**s))
    plain: st.SearchStrategy[Target] = st.builds(lambda f, s: f(s), named, sizes)
    found = plain | st.sampled_from(odd) if odd else plain
    # A table that is constant depends on no bit.
    return found | tables.filter(lambda t: len(set(t)) > 1).map(boolean)


def encodings(*, min_length: int = 4, max_length: int = 64) -> st.SearchStrategy[Encoding]:
    """Unit vectors for positions: orthonormal ones, and several with a small coherence.

    >>> from hypothesis import find
    >>> find(encodings(), lambda encoding: encoding.coherence == 0).length
    4
    """
    low, high = bounds(min_length, max_length, "length", floor=1)
    small = [encoding for encoding in _named() if low <= encoding.length <= high]
    signs = st.builds(
        lambda length, seed: random_signs(length, 64, seed=seed),
        st.integers(low, high),
        st.integers(0, 99),
    )
    plain: st.SearchStrategy[Encoding] = st.integers(low, high).map(orthonormal)
    return (plain | st.sampled_from(small) if small else plain) | signs


@lru_cache(maxsize=1)
def _named() -> tuple[Encoding, ...]:
    return hadamard(1), equiangular(28), hadamard(2), unbiased(2)


def heads(*, max_sparsity: int = 3, max_length: int = 32) -> st.SearchStrategy[Head]:
    """Heads that compute a symmetric sparse function on orthonormal positions.

    >>> from hypothesis import find
    >>> find(heads(), lambda found: found.construction == "mean").certificate().check()
    True
    """
    _, most = bounds(1, max_sparsity, "sparsity", floor=1)
    _, high = bounds(most, max_length, "length", floor=1)
    named = st.sampled_from([conjunction, disjunction, parity])

    def made(f: Any, s: int, length: int, construction: str, base: int) -> Head:
        return head(f(s), max(s, length), construction=construction, base=Rational(base))

    return st.builds(
        made,
        named,
        st.integers(1, most),
        st.integers(1, high),
        st.sampled_from(["mean", "trainable", "bag"]),
        st.integers(2, 60),
    )
