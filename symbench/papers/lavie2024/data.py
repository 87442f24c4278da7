"""What pair correlations say of a data set: necessary for permutation symmetry, not sufficient."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import pairwise, product

import flint

from symbench.exact import Rational
from symbench.exact.rational import fmpq
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra.data.moments import hidden_triple, moment_residual
from symbench.spectra.law import IidLaw, MixtureLaw, asymmetry

Word = tuple[int, ...]
Component = tuple[Fraction, tuple[Fraction, ...]]
_PAGE = "proofs/lavie2024/exchangeability.md"
_HALF = Rational(1, 2)


def _uniform_on(words: tuple[Word, ...]) -> dict[Word, Rational]:
    return {word: Rational(1, len(words)) for word in words}


def _symmetric_if(words: tuple[Word, ...], order: int) -> bool | Fails:
    law = _uniform_on(words)
    if moment_residual(law, order=order):
        return True  # the hypothesis is not satisfied
    witness = asymmetry(law)
    if witness is None:
        return True
    first, second = witness
    return Fails(f"p{first} = {law[first]}, p{second} = {law.get(second, Rational(0))}")


def _even(count: int, length: int) -> tuple[Word, ...]:
    """Words of bits whose first so many add up to an even number."""
    return tuple(w for w in product((0, 1), repeat=length) if sum(w[:count]) % 2 == 0)


@claim(
    "lavie2024.exchangeability",
    source="Poster: permutation symmetry of a data set, from the correlations of k = 0 and k != 0",
    category="claim",
    cases=[tuple(hidden_triple()), _even(3, 5)],
    boundary=tuple(hidden_triple()),
    applies=lambda words: moment_residual(_uniform_on(words), order=2) == 0,
    expected="fails",
    repaired_by="lavie2024.exchangeability-repaired",
    proof=_PAGE,
    near_misses=[
        NearMiss("moments to order 3", _even(4, 5), lambda words: _symmetric_if(words, 3)),
        NearMiss("moments of order 1", ((0, 0, 1, 1), (1, 1, 0, 0)), lambda w: _symmetric_if(w, 1)),
    ],
)
def exchangeability(words: tuple[Word, ...]) -> bool | Fails:
    r"""A law of words whose second moments $\mathbb{E} x_a x_b^\top$ do not change when positions
    are permuted is exchangeable. Refuted by the uniform law on four bits with $x_1 + x_2 + x_3$
    even: its second moments are those of independent fair bits.
    """
    return _symmetric_if(words, 2)


def _word_law(length: int, components: tuple[Component, ...]) -> dict[Word, Rational]:
    law = MixtureLaw([(weight, IidLaw(*probabilities)) for weight, probabilities in components])
    words = product(range(law.vocabulary), repeat=length)
    return {word: law.probability(word) for word in words}


def _modes_agree(law: Mapping[Word, Fraction]) -> bool | Fails:
    """Whether C_0 = D + (L-1) O, C_k = D - O, and different modes are uncorrelated: exactly.

    The roots of unity are polynomials modulo the cyclotomic polynomial.
    """
    length = len(next(iter(law)))
    letters = range(1 + max(max(word) for word in law))
    modulus = flint.fmpq_poly(flint.fmpz_poly.cyclotomic(length))
    for u, v in product(letters, repeat=2):
        S = [
            [
                sum((p for w, p in law.items() if w[a] == u and w[b] == v), Fraction(0))
                for b in range(length)
            ]
            for a in range(length)
        ]
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
def exchangeability_repaired(case: tuple[int, tuple[Component, ...]]) -> bool | Fails:
    r"""If the law of $x$ is exchangeable, $D = \mathbb{E} x_a x_a^\top$ and
    $O = \mathbb{E} x_a x_b^\top$, then the Fourier modes
    $\hat x_k = L^{-1/2} \sum_a e^{2\pi i k a/L} x_a$ have
    $\mathbb{E} \hat x_0 \hat x_0^\dagger = D + (L-1) O$,
    $\mathbb{E} \hat x_k \hat x_k^\dagger = D - O$ for every $k \ne 0$, and
    $\mathbb{E} \hat x_k \hat x_j^\dagger = 0$ for $k \ne j$. This is necessary for symmetry, and a
    test to second order; moments of every order up to $L$ together are sufficient.
    """
    length, components = case
    law = _word_law(length, components)
    for order in range(1, min(length, 3) + 1):
        if moment_residual(law, order=order):
            return Fails(f"the moments of order {order} are not symmetric")
    return _modes_agree(law)
