"""How many samples invariant kernel regression needs at least, whatever the kernel.

Average (gf) x (gf) over the permutations g of a group G, all permutations of positions or fewer:
an operator C_f on L2(p) with eigenvalues c_1 >= c_2 >= ... that add up to |f|^2. If kernel and law
are invariant under G, then any predictor from N samples in the span of the kernel sections at the
samples, with coefficients that do not change when all samples are permuted at once, has expected
squared error at least c_(N+1) + c_(N+2) + ...: the span has N dimensions, and it is the same for
every gf. No spectrum, ridge or noise enters.

A smaller group gives a weaker bound: C_f of the larger one is an average of conjugates of C_f of
the smaller one, and the sum of the N largest eigenvalues is convex.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, NamedTuple

import attrs

from symbench._arguments import flag, integer, integers, shown
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadShape
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.learning.numbers import number, numbers
from symbench.learning.orbit_average import orbit_average
from symbench.learning.targets import Target
from symbench.young import Partition


def lower_bound(
    target: Target, *, length: int, samples: int, law: Any = None, group: Any = None
) -> Rational:
    """The least expected squared error of kernel regression from N samples, by symmetry alone.

    It holds for every kernel with k(gx, gy) = k(x, y) for g in the group (None is S_L), every
    ridge and every label noise; it is the exact sum of the eigenvalues of `orbit_average` after
    the first N.

    >>> lower_bound(targets.parity(3), length=10, samples=30)
    3/4
    >>> lower_bound(targets.parity(2), group="cyclic", length=6, samples=2)
    2/3
    >>> lower_bound(targets.parity(2), group=(3, 1), length=4, samples=1)
    2/3
    >>> lower_bound(targets.parity(2), length=5, samples=0.5)
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: samples is 0.5, a float: give an integer
    """
    return orbit_average(target, length=length, law=law, group=group).tail(samples)


def samples_needed(
    target: Target,
    *,
    length: int,
    error: Any,
    law: Any = None,
    group: Any = None,
    relative: bool = False,
) -> int:
    """The smallest number of samples for which `lower_bound` is at most the error.

    With fewer samples no invariant kernel regression reaches the error; with as many it may or
    may not. The error is the expected squared one, with relative=True a part of |f|^2.

    >>> samples_needed(targets.conjunction(3), length=10**6, error="1/100")
    59999820000120000
    >>> [samples_needed(targets.parity(s), length=100, error="1/2") for s in range(4)]
    [1, 50, 2475, 80850]
    >>> samples_needed(targets.majority(5), length=5, error=0)  # symmetric: one eigenvalue
    1
    """
    part, goal = flag(relative, "relative"), number(error, "the error", at_least=0)
    average = orbit_average(target, length=length, law=law, group=group)
    return average.samples(goal * average.norm if part else goal)


def token_bound(vocabulary: int, samples: int, *, labels: Any = (0, 1)) -> Rational:
    """The least expected squared error on "x_1 is this token", for token-symmetric kernels.

    Words are uniform over m tokens; the labels are that of all other tokens and that of the token.
    To a kernel that does not know the names of tokens all m are alike: the orbit average under
    the permutations of tokens has m eigenvalues, and all but the N largest are the bound, at least
    (1 - N/(m - 1)) Var f, symbench.token-costs-vocabulary.

    >>> [str(token_bound(1000, n, labels=(-1, 1))) for n in (1, 500, 1000)]
    ['999/250000', '1/500', '0']
    >>> token_bound(1000, 10, labels=[1])
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: labels is [1]: give two, that of the other tokens and that of ...
    """
    m = integer(vocabulary, "the vocabulary", at_least=1)
    count = integer(samples, "samples", at_least=0)
    both = numbers(labels, "labels")
    if len(both) != 2:
        raise BadShape(
            f"labels is {shown(labels)}: give two, that of the other tokens and that of the token"
        )
    other, own = both
    constant, level = (other + (own - other) / m) ** 2, ((own - other) / m) ** 2
    if constant >= level:  # the constant functions are the first to go
        left = min(m - count, m - 1)
        return Rational(max(left, 0) * level + (constant if count == 0 else 0))
    return Rational(max(m - 1 - count, 0) * level + (constant if count < m else 0))


class Threshold(NamedTuple):
    """Samples needed to learn a function in one copy of (L - m, m): ceil((1 - error) dim)."""

    length: int
    m: int
    dimension: int
    samples: int


@attrs.frozen(repr=False)
class ThresholdTable(Shown):
    """The thresholds for some lengths and numbers m, for one relative error.

    >>> print(threshold_table([10, 1000, 10**6], [1, 2, 3], error="1/10"))
    L        m = 1   m = 2         m = 3
    10       9       32            68
    1000     900     448650        149100750
    1000000  900000  449998650000  149999100000750000
    """

    error: Rational
    rows: tuple[Threshold, ...]

    def __repr__(self) -> str:
        return self.table()

    def table(self) -> str:
        """As text: a row for each length; a dash where (L - m, m) is no partition."""
        lengths = sorted({row.length for row in self.rows})
        ms = sorted({row.m for row in self.rows})
        at = {(row.length, row.m): row.samples for row in self.rows}
        lines = [["L", *(f"m = {m}" for m in ms)]]
        lines += [[number_text(n), *(_short(at.get((n, m))) for m in ms)] for n in lengths]
        return columns_text(lines)


def threshold_table(lengths: Iterable[int], ms: Iterable[int], *, error: Any = 0) -> ThresholdTable:
    """The least number of samples for a function in one copy of (L - m, m), for all L and m given.

    The error is relative to |f|^2; pairs with 2m > L are left out.

    >>> table = threshold_table([4, 10], [2], error="1/2")
    >>> [(row.length, row.m, row.dimension, row.samples) for row in table.rows]
    [(4, 2, 2, 1), (10, 2, 35, 18)]
    """
    goal = number(error, "the error", at_least=0)
    sizes, numbers = integers(lengths, "lengths", at_least=1), integers(ms, "ms", at_least=0)
    rows = []
    for length, m in product(sizes, numbers):
        if 2 * m <= length:
            dim = Partition(length - m, m).dim
            least = -int((goal - 1) * dim // 1) if goal < 1 else 0
            rows.append(Threshold(length, m, dim, least))
    return ThresholdTable(goal, tuple(rows))


def _short(number: int | None) -> str:
    if number is None:
        return "-"
    digits = number_text(number)
    return digits if len(digits) <= 24 else f"{digits[0]}.{digits[1:4]}e{len(digits) - 1}"
