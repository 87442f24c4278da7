"""What a certificate of equivariant training says, decided from plain data by dual numbers.

Every derivative is that of a function of one weight: a pair (value, slope) goes through the
network as a number does, once for each weight.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from typing import Any

Dual = tuple[Fraction, Fraction]


def _rows(stored: Any) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in stored["rows"]]


def _plus(x: Dual, y: Dual) -> Dual:
    return x[0] + y[0], x[1] + y[1]


def _times(x: Dual, y: Dual) -> Dual:
    return x[0] * y[0], x[0] * y[1] + x[1] * y[0]


def _activated(z: Dual, coefficients: list[Fraction] | None) -> Dual:
    if coefficients is None:
        return z if z[0] > 0 else (Fraction(0), Fraction(0))
    total, power = (Fraction(0), Fraction(0)), (Fraction(1), Fraction(0))
    for c in coefficients:
        total = _plus(total, _times((c, Fraction(0)), power))
        power = _times(power, z)
    return total


def output(
    weights: list[Dual], x: list[Fraction], widths: list[int], phi: list[Fraction] | None
) -> Dual:
    """The output of the network, layer by layer, the weights taken one after the other."""
    left = iter(weights)
    values: list[Dual] = [(a, Fraction(0)) for a in x]
    for n, width in enumerate([*widths, 1]):
        new = []
        for _ in range(width):
            total = (Fraction(0), Fraction(0))
            for value in values:
                weight = next(left)
                if any(value):
                    total = _plus(total, _times(weight, value))
            new.append(total if n == len(widths) else _activated(total, phi))
        values = new
    return values[0]


def trained(
    start: list[Fraction], samples: list[list[Fraction]], c: Any, phi: list[Fraction] | None
) -> list[Fraction]:
    """All weights after training, each by the derivative of the loss in its own direction."""
    rate, momentum, decay = (Fraction(c[name]) for name in ("rate", "momentum", "decay"))
    widths, batch = [int(n) for n in c["widths"]], int(c["batch"])
    w, v = list(start), [Fraction(0)] * len(start)
    for n in range(0, len(samples), batch):
        slopes = []
        for j in range(len(w)):
            total = Fraction(0)
            for row in samples[n : n + batch]:
                found = output(
                    [(a, Fraction(i == j)) for i, a in enumerate(w)], row[:-1], widths, phi
                )
                total += 2 * (found[0] - row[-1]) * found[1]
            slopes.append(total / batch)
        v = [momentum * b + g + decay * a for a, b, g in zip(w, v, slopes, strict=True)]
        w = [a - rate * b for a, b in zip(w, v, strict=True)]
    return w


def is_true(c: Any, data: Any, statement: str | None = None) -> bool:
    """Whether the outputs at both tests have one law over the starts, with this error."""
    samples, tests, starts = _rows(data), _rows(c["tests"]), _rows(c["starts"])
    widths = [int(n) for n in c["widths"]]
    phi = _rows(c["activation"])[0] if "activation" in c else None
    ends = [[(a, Fraction(0)) for a in trained(row, samples, c, phi)] for row in starts]
    at = [[output(w, row[:-1], widths, phi)[0] for w in ends] for row in tests]
    errors = [
        sum((x - row[-1]) ** 2 for x in values) / len(values)
        for row, values in zip(tests, at, strict=True)
    ]
    least = (tests[0][-1] - tests[1][-1]) ** 2 / 4
    told = (
        f"the outputs at two inputs have the same law over {len(starts)} trained networks: "
        f"one of the two expected squared errors is {max(errors)}, at least {least}"
    )
    same = Counter(at[0]) == Counter(at[1]) and max(errors) == Fraction(c["error"]) >= least
    return same and statement in (None, told)
