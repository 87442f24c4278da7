"""Functions of sequences over V letters: which irreps there are, and what V >= 3 changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb, factorial
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import certify
from symbench.exact import Matrix
from symbench.laws.base import Word
from symbench.papers._cases import at_most, drawn, integer, record
from symbench.papers._symmetric_groups import (
    Parts,
    character_by_bins,
    class_size,
    partitions_of,
)
from symbench.papers.textbook_modules import drawn_sizes, sizes
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.young import (
    Partition,
    Representation,
    formal_character,
    formal_decomposition,
    pure_character,
    pure_decomposition,
    word_decomposition,
)

# Functions on more words than this are not listed; characters are counted once more so far.
_LISTED, _COUNTED = 81, 6


# --- more than two letters ------------------------------------------------------------------------
def area(x: Word, places: tuple[int, ...], u: int, v: int) -> int:
    r"""The value at a word of $\sum_\sigma \mathrm{sgn}(\sigma) x_{\sigma 1, u} x_{\sigma 2, v}$.

    The sum is over the orders of three places. It is the determinant with the rows
    (x_u, x_v, 1), one for each place.

    >>> area((1, 2, 3), (1, 2, 3), 1, 2), area((2, 1, 3), (1, 2, 3), 1, 2)
    (1, -1)
    """
    return int(_centred(x, places, u, v, Fraction(0), Fraction(0)))


def _centred(
    x: Word, places: tuple[int, ...], u: int, v: int, p: Fraction, q: Fraction
) -> Fraction:
    """The same with x_u - p and x_v - q in place of x_u and x_v."""
    total = Fraction(0)
    for i, j, k in permutations(range(3)):
        sign = 1 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1
        first, second = x[places[i] - 1], x[places[j] - 1]
        total += sign * ((first == u) - p) * ((second == v) - q)
    return total


def _three_rows(length: int, letters: int, last: int) -> Certificate | Fails:
    """The copies of (L-2, 1, 1) spanned by the areas of pairs of letters up to a last one."""
    shape = Partition(length - 2, 1, 1)
    columns = [tableau.columns[0] for tableau in shape.standard_tableaux()]
    words = list(product(range(1, letters + 1), repeat=length))
    place = {word: k for k, word in enumerate(words)}
    law = [Fraction(2 * a - 1, letters**2) for a in range(1, letters + 1)]  # not uniform
    moves = [
        [place[(*w[: i - 1], w[i], w[i - 1], *w[i + 1 :])] for w in words] for i in range(1, length)
    ]
    rows: list[Any] = []
    pairs = list(combinations(range(1, last + 1), 2))
    for u, v in pairs:
        copy = Matrix([[area(w, column, u, v) for w in words] for column in columns])
        for i, matrix in enumerate(Representation(shape, form="natural").generators(), 1):
            if copy.submatrix(range(len(columns)), moves[i - 1]) != matrix.transpose() @ copy:
                return Fails(f"s_{i} does not act on the areas as on S^({shape})")
        rows += copy.rows
        if any(
            area(w, c, u, v) != _centred(w, c, u, v, law[u - 1], law[v - 1])
            for w in words
            for c in columns
        ):
            return Fails(f"the areas of letters {u}, {v} are not of pure degree 2")
    table = Matrix(rows)
    certificate = certify(table @ table.transpose())
    if certificate.kind != "nonsingular":
        return Fails(f"the areas of the pairs of letters {pairs} are dependent")
    return certificate


def _kept(mu: Parts, symbols: int, degree: int) -> int:
    """The trace of a permutation on functions of `degree` positions: whole cycles are chosen.

    On the functions with mean zero of one letter, or the formal variables of one position, there
    are `symbols` dimensions, and a cycle has this trace whatever its length.
    """
    return sum(
        symbols**k
        for k in range(len(mu) + 1)
        for chosen in combinations(mu, k)
        if sum(chosen) == degree
    )


def _occur(length: int, symbols: int, degree: int) -> dict[Partition, int]:
    """How often each irrep occurs, by Frobenius' characters."""
    found = {}
    for shape in partitions_of(length):
        total = sum(
            class_size(mu) * character_by_bins(shape, mu) * _kept(mu, symbols, degree)
            for mu in partitions_of(length)
        )
        if total:
            found[Partition(*shape)] = total // factorial(length)
    return found


@claim(
    "symbench.vocabulary",
    source="Theorem of symbench: polynomials of one-hot vectors, for every number V of letters",
    category="theorem",
    cases=lambda max_length=5, max_letters=4: sizes(max_length, max_letters),
    boundary=(3, 3),
    strategy=drawn_sizes,
    applies=record(integer(1), integer(1)),
    assumes=["young.schur-weyl"],
    proof="proofs/lavie2024/vocabulary.md",
    formerly=["lavie2024.vocabulary"],
    near_misses=[
        NearMiss(
            "(L-2, 1, 1) already for two letters: C(V, 2) copies",
            (3, 2),
            {"copies": lambda letters: comb(letters, 2)},
        ),
        NearMiss(
            "the areas of all pairs of letters: V for V - 1",
            (3, 3),
            {"last": lambda letters: letters},
        ),
        NearMiss(
            "formal polynomials of different degrees as different functions",
            (2, 2),
            {"split": formal_decomposition},
        ),
    ],
)
def vocabulary(
    case: tuple[int, int],
    split: Callable[[int, int, int], dict[Partition, int]] = pure_decomposition,
    copies: Callable[[int], int] = lambda letters: comb(letters - 1, 2),
    last: Callable[[int], int] = lambda letters: letters - 1,
) -> Certificate | bool | Fails:
    r"""In the functions on $[V]^L$ of pure degree $k$ (sums of functions of $k$ positions with mean
    zero in each, for iid letters) $S^\lambda$ occurs $\sum_\nu s_\nu(1^{V-1})$ times, over the
    $\nu \vdash k$ for which $\lambda/\nu$ is a horizontal strip; over all $k$ this adds up to
    $s_\lambda(1^V)$. Formal polynomials with at most one variable $x_{a,v}$ for each position $a$
    have $s_\nu(1^V)$ instead. At degree 2 there are $\binom{V-1}{2}$ copies of $(L-2, 1, 1)$,
    spanned by $\sum_\sigma \mathrm{sgn}(\sigma) x_{\sigma 1, u} x_{\sigma 2, v}$ over the orders of
    three positions, $u < v < V$: none for $V = 2$, one for $V = 3$.
    """
    length, letters = case
    at_most(length, 16, "positions")
    at_most(letters, 100, "letters")
    totals: Counter[Partition] = Counter()
    for k in range(length + 1):
        pure, formal = (
            pure_decomposition(length, letters, k),
            formal_decomposition(length, letters, k),
        )
        if pure != pure_character(length, letters, k).decompose():
            return Fails(f"the character of pure degree {k} decomposes otherwise")
        if formal != formal_character(length, letters, k).decompose():
            return Fails(f"the character of formal degree {k} decomposes otherwise")
        if length <= _COUNTED and (
            pure != _occur(length, letters - 1, k) or formal != _occur(length, letters, k)
        ):
            return Fails(f"the traces of permutations at degree {k} say otherwise")
        if any(length - shape.parts[0] > k for shape in pure):
            return Fails(f"degree {k} has shapes with more than {k} cells below the first row")
        totals.update(split(length, letters, k))
    if totals != word_decomposition(length, letters):
        return Fails("the degrees do not add up to all functions")
    if length < 3:
        return True
    shape, wanted = Partition(length - 2, 1, 1), copies(letters)
    times = pure_decomposition(length, letters, 2).get(shape, 0)
    if times != wanted:
        return Fails(f"({shape}) occurs {times} times at degree 2")
    if not wanted or letters**length > _LISTED:
        return True
    return _three_rows(length, letters, last(letters))


# --- as printed -----------------------------------------------------------------------------------
def _two_rows_only(found: dict[Partition, int]) -> bool | Fails:
    for shape, times in found.items():
        if len(shape) > 2:
            return Fails(f"({shape}) occurs, with multiplicity {times}")
    return True


@claim(
    "lavie2024.one-hot",
    source='Poster: "Characterizing the irreps of the symmetric group over the polynomials of '
    'one-hot encoded vectors", read as the theorem for the variables x_(a,v) of every letter v; '
    "the theorem itself has one variable for each position, and holds",
    wording="our reading",
    category="claim",
    cases=lambda max_length=5, max_letters=4: (
        (length, letters, degree)
        for length, letters in sizes(max_length, max_letters)
        for degree in range(length + 1)
    ),
    boundary=(3, 3, 2),
    strategy=drawn(
        lambda st: st.tuples(st.integers(1, 12), st.integers(1, 5)).flatmap(
            lambda size: st.tuples(*map(st.just, size), st.integers(0, min(size[0], 6)))
        )
    ),
    applies=record(
        integer(1), integer(1), integer(0), where=lambda length, _, degree: degree <= length
    ),
    expected="fails",
    repaired_by="symbench.vocabulary",
    proof="proofs/lavie2024/vocabulary.md",
    controls=[
        Control("two letters, every degree", (6, 2, 6)),
        Control("degree one, five letters", (6, 5, 1)),
        Control("two positions have two rows", (2, 4, 2)),
    ],
    near_misses=[
        NearMiss(
            "formal polynomials, already for two letters",
            (3, 2, 2),
            {"split": formal_decomposition},
        ),
        NearMiss("long sequences, degree two", (1000, 3, 2), {}),
    ],
)
def one_hot(
    case: tuple[int, int, int],
    split: Callable[[int, int, int], dict[Partition, int]] = pure_decomposition,
) -> bool | Fails:
    r"""The polynomials of degree $d$ in one-hot vectors $x_{a,v}$, $a \le L$, $v \le V$, are sums
    of two-row irreps $(L-m, m)$. True for $V = 2$; refuted for $V \ge 3$, $L \ge 3$, $d \ge 2$ by
    $(L-2, 1, 1)$. (As functions: $\sum_v x_{a,v} = 1$.)
    """
    length, letters, degree = case
    at_most(length, 10_000, "positions")
    at_most(letters, 100, "letters")
    at_most(degree, 20, "positions in a term")
    for k in range(degree + 1):
        for shape, times in split(length, letters, k).items():
            if len(shape) > 2:
                return Fails(f"({shape}) occurs, with multiplicity {times}")
    return True
