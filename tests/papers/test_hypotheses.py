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
from symbench.papers.beyond import assignments, networks, symmetries
from symbench.registry import claims
from symbench.registry.statement import as_written
from symbench.words import Substitution, Task, Template

IDS = [id for id in claims if claims[id].has_cases]
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
    ("symbench.every-activation", (templates("αα", "αβ"), (5, 0, 0), "incidence")),
    ("symbench.every-activation", (templates("αα", "αβ"), (), "attention")),
    ("symbench.positive-definite", templates("αα[CLS]", "αβ[CLS]")),
    ("symbench.one-point", (Template("αA"), Template("αA", wildcards="A"))),
    ("symbench.gram", (templates("αα", "αβγ"), 2)),
    ("symbench.gram", (templates("α[CLS]"), 2)),
    ("symbench.modular-determinant", templates("αβ", "βα")),
    ("symbench.unique-assignment", Matrix([[1, 2]])),
    ("symbench.series-rank", ((((1,),), ((1,),)), 2)),
    ("symbench.beta-zero-rank", (templates("α[CLS]"), ONE)),
    ("symbench.pairwise-condition", ()),
    ("symbench.incidence", templates("αβ", "βα")),
    ("symbench.hard-attention", templates("αα", "α")),
    ("symbench.normalisation-needed", (templates("αα", "αβ"), "softmax")),
    ("symbench.normalisation-needed", (templates("αA", "αβ"), "linear")),
    ("symbench.two-symmetries", templates("ααβ", "αβα")),
    ("symbench.softmax-tight", (Rational(0), ONE, ONE)),
    ("symbench.softmax-tight", (ONE, -ONE, ONE)),
    ("symbench.softmax-tight", (ONE, ONE, Rational(0))),
    ("boix2024.claim-E.2", (1, 1, Rational(3, 2), 1, 0)),
    ("boix2024.claim-E.2", (1, 1, 1, 1, "pi/7")),
    ("boix2024.lemma-4.6", (templates("αβ", "βα"), 0, 1, 1, 0)),
    ("boix2024.lemma-4.6", (templates("αα", "αβ"), 0, 1, 1, 0)),
    ("boix2024.lemma-E.1", Matrix([[1, 1], [1, 1]])),
    ("boix2024.lemma-E.1", Matrix([[1, 2, 3], [4, 5, 6]])),
    ("boix2024.lemma-G.1", ("A", "AB")),
    ("boix2024.lemma-G.1-repaired", ("AB", "AB", "any", -2)),
    ("boix2024.definition-G.2", (("pole", 3), (0, 0), Rational(3, 2))),
    ("boix2024.lemma-G.3", (("pole", 1), ("pole", 3), (2,), HALF, HALF)),
    ("boix2024.lemma-G.4", (("pole", 3), ("pole", 3), (0,), 1, 3)),
    ("boix2024.lemma-G.5", (("polynomial", ((1, (1, 1)),)), (0,), 1)),
    ("boix2024.lemma-G.6", (1, 0)),
    ("boix2024.lemma-G.8", ("AB", "AB", (1,), (1, 1), 0)),
    ("boix2024.section-F.2.1", ("ab*", "ab*", "ba*", "bb*")),
    ("boix2024.section-F.2.1-repaired", ("ab", "abb")),
    ("boix2024.section-F.2.2", ("ab*", "ba*")),
    ("boix2024.section-F.2.3", ("aab", "abc")),
    ("boix2024.section-F.2.4", ("aab", "abb")),
    ("boix2024.table-F.1", ("A", "AB")),
    ("boix2024.section-4.3", ("AA", "BB", "BC", "AB", "AD")),
    ("boix2024.claim-F.2", templates("α[CLS]", "αα")),
    ("boix2024.lemma-4.7", templates("αα[CLS]", "αβ[CLS]")),
    ("boix2024.appendix-H", ("AB", "B")),
    ("boix2024.appendix-H-width", ("AB", "AB", 0, 1, 1)),
    ("boix2024.definition-C.1", ("order of letters", "αα", "αα")),
    ("symbench.identity-depth-one", (templates("αα", "α[CLS]"), True)),
    ("boix2024.remark-I.6", templates("αα", "αA")),
    ("boix2024.definition-3.1", ("αα", "Aα")),
    ("boix2024.definition-3.2", ((("αα", 1, HALF), ("αβ", -1, ONE)), 3)),
    ("boix2024.definition-3.2", ((("αβ", 1, ONE),), 1)),
    ("boix2024.definition-3.3", ((("αA", 1), ("αβ", 2)), (), "AB")),
    ("boix2024.definition-J.1", ((("αα", "β", ONE),), 3)),
    ("boix2024.examples", "raven"),
    ("boix2024.definition-4.1", ("αα", "α")),
    ("boix2024.alphabet-size", ("αβA", "αβA", 2)),
    ("boix2024.definition-4.2", (("αA", "αβ"), 5)),
    ("boix2024.definition-4.2", (("αβ",), (("PQ", HALF),))),
    ("boix2024.counts", ("raven", 41, 0)),
    ("symbench.second-moments-not-enough", (2, 3)),
    ("lavie2024.exchangeability", (2, ((ONE, (ONE, ONE)),))),
    ("lavie2024.exchangeability", (2, ((HALF, (HALF, HALF)), (HALF, (ONE,))))),
    ("lavie2024.dimension", (3, 2)),
    ("lavie2024.dimension-growth", (4, 3)),
    ("symbench.stationary-bound", ("ring", 1, (((1,), 1),), "mixed", 1, ONE)),
    ("symbench.stationary-bound", ("ring", 3, (((4,), 1),), "sticky", 1, ONE)),
    ("symbench.stationary-bound", ("ring", 3, (((1,), 1),), "sticky", 1, Rational(0))),
    ("symbench.smaller-group-weaker-bound", (4, (((1,), 1),), "uniform", (2, 2), "cyclic")),
    ("symbench.smaller-group-weaker-bound", (3, (((1,), 1),), "sticky", (3,), "cyclic")),
    ("lavie2024.predictor", ("equal", 1, (((2,), 1),), "fair", 1, ONE)),
    ("lavie2024.sample-complexity", ("flatten", 4, (((1,), 0),), "fair", 1, ONE)),
    ("lavie2024.sample-complexity", ("flatten", 3, (((1,), 1), ((1, 2), 1)), "fair", 1, ONE)),
    ("lavie2024.sample-complexity", ("flatten", 3, (((1,), 1), ((2,), -1)), "hidden", 1, ONE)),
    ("lavie2024.train-and-ood", ("equal", 2, (((1,), 1),), "fair", "fair", 1, ONE, HALF)),
    ("lavie2024.omega-l-m", ("flatten", 1, 5, 2, 2)),
    ("symbench.kernel-lower-bound", ("equal", 2, (((1,), 1),), ONE, 0, ONE)),
    ("symbench.kernel-lower-bound", ("equal", 2, (((1, 1), 1),), HALF, 0, ONE)),
    ("symbench.orbit-average", ("weight", (0, 0, 1), 1, (HALF, HALF))),
    ("symbench.orbit-average", ("tokens", (0, 0, 1), 2, (HALF, HALF))),
    ("symbench.two-row-samples", (5, 3)),
    ("symbench.kernel-versus-features", (3, 4, HALF)),
    ("symbench.kernel-versus-features", (3, 1, Rational(2, 3))),
    ("lavie2024.gaussian-limit", ("sum", (0,), (0, 1), ONE, ONE, 1, 1, ONE)),
    ("symbench.excess-kurtosis", ("sum", (0,), ONE, ONE, 0, 1, 1)),
    ("symbench.tangent-layer", ("sum", False, (0,), (0, 1), ONE, ONE, ONE, ONE)),
    ("lavie2024.theorem", ("closed form", 3, 4)),
    ("lavie2024.invariance", ("sum", True, 1, 2, 2)),
    ("lavie2024.invariance-softmax", ("two positions", "sum", 3, 2, ONE, ONE, ONE)),
    ("lavie2024.proposition", ("sum", "sticky", 3, 2)),
    ("lavie2024.proposition", ("neighbours", "uniform", 3, 2)),
    ("symbench.isotypic-spectrum", ("binary", "sum", "uniform", 3, 3)),
    ("symbench.degree-decides", ("sum", "mixture", 3, 2, 1)),
    ("symbench.tangent-kernel", ("sum", 1, False, 2, ONE, HALF)),
    ("symbench.tangent-spectrum", ("last", 1, 2, 2, ONE, ONE)),
    ("symbench.tangent-frozen", (3, ONE, ONE, ONE, ONE)),
    ("lavie2024.tight", ("flatten", 1, 3, ONE, ONE)),
    ("symbench.linear-attention-tightness", ("flatten", 3, ONE, ONE)),
    ("symbench.linear-attention-tightness", ("flatten", 4, ONE, Rational(0))),
    ("young.schur-weyl", (2, 0)),
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
        "symbench.excess-kurtosis",
        ("sum", (0, 1, 2), ONE, ONE, 2, 2, 2),
        "('sum', (0, 1, 2), 1, 1, 2, 2, 2) has too many terms to be multiplied out",
    ),
    (
        "symbench.beta-zero-rank",
        (templates("αα[CLS]", "αβ[CLS]"), ONE),
        "N is not k^-2 D D^T + (gamma^2 / k) 1 1^T",
    ),
    (
        "symbench.two-symmetries",
        templates("αα[CLS]", "αβ[CLS]"),
        "beta^0 gamma^0 is not zero on 2",
    ),
    (
        "symbench.linear-attention-tightness",
        ("sum", 4, Rational(0), ONE),
        "(3, 1) has [], not [0, 0]",
    ),
    (
        "boix2024.definition-3.1",
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
    ("symbench.every-activation", (templates("αα", "αβ"), (0,) * 100 + (1,), "incidence")),
    ("boix2024.lemma-G.1", ("ABC", "ABC")),
    ("boix2024.lemma-G.1-repaired", ("A", "A", "any", HUGE)),
    ("boix2024.lemma-G.6", (1,) * 9),
    ("boix2024.lemma-G.9", ("A" * 9, "A" * 9, (1,), (1,) * 9, 0)),
    ("boix2024.lemma-E.1", Matrix([[int(i == j) for j in range(12)] for i in range(12)])),
    ("boix2024.table-F.1", ("A" * 100, "A" * 100)),
    ("boix2024.appendix-H", ("A" * 100, "A" * 100)),
    ("boix2024.appendix-H-width", ("A", "A", 1, 1, HUGE)),
    ("boix2024.definition-C.1", ("generic", "α" * 9, "α" * 9)),
    ("boix2024.definition-3.1", ("αβγδεζηθικλμ", "ABCDEFGHIJKL")),
    ("boix2024.definition-4.2", (("αα",), HUGE)),
    ("boix2024.definition-3.2", ((("αα", 1, ONE),), HUGE)),
    ("boix2024.definition-J.1", ((("αα", "α", ONE),), HUGE)),
    ("boix2024.definition-3.3", ((("α" * 20, 1),), (), "ABCDEF")),
    ("lavie2024.exchangeability", (HUGE, ((ONE, (HALF, HALF)),))),
    ("lavie2024.dimension", (HUGE, 3)),
    ("lavie2024.dimension-growth", (HUGE, HUGE // 2)),
    ("symbench.stationary-bound", ("ring", HUGE, (((1,), 1),), "uniform", 1, ONE)),
    ("symbench.smaller-group-weaker-bound", (HUGE, (((1,), 1),), "uniform", (HUGE,), (HUGE,))),
    ("symbench.second-moments-not-enough", (2, HUGE)),
    ("lavie2024.predictor", ("sum", 3, (((1,), 1),), "fair", HUGE, ONE)),
    ("lavie2024.sample-complexity", ("sum", HUGE, (((1,), 1),), "fair", 1, ONE)),
    ("lavie2024.train-and-ood", ("sum", HUGE, (((1,), 1),), "fair", "fair", 1, ONE, HALF)),
    ("symbench.kernel-lower-bound", ("sum", 3, (((1,), 1),), HALF, HUGE, ONE)),
    ("symbench.orbit-average", ("weight", (0, 1), HUGE, (HALF, HALF))),
    ("lavie2024.omega-l-m", ("sum", HUGE, HUGE, HUGE, 1)),
    ("symbench.two-row-samples", (HUGE, HUGE // 2)),
    ("symbench.kernel-versus-features", (HUGE, HUGE, HALF)),
    ("lavie2024.gaussian-limit", ("sum", (0,), (0,), ONE, ONE, HUGE, HUGE, ONE)),
    ("symbench.excess-kurtosis", ("sum", (0,), ONE, ONE, HUGE, HUGE, HUGE)),
    ("symbench.tangent-layer", ("sum", False, (HUGE,), (HUGE,), ONE, ONE, ONE, ONE)),
    ("lavie2024.theorem", ("basis", HUGE, 2)),
    ("lavie2024.invariance", ("sum", False, HUGE, HUGE, HUGE)),
    ("lavie2024.invariance-softmax", ("balanced", "sum", 2 * HUGE, 2, ONE, Rational(0), ONE)),
    ("symbench.isotypic-spectrum", ("ball", "sum", "iid", HUGE, HUGE)),
    ("lavie2024.proposition", ("sum", "iid", HUGE, HUGE)),
    ("lavie2024.more-symmetric-is-easier", ("sum", HUGE)),
    ("symbench.degree-decides", ("sum", "iid", 4, HUGE, 1)),
    ("symbench.tangent-kernel", ("sum", HUGE, False, HUGE, ONE, ONE)),
    ("symbench.tangent-spectrum", ("sum", HUGE, HUGE, HUGE, ONE, ONE)),
    ("symbench.tangent-frozen", (HUGE, ONE, ONE, ONE, ONE)),
    ("lavie2024.tight", ("flatten", 1, HUGE, ONE, ONE)),
    ("symbench.linear-attention-tightness", ("sum", HUGE, ONE, ONE)),
    ("young.schur-weyl", (HUGE, HUGE)),
    ("symbench.vocabulary", (HUGE, HUGE)),
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
    assert claims["boix2024.lemma-4.6"].look((many, 0, 1, 1, "pi/4"))[0] == "unfinished"
    assert claims["boix2024.lemma-4.7"].look(many)[0] == "unfinished"


PAIRINGS = templates("ααββ", "αβαβ", "αββα")  # told apart at order 6, and not before


def test_too_low_an_order_is_undecided():
    with pytest.raises(Undecided, match="no gap up to beta"):
        assignments._gaps(PAIRINGS, 4, later=True)
    equivalent = templates("αβ", "βα")
    assert not assignments._gaps(equivalent, 4, later=True)


def test_too_low_a_precision_is_undecided(monkeypatch):
    case = (Rational(1, 10**30), ONE, ONE)
    assert claims["symbench.softmax-tight"].look(case) == ("holds", "")
    monkeypatch.setattr(symmetries, "_BITS", (64,))
    outcome, reason = claims["symbench.softmax-tight"].look(case)
    assert outcome == "unfinished"
    assert "64 bits" in reason


def test_too_many_terms_are_undecided(monkeypatch):
    claim = claims["symbench.excess-kurtosis"]
    assert claim.look(claim.boundary) == ("holds", "")
    monkeypatch.setattr(networks, "_TERMS", 0)
    assert claim.look(claim.boundary)[0] == "unfinished"
