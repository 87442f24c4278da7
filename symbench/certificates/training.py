"""The kind of certificate about networks whose training cannot tell two inputs apart."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

import attrs
import flint

from symbench.certificates.base import MATRIX, NUMBER, NUMBERS, RATIONAL, Certificate, field
from symbench.errors import BadCertificate
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.exact.rational import fmpq, rational

Row = tuple[flint.fmpq, ...]
Numbers = list[flint.fmpq]
Layer = list[Numbers]

# Bits of a number while a network is trained; longer ones are not computed with.
_BITS = 1 << 12
# Coefficients of a polynomial activation.
_TERMS = 16
_ZERO = flint.fmpq(0)


@attrs.frozen(kw_only=True)
class EquivariantTraining(Certificate):
    """A network that is trained from each of some initial weights has equal laws at two inputs.

    The subject has a row for each sample, the input and its label. The `permutation` of the inputs'
    coordinates, as images, leaves every sample where it is and takes the first of the two `tests`
    to the second; permuting the columns of the first layer so gives the same list of `starts`, a
    row of all weights each, layer by layer. The check trains every network and compares the output
    at the first test with that at the second from the permuted start, which must be equal. `error`
    is the larger of the two expected squared errors.

    >>> found = EquivariantTraining(permutation=(0, 2, 1), widths=(),
    ...     tests=Matrix([[0, 1, 0, 1], [0, 0, 1, -1]]), starts=Matrix([[0, 1, 0], [0, 0, 1]]),
    ...     rate=Rational(1, 2), momentum=Rational(0), decay=Rational(0), batch=1,
    ...     error=Rational(5, 2))
    >>> found.check([[1, 0, 0, 1]]), found.check([[1, 1, 0, 1]])
    (True, False)
    """

    kind = "equivariant-training"
    permutation: tuple[int, ...] = field(NUMBERS)
    tests: Matrix = field(MATRIX)
    widths: tuple[int, ...] = field(NUMBERS)
    starts: Matrix = field(MATRIX)
    activation: Matrix | None = field(MATRIX, optional=True)
    rate: Rational = field(RATIONAL)
    momentum: Rational = field(RATIONAL)
    decay: Rational = field(RATIONAL)
    batch: int = field(NUMBER)
    error: Rational = field(RATIONAL)

    def _holds(self, subject: Matrix) -> bool:
        phi = self.activation
        given = [subject, self.tests, self.starts, *([] if phi is None else [phi])]
        if any(matrix.ring not in (ZZ, QQ) for matrix in given):
            return False
        size = subject.shape[1] - 1
        sizes = (size, *self.widths, 1)
        weights = sum(a * b for a, b in pairwise(sizes))
        if sorted(self.permutation) != list(range(size)) or size < 1 or min(sizes) < 1:
            return False
        if self.tests.shape != (2, size + 1) or self.starts.shape[1] != weights:
            return False
        if phi is not None and (phi.shape[0] != 1 or not 1 <= phi.shape[1] <= _TERMS):
            return False
        if self.starts.shape[0] < 1 or self.batch < 1 or subject.shape[0] % self.batch:
            return False
        samples, tests = _rows(subject), _rows(self.tests)
        if any(self._permuted(x) != x for x in samples):
            return False
        if self._permuted(tests[0])[:-1] != tests[1][:-1]:
            return False
        starts = _rows(self.starts)
        moved = [self._moved(row) for row in starts]
        if Counter(moved) != Counter(starts):
            return False
        outputs = {row: self._outputs(row, samples, tests, sizes) for row in set(starts)}
        pairs = [(outputs[row], outputs[image]) for row, image in zip(starts, moved, strict=True)]
        if any(here[0] != there[1] for here, there in pairs):
            return False
        errors = [
            sum(((outputs[row][i] - tests[i][-1]) ** 2 for row in starts), _ZERO) / len(starts)
            for i in (0, 1)
        ]
        return rational(max(errors)) == self.error

    def _permuted(self, row: Row) -> Row:
        """An input, and what comes after it, with coordinate j moved to its image."""
        found = list(row)
        for j, image in enumerate(self.permutation):
            found[image] = row[j]
        return tuple(found)

    def _moved(self, start: Row) -> Row:
        """Initial weights with the columns of the first layer permuted alike."""
        size = len(self.permutation)
        first = size * (*self.widths, 1)[0]
        rows = (start[n : n + size] for n in range(0, first, size))
        return (*(x for row in rows for x in self._permuted(row)), *start[first:])

    def _outputs(
        self, start: Row, samples: Sequence[Row], tests: Sequence[Row], sizes: tuple[int, ...]
    ) -> Numbers:
        """The outputs at the two tests of the network that is trained from here."""
        rate, momentum, decay = map(fmpq, (self.rate, self.momentum, self.decay))
        weights = list(start)
        speeds = [_ZERO] * len(weights)
        for n in range(0, len(samples), self.batch):
            slopes = [_ZERO] * len(weights)
            for row in samples[n : n + self.batch]:
                for j, slope in enumerate(self._slopes(weights, row, sizes)):
                    slopes[j] += slope / self.batch
            for j, slope in enumerate(slopes):
                speeds[j] = momentum * speeds[j] + slope + decay * weights[j]
                weights[j] -= rate * speeds[j]
            _bounded(weights)
        return [self._forward(weights, row[:-1], sizes)[1][-1][0] for row in tests]

    def _forward(
        self, weights: Numbers, x: Row, sizes: tuple[int, ...]
    ) -> tuple[list[Sequence[flint.fmpq]], list[Numbers]]:
        """What each layer gets, and what it sums up."""
        got: list[Sequence[flint.fmpq]] = [x]
        sums: list[Numbers] = []
        for layer in _layers(weights, sizes):
            sums.append([sum((w * a for w, a in zip(row, got[-1], strict=True)), _ZERO)
                         for row in layer])  # fmt: skip
            _bounded(sums[-1])
            got.append([self._phi(z) for z in sums[-1]])
        return got, sums

    def _slopes(self, weights: Numbers, row: Row, sizes: tuple[int, ...]) -> Numbers:
        """The derivatives of (f(x) - y)^2 by all weights, from the last layer to the first."""
        got, sums = self._forward(weights, row[:-1], sizes)
        layers, back = _layers(weights, sizes), [2 * (sums[-1][0] - row[-1])]
        found: Numbers = []
        for n in range(len(layers) - 1, -1, -1):
            found = [d * a for d in back for a in got[n]] + found
            if n:
                through = [sum((d * w for d, w in zip(back, column, strict=True)), _ZERO)
                           for column in zip(*layers[n], strict=True)]  # fmt: skip
                back = [d * self._slope(z) for d, z in zip(through, sums[n - 1], strict=True)]
        return found

    @property
    def _coefficients(self) -> Row:
        return () if self.activation is None else _rows(self.activation)[0]

    def _phi(self, z: flint.fmpq) -> flint.fmpq:
        if self.activation is None:
            return z if z > 0 else _ZERO
        return sum((c * z**n for n, c in enumerate(self._coefficients)), _ZERO)

    def _slope(self, z: flint.fmpq) -> flint.fmpq:
        if self.activation is None:
            return flint.fmpq(int(z > 0))
        terms = (n * c * z ** (n - 1) for n, c in enumerate(self._coefficients) if n)
        return sum(terms, _ZERO)

    def explain(self) -> str:
        first, second = (row[-1] for row in self.tests.rows)
        least = Rational((first - second) ** 2, 4)
        return (
            f"the outputs at two inputs have the same law over {self.starts.shape[0]} trained "
            f"networks: one of the two expected squared errors is {self.error}, at least {least}"
        )


def _rows(matrix: Matrix) -> list[Row]:
    return [tuple(map(fmpq, row)) for row in matrix.rows]


def _layers(weights: Numbers, sizes: tuple[int, ...]) -> list[Layer]:
    """The matrices of all layers, from the list of all weights."""
    found, at = [], 0
    for before, after in pairwise(sizes):
        rows = [weights[at + i * before : at + (i + 1) * before] for i in range(after)]
        found.append(rows)
        at += before * after
    return found


def _bounded(numbers: Sequence[flint.fmpq]) -> None:
    if any(max(x.p.bit_length(), x.q.bit_length()) > _BITS for x in numbers):
        raise BadCertificate(f"a number has more than {_BITS} bits: it is not computed with")
