"""The rational group algebra of S_n: class sums, Jucys-Murphy elements, Young symmetrisers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import factorial, lcm, prod
from operator import itemgetter
from typing import Any

import attrs

from symbench._arguments import function, instance, integer, mapping, shown
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, formula
from symbench.errors import BadType, BadValue, TooLarge
from symbench.exact import Matrix
from symbench.exact.latex import in_latex
from symbench.exact.rational import exact_number
from symbench.young.partition import Partition, as_partition
from symbench.young.permutation import Permutation, as_permutation, permutations
from symbench.young.tableau import Tableau, as_tableau

LIMIT = 10**6
STEPS, STEP = 10**9, 3e-7  # products of two permutations, and seconds for one
NUMBERS = 10**7  # of all permutations of an element: a few hundred megabytes
_TERMS = 12  # that a notebook shows


@attrs.frozen(init=False, repr=False)
class AlgebraElement(Shown):
    """A rational combination of permutations of 1..n, multiplied as in the group.

    >>> s = AlgebraElement(2, {Permutation(2, 1): 1})
    >>> s * s == AlgebraElement(2, {Permutation(1, 2): 1})
    True
    >>> s + s
    AlgebraElement(2, {Permutation(2, 1): '2'})
    """

    degree: int
    items: tuple[tuple[Permutation, Fraction], ...]

    def __init__(self, degree: int, terms: Mapping[Permutation, int | Fraction]) -> None:
        degree = integer(degree, "degree", at_least=0)
        mapping(terms, "the element", "a dictionary from permutations to numbers")
        found = [
            (as_permutation(g, degree), number)
            for g, c in terms.items()
            if (number := Fraction(exact_number(c)))
        ]
        found.sort(key=lambda item: item[0].images)
        self.__attrs_init__(degree, tuple(found))

    def __repr__(self) -> str:
        terms = ", ".join(f"{g!r}: '{c}'" for g, c in self.items)
        return f"AlgebraElement({self.degree}, {{{terms}}})"

    def _view(self) -> View:
        texts = [
            f"{c} {g}" if abs(c) != 1 else f"{'-' * (c < 0)}{g}" for g, c in self.items[:_TERMS]
        ]
        text = " + ".join(texts).replace("+ -", "- ") or "0"
        more = r" + \cdots" if len(self.items) > _TERMS else ""
        return formula(text, re.sub(r"(\d) (?=[\d(])", r"\1\\ ", in_latex(text)) + more)

    @property
    def terms(self) -> dict[Permutation, Fraction]:
        """The coefficient of each permutation that occurs."""
        return dict(self.items)

    def __add__(self, other: AlgebraElement) -> AlgebraElement:
        return self._collect([*self.items, *self._same(other).items])

    def __sub__(self, other: AlgebraElement) -> AlgebraElement:
        return self + self._same(other) * -1

    def __mul__(self, other: AlgebraElement | int | Fraction) -> AlgebraElement:
        if not isinstance(other, AlgebraElement):
            factor = Fraction(exact_number(other))
            return self._collect([(g, c * factor) for g, c in self.items])
        theirs = self._same(other).items
        steps = len(self.items) * len(theirs)
        if steps > STEPS:
            raise TooLarge(
                f"the product of {len(self.items):,} by {len(theirs):,} terms would take about "
                f"{steps * STEP:.2g} s: multiply their matrices in representations instead"
            )
        if self.degree < 2:
            return self._collect((g * h, c * d) for g, c in self.items for h, d in theirs)
        ours_below, below = (lcm(*(c.denominator for _, c in x)) for x in (self.items, theirs))
        right = [(itemgetter(*(i - 1 for i in h.images)), int(d * below)) for h, d in theirs]
        found: dict[tuple[int, ...], int] = {}
        with progress("products of permutations", steps) as report:
            for g, c in self.items:
                ours = int(c * ours_below)
                for places, number in right:
                    images = places(g.images)
                    found[images] = found.get(images, 0) + ours * number
                report(len(right))
        over = ours_below * below
        return AlgebraElement(
            self.degree,
            {Permutation(images): Fraction(number, over) for images, number in found.items()},
        )

    def __rmul__(self, factor: int | Fraction) -> AlgebraElement:
        return self * factor

    def matrix(self, rho: Any) -> Matrix:
        """The matrix of the element in a representation over the rationals.

        >>> class_sum(Partition(2, 1)).matrix(Representation(Partition(3))).rows
        ((3,),)
        """
        function(rho, "the representation", "one such as Representation(Partition(2, 1))")
        identity = rho(Permutation.identity(self.degree))
        if not isinstance(identity, Matrix):
            raise BadType(
                f"the representation is {shown(rho)}, not over the rationals: give its seminormal "
                "form"
            )
        total = identity - identity
        for g, c in self.items:
            total = total + rho(g) * c
        return total

    def _same(self, other: object) -> AlgebraElement:
        other = instance(other, AlgebraElement, "the other element", "an AlgebraElement")
        if other.degree != self.degree:
            raise BadValue(
                f"the groups are S_{self.degree} and S_{other.degree}: give elements of one"
            )
        return other

    def _collect(self, items: Iterable[tuple[Permutation, Fraction]]) -> AlgebraElement:
        found: dict[Permutation, Fraction] = {}
        for g, c in items:
            found[g] = found.get(g, Fraction(0)) + c
        return AlgebraElement(self.degree, found)


def class_sum(cycle_type: Partition) -> AlgebraElement:
    """The sum of all permutations of a cycle type: central.

    >>> len(class_sum(Partition(2, 1, 1)).items)
    6
    """
    mu = as_partition(cycle_type, "cycle_type")
    if factorial(mu.size) > LIMIT:
        raise TooLarge(
            f"a class sum in S_{mu.size} is looked for among {factorial(mu.size)} permutations: "
            "ask for its eigenvalues, class_size * character / dim, instead"
        )
    return AlgebraElement(mu.size, {g: 1 for g in permutations(mu.size) if g.cycle_type == mu})


def jucys_murphy(degree: int, k: int) -> AlgebraElement:
    """X_k = (1 k) + (2 k) + ... + (k-1 k); on v_T its eigenvalue is the content of k.

    >>> sorted(str(g) for g in jucys_murphy(4, 3).terms)
    ['(1 3)', '(2 3)']
    """
    degree = integer(degree, "degree", at_least=1)
    k = integer(k, "k", at_least=1, at_most=degree)
    if degree * k > NUMBERS:
        raise TooLarge(
            f"{k - 1:,} transpositions in S_{degree} are {degree * (k - 1):,} numbers: ask for the "
            "eigenvalues of X_k, the contents: Representation(shape).jucys_murphy(k)"
        )
    return AlgebraElement(degree, {Permutation.from_cycles(degree, (i, k)): 1 for i in range(1, k)})


def row_group(tableau: Tableau) -> list[Permutation]:
    """The permutations that keep every entry in its row.

    >>> [str(g) for g in row_group(Tableau([[1, 2], [3]]))]
    ['()', '(1 2)']
    """
    t = bijective(tableau)
    return _stabiliser([tuple(c for c in row if c is not None) for row in t.rows])


def column_group(tableau: Tableau) -> list[Permutation]:
    """The permutations that keep every entry in its column.

    >>> [str(g) for g in column_group(Tableau([[1, 2], [3]]))]
    ['()', '(1 3)']
    """
    t = bijective(tableau)
    return _stabiliser(list(t.columns))


def young_symmetriser(tableau: Tableau) -> AlgebraElement:
    """The signed sum over the column group times the sum over the row group.

    Its square is n!/dim times itself.

    >>> c = young_symmetriser(Tableau([[1, 2], [3]]))
    >>> c * c == 3 * c
    True
    """
    t = bijective(tableau)
    columns, rows = column_group(t), row_group(t)
    if len(columns) * len(rows) > LIMIT:
        raise TooLarge(
            f"the Young symmetriser of {t!r} has {len(columns) * len(rows)} terms: ask for the "
            "isotypic projector of an action, or for a smaller tableau"
        )
    signed = AlgebraElement(t.size, {g: g.sign for g in columns})
    return signed * AlgebraElement(t.size, dict.fromkeys(rows, 1))


def bijective(tableau: object) -> Tableau:
    """The value itself, if it is a tableau that holds each of 1..n once."""
    t = as_tableau(tableau)
    if sorted(t.entries) != list(range(1, t.size + 1)):
        raise BadValue(f"the tableau is {t!r}: give one that holds each of 1..{t.size} once")
    return t


def _stabiliser(blocks: list[tuple[int, ...]]) -> list[Permutation]:
    order = prod(factorial(len(block)) for block in blocks)
    if order > LIMIT:
        raise TooLarge(f"the group has {order} elements: ask for a tableau with at most {LIMIT:,}")
    found = []
    for choices in itertools.product(*(itertools.permutations(block) for block in blocks)):
        moved = zip(itertools.chain(*blocks), itertools.chain(*choices), strict=True)
        found.append(Permutation(*(image for _, image in sorted(moved))))
    return found
