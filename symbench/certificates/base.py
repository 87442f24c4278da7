"""What a certificate is: a small frozen value, its subject, and a check without search."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import attrs

from symbench._arguments import shown
from symbench.certificates.plain import from_plain, to_plain
from symbench.certificates.templates import Templates
from symbench.errors import BadCertificate, BadType, SymbenchError
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.exact.rational import number_text

# How a field is written, how it is read, and what it may be.
Codec = tuple[Callable[[Any], Any], Callable[[Any], Any], Callable[[Any], bool]]

_OWN: Any = object()  # stands for "the subject it was found for"


def _texts(_: Any, attribute: Any, value: Any) -> None:
    fits = isinstance(value, Mapping) and all(
        isinstance(text, str) for pair in value.items() for text in pair
    )
    if not fits:
        raise BadType(
            f"{attribute.name} is {shown(value)}: give texts by name, {{'kernel': '...'}}"
        )


def _text(_: Any, attribute: Any, value: Any) -> None:
    if not isinstance(value, str):
        raise BadType(f"the {attribute.name} is {shown(value)}: give a text")


@attrs.frozen(kw_only=True)
class Certificate(ABC):
    """The base of all certificates.

    `check(subject)` re-checks with no search and returns True or False; without an argument it
    checks against the subject that the certificate was found for. `save(path)` writes both to
    a file that `symbench.check(path)` reads in any process. `about` says in words what the
    subject comes from: it is written beside the certificate and is no part of the check.
    """

    subject: Any = attrs.field(default=None, eq=False, repr=False)
    title: str = attrs.field(default="", eq=False, repr=False, validator=_text)
    note: str = attrs.field(default="", eq=False, repr=False, validator=_text)
    about: Mapping[str, str] = attrs.field(factory=dict, eq=False, repr=False, validator=_texts)

    kind: ClassVar[str]
    about_types: ClassVar[tuple[type, ...]] = (Matrix,)
    exactness: ClassVar[str] = "exact"
    re_run: ClassVar[bool] = False  # whether checking runs a claim again
    needed: ClassVar[tuple[str, ...]] = ()  # optional fields that files have since format 2

    def check(self, subject: Any = _OWN) -> bool:
        """Whether this certificate proves what it says of the subject.

        The subject is plain data: a Matrix (or rows, or an array, that make one), templates as
        `Templates`, or an object that translates itself into these (a template matrix). A subject
        of another type raises BadType.
        """
        given = self.subject if subject is _OWN else subject
        return any(self._proves(plain) for plain in self._plain(given))

    def _proves(self, subject: Any) -> bool:
        try:
            return self._holds(subject)
        except SymbenchError:  # the subject has no image modulo the prime, shapes do not fit, ...
            return False

    def _plain(self, given: Any) -> Iterator[Any]:
        """What was given as plain data that this kind is about."""
        if isinstance(given, self.about_types):
            yield given
        elif hasattr(type(given), "as_subjects"):
            # Whatever the object says, only plain data of our own types is looked at; an object
            # that cannot be translated further has nothing more that could be proved.
            with suppress(SymbenchError):
                yield from (s for s in given.as_subjects(self.kind) if type(s) in self.about_types)
        elif isinstance(given, (Matrix, Templates)) or Matrix not in self.about_types:
            wanted = " or ".join(t.__name__ for t in self.about_types)
            raise BadType(f"a {self.kind} certificate is about {wanted}, not {shown(given)}")
        else:
            yield Matrix(given)

    @abstractmethod
    def _holds(self, subject: Any) -> bool:
        """The check itself; an exception of symbench's own counts as False."""

    @abstractmethod
    def explain(self) -> str:
        """What is proved, in a sentence."""

    @property
    def valid_for(self) -> str:
        """For which parameters it is proved: 'these', 'generic', or conditions in words."""
        return "these"

    @property
    def theorems(self) -> tuple[str, ...]:
        """The claims that lead from the check to the statement; none where the check is enough."""
        return ()

    def save(self, path: str | Path, *, title: str | None = None, note: str | None = None) -> None:
        """Write the certificate and its subject to a JSON file, with your title and note."""
        from symbench.certificates.files import save

        named = attrs.evolve(
            self,
            title=self.title if title is None else title,
            note=self.note if note is None else note,
        )
        save(named, path)

    def _repr_html_(self) -> str | None:
        from symbench.certificates.views import of_certificate

        return of_certificate(self)._repr_html_()

    def to_json(self) -> dict[str, Any]:
        """The certificate's own fields as plain JSON."""
        return {
            field.name: field.metadata["codec"][0](value)
            for field in _written(type(self))
            if (value := getattr(self, field.name)) is not None or not field.metadata["optional"]
        }

    @classmethod
    def from_json(cls, data: Any, **more: Any) -> Certificate:
        """The certificate that to_json wrote, every field validated."""
        fields = {field.name: field.metadata for field in _written(cls)}
        needed = {name for name, metadata in fields.items() if not metadata["optional"]}
        if not isinstance(data, Mapping) or not needed <= set(data) <= set(fields):
            raise BadCertificate(f"a {cls.kind} certificate has the fields {sorted(fields)}")
        return cls(**{name: fields[name]["codec"][1](data[name]) for name in data}, **more)


def _written(cls: type[Certificate]) -> list[Any]:
    return [field for field in attrs.fields(cls) if "codec" in field.metadata]


def field(codec: Codec, *, optional: bool = False, **options: Any) -> Any:
    """A field of a certificate that is written to files; an optional one may be None."""

    def validate(certificate: Certificate, attribute: Any, value: Any) -> None:
        if not (optional and value is None) and not codec[2](value):
            raise BadType(
                f"{attribute.name} of a {certificate.kind} certificate is {shown(value)}: "
                "certify() makes certificates that are well formed"
            )

    if optional:
        options["default"] = None
    metadata = {"codec": codec, "optional": optional}
    return attrs.field(metadata=metadata, validator=validate, **options)


# --- how fields are written and read ------------------------------------------------------------
def _expect(condition: bool, data: Any, what: str) -> None:
    if not condition:
        raise BadCertificate(f"{shown(data)} is not {what}")


def _list_of(codec: Codec, what: str) -> Codec:
    """The codec of tuples, from that of their members."""
    write, read, fits = codec

    def read_list(data: Any) -> tuple[Any, ...]:
        _expect(isinstance(data, list), data, f"a list of {what}")
        return tuple(map(read, data))

    return (
        lambda values: list(map(write, values)),
        read_list,
        lambda values: isinstance(values, tuple) and all(map(fits, values)),
    )


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
NUMBERS = _list_of(NUMBER, "integers in strings")
RATIONAL: Codec = (
    number_text,
    lambda data: Rational(QQ.decode(data)),
    lambda value: isinstance(value, Fraction),
)
POINT: Codec = (
    lambda point: {k: number_text(v) for k, v in sorted(point.items())},
    _read_point,
    lambda point: (
        isinstance(point, dict)
        and all(isinstance(k, str) and _is_number(v) for k, v in point.items())
    ),
)
TEXT: Codec = (str, _read_text, lambda value: isinstance(value, str))
FLAG: Codec = (bool, _read_flag, lambda value: isinstance(value, bool))
MATRIX: Codec = (Matrix.to_json, Matrix.from_json, lambda value: isinstance(value, Matrix))
MATRICES = _list_of(MATRIX, "matrices")
PLAIN: Codec = (to_plain, from_plain, lambda value: True)
