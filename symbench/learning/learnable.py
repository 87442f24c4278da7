"""Is a task learnable? The answer in words, with its certificate: `sb.learnable`.

Ridge regression with a token-symmetric kernel K predicts, on a string whose wildcards stand for
symbols that it has never seen, a combination of the rows of the template matrix K_tau. So it learns
every labelling of the templates if K_tau is nonsingular (boix2024, Lemma C.2), and otherwise those
labellings that are orthogonal to its null space: the predictions always are.

>>> print(learnable(tasks.same_different(), attention()))
Learnable for every beta, gamma != 0: kernel regression with attention() gets these 2 templates ...
Proof: K_tau of softmax attention is positive definite for every beta, gamma != 0: distinct ...
Cost: it depends on the parameters of the kernel, so give numbers for them.
>>> print(learnable(tasks.same_different(), inner_product()))
Not learnable, whatever its parameters are: kernel regression with inner_product() cannot ...
Confused: αα and αβ look alike.
Labels: they go from -1 to 1 there, so a prediction is off by at least 1, whatever the training ...
Proof: the rows of K_tau for αα and αβ are equal
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from functools import cached_property
from math import ceil
from typing import Any

import attrs

from symbench.certificates import Certificate
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadValue, NotExact, NotInvertible, NotSupported, Undecided
from symbench.exact import Matrix, PowerSeries, Rational
from symbench.exact.arrays import np
from symbench.kernels.base import Kernel
from symbench.kernels.float_value import FloatValue
from symbench.ktau.matrix import TemplateMatrix, template_matrix
from symbench.ktau.null_space import NullSpace, null_space
from symbench.learning.template_split import TemplateSplit
from symbench.words import Task, Template

Vector = tuple[Any, ...]

# An eigenvalue below this part of the largest, on the wrong side of 0, is no rounding error.
_NEGATIVE = 1e-9
# Up to this many templates the cost is part of the text; a float for each diagram takes long.
_COST_SHOWN = {"exact": 60, "ball": 12, "float": 12}
_FEW = 6  # templates and terms in a sentence
_FEW_DIGITS = 12  # of a fraction that is still shown as it is
_LONG = 200  # characters of a proof that is still shown as it is
_ERROR = Rational(1, 10)  # the error for which the text says how many strings are needed


@attrs.frozen(eq=False, repr=False, slots=False)
class Learnable(Shown):
    """The answer of `learnable(task, kernel)`; it prints in words, and is true or false.

    `status` is 'learnable', 'not learnable' or 'undecided' (which is neither true nor false).
    `null_space` holds what the kernel does not see of the templates.

    >>> answer = learnable(tasks.same_different(), inner_product())
    >>> answer, bool(answer), answer.least_error
    (<Learnable: not learnable, 2 templates of length 2, inner_product()>, False, 1)
    >>> answer.confused
    ((Template('αα'), Template('αβ')),)
    """

    task: Task | tuple[Template, ...]
    null_space: NullSpace

    def __repr__(self) -> str:
        size, length = len(self.templates), len(self.templates[0])
        return f"<Learnable: {self.status}, {size} templates of length {length}, {self.kernel!r}>"

    def __str__(self) -> str:
        return self.explain()

    def __bool__(self) -> bool:
        if self.status == "undecided":
            raise Undecided(f"it is undecided whether the task is learnable: {self._reason()}")
        return self.status == "learnable"

    # --- what was asked -----------------------------------------------------------------------
    @property
    def matrix(self) -> TemplateMatrix:
        """The template matrix K_tau."""
        return self.null_space.matrix

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.matrix.kernel

    @property
    def templates(self) -> tuple[Template, ...]:
        """The templates, as they were given."""
        return self.task.templates if isinstance(self.task, Task) else self.task

    @property
    def labels(self) -> tuple[Rational, ...] | None:
        """The labels as numbers, two classes as 1 and -1; None where they are none, or letters."""
        return self.task.numbers if isinstance(self.task, Task) else None

    @cached_property
    def targets(self) -> tuple[tuple[Rational, ...], ...]:
        """What is to be learned: the labels, or each of several classes against the rest.

        >>> task = Task({"ααα": "same", "αβγ": "new", "ααβ": "pair"})
        >>> learnable(task, attention()).targets
        ((1, -1, -1), (-1, 1, -1), (-1, -1, 1))
        """
        if self.labels is not None:
            return (self.labels,)
        if not isinstance(self.task, Task):
            return ()
        return tuple(self.task.one_vs_rest(name).need_numbers() for name in self.task.classes)

    # --- the answer ---------------------------------------------------------------------------
    @property
    def status(self) -> str:
        """'learnable', 'not learnable' or 'undecided': of labels that are numbers or classes.

        More than two classes are learned if each is, against the rest. Without labels, and with
        letters for labels, it is about every labelling.
        """
        every, labelled = self.every_labelling, self.labels_learned
        found = labelled if self.targets and not every else every
        return "undecided" if found is None else "learnable" if found else "not learnable"

    @property
    def every_labelling(self) -> bool | None:
        """Whether every labelling is learned: K_tau is nonsingular; None where it is undecided."""
        return self.null_space.is_zero

    @cached_property
    def labels_learned(self) -> bool | None:
        """Whether the labels of the task are learned; None if undecided, or there is no target.

        >>> task = Task([Template("αα"), Template("αβ")], labels=[1, 1])
        >>> answer = learnable(task, inner_product([1, 2, 3]))
        >>> answer.every_labelling, answer.labels_learned, answer.cost()
        (False, True, (2, 2))
        """
        if not self.targets:
            return None
        if self._missed is not None:
            return False
        return None if self.null_space.relations is None else True

    @property
    def confused(self) -> tuple[tuple[Template, ...], ...]:
        """The classes of templates that look alike to the kernel: their rows of K_tau are equal."""
        classes = (found for found in self.null_space.classes if len(found) > 1)
        return tuple(tuple(self.templates[i] for i in found) for found in classes)

    @property
    def confused_classes(self) -> tuple[tuple[str, ...], ...]:
        """The classes of labels that look alike: those of templates with equal rows of K_tau.

        >>> task = Task({"ααα": "same", "αβγ": "new", "ααβ": "pair"})
        >>> learnable(task, inner_product()).confused_classes
        (('same', 'new', 'pair'),)
        """
        if not isinstance(self.task, Task) or not self.task.classes:
            return ()
        names = dict(zip(self.templates, self.task.labels or (), strict=True))
        found = (tuple(dict.fromkeys(str(names[z]) for z in group)) for group in self.confused)
        return tuple(dict.fromkeys(group for group in found if len(group) > 1))

    @property
    def rank(self) -> int | None:
        """The rank of K_tau; None where it is undecided."""
        return self.null_space.rank

    @cached_property
    def certificate(self) -> Certificate | None:
        """What proves the answer; None where it is undecided.

        That is a certificate of K_tau being nonsingular, or of a null vector. Where K_tau is
        singular and the labels are learned, it is about one template of each class: its null space
        is all that there is.
        """
        if self.status == "undecided":
            return None
        if self.every_labelling or self.labels_learned:
            return self.null_space.proof
        return self.null_space.certificate(self._witness)

    @property
    def exactness(self) -> str:
        """'exact' or 'ball' for what is proved, 'float' where only floats are known."""
        if self.status == "undecided":
            return self.kernel.exactness
        # A null vector is exact, whatever is known of the rest.
        proof = self.null_space.proof if self.status == "learnable" else None
        return "exact" if proof is None else proof.exactness

    @property
    def least_error(self) -> Rational | None:
        """How far some prediction is off at least, whatever the training data; 0 if learned.

        For a null vector v the predictions p have v^T p = 0, so the largest error is at least
        |v^T f| / sum |v_i|. None where it depends on parameters, is undecided, or without labels.
        """
        if self.labels_learned:
            return Rational(0)
        return None if self._missed is None else self._missed[1]

    @cached_property
    def _missed(self) -> tuple[Vector, Rational | None, Vector] | None:
        """The null vector that a target is furthest from, by how much an error follows, and it."""
        found = ((self._missed_by(target), target) for target in self.targets)
        missed = [(*miss, target) for miss, target in found if miss is not None]
        return max(missed, key=lambda miss: miss[1] or 0, default=None)

    def _missed_by(self, labels: tuple[Rational, ...]) -> tuple[Vector, Rational | None] | None:
        """The null vector that numbers are furthest from, and by how much an error follows."""
        space = self.null_space
        found: list[tuple[Vector, Rational | None]] = []
        for members in space.classes:
            high, low = (pick(members, key=labels.__getitem__) for pick in (max, min))
            if labels[high] != labels[low]:
                difference = [Rational(0)] * len(labels)
                difference[high], difference[low] = Rational(1), Rational(-1)
                found.append((tuple(difference), Rational(labels[high] - labels[low], 2)))
        # Where labels agree on each class, the relations between classes are left.
        for vector in space.vectors[len(labels) - len(space.classes) :] if not found else ():
            value = _product(vector, labels)
            if value != 0:
                rational = all(isinstance(x, Fraction) for x in vector)
                error = Rational(abs(value) / sum(map(abs, vector))) if rational else None
                found.append((vector, error))
        return max(found, key=lambda pair: pair[1] or 0, default=None)

    @property
    def _witness(self) -> Vector:
        """The null vector to show."""
        return self.null_space.vectors[0] if self._missed is None else self._missed[0]

    def cost(self, *, ridge: Any = 0) -> tuple[Rational | FloatValue, ...]:
        """The numbers c_j: from n strings without common symbols the error at z_j is about c_j / n.

        Exact where the kernel has rational values, else floats with their digits; the labels must
        be numbers, and learned (`TemplateSplit.cost` says more).

        >>> task = Task([Template("αα[CLS]"), Template("αβ[CLS]")], labels=[1, -1])
        >>> learnable(task, inner_product(lambda n: n, incidence=True)).cost()
        (4, 5)
        >>> [str(c) for c in learnable(tasks.same_different(), attention(beta=1, gamma=1)).cost()]
        ['676.91...', '588.74...']
        """
        return self._split.cost(ridge=ridge)

    @cached_property
    def _split(self) -> TemplateSplit:
        cls = self.matrix.cls_appended
        return TemplateSplit(self.task, self.kernel, cls)

    # --- in words -----------------------------------------------------------------------------
    def explain(self) -> str:
        """The answer in sentences: what is learned, what is confused, the proof, what it costs."""
        return "\n".join(f"{head}: {text}" for head, text in self._parts())

    def _view(self) -> View:
        tone = {"learnable": "good", "not learnable": "bad", "undecided": "open"}[self.status]
        (mark, text), *rest = self._parts()
        return card(mark, text, facts(rest), tone=tone)

    def _parts(self) -> Iterator[tuple[str, str]]:
        """The sentences, each with what it is about."""
        yield self._verdict()
        if self.confused:
            yield "Confused", self._confused_text()
        if self.status != "learnable" and self._missed is not None:
            yield "Labels", self._missed_text(*self._missed)
        elif isinstance(self.task, Task) and self.task.is_symbolic:
            yield "Labels", _LETTERS
        yield ("Reason", self._reason()) if self.status == "undecided" else ("Proof", self._proof())
        if self.status == "learnable" and self.labels is not None:
            yield "Cost", self._cost_text()
        elif self.status == "learnable" and self.targets:
            yield "Cost", "each class has its own: ask about task.one_vs_rest(name)."

    def _verdict(self) -> tuple[str, str]:
        size = len(self.templates)
        these = f"these {size:,} templates" if size > 1 else "this template"
        who, where = f"kernel regression with {self.kernel!r}", "on symbols that it has never seen"
        if self.status == "undecided":
            return "Undecided", f"whether {who} tells {these} apart {where}."
        proof = self.null_space.proof
        scope = _SCOPES.get(proof.valid_for, f" for {proof.valid_for}") if proof else ""
        if self.every_labelling:
            return f"Learnable{scope}", f"{who} gets {these} right {where}, whatever their labels."
        if self.labels_learned:
            return f"Learnable with these labels{scope}", (
                f"{who} does not tell all of {these} apart {where}, but it learns these labels."
            )
        rank = len(self.null_space.classes) if self.rank is None else self.rank
        # The rank for generic parameters may be less for special ones.
        least = proof is not None and proof.valid_for != "generic"
        learned = f"{rank:,}" if least else f"at most {rank:,}"
        return f"Not learnable{self._whatever()}", (
            f"{who} cannot tell all of {these} apart {where}. "
            f"It learns {learned} of {size:,} independent labellings."
        )

    def _whatever(self) -> str:
        """For which parameters something is confused, where the kernel has open ones."""
        if not self._is_open:
            return ""
        # Equal rows are equal for all of them; other null vectors may have parameters as entries.
        same = all(isinstance(x, Fraction) for x in self._witness)
        return ", whatever its parameters are" if same else " for generic parameters"

    @cached_property
    def _is_open(self) -> bool:
        """Whether the kernel has parameters without a number."""
        facts = self.matrix.plain.kernel
        if facts is not None:
            return facts.beta is None or facts.gamma is None
        if self.matrix.is_generic:
            return True
        if self.kernel.exactness != "exact":
            return False
        ring = self.matrix.grouped[2]
        return bool(ring.variables) or isinstance(ring, PowerSeries)

    def _confused_text(self) -> str:
        shown = [f"{_listed(members)} look alike" for members in self.confused[:_FEW]]
        more = len(self.confused) - len(shown)
        return "; ".join(shown) + (f"; and {more:,} more such groups." if more else ".")

    def _missed_text(self, vector: Vector, error: Rational | None, labels: Vector) -> str:
        off = f"so a prediction is off by at least {error}, whatever the training data."
        support = [(x, i) for i, x in enumerate(vector) if x != 0]
        if self.confused_classes:
            named = "; ".join(" and ".join(group) for group in self.confused_classes[:_FEW])
            return f"classes are confused: {named}. As numbers they are {self._coding}, {off}"
        if _is_difference(vector):
            low, high = sorted(labels[i] for _, i in support)
            return f"they go from {low} to {high} there, {off}"
        terms = " + ".join(_term(x, self.templates[i]) for x, i in support[:_FEW])
        dots = " + ..." if len(support) > _FEW else ""
        value = _product(vector, labels)
        found = f"predictions f on unseen symbols have {terms}{dots} = 0, the labels have {value}"
        if isinstance(self.task, Task) and self.task.classes:
            found = f"as numbers they are {self._coding}; {found}"
        return f"{found}, {off}" if error is not None else f"{found}, so they are not learned."

    @property
    def _coding(self) -> str:
        """Which numbers the classes are."""
        assert isinstance(self.task, Task)
        names = self.task.classes
        return (
            f"1 for {names[0]} and -1 for {names[1]}"
            if len(names) == 2
            else ("1 for one class and -1 for the rest, for each class in turn")
        )

    def _proof(self) -> str:
        """What proves the answer, in a sentence."""
        proof = self.null_space.proof
        if proof is not None and (self.every_labelling or self.labels_learned):
            text = proof.explain()
            if len(text) > _LONG:  # a point with a number for each parameter
                text = f"{text.partition(',')[0]}, at a point that the certificate names"
            return text if self.every_labelling else f"of one template of each group, {text}"
        vector = self._witness
        if _is_difference(vector):
            one, two = (z for z, x in zip(self.templates, vector, strict=True) if x != 0)
            return f"the rows of K_tau for {one} and {two} are equal"
        return f"K_tau has a null vector with {sum(x != 0 for x in vector)} nonzero entries"

    def _reason(self) -> str:
        """Why there is no answer; floats are shown, though they prove nothing."""
        if self.kernel.exactness != "float":
            return self.null_space.reason
        text = f"the values of {self.kernel!r} are floats, which prove nothing"
        if len(self.templates) > _COST_SHOWN["float"]:
            return f"{text}."
        values = np.linalg.eigvalsh(np.array(self._split.matrix, dtype=float))
        return f"{text}; the eigenvalues of K_tau look like {values[0]:.3g} to {values[-1]:.3g}."

    def _cost_text(self) -> str:
        if self._is_open:
            return "it depends on the parameters of the kernel, so give numbers for them."
        if len(self.templates) > _COST_SHOWN[self.kernel.exactness]:
            return f"ask for cost(), which solves a system of {len(self.templates):,} equations."
        try:
            costs = self.cost()
        except (NotExact, NotSupported, NotInvertible, Undecided) as error:
            return f"not known: {error}."
        at = max(range(len(costs)), key=lambda i: float(costs[i]))
        needed, shown = ceil(Fraction(float(costs[at])) / _ERROR), str(costs[at])
        if len(shown) > _FEW_DIGITS and self._split.exactness == "exact":
            shown = f"{float(costs[at]):.6g} (exactly in cost())"
        return (
            f"n training strings over different symbols leave an error of about c/n, c = {shown} "
            f"at {self.templates[at]} and no more elsewhere: about {needed:,} strings for an error "
            f"of {_ERROR}."
        )


_LETTERS = (
    "they are letters, so what counts is that all templates are told apart: then every rule that "
    "finds the letter to put out by its template is learned. To put out a symbol that was never "
    "seen is copying, another question (boix2024, Section 5)."
)
# How certificates say for which parameters they are valid, in words.
_SCOPES = {"these": "", "generic": " for generic parameters (all but a set of measure zero)"}


def learnable(
    task: Task | Iterable[Template],
    kernel: Kernel,
    *,
    cls: bool = True,
    timeout: float | None = None,
) -> Learnable:
    """Whether kernel regression learns a task on symbols that it has never seen.

    The task is a `Task`, or a list of templates, where the question is about every labelling. The
    kernel is any token-symmetric one: an MLP's is `inner_product`. CLS is appended where the kernel
    asks for it, unless cls=False. An answer that takes longer than the timeout in seconds is
    undecided. Symbols that it has never seen are those that occur neither in training nor in a
    template of the task.

    >>> answer = learnable(tasks.distribution_of_three(), inner_product())
    >>> answer.status, [len(members) for members in answer.confused], answer.least_error
    ('not learnable', [144], 3/2)
    >>> learnable(tasks.distribution_of_three(), attention()).certificate.valid_for
    'every beta, gamma != 0'
    >>> learnable(tasks.same_different(), from_function(lambda x, y: -1))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: ... is not positive semidefinite: its template matrix has the ...
    """
    matrix = template_matrix(task, kernel, cls=cls)
    given = task if isinstance(task, Task) else _as_given(matrix)
    found = Learnable(given, null_space(matrix, timeout=timeout))
    _check_semidefinite(found.null_space)
    return found


def _as_given(matrix: TemplateMatrix) -> tuple[Template, ...]:
    """The templates of a list, without the CLS that was appended."""
    if not matrix.cls_appended:
        return matrix.templates
    return tuple(Template(z.letters[:-1], wildcards=z.wildcards) for z in matrix.templates)


def _check_semidefinite(space: NullSpace) -> None:
    """Refuse a kernel of one's own, of rational values, that cannot be one of regression."""
    matrix = space.matrix
    # Where there was no time for the entries, nothing is said that rests on them.
    if matrix.is_generic or matrix.plain.kernel is not None or not matrix.is_listed:
        return
    numbers, values, ring = matrix.grouped
    if ring.variables or not all(isinstance(x, (int, Fraction)) for x in values.values()):
        return
    firsts = [members[0] for members in space.classes]
    top = max(map(abs, values.values())) or 1
    scaled = np.zeros(max(values) + 1)
    for n, value in values.items():
        scaled[n] = float(Fraction(value) / top)
    found = scaled[numbers]
    if not np.array_equal(found, found.T):
        raise BadValue(f"{matrix.kernel!r} is not symmetric: give K(x, y) = K(y, x)")
    smallest = np.linalg.eigvalsh(found[np.ix_(firsts, firsts)])[0]
    if smallest < -_NEGATIVE * len(firsts):
        raise BadValue(
            f"{matrix.kernel!r} is not positive semidefinite: its template matrix has the "
            f"eigenvalue {smallest * float(top):.6g}, so there is no regression with it"
        )


def _product(vector: Vector, labels: tuple[Rational, ...]) -> Any:
    """The sum of the labels times a null vector, whose entries may be polynomials."""
    if all(isinstance(x, Fraction) for x in vector):
        return sum((x * y for x, y in zip(vector, labels, strict=True) if x), Rational(0))
    row = Matrix([vector])
    return (row @ Matrix([[y] for y in labels], row.ring))[0, 0]


def _is_difference(vector: Vector) -> bool:
    """Whether a null vector says that two rows are equal."""
    return sorted(x for x in vector if isinstance(x, Fraction) and x) == [-1, 1] and all(
        isinstance(x, Fraction) for x in vector
    )


def _term(x: Any, template: Template) -> str:
    return f"f({template})" if x == 1 else f"({x}) f({template})"


def _listed(members: tuple[Template, ...]) -> str:
    """Some templates in a sentence."""
    if len(members) == 2:
        return f"{members[0]} and {members[1]}"
    shown = ", ".join(str(z) for z in members[:_FEW])
    more = len(members) - _FEW
    return f"{shown} and {more:,} more" if more > 0 else shown
