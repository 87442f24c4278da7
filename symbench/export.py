"""Certificates as instances for a checker that is proved right in Coq.

proofs/coq/Certificates.v has checkers for integer matrices and, for each, a theorem: what it
accepts is true. Two ways lead there from a certificate file:

* `coq(path)` is a Coq file about this one matrix; it ends in a theorem, and `Print Assumptions`
  shows that no axiom was used. Coq is all that has to be trusted, and that the matrix in the file
  is the one that was meant. Up to about 50 rows it takes seconds.

      coqc -Q proofs/coq Symbench proofs/coq/Certificates.v
      coqc -Q proofs/coq Symbench instance.v

* `ocaml(path)` is a text for the program that Coq extracts from the same checkers, for matrices of
  hundreds of rows; the extraction, OCaml and the reader main.ml are trusted too. The comment on
  top of Certificates.v says how it is built.

Only integers occur there, so a rational matrix is multiplied by a common denominator, which is
positive and changes none of the properties. What a checker wants and the certificate lacks (an
inverse modulo a number, a Gram matrix) is searched for here; a wrong find would be refused there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from math import gcd
from pathlib import Path
from typing import Any

import attrs
import flint

from symbench.certificates.files import load
from symbench.decide.witnesses import cleared, gram, inverse_modulo
from symbench.errors import BadCertificate, NotSupported
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.dense import primitive
from symbench.exact.rational import number_text

__all__ = ["coq", "ocaml"]

Argument = int | Matrix | tuple[int, ...] | tuple[bool, ...]
# Coq's types of the lists that are no matrices.
_TYPES = {"v": "vector", "exponents": "vector", "rows": "list bool", "columns": "list bool"}


@attrs.frozen
class _Instance:
    """One question to a checker of proofs/coq/Certificates.v."""

    checker: str  # check_<checker> is the function, <checker>_sound the theorem
    statement: str  # what the theorem says, in Coq
    meaning: Sequence[str]  # and in words, line by line
    arguments: Mapping[str, Argument]  # in the checker's order


def coq(path: str | Path) -> str:
    """A Coq file that proves what a certificate says, from the library in proofs/coq.

    >>> certify([["2/3", "1/3"], ["1/3", 1]]).save("pair.json")
    >>> print(coq("pair.json"))
    (** M is nonsingular: M v = 0 only for v = 0, because A M = 1 modulo a number.
        M is 3 times the certificate's matrix, to have integers.
    <BLANKLINE>
        Check it with: coqc -Q proofs/coq Symbench FILE *)
    <BLANKLINE>
    From Coq Require Import ZArith List.
    From Symbench Require Import Certificates.
    Import ListNotations.
    Open Scope Z_scope.
    <BLANKLINE>
    Definition A : matrix := [
      [1; 1];
      [1; 0]].
    <BLANKLINE>
    Definition M : matrix := [
      [2; 1];
      [1; 3]].
    <BLANKLINE>
    Theorem instance : nonsingular M.
    Proof. apply (nonsingular_sound 2 A M). vm_compute. reflexivity. Qed.
    <BLANKLINE>
    Print Assumptions instance.
    <BLANKLINE>
    """
    instance = _instance(path)
    definitions = "".join(
        f"Definition {name} : {_TYPES.get(name, 'matrix')} := {_coq_list(value)}.\n\n"
        for name, value in instance.arguments.items()
        if not isinstance(value, int)
    )
    arguments = " ".join(
        number_text(value) if isinstance(value, int) else name
        for name, value in instance.arguments.items()
    )
    meaning = "\n    ".join(instance.meaning)
    return f"""(** {meaning}

    Check it with: coqc -Q proofs/coq Symbench FILE *)

From Coq Require Import ZArith List.
From Symbench Require Import Certificates.
Import ListNotations.
Open Scope Z_scope.

{definitions}Theorem instance : {instance.statement}.
Proof. apply ({instance.checker}_sound {arguments}). vm_compute. reflexivity. Qed.

Print Assumptions instance.
"""


def ocaml(path: str | Path) -> str:
    """The input for the program extracted from the library; main.ml there says how it is written.

    >>> certify([["2/3", "1/3"], ["1/3", 1]]).save("pair.json")
    >>> print(ocaml("pair.json"))
    nonsingular
    2
    2 2
    1 1
    1 0
    2 2
    2 1
    1 3
    <BLANKLINE>
    """
    instance = _instance(path)
    lines = [instance.checker.replace("_", "-")]
    for value in instance.arguments.values():
        if isinstance(value, Matrix):
            lines += ["{} {}".format(*value.shape), *(_words(row) for row in value.rows)]
        elif isinstance(value, tuple):
            lines += [str(len(value)), _words(value)]
        else:
            lines.append(number_text(value))
    return "\n".join(lines) + "\n"


def _coq_list(value: Any) -> str:
    if isinstance(value, Matrix):
        return "[" + ";".join("\n  " + _coq_list(row) for row in value.rows) + "]"
    return "[" + "; ".join(map(_coq_entry, value)) + "]"


def _coq_entry(value: int) -> str:
    return str(value).lower() if isinstance(value, bool) else number_text(value)


def _words(values: tuple[int, ...]) -> str:
    return " ".join(number_text(int(value)) for value in values)


def _instance(path: str | Path) -> _Instance:
    certificate: Any = load(path)
    if certificate.kind not in _KINDS:
        raise NotSupported(
            f"a certificate of kind {certificate.kind} has no checker in Coq: "
            f"only {', '.join(_KINDS)} have one"
        )
    if not certificate.check():
        raise BadCertificate(f"{path} does not prove what it says: there is nothing to export")
    return _KINDS[certificate.kind](certificate)


# --- what each kind asks ------------------------------------------------------------------------
def _integers(certificate: Any) -> tuple[int, Matrix, str]:
    """(D, D M, what to say of it) for the certificate's matrix M."""
    subject = certificate.subject
    if not isinstance(subject, Matrix) or subject.ring not in (ZZ, QQ):
        given = f"a matrix over {subject.ring!r}" if isinstance(subject, Matrix) else "templates"
        raise NotSupported(
            f"this {certificate.kind} certificate is about {given}: "
            "the checkers in Coq are about matrices over ZZ and QQ"
        )
    denominator, integers = cleared(subject)
    if denominator == 1:
        return 1, integers, "M is the certificate's matrix."
    factor = number_text(denominator)
    return denominator, integers, f"M is {factor} times the certificate's matrix, to have integers."


def _nonsingular(certificate: Any) -> _Instance:
    _, matrix, which = _integers(certificate)
    modulus, inverse = certificate.modulus, certificate.inverse
    if inverse is None:
        modulus, inverse = inverse_modulo(matrix)
    return _Instance(
        "nonsingular",
        "nonsingular M",
        ("M is nonsingular: M v = 0 only for v = 0, because A M = 1 modulo a number.", which),
        {"modulus": modulus, "A": inverse, "M": matrix},
    )


def _singular(certificate: Any) -> _Instance:
    _, matrix, which = _integers(certificate)
    return _Instance(
        "singular",
        "singular M",
        ("M is singular: M v = 0, and v is not zero.", which),
        {"M": matrix, "v": primitive(certificate.vector)},
    )


def _rank(certificate: Any) -> _Instance:
    denominator, matrix, which = _integers(certificate)
    rows, columns = sorted(certificate.rows), sorted(certificate.columns)
    modulus, inverse = _minor_inverse(certificate, denominator, matrix.submatrix(rows, columns))
    null = [primitive(vector) for vector in certificate.null.transpose().rows]
    height, width = matrix.shape
    return _Instance(
        "rank",
        f"has_rank {width} {certificate.rank} M",
        (
            f"M has rank {certificate.rank}: the chosen columns form a basis of what all span.",
            which,
            "The chosen columns are independent, because A times the minor of the chosen rows",
            "and columns is 1 modulo a number; the rows of `null` are null vectors, each of them",
            "nonzero at one other column.",
        ),
        {
            "width": width,
            "rank": certificate.rank,
            "modulus": modulus,
            "rows": tuple(i in rows for i in range(height)),
            "columns": tuple(j in columns for j in range(width)),
            "A": inverse,
            "null": Matrix(flint.fmpz_mat(len(null), width, [*chain.from_iterable(null)])),
            "M": matrix,
        },
    )


def _minor_inverse(certificate: Any, denominator: int, minor: Matrix) -> tuple[int, Matrix]:
    """(m, A) with A minor = 1 modulo m, from the certificate where that is possible."""
    modulus, inverse = certificate.modulus, certificate.inverse
    if inverse is None:
        return inverse_modulo(minor)
    # There the minor has denominators of its own cleared, and the order of its rows and columns.
    own, _ = cleared(certificate.subject.submatrix(certificate.rows, certificate.columns))
    if gcd(denominator // own, modulus) != 1:
        return inverse_modulo(minor)
    factor = pow(denominator // own, -1, modulus)
    order = [
        sorted(range(certificate.rank), key=places.__getitem__)
        for places in (certificate.columns, certificate.rows)
    ]
    return modulus, factor * inverse.submatrix(*order)


def _positive_definite(certificate: Any) -> _Instance:
    denominator, matrix, which = _integers(certificate)
    scale, factor = certificate.scale, certificate.gram
    if factor is None:
        scale, factor = gram(matrix)
    elif scale % denominator:
        scale, factor = scale * denominator, factor * denominator
    else:
        scale //= denominator
    return _Instance(
        "positive_definite",
        "positive_definite M",
        (
            "M is positive definite: v^T M v > 0 for every v that is not zero, because a multiple",
            "of M is G^T G plus a strictly diagonally dominant matrix.",
            which,
        ),
        {"scale": scale, "G": factor, "M": matrix},
    )


def _not_positive_definite(certificate: Any) -> _Instance:
    _, matrix, which = _integers(certificate)
    return _Instance(
        "not_positive_definite",
        "not_positive_definite M",
        ("M is not positive definite: v^T M v <= 0, and v is not zero.", which),
        {"M": matrix, "v": primitive(certificate.vector)},
    )


def _one_point(certificate: Any) -> _Instance:
    templates = certificate.subject
    if templates.kernel.scale != "main":
        raise NotSupported(
            f"the certificate is about the softmax scale {templates.kernel.scale}: "
            "only exponents of the scale 'main' are exported"
        )
    mixed = [row for row in templates.rows if len(set(row)) > 1]
    exponents = [_exponent(templates.tokens, row, certificate.xi, certificate.y) for row in mixed]
    meaning = [
        "The exponents of the certificate's templates at its point are distinct. This is all that",
        "is checked here: not that they are the exponents of these templates, nor the theorem that",
        "leads from distinct exponents to a positive definite matrix.",
    ]
    if len(mixed) < len(templates.rows):
        exponents.append(0)
        meaning += [
            "The last one, 0, is that of all templates with one letter throughout; that their",
            "letters tell these apart is not checked here either.",
        ]
    return _Instance("distinct", "NoDup exponents", meaning, {"exponents": tuple(exponents)})


def _exponent(tokens: Any, row: Any, xi: Any, y: Any) -> int:
    """2 y_t (sum of xi over the places of t) for tokens t, (that sum)^2 for wildcards, added up."""
    total = 0
    for letter in set(row):
        weight = sum(x for x, other in zip(xi, row, strict=True) if other == letter)
        total += 2 * y[tokens.index(letter)] * weight if letter in tokens else weight**2
    return total


_KINDS: dict[str, Callable[[Any], _Instance]] = {
    "nonsingular": _nonsingular,
    "singular": _singular,
    "rank": _rank,
    "positive-definite": _positive_definite,
    "not-positive-definite": _not_positive_definite,
    "one-point": _one_point,
}
