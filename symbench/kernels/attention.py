"""The softmax attention kernel K_attn(beta, gamma) of boix2024, exactly, as a series in beta.

    K(x, y) = E[f(beta u)^T (X Y^T + gamma^2 I) f(beta v)],
    u = X zeta + gamma p,  v = Y zeta + gamma p,

zeta and p standard Gaussians on tokens and positions, f the attention map. The series in beta with
coefficients in Q[gamma] is asymptotic: it diverges (strings of length 2 show it), so it stands for
derivatives at zero and for identities between them, never for a value.

>>> attention().taylor("AA*", "BB*", beta=2)
{(0, 0): 1/9, (0, 2): 1/3, (2, 0): 8/81, (2, 2): 4/27, (2, 4): 2/9}
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import attrs
import flint

from symbench._arguments import choice, flag, integer
from symbench.draw.progress import progress
from symbench.errors import BadType, BadValue, NotSupported
from symbench.exact import QQ, Balls, Exponentials, PowerSeries, Rational
from symbench.exact.rational import exact_number, number_source, rational
from symbench.kernels.activations.named import activation
from symbench.kernels.base import OnStrings, check_templates, last_apart
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.kernels.derivatives.features import Features, Layout, check_size, features, products
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.float_value import MOST_DIGITS
from symbench.kernels.tables import Table, diagram_of, places_of
from symbench.words import Template
from symbench.young.position_groups import YoungSubgroup

Number = int | Fraction | float
_SCALES = ("main", "appendix-H")
# Coefficients of beta^i gamma^j of every entry of a matrix.
Coefficients = dict[tuple[int, int], flint.fmpq_mat]


def _parameter(value: Any) -> Number | None:
    """None (a variable), an exact number, or a float for the float backend."""
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadValue(f"a parameter is {value!r}: give a finite number")
        return value
    if value is None:
        return None
    number = exact_number(value)
    return number if isinstance(number, int) else Rational(number)


def _scale(value: Any) -> str:
    return choice(value, "the softmax scale", _SCALES)


def _order(value: Any) -> int:
    return integer(value, "the order in beta", at_least=0)


@attrs.frozen(kw_only=True, repr=False, init=False)
class Attention(OnStrings):
    """The attention kernel: a series in beta, or numbers at given beta and gamma.

    Without beta it is a series to `order` in beta, with coefficients in Q[gamma], or in Q where
    gamma is given. With both numbers softmax has float values, which say their digits; linear and
    exponential weights have exact ones, and the sigmoid balls.

    weights is 'softmax', or 'exponential', 'linear' or 'sigmoid', where the weight of a position
    is a function of its own logit alone; normalise=False stands for 'exponential'. softmax_scale
    is 'main' for the kernel (3) of the main text, or 'appendix-H' for (23).

    >>> attention(normalise=False).taylor("A", "A", beta=2)
    {(0, 0): 1, (0, 2): 1, (2, 0): 2, (2, 2): 4, (2, 4): 2}
    >>> attention(gamma="1/2", weights="linear")
    attention(gamma='1/2', weights='linear')
    >>> attention(beta=1)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: beta is given and gamma is not: give both, or gamma alone
    """

    beta: Number | None = attrs.field(default=None, converter=_parameter)
    gamma: Number | None = attrs.field(default=None, converter=_parameter)
    order: int = attrs.field(default=6, converter=_order)
    weights: str = attrs.field(default="softmax")
    softmax_scale: str = attrs.field(default="main", converter=_scale)
    needs_cls = True

    def __init__(
        self,
        *,
        beta: Any = None,
        gamma: Any = None,
        order: int = 6,
        weights: str | None = None,
        softmax_scale: str = "main",
        normalise: bool | None = None,
    ) -> None:
        asked = None if normalise is None else flag(normalise, "normalise")
        name = weights
        if name is None:
            name = "exponential" if asked is False else "softmax"
        if attention_map(name).normalised is not asked is not None:
            raise BadValue(f"the weights {name!r} do not go with normalise={normalise}")
        self.__attrs_init__(
            beta=beta, gamma=gamma, order=order, weights=name, softmax_scale=softmax_scale
        )
        if self.beta is not None and self.gamma is None:
            raise BadValue("beta is given and gamma is not: give both, or gamma alone")
        if self.beta is None and isinstance(self.gamma, float):
            raise BadType("gamma is a float in an exact series: write an int or a Fraction")

    def __repr__(self) -> str:
        changed = []
        for field in attrs.fields(Attention):
            value = getattr(self, field.name)
            if value != field.default:
                # A fraction is written in quotes: 1/2 would be read as a float.
                source = number_source(value) if isinstance(value, Rational) else repr(value)
                changed.append(f"{field.name}={source}")
        return f"attention({', '.join(changed)})"

    def symmetry(self, length: int) -> YoungSubgroup:
        """All permutations of positions; in the scale of appendix H those that fix the last one.

        >>> attention().symmetry(3), attention(softmax_scale="appendix-H").symmetry(3)
        (YoungSubgroup(3), YoungSubgroup(2, 1))
        """
        return YoungSubgroup(length) if self.softmax_scale == "main" else last_apart(length)

    @property
    def exactness(self) -> str:
        """What values are: 'exact' for series and at beta = 0, else what the weights allow.

        >>> attention(beta=1, gamma=1).exactness
        'float'
        >>> attention(beta=1, gamma=1, normalise=False).exactness
        'exact'
        >>> attention(beta=1, gamma=1, normalise=False, weights="sigmoid").exactness
        'ball'
        """
        if self.beta is None:
            return "exact"
        if isinstance(self.beta, float) or isinstance(self.gamma, float):
            return "float"
        if self.beta == 0:
            return "exact"
        name = attention_map(self.weights).activation
        return "float" if name is None else activation(name).exactness

    @property
    def is_normalised(self) -> bool:
        """Whether the attention weights add up to one (softmax)."""
        return attention_map(self.weights).normalised

    @property
    def ring(self) -> Any:
        """Where the values live: series in beta over Q[gamma] or Q, numbers at given beta.

        >>> attention().ring, attention(beta=1, gamma=1, normalise=False).ring
        (PowerSeries(QQ['gamma'], 'beta', 7), Exponentials('q'))
        """
        if self.exactness == "float":
            raise NotSupported("values at finite parameters are floats, in no exact ring")
        if self.beta is None:
            base = QQ["gamma"] if self.gamma is None else QQ
            return PowerSeries(base, "beta", self.order + 1)
        if self.beta == 0 or self.weights == "linear":
            return QQ
        return Exponentials("q") if self.exactness == "exact" else Balls(128)

    def with_softmax_scale(self, name: str) -> Attention:
        """The kernel (3) of the main text ('main') or (23) of the appendix ('appendix-H').

        In (23) the logits carry the last token: their covariance has the factor 1 + gamma^2
        inside a string, and 1(x_k = y_k) + gamma^2 between two.

        >>> k = attention().with_softmax_scale("appendix-H")
        >>> k.taylor("A*", "B*", beta=2)[2, 2]
        5/16
        """
        return attrs.evolve(self, softmax_scale=name)

    def with_order(self, order: int) -> Attention:
        """The same kernel to another order in beta."""
        return attrs.evolve(self, order=order)

    # --- values ---------------------------------------------------------------------------
    def taylor(self, x: Any, y: Any, *, beta: int = 6) -> dict[tuple[int, int], Fraction]:
        """Every nonzero coefficient of beta^i gamma^j with i <= beta, for two strings as given.

        >>> attention().taylor("A", "B", beta=4)
        {(0, 2): 1}
        >>> attention().taylor("AB", "C")
        Traceback (most recent call last):
        ...
        symbench.errors.BadShape: the strings AB and C have lengths 2 and 1: give equal ones
        """
        diagram = check_positions(Diagram.of(x, y))
        table = self.with_order(_order(beta))._coefficients(*_pair_layouts(diagram))
        found = {key: rational(matrix[0, 0]) for key, matrix in table.items()}
        return {key: value for key, value in sorted(found.items()) if value}

    def on_diagram(self, diagram: Diagram, *, digits: int = 10) -> Any:
        """The value on every pair of strings with this diagram: a series, or a number.

        Softmax at given beta and gamma has floats with their digits; without normalisation the
        numbers are exact (with q = e) or, for the sigmoid, balls.

        >>> attention(gamma=0, order=2).value("AA*", "BB*")
        1/9 + 8/81*beta^2 + O(beta^3)
        >>> print(attention(beta=1, gamma=1).value("AA*", "BB*"))
        0.6798429218
        >>> attention(beta=1, gamma=1, normalise=False).value("AA*", "BB*")
        2*q^3 + 2*q^4
        """
        check_positions(diagram)
        wanted = integer(digits, "digits", at_least=1)
        if self.beta is not None and (self.beta != 0 or self.exactness == "float"):
            return self._number(diagram, wanted)
        order = self.order if self.beta is None else 0
        table = attrs.evolve(self, beta=None, order=order)._coefficients(*_pair_layouts(diagram))
        return self._element({key: m[0, 0] for key, m in table.items()})

    def on_table(self, *tables: Table) -> Any:
        """The value on a pair of words with these tables; not for floats, see `on_tables`.

        >>> attention(beta=1, gamma=1, normalise=False).on_table(((2, 0), (0, 1)))
        2*q^3 + 6*q^4
        """
        if self.exactness == "float":
            raise NotSupported(f"{self!r} has float values: ask for on_tables(places, digits=8)")
        return self.on_diagram(diagram_of(*tables))

    def on_tables(
        self, places: Iterable[Any], *, digits: int = 8
    ) -> tuple[list[float], list[float]]:
        """Float values of softmax on many tables, by lattices for these digits and for one more.

        A place is a table, in the scale of appendix H the pair of the table of the first
        positions and that of the last.

        >>> one, two = attention(beta=1, gamma=1).on_tables([((1, 1), (0, 0))], digits=6)
        >>> abs(one[0] - two[0]) < 1e-6, round(two[0], 5)
        (True, 1.11263)
        """
        from symbench.kernels.softmax.finite_values import attention_values

        if not self.is_normalised or self.beta is None:
            raise NotSupported(f"{self!r} has no float values: these are softmax at numbers")
        wanted = min(integer(digits, "digits", at_least=1), MOST_DIGITS - 1)
        tables = list(places_of(places, self.softmax_scale != "main"))
        diagrams = []
        with progress("pairs of words", len(tables)) as report:
            for several in tables:
                diagrams.append(check_positions(diagram_of(*several)))
                report(1)
        one, two = (
            attention_values(
                diagrams, self.beta, self.gamma, digits=wanted + more, scale=self.softmax_scale
            )
            for more in (0, 1)
        )
        return [float(v) for v in one], [float(v) for v in two]

    def _number(self, diagram: Diagram, digits: int) -> Any:
        """The value at given beta and gamma."""
        given, scale = (diagram, self.beta, self.gamma), self.softmax_scale
        if self.is_normalised:
            from symbench.kernels.softmax.finite_values import attention_value

            return attention_value(*given, digits=digits, scale=scale)
        from symbench.kernels.softmax.coordinatewise import coordinatewise_value

        return coordinatewise_value(*given, weights=self.weights, digits=digits, scale=scale)

    def _element(self, coefficients: dict[tuple[int, int], flint.fmpq]) -> Any:
        """An element of the ring from coefficients of beta^i gamma^j."""
        by_beta: dict[int, dict[tuple[int, ...], Rational]] = {}
        for (i, j), value in coefficients.items():
            if value != 0:
                by_beta.setdefault(i, {})[(j,)] = rational(value)
        ring = self.ring
        if self.gamma is None:
            terms = {i: QQ["gamma"].from_terms(part) for i, part in by_beta.items()}
        else:
            gamma = Rational(exact_number(self.gamma))
            terms = {
                i: QQ.coerce(sum((c * gamma**j for (j,), c in part.items()), Rational(0)))
                for i, part in by_beta.items()
            }
        if self.beta is not None:
            return ring.coerce(terms.get(0, 0))
        return ring.series([terms.get(i, 0) for i in range(self.order + 1)])

    # --- templates ------------------------------------------------------------------------
    def template_features(self, templates: Iterable[Template]) -> Features:
        """The feature vectors of templates over all of their regular tokens together."""
        templates = check_templates(templates)
        tokens = tuple(dict.fromkeys(token for z in templates for token in z.tokens))
        layouts = []
        for z in templates:
            places = z.token_positions
            layouts.append(Layout(z.pattern, tuple(places.get(token, ()) for token in tokens)))
        return features(layouts, order=self.order, attention=attention_map(self.weights))

    def template_entries(self, templates: Iterable[Template]) -> list[list[Any]]:
        """The rows of the template matrix, all at once from the features."""
        if self.exactness == "float":
            raise NotSupported("the exact template matrix is a series: leave out beta")
        templates = check_templates(templates)
        if self.beta:
            return self._entries_by_diagram(templates)
        kernel = attrs.evolve(self, beta=None, order=self.order if self.beta is None else 0)
        vectors = kernel.template_features(templates)
        last = [z.letters[-1] if z.letters[-1] in z.tokens else None for z in templates]
        same = flint.fmpq_mat([[int(a == b is not None) for b in last] for a in last])
        table = kernel._collect(vectors, vectors, same)
        # Many entries are equal, and making one of its coefficients is slow: each is made once.
        integral = {key: matrix.numer_denom() for key, matrix in table.items()}
        known: dict[tuple[flint.fmpz, ...], Any] = {}
        entries = []
        for numerators in zip(*(top.entries() for top, _ in integral.values()), strict=True):
            if numerators not in known:
                pairs = zip(integral.items(), numerators, strict=True)
                known[numerators] = self._element(
                    {key: flint.fmpq(n, below) for (key, (_, below)), n in pairs}
                )
            entries.append(known[numerators])
        size = len(templates)
        return [entries[row * size : (row + 1) * size] for row in range(size)]

    def _entries_by_diagram(self, templates: tuple[Template, ...]) -> list[list[Any]]:
        """The rows of the template matrix at given beta and gamma; each diagram once."""
        diagrams = [[Diagram.of_templates(z, w) for w in templates] for z in templates]
        known = {d: self.ring.coerce(self.on_diagram(d)) for row in diagrams for d in row}
        return [[known[d] for d in row] for row in diagrams]

    def _coefficients(self, left: Layout, right: Layout) -> Coefficients:
        check_size([left, right], self.order)
        same = flint.fmpq_mat([[int(left.codes[-1] == right.codes[-1])]])
        one, two = (
            features([string], order=self.order, attention=attention_map(self.weights))
            for string in (left, right)
        )
        return self._collect(one, two, same)

    def _collect(self, left: Features, right: Features, same: flint.fmpq_mat) -> Coefficients:
        """The coefficients, with the factors of the softmax scale; same says equal last tokens."""
        table: Coefficients = {}
        for d, j, b, g, matrix in products(left, right):
            if self.softmax_scale == "main":
                _accumulate(table, (b, g), matrix)
                continue
            equal = _entrywise(matrix, same)
            for n in range(d + j + 1):  # (1 + gamma^2)^(d + j)
                _accumulate(table, (b, g + 2 * n), equal * flint.fmpq(math.comb(d + j, n)))
            for n in range(j + 1):  # gamma^2d (1 + gamma^2)^j
                rest = (matrix - equal) * flint.fmpq(math.comb(j, n))
                _accumulate(table, (b, g + 2 * (d + n)), rest)
        return table


attention = Attention


def _accumulate(table: Coefficients, key: tuple[int, int], matrix: flint.fmpq_mat) -> None:
    table[key] = table[key] + matrix if key in table else matrix


def _entrywise(a: flint.fmpq_mat, b: flint.fmpq_mat) -> flint.fmpq_mat:
    entries = [x * y for x, y in zip(a.entries(), b.entries(), strict=True)]
    return flint.fmpq_mat(a.nrows(), a.ncols(), entries)


def _pair_layouts(diagram: Diagram) -> tuple[Layout, Layout]:
    """The two strings with the tokens that they share."""
    shared = sorted(set(diagram.left) & set(diagram.right))

    def layout(codes: tuple[int, ...]) -> Layout:
        places = [tuple(c for c, code in enumerate(codes) if code == token) for token in shared]
        return Layout(codes, tuple(places))

    return layout(diagram.left), layout(diagram.right)
