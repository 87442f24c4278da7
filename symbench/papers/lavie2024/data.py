"""What pair correlations say of a data set: necessary for permutation symmetry, not sufficient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.rational import fmpq
from symbench.laws import Iid, Mixture
from symbench.laws.base import Word, asymmetry
from symbench.laws.moments import hidden_triple, moment_residual
from symbench.papers._cases import at_most, integer, many, number, record
from symbench.registry import Fails, NearMiss, claim
from symbench.young import Block, BlockForm, Partition

Component = tuple[Fraction, tuple[Fraction, ...]]
_PAGE = "proofs/lavie2024/exchangeability.md"
_HALF = Rational(1, 2)


def _uniform_on(words: tuple[Word, ...]) -> dict[Word, Rational]:
    return {word: Rational(1, len(words)) for word in words}


_MOST = 1_000_000  # pairs of positions, in all words


def _symmetric_to_second_order(words: Any) -> bool:
    """Different words of one length, uniform, with symmetric second moments.

    The moments of more words than are gone through are not computed.
    """
    different = many(many(integer(0)))(words) and len({*words}) == len(words)
    if not different or len({*map(len, words)}) > 1:
        return False
    large = len(words) * len(words[0]) ** 2 > _MOST
    return large or moment_residual(_uniform_on(words), order=2) == 0


def _even(count: int, length: int) -> tuple[Word, ...]:
    """Words of bits whose first so many add up to an even number."""
    return tuple(w for w in product((0, 1), repeat=length) if sum(w[:count]) % 2 == 0)


@claim(
    "lavie2024.exchangeability",
    source="Poster: permutation symmetry of a data set, from the correlations of k = 0 and k != 0",
    category="claim",
    cases=[tuple(hidden_triple()), _even(3, 5)],
    boundary=tuple(hidden_triple()),
    applies=_symmetric_to_second_order,
    expected="fails",
    repaired_by="lavie2024.exchangeability-repaired",
    proof=_PAGE,
    near_misses=[
        NearMiss("moments to order 3", _even(4, 5), {"order": 3}),
        NearMiss("moments of order 1", ((0, 0, 1, 1), (1, 1, 0, 0)), {"order": 1}),
    ],
)
def exchangeability(words: tuple[Word, ...], order: int = 2) -> bool | Fails:
    r"""A law of words whose second moments $\mathbb{E} x_a x_b^\top$ do not change when positions
    are permuted is exchangeable. Refuted by the uniform law on four bits with $x_1 + x_2 + x_3$
    even: its second moments are those of independent fair bits.
    """
    at_most(len(words) * len(words[0]) ** 2, _MOST, "pairs of positions")
    law = _uniform_on(words)
    if moment_residual(law, order=order):
        return True  # the hypothesis is not satisfied
    witness = asymmetry(law)
    if witness is None:
        return True
    first, second = witness
    return Fails(f"p{first} = {law[first]}, p{second} = {law.get(second, Rational(0))}")


def _word_law(length: int, components: tuple[Component, ...]) -> dict[Word, Rational]:
    law = Mixture([(weight, Iid(*probabilities)) for weight, probabilities in components])
    words = product(range(law.vocabulary), repeat=length)
    return {word: law.probability(word) for word in words}


def _is_mixture(_: int, components: tuple[Component, ...]) -> bool:
    """Whether weights and probabilities add up to 1, over one vocabulary."""
    weights, laws = zip(*components, strict=True)
    return {sum(weights), *map(sum, laws)} == {1} and len(set(map(len, laws))) == 1


def _moment(law: Mapping[Word, Fraction], a: int, u: int, b: int, v: int) -> Fraction:
    """The probability of token u at a and v at b."""
    return sum((p for w, p in law.items() if w[a] == u and w[b] == v), Fraction(0))


def _modes_agree(law: Mapping[Word, Fraction]) -> bool | Fails:
    """Whether C_0 = D + (L-1) O, C_k = D - O, and different modes are uncorrelated: exactly.

    The roots of unity are polynomials modulo the cyclotomic polynomial.
    """
    length = len(next(iter(law)))
    letters = range(1 + max(max(word) for word in law))
    modulus = flint.fmpq_poly(flint.fmpz_poly.cyclotomic(length))
    for u, v in product(letters, repeat=2):
        S = [[_moment(law, a, u, b, v) for b in range(length)] for a in range(length)]
        D, O = S[0][0], S[0][-1]  # noqa: E741
        for k, j in product(range(length), repeat=2):
            coefficients = [flint.fmpq(0)] * length
            for a, b in product(range(length), repeat=2):
                coefficients[(k * a - j * b) % length] += fmpq(S[a][b] / length)
            found = flint.fmpq_poly(coefficients) % modulus
            wanted = Fraction(0) if k != j else D - O + (length * O if k == 0 else 0)
            if found != flint.fmpq_poly([fmpq(wanted)]):
                return Fails(f"modes {k}, {j}, tokens {u}, {v}: {found}, not {wanted}")
    return True


def _mixtures(max_length: int = 4) -> Iterator[tuple[int, tuple[Component, ...]]]:
    third, quarter = Rational(1, 3), Rational(1, 4)
    for length in range(2, max_length + 1):
        yield length, ((Rational(1), (_HALF, _HALF)),)
        yield length, ((third, (quarter, 1 - quarter)), (1 - third, (third, 1 - third)))
        yield length, ((_HALF, (third, third, third)), (_HALF, (_HALF, quarter, quarter)))


def _sticky(length: int) -> dict[Word, Fraction]:
    """A chain of bits that stays with probability 3/4: stationary, and not exchangeable."""
    law = {}
    for word in product((0, 1), repeat=length):
        stays = sum(a == b for a, b in pairwise(word))
        law[word] = Fraction(3**stays, 2 * 4 ** (length - 1))
    return law


@claim(
    "lavie2024.exchangeability-repaired",
    source="What an exchangeable law says of its second moments",
    category="proposition",
    cases=_mixtures,
    boundary=(2, ((Rational(1), (_HALF, _HALF)),)),
    applies=record(integer(1), many(record(number(0), many(number(0)))), where=_is_mixture),
    proof=_PAGE,
    near_misses=[
        NearMiss(
            "a stationary chain: C_k is its spectral density", 4, lambda n: _modes_agree(_sticky(n))
        ),
        NearMiss(
            "a law on words in order",
            ((0, 1), (0, 0)),
            lambda words: _modes_agree(_uniform_on(words)),
        ),
    ],
)
def exchangeability_repaired(case: tuple[int, tuple[Component, ...]]) -> Certificate | Fails:
    r"""If the law of $x$ is exchangeable, $D = \mathbb{E} x_a x_a^\top$ and $O = \mathbb{E} x_a
    x_b^\top$, then the Fourier modes $\hat x_k = L^{-1/2} \sum_a e^{2\pi i k a/L} x_a$ have
    $\mathbb{E} \hat x_0 \hat x_0^\dagger = D + (L-1) O$, $\mathbb{E} \hat x_k \hat x_k^\dagger = D
    - O$ for every $k \ne 0$, and $\mathbb{E} \hat x_k \hat x_j^\dagger = 0$ for $k \ne j$. This is
    necessary for symmetry, and a test to second order; moments of every order up to $L$ together
    are sufficient.
    """
    length, components = case
    at_most(length, 12, "positions")
    at_most(len(components[0][1]) ** length, 5_000, "words")
    law = _word_law(length, components)
    for order in range(1, min(length, 3) + 1):
        if moment_residual(law, order=order):
            return Fails(f"the moments of order {order} are not symmetric")
    agree = _modes_agree(law)
    return agree if isinstance(agree, Fails) else _two_blocks(law)


def _two_blocks(law: Mapping[Word, Fraction]) -> Certificate:
    """The second moments in a rational basis: D + (L-1) O on the mean, D - O on differences."""
    length, size = len(next(iter(law))), 1 + max(max(word) for word in law)
    places = list(product(range(length), range(size)))
    moments = Matrix([[_moment(law, *x, *y) for y in places] for x in places], QQ)
    first, last = range(size), range((length - 1) * size, length * size)
    D, O = moments.submatrix(first, first), moments.submatrix(first, last)  # noqa: E741
    blocks = [Block(Partition(length), D + O * (length - 1), 1)]
    if length > 1:
        blocks.append(Block(Partition(length - 1, 1), D - O, length - 1))
    mean = [[int(v == u) for _, v in places] for u in first]
    differences = [
        [int(v == u) * ((b == a) - (b == length - 1)) for b, v in places]
        for u, a in product(first, range(length - 1))
    ]
    basis = Matrix([*mean, *differences], QQ).transpose()
    return block_certificate(BlockForm(basis, tuple(blocks)), moments)
