"""Softmax attention: the kernel of transformers with many heads, all queries, at finite variances.

Embeddings have the covariance K_ab = alpha 1[x_a = y_b] + beta 1[a = b], as for linear attention.
The scores of many softmax heads are Gaussian, with covariance scale^2 K_ab K_cd between query a,
key c of x and query b, key d of y, and a layer maps K to

    K'_ab = E[sum over c, d of smax(s_a)_c K_cd smax(s_b)_d].

K_aa is alpha + beta inside one string, so K'_ab depends on the two queries only through their
correlation rho = K_ab / (alpha + beta), one of four numbers: K'_ab = H_rho(x, y). A readout adds
these up as in `linear_attention`. There is no closed form: values are floats, which two lattices
agree on. With the readouts "sum" and "flatten" they depend on the strings' contingency table alone;
with "last" also on whether the last tokens agree.

>>> value = softmax_attention(1, 1).value("AB", "AA")
>>> print(value, value.exactness)
4.29817 float
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import attrs

from symbench._arguments import integer, shown
from symbench.errors import BadValue, NotSupported
from symbench.exact import Rational
from symbench.exact.rational import exact_parameter, number_source
from symbench.kernels.base import OnStrings, last_apart
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.float_value import FloatValue
from symbench.kernels.linear_attention import check_last, readout_of
from symbench.kernels.tables import Table, added, counts_of, of_diagram, places_of
from symbench.young.position_groups import YoungSubgroup

if TYPE_CHECKING:
    from symbench.kernels.softmax.averages import Logits
else:
    Logits = Any

# How often each correlation of queries is asked for.
Combination = dict[Fraction, int]

_DIGITS = 6
# Positive parameters outside of this range are no use to doubles.
_SMALLEST, _LARGEST = Fraction(1, 10**30), Fraction(10**30)


def _variance(value: Any, what: str) -> Rational:
    number = exact_parameter(value, what, at_least=0)
    if number and not _SMALLEST <= number <= _LARGEST:
        raise BadValue(f"{what} is {shown(number)}: give 0 or a number from 10^-30 to 10^30")
    return number


def _alpha(value: Any) -> Rational:
    return _variance(value, "alpha")


def _beta(value: Any) -> Rational:
    return _variance(value, "beta")


def _scale(value: Any) -> Rational:
    return _variance(value, "scale")


@attrs.frozen(repr=False)
class SoftmaxAttention(OnStrings):
    """The kernel of a transformer with many heads of softmax attention, as floats with digits.

    alpha is the variance of the token embeddings and beta that of the positions. The readout
    adds up all pairs of positions ("sum"), equal positions ("flatten"), or reads the last
    position alone ("last"). Scores are multiplied by scale; at scale 0 attention is uniform.

    >>> kernel = softmax_attention(1, 1, readout="flatten", scale=2)
    >>> kernel, kernel.needs_cls, kernel.exactness
    (softmax_attention(1, 1, readout='flatten', scale=2), False, 'float')
    >>> print(softmax_attention(1, 1, readout="flatten").value("AABB", "ABAB", digits=8))
    3.9225218
    >>> softmax_attention(1, None)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: beta is None: give an exact number such as 2 or '1/2'
    """

    alpha: Rational = attrs.field(converter=_alpha)
    beta: Rational = attrs.field(converter=_beta)
    readout: str = attrs.field(default="sum", converter=readout_of, kw_only=True)
    scale: Rational = attrs.field(default=Rational(1), converter=_scale, kw_only=True)

    needs_cls = False

    def __repr__(self) -> str:
        shown = [number_source(self.alpha), number_source(self.beta), f"readout={self.readout!r}"]
        if self.scale != 1:
            shown.append(f"scale={number_source(self.scale)}")
        return f"softmax_attention({', '.join(shown)})"

    @property
    def exactness(self) -> str:
        """'float'; 'exact' where all scores are zero: attention is then uniform."""
        return "exact" if self._is_uniform else "float"

    @property
    def _is_uniform(self) -> bool:
        return self.scale == 0 or self.alpha + self.beta == 0

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions; with the readout "last" those that fix the last one."""
        return last_apart(length) if self.readout == "last" else YoungSubgroup(length)

    def on_diagram(self, diagram: Diagram, *, digits: int = _DIGITS) -> FloatValue | Rational:
        """The kernel on a pair of strings with this diagram: a float with its digits.

        >>> print(softmax_attention(1, 1, readout="last").on_diagram(Diagram.of("AB", "AA")))
        1.07338
        >>> softmax_attention(1, 1, scale=0).value("AB", "AA")
        4
        """
        pair, wanted = check_positions(diagram), integer(digits, "digits", at_least=1)
        request = self._request(
            (of_diagram(pair),), pair.left[-1] == pair.right[-1], self._correlations()
        )
        if self._is_uniform:
            return self._uniform(*request)
        return FloatValue(self._two_lists([request], wanted)[1][0], wanted)

    def on_table(self, *tables: Table) -> Rational:
        """The exact value where all scores are zero; `on_tables` has the floats elsewhere.

        >>> softmax_attention(1, 1, scale=0).on_table(((1, 0), (1, 0)))
        4
        """
        if not self._is_uniform:
            raise NotSupported(f"{self!r} has float values: ask for on_tables(places, digits=6)")
        (request,) = self._requests([tables if self.readout == "last" else added(tables)])
        return self._uniform(*request)

    def on_tables(
        self, places: Iterable[Any], *, digits: int = _DIGITS
    ) -> tuple[list[float], list[float]]:
        """The values on many contingency tables at once, by two different lattices.

        A table is a V x V tuple of tuples; entry [u][v] says at how many positions the first
        string has token u and the second token v. With the readout "last" a place is the pair of
        the table of the first positions and that of the last. The two lists agree in the digits
        asked for. Two tokens are fast; from three on every table is a contraction by itself.

        >>> one, two = softmax_attention(1, 1).on_tables([((1, 0), (1, 0)), ((1, 0), (0, 1))])
        >>> [f"{value:.6g}" for value in two]
        ['4.29817', '5.03995']
        >>> place = ((1, 0), (0, 0)), ((0, 0), (1, 0))
        >>> one, two = softmax_attention(1, 1, readout="last").on_tables([place])
        >>> [f"{value:.6g}" for value in two]
        ['1.07338']
        """
        wanted = integer(digits, "digits", at_least=1)
        return self._two_lists(self._requests(places), wanted)

    def foresee(self, length: int, vocabulary: int, *, digits: int = _DIGITS) -> None:
        """Refuse all tables of a length, before they are listed, if they would take too long.

        >>> softmax_attention(1, 1).foresee(256, 2, digits=4)
        Traceback (most recent call last):
        ...
        symbench.errors.Undecided: 4 digits on 2,862,209 tables would take about ...
        """
        if vocabulary != 2 or self._is_uniform or length < 4:
            return  # three tokens and more are refused elsewhere, at lengths that are soon listed
        from symbench.kernels.softmax.averages import foresee

        rhos = self._correlations()
        some = {rhos[0]: 1, rhos[2]: 1}
        if self.readout != "last":
            some = self._table_factors(((1, 1), (1, length - 3)), rhos)
        foresee(length, self._logits, [rho for rho, n in some.items() if n], digits=digits)

    # --- what is added up -------------------------------------------------------------------
    def _requests(self, places: Iterable[Any]) -> list[tuple[Table, Combination]]:
        """What is asked of the lattices at each place."""
        last, rhos = self.readout == "last", self._correlations()
        return [
            self._request(tables, bool(check_last(self, tables)) if last else False, rhos)
            for tables in places_of(places, last)
        ]

    def _request(
        self, tables: tuple[Table, ...], last: bool, rhos: tuple[Fraction, ...]
    ) -> tuple[Table, Combination]:
        """A table, and how often each correlation is asked for; last says equal last tokens."""
        table = added(tables)
        if not any(map(any, table)):
            raise BadValue("attention on empty strings: a table needs at least one position")
        if self.readout == "last":
            return table, {rhos[0 if last else 2]: 1}
        return table, self._table_factors(table, rhos)

    def _correlations(self) -> tuple[Fraction, Fraction, Fraction, Fraction]:
        """Those of queries that share token and position, the token, the position, nothing."""
        whole = self.alpha + self.beta
        if whole == 0:
            return Fraction(1), Fraction(0), Fraction(0), Fraction(0)
        return Fraction(1), self.alpha / whole, self.beta / whole, Fraction(0)

    def _table_factors(self, table: Table, rhos: tuple[Fraction, ...]) -> Combination:
        """How many pairs of queries have each correlation."""
        meetings, matches, length = counts_of(table)
        numbers = [matches, 0, length - matches, 0]
        if self.readout == "sum":
            numbers[1] = meetings - matches
            numbers[3] = length**2 - length - numbers[1]
        found: dict[Fraction, int] = {}
        for rho, number in zip(rhos, numbers, strict=True):
            found[rho] = found.get(rho, 0) + number
        return found

    def _uniform(self, table: Table, factors: Combination) -> Rational:
        """The value if all scores are zero: every H_rho is the mean of all K_cd."""
        meetings, _, length = counts_of(table)
        mean = (self.alpha * meetings + self.beta * length) / length**2
        return Rational(mean * sum(factors.values()))

    def _two_lists(
        self, requests: list[tuple[Table, Combination]], digits: int
    ) -> tuple[list[float], list[float]]:
        if self._is_uniform:
            values = [float(self._uniform(*request)) for request in requests]
            return values, list(values)
        from symbench.kernels.softmax.averages import two_lattices

        return two_lattices(requests, self._logits, digits=digits)

    @property
    def _logits(self) -> Logits:
        from symbench.kernels.softmax.averages import Logits

        return Logits.of(float(self.alpha), float(self.beta), scale=float(self.scale))


softmax_attention = SoftmaxAttention
