"""A forger: changes a file, derives its sentences anew and signs it, as an adversary would."""

import contextlib

import attrs

from symbench.certificates import KINDS, files
from symbench.certificates.plain import digest


def sign(document):
    """The document with the sentences that follow from its fields, and a digest that fits."""
    found = {name: value for name, value in document.items() if name != "digest"}
    with contextlib.suppress(Exception):  # what cannot be read cannot be made to look right
        certificate = KINDS[found["kind"]].from_json(found["certificate"])
        subject = files._subject_from_json(certificate, found["subject"], "a claim")
        found.update(files._derived(attrs.evolve(certificate, subject=subject)))
    return {**found, "digest": digest(found)}
