"""Operators over all words, written down from the definitions. Slow; imports no spectra."""

from fractions import Fraction
from itertools import permutations, product

import flint


def words(length, vocabulary):
    return list(product(range(vocabulary), repeat=length))


def linear_attention(alpha, beta, readout, layers=1, causal=False):
    """The kernel of linear attention, layer by layer on the matrix K_ab."""

    def kernel(x, y):
        size = range(len(x))
        K = [[alpha * (x[a] == y[b]) + beta * (a == b) for b in size] for a in size]
        for _ in range(layers):
            K = [
                [
                    K[a][b]
                    * sum(
                        K[c][d] ** 2
                        for c in size
                        for d in size
                        if not causal or (c <= a and d <= b)
                    )
                    for b in size
                ]
                for a in size
            ]
        if readout == "sum":
            return sum(map(sum, K))
        if readout == "flatten":
            return sum(K[a][a] for a in size)
        return K[-1][-1]

    return kernel


def operator(kernel, law, length, vocabulary):
    """k(x, y) p(y) over all words; law is a function of a word."""
    listed = words(length, vocabulary)
    chances = {y: Fraction(law(y)) for y in listed}
    rows = []
    for x in listed:
        row = [Fraction(kernel(x, y)) * chances[y] for y in listed]
        rows.append([flint.fmpq(v.numerator, v.denominator) for v in row])
    return flint.fmpq_mat(rows)


def solve(matrix, right):
    """Gauss and Jordan with fractions."""
    rows = [[*row, b] for row, b in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(j for j in range(i, len(rows)) if rows[j][i])
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [x / rows[i][i] for x in rows[i]]
        for j in range(len(rows)):
            if j != i:
                rows[j] = [x - rows[j][i] * y for x, y in zip(rows[j], rows[i], strict=True)]
    return [row[-1] for row in rows]


def cycle_type(g):
    """The lengths of the cycles of a permutation, the longest first."""
    seen, cycles = set(), []
    for a in range(len(g)):
        n = 0
        while a not in seen:
            seen.add(a)
            a, n = g[a], n + 1
        if n:
            cycles.append(n)
    return sorted(cycles, reverse=True)


def isotypic_trace(matrix, partition, length, vocabulary):
    """tr(M P) with the projector P = dim/L! sum chi(g) g of an irreducible."""
    listed = words(length, vocabulary)
    place = {w: k for k, w in enumerate(listed)}
    total, group = flint.fmpq(0), 0
    for g in permutations(range(length)):
        group += 1
        chi = partition.character(cycle_type(g))
        if not chi:
            continue
        for w, k in place.items():
            moved = tuple(w[g[a]] for a in range(length))
            total += chi * matrix[k, place[moved]]
    return total * flint.fmpq(partition.dim, group)


def uniform(vocabulary):
    return lambda word: Fraction(1, vocabulary ** len(word))


def iid(*probabilities):
    def law(word):
        total = Fraction(1)
        for token in word:
            total *= Fraction(probabilities[token])
        return total

    return law
