"""Task: templates with labels, their probabilities and the law of their substitution maps."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import Any

import attrs

from symbench._arguments import choice, flag, instance, sequence, shown
from symbench.errors import BadShape, BadType, BadValue, NotInRing
from symbench.exact import Rational
from symbench.exact.arrays import Integers
from symbench.exact.rational import stored_number
from symbench.words.classify import Classification, Classifier, Label
from symbench.words.disjointness import overlaps
from symbench.words.letters import Word, check_look_alikes, is_wildcard_name, read
from symbench.words.sample import Sample, draw
from symbench.words.substitution import Substitution
from symbench.words.substitution_law import SubstitutionLaw, law_from_json, read_law, typed
from symbench.words.template import Template, check_same_length, check_templates

_ROWS = 12  # templates that are shown


@attrs.frozen(init=False, repr=False)
class Task:
    """Pairwise disjoint templates of one length, with labels: what is to be learned.

    Templates may be plain strings, and a mapping has the labels with them; `wildcards` names the
    wildcards of plain strings where they are not the Greek letters. Labels are exact real numbers,
    or names of at least two classes, such as "ok" and "bad", or letters (boix2024, Definition J.1):
    a wildcard of the template, for which its token is put, or a regular token of the task. Two
    classes are learned as the numbers 1 and -1, more of them each against the rest. `weights` are
    the probabilities of the templates (default: equal), `substitution` the law of the maps: an
    alphabet for the uniform law, or maps with probabilities.

    >>> task = Task([Template("αα"), Template("αβ")], labels=[1, -1], substitution="PQRS")
    >>> task.labels, task.weights, task.diversity()
    ((1, -1), (1/2, 1/2), 2)
    >>> print(task.classify("CD"))
    αβ (label -1; α -> C, β -> D)
    >>> Task({"xx": 1, "xy": -1}, wildcards="xy").templates[0].matches("CC")
    True
    >>> Task({"αα": "ok", "αβ": "bad"}).numbers
    (1, -1)
    >>> Task(["xx", "xy"])
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: xx, xy have no wildcards: write Greek letters, name them with ...
    >>> Task([Template("αA"), Template("αβ")], labels=[1, -1])
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: not disjoint: BA matches both αA and αβ: drop one or set allow_overlap
    """

    templates: tuple[Template, ...]
    labels: tuple[Label, ...] | None
    weights: tuple[Fraction, ...]
    substitution: SubstitutionLaw | None
    allow_overlap: bool

    def __init__(
        self,
        templates: Iterable[Template | str] | Mapping[Any, Any],
        *,
        labels: Any = None,
        weights: Any = None,
        substitution: Any = None,
        allow_overlap: bool = False,
        wildcards: Any = None,
    ) -> None:
        if isinstance(templates, Mapping):
            if labels is not None:
                raise BadValue("the labels are given twice: in the mapping and as labels=")
            labels, templates = list(templates.values()), list(templates)
        found = _read_templates(templates, wildcards)
        check_same_length(found)
        _check_inequivalent(found)
        flag(allow_overlap, "allow_overlap")
        shared = next(overlaps(found), None)
        if shared and not allow_overlap:
            i, j, string = shared
            raise BadValue(
                f"not disjoint: {string} matches both {found[i]} and {found[j]}: "
                "drop one or set allow_overlap"
            )
        law = None if substitution is None else read_law(substitution)
        if law is not None:
            for template in found:
                law.check(template)
        self.__attrs_init__(
            found, _read_labels(found, labels), _read_weights(found, weights), law, allow_overlap
        )

    def __repr__(self) -> str:
        given = [repr(list(self.templates))]
        if self.labels is not None:
            given.append(f"labels={list(map(_plain, self.labels))!r}")
        if len(set(self.weights)) > 1:
            given.append(f"weights={list(map(_plain, self.weights))!r}")
        if self.substitution is not None:
            given.append(f"substitution={self.substitution!r}")
        if self.allow_overlap:
            given.append("allow_overlap=True")
        if not self.wildcards:
            given.append("wildcards=''")
        return f"Task({', '.join(given)})"

    def __str__(self) -> str:
        shown = self.templates[:_ROWS]
        labels: tuple[Label | None, ...] = self.labels or (None,) * len(self)
        pairs = zip(shown, labels, strict=False)
        lines = [str(t) if y is None else f"{t} -> {y}" for t, y in pairs]
        if len(self) > len(shown):
            lines.append(f"... {len(self)} templates in all")
        if not all(map(is_wildcard_name, self.wildcards)):
            lines.append(f"wildcards: {', '.join(self.wildcards)}")
        return "\n".join(lines)

    def __len__(self) -> int:
        return len(self.templates)

    def latex(self) -> str:
        r"""The task as LaTeX, for math mode: one line per template.

        >>> print(Task([Template("αα"), Template("αβ")], labels=[1, -1]).latex())
        \begin{array}{ll}
        \alpha\alpha & \mapsto 1 \\
        \alpha\beta & \mapsto -1
        \end{array}
        """
        return self._latex(len(self))

    def _latex(self, rows: int) -> str:
        lines = [template.latex() for template in self.templates[:rows]]
        letters = {*self.wildcards, *self.regular_tokens}
        for index, label in enumerate((self.labels or ())[:rows]):
            lines[index] += rf" & \mapsto {_latex_label(label, letters)}"
        if rows < len(self):
            lines.append(rf"\vdots & \text{{({len(self):,} templates in all)}}")
        return "\\begin{array}{ll}\n" + " \\\\\n".join(lines) + "\n\\end{array}"

    def _repr_latex_(self) -> str:
        return f"${self._latex(_ROWS)}$"

    @property
    def length(self) -> int:
        """The common length of the templates.

        >>> Task([Template("αα"), Template("αβ")]).length
        2
        """
        return len(self.templates[0])

    @property
    def is_symbolic(self) -> bool:
        """Whether the labels are letters: wildcards, or regular tokens of the task.

        >>> Task([Template("αβ")], labels=["α"]).is_symbolic
        True
        """
        return self.labels is not None and _is_letter(self.templates, self.labels[0])

    @property
    def classes(self) -> tuple[str, ...]:
        """The classes that the labels name, in order of appearance; none if they are no classes.

        >>> Task({"αα": "ok", "αβ": "bad"}).classes, Task({"αα": 1, "αβ": 2}).classes
        (('ok', 'bad'), ())
        """
        if self.labels is None or self.is_symbolic:
            return ()
        return tuple(dict.fromkeys(label for label in self.labels if isinstance(label, str)))

    @property
    def numbers(self) -> tuple[Rational, ...] | None:
        """The labels as numbers: 1 for the first of two classes and -1 for the second.

        None for letters, for more than two classes and without labels.

        >>> Task({"αα": "ok", "αβ": "bad"}).numbers, Task({"αα": "α", "αβ": "β"}).numbers
        ((1, -1), None)
        """
        if self.labels is None or self.is_symbolic or len(self.classes) > 2:
            return None
        if self.classes:
            return tuple(Rational(1 if y == self.classes[0] else -1) for y in self.labels)
        return tuple(map(Rational, self.labels))

    def need_numbers(self) -> tuple[Rational, ...]:
        """The labels as numbers, or an error that says what to do.

        >>> Task({"ααα": "same", "αβγ": "new", "ααβ": "pair"}).need_numbers()
        Traceback (most recent call last):
        ...
        symbench.errors.BadValue: the task has 3 classes: ask about task.one_vs_rest('same'), ...
        """
        if self.numbers is not None:
            return self.numbers
        if self.classes:
            raise BadValue(
                f"the task has {len(self.classes)} classes: ask about "
                f"task.one_vs_rest({self.classes[0]!r}), and so on"
            )
        raise BadValue("the labels are not numbers: give one number for each template")

    def one_vs_rest(self, name: str) -> Task:
        """The same task with label 1 for one class and -1 for all others.

        >>> print(Task({"ααα": "same", "αβγ": "new", "ααβ": "pair"}).one_vs_rest("new"))
        ααα -> -1
        αβγ -> 1
        ααβ -> -1
        """
        if not self.classes:
            raise BadValue(f"the labels of {shown(self)} are no classes: ask about the task itself")
        choice(name, "the class", self.classes)
        return Task(
            self.templates,
            labels=[1 if y == name else -1 for y in self.labels or ()],
            weights=self.weights,
            substitution=self.substitution,
            allow_overlap=self.allow_overlap,
            wildcards="",  # the templates name their own
        )

    @property
    def wildcards(self) -> tuple[str, ...]:
        """The wildcards of all templates, each once, in order of appearance.

        >>> Task(["αS", "βT"]).wildcards
        ('α', 'β')
        """
        return tuple(dict.fromkeys(name for t in self.templates for name in t.wildcards))

    @cached_property
    def regular_tokens(self) -> tuple[str, ...]:
        """The regular tokens of all templates, each once, in order of appearance.

        >>> Task([Template("αS"), Template("αT")]).regular_tokens
        ('S', 'T')
        """
        return tuple(dict.fromkeys(token for t in self.templates for token in t.tokens))

    @property
    def ambiguous(self) -> tuple[tuple[Template, Template, Word], ...]:
        """The pairs of templates that share a string, each with such a string.

        >>> task = Task([Template("αA"), Template("αβ")], allow_overlap=True)
        >>> task.ambiguous
        ((Template('αA'), Template('αβ'), Word('BA')),)
        """
        return tuple(
            (self.templates[i], self.templates[j], string)
            for i, j, string in overlaps(self.templates)
        )

    def diversity(self) -> Fraction | float:
        """The diversity rho (boix2024, Definition 4.2), exact; `math.inf` without wildcards.

        It is one over the largest probability, over templates and tokens, that the token is put
        for a wildcard.

        >>> Task([Template("αα"), Template("αβ")], substitution=10).diversity()
        5
        >>> Task([Template("SS")], substitution="P", wildcards="").diversity()
        inf
        """
        law = self.substitution
        if law is None:
            raise BadValue(
                "the diversity needs the law of the substitution maps: "
                "give Task(..., substitution=<alphabet or finite law>)"
            )
        likely = max(law.peak(template) for template in self.templates)
        return 1 / likely if likely else inf

    def classify(self, string: Any) -> Classification:
        """The template that a string matches with its label, or the reason why there is none.

        >>> task = Task([Template("αβα"), Template("αββ")], labels=["α", "β"])
        >>> task.classify("QRR").label
        'R'
        >>> print(task.classify("QRS"))
        no template matches: αβα (α would be both Q and S), αββ (β would be both R and S)
        """
        answers = [template.explain(string) for template in self.templates]
        hits = [index for index, answer in enumerate(answers) if answer]
        if len(hits) == 1:
            (index,) = hits
            map_ = answers[index].substitution
            return Classification(self.templates[index], self._label(index, map_), map_, "")
        if hits:
            names = " and ".join(str(self.templates[index]) for index in hits)
            return Classification(None, None, None, f"ambiguous: it matches {names}")
        shown = list(zip(self.templates, answers, strict=True))
        why = ", ".join(f"{template} ({answer})" for template, answer in shown[:3])
        more = f" and {len(shown) - 3} more" if len(shown) > 3 else ""
        return Classification(None, None, None, f"no template matches: {why}{more}")

    def _label(self, index: int, substitution: Substitution | None) -> Label | None:
        label = None if self.labels is None else self.labels[index]
        if isinstance(label, str) and substitution is not None and label in substitution:
            return substitution[label]
        return label

    def classify_array(self, strings: Any, *, codes: Mapping[str, int] | None = None) -> Integers:
        """The index of the template that each row of an integer array matches; -1: none.

        `codes` gives the integers of the regular tokens; all other integers are other tokens. A
        row that matches two templates (with ``allow_overlap=True``) gets -2.

        >>> task = Task([Template("αα"), Template("αS")])
        >>> task.classify_array([[7, 7], [7, 0], [0, 0], [7, 8]], codes={"S": 0})
        array([ 0,  1,  0, -1])
        """
        return self._classifier(strings, codes)

    @cached_property
    def _classifier(self) -> Classifier:
        return Classifier(self.templates)

    def sample(
        self,
        n: int | Sequence[int],
        rng: Any,
        alphabet: Any = None,
        *,
        test: int | None = None,
        noise: Any = 0,
    ) -> tuple[Sample, Sample]:
        """Training strings with labels, and test strings over tokens not seen in training.

        n is how many training strings are drawn, or how many of each template.

        The alphabet (tokens or how many) is cut in two: its first half (rounded up) is for
        training, the rest for testing; regular tokens are not among them. Without one, training
        strings follow the task's own law, over all of its tokens, and test strings use new ones.
        Gaussian `noise` of this standard deviation is added to the training labels, which are then
        floats.

        >>> task = Task([Template("αα"), Template("αβ")], labels=[1, -1])
        >>> train, test = task.sample(3, 0, "PQRSTU", test=2)
        >>> set().union(*train.strings()) <= set("PQR"), set().union(*test.strings()) <= set("STU")
        (True, True)
        >>> [task.classify(x).label for x in train.strings()] == train.labels()
        True
        >>> task.sample([2, 1], 0, "PQRSTU")[0].labels()
        [1, 1, -1]
        """
        return draw(self, n, rng, alphabet, test=test, noise=noise)

    def to_json(self) -> dict[str, Any]:
        """The task as plain data, exact numbers as texts.

        >>> from fractions import Fraction
        >>> Task([Template("α")], labels=[Fraction(1, 3)]).to_json()["labels"]
        {'real': ['1/3']}
        """
        labels = None
        if self.labels is not None:
            labels = {self._kind: [str(label) for label in self.labels]}
        return {
            "templates": [template.to_json() for template in self.templates],
            "labels": labels,
            "weights": [str(weight) for weight in self.weights],
            "substitution": None if self.substitution is None else self.substitution.to_json(),
            "allow_overlap": self.allow_overlap,
        }

    @classmethod
    def from_json(cls, data: Any) -> Task:
        """The task that `to_json` wrote, validated like any other; anything else is refused.

        >>> task = Task([Template("αα"), Template("αβ")], labels=[1, -1])
        >>> Task.from_json(task.to_json()) == task
        True
        """
        names = {"templates", "labels", "weights", "substitution", "allow_overlap"}
        if not isinstance(data, Mapping) or set(data) != names:
            raise BadValue(f"the stored task is {shown(data)}: give the entries {sorted(names)}")
        for name in ("templates", "weights"):
            instance(data[name], list, f"{name} of a stored task", "a list")
        labels, law = data["labels"], data["substitution"]
        if labels is not None:
            single = isinstance(labels, Mapping) and len(labels) == 1
            kind, values = next(iter(labels.items())) if single else (None, None)
            if kind not in ("real", "symbolic", "classes") or not isinstance(values, list):
                raise BadValue(
                    f"the stored labels are {shown(labels)}: give real, symbolic or classes"
                )
            labels = [stored_number(y) for y in values] if kind == "real" else values
        task = cls(
            [Template.from_json(template) for template in data["templates"]],
            labels=labels,
            weights=[stored_number(weight) for weight in data["weights"]],
            substitution=None if law is None else law_from_json(law),
            allow_overlap=data["allow_overlap"],
            wildcards="",  # stored templates name their own
        )
        if labels is not None and task._kind != kind:
            raise BadValue(f"the stored labels are {task._kind}, not {kind}: correct the file")
        return task

    @property
    def _kind(self) -> str:
        """What the labels are, for a file."""
        return "classes" if self.classes else "symbolic" if self.is_symbolic else "real"


def _read_templates(templates: Any, wildcards: Any) -> tuple[Template, ...]:
    """The templates, plain strings among them; letters in place of wildcards are noticed."""
    given = sequence(templates, "the templates", "a list of Template(...) or strings")
    names = None if wildcards is None else read(wildcards, "the list of wildcards")
    found = check_templates(
        [Template(t, wildcards=names) if isinstance(t, str) else t for t in given]
    )
    check_look_alikes(letter for template in found for letter in template.letters)
    if names != () and not any(template.wildcards for template in found):
        some = ", ".join(map(str, found[:3]))
        raise BadValue(
            f"{some} have no wildcards: write Greek letters, name them with wildcards='xy', or "
            "say wildcards='' if only these very strings are meant"
        )
    return found


def _plain(label: Label) -> int | Fraction | str:
    """A label as the repr writes it."""
    return label if isinstance(label, str) else typed(label)


def _escaped(name: str) -> str:
    """The name of a class within a LaTeX text."""
    return re.sub(r"([#$%&_{}])", r"\\\1", re.sub(r"[\\^~]", "-", name))


def _latex_label(label: Label, letters: Container[str]) -> str:
    if isinstance(label, str):
        if label not in letters:
            return rf"\text{{{_escaped(label)}}}"
        return Template([label]).latex()
    if label.denominator == 1:
        return str(label)
    sign = "-" if label < 0 else ""
    return rf"{sign}\frac{{{abs(label.numerator)}}}{{{label.denominator}}}"


def _check_inequivalent(templates: tuple[Template, ...]) -> None:
    seen: dict[Template, Template] = {}
    for template in templates:
        other = seen.setdefault(template.canonical, template)
        if other is not template:
            raise BadValue(
                f"equivalent templates: {other} and {template} differ at most in the names of "
                "their wildcards: keep one"
            )


def _aligned(templates: tuple[Template, ...], values: Any, what: str) -> list[Any]:
    """One value per template, from a mapping or a sequence."""
    if isinstance(values, Mapping):
        for key in values:
            if key not in templates:
                raise BadValue(
                    f"{what} are given for {key}, which is not a template of the task: leave it out"
                )
        for template in templates:
            if template not in values:
                raise BadValue(f"{what} are not given for {template}: give one for each")
        return [values[template] for template in templates]
    found = sequence(values, f"the value of {what}", "a list, one for each template, or a mapping")
    if len(found) != len(templates):
        raise BadShape(f"{len(templates)} templates have {len(found)} {what}: give one for each")
    return list(found)


def _read_labels(templates: tuple[Template, ...], labels: Any) -> tuple[Label, ...] | None:
    if labels is None:
        return None
    found = _aligned(templates, labels, "labels")
    texts = [label for label in found if isinstance(label, str)]
    if not any(_is_letter(templates, text) or is_wildcard_name(text) for text in texts):
        with suppress(NotInRing):  # "1/2" is a number as in a matrix
            list(map(Rational, texts))
            return tuple(map(Rational, found))
        _check_classes(found)
        return tuple(found)
    known = {token for template in templates for token in template.tokens}
    for template, label in zip(templates, found, strict=True):
        _check_text(label)
        if label not in known and label not in template.wildcards:
            raise BadValue(
                f"the label {shown(label)} of {template} is neither one of its wildcards nor a "
                "regular token of the task: give one, or numbers as int or Fraction, or names of "
                "classes that are no letters"
            )
    return tuple(found)


def _is_letter(templates: tuple[Template, ...], label: Any) -> bool:
    """Whether a label is a wildcard or a regular token of some template."""
    return isinstance(label, str) and any(label in template.letters for template in templates)


def _check_text(label: Any) -> None:
    if not isinstance(label, str):
        raise BadType(f"a label is {shown(label)}: give all numbers, all classes or all letters")


def _check_classes(names: Sequence[Any]) -> None:
    """Names of classes: some text each, and at least two of them."""
    for name in names:
        _check_text(name)
        if not name.strip() or not name.isprintable():
            raise BadValue(f"the label {shown(name)} names no class: give a word such as 'ok'")
    if len(set(names)) < 2:
        raise BadValue(
            f"all labels are {names[0]!r}, which is no letter of the task: give at least two "
            "classes, or numbers"
        )


def _read_weights(templates: tuple[Template, ...], weights: Any) -> tuple[Fraction, ...]:
    if weights is None:
        return (Rational(1, len(templates)),) * len(templates)
    found = tuple(map(Rational, _aligned(templates, weights, "weights")))
    for template, weight in zip(templates, found, strict=True):
        if weight <= 0:
            raise BadValue(f"the weight of {template} is {weight}: leave out what never occurs")
    if sum(found) != 1:
        raise BadValue(f"the weights add up to {sum(found)}: make it 1")
    return found
