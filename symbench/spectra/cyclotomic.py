"""Numbers in Q(z), z a root of unity of order d: coefficients, rational matrices, residues."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import flint


@lru_cache(maxsize=64)
def power_table(d: int) -> tuple[tuple[int, ...], ...]:
    """For t = 0, ..., d - 1 the coefficients of z^t in 1, z, ..., z^(phi(d) - 1).

    >>> power_table(3)
    ((1, 0), (0, 1), (-1, -1))
    """
    modulus = flint.fmpz_poly.cyclotomic(d)
    degree = modulus.degree()
    found = []
    for t in range(d):
        rest = flint.fmpz_poly([0] * t + [1]) % modulus
        found.append(tuple(int(rest[k]) for k in range(degree)))
    return tuple(found)


def matrix_of(numbers: Any, d: int) -> Any:
    """The integer matrix that multiplies by a matrix over Z[z], in the basis 1, z, z^2, ...

    numbers[k] has the coefficients of z^k.

    >>> import numpy as np
    >>> matrix_of(np.array([[[0]], [[1]]]), 3)
    [0, -1]
    [1, -1]
    """
    import numpy as np

    powers = power_table(d)
    degree, rows, columns = numbers.shape
    total = np.zeros((rows, degree, columns, degree), dtype=object)
    for k in range(degree):
        for i in range(degree):
            for row, c in enumerate(powers[(k + i) % d]):
                if c:
                    total[:, row, :, i] += c * numbers[k].astype(object)
    return flint.fmpz_mat(total.reshape(rows * degree, columns * degree).tolist())


def root_modulo(d: int, above: int) -> tuple[int, int]:
    """The next prime p with p = 1 modulo d, and a number of order d modulo p.

    >>> root_modulo(3, 10)
    (13, 3)
    """
    prime = above + (1 - above) % d
    while prime <= above or not flint.fmpz(prime).is_prime():
        prime += d
    small = [q for q in range(2, d + 1) if d % q == 0 and flint.fmpz(q).is_prime()]
    base = 2
    while True:
        root = pow(base, (prime - 1) // d, prime)
        if all(pow(root, d // q, prime) != 1 for q in small):
            return prime, root
        base += 1
