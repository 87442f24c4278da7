"""Strategies for certificates: each kind, about a drawn subject, as the search finds them."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from hypothesis import strategies as st

from symbench import registry
from symbench._arguments import integer
from symbench.certificates import (
    BlockDiagonal,
    Certificate,
    Counterexample,
    EquivariantTraining,
    Exhausted,
    HeadComputes,
    KernelFacts,
    ModularPoints,
    Nonsingular,
    NonsingularBalls,
    NotPositiveDefinite,
    OnePoint,
    PositiveDefinite,
    RankIs,
    RidgePrediction,
    Singular,
    Stage,
    TemplateRank,
    TiedAssignment,
    TraceBoundHolds,
    TypeRank,
    UniqueAssignment,
)
from symbench.certifying import certify
from symbench.exact import Balls, Matrix, Rational
from symbench.kernels import attention, linear_attention
from symbench.ktau import template_matrix
from symbench.learning import Sgd, TaskRidge, sign_networks
from symbench.spectra import spectrum
from symbench.strategies._bounds import chosen
from symbench.strategies.matrices import matrices, rationals
from symbench.strategies.sparse import heads
from symbench.strategies.words import inequivalent_templates
from symbench.words import Template, tasks


def certificates(*, kinds: Any = None) -> st.SearchStrategy[Certificate]:
    """Certificates with their subjects, all of which check.

    Without kinds they are about matrices and templates, and stand alone; kinds is a class of
    `sb.certificates` or several.

    >>> from hypothesis import find
    >>> find(certificates(kinds=Singular), lambda found: True).subject
    Matrix([[0]])
    >>> find(certificates(), lambda found: found.kind == "one-point").check()
    True
    """
    alone = [kind for kind in _OF_KIND if not kind.re_run]
    return st.one_of([_OF_KIND[kind]() for kind in chosen(kinds, _OF_KIND, alone)])


def _asked(question: str, **options: Any) -> st.SearchStrategy[Certificate]:
    return matrices(**options).map(lambda matrix: certify(matrix, question=question))


def _heavy(matrix: Matrix) -> Matrix:
    """The matrix with a diagonal that outweighs every other assignment."""
    return matrix + Matrix.identity(matrix.shape[0]) * 100


def _unique() -> st.SearchStrategy[Certificate]:
    heavy = matrices(square=True).map(_heavy)
    return heavy.map(lambda matrix: certify(matrix, question="unique-assignment"))


def _tied() -> st.SearchStrategy[Certificate]:
    """Two equal rows may exchange their columns."""
    wide = st.integers(1, 3).flatmap(lambda n: matrices(shape=(n, n + 1)))
    twice = wide.map(lambda matrix: Matrix([*matrix.rows, matrix.rows[0]]))
    return twice.map(lambda matrix: certify(matrix, question="unique-assignment"))


def _stages() -> st.SearchStrategy[Stage]:
    def made(matrix: Matrix) -> Stage:
        size = matrix.shape[0]
        return Stage(before=(0,) * size, after=tuple(range(size)), subject=_heavy(matrix))

    return matrices(symmetric=True).map(made)


def _enclosed() -> st.SearchStrategy[Certificate]:
    definite = matrices(positive_definite=True)
    return definite.map(lambda matrix: certify(matrix.change_ring(Balls(64))))


def _families(**options: Any) -> st.SearchStrategy[tuple[Template, ...]]:
    return inequivalent_templates(max_size=4, max_length=3, **options)


def _about_templates(**options: Any) -> st.SearchStrategy[Certificate]:
    kernel = attention()
    return _families().map(lambda found: template_matrix(found, kernel).certify(**options))


def _repeated() -> st.SearchStrategy[Certificate]:
    """The rank of a template matrix with a template twice."""
    kernel = attention()
    return _families().map(
        lambda found: template_matrix([*found, found[0]], kernel).certify(question="rank")
    )


def _types() -> st.SearchStrategy[Certificate]:
    kernel = attention(gamma=0)
    return _families(tokens="S").map(
        lambda found: template_matrix(found, kernel).certify(question="rank")
    )


def _spectrum(size: int) -> Any:
    return spectrum(linear_attention(1, 1, readout="flatten"), length=size, vocabulary=2)


def _traces() -> st.SearchStrategy[TraceBoundHolds]:
    def made(size: int, place: int) -> TraceBoundHolds:
        found = _spectrum(size)
        held: TraceBoundHolds = found.trace_certificate(found.irreps[place % len(found.irreps)])
        return held

    return st.builds(made, st.integers(1, 5), st.integers(0, 2))


def _computing() -> st.SearchStrategy[Certificate]:
    mean = heads().filter(lambda found: found.construction == "mean")
    return mean.map(lambda found: found.certificate())


def _training() -> st.SearchStrategy[Certificate]:
    """Networks on words of one letter of three, of which training sees the first."""
    start = sign_networks("ABC", 1, [1], values=[0, 1])

    def made(labels: list[int], rate: Rational, momentum: Rational, test: int) -> Certificate:
        return start.certificate(
            [("A", y) for y in labels], Sgd(rate, momentum=momentum), ("B", test), ("C", 0)
        )

    part = rationals(min_value=0, max_value="1/2", max_denominator=4)
    return st.builds(made, st.lists(st.integers(-2, 2), max_size=3), part, part, st.integers(-2, 2))


def _predicting() -> st.SearchStrategy[Certificate]:
    """Same and different letters, some of which are shared."""
    letters = st.text("ABC", min_size=2, max_size=2)

    def made(strings: list[str], string: str, ridge: Rational) -> Certificate:
        kernel = linear_attention(1, 1)
        return TaskRidge(tasks.same_different(), kernel, strings, ridge=ridge).certificate(string)

    ridges = rationals(min_value="1/2", max_value=2, max_denominator=3)
    return st.builds(made, st.lists(letters, min_size=1, max_size=4), letters, ridges)


@lru_cache(maxsize=8)
def _exhausted(size: int) -> Certificate:
    found = registry.verify("lavie2024.dimension", max_length=size).certificate
    assert found is not None
    return found


@lru_cache(maxsize=8)
def _refuted(id: str) -> Certificate:
    """The first case of a claim that fails, as it is printed."""
    claim = registry.claims[id]
    for case in claim.list_cases():
        reason = claim.fails(case)
        if reason is not None:
            return Counterexample(claim=id, case=case, reason=reason, subject=claim)
    raise AssertionError(f"{id} does not fail")


def _counterexamples() -> st.SearchStrategy[Certificate]:
    refuted = [id for id, claim in registry.claims.items() if claim.expected == "fails"]
    return st.sampled_from(refuted).map(_refuted)


_OF_KIND: dict[type[Certificate], Callable[[], st.SearchStrategy[Any]]] = {
    Nonsingular: lambda: _asked("nonsingular", positive_definite=True),
    Singular: lambda: _asked("nonsingular", singular=True),
    RankIs: lambda: _asked("rank"),
    NonsingularBalls: _enclosed,
    PositiveDefinite: lambda: _asked("positive-definite", positive_definite=True),
    NotPositiveDefinite: lambda: _asked("positive-definite", symmetric=True, singular=True),
    UniqueAssignment: _unique,
    TiedAssignment: _tied,
    Stage: _stages,
    BlockDiagonal: lambda: st.integers(1, 4).map(lambda n: _spectrum(n).certificate()),
    TraceBoundHolds: _traces,
    HeadComputes: _computing,
    EquivariantTraining: _training,
    RidgePrediction: _predicting,
    OnePoint: _about_templates,
    ModularPoints: lambda: _about_templates(algorithm="modular"),
    TemplateRank: _repeated,
    TypeRank: _types,
    Exhausted: lambda: st.integers(1, 4).map(_exhausted),
    Counterexample: _counterexamples,
}


def kernel_facts() -> st.SearchStrategy[KernelFacts]:
    """What the theorems about template matrices need to know of an attention kernel.

    >>> from hypothesis import find
    >>> find(kernel_facts(), lambda facts: facts.gamma == 0).separates
    False
    """
    number = st.none() | rationals(min_value=0, max_value=2, max_denominator=3)
    layers = st.none() | st.sampled_from([("relu",), ("cos", "1", "0"), ("polynomial", "0", "1")])
    return st.builds(KernelFacts, beta=number, gamma=number, activation=layers)


def plain_values(*, max_leaves: int = 8) -> st.SearchStrategy[Any]:
    """What files hold and claims may have as cases: numbers, texts, templates, tuples of such.

    >>> from hypothesis import find
    >>> find(plain_values(), lambda value: isinstance(value, tuple) and len(value) == 2)
    (None, None)
    """
    most = integer(max_leaves, "max_leaves", at_least=1)
    leaves = (
        st.none()
        | st.booleans()
        | st.integers()
        | rationals()
        | st.text(max_size=5)
        | inequivalent_templates(max_size=1, max_length=3).map(lambda found: found[0])
        | matrices(max_size=2)
    )
    return st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=3).map(tuple), max_leaves=most
    )
