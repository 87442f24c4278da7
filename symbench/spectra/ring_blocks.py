"""The blocks of a kernel on a ring, by frequency: orbits of words instead of words.

Let w run through one word of each orbit under rotation T, n_w the size of the orbit, and z be a
root of unity of order d, d a divisor of L. The functions f_w with f_w(T^t w) = z^t exist where d
divides n_w, and K f_w = sum_u A_uw p_w f_u with A_uw = sum over t < n_w of k(u, T^t w) z^t. These
are numbers in Q(z). Written as rational matrices (multiplication in Q[x] modulo the d-th cyclotomic
polynomial) they give one rational block for all frequencies of order d, whose eigenvalues are
exact. Which frequency an irrational one belongs to is decided by ball arithmetic, with z a complex
number: a ball around an eigenvalue of the block of one frequency meets one candidate only.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from math import gcd, lcm
from typing import Any

import attrs
import flint

from symbench.errors import TooLarge, Undecided
from symbench.exact import Matrix, Rational
from symbench.exact.arrays import np
from symbench.exact.dense import pivot_columns
from symbench.exact.precision import working_precision
from symbench.exact.rational import fmpq, number_text, rational
from symbench.exact.roots import Eigenvalue, RealRoot, eigenvalues
from symbench.young.position_groups import CyclicGroup

Times = tuple[tuple[Eigenvalue, int], ...]
# Values of the kernel: computed all at once, or one by one. Rows whose eigenvalues are found.
_TABLE = 8_000_000
_VALUES = 2_000_000
_POSITIONS = 200  # a word is longer only where there is one token
_ROWS = 420
_MOST_BITS = 1 << 14


# --- numbers in Q(z), z a root of unity of order d ------------------------------------------------
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


# --- words up to rotation -------------------------------------------------------------------------
@attrs.frozen(eq=False)
class Necklaces:
    """One word of each orbit under rotation, the size of its orbit, and its rotations.

    >>> found = Necklaces.of(3, 2)
    >>> found.words.tolist(), found.sizes, found.turned[1].tolist()
    ([[0, 0, 0], [0, 0, 1], [0, 1, 1], [1, 1, 1]], [1, 3, 3, 1], [0, 2, 6, 7])
    """

    every: Any
    words: Any
    sizes: list[int]
    turned: list[Any]

    @classmethod
    def of(cls, length: int, vocabulary: int) -> Necklaces:
        """All necklaces of a length."""
        table = np.array(cls.rotations(length, vocabulary))
        codes = table[0]
        first = table.min(axis=0) == codes
        table = table[:, first]
        sizes = (length // (table == table[0]).sum(axis=0)).tolist()
        places = vocabulary ** np.arange(length - 1, -1, -1)
        every = codes[:, None] // places % vocabulary
        return cls(every, every[first], sizes, list(table))

    @staticmethod
    def rotations(length: int, vocabulary: int) -> list[Any]:
        """For each t the number of every word, rotated by t places; words are numbers in base V.

        >>> [array.tolist() for array in Necklaces.rotations(2, 2)]
        [[0, 1, 2, 3], [0, 2, 1, 3]]
        """
        count = vocabulary**length
        turned = [np.arange(count)]
        for _ in range(length - 1):
            last = turned[-1]
            turned.append(last * vocabulary % count + last // (count // vocabulary))
        return turned


# --- blocks ---------------------------------------------------------------------------------------
@attrs.frozen(eq=False, repr=False, slots=False)
class RingBlock:
    """The operator on the functions of all frequencies whose root of unity has order d.

    `numbers[k]` has the coefficients of z^k of the matrix A, integers over `denominator`;
    `weights` are the probabilities of the words that stand for orbits.
    """

    group: CyclicGroup
    order: int
    numbers: Any
    denominator: int
    weights: tuple[Rational, ...]

    @property
    def irreps(self) -> tuple[int, ...]:
        """The frequencies 0 <= j <= L/2 of this order."""
        return tuple(j for j in self.group.irreps if self.group.turn(j) == self.order)

    @property
    def degree(self) -> int:
        """The degree of Q(z), the number of roots of unity of this order."""
        return len(self.numbers)

    @property
    def copies(self) -> int:
        """How often each of the frequencies occurs: the orbits whose size d divides."""
        return len(self.weights)

    @property
    def matrix(self) -> Matrix:
        """The rational block: each frequency of order d, and its conjugate, has its share of it."""
        scales = [fmpq(p) / self.denominator for p in self.weights for _ in range(self.degree)]
        whole = matrix_of(self.numbers, self.order)
        rows = [
            [entry * scale for entry, scale in zip(row, scales, strict=True)]
            for row in whole.tolist()
        ]
        return Matrix(flint.fmpq_mat(rows))

    @cached_property
    def eigenvalues(self) -> dict[int, Times]:
        """For each frequency its eigenvalues, largest first, and how often each occurs."""
        core = _Core.of(self)
        zeros = self.copies - core.size
        found: dict[int, list[tuple[Eigenvalue, int]]] = {j: [] for j in self.irreps}
        candidates = eigenvalues(core.matrix()) if core.size else ()
        shared = len(self.irreps) == 1 or not any(
            isinstance(value, RealRoot) for value, _ in candidates
        )
        counts = {} if shared else {j: core.counts(j, candidates) for j in self.irreps}
        for place, (value, times) in enumerate(candidates):
            # The Galois group permutes the frequencies, and fixes a rational eigenvalue.
            even = shared or isinstance(value, Rational)
            seen = 0
            for j in self.irreps:
                here = times // self.degree if even else counts[j][place]
                seen += here * (self.degree // len(self.irreps))
                if here:
                    found[j].append((value, here))
            if seen != times:
                raise AssertionError(f"{value} occurs {times} times, and {seen} by frequency")
        return {j: _with_zeros(listed, zeros) for j, listed in found.items()}

    def at(self, frequency: int) -> flint.acb_mat:
        """The block of one frequency, in balls of the precision in force."""
        angle = flint.fmpq(2 * frequency, self.group.degree)
        z = flint.acb.exp_pi_i(flint.acb(flint.arb(angle)))
        found: flint.acb_mat = _at(self.numbers, z)
        for k, p in enumerate(self.weights):
            factor = flint.arb(fmpq(p) / self.denominator)
            for i in range(self.copies):
                found[i, k] *= factor
        return found

    def floats(self, frequency: int) -> Any:
        """The block of one frequency as a numpy array of complex numbers."""
        with working_precision(64):
            rows = self.at(frequency).tolist()
        return np.array([[complex(float(x.real), float(x.imag)) for x in row] for row in rows])


def _with_zeros(listed: list[tuple[Eigenvalue, int]], zeros: int) -> Times:
    """The eigenvalues, largest first, with this number of zeros more."""
    if not zeros:
        return tuple(listed)
    already = sum(times for value, times in listed if value == 0)
    above = [item for item in listed if item[0] > 0]
    below = [item for item in listed if item[0] < 0]
    return (*above, (Rational(0), zeros + already), *below)


@attrs.frozen(eq=False)
class _Core:
    """A smaller block with the same eigenvalues but for zeros.

    If A has rank r, and its rows R and columns C have an invertible r x r matrix in common, then
    A = A_C (A_RC)^-1 A_R, and A P has the nonzero eigenvalues of (A_RC)^-1 A_R P A_C.
    """

    block: RingBlock
    alive: list[int]  # the orbits of positive probability
    rows: list[int]
    columns: list[int]

    @classmethod
    def of(cls, block: RingBlock) -> _Core:
        alive = [k for k, p in enumerate(block.weights) if p]
        numbers = block.numbers[np.ix_(range(block.degree), alive, alive)]
        start = 1 << 30
        while True:
            prime, root = root_modulo(block.order, start)
            rows, columns = _pivots(numbers, prime, root)
            if len(rows) * block.degree > _ROWS:
                raise TooLarge(
                    f"the eigenvalues of order {block.order} are those of a matrix of "
                    f"{len(rows) * block.degree:,} rows, more than {_ROWS}: take a kernel of lower "
                    "rank or shorter words; block(irrep) is there"
                )
            if len(rows) == len(alive) or _spans(numbers, block.order, rows, columns):
                return cls(block, alive, [alive[i] for i in rows], [alive[i] for i in columns])
            start = prime  # the rank is larger than modulo this prime: take another

    @property
    def size(self) -> int:
        """The rank of A on the words of positive probability."""
        return len(self.rows)

    def _pieces(self) -> tuple[Any, Any, Any, list[Rational]]:
        block, every = self.block, range(self.block.degree)
        take = block.numbers
        return (
            take[np.ix_(every, self.rows, self.columns)],
            take[np.ix_(every, self.rows, self.alive)],
            take[np.ix_(every, self.alive, self.columns)],
            [block.weights[k] for k in self.alive],
        )

    def matrix(self) -> Matrix:
        """The core as a rational matrix."""
        both, across, down, chances = self._pieces()
        d, degree = self.block.order, self.block.degree
        scale = lcm(*(p.denominator for p in chances))
        weights = [int(p * scale) for p in chances for _ in range(degree)]
        weighted = flint.fmpz_mat(
            [
                [entry * weight for entry, weight in zip(row, weights, strict=True)]
                for row in matrix_of(across, d).tolist()
            ]
        )
        if self.size == len(self.alive):
            product = flint.fmpq_mat(weighted)
        else:
            right = flint.fmpq_mat(weighted * matrix_of(down, d))
            product = flint.fmpq_mat(matrix_of(both, d)).solve(right)
        return Matrix(product / flint.fmpq(scale * self.block.denominator))

    def counts(self, frequency: int, candidates: Times) -> list[int]:
        """How often each candidate is an eigenvalue of one frequency, proved by balls."""
        bits = 128
        while bits <= _MOST_BITS:
            found = _matched(self._balls(frequency, bits), candidates, bits)
            if found is not None:
                return found
            bits *= 2
        raise Undecided(
            f"which eigenvalues belong to the frequency {frequency}: {_MOST_BITS} bits do not tell"
        )

    def _balls(self, frequency: int, bits: int) -> list[Any]:
        """Balls around the eigenvalues of the core at one complex root of unity, or none."""
        both, across, down, chances = self._pieces()
        with working_precision(bits):
            angle = flint.fmpq(2 * frequency, self.block.group.degree)
            z = flint.acb.exp_pi_i(flint.acb(flint.arb(angle)))
            weighted = _at(across, z)
            for k, p in enumerate(chances):
                factor = flint.arb(fmpq(p) / self.block.denominator)
                for i in range(self.size):
                    weighted[i, k] *= factor
            try:
                if self.size == len(self.alive):
                    core = weighted
                else:
                    core = _at(both, z).solve(weighted * _at(down, z))
                return list(core.eig(multiple=True))
            except (ValueError, ZeroDivisionError):  # not enough precision
                return []


def _at(numbers: Any, z: Any) -> Any:
    """The matrix with the root of unity z, as balls."""
    total = flint.acb_mat(numbers.shape[1], numbers.shape[2])
    power = flint.acb(1)
    for coefficients in numbers:
        total = total + flint.acb_mat(flint.fmpz_mat(coefficients.tolist())) * power
        power = power * z
    return total


def _matched(balls: list[Any], candidates: Times, bits: int) -> list[int] | None:
    """How many balls meet each candidate, if each of them meets just one."""
    with working_precision(bits):
        known = [
            value.enclosure(bits) if isinstance(value, RealRoot) else flint.arb(fmpq(value))
            for value, _ in candidates
        ]
        counts = [0] * len(known)
        for ball in balls:
            near = [k for k, value in enumerate(known) if ball.real.overlaps(value)]
            if len(near) != 1:
                return None
            counts[near[0]] += 1
    return counts if balls else None


def _pivots(numbers: Any, prime: int, root: int) -> tuple[list[int], list[int]]:
    """Rows and columns that meet in an invertible matrix modulo a prime, as many as its rank."""
    size = numbers.shape[1]
    total, power = (numbers[0] * 0) % prime, 1
    for coefficients in numbers:
        total = (total + coefficients % prime * power) % prime
        power = power * root % prime
    residues = [int(v) for v in total.ravel().tolist()]
    if not size:
        return [], []
    matrix = flint.nmod_mat(size, size, residues, prime)
    return [*pivot_columns(matrix.transpose())], [*pivot_columns(matrix)]


def _spans(numbers: Any, d: int, rows: list[int], columns: list[int]) -> bool:
    """Whether A = A_C (A_RC)^-1 A_R, multiplied out."""
    if not rows:
        return not numbers.any()
    every, all_rows = range(len(numbers)), range(numbers.shape[1])
    both = matrix_of(numbers[np.ix_(every, rows, columns)], d)
    down = matrix_of(numbers[np.ix_(every, all_rows, columns)], d)
    # One column of the rational matrix for each number: the others are multiples of it.
    across = _coefficients(numbers[np.ix_(every, rows, all_rows)])
    factors = flint.fmpq_mat(both).solve(flint.fmpq_mat(across))
    return bool(flint.fmpq_mat(down) * factors == flint.fmpq_mat(_coefficients(numbers)))


def _coefficients(numbers: Any) -> Any:
    degree, rows, columns = numbers.shape
    return flint.fmpz_mat(numbers.transpose(1, 0, 2).reshape(rows * degree, columns).tolist())


# --- the blocks of a kernel ----------------------------------------------------------------------
def check_sizes(length: int, vocabulary: int, *, fast: bool) -> None:
    """Refuse what is too large, before any work; fast says that values come all at once.

    >>> check_sizes(30, 2, fast=True)
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: the kernel has 38431977249964032 values on pairs of words up to ...
    """
    limit = _TABLE if fast else _VALUES
    if length > _POSITIONS:
        raise TooLarge(
            f"a ring of {number_text(length)} positions, more than {_POSITIONS}: take shorter words"
        )
    # Burnside: a rotation by t places fixes the words that repeat after gcd(t, L).
    orbits = sum(vocabulary ** gcd(t, length) for t in range(length)) // length
    if orbits * vocabulary**length > limit:
        raise TooLarge(
            f"the kernel has {number_text(orbits * vocabulary**length)} values on pairs of words "
            f"up to rotation, more than {limit:,}: take shorter words or fewer tokens"
        )


def ring_blocks(
    necklaces: Necklaces, values: Any, denominator: int, weights: list[Rational]
) -> tuple[RingBlock, ...]:
    """The block of each divisor of L, from the kernel on necklaces and all words.

    values are integers over the denominator; weights are the probabilities of the necklaces' words.
    """
    length = necklaces.words.shape[1]
    return tuple(
        _block(CyclicGroup(length), d, necklaces, values, denominator, weights)
        for d in range(1, length + 1)
        if length % d == 0 and any(n % d == 0 for n in necklaces.sizes)
    )


def ring_trace(
    necklaces: Necklaces, values: Any, denominator: int, weights: list[Rational]
) -> Rational:
    """E k(x, x), from the kernel and the law alone."""
    orbits = enumerate(zip(weights, necklaces.sizes, strict=True))
    terms = (fmpq(p * n) * int(values[k, necklaces.turned[0][k]]) for k, (p, n) in orbits)
    return rational(sum(terms, flint.fmpq(0)) / denominator)


def _block(
    group: CyclicGroup,
    d: int,
    necklaces: Necklaces,
    values: Any,
    denominator: int,
    weights: list[Rational],
) -> RingBlock:
    length = group.degree
    chosen = [k for k, n in enumerate(necklaces.sizes) if n % d == 0]
    columns = [values[np.ix_(chosen, turned[chosen])] for turned in necklaces.turned]
    # All L rotations go around each orbit several times.
    around = np.array([length // necklaces.sizes[k] for k in chosen])
    numbers = reduced(columns, d) // around
    kept = tuple(weights[k] for k in chosen)
    return RingBlock(group, d, numbers, denominator, kept)


def reduced(terms: list[Any], d: int) -> Any:
    """The sum of z^t times the t-th array, as arrays of coefficients in Q(z).

    >>> import numpy as np
    >>> reduced([np.array([[k]]) for k in (5, 1, 1)], 3).ravel().tolist()
    [4, 0]
    """
    powers = power_table(d)
    most = max(int(abs(term).max(initial=0)) for term in terms)
    bound = most * sum(max(map(abs, powers[t % d])) for t in range(len(terms)))
    kind = np.int64 if bound < 1 << 62 else object
    total = np.zeros((len(powers[0]), *terms[0].shape), dtype=kind)
    for t, term in enumerate(terms):
        for k, c in enumerate(powers[t % d]):
            if c:
                total[k] += c * term.astype(kind)
    return total
