"""One layer of linear attention on independent tokens, in closed form for every length.

The operator is a block of bounded size for each of (L), (L - 1, 1), (L - 2, 2) and (L - 2, 1, 1),
with entries polynomial in L, alpha and beta (`linear_blocks`). With a length it has its exact
eigenvalues at no cost; without one the blocks stay polynomials (`linear_family`).

>>> family = linear_attention_spectrum(linear_attention(), length=None, vocabulary=2)
>>> [level.eigenvalue for level in family[1]]
[1/2*L^2*alpha^2*beta + L*alpha*beta^2, 1/2*L*alpha^2*beta - alpha^2*beta]
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, overload

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, NotSupported, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import fmpq, rational
from symbench.kernels.linear_attention import LinearAttention
from symbench.kernels.tangent import TangentKernel
from symbench.laws.exchangeable import IidLaw, Law, positive, read_law, sizes
from symbench.spectra.family import RING, LinearFamily, family_blocks
from symbench.spectra.levels import LinearSpectrum, levels_of_blocks
from symbench.spectra.linear_blocks import (
    Blocks,
    block_sizes,
    iid_blocks,
    mean_diagonal,
    quadratic,
    to_uniform,
    uniform_blocks,
)

# Rows of the largest block for a law that is not uniform: with numbers, and with variables.
_ROWS = 132
_SYMBOLIC_ROWS = 12


@overload
def linear_attention_spectrum(
    kernel: Any, *, length: int, vocabulary: int, law: Law | None = None
) -> LinearSpectrum: ...


@overload
def linear_attention_spectrum(
    kernel: Any, *, length: None, vocabulary: int, law: Law | None = None
) -> LinearFamily: ...


def linear_attention_spectrum(
    kernel: Any, *, length: int | None, vocabulary: int, law: Law | None = None
) -> LinearSpectrum | LinearFamily:
    """The exact nonzero spectrum of one layer of linear attention, or of its tangent kernel.

    The tokens are independent; law None is the uniform one, for which any vocabulary is free. The
    length is at least 4, and costs nothing; None keeps it as the variable L, and then alpha and
    beta may be variables too.

    >>> found = linear_attention_spectrum(
    ...     linear_attention(1, 1, readout="flatten"), length=10**6, vocabulary=50000
    ... )
    >>> found
    <LinearSpectrum of linear_attention(1, 1, readout='flatten'), length 1000000, ...: 11 levels>
    >>> [level.eigenvalue for level in found[Partition(10**6 - 2, 1, 1)]]
    [1/625000000]
    >>> skewed = linear_attention_spectrum(
    ...     linear_attention(1, 1), length=10**6, vocabulary=2, law=IidLaw("1/3", "2/3")
    ... )
    >>> [str(level.eigenvalue) for level in skewed[Partition(10**6 - 1, 1)]]
    ['4.938278914e+11..', '355555.0293..']
    """
    if not isinstance(kernel, (LinearAttention, TangentKernel)):
        raise BadType(f"{shown(kernel)} is not a kernel of linear attention")
    plain = kernel.covariance if isinstance(kernel, TangentKernel) else kernel
    if plain.causal or plain.readout == "last" or plain.layers != 1:
        raise NotSupported(
            f"{kernel!r}: closed forms are for one layer without a mask, and sum or flatten; "
            "spectrum(...) takes other kernels"
        )
    if length is None:
        return _family(kernel, plain, positive(vocabulary, "the vocabulary"), law)
    if plain.alpha is None or plain.beta is None:
        raise BadType(
            f"{kernel!r} has variables: give alpha and beta as exact numbers, or length=None for "
            "closed forms in L, alpha and beta"
        )
    L, V = sizes(length, vocabulary)
    if L < 4:
        raise BadValue(f"the length is {L}: closed forms are for at least 4; spectrum(...) has it")
    chosen = _iid(law, L, V, _ROWS)
    alpha, beta = fmpq(plain.alpha), fmpq(plain.beta)
    blocks, trace = _blocks(kernel, fmpq(L), alpha, beta, V, chosen, lambda x: fmpq(Rational(x)))
    levels = levels_of_blocks(blocks, L)
    return LinearSpectrum(kernel, L, V, chosen, levels, rational(trace))


def _family(
    kernel: LinearAttention | TangentKernel, plain: LinearAttention, V: int, law: Law | None
) -> LinearFamily:
    L, alpha, beta = RING.gens
    chosen = _iid(law, None, V, _SYMBOLIC_ROWS)
    alpha = alpha if plain.alpha is None else RING.coerce(plain.alpha)
    beta = beta if plain.beta is None else RING.coerce(plain.beta)
    blocks, trace = _blocks(kernel, L, alpha, beta, V, chosen, RING.coerce)
    return LinearFamily(kernel, V, chosen, family_blocks(blocks), trace)


def _iid(law: Law | None, length: int | None, V: int, most: int) -> IidLaw | None:
    """The law, None if it is uniform; one that makes no blocks of bounded size is refused."""
    if law is None:
        return None
    if not isinstance(law, IidLaw):
        read_law(law, length or 0, V)
        raise NotSupported(
            f"{shown(law)}: closed forms are for independent tokens; spectrum(...) takes other laws"
        )
    read_law(law, length or 0, V)
    if len(set(law.probabilities)) == 1:
        return None
    rows = max(block_sizes(V))
    if rows > most:
        raise TooLarge(
            f"the largest block has {rows} rows for {V} tokens of different probabilities, more "
            f"than {most}: take fewer tokens or the uniform law"
        )
    return law


def _blocks(
    kernel: LinearAttention | TangentKernel,
    L: Any,
    alpha: Any,
    beta: Any,
    V: int,
    law: IidLaw | None,
    number: Callable[[Any], Any],
) -> tuple[Blocks, Any]:
    """The blocks and the trace, in the arithmetic of L, alpha and beta."""
    q = quadratic(kernel, L, alpha, beta, number)
    share = Rational(1, V)
    if law is None:
        changed = quadratic(kernel, L, alpha, beta, number, to_uniform(L, number(share)))
        trace = mean_diagonal(q, L, number(share), number(share**2))
        return uniform_blocks(changed, L, V), trace
    p = [number(x) for x in law.probabilities]
    second, third = (number(sum(x**k for x in law.probabilities)) for k in (2, 3))
    return iid_blocks(q, L, p, number(0)), mean_diagonal(q, L, second, third)
