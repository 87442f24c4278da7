"""The certificates of cases: of which claims, and that each is about what the claim says."""

from fractions import Fraction
from itertools import combinations, islice
from math import comb, factorial

import pytest

from symbench import check
from symbench.certificates import (
    BlockDiagonal,
    RankIs,
    Singular,
    Stage,
    TemplateRank,
    TraceBoundHolds,
)
from symbench.exact import QQ, Matrix
from symbench.papers._templates import templates
from symbench.papers.beyond import tangent
from symbench.papers.lavie2024 import tightness
from symbench.registry import claims
from symbench.young import Partition

# Every one of these has a certificate in its boundary or in one of its first cases.
WITH = {
    "symbench.every-activation", "symbench.positive-definite", "symbench.one-point",
    "symbench.series-rank", "symbench.pairwise-condition", "symbench.incidence", "symbench.no-cls",
    "symbench.no-cls-types", "symbench.gamma-zero-rank", "symbench.beta-zero-rank",
    "symbench.hard-attention", "symbench.normalisation-needed", "symbench.two-symmetries",
    "symbench.modular-determinant", "symbench.unique-assignment",
    "boix2024.lemma-4.6", "boix2024.lemma-E.1", "boix2024.section-4.3", "boix2024.claim-F.2",
    "boix2024.claim-F.3", "boix2024.claim-F.4", "boix2024.claim-F.5", "boix2024.claim-F.6",
    "boix2024.lemma-4.7", "boix2024.remark-I.6", "boix2024.lemma-I.7", "boix2024.counts",
    "symbench.mlp-memorises",
    "lavie2024.exchangeability", "lavie2024.dimension", "symbench.two-row-samples",
    "lavie2024.theorem", "lavie2024.invariance", "lavie2024.proposition",
    "symbench.degree-decides", "symbench.tangent-kernel",
    "symbench.tangent-spectrum", "symbench.tangent-frozen", "symbench.linear-attention-tightness",
    "young.schur-weyl", "symbench.vocabulary", "young.dimension-squares",
    "symbench.template-residual", "symbench.block-size-profile",
    "young.orthogonality", "young.branching", "algebra.certify", "algebra.rank",
    "edelman2022.lemma-B.2-repaired", "edelman2022.lemma-B.3",
    "symbench.least-orders", "symbench.parts-of-null-spaces", "symbench.small-tasks",
}  # fmt: skip


def certificates(claim, count=4):
    """The certificates of the first cases and of the boundary, those that have one."""
    for case in [*islice(claim.list_cases(), count), claim.boundary]:
        outcome = claim.run(case)
        if outcome is not None:
            yield case, outcome


def test_a_third_of_the_claims_about_matrices_have_certificates():
    """The capacities of edelman2022 and the identities of other rooms have no kind of their own."""
    assert set(claims) >= WITH
    papers = [id for id in claims if id.split(".")[0] in ("boix2024", "lavie2024", "symbench")]
    assert 3 * len(WITH.intersection(papers)) > len(papers)


@pytest.mark.parametrize("id", sorted(WITH))
def test_a_certificate_is_small_and_checks_from_its_file(id, tmp_path):
    found = list(certificates(claims[id]))
    assert found
    largest = 0
    for k, (_, certificate) in enumerate(found):
        path = tmp_path / f"{k}.json"
        certificate.save(path)
        largest = max(largest, path.stat().st_size)
    assert check(path) is True
    assert largest < 200_000


# --- what they are about --------------------------------------------------------------------------
def run(id, case, kind):
    certificate = claims[id].run(case)
    assert isinstance(certificate, kind)
    return certificate


def all_of(id, kind, count=40):
    """The first cases of a claim that have a certificate, which is of this kind."""
    for case in islice(claims[id].list_cases(), count):
        certificate = claims[id].run(case)
        if certificate is not None:
            assert isinstance(certificate, kind)
            yield case, certificate


def test_the_last_stage_tells_all_templates_apart():
    for id in ("boix2024.claim-F.6", "boix2024.lemma-4.7"):
        for case, stage in all_of(id, Stage):
            assert len(set(stage.after)) == len(case)
    for case, stage in all_of("symbench.pairwise-condition", Stage, count=4):
        assert len(set(stage.after)) == len(case)
        assert stage.before == (0,) * len(case)


def test_a_stage_groups_by_the_invariant():
    pair = templates("Aα", "αA")  # the same tokens, at other places
    assert run("boix2024.claim-F.2", pair, Stage).after == (0, 0)
    assert run("boix2024.claim-F.3", pair, Stage).after == (0, 1)
    pair = templates("ααβ", "αββ")  # blocks of the same sizes, at other places
    assert run("boix2024.claim-F.4", pair, Stage).after == (0, 0)
    assert run("boix2024.claim-F.5", pair, Stage).after == (0, 1)


def test_ranks_of_template_matrices():
    for (case, gamma), found in all_of("symbench.beta-zero-rank", RankIs):
        tokens = {t for z in case for t in z.tokens}
        counts = {tuple(z.letters.count(t) for t in sorted(tokens)) for z in case}
        closed = [[*row, 1, gamma] for row in counts]  # CLS once in each
        assert found.rank == Matrix(closed, QQ).rank()
    assert {found.rank for _, found in all_of("symbench.normalisation-needed", RankIs)} == {1}
    assert {found.rank for _, found in all_of("boix2024.section-4.3", RankIs)} == {1}
    for (_, number, _), found in all_of("boix2024.counts", TemplateRank):
        assert found.rank == number == len(found.subject.rows)


def test_blocks_of_two_symmetries():
    case = next(case for case in claims["symbench.two-symmetries"].list_cases() if len(case) == 5)
    found = run("symbench.two-symmetries", case, BlockDiagonal)
    assert [b.shape[0] for b in found.blocks] == [3, 1]
    assert found.repeats == (1, 2)


def test_the_modes_of_an_exchangeable_law():
    half = Fraction(1, 2)
    found = run("lavie2024.exchangeability", (3, ((1, (half, half)),)), BlockDiagonal)
    # Fair independent bits: D = 1/2, O = 1/4 everywhere.
    mean, difference = (b.rows for b in found.blocks)
    quarter = Fraction(1, 4)
    assert mean == ((1, half), (half, 1))
    assert difference == ((quarter, -quarter), (-quarter, quarter))
    assert found.repeats == (1, 2)


def test_the_dimension_is_that_of_a_kernel():
    for (length, m), found in all_of("lavie2024.dimension", RankIs):
        assert found.null.shape == (comb(length, m), comb(length, m) - comb(length, m - 1))


def test_the_orbit_average_has_one_eigenvalue():
    for (length, m), found in all_of("symbench.two-row-samples", BlockDiagonal):
        dims = [n for b, n in zip(found.blocks, found.repeats, strict=True) if b[0, 0] != 0]
        assert dims == [comb(length, m) - comb(length, m - 1)]
        # It is the mean of v v^T over all permutations of the coefficients, so its trace is |f|^2.
        assert sum(found.subject[i, i] for i in range(comb(length, m))) == 2**m


def test_the_orbit_average_is_the_mean_over_the_group():
    """For L = 4, m = 2: f = (x1 - x2)(x3 - x4), moved by all 24 permutations."""
    from itertools import permutations

    found = run("symbench.two-row-samples", (4, 2), BlockDiagonal)
    terms = {(1, 3): 1, (1, 4): -1, (2, 3): -1, (2, 4): 1}
    subsets = list(combinations(range(1, 5), 2))
    total = [[Fraction(0)] * 6 for _ in range(6)]
    for g in permutations(range(1, 5)):
        moved = {tuple(sorted(g[a - 1] for a in t)): c for t, c in terms.items()}
        for i, x in enumerate(subsets):
            for j, y in enumerate(subsets):
                total[i][j] += Fraction(moved.get(x, 0) * moved.get(y, 0), 24)
    assert found.subject == Matrix(total, QQ)


def test_the_trace_bound_is_one_of_an_eigenvalue_that_is_not_zero():
    for _, found in all_of("lavie2024.proposition", TraceBoundHolds):
        coefficients = found.subject.charpoly()
        order = next(n for n, c in enumerate(coefficients) if c != 0)
        assert found.place <= found.subject.shape[0] - order


def test_the_trivial_irrep_of_a_layer_has_few_functions():
    for (_, _, length, V, _), found in all_of("symbench.degree-decides", RankIs):
        assert found.subject.shape[0] == comb(length + V - 1, V - 1)
        # Symmetric functions of pure degree 0, 1 and 2 in V - 1 variables.
        assert found.rank <= sum(comb(k + V - 2, k) for k in range(3))


def test_the_tangent_kernel_is_a_multiple():
    for (_, layers, _, _, rate, _), found in all_of("symbench.tangent-kernel", RankIs):
        (minus,), (one,) = found.null.rows
        assert found.rank == 1
        assert -Fraction(minus) / Fraction(one) == tangent.factor(layers, rate)


def test_the_tangent_kernel_over_all_words():
    for (_, _, length, V, _, _), found in all_of("symbench.tangent-spectrum", BlockDiagonal):
        assert found.subject.shape == (V**length, V**length)


def test_an_eigenvector_of_the_frozen_kernel():
    for (length, *_), found in all_of("symbench.tangent-frozen", Singular):
        assert found.subject.shape == (length - 1, length - 1)


def test_all_eigenvalues_of_a_closed_form():
    for (readout, length, a, b), found in all_of(
        "symbench.linear-attention-tightness", BlockDiagonal
    ):
        first, _, _ = tightness._closed_forms(readout, length, a, b)
        assert [block[0, 0] for block in found.blocks] == [*first, 0]
        assert found.repeats == (1, 1, length - 3)


def test_the_kernel_of_attention_in_blocks():
    for (_, _, _, length, V), found in all_of("lavie2024.invariance", BlockDiagonal):
        assert sum(b.shape[0] * n for b, n in zip(found.blocks, found.repeats, strict=True)) == (
            V**length
        )
        sizes = {Partition(length - m, m).dim for m in range(length // 2 + 1)}
        assert V > 2 or set(found.repeats) == sizes


def test_the_group_algebra():
    for n, found in all_of("young.dimension-squares", BlockDiagonal):
        assert [b.shape[0] for b in found.blocks] == list(found.repeats)
        assert sum(k * k for k in found.repeats) == factorial(n)


def test_branching_blocks():
    for parts, found in all_of("young.branching", BlockDiagonal):
        sizes = sorted(b.shape[0] for b in found.blocks)
        assert sizes == sorted(p.dim for p in Partition(*parts).down())


# --- a wrong library has no certificate -----------------------------------------------------------
def test_a_wrong_factor_is_no_multiple(monkeypatch):
    monkeypatch.setattr(tangent, "factor", lambda layers, rate, **_: Fraction(7))
    assert claims["symbench.tangent-kernel"].look(
        ("sum", 1, False, 2, Fraction(1), Fraction(1))
    )[0] == "fails"  # fmt: skip


def test_wrong_closed_forms_have_no_eigenvectors(monkeypatch):
    true = tightness._closed_forms

    def wrong(*case):
        first, second, trace = true(*case)
        return [first[0] + 1, first[1]], second, trace

    monkeypatch.setattr(tightness, "_closed_forms", wrong)
    claim = claims["symbench.linear-attention-tightness"]
    assert claim.look(claim.boundary)[0] == "fails"
