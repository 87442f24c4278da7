"""The older format of certificate files, read as if it had been written today."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from symbench.certificates.templates import KernelFacts, Templates
from symbench.errors import BadCertificate
from symbench.exact import ZZ, Rational

_FIELDS_1 = {"format", "writer", "kind", "certificate", "subject"}
# What the subjects of format 1 said of the kernel.
_KERNELS = {
    "Patterns": KernelFacts(),
    "EndPatterns": KernelFacts(scale="appendix-H"),
    "Types": KernelFacts(gamma=Rational(0)),
    "Diagrams": None,
}


def upgrade(found: Mapping[str, Any]) -> dict[str, Any]:
    """A document of format 1 with the fields of format 2.

    Templates were rows of numbers, blocks and traces values with their types, and a stage named a
    derivative that nothing checked.
    """
    if set(found) != _FIELDS_1 or not isinstance(found["certificate"], dict):
        raise BadCertificate(f"not a certificate: the fields are not {sorted(_FIELDS_1)}")
    fields, subject = dict(found["certificate"]), found["subject"]
    if found["kind"] == "stage":
        fields.pop("order", None)
    elif found["kind"] == "block-form":
        fields["blocks"] = [
            _inner(block, "Matrix") for block in _untyped(fields, "blocks", "tuple")
        ]
    elif found["kind"] == "trace-bound":
        fields["trace"] = _untyped(fields, "trace", "rational")
    if isinstance(subject, dict) and subject.get("type") in _KERNELS:
        subject, order = _templates(subject)
        fields = _reordered(fields, order)
    return {
        **found, "certificate": fields, "subject": subject, "title": "", "note": "", "about": {},
    }  # fmt: skip


def _untyped(fields: Mapping[str, Any], name: str, kind: str) -> Any:
    value = fields.get(name)
    if not isinstance(value, dict) or set(value) != {kind}:
        raise BadCertificate(f"{name} is not written as format 1 does")
    return value[kind]


def _inner(value: Any, kind: str) -> Any:
    if not isinstance(value, dict) or set(value) != {"type", "data"} or value["type"] != kind:
        raise BadCertificate(f"a {kind} is not written as format 1 does")
    return value["data"]


def _templates(subject: Mapping[str, Any]) -> tuple[dict[str, Any], list[int]]:
    """The subject, and the old numbers of its tokens in their new order."""
    rows = subject.get("data")
    if not isinstance(rows, list) or not all(isinstance(row, str) for row in rows):
        raise BadCertificate("templates are written as strings of integers")
    numbers = tuple(tuple(ZZ.decode(a) for a in row.split()) for row in rows)
    found = Templates.from_numbers(numbers, _KERNELS[subject["type"]])
    order = [int(name[1:]) for name in found.tokens]
    return {"type": "Templates", "data": found.to_json()}, order


def _reordered(fields: dict[str, Any], order: list[int]) -> dict[str, Any]:
    """The fields with the numbers of a point that belong to tokens in the tokens' new order."""
    if isinstance(fields.get("y"), list):
        fields["y"] = _picked(fields["y"], order)
    points = fields.get("points")
    if isinstance(points, dict) and isinstance(points.get("rows"), list) and points["rows"]:
        width = len(points["rows"][0])
        top = max(order, default=-1) + 1
        length = width - top
        rows = [[*row[:length], *_picked(row[length:], order)] for row in points["rows"]]
        fields["points"] = {
            **points,
            "rows": rows,
            "shape": [points["shape"][0], str(len(rows[0]))],
        }
    return fields


def _picked(values: list[Any], order: list[int]) -> list[Any]:
    if any(n >= len(values) for n in order):
        raise BadCertificate("a point has no number for a token")
    return [values[n] for n in order]
