"""Second road to the copy task: the network (27), (28) multiplied out, each weight a variable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import Any

import flint

from symbench.papers._by_hand import fraction, rational


def slopes(
    tokens: int,
    width: int,
    gamma: Fraction,
    counts: Sequence[int],
    rates: Mapping[str, Fraction],
    *,
    heads: int = 1,
    head_width: int = 1,
    begins_with_zero: bool = False,
) -> tuple[Fraction, Fraction]:
    """The mean slopes of the training and of the test loss, for the slopes of cross-entropy at 0.

    Token t < len(counts) is seen counts[t] times, the next one is the test token. The logits are
    polynomials in all weights; they are differentiated by each of them, and the mean of a
    monomial is a product of moments. W_O and W_V have variance 1, W_E and P 1 / width; W_O is 0
    if it begins with zero.
    """
    rows, cells = range(heads * head_width), range(width)
    blocks = {
        "O": [f"O{r}_{a}" for r in rows for a in cells],
        "V": [f"V{r}_{a}" for r in rows for a in cells],
        "P": [f"P{a}" for a in cells],
        "E": [f"E{t}_{a}" for t in range(tokens) for a in cells],
        "b": [f"b{h}" for h in range(heads)],
    }
    names = [name for block in blocks.values() for name in block]
    ring = flint.fmpq_mpoly_ctx.get(names)
    weight = dict(zip(names, ring.gens(), strict=True))
    zero = ring.constant(0)
    added = sum((weight[name] for name in blocks["b"]), zero)
    mixing = [
        [
            sum((weight[f"O{r}_{a}"] * weight[f"V{r}_{c}"] for r in rows), zero)
            + (added if a == c else zero)
            for c in cells
        ]
        for a in cells
    ]

    def logit(i: int, x: int) -> Any:
        inside = [weight[f"E{x}_{c}"] + rational(gamma) * weight[f"P{c}"] for c in cells]
        return sum(
            (weight[f"E{i}_{a}"] * mixing[a][c] * inside[c] for a in cells for c in cells), zero
        )

    def loss(x: int) -> Any:
        """The loss at a token to first order in its logits, which are small."""
        return sum(
            (logit(i, x) * rational(Fraction(1, tokens) - int(i == x)) for i in range(tokens)), zero
        )

    samples = sum(counts)
    seen = sum((loss(t) * rational(Fraction(n, samples)) for t, n in enumerate(counts)), zero)
    # With one token there is no other: its loss is 0 like all.
    unseen = loss(min(len(counts), tokens - 1))
    per_head = {"O": heads * head_width, "V": heads * head_width, "b": heads}
    gone = {*blocks["b"], *(blocks["O"] if begins_with_zero else ())}
    train = test = Fraction(0)
    for block, listed in blocks.items():
        rate = Fraction(rates.get(block, 0)) / per_head.get(block, width * heads * head_width)
        for name in listed if rate else ():
            slope, other = (_without(f.derivative(names.index(name)), gone) for f in (seen, unseen))
            train -= rate * _mean(slope * slope, names, width)
            test -= rate * _mean(slope * other, names, width)
    return train, test


def _without(polynomial: Any, gone: set[str]) -> Any:
    """The polynomial at 0 for these weights."""
    names = [str(name) for name in polynomial.context().names()]
    kept = {
        powers: c
        for powers, c in polynomial.to_dict().items()
        if not any(n and name in gone for name, n in zip(names, powers, strict=True))
    }
    return polynomial.context().from_dict(kept)


def _mean(polynomial: Any, names: Sequence[str], width: int) -> Fraction:
    """The mean over Gaussian weights: (n - 1)!! for an even power n, 1 / width a pair in E or P."""
    total = Fraction(0)
    for powers, c in polynomial.to_dict().items():
        if any(n % 2 for n in powers):
            continue
        narrow = sum(n for name, n in zip(names, powers, strict=True) if name[0] in "EP") // 2
        moment = prod(prod(range(1, n, 2)) for n in map(int, powers))
        total += fraction(c) * moment / width ** int(narrow)
    return total
