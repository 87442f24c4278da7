"""Textbook facts: functions of bits (`boolean.*`), vectors with few angles (`frames.*`).

Sections are those of O'Donnell, Analysis of Boolean Functions.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

from symbench.exact.arrays import np
from symbench.learning.targets import BitPolynomial, WeightFunction
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.sparse import (
    Encoding,
    anf,
    degree,
    equiangular,
    flipped_simplex,
    fourier,
    hadamard,
    influences,
    of_weight,
    random_signs,
    sensitivity,
    support,
    truth_table,
    unbiased,
    weights,
)

Table = tuple[Any, ...]
_BITS = 5


def _is_power(values: Table) -> bool:
    return len(values).bit_count() == 1


def _words(table: Table) -> list[tuple[int, ...]]:
    return list(product((0, 1), repeat=len(table).bit_length() - 1))


def _flipped(word: Sequence[int], i: int) -> tuple[int, ...]:
    return (*word[:i], 1 - word[i], *word[i + 1 :])


def _chance(word: Sequence[int], p: Fraction) -> Fraction:
    return prod((p if bit else 1 - p for bit in word), start=Fraction(1))


def _forms(table: Table) -> list[BitPolynomial | WeightFunction]:
    """The function, also as one of the number of ones where it is one that depends on all bits."""
    bits = len(table).bit_length() - 1
    values = [table[(1 << w) - 1] for w in range(bits + 1)]
    symmetric = all(v == values[m.bit_count()] for m, v in enumerate(table))
    found: list[BitPolynomial | WeightFunction] = [truth_table(table)]
    return [*found, of_weight(values)] if symmetric and len(set(values)) > 1 else found


_TABLES: tuple[Table, ...] = (
    (0, 1), (1, 0, 0, 1), (0, 0, 0, 1), (3, Fraction(1, 2), 0, -7), (0, 0, 0, 1, 1, 1, 0, 1),
    (0, 0, 0, 1, 0, 1, 1, 1), (1, 1, 0, 0, 1, 1, 0, 0),
    (0, 1, 1, 1), (0, 1, 1, 1, 1, 1, 1, 1), (0, 1, 1, 1, 1, 1, 1, 0),
    tuple((7 * m).bit_count() % 2 for m in range(16)),
)  # fmt: skip


@claim(
    "boolean.fourier",
    source="O'Donnell, sections 1.2 to 1.4 and 8.4",
    category="theorem",
    cases=[(t, p) for t in _TABLES for p in (Fraction(1, 2), Fraction(2, 7))],
    boundary=((4,), Fraction(1, 3)),
    strategy=drawn(
        lambda st: st.integers(0, 4).flatmap(
            lambda n: st.tuples(
                st.lists(st.integers(-2, 2), min_size=2**n, max_size=2**n).map(tuple),
                st.fractions("1/9", "8/9", max_denominator=9),
            )
        )
    ),
    applies=record(
        many(number()), number(above=0, below=1), where=lambda table, p: _is_power(table)
    ),
    near_misses=[
        NearMiss(
            "characters for another chance",
            ((0, 0, 0, 1), Fraction(2, 7)),
            {"bias": Fraction(1, 2)},
        ),
        NearMiss(
            "a norm that is not that of the characters",
            ((0, 0, 0, 1), Fraction(2, 7)),
            {"unit": True},
        ),
    ],
)
def fourier_expansion(
    case: tuple[Table, Fraction], bias: Fraction | None = None, unit: bool = False
) -> bool | Fails:
    r"""Under bits that are 1 with chance $p$ the products of $\chi_a = 2(p - b_a)$ are orthogonal,
    with squared norm $(4p(1-p))^{|S|}$: the coefficient of $\prod_S \chi_a$ in $f$ is
    $\mathbb E[f \prod_S \chi_a]$ over that norm, and $\mathbb E f^2$ is the sum of its parts by
    degree.
    """
    table, p = case
    words = _words(table)
    at_most(len(words), 1 << _BITS, "words")
    own, bits = fourier(truth_table(table), p if bias is None else bias), len(words[0])
    norm = Fraction(1) if unit else 4 * p * (1 - p)
    levels = [Fraction(0)] * (bits + 1)
    for size in range(bits + 1):
        for places in combinations(range(bits), size):
            inner = sum(
                _chance(w, p) * value * prod((2 * (p - w[a]) for a in places), start=Fraction(1))
                for w, value in zip(words, table, strict=True)
            )
            levels[size] += inner**2 / (4 * p * (1 - p)) ** size
            if own.get(tuple(a + 1 for a in places), 0) * norm**size != inner:
                return Fails(f"the coefficient of {places} is not {inner} / {norm**size}")
    square = sum(_chance(w, p) * value**2 for w, value in zip(words, table, strict=True))
    for f in _forms(table):
        found = weights(f, p)
        if sum(found) != square or list(found) != levels[: len(found)] or any(levels[len(found) :]):
            return Fails(f"the parts are {found}, not {levels} of sum {square}")
    return True


@claim(
    "boolean.influences",
    source="O'Donnell, sections 2.2, 2.3 and 8.4",
    category="theorem",
    cases=[(t, p) for t in _TABLES if set(t) <= {0, 1} for p in (Fraction(1, 2), Fraction(1, 3))],
    boundary=((1,), Fraction(1, 2)),
    strategy=drawn(
        lambda st: st.integers(0, 4).flatmap(
            lambda n: st.tuples(
                st.lists(st.integers(0, 1), min_size=2**n, max_size=2**n).map(tuple),
                st.fractions("1/9", "8/9", max_denominator=9),
            )
        )
    ),
    applies=record(
        many(one_of(0, 1)), number(above=0, below=1), where=lambda table, p: _is_power(table)
    ),
    near_misses=[
        NearMiss("the variance for the chance", ((0, 0, 0, 1), Fraction(1, 3)), {"factor": 4}),
        NearMiss(
            "words that are equally likely", ((0, 0, 0, 1), Fraction(1, 3)), {"uniform": True}
        ),
    ],
)
def influence_of_bits(
    case: tuple[Table, Fraction], factor: int | None = None, uniform: bool = False
) -> bool | Fails:
    r"""The influence of a bit, the chance that it decides the value of $f \in \{0, 1\}$, is
    $\frac1{p(1-p)}$ times the sum of the squared norms of the parts of $f$ that contain the bit;
    the bits without influence are those that $f$ does not depend on. The sensitivity is the largest
    number of bits that decide at one word, and the products of the normal form modulo 2 add up to
    $f$.
    """
    table, p = case
    words = _words(table)
    at_most(len(words), 1 << _BITS, "words")
    at = dict(zip(words, table, strict=True))
    decides = {
        i + 1: [w for w in words if at[w] != at[_flipped(w, i)]] for i in range(len(words[0]))
    }
    chance = Fraction(1, 2) if uniform else p
    wanted = {i: sum(_chance(w, chance) for w in found) for i, found in decides.items() if found}
    for f in _forms(table):
        own = influences(f, p)
        if own != wanted or support(f) != tuple(wanted):
            return Fails(f"the influences are {wanted}, the library has {own}")
    parts_of = fourier(truth_table(table), p)
    scale = p * (1 - p) if factor is None else Fraction(1, factor)
    for i, influence in own.items():
        parts = (c**2 * (4 * p * (1 - p)) ** len(S) for S, c in parts_of.items() if i in S)
        if sum(parts) != scale * influence:
            return Fails(f"the parts with bit {i} do not add up to {scale} of its influence")
    most = max(sum(w in found for found in decides.values()) for w in words)
    highest = max(map(len, fourier(truth_table(table))), default=0)
    for f in _forms(table):
        if sensitivity(f) != most or degree(f) != highest:
            return Fails(f"{most} bits decide at one word and the degree is {highest}")
    form = anf(truth_table(table))
    if any(v != sum(all(w[a - 1] for a in m) for m in form) % 2 for w, v in at.items()):
        return Fails(f"the normal form {form} is another function")
    if max(map(len, form), default=0) > highest:
        return Fails("the degree modulo 2 is larger than the degree")
    return True


# --- vectors with few angles ----------------------------------------------------------------------
_MAKERS = {
    "hadamard": hadamard,
    "unbiased": unbiased,
    "equiangular": equiangular,
    "flipped_simplex": flipped_simplex,
}
# What is known of their products, besides 0 and 1: dimension, number, absolute value.
_KNOWN = {
    ("hadamard", 1): (4, 8, Fraction(1, 2)), ("hadamard", 2): (16, 32, Fraction(1, 4)),
    ("unbiased", 1): (4, 12, Fraction(1, 2)), ("unbiased", 2): (16, 144, Fraction(1, 4)),
    ("equiangular", 28): (7, 28, Fraction(1, 3)), ("equiangular", 276): (23, 276, Fraction(1, 5)),
    ("flipped_simplex", 2): (3, 4, Fraction(1, 3)), ("flipped_simplex", 5): (9, 10, Fraction(1, 9)),
}  # fmt: skip


def _made(name: str, size: int) -> Encoding:
    return random_signs(size, 16, seed=size) if name == "random" else _MAKERS[name](size)


@claim(
    "frames.coherence",
    source="Calderbank, Cameron, Kantor and Seidel 1997; Lemmens and Seidel 1973; Welch 1974",
    category="theorem",
    cases=[*_KNOWN, ("random", 24)],
    boundary=("flipped_simplex", 2),
    unhuntable="each of the constructions is one case",
    applies=record(
        one_of("hadamard", "unbiased", "equiangular", "flipped_simplex", "random"), integer(1)
    ),
    near_misses=[
        NearMiss(
            "a smaller product in the unbiased bases", ("unbiased", 2), {"factor": Fraction(1, 2)}
        ),
        NearMiss("a dimension less for the 28 lines", ("equiangular", 28), {"fewer": 1}),
    ],
)
def coherence_of_frames(
    case: tuple[str, int], factor: Fraction = Fraction(1), fewer: int = 0
) -> bool | Fails:
    r"""The unit vectors and the rows of a Hadamard matrix, mutually unbiased bases of $d = 4^j$
    dimensions ($d(d/2+1)$ vectors), the 28 lines of $\mathbb R^7$ and the 276 of $\mathbb R^{23}$
    have products $0$, $\pm1$ and $\pm\Delta$ alone, and a Gram matrix with $G^2 = \frac Td G$. The
    coherence of any $T$ unit vectors in $d$ dimensions has $\Delta^2 \ge \frac{T-d}{d(T-1)}$, with
    equality for the lines and the simplex.
    """
    name, size = case
    encoding = _made(name, size)
    T, d = encoding.length, encoding.dimension - fewer
    columns = [encoding.column(a).tolist() for a in range(1, T + 1)]
    norm = columns[0][0]
    off = {Fraction(abs(x), norm) for a, column in enumerate(columns) for x in column[:a]}
    symmetric = all(columns[a][b] == columns[b][a] for a in range(T) for b in range(a))
    if not symmetric or any(column[a] != norm for a, column in enumerate(columns)):
        return Fails("the products make no Gram matrix of vectors of one length")
    if encoding.vectors is not None:
        rows = encoding.vectors.tolist()
        first = [sum(x * y for x, y in zip(rows[0], row, strict=True)) for row in rows]
        if first != columns[0]:
            return Fails("the products are not those of the vectors")
    if encoding.coherence != max(off):
        return Fails(f"the largest product is {max(off)}, the coherence {encoding.coherence}")
    welch = Fraction(T - d, d * (T - 1))
    if max(off) ** 2 < welch:
        return Fails(f"the coherence {max(off)} is below the square root of {welch}")
    if case in _KNOWN:
        dimension, length, angle = _KNOWN[case]
        if (d, T) != (dimension, length) or not off <= {Fraction(0), factor * angle}:
            return Fails(f"{T} vectors in {d} dimensions, with products {off}")
        if name in ("equiangular", "flipped_simplex") and angle**2 != welch:
            return Fails(f"the coherence is {angle}, not the square root of {welch}")
        gram = np.array(columns)
        if (d * (gram @ gram) != T * norm * gram).any():
            return Fails("the square of the Gram matrix is not T/d times it")
    return True
