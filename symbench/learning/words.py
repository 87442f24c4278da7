"""Kernels and laws on all words of one length, as tables of exact numbers.

>>> kernel_table(linear_attention(1, 1), words_of(1, 2), 2)
((8, 1), (1, 8))
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from symbench._arguments import shown
from symbench.errors import BadShape, BadType, BadValue, NotExact, SymbenchError, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import exact_number, number_text, rational
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.kernels.linear_attention import LinearAttention
from symbench.laws.exchangeable import Law, count_tokens, read_law
from symbench.spectra.invariant import TableKernel, invariant_kernel

Word = tuple[int, ...]
# More words are not put into a matrix.
_WORDS = 1_024


def words_of(length: int, vocabulary: int) -> tuple[Word, ...]:
    """All words in lexicographic order, if there are not too many.

    >>> words_of(2, 2)
    ((0, 0), (0, 1), (1, 0), (1, 1))
    """
    # The first comparison keeps the power small.
    if length > _WORDS.bit_length() or vocabulary**length > _WORDS:
        raise TooLarge(
            f"there are {vocabulary}^{number_text(length)} words, and a kernel matrix has at most "
            f"{_WORDS:,} rows here: give shorter words"
        )
    return tuple(product(range(vocabulary), repeat=length))


def orders_tokens(law: Any) -> bool:
    """Whether a law gives each word its own probability, in which the order of tokens may matter.

    Hidden Markov models do; a law by token counts does not.

    >>> coin = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])
    >>> orders_tokens(coin), orders_tokens(IidLaw("1/2", "1/2")), orders_tokens(None)
    (True, False, False)
    """
    if isinstance(law, (type, Law)):
        return False
    return isinstance(getattr(law, "vocabulary", None), int) and callable(
        getattr(law, "probability", None)
    )


def words_law(law: Any, words: tuple[Word, ...], vocabulary: int) -> tuple[Rational, ...]:
    """The probability of each word; None is the uniform law.

    >>> words_law(None, words_of(1, 2), 2)
    (1/2, 1/2)
    """
    if orders_tokens(law):
        if law.vocabulary != vocabulary:
            raise BadShape(
                f"the law is on {law.vocabulary} tokens, the vocabulary has {vocabulary}"
            )
        found = tuple(Rational(exact_number(law.probability(word))) for word in words)
        if sum(found) != 1 or min(found) < 0:
            raise BadValue(
                f"the probabilities of the {len(words):,} words are not >= 0 with sum 1 under "
                f"{shown(law)}: give a law on words of length {len(words[0])}"
            )
        return found
    chosen = read_law(law, len(words[0]), vocabulary)
    known: dict[Word, Rational] = {}
    for word in words:
        counts = count_tokens(word, vocabulary)
        if counts not in known:
            known[counts] = chosen.of_counts(counts)
    return tuple(known[count_tokens(word, vocabulary)] for word in words)


def kernel_table(
    kernel: Any, words: tuple[Word, ...], vocabulary: int
) -> tuple[tuple[Rational, ...], ...]:
    """The values of the kernel on all pairs of words, after a check that it is symmetric."""
    on_words = kernel_on_words(kernel, len(words[0]), vocabulary)
    rows = [[on_words(x, y) for y in words[: i + 1]] for i, x in enumerate(words)]
    # Linear attention is symmetric, and kernels on tables have been checked.
    if not isinstance(kernel, LinearAttention) and not _sees_tables(kernel):
        for i, x in enumerate(words):
            for y, here in zip(words[:i], rows[i], strict=False):
                there = on_words(y, x)
                if here != there:
                    raise BadValue(
                        f"{shown(kernel)} is not symmetric: k({x}, {y}) = {here} and "
                        f"k({y}, {x}) = {there}"
                    )
    return tuple(
        tuple(rows[max(i, j)][min(i, j)] for j in range(len(words))) for i in range(len(words))
    )


def kernel_on_words(kernel: Any, length: int, vocabulary: int) -> Callable[[Word, Word], Rational]:
    """The kernel as a function of two words over 0, ..., V - 1 with exact values."""
    if isinstance(kernel, type) or kernel is None:
        raise BadType(f"{shown(kernel)} is no kernel: sb.kernels has some")
    if _sees_tables(kernel):
        return _by_tables(kernel, length, vocabulary)
    function: Callable[[Word, Word], Any]
    if isinstance(kernel, Kernel):
        on_diagram = kernel.on_diagram

        def function(x: Word, y: Word) -> Any:
            return on_diagram(Diagram.from_codes(x + y))

    else:
        function = getattr(kernel, "value", kernel)
        if not callable(function):
            raise BadType(
                f"{shown(kernel)} is no kernel: give one of sb.kernels or a function of two words"
            )

    def value(x: Word, y: Word) -> Rational:
        try:
            return Rational(exact_number(function(x, y)))
        except NotExact as error:
            raise NotExact(f"the kernel at {x}, {y}: {error}") from None
        except SymbenchError as error:
            raise BadValue(f"the kernel at {x}, {y} is no rational number: {error}") from None
        except Exception as error:
            raise BadValue(f"the kernel fails at {x}, {y}: {error!r}") from error

    return value


def _sees_tables(kernel: Any) -> bool:
    """Whether the kernel is known to depend on the contingency table of the two words only."""
    if isinstance(kernel, LinearAttention):
        numbers = kernel.alpha is not None and kernel.beta is not None
        return numbers and not kernel.causal and kernel.readout != "last"
    if isinstance(kernel, TableKernel):
        return True
    on_words = isinstance(kernel, Kernel) or callable(getattr(kernel, "value", kernel))
    return not on_words and callable(getattr(kernel, "on_table", None))


def _by_tables(kernel: Any, length: int, vocabulary: int) -> Callable[[Word, Word], Rational]:
    """One value for each contingency table: far fewer than pairs of words."""
    found = invariant_kernel(kernel, length, vocabulary)
    base = [[(length + 1) ** (u * vocabulary + v) for v in range(vocabulary)]
            for u in range(vocabulary)]  # fmt: skip
    known: dict[int, Rational] = {}

    def function(x: Word, y: Word) -> Rational:
        # A table is written as a number in base L + 1, one digit for each pair of tokens.
        table = sum(base[u][v] for u, v in zip(x, y, strict=True))
        if table not in known:
            rows = [[0] * vocabulary for _ in range(vocabulary)]
            for u, v in zip(x, y, strict=True):
                rows[u][v] += 1
            known[table] = rational(found.value(tuple(map(tuple, rows))))
        return known[table]

    return function
