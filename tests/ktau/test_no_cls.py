"""K_tau of templates as they are: certificates against features and kernels from the definition."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import attrs
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.certificates import KernelFacts, OnePoint, TemplateRank, TypeRank
from symbench.kernels import attention, generic, inner_product, transformer
from symbench.ktau import plain_templates
from symbench.ktau.points import modular_points, one_point
from symbench.ktau.sharpness import gamma_zero_rank
from symbench.strategies import inequivalent_templates, templates
from tests.certificates.forging import sign
from tests.ktau.plain import any_kernel, of_softmax, softmax, softmax_23, without_positions


def matrix_of(*texts: str, kernel=None):
    return sb.template_matrix(list(map(sb.Template, texts)), kernel or attention(), cls=False)


@settings(max_examples=60, deadline=None)
@given(inequivalent_templates(min_size=1, max_size=9, max_length=5, tokens="AB"))
def test_inequivalent_templates_are_certified(found: tuple[sb.Template, ...]) -> None:
    matrix = sb.template_matrix(found, attention(), cls=False)
    assert matrix.templates == tuple(found)
    certificate = sb.certify(matrix)
    assert isinstance(certificate, OnePoint)
    assert certificate.check()
    assert certificate.check(matrix)
    # From the definition: distinct quadratic forms but for templates with one letter.
    forms = {}
    for z in found:
        e = 0
        for letter in set(z.letters):
            s = sum(x for x, a in zip(certificate.xi, z.letters, strict=True) if a == letter)
            place = of_softmax(found).numbers[found.index(z)][z.letters.index(letter)]
            e += s * s if letter in z.wildcards else 2 * certificate.y[place] * s
        kind = z.letters[0] if len(set(z.letters)) == 1 else None
        forms.setdefault(e, []).append("*" if kind in z.wildcards else kind)
    for group in forms.values():
        assert len(group) == 1 or (None not in group and len(set(group)) == len(group))


@pytest.mark.parametrize("length", [1, 2, 3, 4])
def test_all_templates_and_all_constants(length: int) -> None:
    found = tuple(sb.all_templates(length, tokens="ABC"))
    certificate = sb.certify(sb.template_matrix(found, attention(), cls=False))
    assert certificate.check()
    assert len(certificate.subject.constants) == 4


@pytest.mark.parametrize(
    "texts",
    [("AA", "BB", "αα"), ("A", "B", "α"), ("αα", "αβ"), ("AA", "αβ", "Aα", "αA"), ("AB", "BA")],
)
def test_the_series_agrees(texts: tuple[str, ...]) -> None:
    matrix = matrix_of(*texts, kernel=attention(order=6))
    assert matrix.certify(algorithm="matrix").kind == "nonsingular"
    assert matrix.certify().kind == "one-point"


@pytest.mark.parametrize("texts", [("AA", "BB", "αα"), ("αα", "αβ", "Aα"), ("AAA", "ααα", "ααβ")])
def test_finite_parameters_agree(texts: tuple[str, ...]) -> None:
    # A float check of the sign of a determinant, far from zero: Sylvester's leading minors.
    kernel = attention(beta=1, gamma=1)
    zs = list(map(sb.Template, texts))
    left = [z.substitute({a: f"l{a}" for a in z.wildcards}) for z in zs]
    right = [z.substitute({a: f"r{a}" for a in z.wildcards}) for z in zs]
    rows = [
        [Fraction(float(kernel.value(x, y, digits=7))).limit_denominator(10**8) for y in right]
        for x in left
    ]
    for size in range(1, len(zs) + 1):
        minor = sb.Matrix([row[:size] for row in rows[:size]])
        assert minor.det() > Fraction(1, 10**6)


def test_templates_with_one_letter_are_told_apart_by_their_token_only() -> None:
    # The positions' part of the matrix, k(AA, AA) - 1 and k(AA, BB), is the same for all of them.
    table = attention()
    same, other = table.taylor("AA", "AA", beta=4), table.taylor("AA", "BB", beta=4)
    assert same.pop((0, 0)) == 1
    assert same == other == table.taylor("CC", "DD", beta=4)


def test_a_point_where_another_template_has_exponent_zero_proves_nothing() -> None:
    subject = of_softmax([sb.Template("αα"), sb.Template("Aα"), sb.Template("BB")])
    zero = OnePoint(xi=(2, -2), y=(-1, 5), subject=subject)
    assert subject.exponents(zero.xi, zero.y) == [0, 0, 0]
    assert not zero.check()
    assert attrs.evolve(zero, y=(-2, 5)).check()
    assert not OnePoint(xi=(2, -2), y=()).check(softmax(((-1, -1), (-2, -2))))
    assert not OnePoint(xi=(2, -2), y=(1,)).check(softmax(((0, 0), (0, 0))))
    assert OnePoint(xi=(2, -2), y=(1,)).check(softmax(((0, 0), (-1, -1))))


def test_no_point_for_equal_constants() -> None:
    with pytest.raises(errors.Undecided):
        one_point(softmax(((-1, -1), (-2, -2))))


def test_the_modular_road_says_what_it_cannot_see() -> None:
    matrix = matrix_of("AA", "BB")
    with pytest.raises(errors.NotSupported, match="one-point"):
        matrix.certify(algorithm="modular")
    found = matrix_of("AA", "αβ", "Aα").certify(algorithm="modular")
    assert found.check()
    assert modular_points(found.subject).check()


def appendix_h(**parameters):
    return attention(**parameters).with_softmax_scale("appendix-H")


@settings(max_examples=40, deadline=None)
@given(inequivalent_templates(min_size=1, max_size=9, max_length=5, tokens="AB"))
def test_kernel_23_is_certified_too(found: tuple[sb.Template, ...]) -> None:
    matrix = sb.template_matrix(found, appendix_h(), cls=False)
    certificate = sb.certify(matrix)
    assert isinstance(certificate, OnePoint)
    assert certificate.check(matrix)
    assert sb.certify(matrix, question="rank").rank == len(found)
    # From the definition: pairs that end alike differ in their token part or in their blocks.
    subject, xi, y = certificate.subject, certificate.xi, certificate.y
    for z, w in combinations(subject.numbers, 2):
        if max(z[-1], -1) != max(w[-1], -1):
            continue
        a, b = (sum(y[t] * x for t, x in zip(row, xi, strict=True) if t >= 0) for row in (z, w))
        q, r = (
            sum(
                sum(x for t, x in zip(row, xi, strict=True) if t == wildcard) ** 2
                for wildcard in {t for t in row if t < 0}
            )
            for row in (z, w)
        )
        if z[-1] >= 0:
            assert 2 * a + q != 2 * b + r
        else:
            assert a != b or (q != r and [max(t, -1) for t in z] == [max(t, -1) for t in w])


@pytest.mark.parametrize("texts", [("AA", "BB", "αα", "αβ"), ("Aα", "αA", "αα"), ("A", "B", "α")])
def test_kernel_23_at_finite_parameters(texts: tuple[str, ...]) -> None:
    kernel = appendix_h(beta=1, gamma=1)
    zs = list(map(sb.Template, texts))
    left = [z.substitute({a: f"l{a}" for a in z.wildcards}) for z in zs]
    right = [z.substitute({a: f"r{a}" for a in z.wildcards}) for z in zs]
    rows = [
        [Fraction(float(kernel.value(x, y, digits=6))).limit_denominator(10**7) for y in right]
        for x in left
    ]
    for size in range(1, len(zs) + 1):
        assert sb.Matrix([row[:size] for row in rows[:size]]).det() > Fraction(1, 10**4)


def test_points_that_do_not_tell_ends_apart() -> None:
    # Both have a = 0 at y = 0, and blocks cannot stand in for the places of tokens.
    subject = softmax_23(((0, -1, -1), (-1, 0, -1)))
    assert not OnePoint(xi=(1, 2, -3), y=(0,)).check(subject)
    assert OnePoint(xi=(1, 2, -3), y=(1,)).check(subject)
    # For kernel (3) the exponents 4 and 1 at y = 0 are enough.
    assert OnePoint(xi=(1, 2, -3), y=(0,)).check(softmax(subject.numbers))
    same_end = softmax_23(((-1, -1, 0), (-1, -2, 0)))
    assert not OnePoint(xi=(0, 2, -2), y=(0,)).check(same_end)
    assert not OnePoint(xi=(1, 1, -1), y=(0,)).check(same_end)
    assert OnePoint(xi=(1, 2, -3), y=(0,)).check(same_end)


def test_the_modular_road_is_for_kernel_3() -> None:
    # In (23) q is exp(-beta^2 (1 + gamma^2) / 2), which an algebraic beta^2 does not decide.
    for texts in (("αA", "Aα"), ("αA", "BA")):
        matrix = matrix_of(*texts, kernel=appendix_h())
        with pytest.raises(errors.NotSupported):
            matrix.certify(algorithm="modular")
        assert not matrix_of(*texts).certify(algorithm="modular").check(matrix)


@attrs.frozen
class Boaster:
    """A kernel that says of itself what is not true."""

    needs_cls = False
    exactness = "exact"
    separates_templates = True
    is_normalised = True

    def seen(self, template: sb.Template) -> sb.Template:
        return sb.Template("α" * len(template))

    def on_diagram(self, diagram: sb.kernels.Diagram) -> int:
        return 1 + diagram.meetings

    def value(self, x: str, y: str) -> int:
        return self.on_diagram(sb.kernels.Diagram.of(x, y))


class Child(type(attention())):  # type: ignore[misc]
    """Attention that is not: its values are others."""

    exactness = "exact"

    def on_diagram(self, diagram: sb.kernels.Diagram) -> int:
        return 1 + diagram.meetings

    template_entries = None


@attrs.frozen
class Constant:
    """An activation that says that it is not constant, and is, or the other way round."""

    is_constant: bool | None
    value: int | None
    exactness = "exact"

    def dual(self, A, B, C, *, bits: int = 128):
        return C if self.value is None else self.value

    def hermite(self, n: int, a, *, bits: int = 128) -> int:
        return int(n == (self.value is None))


@pytest.mark.parametrize("kernel", [Boaster(), transformer("identity", Boaster()), Child()])
def test_a_kernel_of_somebody_else_is_not_believed(kernel) -> None:
    matrix = matrix_of("αα", "αβ", kernel=kernel)
    with pytest.raises(errors.NotSupported):
        matrix.certify(algorithm="one-point")
    found = sb.certify(matrix)
    assert (found.kind, found.vector) in (("singular", (-1, 1)), ("singular", (1, -1)))
    assert found.check(matrix.matrix)
    assert sb.certify(matrix_of("AA", "AB", kernel=kernel)).kind == "nonsingular"


@pytest.mark.parametrize("says", [False, None, True])
def test_an_activation_of_somebody_else_is_not_believed(says: bool | None) -> None:
    constant = matrix_of("Aα", "AA", kernel=transformer(Constant(says, 1), attention(order=2)))
    with pytest.raises(errors.NotSupported):
        constant.certify(algorithm="one-point")
    assert constant.plain.kernel is None
    blind = transformer(Constant(says, 1), attention(gamma=0, order=2))
    assert not matrix_of("Aα", "AA", kernel=blind).plain.counted
    rising = transformer(Constant(says, None), inner_product(lambda n: n))
    assert sb.certify(matrix_of("AA", "AB", kernel=rising)).kind == "nonsingular"


def test_a_kernel_that_fails_says_where() -> None:
    class Failing(Boaster):
        def on_diagram(self, diagram: sb.kernels.Diagram) -> int:
            raise KeyError(diagram)

    matrix = matrix_of("αα", "αβ", kernel=Failing())
    with pytest.raises(errors.BadValue, match="fails at"):
        sb.certify(matrix)
    for certificate in (one_point(of_softmax(matrix.templates)), sb.certify([[1, 1], [1, 1]])):
        assert certificate.check(matrix) is False


def test_tokens_with_the_names_of_wildcards() -> None:
    odd = [
        sb.Template(["α1", "β"], wildcards="β"),
        sb.Template(["β", "α0"], wildcards="β"),
    ]
    matrix = sb.template_matrix(odd, attention(normalise=False, order=2), cls=False)
    assert sb.certify(matrix).kind == "nonsingular"
    assert sb.certify(matrix).check(matrix)


def test_balls_are_checked_against_the_matrix_itself() -> None:
    layer = transformer("erf", sb.kernels.linear_attention(1, 1))
    matrix = matrix_of("αα", "αA", kernel=layer)
    certificate = sb.certify(matrix)
    assert certificate.kind == "nonsingular-balls"
    assert certificate.check(matrix)


# --- gamma = 0 ----------------------------------------------------------------------------------
def slow_types(found: tuple[sb.Template, ...]) -> int:
    """Types with a token, by trying all permutations of sorted letters: multisets of counts."""
    kinds = set()
    for z in found:
        counts = {a: z.letters.count(a) for a in z.letters}
        tokens = frozenset((a, n) for a, n in counts.items() if a not in z.wildcards)
        if tokens:
            kinds.add((tokens, tuple(sorted(n for a, n in counts.items() if a in z.wildcards))))
    return len(kinds)


@settings(max_examples=60, deadline=None)
@given(inequivalent_templates(min_size=1, max_size=8, max_length=4, tokens="AB"))
def test_rank_without_positions(found: tuple[sb.Template, ...]) -> None:
    matrix = sb.template_matrix(found, attention(gamma=0, order=2), cls=False)
    rank = slow_types(found)
    assert gamma_zero_rank(found) == rank
    certificate = sb.certify(matrix, question="rank")
    assert isinstance(certificate, TypeRank)
    assert certificate.rank == rank
    assert certificate.check(matrix)
    assert not attrs.evolve(certificate, rank=rank + 1).check()
    single = sb.certify(matrix)
    assert single.check()
    assert single.check(matrix)
    assert single.kind == ("type-rank" if rank == len(found) else "singular")
    if single.kind == "singular":
        assert (matrix.matrix @ single.null.change_ring(matrix.matrix.ring)).rows == tuple(
            (matrix.matrix.ring.coerce(0),) for _ in found
        )


@pytest.mark.parametrize("texts", [("Aα", "AA"), ("Aαα", "Aαβ"), ("AB", "AA", "BB"), ("A", "B")])
def test_the_series_at_gamma_zero_has_that_rank(texts: tuple[str, ...]) -> None:
    matrix = matrix_of(*texts, kernel=attention(gamma=0, order=8))
    assert matrix.certify(algorithm="matrix").kind == "nonsingular"
    assert sb.certify(matrix, question="rank").rank == len(texts)


def test_a_row_of_zeros() -> None:
    matrix = matrix_of("Aα", "αβ", kernel=attention(gamma=0))
    certificate = sb.certify(matrix)
    assert certificate.vector == (0, 1)
    assert certificate.check(matrix)
    assert not attrs.evolve(certificate, null=sb.Matrix([[1], [0]])).check()
    # With an activation the row is not zero, so nothing of the kind is said.
    layer = matrix_of("Aα", "αβ", kernel=transformer(sb.kernels.polynomial([1, 1]), matrix.kernel))
    assert not certificate.check(layer)
    assert not layer.plain.counted


def test_type_rank_is_for_softmax_without_positions_alone() -> None:
    certificate = sb.certify(matrix_of("Aα", "AA", kernel=attention(gamma=0)), question="rank")
    assert certificate.check(matrix_of("Aα", "AA", kernel=attention(gamma=0, beta=3)))
    assert certificate.check(matrix_of("Aα", "AA", kernel=transformer("relu", attention(gamma=0))))
    for kernel in (
        attention(),
        attention(beta=0, gamma=0),
        attention(gamma=0, normalise=False),
        attention(gamma=0).with_softmax_scale("appendix-H"),
        transformer(sb.kernels.polynomial([2]), attention(gamma=0)),
        inner_product(),
        generic(),
    ):
        assert not certificate.check(matrix_of("Aα", "AA", kernel=kernel)), kernel


# --- rank and formal matrices -------------------------------------------------------------------
@settings(max_examples=40, deadline=None)
@given(st.lists(templates(min_length=4, max_length=4, tokens="A"), min_size=1, max_size=7))
def test_rank_counts_inequivalent_templates(found: list[sb.Template]) -> None:
    matrix = sb.template_matrix(found, attention(), cls=False)
    certificate = sb.certify(matrix, question="rank")
    classes = []
    for z in found:
        if not any(z.is_equivalent(w) for w in classes):
            classes.append(z)
    assert isinstance(certificate, TemplateRank)
    assert certificate.rank == len(classes)
    assert certificate.check(matrix)
    assert not attrs.evolve(certificate, rank=certificate.rank + 1).check()
    assert not attrs.evolve(certificate, xi=(1,) * 4).check()
    if len(classes) > 2:
        assert not attrs.evolve(certificate, xi=(0,) * 4).check()


@settings(max_examples=60, deadline=None)
@given(st.lists(templates(min_length=3, max_length=3, tokens="A"), min_size=2, max_size=5))
def test_the_formal_matrix_is_that_of_the_generic_kernel(found: list[sb.Template]) -> None:
    matrix = sb.template_matrix(found, generic()).matrix
    formal = plain_templates(found)
    for i, j in combinations(range(len(found)), 2):
        vector = [int(n == i) - int(n == j) for n in range(len(found))]
        product = matrix @ sb.Matrix([[x] for x in vector]).change_ring(matrix.ring)
        zero = all(matrix.ring.is_zero(row[0]) for row in product.rows)
        assert formal.annihilated_by(vector) == zero
        assert not formal.annihilated_by([abs(x) for x in vector])


def test_null_vectors_of_names() -> None:
    assert any_kernel(((-1, -2), (-2, -1))).annihilated_by((1, -1))
    assert not any_kernel(((0,), (0,), (-1,))).annihilated_by((1, -1))
    assert not any_kernel(((-1, -1), (-1, -2))).annihilated_by((1, -1))
    rows = ((-1, -1, 0), (-1, -2, 0), (-2, -1, 0))
    assert TemplateRank(rank=2, xi=(1, 2, -3), y=(5,)).check(softmax(rows))


@settings(max_examples=40, deadline=None)
@given(st.lists(templates(min_length=3, max_length=3, tokens="AB"), min_size=2, max_size=4))
def test_equal_entries_have_equal_names(found: list[sb.Template]) -> None:
    rows = sb.template_matrix(found, attention(gamma=0, order=4), cls=False).matrix.rows
    formal = plain_templates(found, KernelFacts(gamma=sb.rings.Rational(0)))
    for i, j in combinations(range(len(found)), 2):
        vector = [int(n == i) - int(n == j) for n in range(len(found))]
        assert not formal.annihilated_by(vector) or rows[i] == rows[j]


def test_many_equivalent_templates_are_quick() -> None:
    everything = list(sb.all_templates(7))
    certificate = sb.certify(sb.template_matrix([*everything, everything[5]], attention()))
    assert certificate.kind == "singular"
    assert certificate.check()
    assert [n for n, x in enumerate(certificate.vector) if x] == [5, 877]


@settings(max_examples=30, deadline=None)
@given(templates(max_length=5, min_wildcards=2, tokens="A"))
def test_a_singular_certificate_is_checked_against_the_matrix_itself(z: sb.Template) -> None:
    names = dict(zip(z.wildcards, reversed(z.wildcards), strict=True))
    renamed = sb.Template([names.get(a, a) for a in z.letters])
    assume(renamed != z)
    matrix = sb.template_matrix([z, renamed], attention())
    certificate = sb.certify(matrix)
    assert certificate.check(matrix)
    other = sb.template_matrix([z, sb.Template("A" * len(z))], attention())
    assert not certificate.check(other)


def test_a_null_vector_of_the_entries_is_checked_against_the_matrix_itself() -> None:
    matrix = sb.template_matrix(sb.tasks.same_different(), inner_product())
    certificate = sb.certify(matrix)
    assert certificate.kind == "singular"
    assert certificate.check(matrix)
    assert not certificate.check(sb.template_matrix(sb.tasks.same_different(), attention()))


@pytest.mark.parametrize(
    ("kernel", "question"),
    [
        (attention(), "rank"),
        (attention(gamma=0), "rank"),
        (attention(gamma=0), "nonsingular"),
        (appendix_h(), "rank"),
        (appendix_h(), "nonsingular"),
    ],
)
def test_files(kernel, question: str, tmp_path: Path) -> None:
    certificate = sb.certify(matrix_of("Aα", "AA", "αA", kernel=kernel), question=question)
    path = tmp_path / "c.json"
    certificate.save(path)
    assert sb.check(path)
    assert type(sb.load(path).subject) is type(certificate.subject)
    fresh = subprocess.run(
        [sys.executable, "-m", "symbench.cli", "check", str(path)], capture_output=True, check=False
    )
    assert fresh.returncode == 0, fresh.stdout
    for name, bad in {"rank": "7", "xi": ["1", "1"], "y": []}.items():
        document = json.loads(path.read_text())
        if name in document["certificate"]:
            document["certificate"][name] = bad
            path.with_name("bad.json").write_text(json.dumps(sign(document)))
            with pytest.raises(errors.BadCertificate):
                sb.check(path.with_name("bad.json"))


def test_other_subjects_are_refused() -> None:
    rank = TemplateRank(rank=1, xi=(1, -1), y=(1,))
    kinds = TypeRank(rank=1)
    rows = ((0, 0), (0, 0))
    assert not rank.check(without_positions(rows))
    for subject in (any_kernel(rows), softmax(rows)):
        assert not kinds.check(subject)
    for subject in (None, 5, sb.Matrix([[1]])):
        for certificate in (rank, kinds):
            with pytest.raises(errors.BadType):
                certificate.check(subject)
    assert rank.check(softmax(rows))
    assert rank.check(any_kernel(rows))  # of generic values
    assert kinds.check(without_positions(rows))
    assert not any_kernel(rows).annihilated_by((1,))


@pytest.mark.parametrize("cls", [None, 1, "no"])
def test_bad_arguments(cls: object) -> None:
    with pytest.raises(errors.BadType):
        sb.template_matrix(sb.tasks.same_different(), attention(), cls=cls)
    with pytest.raises(errors.BadType):
        sb.ktau.TemplateMatrix(sb.tasks.same_different().templates, attention(), cls)


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: of_softmax(None), errors.BadType),
        (lambda: one_point(None), errors.BadType),
        (lambda: one_point(softmax(())), errors.BadShape),
        (lambda: modular_points(None), errors.BadType),
        (lambda: one_point(softmax((tuple(range(100_001)),))), errors.TooLarge),
        (lambda: one_point(softmax(((-5, 1, 0), (-4, 1, 0)))), errors.Undecided),
        (lambda: softmax(((0, 1),)).exponents((1,), (1, 1)), errors.BadShape),
        (lambda: softmax(((0, 1),)).exponents((1, -1), (1,)), errors.BadShape),
    ],
)
def test_bad_patterns(call, error) -> None:
    with pytest.raises(error):
        call()


def test_any_numbers_of_wildcards_will_do() -> None:
    assert one_point(softmax(((-7, 0, 0), (-7, -9, 0)))).check()
