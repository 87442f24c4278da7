"""The template matrix K_tau: a kernel on templates with fresh substitutions.

Entry (i, j) is K(sub(z_i, s), sub(z_j, s')) for substitutions by different tokens that occur in
none of the templates; the diagonal, too, has two of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs

from symbench._arguments import choice, flag, integer, renamed
from symbench.certificates import (
    KINDS,
    Certificate,
    Singular,
    TemplateRank,
    Templates,
    TypeRank,
)
from symbench.decide import QUESTIONS, certify
from symbench.decide.limits import Workers, seconds
from symbench.draw.figures import Figure, heat_map
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, as_html, card, columns_text, facts, sheet
from symbench.errors import BadValue, NotSupported, SymbenchError, TooLarge
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.arrays import Array, Integers, np
from symbench.exact.latex import cut_formula
from symbench.exact.ring import Ring
from symbench.kernels.base import Kernel, check_kernel_type, check_templates
from symbench.kernels.derivatives.features import Features
from symbench.kernels.diagram import Diagram
from symbench.kernels.generic import Generic
from symbench.ktau.points import modular_points, one_point, separating_point
from symbench.ktau.theorems import kernel_facts, plain_templates
from symbench.words import Task, Template
from symbench.words.letters import CLS

_ALGORITHMS = ("one-point", "modular", "matrix")
_BY_THEOREM = ("nonsingular", "positive-definite", "rank")
_SHOWN = 20  # templates named in a sentence
# In a notebook: templates whose entries are shown, characters of an entry, order of a series.
_CORNER, _ENTRY, _ORDER = 8, 40, 6
# In a picture: templates, and characters of an entry.
_CELLS, _SHORT = 40, 8


def _flag(value: Any) -> bool:
    return flag(value, "cls_appended")


@attrs.frozen(repr=False, slots=False)
class TemplateMatrix(Shown):
    """The template matrix of a kernel; `template_matrix(task, kernel)` makes one.

    `matrix` holds the exact entries, built when first asked for; `certify` needs it only where
    no theorem decides from the templates alone.
    """

    templates: tuple[Template, ...] = attrs.field(converter=check_templates)
    kernel: Kernel = attrs.field(converter=check_kernel_type)
    cls_appended: bool = attrs.field(default=False, converter=_flag)
    labels: tuple[Any, ...] | None = attrs.field(default=None, eq=False, kw_only=True)

    def __repr__(self) -> str:
        note = ", CLS appended" if self.cls_appended else ""
        size, length = len(self.templates), len(self.templates[0])
        return f"<K_tau of {size} templates of length {length}{note}: {self.kernel!r}>"

    def __len__(self) -> int:
        return len(self.templates)

    def _view(self) -> View:
        names = [str(z) for z in self.templates[:_CORNER]]
        left = len(self) - len(names)
        more = [f"... {len(self):,} templates in all: .matrix has the entries"] if left else []
        try:
            corner = self._corner()
        except SymbenchError as error:
            listed = facts([("templates", self.templates), ("entries", str(error))])
            return card(repr(self)[1:-1], listed)
        # Entries that are long are cut: a series says its beginning.
        write = as_html if corner.ring.variables else str
        cells = [
            [write(cut_formula(corner.ring.text(x), _ENTRY)) for x in row] for row in corner.rows
        ]
        rows = [["", *names], *([z, *row] for z, row in zip(names, cells, strict=True))]
        return sheet(repr(self)[1:-1], columns_text(rows), *more)

    def _corner(self) -> Matrix:
        """The entries of the first templates; refused where they are no more than text."""
        order = getattr(self.kernel, "order", 0)
        if self.kernel.exactness == "exact" and order > _ORDER:
            raise NotSupported(f"series to order {order}: .matrix has them")
        return attrs.evolve(self, templates=self.templates[:_CORNER], labels=None).matrix

    @cached_property
    def matrix(self) -> Matrix:
        """The exact matrix."""
        numbers, values, ring = self.grouped
        entries = [[values[n] for n in row] for row in numbers.tolist()]
        shape = (len(self), len(self))
        return Matrix._make(ring.rep(entries, shape), shape, ring)

    def plot(self, path: str | Path | None = None) -> Figure:
        """The entries as cells, in one colour where they are equal, saved if a path is given.

        >>> axes = template_matrix(tasks.same_different(), inner_product()).plot().axes[0]
        >>> [text.get_text() for text in axes.texts]
        ['kappa0', 'kappa0', 'kappa0', 'kappa0']
        """
        if len(self) > _CELLS:
            raise TooLarge(
                f"a picture of {len(self):,} templates cannot be read: give at most {_CELLS}, or "
                "ask .matrix for the entries"
            )
        numbers, values, ring = self.grouped
        written = {n: ring.text(value) for n, value in values.items()}
        # Colours are ranks: those of numbers by size, those of other entries as they come.
        order = sorted(values, key=lambda n: values[n]) if ring in (ZZ, QQ) else list(values)
        ranks: dict[str, int] = {}
        for n in order:
            ranks.setdefault(written[n], len(ranks))
        names = [str(template) for template in self.templates]
        rows = [[written[n] for n in row] for row in numbers.tolist()]
        return heat_map(
            path,
            np.array([[ranks[text] for text in row] for row in rows]),
            names,
            names,
            names=("", ""),
            title=repr(self)[1:-1],
            texts=[[cut_formula(text, _SHORT) for text in row] for row in rows],
            downwards=True,
        )

    @cached_property
    def grouped(self) -> tuple[Integers, dict[int, Any], Ring]:
        """The matrix with numbers for its entries: the numbers, what they stand for, and the ring.

        >>> numbers, values, ring = template_matrix(tasks.same_different(), inner_product()).grouped
        >>> numbers.tolist(), values
        ([[0, 0], [0, 0]], {0: kappa0})
        """
        if self.kernel.exactness == "float":
            raise NotSupported(
                f"the entries of {self!r} are floats, which decide nothing: leave beta out for "
                "exact series, or look at the float matrix by conditioning()"
            )
        numbers, values = self._by_words() or self._by_entries()
        # The ring is that of the different values, each of which is read once.
        row = Matrix([list(values.values())])
        return numbers, dict(zip(values, row.rows[0], strict=True)), row.ring

    def _by_words(self) -> tuple[Integers, dict[int, Any]] | None:
        """The entries from the kernel's own way for many words."""
        method = getattr(self.kernel, "grouped", None)
        if not callable(method):
            return None
        left, right = self._fresh_words()
        found: tuple[Integers, dict[int, Any]] | None = method(left, right)
        return found

    def _by_entries(self) -> tuple[Integers, dict[int, Any]]:
        """The entries one by one, or as the kernel lists them, each different one numbered."""
        entries = getattr(self.kernel, "template_entries", None)
        if entries is not None:
            rows = entries(self.templates)
            known = {id(value): value for row in rows for value in row}
            number = {name: n for n, name in enumerate(known)}
            numbers = np.array([[number[id(value)] for value in row] for row in rows], np.int64)
            return numbers, dict(enumerate(known.values()))
        size, length = len(self), len(self.templates[0])
        left, right = self._fresh_words()
        numbers = np.empty((size, size), dtype=np.int64)
        values: list[Any] = []
        seen: dict[bytes, int] = {}  # by the pattern of both strings: one for each diagram
        with progress("entries of the template matrix", size * size) as report:
            for i, word in enumerate(left):
                for j, codes in enumerate(_patterns(word, right)):
                    place = seen.setdefault(codes.tobytes(), len(values))
                    if place == len(values):
                        both = tuple(codes.tolist())
                        values.append(self._value(Diagram(both[:length], both[length:])))
                    numbers[i, j] = place
                    report(1)
        return numbers, dict(enumerate(values))

    def _fresh_words(self) -> tuple[Integers, Integers]:
        """The templates as strings of numbers, twice: with other tokens for the wildcards."""
        rows = np.array(self.plain.numbers, dtype=np.int64)
        # Wildcards are negative; the tokens put for them are new on either side.
        tokens, length = len(self.plain.tokens), rows.shape[1]
        left, right = (np.where(rows < 0, new - rows, rows) for new in (tokens, tokens + length))
        return left, right

    def _value(self, diagram: Diagram) -> Any:
        try:
            return self.kernel.on_diagram(diagram)
        except SymbenchError:
            raise
        except Exception as error:  # of a kernel that is not ours
            raise BadValue(f"{self.kernel!r} fails at {diagram!r}: {error!r}") from error

    @property
    def features(self) -> Features:
        """The feature vectors of the templates, where the kernel has them."""
        vectors = getattr(self.kernel, "template_features", None)
        if vectors is None:
            raise NotSupported(f"{self.kernel!r} has no features")
        found: Features = vectors(self.templates)
        return found

    # --- what is known of it without its entries --------------------------------------------
    @cached_property
    def plain(self) -> Templates:
        """The templates, their labels and what is known of the kernel, as plain data."""
        return plain_templates(self.templates, kernel_facts(self.kernel), labels=self.labels)

    @property
    def is_separated(self) -> bool:
        """Whether theorem `symbench.positive-definite` speaks of it."""
        kernel = self.plain.kernel
        return self.is_generic if kernel is None else kernel.separates

    @property
    def is_generic(self) -> bool:
        """Whether its entries are variables, one for each diagram and its flip."""
        return type(self.kernel) is Generic

    def as_subjects(self, kind: str) -> Iterator[Templates | Matrix]:
        """What a certificate of a kind may be about, as plain data; entries take time, last."""
        cls = KINDS.get(kind)
        # Of a kernel that nothing is known of, only null vectors of all kernels say something.
        spoken_of = self.plain.kernel is not None or self.is_generic or cls is Singular
        if cls is not None and Templates in cls.about_types and spoken_of:
            yield self.plain
        if cls is not None and Matrix in cls.about_types and self.kernel.exactness != "float":
            yield self.matrix

    @renamed(road="algorithm")
    def certify(
        self,
        *,
        question: str = "nonsingular",
        algorithm: str | None = None,
        timeout: float | None = None,
    ) -> Certificate:
        """Decide a question by the cheapest valid algorithm, or by the one asked for.

        algorithm is 'one-point' (softmax attention, positive definite for every beta, gamma != 0;
        or the generic kernel), 'modular' (softmax attention, nonsingular for every nonzero
        algebraic beta^2) or 'matrix' (the exact entries). With a timeout in seconds the search
        runs in a process of its own.

        >>> M = template_matrix(tasks.same_different(), attention())
        >>> M.certify(algorithm="modular").kind
        'modular-points'
        >>> M.certify(algorithm="short")
        Traceback (most recent call last):
        ...
        symbench.errors.UnknownName: the algorithm is 'short': give one of one-point, modular, ...
        """
        choice(question, "the question", QUESTIONS)
        if algorithm is not None:
            choice(algorithm, "the algorithm", _ALGORITHMS)
        limit = seconds(timeout)
        if limit is None or (self.is_listed and not self.is_separated):
            return attrs.evolve(self._found(question, algorithm, limit), about=self.about)
        with Workers() as workers:
            plain = attrs.evolve(self)  # without what was computed, which cannot always be sent
            return workers.run(_certify, plain, question, algorithm, timeout=limit)

    @property
    def is_listed(self) -> bool:
        """Whether the entries have been computed."""
        return "grouped" in vars(self)

    def part(self, chosen: Sequence[int]) -> TemplateMatrix:
        """The matrix of some of the templates; entries that are there are not computed again.

        >>> M = template_matrix([Template("αα"), Template("αβ"), Template("Aα")], inner_product())
        >>> M.part([0, 2])
        <K_tau of 2 templates of length 2: inner_product()>
        """
        found = attrs.evolve(self, templates=[self.templates[i] for i in chosen], labels=None)
        if self.is_listed:
            numbers, values, ring = self.grouped
            some = numbers[np.ix_(chosen, chosen)]
            vars(found)["grouped"] = some, {n: values[n] for n in np.unique(some).tolist()}, ring
        return found

    @property
    def about(self) -> dict[str, str]:
        """What a file says of where the certificate comes from."""
        shown = [str(z) for z in self.templates[:_SHOWN]]
        if self.labels is not None:
            shown = [f"{z} -> {label}" for z, label in zip(shown, self.labels, strict=False)]
        more = len(self.templates) - len(shown)
        rest = f", and {more:,} more" if more else ""
        return {"templates": f"{', '.join(shown)}{rest}", "kernel": repr(self.kernel)}

    def _found(self, question: str, algorithm: str | None, limit: float | None) -> Certificate:
        if algorithm == "matrix":
            return certify(self.matrix, question=question, timeout=limit)
        by_theorem = question in _BY_THEOREM
        separated = by_theorem and self.is_separated
        if question == "positive-definite" or algorithm == "modular":
            separated = separated and not self.is_generic
        if algorithm is not None and (not separated or question == "rank"):
            raise NotSupported(
                f"the algorithm {algorithm} is for softmax attention with beta, gamma != 0 and for "
                f"transformers over it, not for {question} of {self.kernel!r}"
            )
        if question == "rank" and separated:
            xi, y = separating_point(self.plain, distinct=True)
            rank = len(set(self.plain.numbers))
            return TemplateRank(rank=rank, xi=xi, y=y, subject=self.plain)
        if by_theorem and question != "rank":
            null = self._null_vector()
            if null is not None:
                return null
        if separated:
            found = modular_points if algorithm == "modular" else one_point
            return found(self.plain)
        if by_theorem and self.plain.counted:
            with_token = {found for found in self.plain.types if found[0]}
            return TypeRank(rank=len(with_token), subject=self.plain)
        return certify(self.matrix, question=question, timeout=limit)

    def _null_vector(self) -> Singular | None:
        """A null vector that can be told from the templates: equal rows, or a row of zeros."""
        plain = self.plain
        known: dict[Any, int] = {}
        vector = [0] * len(self)
        for n, name in enumerate(plain.types if plain.counted else plain.seen):
            first = known.setdefault(name, n)
            if first != n:
                vector[first], vector[n] = 1, -1
                return Singular(null=Matrix([[x] for x in vector], QQ), subject=plain)
        empty = [not tokens for tokens, _ in plain.types] if plain.counted else []
        if any(empty):
            vector[empty.index(True)] = 1
            return Singular(null=Matrix([[x] for x in vector], QQ), subject=plain)
        return None


def _certify(matrix: TemplateMatrix, question: str, algorithm: str | None) -> Certificate:
    """In a worker: certify, whose options are keywords."""
    return matrix.certify(question=question, algorithm=algorithm)


def _patterns(word: Integers, others: Integers) -> Array:
    """The patterns of a word followed by each of the others: tokens by order of appearance."""
    both = np.hstack([np.broadcast_to(word, (len(others), len(word))), others])
    codes = np.zeros(both.shape, dtype=np.int32)
    tokens = np.ones(len(both), dtype=np.int32)  # the first letter is number 0
    for place in range(1, both.shape[1]):
        same = both[:, :place] == both[:, place, None]
        old = same.any(axis=1)
        first = np.take_along_axis(codes, same.argmax(axis=1)[:, None], axis=1)[:, 0]
        codes[:, place] = np.where(old, first, tokens)
        tokens += ~old
    return codes


def template_matrix(
    task: Task | Iterable[Template],
    kernel: Kernel,
    *,
    cls: bool = True,
    alphabet: int | None = None,
) -> TemplateMatrix:
    """The template matrix K_tau of a task, or of any list of templates of one length.

    Equivalent and overlapping templates are allowed. CLS is appended where the kernel asks for
    it; with cls=False the templates are taken as they are. With an alphabet of finite size, it
    must have room for two fresh substitutions beside the regular tokens: at least |R| + 2 |W|
    tokens.

    >>> M = template_matrix(tasks.same_different(), attention())
    >>> M
    <K_tau of 2 templates of length 3, CLS appended: attention()>
    >>> sb.certify(M).explain()
    'K_tau of softmax attention is positive definite for every beta, gamma != 0: distinct ...'
    >>> sb.certify(template_matrix(tasks.same_different(), inner_product())).vector
    (-1, 1)
    >>> template_matrix(tasks.same_different(), attention(), cls=False)
    <K_tau of 2 templates of length 2: attention()>
    >>> template_matrix(tasks.same_different(), attention(), alphabet=4)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: an alphabet of 4 tokens is too small: 1 regular and 2 x 2 fresh ones
    """
    found = check_templates(task.templates if isinstance(task, Task) else task)
    wanted = flag(cls, "cls") and check_kernel_type(kernel).needs_cls
    append = wanted and not all(map(ends_in_cls, found))
    if append:
        found = tuple(z.with_cls() for z in found)
    if alphabet is not None:
        _check_alphabet(found, integer(alphabet, "the alphabet's size", at_least=1))
    labels = task.labels if isinstance(task, Task) else None
    return TemplateMatrix(found, kernel, append, labels=labels)


def ends_in_cls(z: Template) -> bool:
    """Whether the last letter is the token CLS."""
    return bool(z.letters) and z.letters[-1] == CLS and CLS not in z.wildcards


def _check_alphabet(templates: tuple[Template, ...], size: int) -> None:
    tokens = {token for z in templates for token in z.tokens}
    most = max(len(z.wildcards) for z in templates)
    if size < len(tokens) + 2 * most:
        raise BadValue(
            f"an alphabet of {size} tokens is too small: "
            f"{len(tokens)} regular and 2 x {most} fresh ones"
        )
