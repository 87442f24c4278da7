"""Section 5 and Appendix J: copying an unseen symbol, at the start of training."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symbench.exact import Rational
from symbench.learning.copying import BLOCKS, Copying, Slopes
from symbench.papers import _copying as by_hand
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.registry import Fails, NearMiss, claim

# tokens, how often each training token occurs, gamma, width, rates by block, heads and their width
Start = tuple[int, tuple[int, ...], Fraction, int, tuple[Fraction, ...], tuple[int, int]]
_PAGE = "proofs/boix2024/copying.md"
_HALF, _ONE, _ZERO = Rational(1, 2), Rational(1), Rational(0)
_IDENTITY = (_ZERO, _ZERO, _ZERO, _ZERO, _ONE)


def _shape(tokens: int, counts: tuple[int, ...], *_: Any) -> bool:
    return len(counts) < tokens


_is_start = record(
    integer(2),
    many(integer(1)),
    number(),
    integer(1),
    lambda rates: many(number(0), 5)(rates) and len(rates) == 5 and rates[4] == 0,
    record(integer(1), integer(1)),
    where=_shape,
)
_is_modified = record(
    integer(2),
    many(integer(1)),
    number(),
    integer(1),
    lambda rates: rates == _IDENTITY,
    record(integer(1), integer(1)),
    where=_shape,
)


def _starts() -> Iterator[Start]:
    for n, block in enumerate(BLOCKS[:4]):
        rates = tuple(Rational(int(b == block)) for b in BLOCKS)
        yield 3, (1, 1), _ONE, 1 + n % 2, rates, (1, 1)
    every = (_ONE, _HALF, Rational(2), Rational(3), _ZERO)
    yield 2, (1,), Rational(2), 1, every, (1, 1)
    yield 3, (2, 1), _HALF, 1, every, (1, 1)
    yield 3, (1, 1), _ONE, 2, every, (1, 1)
    yield 2, (3,), _ONE, 1, every, (2, 1)
    yield 3, (1,), _ZERO, 1, every, (1, 2)


def _drawn_start(st: Any, modified: bool) -> Any:
    shapes = st.sampled_from([(2, (1,)), (2, (3,)), (3, (1,)), (3, (1, 1)), (3, (2, 1))])
    value = st.fractions(min_value=0, max_value=3, max_denominator=3)
    rates = st.just(_IDENTITY) if modified else st.tuples(*[value] * 4, st.just(Fraction(0)))
    sizes = st.sampled_from([(1, 1), (1, 2), (2, 1)])
    return st.tuples(shapes, value, st.integers(1, 2), rates, sizes).map(
        lambda t: (*t[0], t[1], t[2], t[3], t[4])
    )


def _found(case: Start) -> tuple[Copying, dict[str, Fraction], Slopes] | Fails:
    """The library's slopes, if they are those of the network multiplied out."""
    tokens, counts, gamma, width, speeds, (heads, head_width) = case
    at_most(tokens * width, 8, "weights of W_E")
    at_most(width * heads * head_width, 4, "weights of W_O")
    rates = dict(zip(BLOCKS, speeds, strict=True))
    copying = Copying(tokens, width=width, gamma=gamma)
    found = copying.slopes(counts, rates=rates)
    wanted = by_hand.slopes(tokens, width, gamma, counts, rates, heads=heads, head_width=head_width)
    if tuple(found) != wanted:
        return Fails(f"the slopes are {wanted}, not {found}")
    return copying, rates, found


@claim(
    "boix2024.theorem-5.1",
    source="Theorem 5.1 = Theorem J.2 (informally Theorem 1.3); the constant at finite width is "
    "ours",
    wording="reconstructed",
    category="theorem",
    cases=_starts,
    boundary=(2, (1,), Rational(2), 1, (_ONE, _HALF, Rational(2), Rational(3), _ZERO), (1, 1)),
    strategy=drawn(lambda st: _drawn_start(st, False)),
    applies=_is_start,
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "one more parameter in each head is trained, as in Theorem 5.2",
            (3, (1, 1), _ONE, 2, (_ONE, _ZERO, _ZERO, _ZERO, _ONE), (1, 1)),
        ),
        NearMiss(
            "at a fixed width the loss does not decrease either",
            (3, (1, 1), _ONE, 1, (_ONE, _ZERO, _ZERO, _ZERO, _ZERO), (1, 1)),
            {"wide": False},
        ),
        NearMiss(
            "on a token of the training data",
            (3, (1,), _ONE, 2, (_ONE, _ZERO, _ZERO, _ZERO, _ZERO), (1, 1)),
            {"unseen": False},
        ),
    ],
)
def failure(case: Start, wide: bool = True, unseen: bool = True) -> bool | Fails:
    r"""For any learning rates such that $|\partial_t \mathcal{L}_{train}|_{t=0} = O(1)$, we must
    have $\partial_t \mathcal{L}_{test}|_{t=0} \ge -o(1)$ as $d_{emb} \to \infty$.

    At every width, for the mean tangent kernels at $f = 0$, $m$ tokens, $n$ training samples and
    $a = 1 - \frac1m$: $\partial_t \mathcal{L}_{test} \ge -\frac{n}{d_{emb}} \bigl(a +
    \frac{1}{a m^2}\bigr) |\partial_t \mathcal{L}_{train}|$, whatever the rates of $W_O$, $W_V$, $P$
    and $W_E$ are; in the limit the loss on the unseen token increases. The slopes are compared
    with those of the network multiplied out, differentiated by each weight.
    """
    found = _found(case)
    if isinstance(found, Fails):
        return found
    copying, rates, slopes = found
    tokens, counts, _, width, *_ = case
    own = 1 - Fraction(1, tokens)
    share = Fraction(sum(counts), width) * (own + 1 / (own * tokens**2)) if wide else Fraction(0)
    test = slopes.test if unseen else slopes.train
    if test < share * slopes.train:
        return Fails(f"the slope {test} is below {share} times {slopes.train}")
    limit = copying.limit(counts, rates=rates)
    last = limit.test if unseen else limit.train
    return last >= 0 or Fails(f"in the limit the slope is {last}")


def _modified() -> Iterator[Start]:
    for gamma, width in ((_ONE, 1), (_HALF, 2), (_ZERO, 1), (Rational(3), 2)):
        yield 3, (1, 1), gamma, width, _IDENTITY, (1, 1)
    yield 2, (1,), _HALF, 1, _IDENTITY, (1, 1)
    yield 3, (2, 1), _ONE, 2, _IDENTITY, (1, 1)
    yield 4, (1, 1), _ONE, 2, _IDENTITY, (2, 1)
    yield 3, (1,), Rational(2), 1, _IDENTITY, (2, 2)


@claim(
    "boix2024.theorem-5.2",
    source="Theorem 5.2 = Theorem J.3; the form at finite width is ours",
    wording="reconstructed",
    category="theorem",
    cases=_modified,
    boundary=(2, (1,), _HALF, 1, _IDENTITY, (1, 1)),
    strategy=drawn(lambda st: _drawn_start(st, True)),
    applies=_is_modified,
    proof=_PAGE,
    near_misses=[
        NearMiss("a vocabulary of one token", (1, (1,), _ONE, 1, _IDENTITY, (1, 1))),
        NearMiss(
            "at every width, however strong the positions are",
            (2, (1,), Rational(3), 1, _IDENTITY, (1, 1)),
            {"wide": False},
        ),
        NearMiss(
            "without training the parameter",
            (3, (1, 1), _ONE, 1, (_ONE, _ZERO, _ZERO, _ZERO, _ZERO), (1, 1)),
        ),
    ],
)
def success(case: Start, wide: bool = True) -> bool | Fails:
    r"""After reparametrizing the attention (10) so that in each head $W_O^\top W_V$ is replaced by
    $W_O^\top W_V + b_h I$ where $b_h$ is a trainable parameter, there are learning rates such that
    $|\partial_t \mathcal{L}_{train}|_{t=0} = O(1)$ and $\partial_t \mathcal{L}_{test}|_{t=0} =
    -\Omega(1)$ as $d_{emb} \to \infty$.

    With the learning rate $1/H$ of the $b_h$ and none of the others, and $m$ tokens, both slopes
    tend to $-(1 - \frac1m)^2$; at finite width they are those of the network multiplied out.
    """
    found = _found(case)
    if isinstance(found, Fails):
        return found
    copying, rates, slopes = found
    tokens, counts, *_ = case
    limit = copying.limit(counts, rates=rates) if wide else slopes
    wanted = -((1 - Fraction(1, tokens)) ** 2)
    if wide and limit != (wanted, wanted):
        return Fails(f"in the limit the slopes are {limit}")
    return limit.test < 0 or Fails(f"the slope of the test loss is {limit.test}")
