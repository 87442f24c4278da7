"""The template matrix K_tau: a kernel on templates with fresh substitutions.

Entry (i, j) is K(sub(z_i, s), sub(z_j, s')) for substitutions by different tokens that occur in
none of the templates; the diagonal, too, has two of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import attrs

from symbench.certificates import Certificate, Singular
from symbench.decide import certify
from symbench.errors import BadValue, NotSupported, UnknownName
from symbench.exact import QQ, Matrix
from symbench.exact.rational import integer
from symbench.kernels.base import Kernel, check_kernel_type, check_templates
from symbench.kernels.diagram import Diagram
from symbench.kernels.features import Features
from symbench.kernels.generic import generic
from symbench.ktau.patterns import Patterns
from symbench.ktau.points import modular_points, one_point, patterns
from symbench.words import Task, Template
from symbench.words.letters import CLS

_ROADS = ("one-point", "modular", "matrix")


@attrs.frozen(repr=False, slots=False)
class TemplateMatrix:
    """The template matrix of a kernel; `template_matrix(task, kernel)` makes one.

    `matrix` holds the exact entries, built when first asked for; `certify` needs it only where
    no theorem decides from the templates alone.
    """

    templates: tuple[Template, ...] = attrs.field(converter=check_templates)
    kernel: Kernel = attrs.field(converter=check_kernel_type)
    cls_appended: bool

    def __attrs_post_init__(self) -> None:
        if self.kernel.needs_cls and not all(map(_ends_in_cls, self.templates)):
            raise BadValue(
                "the kernel wants templates that end in CLS: template_matrix() appends it"
            )

    def __repr__(self) -> str:
        note = ", CLS appended" if self.cls_appended else ""
        size, length = len(self.templates), len(self.templates[0])
        return f"<K_tau of {size} templates of length {length}{note}: {self.kernel!r}>"

    def __len__(self) -> int:
        return len(self.templates)

    @cached_property
    def matrix(self) -> Matrix:
        """The exact matrix."""
        if self.kernel.exactness == "float":
            raise NotSupported(
                "the entries at finite parameters are floats; certify() needs no entries, "
                "and conditioning() shows the float matrix"
            )
        entries = getattr(self.kernel, "template_entries", None)
        if entries is not None:
            return Matrix(entries(self.templates))
        known: dict[Diagram, Any] = {}

        def value(z: Template, w: Template) -> Any:
            diagram = Diagram.of_templates(z, w)
            if diagram not in known:
                known[diagram] = self.kernel.on_diagram(diagram)
            return known[diagram]

        return Matrix([[value(z, w) for w in self.templates] for z in self.templates])

    @property
    def features(self) -> Features:
        """The feature vectors of the templates, where the kernel has them."""
        vectors = getattr(self.kernel, "template_features", None)
        if vectors is None:
            raise NotSupported(f"{self.kernel!r} has no features")
        found: Features = vectors(self.templates)
        return found

    @property
    def patterns(self) -> Patterns | None:
        """The templates as plain data if theorem `symbench.positive-definite` speaks of the kernel.

        It does of softmax attention with beta, gamma != 0 and of transformers over it.
        """
        by_theorem = getattr(self.kernel, "separates_templates", False)
        return patterns(self.templates) if by_theorem else None

    def equivalent_pair(self) -> tuple[int, int] | None:
        """Two templates that are equivalent as far as the kernel sees them, or None.

        Their rows are equal: for every kernel if they are equivalent as they stand.
        """
        known: dict[Template, int] = {}
        for n, z in enumerate(self._as_seen()):
            first = known.setdefault(z.canonical, n)
            if first != n:
                return first, n
        return None

    def _as_seen(self) -> tuple[Template, ...]:
        """The templates as far as the kernel sees them, where it says so."""
        seen = getattr(self.kernel, "seen", None)
        return self.templates if seen is None else tuple(map(seen, self.templates))

    def certify(self, *, question: str = "nonsingular", road: str | None = None) -> Certificate:
        """The certificate by the cheapest valid road, or by the one asked for.

        road is 'one-point' (softmax attention, positive definite for every beta, gamma != 0),
        'modular' (the same kernel, nonsingular for every nonzero algebraic beta^2, without
        using positivity) or 'matrix' (the exact entries).
        """
        if road is not None and road not in _ROADS:
            raise UnknownName(f"no road {road!r}: take {', '.join(_ROADS)}")
        subject = self.patterns if question in ("nonsingular", "positive-definite") else None
        if road in ("one-point", "modular") and subject is None:
            raise NotSupported(
                f"the road {road} is for softmax attention with beta, gamma != 0 and for "
                f"transformers over it, not for {question} of {self.kernel!r}"
            )
        if road == "matrix":
            return certify(self.matrix, question=question)
        if subject is not None or (hasattr(self.kernel, "seen") and question == "nonsingular"):
            pair = self.equivalent_pair()
            if pair is not None:
                return self._equal_rows(pair)
        if subject is None:
            return certify(self.matrix, question=question)
        return modular_points(subject) if road == "modular" else one_point(subject)

    __certify__ = certify

    def _equal_rows(self, pair: tuple[int, int]) -> Singular:
        """The vector e_i - e_j; it annihilates the generic matrix of the templates as seen."""
        diagrams = TemplateMatrix(self._as_seen(), generic(), self.cls_appended).matrix
        vector = [[int(n == pair[0]) - int(n == pair[1])] for n in range(len(self))]
        return Singular(null=Matrix(vector, QQ), subject=diagrams)


def template_matrix(
    task: Task | Iterable[Template], kernel: Kernel, *, alphabet: int | None = None
) -> TemplateMatrix:
    """The template matrix K_tau of a task, or of any list of templates of one length.

    Equivalent and overlapping templates are allowed. CLS is appended where the kernel asks for
    it. With an alphabet of finite size, it must have room for two fresh substitutions beside the
    regular tokens: at least |R| + 2 |W| tokens.

    >>> from symbench.ktau import template_matrix
    >>> from symbench.words import tasks
    >>> from symbench.kernels import attention, inner_product
    >>> M = template_matrix(tasks.same_different(), attention())
    >>> M
    <K_tau of 2 templates of length 3, CLS appended: Attention()>
    >>> certify(M).explain()
    'positive definite for every beta, gamma != 0: distinct exponents at one point'
    >>> certify(template_matrix(tasks.same_different(), inner_product())).vector
    (-1, 1)
    >>> template_matrix(tasks.same_different(), attention(), alphabet=4)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: an alphabet of 4 tokens is too small: 1 regular and 2 x 2 fresh ones
    """
    found = check_templates(task.templates if isinstance(task, Task) else task)
    append = check_kernel_type(kernel).needs_cls and not all(map(_ends_in_cls, found))
    if append:
        found = tuple(z.with_cls() for z in found)
    if alphabet is not None:
        _check_alphabet(found, integer(alphabet, "the alphabet's size", at_least=1))
    return TemplateMatrix(found, kernel, append)


def _ends_in_cls(z: Template) -> bool:
    return bool(z.letters) and z.letters[-1] == CLS and CLS not in z.wildcards


def _check_alphabet(templates: tuple[Template, ...], size: int) -> None:
    tokens = {token for z in templates for token in z.tokens}
    most = max(len(z.wildcards) for z in templates)
    if size < len(tokens) + 2 * most:
        raise BadValue(
            f"an alphabet of {size} tokens is too small: "
            f"{len(tokens)} regular and 2 x {most} fresh ones"
        )
