"""check() is True on the right subject and False, never an exception, on anything else."""

import pickle

import attrs
import numpy as np
import pytest

from symbench.certificates import (
    KINDS,
    Certificate,
    Nonsingular,
    RankIs,
    Singular,
    UniqueAssignment,
)
from symbench.errors import BadCertificate, BadType
from symbench.exact import GF, QQ, ZZ, Balls, Matrix, PowerSeries
from tests.certificates.samples import (
    RINGS,
    is_true,
    matrix_samples,
    samples,
    template_samples,
)

NAMES = sorted(matrix_samples())
every = pytest.mark.parametrize(
    "name", [*NAMES, *sorted(template_samples()), "exhausted", "counterexample"]
)


def test_the_samples_are_true_and_of_every_kind():
    assert all(is_true(c) for c in samples().values())
    assert {c.kind for c in samples().values()} == set(KINDS)


def test_the_list_of_kinds_is_closed():
    with pytest.raises(TypeError):
        KINDS["nonsingular"] = Singular

    class Nonsense(Nonsingular):
        kind = "nonsingular"

    assert KINDS["nonsingular"] is Nonsingular


@every
def test_right_subject(name):
    certificate = samples()[name]
    assert certificate.check() is True
    assert certificate.check(certificate.subject) is True


@every
@pytest.mark.parametrize("other", [None, 5, "x", [], [[1]], {}, ..., Matrix, 0.5], ids=repr)
def test_other_things(name, other):
    certificate = samples()[name]
    if Matrix in certificate.about_types and other in ([], [[1]]):
        assert certificate.check(other) in (True, False)
    else:
        with pytest.raises(BadType):
            certificate.check(other)


@pytest.mark.parametrize("name", NAMES)
def test_rows_and_arrays_are_subjects_too(name):
    certificate = samples()[name]
    subject = certificate.subject
    if subject.ring in (ZZ, QQ) and subject.shape[0]:
        assert certificate.check(subject.rows)
        assert certificate.check([list(row) for row in subject.rows])
        assert certificate.check(subject.to_numpy())


def test_certify_and_check_take_the_same():
    import symbench as sb

    for rows in ([[1, 2], [3, 4]], np.array([[1, 2], [3, 4]]), ((1, 2), (2, 4))):
        assert sb.certify(rows).check(rows)


@every
def test_other_matrices(name):
    certificate = samples()[name]
    others = [c.subject for c in matrix_samples().values() if c.kind != certificate.kind]
    others += [Matrix.identity(k, ring) for ring in RINGS for k in (0, 1, 2, 3)]
    others += [Matrix([[1, 2, 3]]), Matrix([[1], [2]])]
    for other in others:
        if Matrix not in certificate.about_types:
            with pytest.raises(BadType):
                certificate.check(other)
            continue
        told = certificate.check(other)
        assert told in (True, False)
        if told:  # by chance: then it must be true of that matrix too
            assert is_true(attrs.evolve(certificate, subject=other))


@pytest.mark.parametrize("name", NAMES)
def test_other_rings(name):
    certificate = samples()[name]
    subject = certificate.subject
    if subject.ring in RINGS[:2] and subject.shape[0]:
        for ring in (GF(1009), QQ["z"], PowerSeries(QQ, "z", 2), Balls(64)):
            assert certificate.check(subject.change_ring(ring)) is (
                # A null vector, or a rank, is the same over polynomials of degree zero.
                certificate.kind in ("singular",) and ring in (GF(1009), QQ["z"])
            )


@every
def test_a_certificate_is_a_frozen_value(name):
    certificate = samples()[name]
    again = attrs.evolve(certificate, subject=None)
    assert again == certificate
    assert hash(again) == hash(certificate)
    assert pickle.loads(pickle.dumps(again)) == certificate
    assert isinstance(certificate, Certificate)
    assert certificate.explain()
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        certificate.kind = "other"
    for field in attrs.fields(type(certificate)):
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(certificate, field.name, None)


@every
def test_fields_are_written_and_read(name):
    certificate = samples()[name]
    assert type(certificate).from_json(certificate.to_json()) == certificate


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("junk", [None, 0.5, "x", [1], ...], ids=repr)
def test_fields_of_the_wrong_type(name, junk):
    certificate = samples()[name]
    for field in attrs.fields(type(certificate)):
        if field.name == "subject" or (junk is None and field.metadata.get("optional")):
            continue
        if junk == "x" and field.name in ("title", "note"):
            continue
        with pytest.raises(BadType):
            attrs.evolve(certificate, **{field.name: junk})


def test_fields_of_the_wrong_value():
    M = Matrix([[1, 2], [3, 4]])
    for prime in (0, 1, 4, -7, 6, 2**64, 2**64 + 13, 10**5000):
        assert Nonsingular(prime=prime, residue=5).check(M) is False
    assert Nonsingular(prime=7, residue=12).check(M) is False  # 5 modulo 7, but not reduced
    assert Nonsingular(prime=7, residue=-2).check(M) is False
    assert Nonsingular(prime=2, residue=0).check(M) is False
    assert Nonsingular(prime=7, residue=5, point={"x": 1}).check(M) is False
    assert Nonsingular(prime=7, residue=5, valuation=1).check(M) is False
    assert Nonsingular(prime=7, residue=5, generic=True).check(M) is False
    ones = Matrix([[1, 1], [1, 1]])
    for null in ([[0], [0]], [[1, -1]], [[1], [-1], [0]], [["1/2"], [1]], [[1], [1]]):
        assert Singular(null=Matrix(null)).check(ones) is False
    ring = PowerSeries(QQ, "b", 2)
    unknown = Matrix([[1, 1], [1, 1]], ring)
    assert Singular(null=Matrix([[1], [-1]])).check(unknown) is False
    assert Singular(null=Matrix([[1], [-1]])).check(Matrix([[1, 1], [1, 1]], Balls(64))) is False


def test_rank_needs_independent_null_vectors_and_a_minor_that_is_one():
    M = Matrix([[1, 2, 3], [2, 4, 6]])
    good = {"rank": 1, "rows": (0,), "columns": (0,), "prime": 7, "residue": 1,
            "null": Matrix([[-2, -3], [1, 0], [0, 1]])}  # fmt: skip
    assert RankIs(**good).check(M)
    for change in (
        {"null": Matrix([[-2, -2], [1, 1], [0, 0]])},
        {"null": Matrix([[-2, 0], [1, 0], [0, 0]])},
        {"null": Matrix([[-2], [1], [0]])},
        {"null": Matrix([[-2, -3], [1, 0], [0, 2]])},
        {"rank": 2},
        {
            "rank": 2,
            "rows": (0, 1),
            "columns": (0, 1),
            "residue": 0,
            "null": Matrix([[0], [0], [1]]),
        },
        {"rank": 2, "rows": (0, 0), "columns": (0, 0), "residue": 0},
        {"rank": 0, "rows": (), "columns": ()},
        {"rows": (1,)},
        {"rows": (2,)},
        {"rows": (-1,), "residue": 2},
        {"columns": (3,)},
        {"residue": 0},
        {"residue": 8},
        {"prime": 6},
        {"point": {"x": 1}},
    ):
        assert RankIs(**{**good, **change}).check(M) is False
    # A null vector that vanishes on the free column proves nothing about the minor.
    assert RankIs(**good).check(Matrix([[1, 2, 3], [2, 4, 7]])) is False


def test_a_cycle_of_tight_entries_is_no_order():
    ones = Matrix([[1, 1], [1, 1]])
    for order in ((0, 1), (1, 0), (0, 0), (0,), (0, 1, 2)):
        claim = UniqueAssignment(
            assignment=(0, 1), rows=Matrix([[1, 1]]), columns=Matrix([[0, 0]]), order=order
        )
        assert claim.check(ones) is False


@every
def test_saving_needs_a_subject_and_a_path(name, tmp_path):
    certificate = samples()[name]
    with pytest.raises(BadType, match="no subject"):
        attrs.evolve(certificate, subject=None).save(tmp_path / "a.json")
    for path in (None, 5, 0.5):
        with pytest.raises(BadType, match="path"):
            certificate.save(path)
    with pytest.raises(BadCertificate):
        type(certificate).from_json(None)
