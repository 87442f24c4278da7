"""The template matrix and its certificates, against strings with real fresh tokens."""

from __future__ import annotations

import json
import subprocess
import sys
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import factorial
from pathlib import Path

import attrs
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.certificates import ModularPoints, OnePoint, Stage
from symbench.kernels import HardAttention, attention, generic, inner_product, transformer
from symbench.ktau import TemplateMatrix, coefficient_matrices, stages
from symbench.ktau.points import modular_points, one_point
from symbench.ktau.sharpness import (
    gamma_zero_rank,
    lognormal_moments,
    moment_matrix,
    type_of,
)
from symbench.strategies import inequivalent_templates, templates
from tests.certificates.forging import sign
from tests.ktau.plain import of_softmax, softmax


def quadratic_form(template: sb.Template, xi: list[int], y: dict[str, int]) -> int:
    """The exponent, from the 0/1 incidence matrices."""
    total = 0
    for letter in set(template.letters):
        s = sum(x for x, a in zip(xi, template.letters, strict=True) if a == letter)
        total += s * s if letter in template.wildcards else 2 * y[letter] * s
    return total


@given(templates(max_length=6, tokens="AB"), st.lists(st.integers(-9, 9), min_size=8, max_size=8))
def test_exponents(template: sb.Template, numbers: list[int]) -> None:
    xi = numbers[: len(template)]
    tokens = {t: 7 * n - 3 for n, t in enumerate(template.tokens)}
    subject = of_softmax([template])
    assert subject.exponents(tuple(xi), tuple(tokens.values())) == [
        quadratic_form(template, xi, tokens)
    ]


@settings(max_examples=40, deadline=None)
@given(inequivalent_templates(min_size=2, max_size=8, max_length=7, tokens="AB"))
def test_inequivalent_templates_are_certified(found: tuple[sb.Template, ...]) -> None:
    certificate = sb.certify(sb.template_matrix(found, attention()))
    assert isinstance(certificate, OnePoint)
    assert certificate.check()
    exponents = certificate.subject.exponents(certificate.xi, certificate.y)
    assert sum(certificate.xi) == 0
    assert len(set(exponents)) == len(found)


@settings(max_examples=15, deadline=None)
@given(inequivalent_templates(min_size=2, max_size=6, max_length=5, tokens="A"))
def test_the_modular_road_agrees(found: tuple[sb.Template, ...]) -> None:
    certificate = sb.template_matrix(found, attention()).certify(algorithm="modular")
    assert isinstance(certificate, ModularPoints)
    assert certificate.check()


@settings(max_examples=30, deadline=None)
@given(templates(max_length=5, min_wildcards=2, tokens="A"))
def test_equivalent_templates_never_are(z: sb.Template) -> None:
    names = dict(zip(z.wildcards, reversed(z.wildcards), strict=True))
    renamed = sb.Template([names.get(a, a) for a in z.letters])
    certificate = sb.certify(sb.template_matrix([z, renamed], attention()))
    assert certificate.kind == "singular"
    assert certificate.check()
    with pytest.raises(errors.Undecided):
        one_point(of_softmax([z, renamed]))
    with pytest.raises(errors.Undecided):
        modular_points(of_softmax([z, renamed]))


def test_all_templates_of_length_eight() -> None:
    everything = sb.template_matrix(sb.all_templates(8), attention())
    assert len(everything) == 4140
    assert sb.certify(everything).check()


def test_a_transformer_point_is_not_taken_for_others() -> None:
    for kernel in (attention(gamma=0, order=2), attention(normalise=False, order=2)):
        matrix = sb.template_matrix(sb.tasks.same_different(), kernel)
        with pytest.raises(errors.NotSupported):
            matrix.certify(algorithm="one-point")
    with pytest.raises(errors.NotSupported):
        sb.template_matrix(sb.tasks.same_different(), inner_product()).certify(algorithm="modular")


@pytest.mark.parametrize("road", ["one-point", "modular"])
def test_files(road: str, tmp_path: Path) -> None:
    matrix = sb.template_matrix(sb.all_templates(3, tokens="A"), attention())
    certificate = matrix.certify(algorithm=road)
    path = tmp_path / "c.json"
    certificate.save(path)
    assert sb.check(path)
    fresh = subprocess.run(
        [sys.executable, "-m", "symbench.cli", "check", str(path)], capture_output=True, check=False
    )
    assert fresh.returncode == 0, fresh.stdout
    document = json.loads(path.read_text())
    for name, value in document["certificate"].items():
        changed = json.loads(path.read_text())
        changed["certificate"][name] = _tampered(name, value)
        path.with_name("bad.json").write_text(json.dumps(sign(changed)))
        with pytest.raises(errors.BadCertificate):
            sb.check(path.with_name("bad.json"))


def _tampered(name: str, value: object) -> object:
    """Another value of the right form that proves nothing."""
    match name:
        case "xi":
            return ["0"] * len(value)  # type: ignore[arg-type]
        case "y":
            return value[:-1]  # type: ignore[index]
        case "points":
            return {**value, "rows": [value["rows"][0]] * len(value["rows"])}  # type: ignore
        case "prime":
            return "2147483629"
        case _:
            return "1"


def test_another_subject_is_refused() -> None:
    certificate = one_point(softmax(((-1, -1, 0), (-1, -2, 0))))
    assert certificate.check()
    for subject in (softmax(((-1, 0),)), softmax(((-1, -1, 7), (-1, -2, 8)))):
        assert certificate.check(subject) is False
    for subject in (None, 5, sb.Matrix([[1]])):
        with pytest.raises(errors.BadType):
            certificate.check(subject)
    assert not attrs.evolve(certificate, xi=(1, 1, 1)).check()


def test_a_sum_that_is_not_zero_proves_nothing() -> None:
    subject = softmax(((-1, -1, 0), (-1, -2, 0)))
    point = OnePoint(xi=(1, 2, -2), y=(0,), subject=subject)
    assert len(set(subject.exponents(point.xi, point.y))) == 2
    assert not point.check()


def test_no_templates_are_no_proof() -> None:
    with pytest.raises(errors.BadShape):
        softmax(())


@pytest.mark.parametrize("road", ["one-point", "modular"])
def test_a_certificate_fits_its_matrix_alone(road: str) -> None:
    task = sb.tasks.same_different()
    matrix = sb.template_matrix(task, attention())
    certificate = matrix.certify(algorithm=road)
    assert certificate.check(matrix)
    for kernel in (attention(beta=2, gamma="1/3"), transformer("relu")):
        assert certificate.check(sb.template_matrix(task, kernel))
    for kernel in (
        attention(gamma=0),
        attention(beta=0, gamma=1),
        attention(beta=0.0, gamma=3),
        attention(beta=2, gamma=0.0),
        attention(normalise=False),
        inner_product(),
        transformer(sb.kernels.polynomial([3])),
    ):
        assert not certificate.check(sb.template_matrix(task, kernel))
    others = [sb.Template("αα"), sb.Template("ββ")]
    assert not certificate.check(sb.template_matrix(others, attention()))


def _determinant(rows: list[list[int]], prime: int) -> int:
    total = 0
    for s in permutations(range(len(rows))):
        sign = (-1) ** sum(a > b for n, a in enumerate(s) for b in s[n + 1 :])
        term = sign
        for i, j in enumerate(s):
            term *= rows[i][j]
        total += term
    return total % prime


@settings(deadline=None)
@given(
    st.lists(st.lists(st.integers(-6, 6), min_size=4, max_size=4), min_size=3, max_size=3),
    st.integers(-12, 12),
    st.sampled_from([2, 5, 11, 13]),
)
def test_modular_points_against_the_definition(
    numbers: list[list[int]], base: int, prime: int
) -> None:
    z = [sb.Template(text) for text in ("αα[CLS]", "αβ[CLS]", "Aα[CLS]")]
    subject = of_softmax(z)
    points = [(a, b, -a - b, c, d) for a, b, c, d in numbers]
    values = [[quadratic_form(w, list(p[:3]), {"CLS": p[3], "A": p[4]}) for w in z] for p in points]
    powers = [[pow(base, e % (prime - 1) or prime - 1, prime) for e in row] for row in values]
    residue = _determinant(powers, prime)
    matrix = sb.Matrix(points)
    made = ModularPoints(prime=prime, base=base, points=matrix, residue=residue, subject=subject)
    assert made.check() == (residue != 0 and base % prime != 0)
    assert not attrs.evolve(made, residue=residue + prime).check()
    assert not attrs.evolve(made, residue=residue + 1).check()


def test_modular_points_are_read_with_care() -> None:
    subject = softmax(((-1, -1, 0), (-1, -2, 0)))
    good = modular_points(subject)
    assert good.check()
    first, second = good.points.rows
    for change in (
        {"base": 0},
        {"base": good.prime},
        {"prime": 4},
        {"prime": 1},
        {"prime": 0},
        {"prime": -7},
        {"points": sb.Matrix([first, first])},
        {"points": sb.Matrix([first])},
        {"points": sb.Matrix([row[:-1] for row in (first, second)])},
        {"points": good.points.change_ring(sb.QQ)},
    ):
        assert not attrs.evolve(good, **change).check(), change
    # At q = 0 nothing is proved, though 0^0 = 1 may make a determinant of one.
    at_zero = ModularPoints(
        prime=7, base=0, points=sb.Matrix([[0, 0, 0, 0], [1, -1, 0, 0]]), residue=6
    )
    assert not at_zero.check(subject)
    shifted = [(first[0] + 1, *first[1:]), second]
    powers = [[pow(3, e % 12, 13) for e in subject.exponents(row[:3], row[3:])] for row in shifted]
    residue = _determinant(powers, 13)
    assert residue
    off = ModularPoints(prime=13, base=3, points=sb.Matrix(shifted), residue=residue)
    assert not off.check(subject), "the sum of xi is not zero"


@pytest.mark.parametrize("rows", [None, (None,), (("a",),), ((1.5,),), ((True,),), [(0,)]])
def test_patterns_are_integers(rows: object) -> None:
    with pytest.raises(errors.BadType):
        softmax(rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("rows", [((),), ((0,), (0, 1))])
def test_patterns_have_one_length(rows: tuple) -> None:
    with pytest.raises(errors.BadShape):
        softmax(rows)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_a_parameter_that_is_no_number_is_certified_of_nothing(bad: float) -> None:
    with pytest.raises(errors.BadValue, match="finite"):
        attention(beta=bad, gamma=1)
    with pytest.raises(errors.BadValue, match="finite"):
        attention(beta=1, gamma=bad)


def test_cls_as_a_wildcard_is_refused() -> None:
    odd = sb.Template(["α", "CLS"], wildcards=["α", "CLS"])
    with pytest.raises(errors.BadValue, match="rename"):
        sb.template_matrix([odd], attention())


def test_large_exponents_do_not_wrap() -> None:
    long = [sb.Template(["α"] * n + ["β"] * (300 - n)) for n in range(1, 151)]
    certificate = sb.certify(sb.template_matrix(long, attention()))
    assert certificate.check()


# --- entries ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "kernel",
    [
        attention(order=4),
        attention(order=4).with_softmax_scale("appendix-H"),
        attention(gamma="1/2", order=4),
        attention(beta=0, gamma=2),
        attention(normalise=False, weights="sigmoid", order=4),
    ],
    ids=repr,
)
@settings(max_examples=5, deadline=None)
@given(inequivalent_templates(min_size=2, max_size=3, max_length=3, tokens="ST"))
def test_attention_entries_are_values_on_fresh_strings(
    kernel: sb.kernels.Kernel, found: tuple[sb.Template, ...]
) -> None:
    matrix = sb.template_matrix(found, kernel)
    for i, z in enumerate(matrix.templates):
        for j, w in enumerate(matrix.templates):
            x = z.substitute({a: f"left{a}" for a in z.wildcards})
            y = w.substitute({a: f"right{a}" for a in w.wildcards})
            assert kernel.value(x, y) == matrix.matrix[i, j]


@settings(max_examples=25, deadline=None)
@given(inequivalent_templates(min_size=1, max_size=3, max_length=3, tokens="ST"))
def test_entries_are_values_on_fresh_strings(found: tuple[sb.Template, ...]) -> None:
    kernel = inner_product()
    matrix = sb.template_matrix(found, kernel).matrix
    for i, z in enumerate(found):
        for j, w in enumerate(found):
            x = z.substitute({a: f"left{a}" for a in z.wildcards})
            y = w.substitute({a: f"right{a}" for a in w.wildcards})
            assert matrix.ring.coerce(kernel.value(x, y)) == matrix[i, j]


def test_cls_is_appended_once() -> None:
    matrix = sb.template_matrix([sb.Template("αα"), sb.Template("αβ")], attention())
    assert "CLS appended" in repr(matrix)
    assert [len(z) for z in matrix.templates] == [3, 3]
    again = sb.template_matrix(matrix.templates, attention())
    assert again.templates == matrix.templates
    assert "CLS" not in repr(again)


def test_alphabet() -> None:
    task = sb.tasks.same_different()
    assert len(sb.template_matrix(task, attention(), alphabet=5)) == 2
    with pytest.raises(errors.BadValue, match="too small"):
        sb.template_matrix(task, attention(), alphabet=4)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ((None, attention()), errors.BadType),
        (("αα", attention()), errors.BadType),
        ((["αα"], attention()), errors.BadType),
        (([], attention()), errors.BadShape),
        (([sb.Template("α"), sb.Template("αβ")], attention()), errors.BadShape),
        (([sb.Template("α")], None), errors.BadType),
        (([sb.Template("α")], "attention"), errors.BadType),
    ],
)
def test_bad_input(arguments: tuple, error: type) -> None:
    with pytest.raises(error):
        sb.template_matrix(*arguments)


def test_bad_road() -> None:
    with pytest.raises(errors.UnknownName, match="the algorithm is"):
        sb.template_matrix(sb.tasks.same_different(), attention()).certify(algorithm="short")


def test_float_entries_are_refused_but_certified() -> None:
    matrix = sb.template_matrix(sb.tasks.same_different(), attention(beta=1, gamma=1))
    with pytest.raises(errors.NotSupported):
        _ = matrix.matrix
    assert isinstance(sb.certify(matrix), OnePoint)


def test_series_road() -> None:
    matrix = sb.template_matrix(sb.tasks.same_different(), attention(order=4))
    certificate = matrix.certify(algorithm="matrix")
    assert certificate.kind == "nonsingular"
    assert certificate.check()


@settings(max_examples=30, deadline=None)
@given(st.lists(templates(min_length=3, max_length=3, tokens="A"), min_size=1, max_size=6))
def test_generic_kernel_by_the_theorem_and_by_elimination(found: list[sb.Template]) -> None:
    matrix = sb.template_matrix(found, generic())
    rank = matrix.certify(question="rank")
    assert (rank.kind, rank.valid_for, rank.check(matrix)) == ("template-rank", "generic", True)
    assert rank.rank == matrix.matrix.rank()
    decided, entries = sb.certify(matrix), matrix.certify(algorithm="matrix")
    assert (decided.kind == "singular") == (entries.kind == "singular")
    if decided.kind != "singular":
        assert (decided.kind, decided.valid_for) == ("one-point", "generic")
        # Of one kernel in particular it says nothing.
        for kernel in (inner_product(), attention(gamma=0)):
            assert not decided.check(sb.template_matrix(found, kernel, cls=False))


def test_generic_kernel_is_not_said_to_be_definite() -> None:
    matrix = sb.template_matrix(sb.all_templates(2), generic())
    with pytest.raises(errors.NotSupported):
        sb.certify(matrix, question="positive-definite")
    with pytest.raises(errors.NotSupported):
        matrix.certify(algorithm="modular")


# --- stages -------------------------------------------------------------------------------------
@settings(max_examples=15, deadline=None)
@given(inequivalent_templates(min_size=2, max_size=4, max_length=4, tokens="A"))
def test_stages_end_in_single_templates(found: tuple[sb.Template, ...]) -> None:
    steps = stages(found)
    assert all(step.check() for step in steps)
    assert steps[0].before == (0,) * len(found)
    assert len(set(steps[-1].after)) == len(found)
    assert all(a.after == b.before for a, b in pairwise(steps))
    # Condition (9) itself, permutation by permutation, at the first stage that sees it.
    for sigma in permutations(range(len(found))):
        if sigma == tuple(range(len(found))):
            continue
        for step in steps:
            rows = step.subject.rows
            gap = sum(rows[i][i] - rows[i][s] for i, s in enumerate(sigma))
            if gap != 0:
                assert gap > 0
                break
        else:
            pytest.fail(f"no stage sees {sigma}")


def test_a_cycle_of_three_needs_symmetry() -> None:
    # All gaps vanish, or are positive, and yet a cyclic permutation has a larger sum.
    for rows, after in (
        ([[0, 1, -1], [-1, 0, 1], [1, -1, 0]], (0, 0, 0)),
        ([[0, 5, -6], [-6, 0, 5], [5, -6, 0]], (0, 1, 2)),
        ([[0, 1, -1], [-1, 0, 1], [-1, -1, 0]], (0, 1, 2)),
        ([[0, 3, -1], [-1, 0, 3], [-1, -1, 0]], (0, 1, 2)),
    ):
        assert max(sum(rows[i][s[i]] for i in range(3)) for s in permutations(range(3))) > 0
        stage = Stage(before=(0, 0, 0), after=after)
        assert not stage.check(sb.Matrix(rows))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.integers(-1, 1), min_size=6, max_size=6),
    st.lists(st.integers(0, 2), min_size=3, max_size=3).map(tuple),
    st.lists(st.integers(0, 2), min_size=3, max_size=3).map(tuple),
)
def test_a_stage_says_what_it_proves(n: list[int], before: tuple, after: tuple) -> None:
    rows = [[n[0], n[1], n[2]], [n[1], n[3], n[4]], [n[2], n[4], n[5]]]
    if not Stage(before=before, after=after).check(sb.Matrix(rows)):
        return
    for s in permutations(range(3)):
        if all(before[i] == before[j] for i, j in enumerate(s)):
            gap = sum(rows[i][i] - rows[i][j] for i, j in enumerate(s))
            respected = all(after[i] == after[j] for i, j in enumerate(s))
            assert gap == 0 if respected else gap > 0


def test_groups_that_were_told_apart_stay_apart() -> None:
    # At (4, 0) the third has no gap to one of the others, from which (2, 2) told it apart.
    steps = stages([sb.Template(text) for text in ("Aαα", "Aαβ", "αAα")])
    orders = [step.about["coefficient"] for step in steps]
    assert orders == ["beta^2 gamma^2", "beta^4 gamma^0"]
    assert [step.after for step in steps] == [(0, 0, 1), (0, 1, 2)]


def test_coefficient_matrices_are_taylor_coefficients() -> None:
    orders = [(2, 2), (0, 0), (4, 4), (3, 0)]
    found = dict(coefficient_matrices(sb.tasks.same_different(), orders))
    assert list(found) == orders
    pairs = [[("AA*", "BB*"), ("AA*", "BC*")], [("BC*", "AA*"), ("AB*", "CD*")]]
    for order in orders:
        for i, j in product(range(2), repeat=2):
            assert found[order][i, j] == attention().taylor(*pairs[i][j], beta=4).get(order, 0)


def test_a_stage_is_tampered_with(tmp_path: Path) -> None:
    (step,) = stages([sb.Template("αα"), sb.Template("αβ")])
    path = tmp_path / "stage.json"
    step.save(path)
    assert sb.check(path)
    for change in ({"after": (0, 0)}, {"before": (0, 1), "after": (0, 0)}, {"before": (0,)}):
        assert not attrs.evolve(step, **change).check()
    assert not step.check(sb.Matrix([[0, 1], [1, 0]]))
    with pytest.raises(errors.BadType):
        step.check(None)


# --- sharpness ----------------------------------------------------------------------------------
@given(st.lists(st.integers(1, 4), max_size=4), st.integers(0, 4))
@settings(deadline=None)
def test_moments_by_the_multinomial_theorem(blocks: list[int], power: int) -> None:
    expected: dict[int, Fraction] = {}
    for a in product(range(power + 1), repeat=len(blocks)):
        if sum(a) == power:
            weight = Fraction(factorial(power))
            for size, n in zip(blocks, a, strict=True):
                weight *= Fraction(size**n, factorial(n))
            exponent = sum(n * n for n in a)
            expected[exponent] = expected.get(exponent, Fraction(0)) + weight
    found = lognormal_moments(blocks, power + 1)[power]
    assert dict(found.terms) == expected


def test_integer_partitions() -> None:  # A000041
    ranks = [gamma_zero_rank([z.with_cls() for z in sb.all_templates(n)]) for n in range(1, 8)]
    assert ranks == [1, 2, 3, 5, 7, 11, 15]


def test_moments_separate_types() -> None:
    for n in (3, 4, 5):
        chosen = {type_of(z): z.with_cls() for z in sb.all_templates(n, tokens="A"[: n < 5])}
        assert sb.certify(moment_matrix(list(chosen.values()))).kind == "nonsingular"


def test_moments_of_equal_types_are_dependent() -> None:
    pair = [sb.Template("ααβ").with_cls(), sb.Template("αβα").with_cls()]
    assert sb.certify(moment_matrix(pair)).kind == "singular"


@pytest.mark.parametrize(
    "texts",
    [("A", "B"), ("AA", "AB"), ("AC", "BB"), ("A", "B", "α"), ("AAα", "ABα", "BBα", "αβγ", "ABB")],
)
def test_moments_tell_regular_tokens_apart(texts: tuple[str, ...]) -> None:
    found = [sb.Template(text).with_cls() for text in texts]
    assert sb.certify(moment_matrix(found)).kind == "nonsingular"


def test_columns_of_the_moment_matrix_are_moments() -> None:
    sizes = [(3,), (2, 1), (1, 1, 1)]
    found = [sb.Template(text).with_cls() for text in ("ααα", "ααβ", "αβγ")]
    expected = [lognormal_moments(blocks, 8) for blocks in sizes]
    columns = moment_matrix(found).transpose().rows

    def proportional(column: tuple, j: int) -> bool:
        pairs = [(entry, row[j]) for entry, row in zip(column, expected, strict=True)]
        return all(a * d == b * c for (a, c), (b, d) in product(pairs, repeat=2))

    used = [[j for j in range(8) if proportional(column, j)] for column in columns]
    assert len(used) == 3
    # The moments of order 0 and 1 are the same for all, up to a factor.
    assert all(len(js) == 1 or js == [0, 1] for js in used)
    assert len({js[0] for js in used}) == 3


def test_a_template_without_tokens_has_no_moments() -> None:
    with pytest.raises(errors.BadValue, match="regular token"):
        moment_matrix([sb.Template("αα")])


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: moment_matrix(None), errors.BadType),
        (lambda: moment_matrix(["αα"]), errors.BadType),
        (lambda: moment_matrix([]), errors.BadShape),
        (lambda: gamma_zero_rank(5), errors.BadType),
        (lambda: type_of("αα"), errors.BadType),
        (lambda: lognormal_moments(None, 3), errors.BadType),
        (lambda: lognormal_moments([1.5], 3), errors.NotExact),
        (lambda: lognormal_moments([0], 3), errors.BadValue),
        (lambda: lognormal_moments([1], None), errors.BadType),
        (lambda: stages(None), errors.BadType),
        (lambda: stages(sb.tasks.same_different(), None), errors.BadType),
        (lambda: stages(sb.tasks.same_different(), [4]), errors.BadType),
        (lambda: stages(sb.tasks.same_different(), ["00"]), errors.BadType),
        (lambda: stages(sb.tasks.same_different(), [(0, 0, 0)]), errors.BadType),
        (lambda: stages(sb.tasks.same_different(), [(2.0, 0)]), errors.NotExact),
        (lambda: stages(sb.tasks.same_different(), []), errors.Undecided),
        (lambda: coefficient_matrices(sb.tasks.same_different(), None), errors.BadType),
        (lambda: coefficient_matrices(None, [(0, 0)]), errors.BadType),
        (lambda: sb.template_matrix([sb.Template("α")], type(attention())), errors.BadType),
        (lambda: TemplateMatrix(None, attention(), False), errors.BadType),
    ],
)
def test_bad_arguments(call, error) -> None:
    with pytest.raises(error) as caught:
        call()
    assert isinstance(caught.value, errors.SymbenchError)


def test_hard_attention_rank() -> None:
    for n in range(1, 6):
        matrix = sb.template_matrix(sb.all_templates(n), HardAttention()).matrix
        assert matrix.rank() == n


# --- what a kernel sees ---------------------------------------------------------------------------
@settings(max_examples=25, deadline=None)
@given(inequivalent_templates(min_size=2, max_size=3, max_length=3, tokens="A"))
@pytest.mark.parametrize(
    "kernel", [attention(gamma=0, order=4), attention(normalise=False, order=2)], ids=["g0", "exp"]
)
def test_templates_that_look_alike_have_equal_rows(kernel, found: tuple[sb.Template, ...]) -> None:
    matrix = sb.template_matrix(found, kernel)
    views = matrix.plain.seen
    for i, view in enumerate(views):
        for j in range(i):
            assert view != views[j] or matrix.matrix.rows[i] == matrix.matrix.rows[j]
    if len(set(views)) < len(views):
        certificate = sb.certify(matrix)
        assert certificate.kind == "singular"
        assert certificate.check()
        (i, j) = [n for n, x in enumerate(certificate.vector) if x != 0]
        assert matrix.matrix.rows[i] == matrix.matrix.rows[j]


def test_sharpness_by_certify() -> None:
    pair = [sb.Template("ααβ"), sb.Template("αβα")]
    assert sb.certify(sb.template_matrix(pair, attention(gamma=0))).vector == (1, -1)
    assert sb.certify(sb.template_matrix(pair, attention(beta=1, gamma=0))).vector == (1, -1)
    same = [sb.Template("αα"), sb.Template("αβ")]
    assert sb.certify(sb.template_matrix(same, attention(normalise=False))).vector == (1, -1)
    assert sb.certify(sb.template_matrix(same, attention(gamma=0, order=6))).kind == "type-rank"
    constant = sb.kernels.transformer(sb.kernels.polynomial([5]))
    assert sb.certify(sb.template_matrix(same, constant)).vector == (1, -1)
    blind = sb.kernels.transformer("relu", attention(gamma=0))
    assert sb.certify(sb.template_matrix(pair, blind)).vector == (1, -1)
    sharp = sb.kernels.transformer("relu", attention(normalise=False))
    assert sb.template_matrix(same, sharp, cls=False).plain.seen == ((-1, -1), (-1, -2))
