"""Values as plain JSON and back: what certificates and counterexamples are written in.

Exact numbers are strings, every value carries its type, and what is read is validated; nothing
in a file can name code to run. A room adds a value type of its own with `register_type`.

>>> from fractions import Fraction
>>> to_plain((1, Fraction(1, 2), "a"))
{'tuple': [{'int': '1'}, {'rational': '1/2'}, 'a']}
>>> from_plain(to_plain((1, Fraction(1, 2), "a")))
(1, 1/2, 'a')
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadCertificate, BadType, BadValue
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.rational import number_text

_types: dict[str, tuple[type, Callable[[Any], Any], Callable[[Any], Any]]] = {}


def register_type(
    name: str, cls: type, to_json: Callable[[Any], Any], from_json: Callable[[Any], Any]
) -> None:
    """Teach files a value type: from_json must validate what to_json wrote.

    A name is taken once, so that nobody's import changes what a file means.

    >>> register_type("complex", complex, lambda z: [str(z)], lambda d: complex(*d))
    >>> from_plain(to_plain(1j))
    1j
    >>> register_type("Matrix", complex, str, complex)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the type 'Matrix' is registered already: choose another name
    """
    known = _types.get(name)
    if known is not None and known[0] is not cls:
        raise BadValue(f"the type {name!r} is registered already: choose another name")
    _types[name] = (cls, to_json, from_json)


def to_plain(value: Any) -> Any:
    """Write a value as JSON that says its types."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return {"int": number_text(value)}
    if isinstance(value, Fraction):
        return {"rational": number_text(value)}
    if isinstance(value, (tuple, list)):
        return {"tuple": [to_plain(x) for x in value]}
    if isinstance(value, dict):
        return {"dict": [[to_plain(k), to_plain(v)] for k, v in value.items()]}
    # By the very type: a subclass has a name of its own, or is not written.
    for name, (cls, to_json, _) in _types.items():
        if type(value) is cls:
            return {"type": name, "data": to_json(value)}
    raise BadType(
        f"{shown(value)} is a {type(value).__name__}, which files do not hold: "
        "use numbers, strings, tuples and dicts, or register_type"
    )


def from_plain(data: Any) -> Any:
    """The value that to_plain wrote (a list comes back as a tuple)."""
    if data is None or isinstance(data, (bool, str)):
        return data
    if not isinstance(data, dict):
        raise BadCertificate(f"{shown(data)} is not a value with its type")
    match data:
        case {"int": number, **rest} if not rest:
            return ZZ.decode(number)
        case {"rational": number, **rest} if not rest:
            return QQ.decode(number)
        case {"tuple": list(items), **rest} if not rest:
            return tuple(from_plain(x) for x in items)
        case {"dict": list(pairs), **rest} if not rest and all(
            isinstance(p, list) and len(p) == 2 for p in pairs
        ):
            return {from_plain(k): from_plain(v) for k, v in pairs}
        case {"type": str(name), "data": inner, **rest} if not rest and name in _types:
            return _types[name][2](inner)
    raise BadCertificate(f"{str(data)[:80]} is of no type that symbench writes")


def canonical(data: Any) -> bytes:
    """The one spelling of plain JSON that digests are taken of."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def digest(data: Any) -> str:
    """The SHA-256 of plain JSON, in hexadecimal."""
    return hashlib.sha256(canonical(data)).hexdigest()


register_type("Matrix", Matrix, Matrix.to_json, Matrix.from_json)
