"""Functions of sequences over V letters as representations of S_L (Schur-Weyl duality).

Three spaces: all functions of x in [V]^L; those of pure degree k (depending on exactly k
positions, with mean zero in each); formal polynomials of degree k in the one-hot variables, at
most one per position. Multiplicities are closed forms; the characters are a second road to them.
"""

from __future__ import annotations

from math import comb

from symbench._arguments import integer
from symbench.young.characters import ClassFunction
from symbench.young.enumeration import on_each, partitions
from symbench.young.partition import Multiplicities, Partition, as_partition, trusted
from symbench.young.tableaux import horizontal_strips


def word_multiplicity(shape: Partition, letters: int) -> int:
    """How often an irreducible occurs in all functions of words over V letters.

    >>> word_multiplicity(Partition(2, 1), 3)
    8
    """
    return as_partition(shape, "shape").count_semistandard(_letters(letters))


def pure_multiplicity(shape: Partition, letters: int, degree: int) -> int:
    """How often an irreducible occurs in the functions of pure degree k.

    The sum of s_nu(1^(V-1)) over the nu of size k that leave a horizontal strip of the shape.

    >>> pure_multiplicity(Partition(2, 1, 1), 3, 2)
    1
    """
    return _strip_sum(as_partition(shape, "shape"), _letters(letters) - 1, degree)


def formal_multiplicity(shape: Partition, letters: int, degree: int) -> int:
    """How often an irreducible occurs in formal multilinear polynomials of degree k.

    >>> [formal_multiplicity(Partition(*p), 3, 2) for p in [(4,), (3, 1), (2, 2), (2, 1, 1)]]
    [6, 9, 6, 3]
    """
    return _strip_sum(as_partition(shape, "shape"), _letters(letters), degree)


def word_decomposition(length: int, letters: int) -> Multiplicities:
    """All functions of words of length L over V letters: every irreducible with its multiplicity.

    >>> word_decomposition(3, 2)
    {Partition(3): 4, Partition(2, 1): 2}
    """
    length, letters = integer(length, "length", at_least=0), _letters(letters)
    shapes = partitions(length, max_length=letters)
    return on_each(
        shapes, lambda shape: shape.count_semistandard(letters), "ask for one: word_multiplicity"
    )


def pure_decomposition(length: int, letters: int, degree: int) -> Multiplicities:
    """The functions of pure degree k: every irreducible with its multiplicity.

    >>> pure_decomposition(4, 3, 2)
    {Partition(4): 3, Partition(3, 1): 4, Partition(2, 2): 3, Partition(2, 1, 1): 1}
    """
    return _collect(length, _letters(letters) - 1, degree)


def formal_decomposition(length: int, letters: int, degree: int) -> Multiplicities:
    """The formal polynomials of degree k: every irreducible with its multiplicity.

    With one letter these are the multilinear polynomials of degree k in L variables.

    >>> formal_decomposition(5, 1, 2)
    {Partition(5): 1, Partition(4, 1): 1, Partition(3, 2): 1}
    """
    return _collect(length, _letters(letters), degree)


def word_character(length: int, letters: int) -> ClassFunction:
    """The character of all functions of words: V to the number of cycles.

    >>> word_character(3, 2).decompose()
    {Partition(3): 4, Partition(2, 1): 2}
    """
    letters = _letters(letters)
    return ClassFunction.of(integer(length, "length", at_least=0), lambda mu: letters ** len(mu))


def pure_character(length: int, letters: int, degree: int) -> ClassFunction:
    """The character of the functions of pure degree k.

    >>> pure_character(4, 3, 2).decompose() == pure_decomposition(4, 3, 2)
    True
    """
    return _coefficient(length, _letters(letters) - 1, degree)


def formal_character(length: int, letters: int, degree: int) -> ClassFunction:
    """The character of the formal polynomials of degree k.

    >>> formal_character(4, 1, 2).values
    (0, 0, 2, 2, 6)
    """
    return _coefficient(length, _letters(letters), degree)


def orbits_on_pairs(length: int, letters: int) -> int:
    """The number of orbits of S_L on pairs of words: the free numbers of an invariant kernel.

    >>> orbits_on_pairs(4, 2)
    35
    """
    length, letters = integer(length, "length", at_least=0), _letters(letters)
    return comb(length + letters**2 - 1, letters**2 - 1)


def _letters(letters: int) -> int:
    return integer(letters, "letters", at_least=1)


def _degree(degree: int, length: int) -> int:
    return integer(degree, "degree", at_least=0, at_most=length)


def _strip_sum(shape: Partition, symbols: int, degree: int) -> int:
    k = _degree(degree, shape.size)
    if len(shape) > symbols + 1:
        return 0
    first, second, *_ = (*shape.parts, 0, 0)
    # The strip takes shape.size - k cells; rows below the first are few when k is small.
    return sum(
        trusted((top, *rest) if top else ()).count_semistandard(symbols)
        for rest in horizontal_strips(shape.parts[1:])
        if second <= (top := k - sum(rest)) <= first
    )


def _collect(length: int, symbols: int, degree: int) -> Multiplicities:
    length = integer(length, "length", at_least=0)
    k = _degree(degree, length)
    # Only shapes with at most k cells below the first row can lose a strip and be left with k.
    found: dict[Partition, int] = {}
    inner = on_each(
        partitions(k, max_length=symbols),
        lambda nu: nu.count_semistandard(symbols),
        "ask for one: pure_multiplicity, formal_multiplicity",
    )
    for nu, count in inner.items():
        for below in horizontal_strips(nu.parts):
            rest = length - sum(below)
            # below becomes the rows 2, 3, ...; the first row takes everything else.
            if count and rest >= (nu.parts[0] if nu.parts else 0):
                shape = trusted((rest, *below) if rest else ())
                found[shape] = found.get(shape, 0) + count
    return dict(sorted(found.items(), key=lambda item: item[0].parts, reverse=True))


def _coefficient(length: int, symbols: int, degree: int) -> ClassFunction:
    length = integer(length, "length", at_least=0)
    k = _degree(degree, length)

    def value(mu: Partition) -> int:
        series = [1] + [0] * k
        for part in mu.parts:
            for i in range(k, part - 1, -1):
                series[i] += symbols * series[i - part]
        return series[k]

    return ClassFunction.of(length, value)
