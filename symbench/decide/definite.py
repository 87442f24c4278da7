"""Search for certificates that a matrix is positive definite or not, by Cholesky factors.

First M, scaled to unit diagonal, less a part of its smallest eigenvalue is factored in float64. If
c M - G^T G is diagonally dominant for the rounded factor G, by more than a rigorous bound on all
rounding errors, G is a certificate, and one product checks it. Where the diagonal is too uneven
or M too ill conditioned for that, the factor is inverted: F^T M F is better conditioned by many
orders of magnitude, and the step is repeated on it until F^T M F is dominant itself. Floats only
propose: what they propose is bounded rigorously here or multiplied out, and checked in integers
there.
"""

from __future__ import annotations

from contextlib import suppress
from math import inf
from typing import Any

import flint

from symbench.certificates import NotPositiveDefinite, PositiveDefinite, Singular
from symbench.decide.nonsingular import decide_nonsingular
from symbench.errors import BadShape, BadValue, NotSupported, Undecided
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.arrays import np

_ROUNDS = 40
_UNIT = 2.0**-53


def decide_definite(matrix: Matrix) -> PositiveDefinite | NotPositiveDefinite:
    """Find a certificate that a symmetric matrix over ZZ or QQ is positive definite or not."""
    if matrix.ring not in (ZZ, QQ):
        raise NotSupported(f"positive definiteness is decided over ZZ and QQ, not {matrix.ring!r}")
    if not matrix.is_symmetric():
        if matrix.shape[0] != matrix.shape[1]:
            raise BadShape("positive definiteness needs a square matrix")
        raise BadValue("the matrix is not symmetric: certify (M + M.transpose()) instead")
    size = matrix.shape[0]
    if size == 0:
        return PositiveDefinite(factor=Matrix([]), subject=matrix)
    total: Matrix | None = None  # the product of the factors so far, nonsingular
    current = matrix
    for round_number in range(_ROUNDS):
        bad = next((i for i in range(size) if current[i, i] <= 0), None)
        if bad is not None:
            return _negative(matrix, total, [int(i == bad) for i in range(size)])
        scaled, exponents = _scaled(current)
        steep = _steep_pair(current, scaled)
        if steep is not None:
            return _negative(matrix, total, steep)
        if round_number == 0 and (near := _gram(scaled, exponents)) is not None:
            scale, gram = near
            return PositiveDefinite(scale=scale, gram=gram, subject=matrix)
        factor, proved = _factor(scaled)
        if factor is None:
            direction = _negative_direction(scaled)
            if direction is not None:
                found = _negative(matrix, total, _unscale(direction, exponents))
                if found.check():
                    return found
            factor = _regularised(scaled)
        step = _integer_matrix(factor, exponents)
        total = step if total is None else total @ step
        candidate = PositiveDefinite(factor=total, subject=matrix)
        if proved and candidate.check():
            return candidate
        if round_number == 1:
            # A singular matrix would be refined for ever.
            singular = decide_nonsingular(matrix)
            if isinstance(singular, Singular):
                return NotPositiveDefinite(direction=singular.null, subject=matrix)
        current = total.transpose() @ (matrix @ total)
    raise Undecided(f"no factor in {_ROUNDS} refinements: the matrix is too ill conditioned")


def _negative(matrix: Matrix, total: Matrix | None, vector: list[Any]) -> NotPositiveDefinite:
    """The certificate for a vector of the refined matrix, mapped back."""
    direction = Matrix([[x] for x in vector])
    if total is not None:
        direction = total @ direction
    return NotPositiveDefinite(direction=direction, subject=matrix)


def _scaled(matrix: Matrix) -> tuple[Any, list[int]]:
    """(B, e): B_ij = M_ij 2^(e_i + e_j) rounded to float64, with diagonal between 1/2 and 2."""
    size = matrix.shape[0]
    exponents = [-_log2(matrix[i, i]) // 2 for i in range(size)]
    upper = np.triu_indices(size)
    # Half of a symmetric matrix: turning big integers into floats is what takes the time.
    entries = matrix.flint.entries()
    half = [x for i in range(size) for x in entries[i * size + i : (i + 1) * size]]
    powers = np.array(exponents)[upper[0]] + np.array(exponents)[upper[1]]
    values = _rounded(half, powers, integral=matrix.ring == ZZ)
    scaled = np.zeros((size, size))
    scaled[upper] = values
    return scaled + np.triu(scaled, 1).T, exponents


def _rounded(values: list[Any], powers: Any, *, integral: bool) -> Any:
    """The values times powers of two, each correctly rounded."""
    if integral:
        with suppress(OverflowError, FloatingPointError), np.errstate(all="raise"):
            return np.ldexp(np.array([int(x) for x in values]).astype(float), powers)
    # Rationals, and what no float holds before it is scaled: in integers.
    return np.array([_ldexp(x, int(s)) for x, s in zip(values, powers, strict=True)])


def _log2(value: Any) -> int:
    return int(value.numerator).bit_length() - int(value.denominator).bit_length()


def _ldexp(value: Any, shift: int) -> float:
    """value * 2^shift, correctly rounded; infinite if it is too large."""
    number = flint.fmpq(value)
    top, bottom = int(number.p), int(number.q)
    try:
        return (top << shift) / bottom if shift >= 0 else top / (bottom << -shift)
    except OverflowError:
        return inf


def _steep_pair(matrix: Matrix, scaled: Any) -> list[Any] | None:
    """A vector v with v^T M v < 0 from an entry that outweighs its diagonal, or None.

    A scaled diagonal is below 2, so M_ij^2 > M_ii M_jj where a scaled entry is above 2.
    """
    i, j = (int(k) for k in np.unravel_index(np.abs(scaled).argmax(), scaled.shape))
    if i == j or abs(scaled[i, j]) <= 2:
        return None
    vector: list[Any] = [0] * matrix.shape[0]
    vector[i], vector[j] = -matrix[i, j], matrix[i, i]
    return vector


def _gram(scaled: Any, exponents: list[int]) -> tuple[int, Matrix] | None:
    """(c, G) with c M - G^T G diagonally dominant by a rigorous bound, or None."""
    largest = max(exponents)
    shifts = np.array([largest - e for e in exponents])
    if shifts.max() > 30:  # rows of so different sizes do not dominate each other
        return None
    part = _part_of_smallest(scaled)
    if part is None:
        return None
    root = np.linalg.cholesky(scaled - part * np.eye(len(scaled))).T
    for bits in (16, 30, 46):
        rounded = np.rint(np.ldexp(root, bits))
        if _leaves_dominant(scaled, rounded, bits, np.ldexp(1.0, shifts)):
            # c = 4^(bits + largest), or 1 where that is no integer; then G is larger instead.
            up = max(-bits - largest, 0)
            return 1 << 2 * (bits + largest + up), _shifted(rounded, [int(s) + up for s in shifts])
    return None


def _part_of_smallest(scaled: Any) -> float | None:
    """A number that leaves B - t I positive definite, most of the smallest eigenvalue; or None."""
    from scipy.linalg import cho_solve

    size = len(scaled)
    try:
        root = np.linalg.cholesky(scaled)
        vector = np.ones(size)
        for _ in range(8):  # inverse iteration: what it finds is too large, not by much
            vector = cho_solve((root, True), vector)
            norm = np.linalg.norm(vector)
            if not np.isfinite(norm) or norm == 0:
                return None
            vector /= norm
        part = 0.5 * float(vector @ scaled @ vector)
        for _ in range(20):
            with suppress(np.linalg.LinAlgError):
                np.linalg.cholesky(scaled - part * np.eye(size))
                return part
            part /= 4
    except np.linalg.LinAlgError:
        pass
    return None


def _leaves_dominant(scaled: Any, rounded: Any, bits: int, weights: Any) -> bool:
    """Whether D = 4^bits B - G^T G has D_ii w_i > sum of |D_ij| w_j for every B within a rounding.

    The bound of a product is as in `_dominant`. Multiplying by 4^bits is exact, and the difference
    rounds once more.
    """
    size = len(scaled)
    growth = (size + 2) * _UNIT / (1 - (size + 2) * _UNIT)
    with np.errstate(all="ignore"):
        goal = np.ldexp(scaled, 2 * bits)
        rest = goal - rounded.T @ rounded
        product = np.abs(rounded).T @ (np.abs(rounded) @ weights)
        error = (growth * product + _UNIT * (np.abs(goal) @ weights)) * (1 + 1e-6) + 1e-250
        sums = (np.abs(rest) @ weights) * (1 + 3 * growth)
        slack = 2 * np.diag(rest) * weights * (1 - _UNIT) - sums - error
        return bool(np.isfinite(slack).all() and (slack > 0).all())


def _factor(scaled: Any) -> tuple[Any, bool]:
    """(F, proved): the rounded inverse Cholesky factor, and whether the error bound proves it."""
    inverse = _inverse_cholesky(scaled)
    if inverse is None:
        return None, False
    rounded = inverse
    for bits in (16, 30, 46):
        rounded = _round(inverse, bits)
        if _dominant(scaled, rounded):
            return rounded, True
    return _nonsingular(rounded), False


def _inverse_cholesky(scaled: Any) -> Any:
    """The upper triangular F with F^T B F = 1, about; None if B has no Cholesky factor."""
    try:
        inverse = np.triu(np.linalg.inv(np.linalg.cholesky(scaled)).T)
    except np.linalg.LinAlgError:
        return None
    return inverse if np.isfinite(inverse).all() else None


def _round(inverse: Any, bits: int) -> Any:
    """The matrix scaled to integers of at most the given number of bits."""
    _, top = np.frexp(np.abs(inverse).max())
    return np.rint(np.ldexp(inverse, bits - int(top)))


def _nonsingular(rounded: Any) -> Any:
    """An upper triangular factor whose diagonal was not rounded to zero: it loses nothing."""
    np.fill_diagonal(rounded, np.maximum(rounded.diagonal(), 1))
    return rounded


def _dominant(scaled: Any, factor: Any) -> bool:
    """Whether F^T B F is diagonally dominant for every B within one rounding of scaled.

    With u = 2^-53 and g = n u / (1 - n u), a product of n x n matrices in any order of
    summation has error at most g |A| |B| (Higham, Accuracy and Stability, 3.5). The errors'
    row sums need only products with vectors; the last factor absorbs their own rounding.
    """
    size = scaled.shape[0]
    growth = (size + 2) * _UNIT / (1 - (size + 2) * _UNIT)
    with np.errstate(all="ignore"):
        product = scaled @ factor
        gram = factor.T @ product
        weight = np.abs(factor).sum(axis=1)
        first = np.abs(factor).T @ (np.abs(scaled) @ weight)
        second = np.abs(factor).T @ np.abs(product).sum(axis=1)
        error = (growth * (first + second) + _UNIT * first) * (1 + 1e-6) + 1e-250
        sums = np.abs(gram).sum(axis=1) * (1 + growth)
        slack = 2 * np.diag(gram) - sums - error
        return bool(np.isfinite(slack).all() and (slack > 0).all())


def _regularised(scaled: Any) -> Any:
    """The rounded inverse factor of B + t I for the smallest t that factors."""
    size = scaled.shape[0]
    shift = size * 2.0**-50
    while (inverse := _inverse_cholesky(scaled + shift * np.eye(size))) is None:
        shift *= 16
    return _nonsingular(_round(inverse, 46))


def _negative_direction(scaled: Any) -> Any:
    """A rounded eigenvector of the most negative eigenvalue, or None if none is seen."""
    values, vectors = np.linalg.eigh(scaled)
    if values[0] >= 0:
        return None
    return _round(vectors[:, :1], 40)[:, 0]


def _unscale(vector: Any, exponents: list[int]) -> list[int]:
    lowest = min(exponents)
    return [int(x) << (e - lowest) for x, e in zip(vector, exponents, strict=True)]


def _integer_matrix(factor: Any, exponents: list[int]) -> Matrix:
    """Diag(2^e) F as an integer matrix, times a power of two."""
    lowest = min(exponents)
    return _shifted(factor.T, [e - lowest for e in exponents]).transpose()


def _shifted(factor: Any, shifts: list[int]) -> Matrix:
    """F Diag(2^s) as an integer matrix, for a matrix F of integers in floats."""
    integers = factor.astype(np.int64)
    if max(shifts) <= 12 and np.abs(integers).max() < 1 << 50:
        entries = (integers << np.array(shifts)).ravel().tolist()
    else:
        entries = [x << s for row in integers.tolist() for x, s in zip(row, shifts, strict=True)]
    rows, columns = factor.shape
    return Matrix(flint.fmpz_mat(rows, columns, entries))
