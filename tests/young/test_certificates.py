"""The certificate of a block form: it multiplies out, and notices every change."""

import json
import subprocess
import sys
from fractions import Fraction

import attrs
import pytest
from hypothesis import strategies as st

import symbench as sb
from symbench.certificates import BlockDiagonal
from symbench.decide import block_certificate
from symbench.errors import BadCertificate, BadType, BadValue
from symbench.exact import GF, Matrix
from symbench.young import Action, block_form
from tests.certificates.forging import sign

from .oracles import law

BASIS = [[1, 2, 0, 1, 0], [0, 1, 3, 0, 0], [0, 0, 1, 0, 2], [1, 0, 0, 2, 0], [0, 0, 1, 0, 9]]
BLOCKS = ([[1, 2], [3, 5]], [[Fraction(1, 2)]])
REPEATS = (2, 1)


def product(a, b):
    return [
        [sum(x * y for x, y in zip(row, col, strict=True)) for col in zip(*b, strict=True)]
        for row in a
    ]


def inverse(rows):
    """By elimination over the rationals."""
    n = len(rows)
    both = [
        [*map(Fraction, row), *(Fraction(int(i == j)) for j in range(n))]
        for i, row in enumerate(rows)
    ]
    for k in range(n):
        pivot = next(i for i in range(k, n) if both[i][k])
        both[k], both[pivot] = both[pivot], both[k]
        both[k] = [x / both[k][k] for x in both[k]]
        for i in range(n):
            if i != k:
                both[i] = [x - both[i][k] * y for x, y in zip(both[i], both[k], strict=True)]
    return [row[n:] for row in both]


def diagonal():
    """[[1, 2], [3, 5]] times the identity of size two, and 1/2: by hand."""
    half = Fraction(1, 2)
    return [[1, 0, 2, 0, 0], [0, 1, 0, 2, 0], [3, 0, 5, 0, 0], [0, 3, 0, 5, 0], [0, 0, 0, 0, half]]


def det(rows):
    n = len(rows)
    if n == 0:
        return 1
    return sum(
        (-1) ** j * rows[0][j] * det([[*row[:j], *row[j + 1 :]] for row in rows[1:]])
        for j in range(n)
        if rows[0][j]
    )


MATRIX = product(product(BASIS, diagonal()), inverse(BASIS))
PRIME = 1_000_003


def certificate(**changes):
    fields = {
        "subject": Matrix(MATRIX),
        "basis": Matrix(BASIS),
        "blocks": tuple(map(Matrix, BLOCKS)),
        "repeats": REPEATS,
        "prime": PRIME,
        "residue": det(BASIS) % PRIME,
        **changes,
    }
    return BlockDiagonal(**fields)


def test_a_form_made_by_hand():
    assert det(BASIS) % PRIME
    assert certificate().check()
    assert certificate().check(Matrix(MATRIX))
    assert certificate().kind == "block-form"
    assert certificate().explain() == "block diagonal in a basis: 2 x 2 (2 times), 1 x 1 (1 time)"


def test_every_entry_of_the_matrix_counts():
    for i in range(5):
        for j in range(5):
            rows = [list(row) for row in MATRIX]
            rows[i][j] += 1
            assert not certificate().check(Matrix(rows))


def test_every_entry_of_the_blocks_counts():
    for k, block in enumerate(BLOCKS):
        for i in range(len(block)):
            for j in range(len(block)):
                rows = [list(row) for row in block]
                rows[i][j] += 1
                blocks = [*map(Matrix, BLOCKS)]
                blocks[k] = Matrix(rows)
                assert not certificate(blocks=tuple(blocks)).check()


@pytest.mark.parametrize(
    "changes",
    [
        {"residue": 0},
        {"residue": det(BASIS) % PRIME + 1},
        {"prime": PRIME + 1},  # not a prime
        {"prime": -7},
        {"prime": 10**40},
        {"repeats": (1, 2)},
        {"repeats": (2, 1, 1)},
        {"repeats": (2,)},
        {"repeats": (0, 5)},
        {"repeats": (-1, 7)},
        {"repeats": (2, 10**12)},
        {"blocks": ()},
        {"blocks": (Matrix([[1, 2]]), Matrix(BLOCKS[1]))},
        {"blocks": (Matrix(BLOCKS[0], GF(7)), Matrix(BLOCKS[1]))},
        {"basis": Matrix.identity(5)},
        {"basis": Matrix.identity(4)},
        {"basis": Matrix(BASIS, GF(7))},
        {"subject": Matrix([[1, 2]])},
        {"subject": Matrix.identity(5, GF(7))},
    ],
)
def test_what_does_not_fit_is_false(changes):
    assert certificate(**changes).check() is False


@pytest.mark.parametrize("blocks", [7, None, (Matrix(BLOCKS[0]), 7)])
def test_blocks_are_matrices(blocks):
    with pytest.raises(BadType, match="blocks"):
        certificate(blocks=blocks)


@pytest.mark.parametrize("subject", [None, "matrix", 7])
def test_the_subject_is_a_matrix(subject):
    with pytest.raises(BadType):
        certificate(subject=subject).check()


def test_a_singular_basis_proves_nothing():
    """M * 0 = 0 * D multiplies out for any blocks; the basis must be invertible."""
    zero = Matrix([[0, 0], [0, 0]])
    found = BlockDiagonal(
        basis=zero, blocks=(Matrix([[9]]),), repeats=(2,), prime=7, residue=0, subject=zero
    )
    assert not found.check()
    assert not attrs.evolve(found, residue=1).check()
    once = Matrix([[1, 1], [1, 1]])
    assert not attrs.evolve(found, basis=once, blocks=(Matrix([[0]]),), residue=1).check()


def test_a_prime_that_divides_the_determinant_or_a_denominator():
    assert det(BASIS) == 7
    assert certificate(prime=5, residue=2).check()
    assert not any(certificate(prime=7, residue=r).check() for r in range(7))
    thirds = Matrix([[Fraction(x, 3) for x in row] for row in BASIS])
    assert certificate(basis=thirds, residue=det(BASIS) * pow(3, -5, PRIME) % PRIME).check()
    assert not certificate(basis=thirds, prime=3, residue=1).check()


def test_the_characteristic_polynomial_is_the_product():
    """det(t - M) = det(t - block)^repeats, at more points than its degree."""
    for t in range(7):
        whole = [[(t if i == j else 0) - x for j, x in enumerate(r)] for i, r in enumerate(MATRIX)]
        small = [[t - 1, -2], [-3, t - 5]]
        assert det(whole) == det(small) ** 2 * (t - Fraction(1, 2))


# --- from block forms ---------------------------------------------------------------------------
def words_kernel(action, values):
    points = action.points
    return [
        [values[sum(a == b for a, b in zip(x, y, strict=True))] for y in points] for x in points
    ]


@law(st.lists(st.fractions(-5, 5, max_denominator=6), min_size=4, max_size=4), examples=25)
def test_kernels_on_words(values):
    action = Action.words(3, 2)
    rows = words_kernel(action, values)
    found = block_certificate(block_form(action, rows), rows)
    assert found.check(Matrix(rows))
    assert [(b.shape[0], r) for b, r in zip(found.blocks, found.repeats, strict=True)] == [
        (4, 1),
        (2, 2),
    ]
    trace = sum(
        r * sum(b[i, i] for i in range(b.shape[0]))
        for b, r in zip(found.blocks, found.repeats, strict=True)
    )
    assert trace == 8 * values[3]
    rows[2][5] += 1
    assert not found.check(Matrix(rows))


def test_the_form_of_another_matrix_is_refused():
    action = Action.subsets(4, 2)
    points = action.points
    rows = [[len({*a} & {*b}) for b in points] for a in points]
    other = [[len({*a} & {*b}) ** 2 for b in points] for a in points]
    with pytest.raises(BadValue, match="do not multiply out"):
        block_certificate(block_form(action, rows), other)


@pytest.mark.parametrize("form", [None, 7, "form", [], Matrix([[1]])])
def test_no_form(form):
    with pytest.raises(BadType, match="give block_form"):
        block_certificate(form, [[1]])


@pytest.mark.parametrize("matrix", [None, 7, "x", [[0.5]], [[1], [1, 2]]])
def test_no_matrix(matrix):
    form = block_form(Action.subsets(1, 1), [[1]])
    with pytest.raises(sb.errors.SymbenchError):
        block_certificate(form, matrix)


# --- files --------------------------------------------------------------------------------------
FRESH = "import sys, symbench as sb; print(sb.check(sys.argv[1]))"


def fresh(path):
    return subprocess.run(
        [sys.executable, "-c", FRESH, str(path)], capture_output=True, text=True, check=False
    )


def test_a_file_re_checks_in_another_process(tmp_path):
    path = tmp_path / "form.json"
    certificate().save(path)
    assert fresh(path).stdout == "True\n"
    loaded = sb.load(path)
    assert loaded == certificate()
    assert loaded.subject == Matrix(MATRIX)


def test_a_file_that_was_changed_and_signed_again(tmp_path):
    path = tmp_path / "form.json"
    certificate().save(path)
    written = json.loads(path.read_text())

    def with_change(name, value):
        document = json.loads(json.dumps(written))
        document["certificate"][name] = value
        path.write_text(json.dumps(sign(document)))

    changes = {
        "blocks": [{"int": "3"}, {"tuple": []}, 3, "x", {"tuple": [{"int": "1"}, {"int": "2"}]}],
        "repeats": [["1", "2"], [1, 2], "2", ["2", "x"]],
        "prime": ["4", "0", 7, None],
        "residue": ["0", None],
        "basis": [None, {"ring": "ZZ"}, "x"],
    }
    for name, values in changes.items():
        for value in values:
            with_change(name, value)
            with pytest.raises(BadCertificate):
                sb.check(path)
    with_change("repeats", ["2", "1"])  # as it was
    assert sb.check(path)
