"""How certificates about claims are written to files, and what they are checked against.

A counterexample's subject is the claim of this installation, run on the case again. That of an
exhausted list is the list of cases that hold, enumerated and run again: if one of them failed,
or the list were another, the digest would not fit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from symbench.certificates import Certificate, files
from symbench.certificates.files import register_lookup
from symbench.errors import BadCertificate
from symbench.registry.book import claims
from symbench.registry.statement import Claim


@attrs.frozen
class HeldCases:
    """The cases of a claim, for given sizes, in which it holds.

    >>> list(HeldCases(claims["lavie2024.dimension"], {"max_length": 2}))
    [(1, 0), (2, 0), (2, 1)]
    """

    claim: Claim
    parameters: dict[str, Any] = attrs.field(hash=False)

    def __iter__(self) -> Iterator[Any]:
        for case in self.claim.list_cases(**self.parameters):
            if self.claim.fails(case) is None:
                yield case


def _claim(description: Any, certificate: Any) -> Claim:
    if description != {"claim": certificate.claim}:
        raise BadCertificate(f"the subject is {str(description)[:80]}, not {certificate.claim}")
    return claims[certificate.claim]


def _held(description: Any, certificate: Any) -> HeldCases:
    claim, parameters = _claim(description, certificate), certificate.parameters
    # Every size is written, so that a default that changes later does not change the list.
    if not isinstance(parameters, dict) or claim.sizes(parameters) != parameters:
        raise BadCertificate("the parameters are not those of the claim")
    return HeldCases(claim, parameters)


def _describe_claim(subject: Any) -> dict[str, str]:
    return {"claim": subject.id}


def _describe_held(subject: HeldCases) -> dict[str, str]:
    return {"claim": subject.claim.id}


def register() -> None:
    """Teach certificate files about claims."""
    register_lookup("counterexample", _describe_claim, _claim)
    register_lookup("exhausted", _describe_held, _held)


# The rooms that add kinds of certificate or types of subject: a file may name any of them.
_ROOMS = (
    "symbench.words",
    "symbench.young.certificates",
    "symbench.ktau",
    "symbench.spectra.trace_certificate",
)


def _open_rooms() -> None:
    import importlib

    for room in _ROOMS:
        importlib.import_module(room)


def check(path: Any) -> bool:
    """Re-check a saved certificate: True, or BadCertificate with the reason.

    >>> check("missing.json")
    Traceback (most recent call last):
    ...
    symbench.errors.BadCertificate: cannot read 'missing.json': No such file or directory
    """
    _open_rooms()
    return files.check(path)


def load(path: Any) -> Certificate:
    """Read a saved certificate with its subject, without checking it."""
    _open_rooms()
    return files.load(path)
