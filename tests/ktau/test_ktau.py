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
from symbench.certificates.plain import digest
from symbench.kernels import HardAttention, attention, generic, inner_product
from symbench.ktau import ModularPoints, OnePoint, Patterns, stages
from symbench.ktau.points import modular_points, one_point, patterns
from symbench.ktau.sharpness import (
    gamma_zero_rank,
    lognormal_moments,
    moment_matrix,
    type_of,
)
from symbench.strategies import inequivalent_templates, templates


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
    subject = patterns([template])
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
    certificate = sb.template_matrix(found, attention()).certify(road="modular")
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
        one_point(patterns([z, renamed]))
    with pytest.raises(errors.Undecided):
        modular_points(patterns([z, renamed]))


def test_all_templates_of_length_eight() -> None:
    everything = sb.template_matrix(sb.all_templates(8), attention())
    assert len(everything) == 4140
    assert sb.certify(everything).check()


def test_a_transformer_point_is_not_taken_for_others() -> None:
    for kernel in (attention(gamma=0, order=2), attention(normalise=False, order=2)):
        matrix = sb.template_matrix(sb.tasks.same_different(), kernel)
        with pytest.raises(errors.NotSupported):
            matrix.certify(road="one-point")
    with pytest.raises(errors.NotSupported):
        sb.template_matrix(sb.tasks.same_different(), inner_product()).certify(road="modular")


@pytest.mark.parametrize("road", ["one-point", "modular"])
def test_files(road: str, tmp_path: Path) -> None:
    matrix = sb.template_matrix(sb.all_templates(3, tokens="A"), attention())
    certificate = matrix.certify(road=road)
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
        changed.pop("digest")
        changed["digest"] = digest(changed)
        path.with_name("bad.json").write_text(json.dumps(changed))
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
    certificate = one_point(Patterns(((-1, -1, 0), (-1, -2, 0))))
    assert certificate.check()
    for subject in (None, 5, sb.Matrix([[1]]), Patterns(((-1, 0),)), Patterns(((-1, -1, 7),))):
        assert certificate.check(subject) is False
    assert not attrs.evolve(certificate, xi=(1, 1, 1)).check()


def test_a_sum_that_is_not_zero_proves_nothing() -> None:
    subject = Patterns(((-1, -1, 0), (-1, -2, 0)))
    point = OnePoint(xi=(1, 2, -2), y=(0,), subject=subject)
    assert len(set(subject.exponents(point.xi, point.y))) == 2
    assert not point.check()


# --- entries ------------------------------------------------------------------------------------
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
    with pytest.raises(errors.UnknownName, match="no road"):
        sb.template_matrix(sb.tasks.same_different(), attention()).certify(road="short")


def test_float_entries_are_refused_but_certified() -> None:
    matrix = sb.template_matrix(sb.tasks.same_different(), attention(beta=1, gamma=1))
    with pytest.raises(errors.NotSupported):
        _ = matrix.matrix
    assert isinstance(sb.certify(matrix), OnePoint)


def test_series_road() -> None:
    matrix = sb.template_matrix(sb.tasks.same_different(), attention(order=4))
    certificate = matrix.certify(road="matrix")
    assert certificate.kind == "nonsingular"
    assert certificate.check()


def test_generic_kernel_is_nonsingular_for_inequivalent_templates() -> None:
    matrix = sb.template_matrix(sb.all_templates(3), generic())
    assert sb.certify(matrix).kind == "nonsingular"


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


def test_a_stage_is_tampered_with(tmp_path: Path) -> None:
    (step,) = stages([sb.Template("αα"), sb.Template("αβ")])
    path = tmp_path / "stage.json"
    step.save(path)
    assert sb.check(path)
    for change in ({"after": (0, 0)}, {"before": (0, 1), "after": (0, 0)}, {"before": (0,)}):
        assert not attrs.evolve(step, **change).check()
    assert not step.check(sb.Matrix([[0, 1], [1, 0]]))
    assert not step.check(None)


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


def test_moment_matrix_wants_cls() -> None:
    with pytest.raises(errors.BadValue, match="CLS"):
        moment_matrix([sb.Template("αα")])


def test_hard_attention_rank() -> None:
    for n in range(1, 6):
        matrix = sb.template_matrix(sb.all_templates(n), HardAttention()).matrix
        assert matrix.rank() == n
