"""Section 3 and appendix B: attention heads, and heads that select a few positions.

A case is (vectors, s, ...): integer vectors of one length for the positions, of which the first s
matter; they are divided by their length.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import attrs
import flint

from symbench.certificates import Certificate
from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.exact.rational import fmpq
from symbench.papers._cases import at_most, drawn, integer, number, record
from symbench.papers.edelman2022._layers import (
    Rows,
    combination,
    dot,
    gram_key,
    output,
    softmax,
    tokens,
    transposed,
    weights,
    worst,
)
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.sparse import Encoding, Head, conjunction, from_vectors, head

SOURCE = "Appendix B; our copy has no formulas"
PROOF = "proofs/edelman2022/lemma-B.2.md"
# Words of more bits are not gone through one by one.
_WORDS = 6

# Eight vectors of signs, whose products are 0 and 2 in absolute value: coherence 1/4.
SIGNS: Rows = tuple(
    tuple(1 if x == "+" else -1 for x in row)
    for row in [
        "++++++++",
        "+++++---",
        "++---+--",
        "+++---++",
        "++-+--+-",
        "++--+--+",
        "+-++-+-+",
        "+-+-+++-",
    ]
)
# The regular simplex of four vectors, the last two turned round: coherence 1/3.
SIMPLEX: Rows = ((3, -1, -1, -1), (-1, 3, -1, -1), (1, 1, -3, 1), (1, 1, 1, -3))


def units(length: int) -> Rows:
    """The unit vectors."""
    return tuple(tuple(int(i == j) for j in range(length)) for i in range(length))


def coherence(rows: Rows) -> Fraction:
    """The largest absolute value of an inner product of two of the unit vectors."""
    norm = dot(rows[0], rows[0])
    return max(
        (abs(dot(a, b)) / norm for k, a in enumerate(rows) for b in rows[:k]), default=Fraction(0)
    )


def are_vectors(value: Any) -> bool:
    """Whether these are integer vectors of one dimension and one length, which is not zero."""
    if type(value) is not tuple or not value or not all(type(row) is tuple for row in value):
        return False
    if not all(type(x) is int for row in value for x in row):
        return False
    norms = {sum(x * x for x in row) for row in value}
    return len({len(row) for row in value}) == 1 and len(norms) == 1 and norms != {0}


def below(threshold: Any) -> Any:
    """Cases (vectors, s, number) with 1 <= s <= T and a coherence below a function of s."""
    return record(
        are_vectors,
        integer(1),
        number(above=0),
        where=lambda rows, s, _: s <= len(rows) and coherence(rows) < threshold(s),
    )


def _encoding(rows: Rows) -> Encoding:
    return from_vectors(rows, norm=int(dot(rows[0], rows[0])))


def _signs(max_positions: int, dimension: int = 8) -> Any:
    """Random vectors of signs, how many matter, and a number."""
    return drawn(
        lambda st: st.tuples(
            st.lists(
                st.tuples(*[st.sampled_from((1, -1))] * dimension),
                min_size=1,
                max_size=max_positions,
                unique=True,
            ).map(tuple),
            st.integers(1, 3),
            st.sampled_from((Fraction(1, 2), Fraction(2, 3), 1, 2)),
        )
    )


def _same(found: Fraction, second: Fraction, what: str) -> None:
    """Both roads agree, or the claim says nothing."""
    if found != second:
        raise ArithmeticError(f"{what}: the library has {found}, the layer has {second}")


# --- definitions ----------------------------------------------------------------------------------
def _few() -> Iterator[tuple[Rows, int, Any]]:
    for length, s in ((1, 1), (3, 1), (4, 2), (5, 3)):
        yield units(length), s, 7
    yield SIGNS[:5], 2, Fraction(3, 2)
    yield SIGNS[:4], 1, 2


_is_warm = record(
    are_vectors,
    integer(1),
    number(above=1),
    where=lambda rows, s, base: s <= len(rows) and coherence(rows) * (2 * s - 1) < 1,
)


@claim(
    "edelman2022.definition-3.1",
    source="Definition 3.1 (attention head)",
    wording="reconstructed",
    category="definition",
    cases=_few,
    boundary=(units(1), 1, 2),
    strategy=_signs(5),
    applies=_is_warm,
    near_misses=[
        NearMiss("scores that are not normalised", (units(4), 2, 7), {"norm": "none"}),
        NearMiss("all attention on the largest score", (units(4), 2, 7), {"norm": "max"}),
    ],
)
def attention_head(case: tuple[Rows, int, Any], norm: str = "softmax") -> bool | Fails:
    r"""An attention head is $y = \phi_{out}(\phi_{in}(X)^\top
    \mathrm{Norm}(\mathrm{Score}(x_1, z), \dots, \mathrm{Score}(x_T, z)))$.
    With softmax for Norm the head that selects $s$ of $T$ bits is the mean of $\pm 1$ under
    positive weights of sum one, the powers $e^{R u \cdot v_t}$ over their sum.
    """
    rows, s, base = case
    at_most(len(rows), _WORDS, "positions")
    found = head(conjunction(s), len(rows), encoding=_encoding(rows), base=base)
    c = gram_key(rows, s)
    u = combination(rows, c)
    exponents = [found.denominator * dot(u, row) for row in rows] + [Fraction(0)]
    attention = softmax(exponents, Fraction(base), norm)
    if sum(found.weights().values()) != 1 or list(found.attention) != attention[:s]:
        return Fails(f"the weights are {found.attention}, not {attention[:s]}")
    for word in product((0, 1), repeat=len(rows)):
        mean = dot(attention, [*(2 * bit - 1 for bit in word), 0])
        if found.value(word) != mean:
            return Fails(f"at {word} the head has {found.value(word)}, the mean is {mean}")
    return True


@claim(
    "edelman2022.definition-3.2",
    source="Definition 3.2 (Transformer layer)",
    wording="reconstructed",
    category="definition",
    cases=_few,
    boundary=(units(1), 1, 2),
    strategy=_signs(5),
    applies=_is_warm,
    near_misses=[
        NearMiss(
            "values in the second column, of which W_C reads the first",
            (units(4), 2, 7),
            {"column": 1},
        ),
        NearMiss("twice the query's norm", (units(4), 2, 7), {"heat": 2}),
    ],
)
def transformer_layer(case: tuple[Rows, int, Any], column: int = 0, heat: int = 1) -> bool | Fails:
    r"""A layer has the scores $x_\tau^\top W_Q W_K^\top x_t$ and the output
    $W_C^\top \sigma(W_V^\top X^\top \mathrm{softmax}(\cdot))$. The selecting head is one with
    $W_Q = R v_{CLS} e_1^\top$, $W_K = u e_1^\top$, $W_V = (E_1 - E_0) e_1^\top$ and
    $W_C = e_1 e_1^\top$, and its norms are those of these matrices.
    """
    rows, s, base = case
    at_most(len(rows), _WORDS, "positions")
    found = head(conjunction(s), len(rows), encoding=_encoding(rows), base=base)
    c = gram_key(rows, s)
    matrices = weights(combination(rows, c), heat * found.denominator, column=column)
    # Coordinates of positions are stretched by the length of the integer vectors.
    stretch, squares = (
        dot(rows[0], rows[0]),
        [[sum(x * x for x in line) for line in transposed(M)] for M in matrices],
    )
    norms = found.norms
    wanted = (norms.key_squared, norms.value_squared, norms.output_squared)
    if (stretch * squares[1][0], sum(squares[2]), sum(squares[3])) != wanted:
        return Fails(f"the squared norms of W_K, W_V, W_C are not {wanted}")
    gap = flint.arb(fmpq(Fraction(base))).log() * found.denominator
    if not norms.query.overlaps(gap):
        return Fails(f"the norm of W_Q is not {norms.query}")
    for word in product((0, 1), repeat=len(rows)):
        second = output(tokens(rows, word), matrices, Fraction(base))
        if found.value(word) != second:
            return Fails(f"at {word} the head has {found.value(word)}, the layer {second}")
    return True


# --- selecting heads: Lemmas B.2 to B.4, B.7 ------------------------------------------------------
def _printed_base(found: Head, rows: Rows, s: int, product_: Fraction) -> Fraction:
    """exp(R / D) for R = ln(X) / (1 - s Delta): a root of X."""
    root = found.denominator * (1 - s * coherence(rows))
    if root.denominator != 1:
        raise Undecided(f"exp(R / D) is the power 1 / {root} of {product_}: not rational")
    top, bottom = (
        flint.fmpz(x).root(int(root)) for x in (product_.numerator, product_.denominator)
    )
    base = Fraction(int(top), int(bottom))
    if base ** int(root) != product_:
        raise Undecided(f"the root of order {root} of {product_} is not rational")
    return base


def _selecting() -> Iterator[tuple[Rows, int, Any]]:
    for length, s in ((3, 1), (4, 2), (5, 3), (6, 2)):
        yield units(length), s, Fraction(2, s)
    yield SIGNS[:3], 3, Fraction(2, 3)
    yield SIMPLEX, 2, 1


@claim(
    "edelman2022.lemma-B.2",
    source=f"Lemma B.2. {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=_selecting,
    boundary=(units(1), 1, 2),
    strategy=drawn(
        lambda st: st.sampled_from(
            [(units(n), s, Fraction(2, s)) for n in range(1, 6) for s in range(1, n + 1)]
            + [(SIGNS[:n], 3, Fraction(2, 3)) for n in (3, 4)]
            + [(SIMPLEX, 2, 1)]
        )
    ),
    applies=below(lambda s: Fraction(1, s)),
    expected="fails",
    repaired_by="edelman2022.lemma-B.2-repaired",
    proof=PROOF,
    near_misses=[
        NearMiss(
            "R without the length T, orthonormal positions",
            (units(6), 1, 2),
            {"with_length": False},
        ),
    ],
    controls=[
        Control("orthonormal positions", (units(4), 2, 1)),
        Control("one position that matters", (SIGNS[:4], 1, Fraction(32, 27))),
    ],
)
def lemma_b2(case: tuple[Rows, int, Any], with_length: bool = True) -> bool | Fails:
    r"""Let the vectors of positions have coherence at most $\Delta < 1/s$,
    $W_K = \sum_{i \in I} v_i e_1^\top$ and $R = \log(8T/\gamma) / (1 - s\Delta)$. Then the head is
    within $\gamma/4$ of $g_I = \frac1s \sum_{i \in I} \chi_i$ on every input.
    """
    rows, s, gamma = case
    at_most(len(rows), _WORDS, "positions")
    length, encoding = len(rows), _encoding(rows)
    cold = head(conjunction(s), length, encoding=encoding, key="sum", base=2)
    wanted = Fraction(8 * (length if with_length else 1)) / gamma
    base = _printed_base(cold, rows, s, wanted)
    found = head(conjunction(s), length, encoding=encoding, key="sum", base=base)
    u = combination(rows, [Fraction(1)] * s)
    _same(found.error, worst(rows, s, u, found.denominator, base), "the error")
    if found.error > Fraction(gamma) / 4:
        return Fails(f"the error is {found.error}, more than {Fraction(gamma) / 4}")
    return True


def _repaired() -> Iterator[tuple[Rows, int, Any]]:
    for length, s in ((2, 1), (3, 3), (5, 2), (6, 3)):
        yield units(length), s, Fraction(2, s)
    yield SIGNS[:5], 2, 1
    yield SIGNS[2:8], 2, Fraction(1, 3)
    yield SIGNS, 2, 1
    yield SIMPLEX, 1, 2


@claim(
    "edelman2022.lemma-B.2-repaired",
    source=f"Lemma B.2, repaired. {SOURCE}",
    wording="our reading",
    category="lemma",
    cases=_repaired,
    boundary=(units(1), 1, 2),
    strategy=_signs(5),
    applies=below(lambda s: Fraction(1, 2 * s - 1)),
    proof=PROOF,
    near_misses=[
        NearMiss(
            "the key as printed, the sum of the vectors",
            (SIGNS[:3], 2, Fraction(1, 100)),
            {"key": "sum"},
        ),
        NearMiss("the logit for an error of gamma", (units(5), 2, 1), {"slack": 4}),
        NearMiss("an error of gamma / 8", (units(5), 2, 1), {"share": 8}),
    ],
)
def lemma_b2_repaired(
    case: tuple[Rows, int, Any], key: str = "gram", slack: int = 1, share: int = 4
) -> Certificate | bool | Fails:
    r"""Let the coherence be $\Delta < \frac1{2s-1}$, $G$ the Gram matrix of the vectors in $I$,
    $c = G^{-1}\mathbf 1$, $u = \sum_I c_i v_i$. Then $u \cdot v_i = 1$ on $I$,
    $\|u\|^2 = \mathbf 1^\top c \le \frac s{1-(s-1)\Delta}$, off $I$
    $|u \cdot v_t| \le \lambda = \frac{s\Delta}{1-(s-1)\Delta} < 1$, and with
    $e^{R(1-\lambda)} \ge \frac{8(T+1-s)}{s\gamma}$ the head with the key $u$ is within
    $\gamma/4$ of $g_I$.
    """
    rows, s, gamma = case
    length, encoding, delta = len(rows), _encoding(rows), coherence(rows)
    chosen = head(conjunction(s), length, encoding=encoding, gamma=gamma * slack)
    base = Fraction(chosen.base)
    found = head(conjunction(s), length, encoding=encoding, key=key, base=base)
    c = gram_key(rows, s) if key == "gram" else [Fraction(1)] * s
    u, norm = combination(rows, c), dot(rows[0], rows[0])
    scores = [dot(u, row) for row in rows]
    leak = s * delta / (1 - (s - 1) * delta)
    if encoding.coherence != delta or list(found.own_scores) != scores[:s]:
        return Fails(f"scores {found.own_scores} and coherence {encoding.coherence} are not right")
    if set(scores[:s]) != {1} or any(abs(r) > leak for r in scores[s:]):
        return Fails(f"the scores are {scores}, the bound off I is {leak}")
    square = norm * dot(u, u)
    if square != sum(c) or square > s / (1 - (s - 1) * delta) or square != found.norms.key_squared:
        return Fails(f"the squared norm of the key is {square}")
    needed = Fraction(8 * (length + 1 - s)) / (s * Fraction(gamma))
    steps = (1 - max([Fraction(0), *scores[s:]])) * found.denominator
    if base ** int(steps) * slack < needed:
        return Fails(f"the library's base {base} is below the one needed")
    if length <= _WORDS:
        second = worst(rows, s, u, found.denominator, base)
        if found.error != second:
            return Fails(f"the error is {second}, the library has {found.error}")
    if found.error > Fraction(gamma) / share:
        return Fails(f"the error is {found.error}, more than {Fraction(gamma) / share}")
    certificate = found.certificate()
    # A certificate of anything else does not check.
    small = Rational(1, 10**6)
    forged = (
        {"error": certificate.error + small},
        {"error": certificate.error - small},
        {"base": certificate.base + small},
        {"length": length + 1},
        {"sparsity": s + 1},
        {"counts": (*certificate.counts, 1)},
        {"key": certificate.key + certificate.key},
    )
    for change in forged:
        if attrs.evolve(certificate, **change).check():
            raise ArithmeticError(f"a certificate with {change} checks")
    return certificate


@claim(
    "edelman2022.lemma-B.3",
    source=f"Lemma B.3 (trainable positions). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=[
        (1, 1, 2),
        (3, 1, 2),
        (4, 2, 1),
        (5, 3, Fraction(2, 3)),
        (6, 2, Fraction(1, 5)),
        (10**6, 3, Fraction(2, 3)),
    ],
    boundary=(2, 2, 1),
    strategy=drawn(
        lambda st: st.tuples(
            st.integers(1, 10**6), st.integers(1, 4), st.fractions("1/50", 2, max_denominator=50)
        ).map(lambda c: (c[0] + c[1], c[1], min(c[2], Fraction(2, c[1]))))
    ),
    applies=record(
        integer(1), integer(1), number(above=0), where=lambda T, s, gamma: s <= T and gamma * s <= 2
    ),
    proof=PROOF,
    near_misses=[
        NearMiss("logits that do not grow with T", (6, 1, 2), {"with_length": False}),
        NearMiss("an error of gamma / 8", (6, 1, 2), {"share": 8}),
    ],
)
def lemma_b3(
    case: tuple[int, int, Any], with_length: bool = True, share: int = 4
) -> Certificate | Fails:
    r"""If the vectors of positions are trained too, one vector for $i \in I$ and zero elsewhere
    do: $\|W_K\| = 1$, $R = \log(8T/\gamma)$, $\|W_V\| \le 2$, $\|W_C\| \le 1$ and an error of at
    most $\gamma/4$.
    """
    T, s, gamma = case
    base = Fraction(8 * (T if with_length else 1)) / gamma
    found = head(conjunction(s), T, construction="trainable", base=base)
    if T <= _WORDS:
        rows = tuple((int(a < s),) for a in range(T))
        second = worst(rows, s, [Fraction(1)], 1, base)
        if found.error != second:
            return Fails(f"the error is {second}, the library has {found.error}")
    norms = found.norms
    if norms.key_squared > 1 or norms.value_squared > 4 or norms.output_squared > 1:
        return Fails(f"the norms are {norms}")
    if found.error > Fraction(gamma) / share:
        return Fails(f"the error is {found.error}, more than {Fraction(gamma) / share}")
    return found.certificate()


# --- a bag of vectors -----------------------------------------------------------------------------
def _no_base(rows: Rows, s: int, most: Fraction) -> bool:
    """Whether two words show that a bag with the plain sum as its key has no base that serves.

    At the word of zeros the error is s T / (q^D + T), so q^D >= T (s / most - 1); from there on the
    error at the word with ones on I alone is above `most`, as a polynomial in q shows.
    """
    if most == 0:
        return True
    u = combination(rows, [Fraction(1)] * s)
    scores = [dot(u, row) for row in rows[:s]]
    D, length = 1, len(rows)
    for r in scores:
        D *= Fraction(D * r).denominator
    least = (s / most - 1) * length
    start = int(flint.fmpz(int(least)).root(D))
    lowest = min(int(D * r) for r in (*scores, Fraction(0)))
    top, bottom = (flint.fmpq_poly([0]), flint.fmpq_poly([0]))
    rest = ((Fraction(1), Fraction(-s), 1), (Fraction(0), Fraction(0), length - s))
    for r, value, count in [*((r, r, 1) for r in scores), *rest]:
        power = flint.fmpq_poly([0] * (int(D * r) - lowest) + [count])
        top, bottom = top + power * fmpq(value), bottom + power
    for sign in (1, -1):
        excess = (sign * top - fmpq(most) * bottom)(flint.fmpq_poly([start, 1]))
        if excess[0] > 0 and all(excess[k] >= 0 for k in range(excess.degree() + 1)):
            return True
    return False


_bags = record(
    are_vectors,
    integer(1),
    where=lambda rows, s: s <= len(rows) and coherence(rows) * s < 1,
)


@claim(
    "edelman2022.lemma-B.4",
    source=f"Lemma B.4 (bag of vectors). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=[(units(3), 1), (units(4), 2), (units(4), 3), (SIGNS[:3], 3)],
    boundary=(units(1), 1),
    strategy=drawn(
        lambda st: st.sampled_from(
            [(units(n), s) for n in range(1, 6) for s in range(1, n + 1)] + [(SIGNS[:3], 3)]
        )
    ),
    applies=_bags,
    expected="fails",
    repaired_by="edelman2022.lemma-B.4-repaired",
    proof=PROOF,
    near_misses=[NearMiss("no error at all, orthonormal positions", (units(4), 2), {"share": 0})],
    controls=[Control("orthonormal positions", (units(5), 2))],
)
def lemma_b4(case: tuple[Rows, int], share: Any = Fraction(1, 4)) -> bool | Fails:
    r"""Let a token be $v_t$ where the bit is one and $0$ where it is zero, the coherence
    $\Delta < 1/s$, $W_K = (v_{CLS} + \sum_I v_i) e_1^\top$ and
    $W_V = (\sum_I v_i - s\,v_{CLS}) e_1^\top$. Then for some $R$ the head is within $\frac1{4s}$ of
    $\frac{r-s}{r+1}$, $r$ the number of ones in $I$, on every input.
    """
    rows, s = case
    at_most(len(rows), _WORDS, "positions")
    most = Fraction(share) / s
    u = combination(rows, [Fraction(1)] * s)
    for k in range(1, 13):
        found = head(
            conjunction(s),
            len(rows),
            construction="bag",
            encoding=_encoding(rows),
            key="sum",
            base=2**k,
        )
        if k == 3:
            second = worst(rows, s, u, found.denominator, Fraction(8), bag=True)
            _same(found.error, second, "the error at the base 8")
        if found.error <= most:
            return True
    if _no_base(rows, s, most):
        return Fails(f"for every R one of two words has an error above {most}")
    raise Undecided("none of the bases 2, 4, ..., 4096 serves, and two words do not exclude others")


@claim(
    "edelman2022.lemma-B.4-repaired",
    source=f"Lemma B.4, repaired. {SOURCE}",
    wording="our reading",
    category="lemma",
    cases=[
        (units(1), 1),
        (units(3), 2),
        (units(5), 2),
        (units(5), 3),
        (SIGNS[:4], 2),
        (SIMPLEX, 1),
    ],
    boundary=(units(2), 2),
    strategy=drawn(
        lambda st: st.sampled_from(
            [(units(n), s) for n in range(1, 7) for s in range(1, n + 1)]
            + [(SIGNS[a : a + n], s) for a in range(4) for n in (2, 3, 4) for s in (1, 2)]
        )
    ),
    applies=record(
        are_vectors,
        integer(1),
        where=lambda rows, s: s <= len(rows) and coherence(rows) * (2 * s - 1) < 1,
    ),
    proof=PROOF,
    near_misses=[
        NearMiss("a smaller base, orthonormal positions", (units(5), 2), {"less": 1}),
        NearMiss("the plain sum as key and value", (SIGNS[:3], 3), {"key": "sum"}),
    ],
)
def lemma_b4_repaired(case: tuple[Rows, int], less: int = 0, key: str = "gram") -> bool | Fails:
    r"""With $u$ of the repaired Lemma B.2 in place of $\sum_I v_i$ and $\Delta < \frac1{2s-1}$ the
    bag of vectors is within $\frac1{4s}$ of $\frac{r-s}{r+1}$ for $R$ large enough. Two goals
    differ by at least $\frac1s$. For orthonormal positions the least $e^R$ is $T(4s^2-1)$, and the
    worst input has no ones.
    """
    rows, s = case
    at_most(len(rows), _WORDS, "positions")
    encoding, length = _encoding(rows), len(rows)
    chosen = head(conjunction(s), length, construction="bag", encoding=encoding)
    base = Fraction(chosen.base) - less
    found = head(conjunction(s), length, construction="bag", encoding=encoding, key=key, base=base)
    u = combination(rows, gram_key(rows, s) if key == "gram" else [Fraction(1)] * s)
    second = worst(rows, s, u, found.denominator, base, bag=True)
    if found.error != second:
        return Fails(f"the error is {second}, the library has {found.error}")
    gaps = [found.goal(r + 1) - found.goal(r) for r in range(s)]
    if gaps != [Fraction(s + 1, (r + 1) * (r + 2)) for r in range(s)] or min(gaps) != Fraction(
        1, s
    ):
        return Fails(f"the goals differ by {gaps}")
    if coherence(rows) == 0 and chosen.base != length * (4 * s * s - 1):
        return Fails(f"the library's base is {chosen.base}")
    if second > Fraction(1, 4 * s):
        return Fails(f"the error is {second}, more than 1/{4 * s}")
    return True


@claim(
    "edelman2022.lemma-B.7",
    source=f"Lemma B.7 (softmax truncation). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=_few,
    boundary=(units(1), 1, 2),
    strategy=_signs(5),
    applies=_is_warm,
    proof=PROOF,
    near_misses=[
        NearMiss("half of the bound", (units(5), 2, 1000), {"factor": 1}),
        NearMiss(
            "uniform weights on I, by a key that is the plain sum",
            (SIGNS[:3], 3, 2),
            {"key": "sum"},
        ),
    ],
)
def lemma_b7(case: tuple[Rows, int, Any], factor: int = 2, key: str = "gram") -> bool | Fails:
    r"""If the scores on $I$, $|I| = s$, exceed the $n$ others by at least $R$, then softmax differs
    from its restriction to $I$ by $2Q \le \frac{2n}{s e^R}$ in the 1-norm, $Q$ the mass outside of
    $I$; and the restriction is uniform if the scores on $I$ are equal.
    """
    rows, s, base = case
    found = head(conjunction(s), len(rows), encoding=_encoding(rows), key=key, base=base)
    u = combination(rows, gram_key(rows, s) if key == "gram" else [Fraction(1)] * s)
    exponents = [found.denominator * dot(u, row) for row in rows] + [Fraction(0)]
    attention = softmax(exponents, Fraction(base))
    mass = sum(attention[:s])
    near = [w / mass for w in attention[:s]] + [Fraction(0)] * (len(attention) - s)
    distance = sum(abs(a - b) for a, b in zip(attention, near, strict=True))
    if distance != 2 * (1 - found.mass):
        return Fails(f"the distance is {distance}, the library's mass outside {1 - found.mass}")
    gap = min(exponents[:s]) - max(exponents[s:])
    if distance > factor * Fraction(len(attention) - s, s) / Fraction(base) ** int(gap):
        return Fails(f"the distance is {distance}, for a gap of {gap} powers of {base}")
    if set(near[:s]) != {Fraction(1, s)}:
        return Fails(f"the restriction is {near[:s]}, not uniform")
    return True
