"""Letters: which of them are wildcards, how strings are read and shown, names for new ones.

A letter is a non-empty `str`: one character, or a word such as ``print``. By default the Greek
letters are the wildcards, alone (``α``) or with an index (``α7``), and all else is a regular token.

>>> is_wildcard_name("β"), is_wildcard_name("α7"), is_wildcard_name("B")
(True, True, False)
>>> read("αα[CLS]")
('α', 'α', 'CLS')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import count, islice
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadType, BadValue, TooLarge

GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CLS = "CLS"
MOST_TOKENS = 1_000_000
_CLS_MARK = "[CLS]"


@lru_cache(maxsize=4096)
def is_wildcard_name(letter: str) -> bool:
    """Whether a letter is a wildcard by default: a Greek letter, perhaps with an index.

    >>> [is_wildcard_name(letter) for letter in ("α", "Δ", "ω12", "a", "αβ", "5")]
    [True, True, True, False, False, False]
    """
    if not isinstance(letter, str):
        raise BadType(f"a letter is a str, not {shown(letter)} ({type(letter).__name__})")
    if not letter or (letter[1:] and not (letter[1:].isascii() and letter[1:].isdigit())):
        return False
    if _is_greek(letter[0]):
        return True
    if _is_greek(unicodedata.normalize("NFKC", letter[0])[0]):
        # The micro sign on most keyboards is not the letter mu: read as a token it would
        # change the template without a word.
        meant = unicodedata.normalize("NFKC", letter[0])[0]
        raise BadValue(
            f"{shown(letter)} ({unicodedata.name(letter[0])}) only looks like the Greek letter "
            f"{shown(meant)}; write {shown(meant)}, or name the wildcards with wildcards=..."
        )
    return False


def _is_greek(character: str) -> bool:
    return unicodedata.name(character, "").startswith(
        ("GREEK SMALL LETTER", "GREEK CAPITAL LETTER")
    )


def read(string: Any, what: str = "a string") -> tuple[str, ...]:
    """The letters of a string: of a `str` one per character (``[CLS]`` is one), else as listed.

    >>> read("QQR")
    ('Q', 'Q', 'R')
    >>> read(["print", "(", "α", ")"])
    ('print', '(', 'α', ')')
    >>> read(7)
    Traceback (most recent call last):
        ...
    symbench.errors.BadType: a string is a str or a sequence of letters, not 7 (int)
    """
    if isinstance(string, str):
        if _CLS_MARK not in string:
            return tuple(string)
        pieces = [tuple(piece) for piece in string.split(_CLS_MARK)]
        letters = list(pieces[0])
        for piece in pieces[1:]:
            letters += [CLS, *piece]
        return tuple(letters)
    if isinstance(string, (Set, Mapping, bytes)) or not isinstance(string, Iterable):
        raise BadType(
            f"{what} is a str or a sequence of letters, not {shown(string)} "
            f"({type(string).__name__})"
        )
    letters = []
    for letter in string:
        if not isinstance(letter, str):
            raise BadType(
                f"{what} has letters of type str, not {shown(letter)} ({type(letter).__name__}); "
                "write numbers as words, such as '5'"
            )
        if not letter:
            raise BadValue(f"{what} has an empty letter; a letter is a character or a word")
        letters.append(str(letter))
    return tuple(letters)


def show(letters: Iterable[str]) -> str:
    """Letters as a text: characters side by side, words with spaces.

    >>> show(("α", "β", "CLS")), show(("print", "α"))
    ('αβ[CLS]', 'print α')
    """
    letters = tuple(letters)
    text = "".join(_CLS_MARK if letter == CLS else letter for letter in letters)
    return text if read(text) == letters else " ".join(letters)


def source(letters: tuple[str, ...]) -> str:
    """Letters as a Python expression which `read` turns back into them.

    >>> source(("α", "CLS")), source(("print", "α"))
    ("'α[CLS]'", "['print', 'α']")
    """
    text = show(letters)
    return repr(text) if read(text) == letters else repr(list(letters))


def new_letters(alphabet: str, *, avoid: Collection[str] = ()) -> Iterator[str]:
    """The characters of an alphabet, then the same with indices 1, 2, ..., without end.

    >>> from itertools import islice
    >>> list(islice(new_letters("AB", avoid={"B", "A1"}), 4))
    ['A', 'B1', 'A2', 'B2']
    """
    forbidden = frozenset(avoid)
    yield from (letter for letter in alphabet if letter not in forbidden)
    for index in count(1):
        names = (f"{letter}{index}" for letter in alphabet)
        yield from (name for name in names if name not in forbidden)


def read_size(number: Any, what: str, *, least: int = 0) -> int:
    """A whole number that is at least `least`, or an error which says what it was meant for.

    >>> read_size(3, "the length")
    3
    >>> read_size(True, "the length")
    Traceback (most recent call last):
        ...
    symbench.errors.BadType: the length is a whole number, not True (bool)
    """
    if isinstance(number, bool) or not hasattr(number, "__index__"):
        raise BadType(f"{what} is a whole number, not {shown(number)} ({type(number).__name__})")
    size: int = number.__index__()
    if size < least:
        raise BadValue(f"{what} is at least {least}, not {shown(size)}")
    return size


def read_tokens(tokens: Any, what: str = "tokens") -> tuple[str, ...]:
    """Distinct regular tokens: from a string, a sequence of words, or how many (A, B, C, ...).

    >>> read_tokens("xy"), read_tokens(2), read_tokens(["print", "CLS"])
    (('x', 'y'), ('A', 'B'), ('print', 'CLS'))
    >>> read_tokens("xyx")
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: tokens: 'x' is given twice; list every token once
    """
    if isinstance(tokens, bool) or tokens is None:
        raise BadType(
            f"{what}: a string, a sequence of words or a number is expected, not {shown(tokens)}"
        )
    if hasattr(tokens, "__index__"):
        return tuple(islice(new_letters(LATIN), _read_number(tokens, f"{what}: the number")))
    letters = read(tokens, what)
    seen: set[str] = set()
    for letter in letters:
        if letter in seen:
            raise BadValue(f"{what}: {shown(letter)} is given twice; list every token once")
        if is_wildcard_name(letter):
            raise BadValue(f"{what}: {shown(letter)} is a wildcard; regular tokens are not Greek")
        seen.add(letter)
    return letters


def _read_number(number: Any, what: str) -> int:
    size = read_size(number, what)
    if size > MOST_TOKENS:
        raise TooLarge(f"{what} is {shown(size)}; at most {MOST_TOKENS} tokens can be held")
    return size


def read_alphabet(
    alphabet: Any, *, holds: Iterable[str] = (), avoid: Collection[str] = ()
) -> tuple[str, ...]:
    """An alphabet that contains the letters `holds`: its tokens, or how many they are in all.

    A number is filled up with new letters, none of them in `avoid`.

    >>> read_alphabet(4, holds="ST")
    ('S', 'T', 'A', 'B')
    >>> read_alphabet("abc", holds="S")
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: the alphabet lacks the regular token 'S'; add it
    """
    must = tuple(dict.fromkeys(holds))
    if hasattr(alphabet, "__index__") and not isinstance(alphabet, bool):
        size = _read_number(alphabet, "the size of the alphabet")
        if size < len(must):
            raise BadValue(
                f"an alphabet of {size} tokens is too small: the regular tokens alone are "
                f"{len(must)} ({show(must)})"
            )
        names = new_letters(LATIN, avoid={*must, *avoid})
        return must + tuple(islice(names, size - len(must)))
    letters = read_tokens(alphabet, "the alphabet")
    for letter in must:
        if letter not in letters:
            raise BadValue(f"the alphabet lacks the regular token {shown(letter)}; add it")
    for letter in letters:
        if letter in avoid:
            raise BadValue(f"the alphabet holds {shown(letter)}, which is a wildcard here")
    return letters
