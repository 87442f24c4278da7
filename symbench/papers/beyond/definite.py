"""Positive definite for all parameters at once, from exponents: with CLS and without.

What decides is the *exponent* of each template at a point (xi, y). By definition it is the
cumulant: if a token rho has the logit y_rho and the wildcards have independent standard Gaussians,
the mean of e^{<xi, logits>} is e^{exponent / 2}, up to scaling. The claims recompute exponents so,
position by position, and see that the library's exponents give back the entries of its own N.
"""

from __future__ import annotations

from itertools import combinations, combinations_with_replacement, islice, product
from typing import Any

import flint

from symbench.certificates import Certificate, ModularPoints, OnePoint, Singular, Templates
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import GF, Matrix
from symbench.kernels import attention
from symbench.ktau import TemplateMatrix, template_matrix
from symbench.papers import _templates
from symbench.papers._cases import at_most
from symbench.papers._second_roads import (
    determinant,
    gaussian_attention,
    series_coefficients,
    template_entry,
)
from symbench.papers._templates import (
    all_at_once,
    before_cls,
    inequivalent,
    template_sets,
    templates,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

Point = tuple[tuple[int, ...], tuple[int, ...]]

# Templates for which a point is looked for, and for which a determinant is computed.
_POINTS, _DETERMINANTS = 200_000, 250
_TIED = 4  # templates of one matrix whose entries are computed from the exponents


# --- exponents, from the definition ---------------------------------------------------------------
def _exponent(z: Template, tokens: tuple[str, ...], point: Point) -> int:
    """Twice the mean and once the variance of <xi, logits>, pairs of positions one by one."""
    xi, y = point
    at = dict(zip(tokens, y, strict=True))
    places = range(len(z))
    mean = sum(xi[a] * at[z.letters[a]] for a in places if z.letters[a] not in z.wildcards)
    variance = sum(
        xi[a] * xi[b]
        for a, b in product(places, repeat=2)
        if z.letters[a] == z.letters[b] and z.letters[a] in z.wildcards
    )
    return 2 * mean + variance


def _wrong_exponent(matrix: TemplateMatrix, point: Point) -> str | None:
    """The first template whose exponent at the point is not that of the definition."""
    subject = matrix.plain
    for z, found in zip(matrix.templates, subject.exponents(*point), strict=True):
        expected = _exponent(z, subject.tokens, point)
        if found != expected:
            return f"the exponent of {z} is {found}, by definition {expected}"
    return None


def _wrong_entry(matrix: TemplateMatrix) -> str | None:
    """The first entry of N that is not what the library's exponents say it is.

    The exponents, as forms in xi and y, are the means and covariances of the logits: read off
    where xi and y are unit vectors, they give N_ij as the mean of products of softmax weights.
    """
    size = len(matrix)
    few = [
        matrix.templates[n] for n in sorted({k * (size - 1) // (_TIED - 1) for k in range(_TIED)})
    ]
    length = len(few[0])
    order = 4 if length <= 4 else 2
    kernel: Any = matrix.kernel
    part = template_matrix(few, kernel.with_order(order), cls=False)
    rows, subject = part.matrix.rows, part.plain
    laws = _laws(subject, length, len(subject.tokens))
    unit = flint.fmpq_poly([0, 1])
    for i, j in combinations_with_replacement(range(len(few)), 2):
        (left, own), (right, other) = laws[i], laws[j]
        shared = [
            [
                sum(x * y for x, y in zip(left[a], right[b], strict=True)) + unit * (a == b)
                for b in range(length)
            ]
            for a in range(length)
        ]
        inside, between = flint.fmpq_poly([1]), flint.fmpq_poly([1])
        if subject.reads_end:
            inside, between = flint.fmpq_poly([1, 1]), flint.fmpq_poly([shared[-1][-1][0], 1])
        covariance = [
            [*(inside * x for x in _inside(left, own, a)), *(between * x for x in shared[a])]
            for a in range(length)
        ] + [
            [
                *(between * shared[a][b] for a in range(length)),
                *(inside * x for x in _inside(right, other, b)),
            ]
            for b in range(length)
        ]
        if gaussian_attention(covariance, shared, order) != series_coefficients(rows[i][j]):
            return f"the exponents of {few[i]} and {few[j]} do not give the entry of N"
    return None


def _laws(subject: Templates, length: int, tokens: int) -> list[tuple[Any, Any]]:
    """For each template how its logits depend on the tokens, and the covariance of the rest."""
    none = (0,) * tokens

    def at(places: tuple[int, ...], y: tuple[int, ...]) -> list[int]:
        return subject.exponents(tuple(places.count(a) for a in range(length)), y)

    own = {(a, b): at((a, b), none) for a in range(length) for b in range(length)}
    alone = [at((a,), none) for a in range(length)]
    seen = [
        [at((a,), tuple(int(r == t) for r in range(tokens))) for t in range(tokens)]
        for a in range(length)
    ]
    found = []
    for n in range(len(subject.rows)):
        mean = [
            [flint.fmpq(seen[a][t][n] - alone[a][n], 2) for t in range(tokens)]
            for a in range(length)
        ]
        rest = [
            [flint.fmpq(own[a, b][n] - alone[a][n] - alone[b][n], 2) for b in range(length)]
            for a in range(length)
        ]
        found.append((mean, rest))
    return found


def _inside(mean: Any, rest: Any, a: int) -> list[Any]:
    """The covariances of the logit at position a with those of the same string."""
    return [
        flint.fmpq_poly(
            [rest[a][b] + sum(x * y for x, y in zip(mean[a], mean[b], strict=True)), int(a == b)]
        )
        for b in range(len(mean))
    ]


def _refuted(found: Singular, matrix: TemplateMatrix) -> Fails:
    """The failure that a null vector shows, if the entries from the definition say so too."""
    if not found.check():
        raise Undecided("the null vector that was found does not check")
    kernel: Any = matrix.kernel
    chosen = [(z, v) for z, v in zip(matrix.templates, found.vector, strict=True) if v]
    for z in matrix.templates:
        total: dict[tuple[int, int], Any] = {}
        for w, v in chosen:
            entry = template_entry(z, w, 2, weights=kernel.weights, scale=kernel.softmax_scale)
            for place, c in entry.items():
                if kernel.gamma is None or place[1] == 0:  # the variants have gamma = 0
                    total[place] = total.get(place, 0) + c * v
        if any(total.values()):
            raise Undecided(f"the row of {z} times the vector is not zero by definition")
    return Fails(found.explain())


def _by_one_point(matrix: TemplateMatrix) -> Certificate | Fails:
    found = certify(matrix, question="positive-definite")
    if isinstance(found, Singular):
        return _refuted(found, matrix)
    if not isinstance(found, OnePoint) or not found.check(matrix):
        raise Undecided(f"neither a point nor a null vector: {found.explain()}")
    wrong = _wrong_exponent(matrix, (found.xi, found.y))
    return Fails(wrong) if wrong else found


# --- with CLS -------------------------------------------------------------------------------------
@claim(
    "symbench.positive-definite",
    source="Theorem of symbench; it implies Lemma 4.7 of boix2024",
    category="theorem",
    cases=lambda max_length=5, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    strategy=template_sets(),
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("ααβ", "αβα"), {"gamma": 0}),
        NearMiss(
            "attention without normalisation", templates("αα", "αβ"), {"weights": "exponential"}
        ),
    ],
)
def positive_definite(cases: _templates.Templates, **kernel: Any) -> Certificate | Fails:
    r"""For every $\beta \neq 0$, $\gamma \neq 0$ and every finite set of pairwise inequivalent
    templates with CLS appended the template matrix of the softmax attention kernel is positive
    definite. Disjointness is not needed. In each case: the exponents at a point are those of the
    definition and pairwise different, and as laws of logits they give the entries of $N$ (to order
    4 or 2 in $\beta$). That this proves it is said on the page.
    """
    at_most(len(cases), _POINTS, "templates")
    matrix = template_matrix(cases, attention(**kernel))
    found = _by_one_point(matrix)
    if isinstance(found, Fails):
        return found
    assert isinstance(found, OnePoint)
    values = [_exponent(z, matrix.plain.tokens, (found.xi, found.y)) for z in matrix.templates]
    if sum(found.xi) or len(set(values)) < len(values):
        return Fails("two exponents are equal at the point, or it is not one of the hyperplane")
    wrong = _wrong_entry(matrix)
    return Fails(wrong) if wrong else found


@claim(
    "symbench.one-point",
    source="Theorem of symbench: a certificate for all beta, gamma != 0 at once",
    category="theorem",
    cases=lambda max_length=6, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("A", "B", "α"),
    strategy=template_sets(),
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("at every point", templates("ααβ", "αβα"), {"tried": 1}),
    ],
)
def one_point(cases: _templates.Templates, tried: int = 0) -> Certificate | Fails:
    r"""Pairwise inequivalent templates with CLS appended have an integer point $(\xi, y)$, $\sum_a
    \xi_a = 0$, at which the exponents $2 \langle Z_i^{\mathcal{R}\top} \xi, y \rangle + \sum_B
    (\sum_{a \in B} \xi_a)^2$ are pairwise different; with it the template matrix of softmax
    attention is positive definite for every $\beta, \gamma \neq 0$. Small points are accepted
    exactly where the exponents of the definition differ.
    """
    at_most(len(cases), _POINTS, "templates")
    matrix = template_matrix(cases, attention())
    found = _by_one_point(matrix)
    if isinstance(found, Fails):
        return found
    subject = matrix.plain
    for point in _small_points(len(subject.rows[0]), len(subject.tokens)):
        values = [_exponent(z, subject.tokens, point) for z in matrix.templates]
        apart = len(set(values)) == len(values)
        accepted = OnePoint(xi=point[0], y=point[1]).check(subject)
        if accepted != (apart and sum(point[0]) == 0):
            return Fails(f"{point} is {'not ' * (not accepted)}accepted")
        if tried and not accepted:
            return Fails(f"{point} does not tell the templates apart")
    return found


def _small_points(length: int, tokens: int) -> list[Point]:
    """A few points of small numbers; in the last two the sum of xi is not zero."""
    near = ((*xi, -sum(xi)) for xi in islice(product((0, 1, -2), repeat=length - 1), 1, 200, 17))
    far = (tuple((-3) ** a for a in range(length)), (1,) * length)
    y = tuple((-2) ** t for t in range(tokens))
    return [(xi, y) for xi in (*near, *far)]


@claim(
    "symbench.modular-determinant",
    source="Theorem of symbench: a certificate for every nonzero algebraic beta^2",
    category="theorem",
    cases=lambda max_length=4, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("αα", "αβ"),
    strategy=template_sets(),
    applies=before_cls,
    proof="proofs/symbench/positive-definite.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("q = 1, that is beta = 0", templates("αα", "αβ"), {"base": 1}),
    ],
)
def modular_determinant(
    cases: _templates.Templates, base: int | None = None
) -> Certificate | Fails:
    r"""Pairwise inequivalent templates with CLS appended have integer points $(\xi_l, y_l)$, as
    many as there are templates, a prime $p$ and a base $q_0$ with
    $\det [q_0^{e_i(\xi_l, y_l)}] \neq 0$ modulo $p$. Then the determinant is not zero at the
    transcendental $q = e^{-\beta^2/2}$, and the template matrix of softmax attention is positive
    definite for every $\gamma \neq 0$ and every algebraic $\beta^2 \neq 0$. The residue is computed
    again from the exponents of the definition, by elimination.
    """
    at_most(len(cases), _DETERMINANTS, "templates")
    matrix = template_matrix(cases, attention())
    found = matrix.certify(algorithm="modular")
    if isinstance(found, Singular):
        return _refuted(found, matrix)
    assert isinstance(found, ModularPoints)
    length, prime = len(matrix.templates[0]), found.prime
    q = found.base if base is None else base
    rows = []
    for row in found.points.rows:
        point = (row[:length], row[length:])
        if sum(point[0]):
            return Fails(f"{point} is not a point of the hyperplane")
        rows.append(
            [pow(q, _exponent(z, matrix.plain.tokens, point), prime) for z in matrix.templates]
        )
    residue = determinant(rows, prime)
    if residue == 0:
        return Fails(f"the determinant is zero modulo {prime}")
    if residue != found.residue or Matrix(rows, GF(prime)).det() != residue:
        return Fails(f"the determinant is {residue}, not {found.residue}, modulo {prime}")
    return found


# --- without CLS ----------------------------------------------------------------------------------
@claim(
    "symbench.no-cls",
    source="Theorem of symbench: CLS is not needed",
    category="theorem",
    cases=lambda max_length=5, max_tokens=2: all_at_once(max_length, max_tokens),
    boundary=templates("AA", "BB", "αα"),
    strategy=template_sets(),
    applies=inequivalent,
    proof="proofs/symbench/no-cls.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("gamma = 0", templates("αα", "αβ"), {"gamma": 0}),
        NearMiss("the exponents alone", templates("AA", "BB", "αα"), {"tokens": False}),
    ],
)
def no_cls(cases: _templates.Templates, tokens: bool = True, **kernel: Any) -> Certificate | Fails:
    r"""For every $\beta \neq 0$, $\gamma \neq 0$ and pairwise inequivalent templates as they
    are, without CLS, the template matrix of the softmax attention kernel, (3) or (23), is positive
    definite. In (3) exponents collide only among the templates with one letter throughout,
    $\rho\rho\dots\rho$ and $\alpha\alpha\dots\alpha$, which the attention on their token tells
    apart. In (23) templates that end alike are told apart. Exponents and points are those of the
    definition, and as laws of logits they give the entries of $N$.
    """
    at_most(len(cases), 100_000, "templates")
    found: Certificate | Fails = Fails()
    for scale in ("main", "appendix-H"):
        matrix = template_matrix(cases, attention(softmax_scale=scale, **kernel), cls=False)
        found = _by_one_point(matrix)
        if isinstance(found, Fails):
            return found
        assert isinstance(found, OnePoint)
        subject, own = matrix.plain, (found.xi, found.y)
        for point in (own, *_small_points(len(subject.rows[0]), len(subject.tokens))):
            apart = _apart(matrix, point, tokens)
            if point == own and not apart:
                return Fails(f"{scale}: two templates have the same exponent at {point}")
            if not apart and OnePoint(xi=point[0], y=point[1]).check(subject):
                return Fails(f"{scale}: {point} is accepted and does not tell them apart")
        wrong = _wrong_entry(matrix)
        if wrong:
            return Fails(f"{scale}: {wrong}")
    return found


def _apart(matrix: TemplateMatrix, point: Point, tokens: bool) -> bool:
    """Whether the functions of the proof are independent at a point, pair by pair."""
    seen = matrix.plain.tokens
    values = {z: _exponent(z, seen, point) for z in matrix.templates}
    if sum(point[0]):
        return False
    if not matrix.plain.reads_end:
        # Attention on its token tells a template with one letter from all others.
        alone = {z for z in values if tokens and len(set(z.letters)) == 1}
        return all(values[z] != values[w] or {z, w} <= alone for z, w in combinations(values, 2))
    return all(_apart_by_end(z, w, seen, point, values) for z, w in combinations(values, 2))


def _apart_by_end(
    z: Template, w: Template, tokens: tuple[str, ...], point: Point, values: dict[Template, int]
) -> bool:
    """The same in kernel (23): templates that end differently share fewer Gaussians."""
    ends = {u.letters[-1] if u.letters[-1] in u.tokens else None for u in (z, w)}
    if len(ends) == 2:
        return True
    if ends != {None}:
        return values[z] != values[w]
    # 2 kappa a + (1 + gamma^2) Q + n: twice the mean, the wildcards' variance, the tokens'.
    xi, y = point
    forms = []
    for u in (z, w):
        blank = tuple(a if a in u.tokens else None for a in u.letters)
        mean = sum(x * y[tokens.index(a)] for x, a in zip(xi, blank, strict=True) if a is not None)
        n = sum(
            xi[a] * xi[b]
            for a, b in product(range(len(xi)), repeat=2)
            if blank[a] == blank[b] is not None
        )
        forms.append((mean, values[u] - 2 * mean, n))
    mean, slope, rest = (a - b for a, b in zip(*forms, strict=True))
    # slope (1 + gamma^2) + rest has no zero for gamma^2 > 0.
    return mean != 0 or (slope * (slope + rest) >= 0 and (slope, rest) != (0, 0))
