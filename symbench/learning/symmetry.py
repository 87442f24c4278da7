"""Whether a kernel and a law are symmetric under permutations of positions, and how it is known.

>>> print(symmetry_of(linear_attention(1, 1), None, length=4, vocabulary=2))
kernel: invariant, by construction
law: exchangeable, by construction
"""

from __future__ import annotations

from typing import Any

import attrs

from symbench.exact import Rational
from symbench.laws.exchangeable import CountsLaw, Law, asymmetry, read_law, sizes
from symbench.learning.words import Word, orders_tokens, words_law, words_of
from symbench.spectra.invariant import Moved, invariant_or_moved


@attrs.frozen
class Symmetry:
    """How the invariance of a kernel and the exchangeability of a law are known, or a witness.

    `kernel` is 'by construction', 'all pairs' or 'sampled pairs', None for one that is not
    invariant; `law` likewise; `witness` says what shows that one of them fails.

    >>> found = symmetry_of(linear_attention(1, 1, readout="last"), None, length=2, vocabulary=2)
    >>> found.holds, found.kernel, found.law
    (False, None, 'by construction')
    >>> print(found.witness[:94])
    linear_attention(1, 1, readout='last') is not invariant: k((0, 0), (0, 1)) = 6, and after the
    """

    kernel: str | None
    law: str | None
    witness: str | None = None

    @property
    def holds(self) -> bool:
        """Whether both have the symmetry."""
        return self.kernel is not None and self.law is not None

    @property
    def exactness(self) -> str:
        """'exact': no float enters; 'sampled pairs' is a check of some pairs, each exact."""
        return "exact"

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        lines = [
            f"kernel: {f'invariant, {self.kernel}' if self.kernel else 'not invariant'}",
            f"law: {f'exchangeable, {self.law}' if self.law else 'not exchangeable'}",
        ]
        return "\n".join(lines + ([self.witness] if self.witness else []))


def symmetry_of(
    kernel: Any,
    law: Any,
    *,
    length: int,
    vocabulary: int,
    table: tuple[tuple[Rational, ...], ...] | None = None,
) -> Symmetry:
    """How the symmetry of a kernel and a law on words of this length is known.

    Where the words are many, only some pairs of them are compared, unless the values of the kernel
    at all pairs are given as a table, the words in lexicographic order.

    >>> flip = HiddenMarkov(["1/2", "1/2"], [[0, 1], [1, 0]], [[1, 0], [0, 1]])
    >>> found = symmetry_of(lambda x, y: int(x == y), flip, length=3, vocabulary=2)
    >>> found.kernel, found.witness
    ('all pairs', 'not exchangeable: p(0, 1, 0) = 1/2, p(1, 0, 0) = 0')
    """
    size, tokens = sizes(length, vocabulary)
    witnesses = []
    known: str | None = None
    found = invariant_or_moved(kernel, size, tokens)
    if not isinstance(found, Moved):
        known = found.invariance
        if known == "sampled pairs" and table is not None:
            moved = _moved_in(kernel, table, size, tokens)
            known = "all pairs" if moved is None else None
            found = found if moved is None else moved
    if isinstance(found, Moved):
        witnesses.append(str(found))
    how: str | None = "by construction"
    if orders_tokens(law):
        given, pair = _by_words(law, size, tokens)
        how = "all words" if pair is None else None
        if pair is not None:
            x, y = pair
            witnesses.append(f"not exchangeable: p{x} = {given[x]}, p{y} = {given[y]}")
    else:
        read_law(law, size, tokens)
    return Symmetry(known, how, "; ".join(witnesses) or None)


def _moved_in(
    kernel: Any, table: tuple[tuple[Rational, ...], ...], length: int, vocabulary: int
) -> Moved | None:
    """Compare all values with those after a transposition of neighbours."""
    import numpy as np

    words = words_of(length, vocabulary)
    place = {word: k for k, word in enumerate(words)}
    # Equal numbers get one name, and the names are compared.
    names: dict[Rational, int] = {}
    named = np.array([[names.setdefault(v, len(names)) for v in row] for row in table])
    for a in range(length - 1):
        images = [(*w[:a], w[a + 1], w[a], *w[a + 2 :]) for w in words]
        to = np.array([place[w] for w in images])
        wrong = np.argwhere(named[np.ix_(to, to)] != named)
        if len(wrong):
            i, j = wrong[0]
            return Moved(
                kernel,
                (words[i], words[j]),
                table[i][j],
                a + 1,
                (images[i], images[j]),
                table[to[i]][to[j]],
            )
    return None


def exchangeable_law(law: Any, *, length: int, vocabulary: int) -> Law | None:
    """The law by its token counts, or None if it is not exchangeable.

    >>> coin = HiddenMarkov([1], [[1]], [["1/2", "1/2"]])
    >>> exchangeable_law(coin, length=2, vocabulary=2)
    Counts((((2, 0), '1/4'), ((1, 1), '1/4'), ((0, 2), '1/4')))
    """
    size, tokens = sizes(length, vocabulary)
    if not orders_tokens(law):
        return read_law(law, size, tokens)
    given, pair = _by_words(law, size, tokens)
    if pair is not None:
        return None
    return CountsLaw.of_words(given, length=size, vocabulary=tokens)


def _by_words(
    law: Any, length: int, vocabulary: int
) -> tuple[dict[Word, Rational], tuple[Word, Word] | None]:
    """The probabilities, and two words with the same tokens and different ones, or None."""
    words = words_of(length, vocabulary)
    given = dict(zip(words, words_law(law, words, vocabulary), strict=True))
    return given, asymmetry(given)
