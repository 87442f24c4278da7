"""Strategies for functions to be learned."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from symbench._arguments import integer
from symbench.errors import BadValue, TooLarge
from symbench.learning.targets import BitPolynomial, Target, WeightFunction, WordFunction
from symbench.strategies._bounds import chosen

_KINDS = (BitPolynomial, WeightFunction, WordFunction)
_MOST_VALUES = 1024


def targets(
    *, max_variables: int = 3, vocabulary: int = 2, kinds: Any = None
) -> st.SearchStrategy[Target]:
    """Functions of a word to be learned, which read at most some positions.

    For bits they are polynomials in signs and functions of how many bits are one; kinds may ask
    for one of the classes of `sb.targets`. Over more tokens they are tables.

    >>> from hypothesis import find
    >>> find(targets(), lambda target: target.value((0, 1, 1)) == 1).value((0, 1, 1))
    1
    >>> find(targets(vocabulary=3), lambda target: target.value((2, 0, 0)) == 1).vocabulary
    3
    >>> targets(vocabulary=3, kinds=BitPolynomial)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: BitPolynomial is a function of bits: give vocabulary=2
    """
    most = integer(max_variables, "max_variables", at_least=1, at_most=20)
    tokens = integer(vocabulary, "vocabulary", at_least=2)
    number = st.integers(-3, 3)
    found: list[st.SearchStrategy[Any]] = []
    for kind in chosen(kinds, _KINDS, _KINDS[:2] if tokens == 2 else _KINDS[2:]):
        if kind is WordFunction:
            if tokens**most > _MOST_VALUES:
                raise TooLarge(
                    f"a table of {tokens}^{most} values: ask for at most {_MOST_VALUES:,}"
                )
            found.append(st.integers(0, most).flatmap(lambda n: _tables(tokens, n)))
        elif tokens != 2:
            raise BadValue(f"{kind.__name__} is a function of bits: give vocabulary=2")
        elif kind is BitPolynomial:
            places = st.sets(st.integers(1, most), max_size=most).map(sorted).map(tuple)
            terms = st.dictionaries(places, number, min_size=1, max_size=4)
            found.append(terms.map(BitPolynomial))
        else:
            values = st.lists(number, min_size=1, max_size=most + 1)
            found.append(values.map(WeightFunction))
    return st.one_of(found)


def _tables(tokens: int, variables: int) -> st.SearchStrategy[WordFunction]:
    size = tokens**variables
    values = st.lists(st.integers(-3, 3), min_size=size, max_size=size)
    return values.map(lambda found: WordFunction(found, vocabulary=tokens))
