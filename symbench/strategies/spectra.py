"""Strategies for sizes of spectra, spectra, and problems of learning."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from symbench._arguments import integer
from symbench.errors import BadValue
from symbench.kernels import linear_attention
from symbench.kernels.base import symmetry_of
from symbench.learning import Problem
from symbench.spectra import Spectrum, spectrum
from symbench.strategies._bounds import bounds
from symbench.strategies.kernels import kernels
from symbench.strategies.laws import laws
from symbench.strategies.targets import targets
from symbench.young import YoungSubgroup


def spectrum_sizes(
    *,
    min_length: int = 1,
    max_length: int = 6,
    min_vocabulary: int = 2,
    max_vocabulary: int = 3,
    max_words: int = 256,
) -> st.SearchStrategy[tuple[int, int]]:
    """Pairs (length, vocabulary) that have at most some words, V^L.

    >>> from hypothesis import find
    >>> find(spectrum_sizes(), lambda size: size[1] ** size[0] > 100)
    (5, 3)
    >>> spectrum_sizes(min_length=20)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: min_length=20 is greater than max_length=6; exchange them
    >>> spectrum_sizes(min_length=9, max_length=9)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: 2^9 words are more than max_words=256: lower a bound or raise it
    """
    short, long = bounds(min_length, max_length, "length", floor=1)
    few, many = bounds(min_vocabulary, max_vocabulary, "vocabulary", floor=1)
    most = integer(max_words, "max_words", at_least=1)
    if few**short > most:
        raise BadValue(
            f"{few}^{short} words are more than max_words={most}: lower a bound or raise it"
        )
    return st.sampled_from(
        [(n, v) for n in range(short, long + 1) for v in range(few, many + 1) if v**n <= most]
    )


def spectra(*, max_length: int = 4, max_vocabulary: int = 3) -> st.SearchStrategy[Spectrum]:
    """Exact spectra of small kernels under exchangeable laws.

    >>> from hypothesis import find
    >>> find(spectra(), lambda found: found.length == 2).vocabulary
    2
    """
    sizes = spectrum_sizes(max_length=max_length, max_vocabulary=max_vocabulary)

    def of_size(size: tuple[int, int]) -> st.SearchStrategy[Spectrum]:
        length, vocabulary = size
        chosen = laws(vocabulary=vocabulary, length=length, exchangeable=True)

        def made(kernel: Any, law: Any) -> Spectrum:
            return spectrum(kernel, length=length, vocabulary=vocabulary, law=law)

        # A readout of the last position is not the same under all permutations.
        whole = YoungSubgroup(length)
        invariant = kernels().filter(lambda kernel: symmetry_of(kernel, length) == whole)
        return st.builds(made, invariant, st.none() | chosen)

    return sizes.flatmap(of_size)


def problems(*, max_length: int = 3) -> st.SearchStrategy[Problem]:
    """Problems of learning: linear attention, a target of bits, and a law of the words.

    >>> from hypothesis import find
    >>> len(find(problems(), lambda problem: len(problem.points) == 4).points)
    4
    """
    low, high = bounds(1, max_length, "length", floor=1)

    def of_length(length: int) -> st.SearchStrategy[Problem]:
        def made(kernel: Any, target: Any, law: Any) -> Problem:
            return Problem(kernel, target, length=length, law=law)

        chosen = laws(length=length, positive=True)
        return st.builds(
            made, kernels(kinds=linear_attention), targets(max_variables=length), chosen
        )

    return st.integers(low, high).flatmap(of_length)
