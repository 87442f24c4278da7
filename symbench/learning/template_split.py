"""TemplateSplit: the part of a kernel that sees templates, and what is left at shared tokens.

A positive semidefinite kernel that does not depend on the names of tokens is a sum of two such
kernels: N between the patterns of the strings, and a residual part that is 0 where two strings
share no token put for a wildcard (proofs/symbench/template-residual.md). On strings without common
tokens ridge regression is therefore a system of one equation for each template:

    prediction at z_j = f^T (N + L D^-1)^-1 N e_j,   L_i = ridge + K(x, x) - N_ii,

where D holds how many strings of each template were seen. So the error falls as c_j / n, and the
numbers c_j say what a labelling costs.

>>> letters = [Template("αα").with_cls(), Template("αβ").with_cls()]
>>> split = TemplateSplit(Task(letters, labels=[1, -1]), inner_product(lambda n: n, incidence=True))
>>> split.matrix, split.kappa, split.residual
(Matrix([[6, 4],
        [4, 4]], QQ), (8, 6), (2, 2))
>>> split.predictions([2, 2], ridge=1), split.cost()
((44/101, -32/101), (4, 5))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import combinations, permutations
from math import comb, perm
from typing import Any

import attrs
import flint

from symbench._arguments import flag, instance, integer, integers, sequence, shown
from symbench.draw.views import Shown
from symbench.errors import (
    BadShape,
    BadType,
    BadValue,
    NotExact,
    NotInvertible,
    TooLarge,
    Undecided,
)
from symbench.exact import QQ, Exponential, Matrix, Rational
from symbench.exact.arrays import Floats, np
from symbench.exact.rational import exact_number
from symbench.kernels.activations.exact import enclosure
from symbench.kernels.base import Kernel, symmetry_of
from symbench.kernels.diagram import Diagram
from symbench.kernels.float_value import MOST_DIGITS, FloatValue
from symbench.kernels.softmax.finite_values import agreement
from symbench.kernels.tables import tables_of
from symbench.ktau.matrix import template_matrix
from symbench.learning.numbers import number, numbers
from symbench.words import Task, Template
from symbench.words.letters import Word
from symbench.young.position_groups import YoungSubgroup

# A float kernel of one's own that states no digits is believed to this many.
_OWN_DIGITS = 9
# Values of a kernel that are kept.
_KNOWN = 1 << 16
# Ways to share tokens that are added up.
_MATCHINGS = 1_000_000
# An eigenvalue below this part of the largest, on the wrong side of 0, is no rounding error.
_NEGATIVE = 1e-9

Number = Rational | FloatValue
Rows = list[list[Any]]
Vector = list[Any]
# What the algebra asks for: a linear system solved over exact numbers or over floats.
Solve = Callable[[Rows, Vector], Vector]


@attrs.frozen(eq=False)
class KernelValues(Shown):
    """A kernel's values on diagrams, each computed once.

    `digits` is None where all values so far are exact; float values are had from two different
    computations, which agree in that many digits.
    """

    kernel: Kernel
    wanted: int
    known: dict[Diagram, tuple[Any, ...]] = attrs.field(factory=dict, init=False)

    @classmethod
    def of(cls, kernel: Kernel, digits: int) -> KernelValues:
        """Those of a kernel, and the same ones again where it can be hashed."""
        try:
            hash(kernel)
        except TypeError:
            return cls(kernel, digits)
        found: KernelValues = _stored(kernel, kernel.exactness, digits)  # type: ignore[arg-type]
        return found

    def on(self, diagrams: Iterable[Diagram]) -> list[tuple[Any, ...]]:
        """The value on each diagram: an exact number alone, or two floats."""
        listed = list(diagrams)
        new = [diagram for diagram in dict.fromkeys(listed) if diagram not in self.known]
        if len(self.known) + len(new) > _KNOWN:
            self.known.clear()
            new = list(dict.fromkeys(listed))
        if new:
            self.known.update(zip(new, self._computed(new), strict=True))
        return [self.known[diagram] for diagram in listed]

    def _computed(self, diagrams: list[Diagram]) -> list[tuple[Any, ...]]:
        if self.kernel.exactness == "float":
            group = symmetry_of(self.kernel, len(diagrams[0]))
            method = getattr(self.kernel, "on_tables", None)
            if callable(method) and isinstance(group, YoungSubgroup):
                places = [_place(diagram, group) for diagram in diagrams]
                one, two = method(places, digits=self.wanted)
                return [(float(a), float(b)) for a, b in zip(one, two, strict=True)]
            floats = [float(self.kernel.on_diagram(diagram)) for diagram in diagrams]
            return [(value, value) for value in floats]
        found = [_number(self.kernel, diagram) for diagram in diagrams]
        return [(v,) if isinstance(v, Fraction) else (v, v) for v in found]

    @property
    def digits(self) -> int | None:
        """How many digits floats have, None where all values are exact."""
        if all(len(value) == 1 for value in self.known.values()):
            return None
        tables = self.kernel.exactness != "float" or hasattr(self.kernel, "on_tables")
        return self.wanted if tables else min(self.wanted, _OWN_DIGITS)


@lru_cache(maxsize=16)
def _stored(kernel: Kernel, exactness: str, digits: int) -> KernelValues:
    # 1 and 1.0 are one key, so that what the values are is a part of it.
    return KernelValues(kernel, digits)


def _place(diagram: Diagram, group: YoungSubgroup) -> Any:
    """The tables of a diagram's segments, as `on_tables` takes them."""
    size = 1 + max((*diagram.left, *diagram.right), default=-1)
    tables = tables_of(diagram.left, diagram.right, group.parts, size)
    return tables[0] if len(tables) == 1 else tables


def _number(kernel: Kernel, diagram: Diagram) -> Rational | float:
    """A value as an exact number, or a ball and an exponential as a float."""
    value = kernel.on_diagram(diagram)
    if isinstance(value, (Exponential, flint.arb)):
        return float(enclosure(value))
    try:
        return Rational(exact_number(value))
    except (BadType, BadValue):
        raise NotExact(
            f"{kernel!r} is {shown(value)} on strings, no number: learning needs one, so give the "
            "kernel all of its parameters"
        ) from None


@attrs.frozen(init=False, repr=False, eq=False, slots=False)
class TemplateSplit(Shown):
    """The template part of a kernel on some templates, and what it leaves at equal strings.

    `matrix` is the template matrix N: a Matrix of rationals, or an array of floats where the
    kernel has no others; `kappa` holds K(x, x) for a string of each template and `residual`
    kappa - N_ii, which is at least 0 if the kernel is positive semidefinite. CLS is appended where
    the kernel asks for it; with cls=False the templates are taken as they are.

    >>> split = TemplateSplit(tasks.same_different(), attention(beta=1, gamma=1))
    >>> split, split.exactness, split.digits
    (<TemplateSplit of 2 templates of length 3, float: attention(beta=1, gamma=1)>, 'float', 8)
    >>> [str(cost) for cost in split.cost()]
    ['676.91269', '588.74832']
    >>> TemplateSplit(tasks.same_different(), attention())
    Traceback (most recent call last):
    ...
    symbench.errors.NotExact: attention() is ... on strings, no number: learning needs one, so ...
    """

    templates: tuple[Template, ...]
    kernel: Kernel
    labels: tuple[Rational, ...] | None
    weights: tuple[Rational, ...]
    digits: int | None
    lists: tuple[tuple[Rows, Vector], ...]  # N and kappa: exact, or two lists of floats
    values: KernelValues

    def __init__(
        self,
        task: Task | Iterable[Template],
        kernel: Kernel,
        cls: bool = True,
        *,
        digits: int = 8,
    ) -> None:
        known = template_matrix(task, kernel, cls=flag(cls, "cls"))
        templates = known.templates
        wanted = integer(digits, "digits", at_least=1, at_most=MOST_DIGITS - 1)
        pairs = [[Diagram.of_templates(z, w) for w in templates] for z in templates]
        own = [Diagram.from_codes(z.letters * 2) for z in templates]
        every = list(dict.fromkeys(d for row in (*pairs, own) for d in row))
        values = KernelValues.of(kernel, wanted)
        at = dict(zip(every, values.on(every), strict=True))
        lists = []
        for which in (0,) if values.digits is None else (0, -1):
            rows = [[at[d][which] for d in row] for row in pairs]
            lists.append((rows, [at[d][which] for d in own]))
        labels = task.numbers if isinstance(task, Task) else None
        size = len(templates)
        weights = task.weights if isinstance(task, Task) else (Fraction(1, size),) * size
        self.__attrs_init__(
            templates,
            kernel,
            labels,
            tuple(map(Rational, weights)),
            values.digits,
            tuple(lists),
            values,
        )
        self._check()

    def __repr__(self) -> str:
        size, length = len(self.templates), len(self.templates[0])
        about = f"{size} template{'s' * (size > 1)} of length {length}, {self.exactness}"
        return f"<TemplateSplit of {about}: {self.kernel!r}>"

    def __len__(self) -> int:
        return len(self.templates)

    def _check(self) -> None:
        """Refuse a kernel that is not symmetric or not positive semidefinite."""
        N, kappa = self.lists[-1]
        for i, z in enumerate(self.templates):
            if kappa[i] - N[i][i] < -_NEGATIVE * abs(kappa[i]):
                raise BadValue(
                    f"{self.kernel!r} is not positive semidefinite: on {z} it is "
                    f"{kappa[i]} at equal strings and {N[i][i]} at strings without common tokens"
                )
        found = np.array(N, dtype=float)
        if not np.allclose(found, found.T, rtol=_NEGATIVE, atol=0):
            raise BadValue(f"{self.kernel!r} is not symmetric: give K(x, y) = K(y, x)")
        values = np.linalg.eigvalsh(found)
        if values[0] < -_NEGATIVE * np.abs(values).max():
            raise BadValue(
                f"{self.kernel!r} is not positive semidefinite: its template matrix has the "
                f"eigenvalue {values[0]:.6g}"
            )

    # --- the two parts ------------------------------------------------------------------------
    @property
    def patterns(self) -> tuple[Template, ...]:
        """The templates, each the pattern of its strings."""
        return self.templates

    @property
    def exactness(self) -> str:
        """'exact' for rational values, else 'float'."""
        return "exact" if self.digits is None else "float"

    @cached_property
    def matrix(self) -> Matrix | Floats:
        """The template matrix N: exact, or an array of floats."""
        rows = self.lists[-1][0]
        return Matrix(rows, QQ) if self.digits is None else np.array(rows)

    @property
    def kappa(self) -> tuple[Number, ...]:
        """K(x, x) for a string x of each template."""
        return self._over(lambda N, kappa, solve: kappa)

    @property
    def residual(self) -> tuple[Number, ...]:
        """K(x, x) - N_ii: how much a string has of its own."""
        return self._over(lambda N, kappa, solve: [k - N[i][i] for i, k in enumerate(kappa)])

    @cached_property
    def regular_tokens(self) -> frozenset[str]:
        """The tokens that stand in some template, CLS among them; all others are put for wildcards.

        >>> sorted(TemplateSplit([Template("αS")], inner_product([1, 2, 3])).regular_tokens)
        ['S']
        """
        return frozenset(token for z in self.templates for token in z.tokens)

    def pattern(self, string: Any) -> Template:
        """The template of a string after every token that no template has becomes a wildcard.

        >>> same = [Template("αα").with_cls(), Template("AB").with_cls()]
        >>> split = TemplateSplit(same, inner_product(lambda n: n, incidence=True))
        >>> split.pattern("EE[CLS]"), split.pattern("AA[CLS]")
        (Template('αα[CLS]'), Template('AA[CLS]'))
        """
        word = self.read(string)
        new = dict.fromkeys(letter for letter in word if letter not in self.regular_tokens)
        return Template(word, wildcards=tuple(new)).canonical

    def read(self, string: Any) -> Word:
        """A string with CLS at its end where the templates have it, of their length."""
        word, length = Word(string), len(self.templates[0])
        if len(word) == length - 1 and all(z.letters[-1] == "CLS" for z in self.templates):
            word = Word((*word, "CLS"))
        if len(word) != length:
            raise BadShape(f"the string is {word}, of length {len(word)}: give one of {length}")
        return word

    # --- learning from strings without common tokens ------------------------------------------
    def predictions(self, counts: Any, labels: Any = None, *, ridge: Any = 0) -> tuple[Number, ...]:
        """What is predicted at each template from `counts` token-disjoint strings of each.

        Exactly f^T (N + L D^-1)^-1 N e_j, with L the ridge plus the residual. A count of 0 leaves
        a template out: what is then predicted at it comes from the others.

        >>> letters = [Template("αα").with_cls(), Template("αβ").with_cls()]
        >>> split = TemplateSplit(letters, inner_product(lambda n: n, incidence=True))
        >>> split.predictions([1, 1], [1, -1], ridge=1), split.predictions([2, 0], [1, -1], ridge=1)
        ((14/47, -8/47), (4/5, 8/15))
        """
        seen = self._counts(counts)
        shift = number(ridge, "the ridge", at_least=0)
        given = self.read_labels(labels)
        where = [i for i, n in enumerate(seen) if n]

        def compute(N: Rows, kappa: Vector, solve: Solve) -> Vector:
            if not where:
                return [shift * 0] * len(self)
            rows = _system(N, kappa, seen, shift)
            dual = solve(rows, [given[i] for i in where])
            return [_dot(dual, [N[i][j] for i in where]) for j in range(len(self))]

        return self._over(compute)

    def errors(self, counts: Any, labels: Any = None, *, ridge: Any = 0) -> tuple[Number, ...]:
        """How far the predictions are off the labels: their absolute errors at each template."""
        given = self.read_labels(labels)
        found = self.predictions(counts, labels, ridge=ridge)
        return tuple(
            FloatValue(abs(p.value - float(y)), p.digits)
            if isinstance(p, FloatValue)
            else Rational(abs(p - y))
            for p, y in zip(found, given, strict=True)
        )

    def at_infinity(self, template: Template, labels: Any = None) -> Number:
        """What is predicted at a template's strings over new tokens in the limit of many strings.

        It is f^T N^-1 N_z, z the pattern: a string of one template with a regular token of another
        has a pattern of its own.

        >>> pair = [Template("αα").with_cls(), Template("AB").with_cls()]
        >>> split = TemplateSplit(pair, inner_product(lambda n: n, incidence=True))
        >>> split.at_infinity(Template("αα").with_cls(), [1, -1]), split.at_infinity(
        ...     Template("AA").with_cls(), [1, -1])
        (1, 1/2)
        """
        given = self.read_labels(labels)
        instance(template, Template, "the template", "a Template such as Template('αβ')")
        if len(template) != len(self.templates[0]):
            raise BadShape(f"the template is {template}: give one of {len(self.templates[0])}")
        column = self.values.on(Diagram.of_templates(z, template) for z in self.templates)
        lists = iter((0, -1))

        def compute(N: Rows, kappa: Vector, solve: Solve) -> Vector:
            which = next(lists)
            return [_dot(solve(N, list(given)), [value[which] for value in column])]

        return self._over(compute)[0]

    def noise_gain(self, counts: Any, *, ridge: Any = 0) -> tuple[Number, ...]:
        """The variance of each prediction for independent noise of variance 1 on every label.

        >>> letters = [Template("αα").with_cls(), Template("αβ").with_cls()]
        >>> split = TemplateSplit(letters, inner_product(lambda n: n, incidence=True))
        >>> split.noise_gain([1, 1], ridge=1)
        (820/2209, 544/2209)
        """
        seen = self._counts(counts)
        shift = number(ridge, "the ridge", at_least=0)
        where = [i for i, n in enumerate(seen) if n]

        def compute(N: Rows, kappa: Vector, solve: Solve) -> Vector:
            rows, found = _system(N, kappa, seen, shift), []
            for j in range(len(self)):
                weights = solve(rows, [N[i][j] for i in where]) if where else []
                pairs = zip(weights, where, strict=True)
                found.append(sum((w * w / seen[i] for w, i in pairs), shift * 0))
            return found

        return self._over(compute)

    def cost(self, labels: Any = None, ridge: Any = 0) -> tuple[Number, ...]:
        """The numbers c_j: from n token-disjoint strings the error at template j is about c_j / n.

        With templates of equal probability c_j is r |(N^-1 f)_j| (ridge + residual_j). Where N is
        singular and the labels are orthogonal to its null space, N^-1 f stands for the solution
        that ridge regression tends to; other labels are not learned, and are refused.

        >>> pair = [Template("αβA"), Template("βαB")]
        >>> TemplateSplit(pair, inner_product([0, 1, 2, 3])).cost([1, 1], ridge=1)
        (6, 6)
        >>> TemplateSplit(tasks.same_different(), inner_product([1, 2, 3])).cost()
        Traceback (most recent call last):
        ...
        symbench.errors.NotInvertible: the labels are not learned: the template matrix has the ...
        """
        shift = number(ridge, "the ridge", at_least=0)
        given = self.read_labels(labels)
        null = self._null

        def compute(N: Rows, kappa: Vector, solve: Solve) -> Vector:
            size = range(len(self))
            L = [(shift + kappa[i] - N[i][i]) / self.weights[i] for i in size]
            rows = [list(row) for row in N]
            for v in null:
                if _dot(v, given):
                    shown_null = ", ".join(map(str, v))
                    raise NotInvertible(
                        "the labels are not learned: the template matrix has the null vector "
                        f"({shown_null}), which is not orthogonal to them"
                    )
                # The solution with v^T L g = 0 is the one that a small ridge picks.
                for i in size:
                    for j in size:
                        rows[i][j] += L[i] * v[i] * L[j] * v[j]
            dual = solve(rows, list(given))
            return [abs(g) * weight for g, weight in zip(dual, L, strict=True)]

        return self._over(compute)

    def limit(self, labels: Any = None, *, ridge: Any = 0) -> tuple[Number, ...]:
        """The errors as the number of strings of every template grows: 0 where N is nonsingular.

        In general they are the part of the labels in the null space of N, along L.

        >>> TemplateSplit(tasks.same_different(), inner_product([1, 2, 3])).limit()
        (1, 1)
        """
        shift = number(ridge, "the ridge", at_least=0)
        given, null = self.read_labels(labels), self._null

        def compute(N: Rows, kappa: Vector, solve: Solve) -> Vector:
            size = range(len(self))
            if not null:
                return [abs(shift * 0) for _ in size]
            L = [(shift + kappa[i] - N[i][i]) / self.weights[i] for i in size]
            scaled = [[weight * x for weight, x in zip(L, v, strict=True)] for v in null]
            gram = [[_dot(v, w) for w in scaled] for v in null]
            parts = solve(gram, [_dot(v, given) for v in null])
            return [abs(_dot(parts, [v[j] for v in scaled])) for j in size]

        return self._over(compute)

    # --- tokens in common ---------------------------------------------------------------------
    def meeting_probability(self, symbols: int) -> Matrix:
        """How likely it is that strings of two templates share a token put for wildcards.

        Each puts different tokens for its wildcards, uniformly from this many.

        >>> pair = TemplateSplit(tasks.same_different(), inner_product([1, 2, 3]))
        >>> pair.meeting_probability(10)
        Matrix([['1/10', '1/5'],
                ['1/5', '17/45']])
        """
        size = self._symbols(symbols)
        counts = [len(z.wildcards) for z in self.templates]
        none = [[Rational(comb(size - a, b), comb(size, b)) for b in counts] for a in counts]
        return Matrix([[1 - chance for chance in row] for row in none], QQ)

    def expected_residual(self, symbols: int) -> Matrix | Floats:
        """The mean of K_perp over independent strings of two templates with uniform symbols.

        Two templates with w and w' wildcards coincide along a matching of c of them with
        probability (m)_(w + w' - c) / ((m)_w (m)_w'), in falling factorials.

        >>> letters = [Template("αα").with_cls(), Template("αβ").with_cls()]
        >>> TemplateSplit(letters, inner_product(lambda n: n, incidence=True)).expected_residual(10)
        Matrix([['1/5', '1/5'],
                ['1/5', '1/5']])
        """
        size, lists = self._symbols(symbols), range(len(self.lists))
        total = [[[Rational(0)] * len(self) for _ in self.templates] for _ in lists]
        for i, z in enumerate(self.templates):
            for j, w in enumerate(self.templates[: i + 1]):
                met = list(_matchings(z, w))
                values = self.values.on(diagram for diagram, _ in met)
                for (_, c), value in zip(met, values, strict=True):
                    a, b = len(z.wildcards), len(w.wildcards)
                    chance = Rational(perm(size, a + b - c), perm(size, a) * perm(size, b))
                    for k in lists:
                        more = chance * (value[-k if k else 0] - self.lists[k][0][i][j])
                        total[k][i][j] += more
                for k in lists:
                    total[k][j][i] = total[k][i][j]
        return Matrix(total[0], QQ) if self.digits is None else np.array(total[-1], dtype=float)

    def _symbols(self, symbols: Any) -> int:
        most = max(len(z.wildcards) for z in self.templates)
        found = integer(symbols, "the number of symbols", at_least=0)
        if found < most:
            raise BadValue(
                f"the number of symbols is {found}: a template has {most} wildcards, so give at "
                f"least {most}"
            )
        return found

    # --- reading and computing ----------------------------------------------------------------
    def read_labels(self, labels: Any = None) -> tuple[Rational, ...]:
        """One exact number for each template: as given, or those of the task."""
        if labels is None:
            if self.labels is None:
                raise BadValue("the labels are not numbers: give one number for each template")
            return self.labels
        given = sequence(labels, "the labels", "a list of exact numbers")
        for label in given:
            if isinstance(label, str):
                number(label, "a label")
        found = numbers(given, "the labels")
        if len(found) != len(self):
            raise BadShape(f"there are {len(found)} labels: give one for each of {len(self)}")
        return found

    def _counts(self, counts: Any) -> tuple[int, ...]:
        found = integers(counts, "the counts", at_least=0)
        if len(found) != len(self):
            raise BadShape(f"there are {len(found)} counts: give one for each of {len(self)}")
        return found

    @cached_property
    def _null(self) -> tuple[tuple[Rational, ...], ...]:
        """A basis of the null space of N; floats decide only that there is none."""
        matrix = self.matrix
        if isinstance(matrix, Matrix):
            return tuple(tuple(map(Rational, v)) for v in matrix.nullspace())
        values = np.abs(np.linalg.eigvalsh(matrix))
        assert self.digits is not None
        if values.min() <= 10.0**-self.digits * values.max() * len(self):
            raise Undecided(
                f"the smallest eigenvalue of the template matrix is {values.min():.2g}: floats of "
                f"{self.digits} digits do not tell it from 0"
            )
        return ()

    def _over(self, compute: Callable[[Rows, Vector, Solve], Vector]) -> tuple[Number, ...]:
        """A computation on exact numbers, or on both lists of floats: the digits that agree."""
        if self.digits is None:
            return tuple(map(Rational, compute(*self.lists[0], _solve_exactly)))
        one, two = (compute(N, kappa, _solve_in_floats) for N, kappa in self.lists)
        return tuple(
            FloatValue(float(b), min(self.digits, agreement(float(a), float(b))))
            for a, b in zip(one, two, strict=True)
        )


def _matchings(z: Template, w: Template) -> Iterator[tuple[Diagram, int]]:
    """The ways in which strings of two templates share tokens: the diagram, and how many."""
    left, right = z.wildcards, w.wildcards
    size = min(len(left), len(right))
    ways = sum(comb(len(left), c) * perm(len(right), c) for c in range(size + 1))
    if ways > _MATCHINGS:
        raise TooLarge(
            f"strings of {z} and {w} can share tokens in {ways:,} ways: at most {_MATCHINGS:,} are "
            "added up"
        )
    letters = [(letter, "left" if letter in left else "") for letter in z.letters]
    for c in range(1, size + 1):
        for chosen in combinations(left, c):
            for images in permutations(right, c):
                same = dict(zip(images, chosen, strict=True))
                other = [
                    (same[x], "left") if x in same else (x, "right" if x in right else "")
                    for x in w.letters
                ]
                yield Diagram.from_codes((*letters, *other)), c


def _system(N: Rows, kappa: Vector, seen: Sequence[int], shift: Any) -> Rows:
    """N + L D^-1 for the templates that are seen, L the ridge plus the residual."""
    where = [i for i, n in enumerate(seen) if n]
    rows = [[N[i][j] for j in where] for i in where]
    for place, i in enumerate(where):
        rows[place][place] += (shift + kappa[i] - N[i][i]) / seen[i]
    return rows


def _dot(left: Iterable[Any], right: Iterable[Any]) -> Any:
    return sum((a * b for a, b in zip(left, right, strict=True)), Rational(0))


def _solve_exactly(rows: Rows, right: Vector) -> Vector:
    try:
        return list(Matrix(rows, QQ).solve(right))
    except NotInvertible:
        raise _singular() from None


def _solve_in_floats(rows: Rows, right: Vector) -> Vector:
    try:
        found: Vector = np.linalg.solve(
            np.array(rows, dtype=float), np.array(right, dtype=float)
        ).tolist()
    except np.linalg.LinAlgError:
        raise _singular() from None
    return found


def _singular() -> NotInvertible:
    return NotInvertible(
        "the kernel matrix is singular and the ridge does not help: give a ridge above 0"
    )
