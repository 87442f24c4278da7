"""The checkers proved in Coq: no axioms, what they accept, and everything that they refuse."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from symbench.certificates import Certificate, Nonsingular, PositiveDefinite, RankIs
from symbench.certificates.separation import OnePoint
from symbench.certificates.templates import KernelFacts, Templates
from symbench.decide import certify
from symbench.decide.witnesses import gram, inverse_modulo
from symbench.errors import BadCertificate, BadValue, NotInvertible, NotSupported
from symbench.exact import GF, QQ, ZZ, Matrix
from symbench.export import coq, ocaml
from tests.documents import ROOT

SOURCES = ROOT / "proofs" / "coq"
LIBRARY = (SOURCES / "Certificates.v").read_text(encoding="utf-8")
QUESTION = "\nPrint Assumptions instance.\n"
CLOSED = "Closed under the global context"
PRIME = 10**9 + 7  # added to an entry it changes every residue
LIMIT = 120  # seconds for any one program, on a busy machine

Prove = Callable[[str], subprocess.CompletedProcess[str]]
Check = Callable[[str], str]

_WITHOUT = "coqc is not installed: the checks that are proved in Coq were not run"
has_coq = pytest.mark.skipif(shutil.which("coqc") is None, reason=_WITHOUT)


def _run(folder: Path, *command: str, text: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=folder, input=text, capture_output=True, text=True, timeout=LIMIT
    )


def _built(folder: Path, *command: str) -> None:
    done = _run(folder, *command)
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the compiled library, and the sources of the extracted checker."""
    folder = tmp_path_factory.mktemp("coq")
    for source in (*SOURCES.glob("*.v"), *SOURCES.glob("*.ml")):
        shutil.copy(source, folder)
    _built(folder, "coqc", "-Q", ".", "Symbench", "Certificates.v")
    return folder


@pytest.fixture(scope="module")
def prove(library: Path) -> Prove:
    """Run Coq on a text."""

    def run(text: str) -> subprocess.CompletedProcess[str]:
        (library / "instance.v").write_text(text, encoding="utf-8")
        return _run(library, "coqc", "-Q", ".", "Symbench", "instance.v")

    return run


@pytest.fixture(scope="module")
def check(request: pytest.FixtureRequest) -> Check:
    """What the extracted program says of an instance."""
    if shutil.which("coqc") is None:
        pytest.skip(_WITHOUT)
    found = shutil.which("ocamlfind") and _run(ROOT, "ocamlfind", "query", "zarith")
    # Without its interfaces the package can be linked only.
    if not found or not (Path(found.stdout.strip()) / "zarith.cmxa").exists():
        pytest.skip("ocamlfind with the package zarith (libzarith-ocaml-dev) is not installed")
    library = request.getfixturevalue("library")
    _built(library, "coqc", "-Q", ".", "Symbench", "Extract.v")
    sources = ("checkers.mli", "checkers.ml", "main.ml")
    _built(
        library, "ocamlfind", "ocamlopt", "-package", "zarith", "-linkpkg", "-o", "check", *sources
    )

    def run(text: str) -> str:
        done = _run(library, "./check", text=text)
        answer = done.stdout.strip()
        assert (done.returncode, answer) in ((0, "checked"), (1, "BAD")), done.stderr
        return answer

    return run


def _random(seed: int, rows: int, columns: int, *, rational: bool = False) -> Matrix:
    choice = random.Random(seed)
    low = 5 if rational else 1
    return Matrix(
        [[f"{choice.randint(-9, 9)}/{choice.randint(1, low)}" for _ in range(columns)]
         for _ in range(rows)],
        QQ if rational else ZZ,
    )  # fmt: skip


def _definite(seed: int, size: int, *, rational: bool = False) -> Matrix:
    root = _random(seed, size, size, rational=rational)
    return root.transpose() @ root + Matrix.identity(size)


def _one_point(
    *rows: str, xi: tuple[int, ...], y: tuple[int, ...], scale: str = "main"
) -> OnePoint:
    letters = dict.fromkeys("".join(rows))
    templates = Templates(
        tuple(a for a in letters if a.isupper()),
        tuple(a for a in letters if a.islower()),
        tuple(map(tuple, rows)),
        kernel=KernelFacts(scale=scale),
    )
    return OnePoint(xi=xi, y=y, subject=templates)


def _certificates() -> dict[str, Certificate]:
    """One of every kind that can be exported and more: rational ones, empty ones, own witnesses."""
    tall, wide = _random(1, 7, 3, rational=True), _random(2, 3, 6)
    # Its minor, rows 0 and 2, columns 2 and 1, has denominators of its own.
    low = Matrix([["1/2", 1, "3/2"], ["1/3", "2/3", 1], [0, 5, 7]])
    minor = {
        "rank": 2, "rows": (0, 2), "columns": (2, 1), "prime": 7, "residue": 4,
        "null": Matrix([[1], [7], [-5]]), "subject": low,
    }  # fmt: skip
    return {
        "nonsingular": certify(_random(3, 6, 6)),
        "nonsingular, rational": certify(_random(4, 5, 5, rational=True)),
        "nonsingular, empty": certify(Matrix([])),
        "singular": certify(tall @ wide @ _random(5, 6, 7)),
        "rank": certify(tall @ wide, question="rank"),
        "rank 0": certify(Matrix([[0, 0, 0]]), question="rank"),
        "full rank": certify(wide, question="rank"),
        "positive definite": certify(_definite(6, 6), question="positive-definite"),
        "positive definite, rational": certify(
            _definite(7, 4, rational=True), question="positive-definite"
        ),
        "not positive definite": certify(
            Matrix([[1, "1/2"], ["1/2", "1/4"]]), question="positive-definite"
        ),
        "one point": _one_point("abaS", "aabS", "TabS", xi=(1, 2, 4, -7), y=(9, 20)),
        "one point, constants": _one_point("aba", "aab", "aaa", "SSS", xi=(1, 2, -3), y=(5,)),
        # Witnesses of the certificate's own.
        "inverse": Nonsingular(
            prime=7, residue=5, modulus=9, inverse=Matrix([[7, 1], [6, 4]]),
            subject=Matrix([[1, 2], [3, 4]]),
        ),
        "inverse of a minor": RankIs(**minor, modulus=5, inverse=Matrix([[0, 4], [3, 4]])),
        "inverse of no use": RankIs(**minor, modulus=3, inverse=Matrix([[2, 2], [2, 0]])),
        "scale and gram": PositiveDefinite(
            scale=1, gram=Matrix([[1, 1]]), subject=Matrix([[2, 1], [1, 2]])
        ),
        # With another scale they would not fit: these matrices are not dominant themselves.
        "gram of a rational matrix": PositiveDefinite(
            scale=1, gram=Matrix([[2, 3]]), subject=Matrix([["9/2", 6], [6, "19/2"]])
        ),
        "gram with the denominator in the scale": PositiveDefinite(
            scale=2, gram=Matrix([[2, 3]]), subject=Matrix([["5/2", 3], [3, "11/2"]])
        ),
    }  # fmt: skip


CERTIFICATES = _certificates()


def _exported(certificate: Certificate, folder: Path, write: Callable[[Path], str]) -> str:
    path = folder / "certificate.json"
    certificate.save(path)
    return write(path)


def _modules(texts: list[str]) -> str:
    """Several instances in one file, so that Coq starts only once."""
    ends = [text.index("Definition") for text in texts]
    modules = (
        f"Module I{k}.\n{text[end:]}\nEnd I{k}.\n"
        for k, (text, end) in enumerate(zip(texts, ends, strict=True))
    )
    return texts[0][: ends[0]] + "".join(modules)


# --- the library --------------------------------------------------------------------------------
@has_coq
def test_no_axioms(prove: Prove) -> None:
    theorems = re.findall(r"^Theorem (\w+)", LIBRARY, flags=re.M)
    kinds = ["singular", "nonsingular", "rank", "positive_definite", "not_positive_definite"]
    assert {f"{kind}_sound" for kind in [*kinds, "distinct"]} <= set(theorems)
    # All in one question, which takes a second.
    together = f"Definition together := ({', '.join('@' + name for name in theorems)}).\n"
    library = "From Symbench Require Import Certificates.\n"
    done = prove(f"{library}{together}Print Assumptions together.\n")
    assert done.stdout.splitlines() == [CLOSED], done.stderr
    # An axiom would be seen.
    forged = "Axiom all : forall M, nonsingular M.\nPrint Assumptions all.\n"
    assert "nonsingular M" in prove(library + forged).stdout


MEANING = """
From Coq Require Import ZArith List Lia.
From Symbench Require Import Certificates.
Import ListNotations.
Open Scope Z_scope.

(* A matrix that is not square, a zero matrix, a form with a zero, an asymmetric one. *)
Goal ~ nonsingular [[1; 0]].
Proof. intros [[_ H] _]. inversion H. discriminate. Qed.
Goal ~ nonsingular [[0]].
Proof.
  intros [_ H]. assert (F : zero [1]) by (apply H; repeat constructor). inversion F. discriminate.
Qed.
Goal ~ positive_definite [[1; 1]; [1; 1]].
Proof.
  intros [_ H]. assert (F : 0 < form [[1; 1]; [1; 1]] [1; -1]); [|discriminate F].
  apply H; [reflexivity | intro O; inversion O; discriminate].
Qed.
Goal ~ positive_definite [[2; 1]; [0; 2]].
Proof. intros [[_ H] _]. discriminate (H 0%nat 1%nat). Qed.
(* The rank is no larger and no smaller than it should be. *)
Goal ~ has_rank 1 1 [[0]].
Proof.
  intros [_ ([|[] [|]] & L & S & I & _)]; try discriminate.
  assert (F : zero [1]); [|inversion F; discriminate].
  apply I; [reflexivity | | repeat constructor].
  intros [|[|j]] N _; try discriminate; reflexivity.
Qed.
Goal ~ has_rank 1 0 [[1]].
Proof.
  intros [_ ([|[] [|]] & L & S & _ & K)]; try discriminate.
  destruct (K 0%nat (le_n 1) eq_refl) as ([|x [|]] & M & N & X & _); try discriminate.
  apply X. apply Forall_inv in N. simpl in *. lia.
Qed.
"""


@has_coq
def test_the_definitions_say_something(
    prove: Prove,
) -> None:
    done = prove(MEANING)
    assert done.returncode == 0, done.stderr


# --- what is accepted ---------------------------------------------------------------------------
@has_coq
def test_every_export_is_proved(prove: Prove, tmp_path: Path) -> None:
    texts = [_exported(certificate, tmp_path, coq) for certificate in CERTIFICATES.values()]
    assert all(text.endswith(QUESTION) for text in texts)
    done = prove(_modules([text.removesuffix(QUESTION) for text in texts[:-1]] + texts[-1:]))
    assert (done.returncode, done.stdout.strip()) == (0, CLOSED), done.stderr


@pytest.mark.parametrize("name", CERTIFICATES)
def test_every_export_is_checked(check: Check, name: str, tmp_path: Path) -> None:
    assert check(_exported(CERTIFICATES[name], tmp_path, ocaml)) == "checked"


STORED = ["no-cls", "positive-definite"]  # those beside the proofs that have a checker


@pytest.mark.parametrize("name", STORED)
def test_stored_certificates(check: Check, name: str) -> None:
    assert check(ocaml(ROOT / "proofs" / "symbench" / f"{name}.json")) == "checked"


@has_coq
@pytest.mark.parametrize("question", ["nonsingular", "positive-definite"])
def test_fifty_rows(prove: Prove, question: str, tmp_path: Path) -> None:
    done = prove(_exported(certify(_definite(8, 50), question=question), tmp_path, coq))
    assert (done.returncode, done.stdout.strip()) == (0, CLOSED), done.stderr


@pytest.mark.parametrize("question", ["nonsingular", "positive-definite", "rank"])
def test_many_rows(check: Check, question: str, tmp_path: Path) -> None:
    matrix = _random(9, 144, 90) @ _random(10, 90, 144)
    if question != "rank":
        matrix = _definite(11, 144)
    text = _exported(certify(matrix, question=question), tmp_path, ocaml)
    assert check(text) == "checked"
    # The last number is the matrix's last entry: with any other, the witness does not fit.
    words = text.split()
    assert check(" ".join([*words[:-1], str(int(words[-1]) - PRIME)])) == "BAD"


# --- what is refused ----------------------------------------------------------------------------
# In these instances no number can be raised by one.
TIGHT = {
    "singular": "singular  3 3  1 1 1  1 2 3  2 3 4  3  1 -2 1",
    "nonsingular": "nonsingular  5  2 2  3 1  4 2  2 2  1 2  3 4",
    "rank": "rank  3 2 5  3 1 1 0  3 1 1 0  2 2 3 1 4 2  1 3 -2 1 1  3 3  1 2 0  3 4 2  4 6 2",
    "not-positive-definite": "not-positive-definite  2 2  1 1  1 1  2  1 -1",
}


@pytest.mark.parametrize("kind", TIGHT)
def test_every_number_counts(check: Check, kind: str) -> None:
    words = TIGHT[kind].split()
    assert check(TIGHT[kind]) == "checked"
    assert check(TIGHT[kind] + " 0") == "BAD"
    for place in range(1, len(words)):
        raised = [*words[:place], str(int(words[place]) + 1), *words[place + 1 :]]
        assert check(" ".join(raised)) == "BAD", raised
        assert check(" ".join(words[:place])) == "BAD"


ACCEPTED = [
    "check_singular [[1; 2]; [2; 4]] [-2; 1]",
    "check_nonsingular 5 [[3; 1]; [4; 2]] [[1; 2]; [3; 4]]",
    "check_nonsingular 9 [[7; 1]; [6; 4]] [[1; 2]; [3; 4]]",
    "check_rank 3 1 2 [true] [true; false; false] [[1]] [[-1; 1; 0]; [-1; 0; 1]] [[1; 1; 1]]",
    "check_positive_definite 1 [[1; 1]] [[2; 1]; [1; 2]]",
    "check_positive_definite 1 [] [[2; 1]; [1; 2]]",
    "check_not_positive_definite [[1; 1]; [1; 1]] [1; -1]",
    "check_distinct [3; -1; 2; 0]",
    "check_distinct []",
]
REFUSED = [
    "check_singular [[1; 2]; [2; 4]] [0; 0]",
    "check_singular [[1; 2]; [2; 5]] [-2; 1]",
    "check_singular [[1; 2]; [2; 4]] [-2]",
    "check_singular [[1; 2]] [-2; 1]",
    "check_singular [[1; 2]; [2; 4]; [0; 0; 0]] [-2; 1; 0]",
    "check_singular [] []",
    "check_nonsingular 1 [[3; 1]; [4; 2]] [[1; 2]; [3; 4]]",
    "check_nonsingular 0 [[1]] [[1]]",
    "check_nonsingular (-5) [[3; 1]; [4; 2]] [[1; 2]; [3; 4]]",
    "check_nonsingular 5 [[3; 1]] [[1; 2]; [3; 4]]",
    "check_nonsingular 5 [[3; 1; 0]; [4; 2; 0]] [[1; 2]; [3; 4]]",
    "check_nonsingular 5 [[3; 1]; [4; 2]] [[1; 2]; [3; 5]]",
    "check_nonsingular 5 [[1]; [1]] [[1; 0]]",
    "check_nonsingular 5 [[1; 0]] [[1]; [0]]",
    # null vectors in the wrong order, too few, too many, with two columns of their own, zero
    "check_rank 3 1 2 [true] [true; false; false] [[1]] [[-1; 0; 1]; [-1; 1; 0]] [[1; 1; 1]]",
    "check_rank 3 1 2 [true] [true; false; false] [[1]] [[-1; 1; 0]] [[1; 1; 1]]",
    "check_rank 2 1 2 [true] [true; false] [[1]] [[-1; 1]; [-1; 1]] [[1; 1]]",
    "check_rank 3 1 2 [true] [true; false; false] [[1]] [[-2; 1; 1]; [-1; 0; 1]] [[1; 1; 1]]",
    "check_rank 2 1 2 [true] [true; false] [[1]] [[0; 0]] [[1; 1]]",
    "check_rank 2 1 1 [true] [true; false] [[1]] [[-1; 1]] [[1; 1]]",
    "check_rank 2 0 2 [true] [false; false] [] [] [[1; 1]]",
    "check_rank 1 1 2 [true] [true] [[1]] [] [[0]]",
    "check_positive_definite 0 [] [[2; 1]; [1; 2]]",
    "check_positive_definite (-1) [[1; 1]] [[2; 1]; [1; 2]]",
    "check_positive_definite 1 [[2; 1]] [[2; 1]; [1; 2]]",
    "check_positive_definite 1 [[1; 1; 0]] [[2; 1]; [1; 2]]",
    "check_positive_definite 1 [[1]] [[3; 1]; [1; 2]]",
    "check_positive_definite 1 [] [[1; 1]; [1; 1]]",  # dominant, but not strictly
    "check_positive_definite 1 [] [[2; 1]; [1; -2]]",
    "check_positive_definite 1 [] [[2; 3]; [3; 2]]",
    "check_positive_definite 1 [] [[2; 1]; [0; 2]]",
    "check_positive_definite 1 [] [[2; 0; 0]; [0; 2; 0]]",
    "check_not_positive_definite [[1; 1]; [1; 1]] [0; 0]",
    "check_not_positive_definite [[1; 1]; [1; 1]] [1; 1]",
    "check_not_positive_definite [[1; 1]; [2; 1]] [1; -1]",
    "check_not_positive_definite [[1; 1]; [1; -1]] [0; 1; 0]",
    "check_distinct [3; -1; 3]",
    "check_distinct [0; 0]",
]


@has_coq
def test_refused_in_coq(prove: Prove) -> None:
    goals = [f"{call} = true" for call in ACCEPTED] + [f"{call} = false" for call in REFUSED]
    head = "From Coq Require Import ZArith List.\nFrom Symbench Require Import Certificates.\n"
    opened = head + "Import ListNotations.\nOpen Scope Z_scope.\n"
    done = prove(
        opened + "".join(f"Goal {goal}.\nProof. vm_compute. reflexivity. Qed.\n" for goal in goals)
    )
    assert done.returncode == 0, done.stderr


def _raised(text: str, name: str) -> str:
    """The second number of a definition raised by more than any witness allows."""
    start = text.index(f"Definition {name} ")
    number = list(re.finditer(r"-?\b\d+|true|false", text[start:]))[1]
    value = number[0]
    new = {"true": "false", "false": "true"}.get(value) or str(int(value) + PRIME)
    return text[: start + number.start()] + new + text[start + number.end() :]


@has_coq
def test_tampered_exports(prove: Prove, tmp_path: Path) -> None:
    tampered = []
    for name in ("nonsingular", "singular", "rank", "positive definite", "not positive definite"):
        text = _exported(CERTIFICATES[name], tmp_path, coq)
        tampered += [_raised(text, part) for part in re.findall(r"^Definition (\w+)", text, re.M)]
        number = re.search(r"_sound (\d+ \d+ )?(\d+) ", text)  # the modulus, or the scale
        if number is not None:
            tampered.append(text[: number.start(2)] + "0" + text[number.end(2) :])
    text = _exported(CERTIFICATES["one point"], tmp_path, coq)
    tampered.append(re.sub(r"\[(-?\d+); (-?\d+);", r"[\1; \1;", text))
    assert len(tampered) == 2 + 1 + 2 + 5 + 1 + 2 + 1 + 2 + 1
    assert prove(tampered[0]).returncode != 0
    # Each of them comes to the question whether false is true, and stays there.
    stuck = "match goal with |- false = true => idtac end. Abort."
    failing = [text.replace("reflexivity. Qed.", stuck) for text in tampered]
    assert all(stuck in text for text in failing)
    done = prove(_modules([text.removesuffix(QUESTION) for text in failing]))
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "text",
    [
        "", "beauty 1", "distinct", "distinct 3 1 2 1", "distinct 2 1 0x2", "distinct 2 1 1_0",
        "distinct 1 +1", "distinct 1 -", "distinct -1", "distinct 99999999999999999999 1",
        "singular 1 1 0 1 0", "nonsingular 1 1 1 1 1 1 1", "nonsingular 0 1 1 1 1 1 1",
        "positive-definite 0 0 1 1 1 1", "positive-definite 1 1 1 2 1 1 3",
        "rank 1 0 2 1 2 1 0 0 0 1 1 1 1 1 0",
    ],
)  # fmt: skip
def test_refused_by_the_program(check: Check, text: str) -> None:
    assert check(text) == "BAD"


# --- the exporter -------------------------------------------------------------------------------
def test_what_is_not_exported(tmp_path: Path) -> None:
    path = tmp_path / "certificate.json"
    certify([[1, 2], [3, 4]], question="unique-assignment").save(path)
    with pytest.raises(NotSupported, match=r"-assignment .*: only nonsingular, singular, rank"):
        coq(path)
    certify(Matrix([[1, 2], [3, 4]], GF(5))).save(path)
    with pytest.raises(NotSupported, match=r"a matrix over GF\(5\)"):
        ocaml(path)
    _one_point("aba", "aab", xi=(1, 2, -3), y=(), scale="appendix-H").save(path)
    with pytest.raises(NotSupported, match="appendix-H"):
        coq(path)
    Nonsingular(prime=7, residue=4, subject=Matrix([[1, 2], [3, 4]])).save(path)
    with pytest.raises(BadCertificate, match="nothing to export"):
        coq(path)


def test_exponents(tmp_path: Path) -> None:
    text = _exported(CERTIFICATES["one point"], tmp_path, ocaml)
    # abaS: 2 * 9 * (-7) + (1 + 4)^2 + 2^2; TabS: 2 * 9 * (-7) + 2 * 20 * 1 + 2^2 + 4^2
    assert text.split() == ["distinct", "3", "-97", "-101", "-66"]
    text = _exported(CERTIFICATES["one point, constants"], tmp_path, ocaml)
    assert text.split() == ["distinct", "3", "8", "18", "0"]


# --- the search for witnesses -------------------------------------------------------------------
@pytest.mark.parametrize("rational", [False, True])
@pytest.mark.parametrize("size", [0, 1, 2, 7, 30])
def test_gram(size: int, rational: bool) -> None:
    matrix = _definite(size, size, rational=rational) if size else Matrix([])
    scale, factor = gram(matrix)
    assert PositiveDefinite(scale=scale, gram=factor).check(matrix)


def test_gram_of_an_ill_conditioned_matrix() -> None:
    hilbert = Matrix([[f"1/{i + j + 1}" for j in range(15)] for i in range(15)])
    scale, factor = gram(hilbert)
    assert PositiveDefinite(scale=scale, gram=factor).check(hilbert)
    # One step beyond: the smallest eigenvalue of this matrix is zero, or below.
    root = _random(12, 15, 14)
    for outside in (root @ root.transpose(), hilbert - Matrix.identity(15)):
        with pytest.raises(BadValue, match="not positive definite"):
            gram(outside)
    with pytest.raises(BadValue, match="not symmetric"):
        gram(Matrix([[1, 2], [3, 4]]))


@pytest.mark.parametrize("rational", [False, True])
def test_inverse_modulo(rational: bool) -> None:
    # The determinant is divisible by every prime that is tried first.
    stubborn = Matrix([[6_469_693_230, 1], [0, 1]])
    primes = Matrix([[p if i == j else 0 for j in range(54)] for i, p in enumerate(
        q for q in range(2, 256) if all(q % k for k in range(2, q))
    )])  # fmt: skip
    for matrix in (_random(13, 9, 9, rational=rational), stubborn, primes):
        modulus, inverse = inverse_modulo(matrix)
        residue = matrix.leading_residue(2**31 - 1)[1]
        assert Nonsingular(
            prime=2**31 - 1, residue=residue, modulus=modulus, inverse=inverse
        ).check(matrix)
    with pytest.raises(NotInvertible):
        inverse_modulo(_random(14, 9, 4) @ _random(15, 4, 9))
