"""Letters and words: which letters are wildcards, how strings are read and shown, new names.

A letter is a non-empty `str`: one character, or a word such as ``print``. By default the Greek
letters are the wildcards, alone (``α``) or with an index (``α7``), and all else is a regular token.

>>> [is_wildcard_name(letter) for letter in ("α", "Δ", "ω12", "a", "αβ", "5")]
[True, True, True, False, False, False]
>>> read("αα[CLS]")
('α', 'α', 'CLS')
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from functools import lru_cache
from itertools import count, islice
from typing import Any, Self

from symbench._arguments import integer, shown
from symbench.errors import BadType, BadValue

GREEK = "αβγδεζηθικλμνξοπρστυφχψω"
LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
CLS = "CLS"
MOST_TOKENS = 1_000_000
_CLS_MARK = "[CLS]"
_LIKE_LATIN = "ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο"


@lru_cache(maxsize=4096)
def is_wildcard_name(letter: str) -> bool:
    """Whether a letter is a wildcard by default: a Greek letter, perhaps with an index."""
    if not isinstance(letter, str):
        raise BadType(f"the letter is {shown(letter)}: give a str")
    if not letter or (letter[1:] and not (letter[1:].isascii() and letter[1:].isdigit())):
        return False
    if _is_greek(letter[0]):
        return True
    meant = unicodedata.normalize("NFKC", letter[0])[0]
    if _is_greek(meant):
        # The micro sign on most keyboards is not the letter mu: read as a token it would
        # change the template without a word.
        raise BadValue(
            f"{shown(letter)} ({unicodedata.name(letter[0])}) only looks like the Greek letter "
            f"{shown(meant)}: write {shown(meant)}, or name the wildcards with wildcards=..."
        )
    return False


def _is_greek(character: str) -> bool:
    return unicodedata.name(character, "").startswith(
        ("GREEK SMALL LETTER", "GREEK CAPITAL LETTER")
    )


def check_look_alikes(letters: Iterable[str]) -> None:
    """Refuse a Greek letter beside the Latin one that looks the same: Alpha and A.

    >>> check_look_alikes("ΑA")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: 'Α' (GREEK CAPITAL LETTER ALPHA) looks like 'A': write another letter
    """
    found = set(letters)
    for greek, latin in zip(_LIKE_LATIN, "ABEZHIKMNOPTYXo", strict=True):
        if greek in found and latin in found:
            raise BadValue(
                f"{greek!r} ({unicodedata.name(greek)}) looks like {latin!r}: write another letter"
            )


def read(string: Any, what: str = "a string") -> tuple[str, ...]:
    """The letters of a string: of a `str` one per character (``[CLS]`` is one), else as listed."""
    if isinstance(string, str):
        if _CLS_MARK not in string:
            return tuple(string)
        return tuple(x for piece in string.split(_CLS_MARK) for x in (CLS, *piece))[1:]
    if isinstance(string, (Set, Mapping, bytes)) or not isinstance(string, Iterable):
        raise BadType(f"{what} is {shown(string)}: give a str or a sequence of letters")
    letters = []
    for letter in string:
        if not isinstance(letter, str):
            raise BadType(
                f"a letter of {what} is {shown(letter)}: give a str, for a number a word such as "
                "'5'"
            )
        if not letter:
            raise BadValue(f"{what} has an empty letter: give a character or a word")
        letters.append(str(letter))
    return tuple(letters)


def show(letters: Iterable[str]) -> str:
    """Letters as a text: characters side by side, words with spaces."""
    letters = tuple(letters)
    text = "".join(_CLS_MARK if letter == CLS else letter for letter in letters)
    return text if read(text) == letters else " ".join(letters)


def source(letters: tuple[str, ...]) -> str:
    """Letters as a Python expression which `read` turns back into them."""
    text = show(letters)
    return repr(text) if read(text) == letters else repr(list(letters))


def new_letters(alphabet: str, *, avoid: Collection[str] = ()) -> Iterator[str]:
    """The characters of an alphabet, then the same with indices 1, 2, ..., without end."""
    forbidden = frozenset(avoid)
    yield from (letter for letter in alphabet if letter not in forbidden)
    for index in count(1):
        names = (f"{letter}{index}" for letter in alphabet)
        yield from (name for name in names if name not in forbidden)


def read_tokens(tokens: Any, what: str = "tokens") -> tuple[str, ...]:
    """Distinct regular tokens: from a string, a sequence of words, or how many (A, B, C, ...)."""
    if isinstance(tokens, bool) or tokens is None:
        raise BadType(f"{what} is {shown(tokens)}: give a str, a sequence of words or a number")
    if hasattr(tokens, "__index__"):
        number = integer(tokens, f"the number of {what}", at_least=0, limit=MOST_TOKENS)
        return tuple(islice(new_letters(LATIN), number))
    letters = read(tokens, what)
    seen: set[str] = set()
    for letter in letters:
        if letter in seen:
            raise BadValue(f"{what} has {shown(letter)} twice: give every token once")
        if is_wildcard_name(letter):
            raise BadValue(
                f"{what} has the wildcard {shown(letter)}: give regular tokens, which are not Greek"
            )
        seen.add(letter)
    return letters


def read_alphabet(
    alphabet: Any, *, holds: Iterable[str] = (), avoid: Collection[str] = ()
) -> tuple[str, ...]:
    """An alphabet that contains the letters `holds`: its tokens, or how many they are in all.

    A number is filled up with new letters, none of them in `avoid`.
    """
    must = tuple(dict.fromkeys(holds))
    if hasattr(alphabet, "__index__") and not isinstance(alphabet, bool):
        size = integer(alphabet, "the size of the alphabet", at_least=0, limit=MOST_TOKENS)
        if size < len(must):
            raise BadValue(
                f"the size of the alphabet is {size}, too small: give at least {len(must)}, the "
                f"number of regular tokens ({show(must)})"
            )
        names = new_letters(LATIN, avoid={*must, *avoid})
        return must + tuple(islice(names, size - len(must)))
    letters = read_tokens(alphabet, "the alphabet")
    for letter in must:
        if letter not in letters:
            raise BadValue(f"the alphabet lacks the regular token {shown(letter)}: add it")
    for letter in letters:
        if letter in avoid:
            raise BadValue(f"the alphabet holds {shown(letter)}, a wildcard here: leave it out")
    return letters


class Word(tuple[str, ...]):
    """A string: the tuple of its letters, printed as a text.

    Wherever a string is expected a `str` or a list of words does as well.

    >>> x = Word("QQR")
    >>> x, str(x), x[2], len(x), x == ("Q", "Q", "R")
    (Word('QQR'), 'QQR', 'R', 3, True)
    >>> print(Word(["print", "(", "a", ")"]))
    print ( a )
    >>> Word(None)
    Traceback (most recent call last):
        ...
    symbench.errors.BadType: a string is None: give a str or a sequence of letters
    """

    __slots__ = ()

    def __new__(cls, letters: Any) -> Self:
        if type(letters) is cls:
            return letters
        return super().__new__(cls, read(letters))

    def __str__(self) -> str:
        return show(self)

    def __repr__(self) -> str:
        return f"Word({source(tuple(self))})"

    def _repr_latex_(self) -> str:
        from symbench.words.latex import shown_latex

        return shown_latex(self)

    @property
    def pattern(self) -> tuple[int, ...]:
        """Which positions carry the same letter: letters numbered in order of appearance.

        >>> Word("QRQS").pattern
        (0, 1, 0, 2)
        """
        return pattern_of(self)


def pattern_of(letters: tuple[str, ...]) -> tuple[int, ...]:
    """The restricted growth string of a sequence: equal letters, equal numbers."""
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(letter, len(numbers)) for letter in letters)
