"""Templates as plain data: what a certificate about a template matrix K_tau is about.

The letters are kept as they were written, so that a file can be read by a person; what the checks
look at are the rows of numbers behind them. Of the kernel it says what the theorems ask for.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.certificates.plain import register_type
from symbench.errors import BadCertificate, BadShape, BadType, BadValue
from symbench.exact import QQ, Rational
from symbench.exact.rational import number_text

Row = tuple[int, ...]
# A letter of a template and its positions; all wildcards have the letter -1.
Part = tuple[int, tuple[int, ...]]
# How often each token occurs, and the sizes of the wildcard blocks, both sorted.
RowType = tuple[tuple[tuple[int, int], ...], tuple[int, ...]]

_NEVER_CONSTANT = ("erf", "exp", "gelu", "relu", "sigmoid", "sign", "step", "tanh")
_SCALES = ("main", "appendix-H")


def _check_activation(_: Any, __: Any, value: Any) -> None:
    if value is None:
        return
    known = isinstance(value, tuple) and value and all(isinstance(x, str) for x in value)
    if known and value[0] in _NEVER_CONSTANT and len(value) == 1:
        return
    if known and value[0] == "polynomial" and len(value) > 1:
        numbers = value[1:]
    elif known and value[0] == "cos" and len(value) == 3:
        numbers = value[1:2]
    else:
        raise BadValue(
            f"the activation is {shown(value)}: give ('relu',) or another name, "
            "('polynomial', '0', '1') or ('cos', '1', '0')"
        )
    if any(number_text(Rational(QQ.decode(x))) != x for x in numbers):
        raise BadValue(f"the activation is {shown(value)}: write its numbers as '3' or '3/7'")


@attrs.frozen(kw_only=True)
class KernelFacts:
    """What the theorems about K_tau need to know of an attention kernel.

    beta and gamma are numbers, or None for every number but zero. activation is that of a layer
    above, as texts: a name, ('polynomial', c0, c1, ...) or ('cos', b1, phase).

    >>> KernelFacts(activation=("relu",)).name
    'relu over softmax attention'
    >>> KernelFacts(gamma=Rational(0)).separates
    False
    """

    beta: Fraction | None = attrs.field(default=None)
    gamma: Fraction | None = attrs.field(default=None)
    normalised: bool = True
    scale: str = attrs.field(default="main")
    activation: tuple[str, ...] | None = attrs.field(default=None, validator=_check_activation)

    @beta.validator
    @gamma.validator
    def _check_number(self, attribute: Any, value: Any) -> None:
        if value is not None and not isinstance(value, Fraction):
            raise BadType(f"{attribute.name} is {shown(value)}: give a Rational, or None for any")

    @scale.validator
    def _check_scale(self, _: Any, value: Any) -> None:
        if value not in _SCALES or not isinstance(self.normalised, bool):
            raise BadValue(f"the softmax scale is {shown(value)}: give 'main' or 'appendix-H'")

    @property
    def is_constant(self) -> bool:
        """Whether a layer above forgets its input."""
        if self.activation is None or self.activation[0] in _NEVER_CONSTANT:
            return False
        numbers = (
            self.activation[2:] if self.activation[0] == "polynomial" else self.activation[1:2]
        )
        return all(number == "0" for number in numbers)

    @property
    def separates(self) -> bool:
        """Whether theorems `symbench.positive-definite` and `symbench.no-cls` speak of it."""
        return self.normalised and self.beta != 0 and self.gamma != 0 and not self.is_constant

    @property
    def counts(self) -> bool:
        """Whether the theorem `symbench.gamma-zero-rank` may speak of it: no positions."""
        return self.normalised and self.beta != 0 and self.gamma == 0 and not self.is_constant

    @property
    def name(self) -> str:
        """The kernel in words."""
        base = "softmax attention" if self.normalised else "attention without normalisation"
        over = f"{self.activation[0]} over " if self.activation else ""
        return f"{over}{base}{' (23)' * (self.scale == 'appendix-H')}"

    def _repr_html_(self) -> str | None:
        from symbench.certificates.views import of_kernel

        return of_kernel(self)._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """The facts as plain JSON."""
        return {
            "beta": None if self.beta is None else number_text(self.beta),
            "gamma": None if self.gamma is None else number_text(self.gamma),
            "normalised": self.normalised,
            "scale": self.scale,
            "activation": None if self.activation is None else list(self.activation),
        }

    @classmethod
    def from_json(cls, data: Any) -> KernelFacts:
        """The facts that to_json wrote."""
        wanted = {field.name for field in attrs.fields(cls)}
        if not isinstance(data, Mapping) or set(data) != wanted:
            raise BadCertificate(f"a kernel has exactly {sorted(wanted)}")
        beta, gamma = (
            None if data[name] is None else Rational(QQ.decode(data[name]))
            for name in ("beta", "gamma")
        )
        given = data["activation"]
        if not isinstance(data["normalised"], bool) or not isinstance(given, (list, type(None))):
            raise BadCertificate(f"{shown(data)} is no kernel")
        return cls(
            beta=beta,
            gamma=gamma,
            normalised=data["normalised"],
            scale=data["scale"],
            activation=None if given is None else tuple(given),
        )


def _check_letters(_: Templates, attribute: Any, value: Any) -> None:
    fits = isinstance(value, tuple) and all(isinstance(x, str) and x for x in value)
    if not fits or len(set(value)) < len(value):
        raise BadType(f"the {attribute.name} are {shown(value)}: give distinct letters in a tuple")


@attrs.frozen(slots=False, repr=False)
class Templates:
    """Templates of one length as they are written, their labels, and the kernel of the matrix.

    Letters are tokens or wildcards, each listed in the order of first appearance. Without a kernel
    a statement is about every token-symmetric kernel.

    >>> pair = Templates(("S",), ("α", "β"), (("α", "α", "S"), ("α", "β", "S")))
    >>> pair.numbers
    ((-1, -1, 0), (-1, -2, 0))
    >>> pair.exponents((1, 2, -3), (5,))
    [-21, -25]
    >>> Templates(("S",), (), (("α", "S"),))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the letters that occur are not the tokens and wildcards listed
    """

    tokens: tuple[str, ...] = attrs.field(validator=_check_letters)
    wildcards: tuple[str, ...] = attrs.field(validator=_check_letters)
    rows: tuple[tuple[str, ...], ...] = attrs.field()
    labels: tuple[str, ...] | None = attrs.field(default=None, kw_only=True)
    kernel: KernelFacts | None = attrs.field(default=None, kw_only=True)

    @rows.validator
    def _check_rows(self, _: Any, rows: Any) -> None:
        if not isinstance(rows, tuple) or set(map(type, rows)) - {tuple}:
            raise BadType("the rows of templates are tuples of letters, in a tuple")
        if len(set(map(len, rows))) != 1 or not rows[0]:
            raise BadShape("templates have one length, at least 1, and there is at least one")
        found = list(dict.fromkeys(chain.from_iterable(rows)))
        tokens = set(self.tokens)
        listed = (
            tuple(a for a in found if a in tokens),
            tuple(a for a in found if a not in tokens),
        )
        if listed != (self.tokens, self.wildcards):
            raise BadValue("the letters that occur are not the tokens and wildcards listed")

    @labels.validator
    def _check_labels(self, _: Any, labels: Any) -> None:
        if labels is None:
            return
        if not isinstance(labels, tuple) or not all(isinstance(x, str) for x in labels):
            raise BadType(f"the labels are {shown(labels)}: give texts in a tuple, or None")
        if len(labels) != len(self.rows):
            raise BadShape(f"{len(labels)} labels for {len(self.rows)} templates")

    @kernel.validator
    def _check_kernel(self, _: Any, kernel: Any) -> None:
        if kernel is not None and type(kernel) is not KernelFacts:
            raise BadType(f"the kernel is {shown(kernel)}: give KernelFacts, or None for all")

    @classmethod
    def from_numbers(cls, rows: Any, kernel: KernelFacts | None = None) -> Templates:
        """Templates from rows of numbers: tokens 0, 1, ..., wildcards -1, -2, ...

        >>> Templates.from_numbers(((-1, -1, 0), (-1, -2, 0)))
        <2 templates of length 3: every token-symmetric kernel>
        """
        well_formed = isinstance(rows, tuple) and all(
            isinstance(row, tuple) and all(type(letter) is int for letter in row) for row in rows
        )
        if not well_formed:
            raise BadType("the rows of templates are tuples of integers, in a tuple")
        letters = dict.fromkeys(chain.from_iterable(rows))
        names = {a: f"t{a}" if a >= 0 else f"w{-a}" for a in letters}
        return cls(
            tuple(names[a] for a in letters if a >= 0),
            tuple(names[a] for a in letters if a < 0),
            tuple(tuple(names[a] for a in row) for row in rows),
            kernel=kernel,
        )

    def __repr__(self) -> str:
        size, length = len(self.rows), len(self.rows[0])
        return f"<{size} templates of length {length}: {self.kernel_name}>"

    @property
    def kernel_name(self) -> str:
        """The kernel in words."""
        return self.kernel.name if self.kernel is not None else "every token-symmetric kernel"

    def _repr_html_(self) -> str | None:
        from symbench.certificates.views import of_templates

        return of_templates(self)._repr_html_()

    # --- files ------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """The templates as plain JSON."""
        return {
            "tokens": list(self.tokens),
            "wildcards": list(self.wildcards),
            "rows": [list(row) for row in self.rows],
            "labels": None if self.labels is None else list(self.labels),
            "kernel": None if self.kernel is None else self.kernel.to_json(),
        }

    @classmethod
    def from_json(cls, data: Any) -> Templates:
        """The templates that to_json wrote."""
        wanted = {field.name for field in attrs.fields(cls)}
        if not isinstance(data, Mapping) or set(data) != wanted:
            raise BadCertificate(f"templates have exactly {sorted(wanted)}")
        tokens, wildcards, rows, labels, kernel = (
            data[name] for name in ("tokens", "wildcards", "rows", "labels", "kernel")
        )
        lists = [tokens, wildcards, rows, *([] if labels is None else [labels])]
        if not all(isinstance(x, list) for x in lists):
            raise BadCertificate("tokens, wildcards, rows and labels are lists")
        if not all(isinstance(row, list) and set(map(type, row)) <= {str} for row in rows):
            raise BadCertificate("a template is a list of letters")
        return cls(
            tuple(tokens),
            tuple(wildcards),
            tuple(map(tuple, rows)),
            labels=None if labels is None else tuple(labels),
            kernel=None if kernel is None else KernelFacts.from_json(kernel),
        )

    # --- rows of numbers ----------------------------------------------------------------------
    @cached_property
    def numbers(self) -> tuple[Row, ...]:
        """The rows with tokens 0, 1, ... and wildcards -1, -2, ... by appearance in the row.

        Two rows of numbers are equal iff the templates are equivalent.
        """
        tokens = {token: n for n, token in enumerate(self.tokens)}
        return tuple(canonical_row([tokens.get(a, a) for a in row]) for row in self.rows)

    @property
    def reads_end(self) -> bool:
        """Whether the kernel is (23), which reads the last letter."""
        return self.kernel is not None and self.kernel.scale == "appendix-H"

    @cached_property
    def one_end(self) -> bool:
        """Whether all templates end in one and the same token."""
        ends = {row[-1] for row in self.numbers}
        return len(ends) == 1 and min(ends) >= 0

    @property
    def counted(self) -> bool:
        """Whether the theorem `symbench.gamma-zero-rank` speaks of these templates and kernel."""
        kernel = self.kernel
        if kernel is None or not kernel.counts:
            return False
        if kernel.activation is not None and not all(tokens for tokens, _ in self.types):
            return False
        return self.one_end or not self.reads_end

    @cached_property
    def types(self) -> tuple[RowType, ...]:
        """The type of every template: how often each token occurs, and the sizes of the blocks."""
        found = []
        for row in self.numbers:
            counts = Counter(row)
            tokens = tuple(sorted((a, n) for a, n in counts.items() if a >= 0))
            found.append((tokens, tuple(sorted(n for a, n in counts.items() if a < 0))))
        return tuple(found)

    # --- exponents at a point -----------------------------------------------------------------
    @cached_property
    def parts(self) -> tuple[tuple[Part, ...], ...]:
        """The letters of every template, each with its positions."""
        found = []
        for row in self.numbers:
            places: dict[int, tuple[int, ...]] = {}
            for position, letter in enumerate(row):
                places[letter] = (*places.get(letter, ()), position)
            found.append(tuple((max(letter, -1), where) for letter, where in places.items()))
        return tuple(found)

    @cached_property
    def distinct_parts(self) -> frozenset[Part]:
        """The parts that occur."""
        return frozenset(part for parts in self.parts for part in parts)

    def part_exponents(self, xi: Row, y: Row) -> dict[Part, int]:
        """What a part adds to the exponent of its template, for all that occur."""
        found = {}
        for letter, places in self.distinct_parts:
            total = sum(xi[a] for a in places)
            found[letter, places] = total * total if letter < 0 else 2 * y[letter] * total
        return found

    def exponents(self, xi: Row, y: Row) -> list[int]:
        """The exponent of every template at a point.

        It is 2 sum_rho y_rho sum_{a in A_rho} xi_a + sum_B (sum_{a in B} xi_a)^2, A_rho the
        positions of the token rho, B the wildcard blocks.
        """
        if not self.fits(len(xi), len(y)):
            raise BadShape(f"a point of {len(xi)} and {len(y)} numbers does not fit the templates")
        value = self.part_exponents(xi, y)
        return [sum(value[part] for part in parts) for parts in self.parts]

    def fits(self, length: int, tokens: int) -> bool:
        """Whether a point has a number for each position and one for each token."""
        return length == len(self.rows[0]) and tokens == len(self.tokens)

    @cached_property
    def constants(self) -> tuple[int, ...]:
        """The letters of the templates with one letter throughout, -1 for a wildcard.

        Their exponents vanish at every point; the attention on their token tells them apart.
        """
        return tuple(max(row[0], -1) for row in self.numbers if len(set(row)) == 1)

    def separated_at(self, xi: Row, y: Row, *, distinct: bool = False) -> bool:
        """Whether a point tells all templates apart; with distinct only inequivalent ones."""
        pairs: Iterable[tuple[int, Row]] = zip(self.exponents(xi, y), self.numbers, strict=True)
        found = list(dict.fromkeys(pairs)) if distinct else list(pairs)
        if sum(xi) != 0:
            return False
        if self.reads_end:
            return _separated_by_end(found, xi, y)
        several = [e for e, row in found if len(set(row)) > 1]
        letters = [max(row[0], -1) for _, row in found if len(set(row)) == 1]
        alone = not letters or (0 not in several and len(set(letters)) == len(letters))
        return alone and len(set(several)) == len(several)

    # --- the formal matrix --------------------------------------------------------------------
    def annihilated_by(self, vector: Sequence[Any]) -> bool:
        """Whether K_tau times the vector is zero, whatever the kernel's values are.

        Entries are names: equal names stand for equal entries. A sum that vanishes for every name
        vanishes for every kernel that this is about.
        """
        if len(vector) != len(self.rows):
            return False
        support = [(j, x) for j, x in enumerate(vector) if x != 0]
        for i in range(len(self.rows)):
            sums: dict[Hashable, Any] = {}
            for j, x in support:
                name = self._entry(i, j)
                if name is not None:
                    sums[name] = sums.get(name, 0) + x
            if any(total != 0 for total in sums.values()):
                return False
        return True

    def _entry(self, i: int, j: int) -> Hashable:
        """The name of an entry; None is the entry zero."""
        if self._by_types:
            left, right = sorted((self.types[i], self.types[j]))
            shared = {a for a, _ in left[0]} & {a for a, _ in right[0]}
            return (left, right) if shared else None
        return min(_diagram(self.seen[i], self.seen[j]), _diagram(self.seen[j], self.seen[i]))

    @cached_property
    def _by_types(self) -> bool:
        # Above an activation entries without a shared token are not zero.
        return self.counted and self.kernel is not None and self.kernel.activation is None

    @cached_property
    def seen(self) -> tuple[Row, ...]:
        """The rows as far as the kernel sees them: equal rows here are equal rows of K_tau.

        Without normalisation no position sees another, so wildcards might as well be different; at
        gamma = 0 no position is told from another, so they might as well be sorted (but for the
        last one in (23), which is read); a constant activation sees nothing.
        """
        return tuple(canonical_row(_seen(self.kernel, row)) for row in self.numbers)


def canonical_row(row: Sequence[Any]) -> Row:
    """The row with everything but tokens numbered -1, -2, ... by appearance.

    >>> canonical_row((-3, 0, -3, -1))
    (-1, 0, -1, -2)
    """
    names: dict[Any, int] = {}
    return tuple(
        a if type(a) is int and a >= 0 else names.setdefault(a, -1 - len(names)) for a in row
    )


def _diagram(left: Row, right: Row) -> Row:
    """Which letters of two rows are equal; wildcards of the two sides never are."""
    # Odd and even numbers below zero keep the wildcards apart.
    numbers: dict[int, int] = {}
    both = (*(a if a >= 0 else 2 * a for a in left), *(a if a >= 0 else 2 * a + 1 for a in right))
    return tuple(numbers.setdefault(a, len(numbers)) for a in both)


def _seen(kernel: KernelFacts | None, row: Row) -> Row:
    if kernel is None:
        return row
    if kernel.is_constant:
        return (-1,) * len(row)
    if not kernel.normalised:
        # Under an activation the variance K(x, x) still tells equal symbols.
        if kernel.activation is not None:
            return row
        row = tuple(a if a >= 0 else -1 - n for n, a in enumerate(row))
    if kernel.gamma != 0:
        return row
    free = len(row) if kernel.scale == "main" else len(row) - 1
    # Tokens by their number, then wildcards by how often they occur.
    order = sorted(range(free), key=lambda n: (row[n] < 0, -row.count(row[n]), row[n]))
    return (*(row[n] for n in order), *row[free:])


def _separated_by_end(found: list[tuple[int, Row]], xi: Row, y: Row) -> bool:
    """Whether a point tells apart all templates of kernel (23) that end alike.

    Strings that end alike share Gaussians of their own, so a relation between all templates is
    one between those that end in a token, for each token, and one between those that end in a
    wildcard. There the exponent is 2 kappa a_i + (1 + gamma^2) Q_i + n_i for every kappa: a_i and
    n_i = sum_rho (sum_{A_rho} xi)^2 see the places of tokens alone, Q_i the blocks.
    """
    ends: dict[int, list[tuple[int, Row]]] = {}
    for exponent, row in found:
        ends.setdefault(max(row[-1], -1), []).append((exponent, row))
    for end, members in ends.items():
        names: list[Hashable] = [exponent for exponent, _ in members]
        if end < 0:
            # The layout of tokens gives a_i; what else the exponent holds is Q_i.
            layouts = [tuple(max(letter, -1) for letter in row) for _, row in members]
            a = {
                layout: sum(y[t] * x for t, x in zip(layout, xi, strict=True) if t >= 0)
                for layout in layouts
            }
            if len(set(a.values())) < len(a):
                return False
            names = list(zip(layouts, names, strict=True))
        if len(set(names)) < len(names):
            return False
    return True


register_type("Templates", Templates, Templates.to_json, Templates.from_json)
