"""Softmax attention learns single tokens as fast as its symmetry allows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from symbench.errors import TooLarge, Undecided
from symbench.exact import Rational
from symbench.papers._cases import number, record
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra.softmax_limit import softmax_tightness

# alpha, beta, scale
Case = tuple[Rational, Rational, Rational]
_BITS = (64, 256)


def _case(*numbers: int) -> Any:
    return tuple(map(Rational, numbers))


def _cases(max_value: int = 2) -> Iterator[Case]:
    numbers = [Rational(1, 2), *map(Rational, range(1, max_value + 1))]
    yield from product(numbers, [Rational(0), *numbers], numbers)


def _above_the_bound(case: Case) -> bool | Fails:
    """The variant in which the limit is one: all of the trace on (L - 1, 1)."""
    found = softmax_tightness(case[0], case[1], scale=case[2])
    return bool(2 * found >= 1) or Fails(f"the bound is {found.str(6, radius=False)}")


@claim(
    "symbench.softmax-tight",
    source="Theorem of symbench; lavie2024 asks how tight the bound is",
    category="theorem",
    cases=_cases,
    boundary=_case(1, 0, 1),
    applies=record(number(above=0), number(0), number(above=0)),
    proof="proofs/symbench/softmax-tight.md",
    near_misses=[
        NearMiss("tokens are not embedded: alpha = 0", _case(0, 1, 1)),
        NearMiss("uniform attention: scale = 0", _case(1, 1, 0)),
        NearMiss("half of the trace or more", _case(1, 1, 1), _above_the_bound),
    ],
)
def softmax_tight(case: Case) -> bool | Fails:
    r"""One layer of softmax attention with $\alpha > 0$, $\beta \ge 0$, a scale $s > 0$ and an own
    readout for each position, on uniform words of two tokens: on the irreducible $(L-1, 1)$
    $\liminf_L \lambda \dim / \mathrm{tr} \ge (D(1) - D(\rho)) / (2 D(1)) > 0$, where
    $D(r) = \mathbb{E}[\sigma(u)\sigma(v)]$, $\sigma$ the logistic function, for Gaussians of
    variance $2 s^2 \alpha (\alpha + \beta)$ and correlation $r$, and
    $\rho = \beta/(\alpha + \beta)$. So the bound $\lambda \le \mathrm{tr} / \dim$ is tight there
    up to a constant. That the number is positive is shown by balls.
    """
    alpha, beta, scale = case
    if alpha == 0 or scale == 0:
        return Fails("the Gaussians have variance 0, so D(1) = D(rho) = 1/4, and the bound is 0")
    try:
        if any(softmax_tightness(alpha, beta, scale=scale, bits=bits) > 0 for bits in _BITS):
            return True
    except TooLarge as error:
        raise Undecided(str(error)) from None
    raise Undecided(f"the bound is not seen to be positive with {_BITS[-1]} bits")
