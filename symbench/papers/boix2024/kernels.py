"""Sections 4.2, 4.3, Appendices F to I: the attention kernel, its derivatives at zero, and MLPs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

from symbench.certificates import Certificate, Singular, Stage
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.kernels import attention, generic, inner_product
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, one_of, record
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    inequivalent,
    is_string,
    subsets,
    template_sets,
    templates,
    wildcards_only,
    with_cls,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import CLS, Template, all_templates, tasks

Coefficient = tuple[int, int]

# The orders (of beta, of gamma) at which the five stages of Appendix F look.
STAGES: tuple[Coefficient, ...] = ((0, 0), (2, 2), (4, 0), (4, 2), (6, 4))


def _fresh(aa: str, bb: str, bc: str, ab: str, cd: str) -> bool:
    """Whether the five strings are as in the paper: each pair of an entry shares no token."""
    if any(len(string) != 2 for string in (aa, bb, bc, ab, cd)):
        return False
    same = len(set(aa)) == len(set(bb)) == 1
    different = len(set(bc)) == len(set(ab)) == len(set(cd)) == 2
    apart = not set(aa) & {*bb, *bc} and not set(ab) & set(cd)
    return same and different and apart


# --- Section 4.3 --------------------------------------------------------------------------------
@claim(
    "boix2024.section-4.3",
    source="Section 4.3, the 2 x 2 template matrix of same/different",
    category="example",
    cases=[("AA", "BB", "BC", "AB", "CD"), ("QQ", "RR", "RS", "QR", "ST")],
    boundary=("AA", "BB", "BC", "AB", "CD"),
    applies=record(*[is_string] * 5, where=_fresh),
    near_misses=[
        NearMiss("strings that share a token: not fresh", ("AA", "AB", "BC", "AB", "CD")),
        NearMiss("the diagonal with one substitution twice", ("AA", "AA", "BC", "AB", "CD")),
    ],
)
def section_4_3(strings: tuple[str, ...]) -> Certificate | Fails:
    r"""For αα and αβ the template matrix is
    $\begin{pmatrix} K(AA, BB) & K(AA, BC) \\ K(BC, AA) & K(AB, CD) \end{pmatrix}$ for every
    token-symmetric kernel; for inner-product kernels it has rank one.
    """
    aa, bb, bc, ab, cd = strings
    kernel = generic()
    matrix = template_matrix(tasks.same_different(), kernel).matrix
    ring = matrix.ring
    printed = {(0, 0): (aa, bb), (0, 1): (aa, bc), (1, 0): (bc, aa), (1, 1): (ab, cd)}
    for (i, j), pair in printed.items():
        entry = kernel.value(*pair)
        known = set(entry.context().names()) <= set(ring.variables)
        if not known or ring.coerce(entry) != matrix[i, j]:
            return Fails(f"entry ({i + 1}, {j + 1}) is another value of the kernel")
    inner = template_matrix(tasks.same_different(), inner_product()).matrix
    if inner.rank() != 1:
        return Fails(f"the inner-product kernel has rank {inner.rank()}")
    return certify(inner, question="rank")


# --- Lemma 4.7 and the claims F.2 to F.6 ----------------------------------------------------------
def _coefficient(cases: Templates, at: Coefficient) -> dict[tuple[int, int], Rational]:
    """[beta^i gamma^j] of every entry of the template matrix."""
    matrix = template_matrix(cases, attention(order=at[0])).matrix
    found = {}
    for i, j in product(range(len(cases)), repeat=2):
        terms = QQ["gamma"].terms(matrix[i, j].coefficients[at[0]])
        found[i, j] = Rational(terms.get((at[1],), 0))
    return found


def _gap(values: Mapping[tuple[int, int], Rational], i: int, j: int) -> Fraction:
    return values[i, i] + values[j, j] - values[i, j] - values[j, i]


_INVARIANTS: tuple[Callable[[Template], Any], ...] = (
    # F.2: how often each regular token occurs; F.3: where the regular tokens stand.
    lambda z: tuple(sorted((t, z.letters.count(t)) for t in z.tokens)),
    lambda z: tuple(sorted(z.token_positions.items())),
    # F.4: the sum of the squared numbers of occurrences.
    lambda z: sum(len(block) ** 2 for block in (*z.blocks, *z.token_positions.values())),
    # F.5: how often the letter at each position occurs; F.6: which positions have equal letters.
    lambda z: tuple(z.letters.count(letter) for letter in z.letters),
    lambda z: z.pattern,
)


def _stage(cases: Templates, stage: int) -> Certificate | Fails:
    """One stage on all pairs that agree in the invariants of the earlier stages.

    Gaps N_ii + N_jj - N_ij - N_ji >= 0 are a dual solution of the assignment problem,
    u_i = v_i = N_ii / 2: for a permutation the difference of the sums is half the sum of its gaps,
    so it is zero iff i and sigma(i) always agree in the stage's invariant. (N is symmetric.)
    """
    at_most(len(cases), 500, "templates")
    closed = with_cls(cases)
    values = _coefficient(cases, STAGES[stage])
    for i, j in combinations(range(len(closed)), 2):
        if any(f(closed[i]) != f(closed[j]) for f in _INVARIANTS[:stage]):
            continue
        gap = _gap(values, i, j)
        same = _INVARIANTS[stage](closed[i]) == _INVARIANTS[stage](closed[j])
        if gap < 0 or (gap == 0) != same:
            return Fails(f"{closed[i]}, {closed[j]}: gap {gap} at beta^i gamma^j, {STAGES[stage]}")
    size = range(len(closed))
    return Stage(
        before=_groups(closed, stage),
        after=_groups(closed, stage + 1),
        subject=Matrix([[values[i, j] for j in size] for i in size], QQ),
        about={"coefficient": "beta^{} gamma^{}".format(*STAGES[stage])},
    )


def _groups(closed: Templates, count: int) -> tuple[int, ...]:
    """Templates with the same first invariants have the same number."""
    numbers: dict[Any, int] = {}
    found = [tuple(f(z) for f in _INVARIANTS[:count]) for z in closed]
    return tuple(numbers.setdefault(values, len(numbers)) for values in found)


def _declare_stage(
    stage: int,
    near: Templates,
    statement: str,
    changed: str = "the order of the stage before is enough",
) -> None:
    """Register Claim F.(stage + 2)."""

    def check(cases: Templates) -> Certificate | Fails:
        return _stage(cases, stage)

    def too_early(cases: Templates) -> bool | Fails:
        """The variant that reads an invariant off the order of the stage before its own."""
        own = max(stage, 1)
        gap = _gap(_coefficient(cases, STAGES[own - 1]), 0, 1)
        first, second = map(_INVARIANTS[own], with_cls(cases))
        return (gap == 0) == (first == second) or Fails(f"the gap at {STAGES[own - 1]} is {gap}")

    check.__doc__ = statement
    check.__qualname__ = f"claim_f{stage + 2}"
    claim(
        f"boix2024.claim-F.{stage + 2}",
        source=f"Appendix F, Claim F.{stage + 2}",
        category="claim",
        # All templates of a length at once: every subset of them is covered.
        cases=lambda max_length=4: (
            every(n, "AB"[: max(0, 4 - n)]) for n in range(1, max_length + 1)
        ),
        boundary=templates("αα", "αβ"),
        applies=before_cls,
        near_misses=[NearMiss(changed, near, too_early)],
        assumes=[f"boix2024.claim-F.{n}" for n in range(2, stage + 2)],
        proof="proofs/boix2024/lemma-4.7.md",
    )(check)


_declare_stage(
    0,
    templates("Aα", "αA"),
    r"""From $\kappa(0, 0)$: among templates with CLS the gap $N_{ii} + N_{jj} - 2 N_{ij}$ at this
    order is $\ge 0$, and zero iff every regular token occurs equally often in both,
    $1^\top x_i|_{\mathcal{R}} = 1^\top y_j|_{\mathcal{R}}$.""",
    "it says which tokens stand where",
)
_declare_stage(
    1,
    templates("Aα", "αA"),
    r"""From $\partial_\beta^2 \partial_\gamma^2 \kappa$: among templates that agree so far the
    gap is $\ge 0$, and zero iff the regular tokens stand at the same places,
    $[x_i]_{:,\mathcal{R}} = [y_j]_{:,\mathcal{R}}$.""",
)
_declare_stage(
    2,
    templates("αα", "αβ"),
    r"""From $\partial_\beta^4 \kappa$: among templates that agree so far the gap is $\ge 0$,
    and zero iff $1^\top x_i x_i^\top 1 = 1^\top y_j y_j^\top 1$.""",
)
_declare_stage(
    3,
    templates("ααβ", "αββ"),
    r"""From $\partial_\beta^4 \partial_\gamma^2 \kappa$: among templates that agree so far the
    gap is $\ge 0$, and zero iff $1^\top x_i x_i^\top = 1^\top y_j y_j^\top$.""",
)
_declare_stage(
    4,
    templates("ααββ", "αβαβ"),
    r"""From $\partial_\beta^6 \partial_\gamma^4 \kappa$: among templates that agree so far the
    gap is $\ge 0$, and zero iff $x_i x_i^\top = y_j y_j^\top$; then the templates are
    equivalent.""",
)


def _all_permutations(cases: Templates, order: int, *, later: bool) -> bool | Fails:
    """Condition (9) itself: no permutation but the identity has the diagonal's sum.

    If the sums may differ later, that they agree to this order says nothing, but for a permutation
    that exchanges equivalent templates.
    """
    matrix = template_matrix(cases, attention(order=order)).matrix
    zero = matrix.ring.coerce(0)
    identity, *others = permutations(range(len(cases)))
    diagonal = sum((matrix[i, i] for i in identity), zero)
    for s in others:
        if diagonal == sum((matrix[i, s[i]] for i in identity), zero):
            text = f"the permutation {s} has the same sum up to beta^{order}"
            if later and not all(cases[i].is_equivalent(cases[s[i]]) for i in identity):
                raise Undecided(text)
            return Fails(text)
    return True


_PAIRINGS = templates("ααββ", "αβαβ", "αββα")


@claim(
    "boix2024.lemma-4.7",
    source="Lemma 4.7 = C.4 = F.1, through the derivatives of Appendix F",
    category="lemma",
    cases=lambda max_length=3: (*subsets(max_length, 3, token_below=3), _PAIRINGS),
    boundary=_PAIRINGS,
    strategy=template_sets(min_size=2, max_size=3, max_length=4, tokens="A"),
    applies=before_cls,
    proof="proofs/boix2024/lemma-4.7.md",
    near_misses=[
        NearMiss("equivalent templates", templates("αβ", "βα")),
        NearMiss("derivatives to order 4 in beta only", _PAIRINGS, {"order": 4, "later": False}),
    ],
)
def lemma_4_7(cases: Templates, order: int = 6, later: bool = True) -> Certificate | Fails:
    r"""For pairwise inequivalent templates with CLS and almost every $(\beta, \gamma)$ no
    permutation $\sigma \neq \mathrm{id}$ has $\sum_i K_{attn}(X_i, Y_i) = \sum_i K_{attn}(X_i,
    Y_{\sigma(i)})$: the two sums differ in a derivative at zero, of order at most 6 in $\beta$ and
    4 in $\gamma$ for these lengths. (`symbench.positive-definite` has it for every $\beta, \gamma
    \neq 0$.)
    """
    at_most(len(cases), 7, "templates")
    outcome = _all_permutations(cases, order, later=later)
    if isinstance(outcome, Fails):
        return outcome
    # The first stage after which no two templates agree in all invariants.
    closed = with_cls(cases)
    apart = (stage for stage in range(5) if len(set(_groups(closed, stage + 1))) == len(cases))
    return _stage(cases, next(apart))


# --- Appendix H -----------------------------------------------------------------------------------
def _string_pairs(max_length: int = 3) -> Iterator[tuple[str, str]]:
    """Pairs with the same last token, one per equality pattern."""
    for length in range(1, max_length + 1):
        for z in all_templates(2 * length - 1):
            letters = z.fresh()
            text = "".join(letters[a] for a in z.letters)
            yield text[:length], text[length:] + text[length - 1]


@claim(
    "boix2024.appendix-H",
    source="Equation (23) against (3): the kernel of the finite network's limit",
    category="remark",
    cases=_string_pairs,
    boundary=("A", "A"),
    applies=record(is_string, is_string, where=lambda x, y: len(x) == len(y) and x[-1] == y[-1]),
    near_misses=[NearMiss("different last tokens", ("AB", "BA"))],
)
def appendix_h(case: tuple[str, str]) -> bool | Fails:
    r"""If both strings end in the same token, $K_{(23)}(\beta, \gamma) = K_{(3)}(\beta \sqrt{1 +
    \gamma^2}, \gamma)$: the two kernels differ by a reparametrisation. Checked to order 4 in
    $\beta$.
    """
    at_most(len(case[0]), 12, "letters of a string")
    # (3) with beta^2 -> beta^2 (1 + gamma^2), coefficient by coefficient.
    expected: dict[tuple[int, int], Rational] = {}
    for (i, j), value in attention().taylor(*case, beta=4).items():
        for n in range(i // 2 + 1):
            key = (i, j + 2 * n)
            expected[key] = Rational(expected.get(key, 0) + value * comb(i // 2, n))
    found = attention().with_softmax_scale("appendix-H").taylor(*case, beta=4)
    return found == {key: c for key, c in expected.items() if c} or Fails("the series differ")


# --- Observation 1.2 ------------------------------------------------------------------------------
def _logits(letters: list[str]) -> list[tuple[bool, bool]]:
    """The incidence a I adds to the logits of the last position: (equal tokens, equal places)."""
    last = len(letters) - 1
    return [(letter == letters[last], c == last) for c, letter in enumerate(letters)]


def _sees_incidence(case: tuple[str, bool]) -> bool | Fails:
    """Whether the added scores differ from those of a string of different symbols."""
    end = [CLS] if case[1] else []
    different = [chr(ord("A") + n) for n in range(len(case[0]))]
    changed = _logits([*case[0], *end]) != _logits([*different, *end])
    return changed or Fails("the added scores do not depend on the string")


@claim(
    "boix2024.observation-1.2",
    source="Observation 1.2, for the model that Section 4 analyses (depth one, read out at CLS)",
    category="observation",
    cases=[("AA", True), ("AB", True), ("ABA", True), ("ABB", True)],
    boundary=("AA", True),
    applies=record(is_string, one_of(True)),
    expected="fails",
    repaired_by="boix2024.observation-1.2-repaired",
    near_misses=[NearMiss("longer strings", ("ABCABC", True), {})],
)
def observation_1_2(case: tuple[str, bool]) -> bool | Fails:
    r"""Adding $a I$ to $W_K^\top W_Q$ lets the attention scores see which symbols of the string are
    equal, so one more parameter per head helps.

    At depth one with read-out at CLS the added score of position $c$ is
    $a (1(x_c = \mathrm{CLS}) + \gamma^2 1(c = k))$: the same for every string, no information.
    """
    return _sees_incidence(case)


@claim(
    "boix2024.observation-1.2-repaired",
    source="Observation 1.2, where the query is one of the symbols",
    category="observation",
    cases=[("AA", False), ("ABA", False), ("AABA", False), ("ABCA", False)],
    boundary=("AA", False),
    applies=record(is_string, one_of(False), where=lambda x, _: x[-1] in x[:-1]),
    near_misses=[NearMiss("the query is CLS", ("AA", True))],
)
def observation_1_2_repaired(case: tuple[str, bool]) -> bool | Fails:
    r"""Where the query position carries a symbol of the string, adding $a I$ adds $a (1(x_c = x_k)
    + \gamma^2 1(c = k))$ to the score of position $c$: the incidence of the query's symbol. (A
    second layer hands such scores on to CLS.)
    """
    return _sees_incidence(case)


# --- Appendix I: inner-product kernels, that is MLPs ----------------------------------------------
def _wildcard_tasks(max_length: int = 4) -> Iterator[Templates]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        yield from combinations(every(length), 2)
        if length > 2:
            yield every(length)


@claim(
    "boix2024.remark-I.6",
    source="Appendix I, Remark I.6 (wording reconstructed; 'wildcard-only' is not printed there)",
    category="remark",
    cases=_wildcard_tasks,
    boundary=templates("αα", "αβ"),
    strategy=template_sets(min_size=2, max_length=7, tokens=""),
    applies=lambda z: inequivalent(z) and len(z) >= 2 and wildcards_only(z),
    near_misses=[
        NearMiss("templates with regular tokens", templates("Aα", "Bα")),
        NearMiss("a single template", templates("αα")),
        NearMiss("a common last token: the entries are kappa(1)", templates("αα*", "αβ*")),
    ],
)
def remark_i6(cases: Templates) -> Certificate | Fails:
    r"""For wildcard-only templates and an inner-product kernel $\kappa(\langle x, y\rangle)$ every
    entry of the template matrix is $\kappa(0)$, so for $r \ge 2$ it is singular, whatever $\kappa$.

    The matrix is taken over $\mathbb{Q}[\kappa_0, \dots, \kappa_k]$, one indeterminate for each
    value of the inner product: its null vector annihilates it for every kernel function.
    """
    at_most(len(cases), 300, "templates")
    matrix = template_matrix(cases, inner_product()).matrix
    certificate = certify(matrix)
    if not isinstance(certificate, Singular):
        return Fails("the template matrix is nonsingular for generic kappa")
    kappa_zero = matrix.ring.coerce(inner_product().value("A", "B"))
    if any(entry != kappa_zero for row in matrix.rows for entry in row):
        return Fails("not every entry is kappa(0)")
    return certificate
