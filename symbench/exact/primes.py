"""Word-size primes, and how rational numbers map to the integers modulo one.

>>> [p for _, p in zip(range(2), witness_primes())]
[2147483647, 2147483629]
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

import flint

from symbench._arguments import integer, shown
from symbench.errors import BadValue, NotInRing

# FLINT's nmod types hold a modulus in one machine word.
WORD = 1 << 64


@lru_cache(maxsize=1024)  # the same few primes serve again and again
def is_prime(number: int) -> bool:
    """Whether number is a prime below 2^64, which is proved; larger ones are not looked at.

    >>> is_prime(2**61 - 1), is_prime(2**9689 - 1)
    (True, False)
    """
    return 1 < number < WORD and bool(flint.fmpz(number).is_prime())


def word_prime(value: Any, what: str = "the modulus") -> int:
    """The prime below 2^64 that value is; a composite one would make FLINT abort the process.

    >>> word_prime(91)
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the modulus is 91, which is not prime: give a prime below 2^64
    """
    number = integer(value, what)
    if not is_prime(number):
        text = f"{shown(number)}, which is {'too large' if number >= WORD else 'not prime'}"
        raise BadValue(f"{what} is {text}: give a prime below 2^64")
    return number


def witness_primes(start: int = 1 << 31) -> Iterator[int]:
    """The primes below start, largest first.

    31 bits by default: FLINT reduces and eliminates fastest there, and products of two
    residues fit into 64 bits.
    """
    candidate = start - 1
    while candidate > 1:
        if is_prime(candidate):
            yield candidate
        candidate -= 1


def residue(value: int | Fraction, prime: int) -> int:
    """The image of an integer or fraction in the integers modulo prime.

    >>> residue(Fraction(1, 2), 7)
    4
    """
    if isinstance(value, int):
        return value % prime
    if value.denominator % prime == 0:
        raise NotInRing(
            f"{shown(value)} has no image modulo {prime}: its denominator is divisible by it"
        )
    return value.numerator * pow(value.denominator, -1, prime) % prime


def residues_of_inverses(numbers: Sequence[int], prime: int) -> list[int]:
    """The inverses of nonzero integers modulo a prime: one inversion, the rest are products.

    A ValueError says that one of them has none.

    >>> residues_of_inverses([1, 2, 3], 7)
    [1, 4, 5]
    """
    products = [1]
    for number in numbers:
        products.append(products[-1] * number % prime)
    inverse = pow(products.pop(), -1, prime)
    found = []
    for number, before in zip(reversed(numbers), reversed(products), strict=True):
        found.append(inverse * before % prime)
        inverse = inverse * number % prime
    return found[::-1]
