"""NullSpace: what a template matrix does not see, in terms of templates.

Templates with equal rows of K_tau look alike to the kernel: whatever is learned with it, their
strings over unseen symbols get one and the same prediction. They are found by comparing rows. What
is left, one template of each class, is a smaller matrix, for which `certify` decides.

>>> M = template_matrix([Template("ααA"), Template("αβA"), Template("ααB")], inner_product())
>>> space = null_space(M)
>>> space
<NullSpace of 3 templates: 2 classes, rank 2>
>>> space.confused, space.vectors
(((Template('ααA'), Template('αβA')),), ((1, -1, 0),))
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Any

import attrs

from symbench._arguments import instance
from symbench.certificates import Certificate, RankIs, Singular
from symbench.decide.limits import Clock
from symbench.draw.progress import within
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import NotSupported, TooLarge, Undecided
from symbench.exact import QQ, Matrix, PowerSeries, Rational
from symbench.exact.arrays import Integers, np
from symbench.ktau.matrix import TemplateMatrix
from symbench.words import Template

Coefficients = tuple[Any, ...]

_CLASSES = 12  # that a notebook shows


@attrs.frozen(eq=False, repr=False, slots=False)
class NullSpace(Shown):
    """The null space of a template matrix; `null_space(matrix)` makes one.

    `classes` are the indices of templates with equal rows. `relations` are null vectors of the
    matrix of the first templates of the classes, None where it is not known whether there are any;
    `proof` is the certificate of that (searched for when it is asked for, if a function is given),
    or `reason` says what is missing.

    >>> space = null_space(template_matrix(tasks.same_different(), inner_product()))
    >>> space.classes, space.relations, space.is_zero, space.rank
    (((0, 1),), (), False, 1)
    """

    matrix: TemplateMatrix
    classes: tuple[tuple[int, ...], ...]
    relations: tuple[Coefficients, ...] | None
    _proof: Certificate | Callable[[], Certificate | None] | None
    reason: str = ""

    def __repr__(self) -> str:
        rank = "rank not known" if self.rank is None else f"rank {self.rank}"
        return f"<NullSpace of {len(self.matrix)} templates: {len(self.classes)} classes, {rank}>"

    def _view(self) -> View:
        said: list[tuple[str, Any]] = [("templates", len(self.matrix))]
        said.append(("rank", "not known" if self.rank is None else self.rank))
        said += [("look alike", group) for group in self.confused[:_CLASSES]]
        if len(self.confused) > _CLASSES:
            said.append(("...", f"{len(self.confused):,} classes look alike"))
        if self.relations:
            said.append(("relations between classes", len(self.relations)))
        if self.proof is not None:
            said.append(("proof", self.proof.explain()))
        said += [("not decided", self.reason)] * bool(self.reason)
        return card(f"the null space of K_tau: {self.matrix.kernel!r}", facts(said))

    @cached_property
    def proof(self) -> Certificate | None:
        """The certificate that there are no more null vectors; None where it is not known."""
        return self._proof() if callable(self._proof) else self._proof

    @property
    def is_zero(self) -> bool | None:
        """Whether the matrix is nonsingular; None where it is not decided."""
        if len(self.classes) < len(self.matrix):
            return False
        return None if self.relations is None else not self.relations

    @property
    def rank(self) -> int | None:
        """The rank of the matrix (with parameters, for generic ones); None if not decided."""
        return None if self.relations is None else len(self.classes) - len(self.relations)

    @property
    def confused(self) -> tuple[tuple[Template, ...], ...]:
        """The classes of two and more templates that look alike."""
        shown = self.matrix.templates
        return tuple(tuple(shown[i] for i in found) for found in self.classes if len(found) > 1)

    @cached_property
    def vectors(self) -> tuple[Coefficients, ...]:
        """Null vectors, one number for each template: a basis where `relations` is known."""
        size, found = len(self.matrix), []
        for first, *others in self.classes:
            for i in others:
                vector = [Rational(0)] * size
                vector[first], vector[i] = Rational(1), Rational(-1)
                found.append(tuple(vector))
        firsts = [members[0] for members in self.classes]
        for relation in self.relations or ():
            placed: list[Any] = [Rational(0)] * size
            for i, x in zip(firsts, relation, strict=True):
                placed[i] = x
            found.append(tuple(placed))
        return tuple(found)

    def certificate(self, vector: Coefficients) -> Singular:
        """The certificate that the matrix is singular, by a vector of the null space."""
        rational = all(isinstance(x, Rational) for x in vector)
        null = Matrix([[x] for x in vector], QQ if rational else None)
        found = Singular(null=null, subject=self.matrix.plain, about=self.matrix.about)
        if not (rational and found.check()):  # the templates alone do not tell
            found = attrs.evolve(found, subject=self.matrix.matrix)
        if not found.check():
            raise Undecided(f"{vector} is no null vector of {self.matrix!r}: take one of vectors")
        return found


def null_space(matrix: TemplateMatrix, *, timeout: float | None = None) -> NullSpace:
    """The null space of a template matrix, as far as it is decided.

    Classes of equal rows are read off the values of the kernel, or off the templates where a
    theorem says what the kernel sees of them. The timeout in seconds is for all of it: the entries,
    and the search on one template of each class.

    >>> three = [Template("αβα"), Template("αββ"), Template("αβγ")]
    >>> null_space(template_matrix(three, attention(gamma=0))).confused
    ((Template('αβα[CLS]'), Template('αββ[CLS]')),)
    >>> null_space(template_matrix(three, attention())).proof.kind
    'one-point'
    """
    found = instance(matrix, TemplateMatrix, "the matrix", "template_matrix(task, kernel)")
    clock = Clock(timeout)
    try:
        with within(clock.left()):
            classes = row_classes(found)
    except Undecided as error:  # out of time: only what every kernel confuses is known
        return NullSpace(found, _grouped(found.plain.seen), None, None, clock.reason(error))
    reduced = found.part([members[0] for members in classes])
    try:
        return NullSpace(found, classes, *_relations(reduced, clock))
    except (Undecided, NotSupported, TooLarge) as error:
        return NullSpace(found, classes, None, None, clock.reason(error))


def row_classes(matrix: TemplateMatrix) -> tuple[tuple[int, ...], ...]:
    """The indices of templates with equal rows."""
    return _grouped(_names(matrix))


def _grouped(names: Iterable[Any]) -> tuple[tuple[int, ...], ...]:
    """The places of equal names."""
    found: dict[Any, list[int]] = {}
    for i, name in enumerate(names):
        found.setdefault(name, []).append(i)
    return tuple(map(tuple, found.values()))


def _names(matrix: TemplateMatrix) -> Any:
    """A name for every row: rows with equal names are equal."""
    plain = matrix.plain
    if plain.counted:
        return plain.types
    if matrix.is_separated or matrix.kernel.exactness != "exact":
        return plain.seen
    numbers, values, ring = matrix.grouped
    if isinstance(ring, PowerSeries):  # equal to some order only
        return plain.seen
    first: dict[str, int] = {}  # FLINT's polynomials have no hash, but a text
    lookup = np.zeros(max(values) + 1, dtype=np.int64)
    for number, value in values.items():
        lookup[number] = first.setdefault(str(ring.encode(value)), number)
    same: Integers = np.ascontiguousarray(lookup[numbers])
    return [row.tobytes() for row in same]


def _relations(
    matrix: TemplateMatrix, clock: Clock
) -> tuple[tuple[Coefficients, ...], Certificate]:
    """Null vectors of a matrix with different rows, and the certificate that there are no more."""
    proof = matrix.certify(timeout=clock.left())
    if not isinstance(proof, Singular):
        return (), proof
    proof = matrix.certify(question="rank", timeout=clock.left())
    if isinstance(proof, RankIs):
        rows = [[Rational(x) if isinstance(x, int) else x for x in row] for row in proof.null.rows]
        return tuple(zip(*rows, strict=True)), proof
    # By types a template without tokens has a row of zeros.
    zeros = [i for i, (tokens, _) in enumerate(matrix.plain.types) if not tokens]
    units = (tuple(Rational(int(i == j)) for j in range(len(matrix))) for i in zeros)
    return tuple(units), proof
