"""The public names, room by room: signature, docstring, source, and where each is documented.

Rooms load their names lazily from stubs, so the names are read from `__all__` and looked up, as a
user would do it.
"""

from __future__ import annotations

import inspect
import linecache
import re
from collections.abc import Container, Iterator, Mapping
from functools import cache, cached_property
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import attrs

import symbench

_TOP = "symbench"
_PACKAGE = Path(symbench.__file__).parent
_CODE = re.compile(r"@?([A-Za-z_][\w.]*)(\(.*\))?\s*", re.S)
_SESSION = re.compile(r"^( *)>>> .*(?:\n *\S.*)*", re.M)
_RAISED = re.compile(r"^symbench\.errors\.(\w+): (.*)", re.M)
_WIDTH = 84


def room_label(room: str) -> str:
    """How a user writes a room: some are not among the names of the top.

    >>> room_label("words"), room_label("draw"), room_label("symbench")
    ('sb.words', 'symbench.draw', 'sb')
    """
    if room == _TOP:
        return "sb"
    return f"sb.{room}" if room in _rooms() else f"{_TOP}.{room}"


@cache
def _rooms() -> dict[str, ModuleType]:
    """The rooms among the names of the top."""
    names = [name for name in dir(symbench) if not name.startswith("__")]
    found = {name: getattr(symbench, name) for name in names}
    return {name: value for name, value in found.items() if inspect.ismodule(value)}


@attrs.frozen(eq=False)
class Name:
    """A public name, documented on the page of its room.

    >>> found = public_names()["words.Template"]
    >>> found.kind, found.room, found.members["matches"].kind
    ('class', 'words', 'method')
    """

    room: str
    path: str  # such as Template, or Template.matches
    value: Any
    kind: str
    members: Mapping[str, Name] = attrs.field(factory=dict, repr=False)
    # By public base class, the members that are written there.
    inherited: Mapping[type, tuple[str, ...]] = attrs.field(factory=dict, repr=False)

    @property
    def label(self) -> str:
        """How a user writes it, such as sb.words.Template."""
        return f"{room_label(self.room)}.{self.path}"

    @property
    def address(self) -> str:
        """Where it is documented, from the root of the site."""
        return f"api/{self.room}.html#{self.path}"

    @property
    def _plain(self) -> Any:
        """The function or class itself, out of what wraps it."""
        for wrapper in ("__func__", "fget", "func", "__wrapped__"):
            if not inspect.isclass(self.value) and hasattr(self.value, wrapper):
                return getattr(self.value, wrapper)
        return self.value

    @property
    def doc(self) -> str:
        """Its docstring; a value has that of its type if this is one of ours."""
        if self.kind == "value" and not type(self.value).__module__.startswith(_TOP):
            return ""
        return inspect.getdoc(self.value) or ""

    @property
    def summary(self) -> str:
        """The first sentence of the docstring, up to a colon, or its first paragraph."""
        first = re.split(r"(?<=[.:])\s+(?=[A-Z])|\n\n", self.doc, maxsplit=1)[0]
        return " ".join(first.split()).removesuffix(":")

    @cached_property
    def source(self) -> tuple[str, int] | None:
        """The file, from the folder above symbench, and the line."""
        try:
            file = Path(inspect.getsourcefile(self._plain) or "")
        except TypeError:  # a value
            return None
        if not file.is_relative_to(_PACKAGE):
            return None
        code = getattr(self._plain, "__code__", None)
        line = _class_line(file, self._plain.__qualname__) if code is None else code.co_firstlineno
        return file.relative_to(_PACKAGE.parent).as_posix(), line

    @property
    def signature(self) -> str:
        """How it is called, or what it is.

        >>> public_names()["words.CLS"].signature, public_names()["young.kostka"].signature
        ("CLS = 'CLS'", 'kostka(shape: ..., weight: ...) -> int')
        """
        name = self.path.rpartition(".")[2]
        if self.kind == "value":
            return f"{name} = {_steady(self.value)}" if _short(self.value) else name
        try:
            found = inspect.signature(self._plain)
        except (TypeError, ValueError):
            return name
        gives = "" if inspect.isclass(self.value) else _annotation(found.return_annotation, " -> ")
        if self.kind == "property":
            return f"{name}{gives.replace(' -> ', ': ')}"
        parameters = list(found.parameters.values())
        if "." in self.path and not isinstance(self.value, staticmethod):
            parameters = parameters[1:]  # self or cls
        parts = _parameters(parameters)
        line = f"{name}({', '.join(parts)}){gives}"
        if len(line) <= _WIDTH:
            return line
        return "\n".join([f"{name}(", *(f"    {part}," for part in parts), f"){gives}"])

    @property
    def fields(self) -> tuple[str, ...]:
        """The public fields of a class of values."""
        if not (inspect.isclass(self.value) and attrs.has(self.value)):
            return ()
        return tuple(f.name for f in attrs.fields(self.value) if not f.name.startswith("_"))


@attrs.frozen(eq=False)
class RoomNames:
    """A room: what it is for, the names that are documented there, and those that are elsewhere."""

    name: str
    module: ModuleType
    names: Mapping[str, Name]
    elsewhere: Mapping[str, Name]

    @property
    def title(self) -> str:
        """How a user writes it."""
        return room_label(self.name)

    @property
    def doc(self) -> str:
        return inspect.getdoc(self.module) or ""


@attrs.frozen(eq=False)
class PublicNames:
    """Every room with its names, and the finding of a name as somebody writes it.

    >>> names = public_names()
    >>> names.find("sb.words.Template"), names.find("certify(M).check()"), names.find("check")
    ('api/words.html#Template', 'api/symbench.html#certify', None)
    >>> names.find("Template.matches"), names.find("sb.laws")
    ('api/words.html#Template.matches', 'api/laws.html')
    """

    rooms: tuple[RoomNames, ...]
    _places: Mapping[str, Name]
    _bare: Mapping[str, Name | None]  # None where two things have the name

    def __getitem__(self, place: str) -> Name:
        return self._places[place]

    def __iter__(self) -> Iterator[Name]:
        """Every name, each followed by its members."""
        for room in self.rooms:
            for name in room.names.values():
                yield name
                yield from name.members.values()

    def of(self, value: Any) -> Name | None:
        """The name of this very object."""
        return next(
            (n for room in self.rooms for n in room.names.values() if n.value is value), None
        )

    def find(self, code: str, room: str | None = None, owner: Name | None = None) -> str | None:
        """Where the code's name is documented; in the words of a room, or of a class there.

        A word that anybody may write, such as check, is a name where it is called, or in its room.
        """
        match = _CODE.fullmatch(code)
        if match is None:
            return None
        text, called = match[1], match[2] is not None
        for prefix in ("sb.", "symbench."):
            if text.startswith(prefix):
                return self._address(text.removeprefix(prefix))
        if owner is not None and text in owner.members:
            return owner.members[text].address
        if f"{room}.{text}" in self._places:
            return self._places[f"{room}.{text}"].address
        if "." in text:
            return self._address(text)
        found = self._bare.get(text)
        plain = text.islower() and "_" not in text and not called
        return None if found is None or plain or len(text) == 1 else found.address

    def _address(self, text: str) -> str | None:
        if text in self._places:
            return self._places[text].address
        head, _, rest = text.partition(".")
        found = self._bare.get(head)  # Template.length: a class, and what is in it
        if found is not None and rest in found.members:
            return found.members[rest].address
        return f"api/{text}.html" if any(room.name == text for room in self.rooms) else None

    def raised(self, error: str) -> list[tuple[Name, str, str]]:
        """Sessions of docstrings that end in this error: whose, the last line, the message."""
        found = []
        for name in self:
            for session in _SESSION.finditer(name.doc):
                match = _RAISED.search(session[0])
                if match is None:
                    continue
                for block in re.split(r"^ *>>> ", session[0], flags=re.M):
                    raised = _RAISED.search(block)
                    if raised is not None and raised[1] == error:
                        call = block.partition("Traceback")[0].rstrip()
                        found.append((name, re.sub(r"\n *\.\.\. ?", "\n", call), raised[2]))
        return found


def public_names() -> PublicNames:
    """The public names of symbench as they are now.

    >>> len([room.name for room in public_names().rooms if room.name in ("words", "errors")])
    2
    """
    modules = _rooms()
    stubs = sorted(stub.parent.name for stub in _PACKAGE.glob("*/__init__.pyi"))
    others = {name: import_module(f"{_TOP}.{name}") for name in stubs if name not in modules}
    # Where a name is documented: in the room that users write, rather than where it is made.
    ranked = [*modules.items(), (_TOP, symbench), *others.items()]
    listed = {room: _listed(module) for room, module in ranked}
    homes: dict[int, tuple[str, str]] = {}
    for room, names in listed.items():
        for name, value in names.items():
            old = homes.get(id(value))
            if old is None or _fits(room, name, value) > _fits(*old, value):
                homes[id(value)] = (room, name)
    made = {place: _name(*place, listed[place[0]][place[1]], homes) for place in homes.values()}
    rooms: list[RoomNames] = []
    places: dict[str, Name] = {}
    bare: dict[str, Name | None] = {}
    for room, module in [
        ranked[len(modules)],
        *ranked[: len(modules)],
        *ranked[len(modules) + 1 :],
    ]:
        here: dict[str, Name] = {}
        elsewhere: dict[str, Name] = {}
        for name, value in listed[room].items():
            found = made[homes[id(value)]]
            (here if homes[id(value)] == (room, name) else elsewhere)[name] = found
            path = name if room == _TOP else f"{room}.{name}"
            places[path] = found
            places.update({f"{path}.{inner}": member for inner, member in found.members.items()})
            bare[name] = found if bare.get(name, found) is found else None
        if here or room in modules:
            rooms.append(RoomNames(room, module, here, elsewhere))
    return PublicNames(tuple(rooms), places, bare)


def _listed(module: ModuleType) -> dict[str, Any]:
    """The public names of a module: those it lists, or those that are made in it."""
    names = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if getattr(value, "__module__", "") == module.__name__ and not name.startswith("_")
    ]
    found = {name: getattr(module, name) for name in names}
    return {name: value for name, value in found.items() if not inspect.ismodule(value)}


def _fits(room: str, name: str, value: Any) -> tuple[bool, int, bool]:
    """How much a place is the home of what it names."""
    made = str(getattr(value, "__module__", "")).split(".")[1:]
    place = [] if room == _TOP else room.split(".")
    return (
        room in _rooms(),
        made[: len(place)] == place,
        name == getattr(value, "__name__", ""),
    )


def _name(room: str, path: str, value: Any, public: Container[int]) -> Name:
    if not inspect.isclass(value):
        plain = getattr(value, "__wrapped__", value)  # a cached function is one
        return Name(room, path, value, "function" if inspect.isfunction(plain) else "value")
    members: dict[str, Name] = {}
    inherited: dict[type, tuple[str, ...]] = {}
    for base in value.__mro__:
        new = {name: part for name, part in _members(base).items() if name not in members}
        if base is not value and id(base) in public:
            inherited[base] = tuple(new)
        else:  # written here, or in a base that has no public name
            members |= {
                name: Name(room, f"{path}.{name}", part, kind) for name, (part, kind) in new.items()
            }
    kind = "error" if issubclass(value, Exception) else "class"
    return Name(room, path, value, kind, members, {k: v for k, v in inherited.items() if v})


def _members(value: type) -> dict[str, tuple[Any, str]]:
    """The public methods and properties that are written in a class of ours, with their kinds."""
    found = {}
    for name, part in vars(value).items() if value.__module__.startswith(_TOP) else ():
        kind = "class method" if isinstance(part, classmethod) else "method"
        kind = "static method" if isinstance(part, staticmethod) else kind
        kind = "property" if isinstance(part, property | cached_property) else kind
        plain = getattr(part, "__func__", getattr(part, "fget", getattr(part, "func", part)))
        made = "<attrs generated" in getattr(plain, "__code__", _name.__code__).co_filename
        if inspect.isfunction(plain) and not made and not name.startswith("_"):
            found[name] = (part, kind)
    return found


def _class_line(file: Path, name: str) -> int:
    """Where a class begins: looking it up with inspect parses the file each time."""
    lines = linecache.getlines(str(file))
    pattern = re.compile(rf"\s*class {name.rpartition('.')[2]}\b")
    return next(number for number, line in enumerate(lines, 1) if pattern.match(line))


def _parameters(parameters: list[inspect.Parameter]) -> list[str]:
    """Parameters as they are written, with the marks for those that are positions or keywords."""
    parts: list[str] = []
    starred = False
    for place, p in enumerate(parameters):
        star = "*" * (p.kind is p.VAR_POSITIONAL) + "**" * (p.kind is p.VAR_KEYWORD)
        if p.kind is p.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or p.kind in (p.KEYWORD_ONLY, p.VAR_POSITIONAL)
        typed = _annotation(p.annotation, ": ")
        given = "" if p.default is p.empty else f"{' = ' if typed else '='}{_steady(p.default)}"
        parts.append(f"{star}{p.name}{typed}{given}")
        after = parameters[place + 1].kind if place + 1 < len(parameters) else None
        if p.kind is p.POSITIONAL_ONLY and after is not p.POSITIONAL_ONLY:
            parts.append("/")
    return parts


def _annotation(annotation: Any, before: str) -> str:
    if annotation is inspect.Parameter.empty:
        return ""
    text = annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)
    return before + text.strip("'\"")


def _steady(value: Any) -> str:
    """The value as it prints, if that is the same in each process."""
    text = repr(value)
    return "..." if " at 0x" in text or value is attrs.NOTHING or len(text) > 60 else text


def _short(value: Any) -> bool:
    return _steady(value) != "..."


def markdown(doc: str) -> str:
    r"""A docstring as Markdown: its sessions are blocks of code.

    >>> markdown("One.\n\n>>> 1 + 1\n2\n\nTwo.")
    'One.\n\n```python\n>>> 1 + 1\n2\n```\n\nTwo.'
    """
    return _SESSION.sub(lambda m: f"```python\n{_session(m[0])}\n```", doc)


def _session(text: str) -> str:
    """A session without what only its test reads."""
    return re.sub(r" *# doctest:.*|<BLANKLINE>", "", inspect.cleandoc(text))
