"""AtlasEntry: the null space of the template matrix of a kernel, for a whole family of templates.

For a positive semidefinite kernel v^T K v = 0 says that K v = 0. So a vector on the templates of a
task is a null vector of the task's matrix iff it is one of the family's matrix, with zeros at the
other templates: what a task confuses is read off the null space of its family.

>>> entry = AtlasEntry.build(Family.of_length(3), "identity", KERNELS["identity"])
>>> entry
<AtlasEntry: identity on 5 templates of length 3: 5 classes, rank 4>
>>> space = entry.null_space(tasks.aba_abb())
>>> space.rank, entry.check()
(2, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.atlas.families import Family
from symbench.atlas.kernels import KERNELS
from symbench.certificates import (
    Certificate,
    Nonsingular,
    NotPositiveDefinite,
    OnePoint,
    RankIs,
    TypeRank,
)
from symbench.certifying import certify
from symbench.draw.views import Shown
from symbench.errors import BadCertificate, BadValue, NotSupported, SymbenchError, Undecided
from symbench.exact import QQ, Matrix, PowerSeries, Rational
from symbench.exact.rational import number_text
from symbench.kernels.base import Kernel
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.null_space import NullSpace, null_space, row_classes
from symbench.words import Task, Template

# Fields of a certificate that its search finds again, and null vectors, which the entry has.
_LEFT_OUT = ("modulus", "inverse", "null")
# The kinds that say how many null vectors there are: none, or as many as a rank leaves.
_DECIDING = (Nonsingular, OnePoint, TypeRank, RankIs)

Vector = dict[int, Rational]


@attrs.frozen(eq=False, repr=False, slots=False)
class AtlasEntry(Shown):
    """What a kernel confuses of a family of templates; `AtlasEntry.build` makes one.

    `classes` has a number for each template: those with equal rows have the same one. `relations`
    are null vectors of the matrix of the first template of each class, in reduced form: each has
    the place of a class that no other one has. It is None, with a `reason`, where it is undecided.

    Both the relations and the certificate are kept as they are written, and read when needed.
    """

    family: Family
    name: str
    kernel: Kernel
    classes: tuple[int, ...]
    stored: tuple[Mapping[str, str], ...] | None  # null vectors, by class, as texts
    stored_proof: Mapping[str, Any] | None
    reason: str = ""

    def __repr__(self) -> str:
        size, rank = (
            len(self.family),
            "rank not known" if self.rank is None else f"rank {self.rank}",
        )
        found = f"{len(set(self.classes))} classes, {rank}"
        return (
            f"<AtlasEntry: {self.name} on {size} templates of length {self.family.length}: {found}>"
        )

    @property
    def rank(self) -> int | None:
        """The rank of the matrix of the whole family; None where it is undecided."""
        return None if self.stored is None else len(set(self.classes)) - len(self.stored)

    @cached_property
    def relations(self) -> tuple[Vector, ...] | None:
        """Null vectors of the matrix of the first template of each class, by class."""
        return None if self.stored is None else tuple(map(_read, self.stored))

    @cached_property
    def proof(self) -> Certificate | None:
        """The certificate that there are no more null vectors."""
        if self.stored_proof is None:
            return None
        named = self.stored_proof.get("kind")
        kind = next((kind for kind in _DECIDING if kind.kind == named), None)
        if kind is None:
            raise BadCertificate(f"a certificate of kind {shown(named)} decides no null space")
        fields = {name: value for name, value in self.stored_proof.items() if name != "kind"}
        if kind is RankIs:
            relations, size = self.relations or (), len(set(self.classes))
            rows = [[found.get(n, Rational(0)) for found in relations] for n in range(size)]
            fields["null"] = Matrix._of(rows, (size, len(relations)), QQ).to_json()
        return kind.from_json(fields)

    @cached_property
    def matrix(self) -> TemplateMatrix:
        """The template matrix of the whole family."""
        return template_matrix(self.family.templates, self.kernel)

    # --- how it is found ----------------------------------------------------------------------
    @classmethod
    def build(cls, family: Family, name: str, kernel: Kernel) -> AtlasEntry:
        """The entry of a family and a kernel, found by elimination or by a theorem."""
        space = null_space(template_matrix(family.templates, kernel))
        classes = _numbered(space.classes)
        if space.relations is None or kernel.exactness == "ball":
            reason = space.reason or "its values are known as balls, which prove no null vector"
            return cls(family, name, kernel, classes, None, None, reason)
        if not all(isinstance(x, Fraction) for vector in space.relations for x in vector):
            raise NotSupported(
                f"the null vectors of {kernel!r} have parameters as entries: give it numbers"
            )
        stored = tuple(
            {str(n): number_text(x) for n, x in enumerate(vector) if x != 0}
            for vector in space.relations
        )
        found = cls(family, name, kernel, classes, stored, _written(space.proof))
        if not found._is_semidefinite:
            raise BadValue(
                f"{kernel!r} is not positive semidefinite on templates of length {family.length}, "
                "so there is no regression with it"
            )
        return found

    @property
    def _is_semidefinite(self) -> bool:
        """Whether the kernel is: else its null space says nothing of parts.

        A symmetric matrix of rank r is positive semidefinite iff the principal minor of r
        independent columns is positive definite.
        """
        reduced = self._reduced
        if self.name in KERNELS or reduced.plain.kernel is not None:
            return True
        if reduced.matrix.ring.variables or isinstance(reduced.matrix.ring, PowerSeries):
            return True
        proof = self.proof
        chosen = proof.columns if isinstance(proof, RankIs) else range(len(reduced))
        if not chosen:
            return True
        rows = reduced.matrix.submatrix(chosen, chosen)
        return not isinstance(certify(rows, question="positive-definite"), NotPositiveDefinite)

    @cached_property
    def _reduced(self) -> TemplateMatrix:
        """The matrix of the first template of each class."""
        firsts = [self.classes.index(n) for n in range(len(set(self.classes)))]
        chosen = tuple(self.matrix.templates[i] for i in firsts)
        return attrs.evolve(self.matrix, templates=chosen)

    def check(self) -> bool:
        """Whether the entry is right: rows are compared, the certificate is checked, no search.

        The matrix is built from the kernel anew. Of a kernel of one's own it is decided again
        whether it is positive semidefinite.
        """
        if self.classes != _numbered(row_classes(self.matrix)):
            return False
        try:
            relations, proof = self.relations, self.proof
        except SymbenchError:  # what is written is no null vector, or no certificate
            return False
        if relations is None or proof is None:
            return relations is None and proof is None
        size = len(set(self.classes))
        left = size - getattr(proof, "rank", size)
        # Of null vectors only a certificate speaks that has them in it.
        decided = len(relations) == left and (isinstance(proof, RankIs) or not left)
        return decided and proof.check(self._reduced) and self._is_semidefinite

    # --- what it says of a task ---------------------------------------------------------------
    def null_space(self, task: Task | Sequence[Template]) -> NullSpace:
        """What the kernel does not see of a task, or of a list of templates of the family.

        The certificate of the answer is found when it is asked for, from the task alone.
        """
        templates = task.templates if isinstance(task, Task) else tuple(task)
        places = self.family.places(templates)
        if places is None:
            raise BadValue(f"{self.family!r} does not have all of {', '.join(map(str, templates))}")
        return self.part(task, places)

    def part(self, task: Task | Sequence[Template], places: Sequence[int]) -> NullSpace:
        """The null space of a task whose templates stand at these places of the family."""
        matrix = template_matrix(task, self.kernel)
        classes: dict[int, list[int]] = {}
        for n, place in enumerate(places):
            classes.setdefault(self.classes[place], []).append(n)
        members = tuple(map(tuple, classes.values()))
        if self.stored is None:
            return NullSpace(matrix, members, None, None, self.reason)
        relations = self._part(list(classes))
        return NullSpace(matrix, members, relations, self._search(matrix, members, relations))

    def _part(self, classes: Sequence[int]) -> tuple[tuple[Rational, ...], ...]:
        """The null vectors that vanish but on these classes, a basis."""
        place = {number: n for n, number in enumerate(classes)}
        # Each relation has a class of its own: if that is not here, no combination needs it.
        stored = self.stored or ()
        used = [_read(stored[n]) for n, number in enumerate(self._own) if number in place]
        outside = sorted({n for found in used for n in found if n not in place})
        if outside:
            rows = [[found.get(n, Rational(0)) for found in used] for n in outside]
            used = [_combined(mix, used) for mix in Matrix(rows, QQ).nullspace()]
        size = range(len(classes))
        return tuple(tuple(found.get(classes[n], Rational(0)) for n in size) for found in used)

    @cached_property
    def _own(self) -> list[int]:
        """For each relation a class that no other one has."""
        times = Counter(n for found in self.stored or () for n in found)
        own = [next((int(n) for n in found if times[n] == 1), -1) for found in self.stored or ()]
        if -1 in own:
            raise BadCertificate("the null vectors of an entry are not in reduced form")
        return own

    def _search(
        self, matrix: TemplateMatrix, classes: tuple[Any, ...], relations: tuple[Any, ...]
    ) -> Callable[[], Certificate | None]:
        """The certificate of an answer, by a search that knows nothing of the atlas."""

        def search() -> Certificate | None:
            direct = null_space(matrix)
            if direct.classes != classes or direct.rank != len(classes) - len(relations):
                raise Undecided(f"{self!r} does not agree with {matrix!r}: build the atlas anew")
            return direct.proof

        return search

    # --- files --------------------------------------------------------------------------------
    def to_json(self) -> dict[str, Any]:
        """The entry as plain data; of the certificate what the rest does not say."""
        return {
            "kernel": self.name,
            "classes": list(self.classes),
            "relations": None if self.stored is None else list(map(dict, self.stored)),
            "proof": None if self.stored_proof is None else dict(self.stored_proof),
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, family: Family, kernel: Kernel, data: Mapping[str, Any]) -> AtlasEntry:
        """The entry that `to_json` wrote; what it says is not checked, its form is."""
        written: Any = map(data.get, ("kernel", "classes", "relations", "proof", "reason"))
        name, classes, stored, proof, reason = written
        if not isinstance(classes, list) or set(map(type, classes)) - {int}:
            raise BadCertificate(f"the classes of an entry are {shown(classes)}: give integers")
        if len(classes) != len(family):
            raise BadCertificate(f"an entry has {len(classes)} classes for {len(family)} templates")
        numbers = set(map(str, range(len(set(classes)))))
        if not isinstance(stored, (list, type(None))) or not all(
            isinstance(vector, dict) and numbers.issuperset(vector) for vector in stored or ()
        ):
            said = shown(stored)
            raise BadCertificate(f"the relations of an entry are {said}: give texts by class")
        if not isinstance(proof, (dict, type(None))) or not isinstance(reason, str):
            raise BadCertificate("the proof of an entry is an object or null, its reason a text")
        relations = None if stored is None else tuple(stored)
        return cls(family, name, kernel, tuple(classes), relations, proof, reason)


def _written(proof: Certificate | None) -> dict[str, Any] | None:
    """A certificate as plain data, without what the entry says or others find again."""
    if proof is None:
        return None
    fields = {"kind": proof.kind, **proof.to_json()}
    return {name: value for name, value in fields.items() if name not in _LEFT_OUT}


def _combined(mix: Sequence[Rational], vectors: Sequence[Vector]) -> Vector:
    """A sum of multiples of null vectors."""
    total: Vector = {}
    for x, found in zip(mix, vectors, strict=True):
        for n, y in found.items() if x else ():
            total[n] = Rational(total.get(n, 0) + x * y)
    return total


def _read(stored: Mapping[str, str]) -> Vector:
    vector = {int(n): Rational(QQ.decode(x)) for n, x in stored.items()}
    if not all(vector.values()):  # a class with a zero could be taken for a class of its own
        raise BadCertificate("a null vector of an entry has a zero: leave it out")
    return vector


def _numbered(classes: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """The number of its class for each template."""
    number = {i: n for n, members in enumerate(classes) for i in members}
    return tuple(number[i] for i in range(len(number)))
