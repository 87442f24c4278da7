"""The critical width of copying: a wider model copies worse, in closed form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from symbench.exact import Rational
from symbench.learning.copying import Copying
from symbench.papers import _copying as by_hand
from symbench.papers._cases import at_most, drawn, integer, number, record
from symbench.registry import Fails, NearMiss, claim

# tokens, training tokens, gamma, width
Width = tuple[int, int, Fraction, int]
_HALF, _ONE, _TWO = Rational(1, 2), Rational(1), Rational(2)


def _widths() -> Iterator[Width]:
    for width in range(1, 4):
        yield 3, 2, _HALF, width
    yield 2, 1, _ONE, 1  # the critical width itself: the slope is 0
    yield 2, 1, _TWO, 1
    yield 3, 1, _ONE, 1
    yield 3, 1, _ONE, 2
    yield 5, 2, _ONE, 3
    yield 5, 2, _ONE, 4
    yield 8, 4, _ONE, 1
    yield 8, 4, _ONE, 2


def _drawn_width(st: Any) -> Any:
    gamma = st.fractions(min_value=Fraction(1, 3), max_value=3, max_denominator=3)
    sizes = st.sampled_from([(2, 1), (3, 1), (3, 2), (4, 2), (6, 1)])
    return st.tuples(sizes, gamma, st.integers(1, 3)).map(lambda t: (*t[0], t[1], t[2]))


@claim(
    "symbench.copy-width",
    source="Theorem of symbench: the inverse scaling of boix2024, Section 5, at finite width",
    category="theorem",
    cases=_widths,
    boundary=(2, 1, _ONE, 1),
    strategy=drawn(_drawn_width),
    applies=record(
        integer(2),
        integer(1),
        number(),
        integer(1),
        where=lambda m, n, gamma, _: n < m and gamma != 0,
    ),
    proof="proofs/symbench/copy-width.md",
    near_misses=[
        NearMiss("without positions", (3, 1, Rational(0), 2)),
        NearMiss("the slope is that of infinite width", (8, 4, _ONE, 2), {"infinite": True}),
        NearMiss(
            "the added parameter of Theorem 5.2 is trained, not W_O",
            (3, 1, _TWO, 1),
            {"rates": {"b": 1}},
        ),
        NearMiss("both are trained", (3, 2, _HALF, 2), {"rates": {"O": 1, "b": 1}}),
    ],
)
def copy_width(
    case: Width, infinite: bool = False, rates: Mapping[str, int] | None = None
) -> bool | Fails:
    r"""Let $W_O$ begin with 0, so that the network's output is 0, $m \ge 2$ and $\gamma \ne 0$.
    The mean slope of the loss on an unseen token at the start of training is, at the rate 1 of
    $W_O$, $\frac{\gamma^2}{m} - \frac{(m-1)^2 + 1}{m^2 d_{emb}}$: copying improves if and only if
    $$d_{emb} < \frac{(m-1)^2 + 1}{m \gamma^2},$$
    and the slope increases strictly with $d_{emb}$, whatever the training tokens are. Checked
    against the network multiplied out, each weight differentiated.
    """
    tokens, seen, gamma, width = case
    at_most(tokens * width, 20, "weights of W_E")
    speeds = {"O": 1} if rates is None else rates
    copying = Copying(tokens, width=width, gamma=gamma)
    found = (copying.limit if infinite else copying.slopes)(seen, rates=speeds)
    moving = {name: Fraction(speed) for name, speed in speeds.items()}
    wanted = by_hand.slopes(tokens, width, gamma, (1,) * seen, moving, begins_with_zero=True)
    if tuple(found) != wanted:
        return Fails(f"the slopes are {wanted}, not {found}")
    critical = copying.critical_width(rates=speeds)
    if critical is None:
        return Fails("the slope of the test loss has one sign at all widths")
    if (found.test < 0) != (width < critical):
        return Fails(f"the slope is {found.test}, the critical width {critical}")
    wider = Copying(tokens, width=width + 1, gamma=gamma).slopes(seen, rates=speeds)
    if not found.test < wider.test:
        return Fails(f"the slope falls from {found.test} to {wider.test}")
    return critical * tokens * gamma**2 == (tokens - 1) ** 2 + 1 or Fails(
        f"the critical width is {critical}"
    )
