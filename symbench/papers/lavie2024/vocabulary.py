"""Functions of sequences over V letters: which irreps there are, and what V >= 3 changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from math import comb
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate, certify
from symbench.errors import BadValue
from symbench.exact import Matrix
from symbench.laws.base import Word
from symbench.papers._cases import at_most, drawn, integer, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young import (
    Action,
    Partition,
    Representation,
    block_form,
    formal_character,
    formal_decomposition,
    orbits_on_pairs,
    pure_character,
    pure_decomposition,
    word_character,
    word_decomposition,
)

# Matrices over more words than this are not formed; rows over the words go further.
_SQUARE, _LISTED = 32, 81


# --- Schur and Weyl -------------------------------------------------------------------------------
def _sizes(max_length: int = 8, max_letters: int = 4) -> Iterator[tuple[int, int]]:
    return product(range(1, max_length + 1), range(1, max_letters + 1))


_drawn_sizes = drawn(lambda st: st.tuples(st.integers(1, 12), st.integers(1, 6)))


def _by_blocks(length: int, letters: int) -> Certificate | Fails:
    """The blocks of a kernel with a number of its own for every contingency table."""
    action = Action.words(length, letters)
    numbers: dict[Any, int] = {}

    def number(x: Word, y: Word) -> int:
        return numbers.setdefault(tuple(sorted(zip(x, y, strict=True))), len(numbers))

    kernel = Matrix([[number(x, y) for y in action.points] for x in action.points])
    if len(numbers) != orbits_on_pairs(length, letters):
        return Fails(f"there are {len(numbers)} contingency tables")
    form = block_form(action, kernel)
    for block in form.blocks:
        copies = block.partition.count_semistandard(letters)
        if block.matrix.shape != (copies, copies) or block.repeats != block.partition.dim:
            return Fails(f"the block of ({block.partition}) is {block.matrix.shape}")
    return block_certificate(form, kernel)


def _first_letter_only(case: tuple[int, int]) -> bool | Fails:
    """The variant with a kernel that reads one position: only S_(L-1) leaves it unchanged."""
    action = Action.words(*case)
    rows = [[int(x[0] == y[0]) for y in action.points] for x in action.points]
    try:
        return block_certificate(block_form(action, rows), rows).check()
    except BadValue as error:
        return Fails(str(error))


def _dimensions_add_up(case: tuple[int, int], squares: bool) -> bool | Fails:
    """The variants in which an irrep occurs once, or as often as its dimension says."""
    length, letters = case
    total = sum(p.dim ** (1 + squares) for p in word_decomposition(length, letters))
    return total == letters**length or Fails(f"{total} dimensions, {letters**length} words")


@claim(
    "lavie2024.schur-weyl",
    source="Blocks of an invariant kernel on sequences over V letters",
    category="proposition",
    cases=_sizes,
    boundary=(1, 1),
    strategy=_drawn_sizes,
    applies=record(integer(1), integer(1)),
    proof="proofs/lavie2024/vocabulary.md",
    near_misses=[
        NearMiss(
            "one eigenvalue for each irrep: each occurs once",
            (2, 2),
            lambda case: _dimensions_add_up(case, False),
        ),
        NearMiss(
            "each as often as its dimension says",
            (3, 2),
            lambda case: _dimensions_add_up(case, True),
        ),
        NearMiss("a kernel that reads the first position only", (2, 2), _first_letter_only),
    ],
)
def schur_weyl(case: tuple[int, int]) -> Certificate | bool | Fails:
    r"""$\mathbb{C}^{[V]^L} \cong \bigoplus_\lambda S^\lambda \otimes \mathbb{C}^{s_\lambda(1^V)}$
    over $\lambda \vdash L$ with at most $V$ rows; $\sum_\lambda f^\lambda s_\lambda(1^V) = V^L$,
    and $\sum_\lambda s_\lambda(1^V)^2 = \binom{L+V^2-1}{V^2-1}$ is the number of orbits on pairs.
    So a kernel with $k(gx, gy) = k(x, y)$ has one number for each contingency table, and one block
    of size $s_\lambda(1^V)$, repeated $f^\lambda$ times, for each irrep.
    """
    length, letters = case
    at_most(length, 24, "positions")
    at_most(letters, 100, "letters")
    found = word_decomposition(length, letters)
    if found != word_character(length, letters).decompose():
        return Fails("the character decomposes otherwise")
    total = sum(times * shape.dim for shape, times in found.items())
    if total != letters**length:
        return Fails(f"the dimensions add up to {total}, there are {letters**length} words")
    squares = sum(times**2 for times in found.values())
    if squares != comb(length + letters**2 - 1, letters**2 - 1):
        return Fails(f"the squares of the multiplicities add up to {squares}")
    if letters**length > _SQUARE:
        return True
    for shape, times in found.items():
        if len(set(shape.semistandard_tableaux(letters))) != times:
            return Fails(f"({shape}) does not have {times} semistandard tableaux")
    return _by_blocks(length, letters)


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


def _formal_as_functions(case: tuple[int, int]) -> bool | Fails:
    """The variant in which formal polynomials of different degrees are different functions."""
    length, letters = case
    total = sum(letters**k * comb(length, k) for k in range(length + 1))
    return total == letters**length or Fails(f"{total} polynomials, {letters**length} words")


def _two_letters(case: tuple[int, int]) -> bool | Fails:
    shape = Partition(case[0] - 2, 1, 1)
    return shape in pure_decomposition(*case, 2) or Fails(f"({shape}) does not occur")


@claim(
    "lavie2024.vocabulary",
    source="Polynomials of one-hot vectors, for every number V of letters",
    category="theorem",
    cases=lambda max_length=5, max_letters=4: _sizes(max_length, max_letters),
    boundary=(3, 3),
    strategy=_drawn_sizes,
    applies=record(integer(1), integer(1)),
    assumes=["lavie2024.schur-weyl"],
    proof="proofs/lavie2024/vocabulary.md",
    near_misses=[
        NearMiss("(L-2, 1, 1) for two letters", (3, 2), _two_letters),
        NearMiss(
            "the areas of all pairs of letters: V for V - 1",
            (3, 3),
            lambda case: _three_rows(case[0], case[1], case[1]),
        ),
        NearMiss("formal polynomials as functions", (2, 2), _formal_as_functions),
    ],
)
def vocabulary(case: tuple[int, int]) -> Certificate | bool | Fails:
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
        pure = pure_decomposition(length, letters, k)
        formal = formal_decomposition(length, letters, k)
        if pure != pure_character(length, letters, k).decompose():
            return Fails(f"the character of pure degree {k} decomposes otherwise")
        if formal != formal_character(length, letters, k).decompose():
            return Fails(f"the character of formal degree {k} decomposes otherwise")
        if any(length - shape.parts[0] > k for shape in pure):
            return Fails(f"degree {k} has shapes with more than {k} cells below the first row")
        totals.update(pure)
    if totals != word_decomposition(length, letters):
        return Fails("the degrees do not add up to all functions")
    if length < 3:
        return True
    shape, copies = Partition(length - 2, 1, 1), comb(letters - 1, 2)
    times = pure_decomposition(length, letters, 2).get(shape, 0)
    if times != copies:
        return Fails(f"({shape}) occurs {times} times at degree 2")
    if not copies or letters**length > _LISTED:
        return True
    return _three_rows(length, letters, letters - 1)


# --- as printed -----------------------------------------------------------------------------------
def _two_rows_only(found: dict[Partition, int]) -> bool | Fails:
    for shape, times in found.items():
        if len(shape) > 2:
            return Fails(f"({shape}) occurs, with multiplicity {times}")
    return True


@claim(
    "lavie2024.one-hot",
    source="The theorem as applied to polynomials of one-hot vectors",
    category="claim",
    cases=lambda max_length=5, max_letters=4: (
        (length, letters, degree)
        for length, letters in _sizes(max_length, max_letters)
        for degree in range(length + 1)
    ),
    boundary=(3, 3, 2),
    applies=record(
        integer(1), integer(1), integer(0), where=lambda length, _, degree: degree <= length
    ),
    expected="fails",
    repaired_by="lavie2024.vocabulary",
    proof="proofs/lavie2024/vocabulary.md",
    near_misses=[
        NearMiss(
            "formal polynomials, already for two letters",
            (3, 2, 2),
            lambda case: _two_rows_only(formal_decomposition(*case)),
        ),
        NearMiss(
            "long sequences, pure degree two only",
            (1000, 3, 2),
            lambda case: _two_rows_only(pure_decomposition(*case)),
        ),
    ],
)
def one_hot(case: tuple[int, int, int]) -> bool | Fails:
    r"""The polynomials of degree $d$ in one-hot vectors $x_{a,v}$, $a \le L$, $v \le V$, are sums
    of two-row irreps $(L-m, m)$. True for $V = 2$; refuted for $V \ge 3$, $L \ge 3$, $d \ge 2$ by
    $(L-2, 1, 1)$. (As functions: $\sum_v x_{a,v} = 1$.)
    """
    length, letters, degree = case
    at_most(length, 10_000, "positions")
    at_most(letters, 100, "letters")
    at_most(degree, 20, "positions in a term")
    found = (_two_rows_only(pure_decomposition(length, letters, k)) for k in range(degree + 1))
    return next((outcome for outcome in found if not outcome), True)
