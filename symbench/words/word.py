"""Word: a string of letters, as it comes out of a substitution."""

from __future__ import annotations

from typing import Any, Self

from symbench.words.letters import read, show, source


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
    symbench.errors.BadType: a string is a str or a sequence of letters, not None (NoneType)
    """

    __slots__ = ()

    def __new__(cls, letters: Any) -> Self:
        return super().__new__(cls, read(letters))

    def __str__(self) -> str:
        return show(self)

    def __repr__(self) -> str:
        return f"Word({source(tuple(self))})"

    @property
    def pattern(self) -> tuple[int, ...]:
        """Which positions carry the same letter: letters numbered in order of appearance.

        >>> Word("QRQS").pattern
        (0, 1, 0, 2)
        """
        return pattern_of(self)


def pattern_of(letters: tuple[str, ...]) -> tuple[int, ...]:
    """The restricted growth string of a sequence: equal letters, equal numbers.

    >>> pattern_of(("Q", "R", "Q"))
    (0, 1, 0)
    """
    numbers: dict[str, int] = {}
    return tuple(numbers.setdefault(letter, len(numbers)) for letter in letters)
