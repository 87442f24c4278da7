"""The attention kernel's Taylor coefficients straight from its definition, slowly.

Polynomials in the independent Gaussians (one per token, one per position) and in gamma are
dictionaries {exponents: Fraction}; smax is expanded by dividing power series in beta; the mean of
a monomial is the product of double factorials. Nothing of symbench is used.
"""

from collections import defaultdict
from fractions import Fraction
from math import factorial


def times(f, g):
    result = defaultdict(Fraction)
    for a, x in f.items():
        for b, y in g.items():
            result[tuple(map(sum, zip(a, b, strict=True)))] += x * y
    return result


def add(f, g, factor=1):
    result = defaultdict(Fraction, f)
    for a, x in g.items():
        result[a] += factor * x
    return result


def softmax(logits, order):
    """The coefficients of beta^0 .. beta^order of every component of smax(beta logits)."""
    size = len(next(iter(logits[0])))
    one = {(0,) * size: Fraction(1)}
    powers = []
    for u in logits:
        rows = [one]
        for n in range(1, order + 1):
            rows.append({a: x / n for a, x in times(rows[-1], u).items()})
        powers.append(rows)
    total = [{} for _ in range(order + 1)]
    for rows in powers:
        total = [add(f, g) for f, g in zip(total, rows, strict=True)]
    k = len(logits)
    inverse = [{(0,) * size: Fraction(1, k)}]
    for n in range(1, order + 1):
        rest = {}
        for m in range(1, n + 1):
            rest = add(rest, times(total[m], inverse[n - m]))
        inverse.append({a: -x / k for a, x in rest.items()})
    result = []
    for rows in powers:
        coefficients = []
        for n in range(order + 1):
            f = {}
            for m in range(n + 1):
                f = add(f, times(rows[m], inverse[n - m]))
            coefficients.append(f)
        result.append(coefficients)
    return result


def odd_factorial(n):
    """E g^n for a standard Gaussian g."""
    return 0 if n % 2 else factorial(n) // (2 ** (n // 2) * factorial(n // 2))


def mean(f, g):
    """E[f g] as {power of gamma: Fraction}; gamma is the last variable."""
    result = defaultdict(Fraction)
    for a, x in f.items():
        for b, y in g.items():
            value = x * y
            for m, n in zip(a[:-1], b[:-1], strict=True):
                if (m + n) % 2:
                    break
                value *= odd_factorial(m + n)
            else:
                result[a[-1] + b[-1]] += value
    return result


def taylor(x, y, order):
    """{(i, j): coefficient of beta^i gamma^j} of K_attn, all nonzero ones with i <= order."""
    tokens = sorted({*x, *y})
    k = len(x)

    def logit(token, position):
        zeta, p = [0] * (len(tokens) + k + 1), [0] * (len(tokens) + k + 1)
        zeta[tokens.index(token)] = 1
        p[len(tokens) + position] = p[-1] = 1
        return {tuple(zeta): Fraction(1), tuple(p): Fraction(1)}

    left = softmax([logit(t, c) for c, t in enumerate(x)], order)
    right = softmax([logit(t, c) for c, t in enumerate(y)], order)
    result = defaultdict(Fraction)
    for i in range(order + 1):
        for n in range(i + 1):
            for a in range(k):
                for b in range(k):
                    if x[a] != y[b] and a != b:
                        continue
                    for j, value in mean(left[a][n], right[b][i - n]).items():
                        if x[a] == y[b]:
                            result[i, j] += value
                        if a == b:
                            result[i, j + 2] += value
    return {place: value for place, value in result.items() if value}
