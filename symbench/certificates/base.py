"""What a certificate is: a small frozen value, its subject, and a check without search."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import attrs

from symbench.certificates.plain import from_plain, to_plain
from symbench.errors import BadCertificate, BadType, SymbenchError
from symbench.exact import ZZ, Matrix
from symbench.exact.rational import number_text, shown

# How a field is written, how it is read, and what it may be (None: anything that is written).
Codec = tuple[Callable[[Any], Any], Callable[[Any], Any], "Callable[[Any], bool] | None"]

_OWN: Any = object()  # stands for "the subject it was found for"
kinds: dict[str, type[Certificate]] = {}
C = TypeVar("C", bound="type[Certificate]")


@attrs.frozen(kw_only=True)
class Certificate:
    """The base of all certificates.

    `check(subject)` re-checks with no search and returns True or False; without an argument it
    checks against the subject that the certificate was found for. `save(path)` writes both to
    a file that `symbench.check(path)` reads in any process.
    """

    subject: Any = attrs.field(default=None, eq=False, repr=False)
    kind: ClassVar[str]

    def check(self, subject: Any = _OWN) -> bool:
        """Whether this certificate proves what it says of the subject."""
        given = self.subject if subject is _OWN else subject
        try:
            # A template matrix is several things: templates, a formal matrix, exact entries.
            known = hasattr(type(given), "__subjects__")
            return any(map(self._holds, given.__subjects__(self.kind) if known else (given,)))
        except SymbenchError:
            return False

    def _holds(self, subject: Any) -> bool:
        raise AssertionError("every kind has its own check")

    def explain(self) -> str:
        """What is proved, in a sentence."""
        raise AssertionError("every kind has its own sentence")

    def save(self, path: str | Path) -> None:
        """Write the certificate and its subject to a JSON file."""
        from symbench.certificates.files import save

        save(self, path)

    def to_json(self) -> dict[str, Any]:
        """The certificate's own fields as plain JSON."""
        return {
            field.name: field.metadata["codec"][0](getattr(self, field.name))
            for field in attrs.fields(type(self))
            if "codec" in field.metadata
        }

    @classmethod
    def from_json(cls, data: Any, subject: Any = None) -> Certificate:
        """The certificate that to_json wrote, every field validated."""
        fields = {f.name: f.metadata["codec"] for f in attrs.fields(cls) if "codec" in f.metadata}
        if not isinstance(data, Mapping) or set(data) != set(fields):
            raise BadCertificate(f"a {cls.kind} certificate has exactly {sorted(fields)}")
        values = {name: codec[1](data[name]) for name, codec in fields.items()}
        return cls(subject=subject, **values)


def kind(name: str) -> Callable[[C], C]:
    """Register a class as a kind of certificate."""

    def register(cls: C) -> C:
        cls.kind = name
        kinds[name] = cls
        return cls

    return register


def field(codec: Codec, **options: Any) -> Any:
    """A field of a certificate that is written to files."""

    def validate(certificate: Certificate, attribute: Any, value: Any) -> None:
        if codec[2] is not None and not codec[2](value):
            raise BadType(
                f"{attribute.name} of a {certificate.kind} certificate is {shown(value)}: "
                "certify() makes certificates that are well formed"
            )

    return attrs.field(metadata={"codec": codec}, validator=validate, **options)


def _expect(condition: bool, data: Any, what: str) -> None:
    if not condition:
        raise BadCertificate(f"{str(data)[:80]!r} is not {what}")


def _read_numbers(data: Any) -> tuple[int, ...]:
    _expect(isinstance(data, list), data, "a list of integers in strings")
    return tuple(ZZ.decode(x) for x in data)


def _read_point(data: Any) -> dict[str, int]:
    _expect(isinstance(data, dict), data, "a point")
    return {name: ZZ.decode(value) for name, value in data.items()}


def _read_text(data: Any) -> str:
    _expect(isinstance(data, str), data, "a text")
    return str(data)


def _read_flag(data: Any) -> bool:
    _expect(isinstance(data, bool), data, "true or false")
    return bool(data)


def _is_number(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


NUMBER: Codec = (number_text, ZZ.decode, _is_number)
NUMBERS: Codec = (
    lambda values: [number_text(x) for x in values],
    _read_numbers,
    lambda values: isinstance(values, tuple) and all(map(_is_number, values)),
)
POINT: Codec = (
    lambda point: {k: number_text(v) for k, v in point.items()},
    _read_point,
    lambda point: (
        isinstance(point, dict)
        and all(isinstance(k, str) and _is_number(v) for k, v in point.items())
    ),
)
TEXT: Codec = (str, _read_text, lambda value: isinstance(value, str))
FLAG: Codec = (bool, _read_flag, lambda value: isinstance(value, bool))
MATRIX: Codec = (Matrix.to_json, Matrix.from_json, lambda value: isinstance(value, Matrix))
PLAIN: Codec = (to_plain, from_plain, None)
