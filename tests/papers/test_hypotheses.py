"""No case outside of the hypotheses, and none that was not decided, refutes a claim.

A counterexample file names a claim and a case, and the claim is run on the case again. So
`applies` must answer for whatever a file may hold, and a claim's function must not say that the
statement fails where it only ran out of precision, terms or time.
"""

from fractions import Fraction
from itertools import islice, product

import pytest

from symbench.certificates import Counterexample
from symbench.errors import Undecided
from symbench.exact import QQ, Matrix, Rational
from symbench.papers._templates import Templates, templates
from symbench.papers.beyond import gram, symmetries
from symbench.papers.boix2024 import kernels
from symbench.papers.lavie2024 import learning, networks
from symbench.registry import claims
from symbench.registry.statement import as_written
from symbench.words import Substitution, Task, Template

IDS = list(claims)
HOLDING = [id for id in IDS if claims[id].expected == "holds"]
ONE, HALF = Rational(1), Rational(1, 2)
HUGE = 10**40

JUNK = [
    None, True, False, 0, 1, -1, 2, 7, HUGE, -HUGE, HALF, Rational(-1, 3), Rational(4), 1.5,
    float("nan"), "", "A", "α", "αα", "[CLS]", "µ", "no name", "sum", "\ud800", b"bytes",
    (), (0,), (1,), (-1,), (2, 1), (1, 2), (True, True), (0, 0), (1, 0), (HUGE, HUGE), (HALF, HALF),
    (None, None), ("A", "A"), ("A", ""), ("αα", "α"), ("sum", 4), ("sum", -4), (1, 1, 1), (2, 1, 0),
    (1, (1,), ()), ((1,), (1,)), ((1,), (2,)), ((), ()), (((1,), 1),), ((((1,), 1),), 1),
    ("sum", (), ONE, ONE, 1, 1, 1), ("sum", "uniform", 0, 2), [1, 2], ["αα", "αβ"], {}, {1: 2},
    {"α": "A"}, set(), object(), int, Template("αα"), Template("A[CLS]"), templates("αα", "α"),
    templates("αα", "αα"), (Template("αα"), "αβ"), (Template("α"), Template("α", wildcards="")),
    (Template(["CLS"], wildcards=["CLS"]),), (templates("αα"), "linear", 1), Matrix([[1, 2]]),
    Matrix([[0]]), Matrix([[1]], QQ["x"]), (Matrix([[1]]),), Substitution({"α": "A"}),
    Task(templates("αα", "αβ"), labels=[1, -1]), range(3),
]  # fmt: skip


def test_there_is_enough_junk():
    assert len(JUNK) >= 60
    assert len(IDS) >= 73


@pytest.mark.parametrize("id", IDS)
def test_the_hypotheses_are_asked_of_anything(id):
    applies = claims[id].applies
    assert applies is not None
    for value in JUNK:
        assert type(applies(value)) is bool, value


@pytest.mark.parametrize("id", IDS)
def test_the_hypotheses_hold_in_the_cases_and_not_in_the_near_misses(id):
    claim = claims[id]
    for case in [*islice(claim.list_cases(), 30), claim.boundary]:
        assert claim.applies(case) is True, case
    for near in claim.near_misses:
        if near.check is None:
            assert claim.applies(near.case) is False, near.description


# One hypothesis broken in each of these.
OUTSIDE = [
    ("symbench.every-activation", (templates("αα", "αβ"), (5, 0, 0))),
    ("symbench.every-activation", (templates("αα", "αβ"), ())),
    ("symbench.positive-definite", templates("αα[CLS]", "αβ[CLS]")),
    ("symbench.one-point", (Template("αA"), Template("αA", wildcards="A"))),
    ("symbench.gram", templates("αα", "αβγ")),
    ("symbench.pairwise-condition", ()),
    ("symbench.incidence", templates("αβ", "βα")),
    ("symbench.hard-attention", templates("αα")),
    ("symbench.hard-attention", templates("αα", "αA")),
    ("symbench.normalisation-needed", (templates("αα", "αβ"), "softmax")),
    ("symbench.normalisation-needed", (templates("αA", "αβ"), "linear")),
    ("symbench.two-symmetries", templates("ααβ", "αβα")),
    ("symbench.softmax-tight", (Rational(0), ONE, ONE)),
    ("symbench.softmax-tight", (ONE, -ONE, ONE)),
    ("symbench.softmax-tight", (ONE, ONE, Rational(0))),
    ("boix2024.claim-E.2", (1, 1, Rational(3, 2), 0)),
    ("boix2024.lemma-4.6", templates("αβ", "βα")),
    ("boix2024.lemma-E.1", Matrix([[1, 1], [1, 1]])),
    ("boix2024.lemma-E.1", Matrix([[1, 2, 3], [4, 5, 6]])),
    ("boix2024.lemma-G.1", (0, 1)),
    ("boix2024.lemma-G.1-repaired", -2),
    ("boix2024.section-F.2.1-repaired", ("ab", "abb", "bab")),
    ("boix2024.table-F.1", (2, 4, "A", "A")),
    ("boix2024.table-F.1", (2, 2, "A", "AB")),
    ("boix2024.section-4.3", ("AA", "BB", "BC", "AB", "AD")),
    ("boix2024.claim-F.2", templates("α[CLS]", "αα")),
    ("boix2024.lemma-4.7", templates("αα[CLS]", "αβ[CLS]")),
    ("boix2024.appendix-H", ("AB", "AC")),
    ("boix2024.appendix-H", ("AB", "B")),
    ("boix2024.observation-1.2", ("AA", False)),
    ("boix2024.observation-1.2-repaired", ("AB", False)),
    ("boix2024.remark-I.6", templates("αα", "αA")),
    ("boix2024.def-3.1-example", ("αα", "Aα")),
    ("boix2024.disjoint-vs-inequivalent", ("αα", "α")),
    ("boix2024.alphabet-size", ("αβA", "αβA", 2)),
    ("boix2024.diversity-bound", (("αA", "αβ"), 5)),
    ("boix2024.diversity-bound", (("αβ",), (("PQ", HALF),))),
    ("boix2024.counts", ("raven", 41, 0)),
    ("lavie2024.exchangeability", ((0, 1), (0, 0))),
    ("lavie2024.exchangeability", ((0, 1), (1, 0), (0, 1), (1, 0))),
    ("lavie2024.exchangeability-repaired", (2, ((ONE, (ONE, ONE)),))),
    ("lavie2024.exchangeability-repaired", (2, ((HALF, (HALF, HALF)), (HALF, (ONE,))))),
    ("lavie2024.dimension", (3, 2)),
    ("lavie2024.dimension-growth", (4, 2, 0)),
    ("lavie2024.stationary-bound", ("ring", 1, (((1,), 1),), "mixed", 1, ONE)),
    ("lavie2024.stationary-bound", ("ring", 3, (((4,), 1),), "sticky", 1, ONE)),
    ("lavie2024.stationary-bound", ("ring", 3, (((1,), 1),), "sticky", 1, Rational(0))),
    ("symbench.smaller-group-weaker-bound", (4, (((1,), 1),), "uniform", (2, 2), "cyclic")),
    ("symbench.smaller-group-weaker-bound", (3, (((1,), 1),), "sticky", (3,), "cyclic")),
    ("lavie2024.sample-complexity", ("flatten", 4, (((1,), 0),), HALF, 1, ONE)),
    ("lavie2024.sample-complexity", ("flatten", 4, (((1,), 1), ((2,), -1)), HALF, 1, ONE * 15)),
    ("lavie2024.lower-bound", ("equal", 2, (((1,), 1),), ONE, 0, ONE)),
    ("lavie2024.lower-bound", ("equal", 2, (((1, 1), 1),), HALF, 0, ONE)),
    ("lavie2024.omega-l-m", (5, 3, 1)),
    ("symbench.kernel-versus-features", (3, 4, HALF)),
    ("symbench.kernel-versus-features", (3, 1, Rational(2, 3))),
    ("lavie2024.gaussian-limit", ("sum", (0,), Rational(0), Rational(0), 1)),
    ("lavie2024.gaussian-limit-repaired", ("sum", (0,), ONE, ONE, 0, 1, 1)),
    ("lavie2024.theorem", ("closed form", 3, 4)),
    ("lavie2024.invariance", ("sum", True, 1, 2, 2)),
    ("lavie2024.proposition", ("one eigenvalue", "first", 2, 1)),
    ("lavie2024.proposition-repaired", ("sum", "sticky", 3, 2)),
    ("lavie2024.more-symmetric-is-easier-repaired", ("sum", "mixture", 3, 2, 1)),
    ("lavie2024.tangent-kernel", ("sum", 1, False, 2, ONE, HALF)),
    ("lavie2024.tangent-spectrum", ("last", 1, 2, 2, ONE, ONE)),
    ("lavie2024.tangent-frozen", (3, ONE, ONE, ONE, ONE)),
    ("lavie2024.tight", ("flatten", 2, 3, 1)),
    ("lavie2024.tight-repaired", ("flatten", 3, ONE, ONE)),
    ("lavie2024.tight-repaired", ("flatten", 4, ONE, Rational(0))),
    ("lavie2024.schur-weyl", (2, 0)),
    ("lavie2024.one-hot", (2, 2, 3)),
    ("young.hook-length", (1, 2)),
    ("young.murnaghan-nakayama", ((2, 1), (2,))),
    ("young.branching", (1,)),
    ("young.rsk", (0, 2)),
]  # fmt: skip


@pytest.mark.parametrize(("id", "case"), OUTSIDE)
def test_outside_of_the_hypotheses(id, case):
    assert claims[id].applies(as_written(case)) is False


# --- forged counterexamples -----------------------------------------------------------------------
# Each of these was accepted once, with this reason.
FORGED = [
    (
        "symbench.softmax-tight",
        (Rational(1, 10**30), ONE, ONE),
        "the bound [+/- 9.65e-23] is not seen to be positive",
    ),
    (
        "lavie2024.gaussian-limit-repaired",
        ("sum", (0, 1, 2), ONE, ONE, 2, 2, 2),
        "('sum', (0, 1, 2), 1, 1, 2, 2, 2) has too many terms to be multiplied out",
    ),
    (
        "symbench.beta-zero-rank",
        templates("αα[CLS]", "αβ[CLS]"),
        "N is not k^-2 D D^T + (gamma^2 / k) 1 1^T",
    ),
    (
        "symbench.two-symmetries",
        templates("αα[CLS]", "αβ[CLS]"),
        "beta^0 gamma^0 is not zero on 2",
    ),
    ("lavie2024.tight-repaired", ("sum", 4, Rational(0), ONE), "(3, 1) has [], not [0, 0]"),
    (
        "boix2024.def-3.1-example",
        ("α[CLS]", "A[CLS]"),
        "matches() says True, the definition False",
    ),
    (
        "boix2024.section-4.3",
        ("AAA", "BBB", "BCC", "ABB", "CDD"),
        "entry (1, 1) is another value of the kernel",
    ),
    ("boix2024.appendix-H", ("A[CLS]", "[CLS]]"), "the series differ"),
]


@pytest.mark.parametrize(("id", "case", "reason"), FORGED)
def test_a_forged_counterexample_is_refused(id, case, reason):
    claim = claims[id]
    assert claim.look(as_written(case))[0] != "fails"
    assert Counterexample(claim=id, case=case, reason=reason).check(claim) is not True


def changed(value):
    """The value with one thing in it put in another's place."""
    yield from ([value[:-1], (*value, value[-1])] if isinstance(value, tuple) and value else [])
    if isinstance(value, tuple):
        for k, item in enumerate(value):
            yield from ((*value[:k], new, *value[k + 1 :]) for new in changed(item))
    elif isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value - 1, value + 1, -value, 0, 2, True)
    elif isinstance(value, Fraction):
        yield from (value - 1, value + HALF, -value, Rational(0), Rational(3))
    elif isinstance(value, str):
        yield from ("", value[:-1], value + "A", "α" + value[1:], "first", "mixture", "softmax")
    elif isinstance(value, Template):
        letters = list(value.letters)
        for k, new in product((0, -1), ("A", "β", "CLS")):
            other = letters.copy()
            other[k] = new
            yield Template(other)
        yield Template([*letters, "CLS"])
        yield Template(letters, wildcards="β")


@pytest.mark.parametrize("id", HOLDING)
def test_a_boundary_with_one_thing_changed_refutes_nothing(id):
    claim = claims[id]
    boundary = claim.boundary
    for case in islice(changed(boundary), 60):
        outcome, reason = claim.look(as_written(case))
        assert outcome != "fails", (case, reason)


# --- what is not decided --------------------------------------------------------------------------
LARGE: list[tuple[str, object]] = [
    ("symbench.every-activation", (templates("αα", "αβ"), (0,) * 100 + (1,))),
    ("boix2024.lemma-G.1", (1, HUGE)),
    ("boix2024.lemma-G.1-repaired", HUGE),
    ("boix2024.lemma-E.1", Matrix([[int(i == j) for j in range(12)] for i in range(12)])),
    ("boix2024.table-F.1", (0, 0, "A" * 100, "A" * 100)),
    ("boix2024.appendix-H", ("A" * 100, "A" * 100)),
    ("boix2024.def-3.1-example", ("αβγδεζηθικλμ", "ABCDEFGHIJKL")),
    ("boix2024.diversity-bound", (("αα",), HUGE)),
    ("lavie2024.exchangeability-repaired", (HUGE, ((ONE, (HALF, HALF)),))),
    ("lavie2024.dimension", (HUGE, 3)),
    ("lavie2024.dimension-growth", (HUGE, HUGE // 2, 1)),
    ("lavie2024.dimension-growth-repaired", (HUGE, HUGE // 2)),
    ("lavie2024.stationary-bound", ("ring", HUGE, (((1,), 1),), "uniform", 1, ONE)),
    ("symbench.smaller-group-weaker-bound", (HUGE, (((1,), 1),), "uniform", (HUGE,), (HUGE,))),
    ("lavie2024.sample-complexity", ("sum", HUGE, (((1,), 1),), HALF, 1, ONE)),
    ("lavie2024.lower-bound", ("sum", 3, (((1,), 1),), HALF, HUGE, ONE)),
    ("lavie2024.omega-l-m", (HUGE, 2, 1)),
    ("lavie2024.omega-l-m-repaired", (HUGE, HUGE // 2)),
    ("symbench.kernel-versus-features", (HUGE, HUGE, HALF)),
    ("lavie2024.gaussian-limit-repaired", ("sum", (0,), ONE, ONE, HUGE, HUGE, HUGE)),
    ("lavie2024.theorem", ("basis", HUGE, 2)),
    ("lavie2024.invariance", ("sum", False, HUGE, HUGE, HUGE)),
    ("lavie2024.proposition", ("one eigenvalue", "sum", HUGE, 1)),
    ("lavie2024.proposition-repaired", ("sum", "iid", HUGE, HUGE)),
    ("lavie2024.more-symmetric-is-easier", ("sum", HUGE)),
    ("lavie2024.more-symmetric-is-easier-repaired", ("sum", "iid", 4, HUGE, 1)),
    ("lavie2024.tangent-kernel", ("sum", HUGE, False, HUGE, ONE, ONE)),
    ("lavie2024.tangent-spectrum", ("sum", HUGE, HUGE, HUGE, ONE, ONE)),
    ("lavie2024.tangent-frozen", (HUGE, ONE, ONE, ONE, ONE)),
    ("lavie2024.tight", ("sum", 1, HUGE, 1)),
    ("lavie2024.tight-repaired", ("sum", HUGE, ONE, ONE)),
    ("lavie2024.schur-weyl", (HUGE, HUGE)),
    ("lavie2024.vocabulary", (HUGE, HUGE)),
    ("lavie2024.one-hot", (HUGE, HUGE, HUGE)),
    ("young.dimension-squares", HUGE),
    ("young.hook-length", (HUGE,)),
    ("young.orthogonality", HUGE),
    ("young.murnaghan-nakayama", ((HUGE,), (HUGE,))),
    ("young.branching", (HUGE,)),
    ("young.rsk", (HUGE, HUGE)),
]


@pytest.mark.parametrize(("id", "case"), LARGE)
def test_a_case_that_would_take_hours_is_undecided(id, case):
    assert claims[id].applies(as_written(case)) is True
    assert claims[id].look(as_written(case))[0] == "unfinished"


def test_many_templates_are_undecided():
    texts = ["".join("αβ"[n >> k & 1] for k in range(9)) for n in range(256)]
    many: Templates = templates(*("α" + text for text in texts))
    assert claims["boix2024.lemma-4.6"].look(many)[0] == "unfinished"
    assert claims["boix2024.lemma-4.7"].look(many)[0] == "unfinished"


PAIRINGS = templates("ααββ", "αβαβ", "αββα")  # told apart at order 6, and not before


def test_too_low_an_order_is_undecided():
    with pytest.raises(Undecided, match="no gap up to beta"):
        gram._gaps(PAIRINGS, 4, later=True)
    with pytest.raises(Undecided, match="has the same sum up to beta"):
        kernels._all_permutations(PAIRINGS, 4, later=True)
    equivalent = templates("αβ", "βα")
    assert not gram._gaps(equivalent, 4, later=True)
    assert not kernels._all_permutations(equivalent, 4, later=True)


def test_too_low_a_precision_is_undecided(monkeypatch):
    case = (Rational(1, 10**30), ONE, ONE)
    assert claims["symbench.softmax-tight"].look(case) == ("holds", "")
    monkeypatch.setattr(symmetries, "_BITS", (64,))
    outcome, reason = claims["symbench.softmax-tight"].look(case)
    assert outcome == "unfinished"
    assert "64 bits" in reason


def test_too_many_terms_are_undecided(monkeypatch):
    claim = claims["lavie2024.gaussian-limit-repaired"]
    assert claim.look(claim.boundary) == ("holds", "")
    monkeypatch.setattr(networks, "_TERMS", 0)
    assert claim.look(claim.boundary)[0] == "unfinished"


def test_a_bound_that_is_rounded_too_far_is_undecided(monkeypatch):
    assert learning._not_seen(100) < Fraction(37, 100)
    monkeypatch.setattr(learning, "_not_seen", lambda length: Fraction(1))
    with pytest.raises(Undecided, match="not seen to leave less"):
        learning._needs(6, Fraction(6**3))
