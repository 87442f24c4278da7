"""Simulation: the attention kernel by random numbers, to check the deterministic values against.

Two ways: averages of the Gaussian formula of kernels (3) and (23), and transformers of finite width
with random weights, whose kernel tends to (23).

>>> estimate = simulate_attention_kernel("AB", "AB", 1, 0, samples=10_000, seed=1)
>>> estimate.is_near(0.63683815)
True
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import attrs

from symbench._arguments import integer
from symbench.draw.progress import progress
from symbench.errors import BadType, BadValue, TooLarge
from symbench.kernels.derivatives.attention_maps import attention_map
from symbench.kernels.diagram import Diagram, check_positions
from symbench.kernels.softmax.finite_values import SCALES, check_range

if TYPE_CHECKING:
    import numpy as np
    from numpy.random import Generator
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

# Samples drawn at once, and random numbers held for them: a few megabytes.
_BATCH, _MOST_HELD = 2**15, 2**24
# Random numbers of one call: some minutes.
_MOST_NUMBERS = 10**10


@attrs.frozen
class Estimate:
    """A mean over independent samples, with its standard error.

    >>> Estimate(0.5, 0.01, 100).is_near(0.54)
    True
    """

    value: float
    standard_error: float
    samples: int

    @property
    def exactness(self) -> str:
        """'float': a sample mean."""
        return "float"

    def is_near(self, value: float, *, sigmas: float = 5.0) -> bool:
        """Whether a value lies within so many standard errors of the mean."""
        return abs(self.value - float(value)) <= sigmas * self.standard_error

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        return f"{self.value:.6g} ± {self.standard_error:.1g}"


def simulate_attention_kernel(
    x: Any,
    y: Any,
    beta: Any,
    gamma: Any,
    *,
    samples: int,
    seed: int,
    scale: str = "main",
    weights: str = "softmax",
) -> Estimate:
    """The mean of f(beta u)^T (X Y^T + gamma^2 I) f(beta v) over Gaussian logits u, v.

    f is softmax, or the weights 'exponential', 'linear', 'sigmoid' without normalisation.

    >>> print(simulate_attention_kernel("AA*", "BC*", 1, 1, samples=20_000, seed=0))
    0.66... ± 0.00...
    """
    attend = _attention(weights)
    pair = check_positions(Diagram.of(x, y))
    b, g = (float(check_range(v, name)) for v, name in ((beta, "beta"), (gamma, "gamma")))
    if scale not in SCALES:
        raise BadValue(f"scale is {scale!r}: give one of {', '.join(map(repr, SCALES))}")
    own, across = 1.0, 1.0
    if scale == "appendix-H":
        own = 1 + g * g
        across = own if pair.left[-1] == pair.right[-1] else g * g
    # The copies of a Gaussian in the two strings: a common part and one of their own.
    common, apart = math.sqrt(across), math.sqrt(own - across)
    link = _incidence(pair, g)

    def draw(generator: Generator, count: int) -> Floats:
        import numpy as np

        shape = (count, 1 + max(*pair.left, *pair.right) + len(pair))
        base = common * generator.standard_normal(shape)
        sides = [base, base]
        if apart > 0:
            sides = [base + apart * generator.standard_normal(shape) for _ in sides]
        rows = [
            attend(b * (side[:, codes] + g * side[:, -len(pair) :]))
            for side, codes in zip(sides, (list(pair.left), list(pair.right)), strict=True)
        ]
        found: Floats = np.einsum("na,nb,ab->n", rows[0], rows[1], link, optimize=True)
        return found

    numbers = (1 + max(*pair.left, *pair.right) + len(pair)) * (3 if apart > 0 else 1)
    return _mean(draw, samples, seed, numbers=numbers)


def simulate_network(
    x: Any,
    y: Any,
    beta: Any,
    gamma: Any,
    *,
    samples: int,
    seed: int,
    embedding: int = 256,
    head: int = 64,
    heads: int = 1,
    weights: str = "softmax",
) -> Estimate:
    """The kernel <z_1(X), z_1(Y)> / embedding of random depth-one transformers of finite width.

    Embeddings and positions have variance 1/embedding, the other weights variance one; logits are
    divided by sqrt(head) and the sum over heads by sqrt(head heads). As the widths grow the mean
    tends to kernel (23), `scale="appendix-H"`; at finite ones it is off by O(1/embedding + 1/head).

    >>> found = simulate_network("AA*", "BC*", 1, 1, samples=200, seed=0, embedding=64, head=16)
    >>> 0.4 < float(found) < 0.8
    True
    """
    pair = check_positions(Diagram.of(x, y))
    b, g = (float(check_range(v, name)) for v, name in ((beta, "beta"), (gamma, "gamma")))
    attend = _attention(weights)
    width = integer(embedding, "embedding", at_least=1)
    inner, count_heads = integer(head, "head", at_least=1), integer(heads, "heads", at_least=1)
    tokens = 1 + max(*pair.left, *pair.right)

    def network(generator: Generator) -> float:
        small = 1 / math.sqrt(width)
        table = small * generator.standard_normal((tokens, width))
        positions = small * generator.standard_normal((len(pair), width))
        inputs = [table[list(codes)] + g * positions for codes in (pair.left, pair.right)]
        outputs = [0.0, 0.0]
        for _ in range(count_heads):
            key, query, value, out = generator.standard_normal((4, inner, width))
            for side, z in enumerate(inputs):
                logits = b * (z @ key.T) @ (query @ z[-1]) / math.sqrt(inner)
                outputs[side] = outputs[side] + out.T @ (value @ (z.T @ attend(logits)))
        return float(outputs[0] @ outputs[1]) / (inner * count_heads * width)  # type: ignore[operator]

    def draw(generator: Generator, count: int) -> Floats:
        import numpy as np

        return np.array([network(generator) for _ in range(count)])

    numbers = width * (tokens + len(pair) + 4 * inner * count_heads)
    return _mean(draw, samples, seed, numbers=numbers)


def _incidence(pair: Diagram, gamma: float) -> Floats:
    """X Y^T + gamma^2 I."""
    import numpy as np

    same: Floats = np.equal.outer(pair.left, pair.right).astype(float)
    return same + gamma**2 * np.eye(len(pair))


def _attention(weights: Any) -> Callable[[Floats], Floats]:
    """The attention map of a name, on arrays of logits."""
    import numpy as np

    maps: dict[str, Callable[[Floats], Floats]] = {
        "softmax": _softmax,
        "exponential": np.exp,
        "linear": np.asarray,
        "sigmoid": lambda logits: (1 + np.tanh(logits / 2)) / 2,
    }
    return maps[attention_map(weights).name]


def _softmax(logits: Floats) -> Floats:
    import numpy as np

    growth = np.exp(logits - logits.max(axis=-1, keepdims=True))
    weights: Floats = growth / growth.sum(axis=-1, keepdims=True)
    return weights


def _mean(
    draw: Callable[[Generator, int], Floats], samples: Any, seed: Any, *, numbers: int
) -> Estimate:
    """The mean of samples that take so many random numbers each; batches are merged, not kept."""
    import numpy as np

    count = integer(samples, "samples", at_least=2)
    if isinstance(seed, bool):
        raise BadType(f"seed is {seed!r}: give an integer")
    generator = np.random.default_rng(integer(seed, "seed", at_least=0))
    if numbers > _MOST_HELD or count * numbers > _MOST_NUMBERS:
        most = _MOST_NUMBERS // numbers if numbers <= _MOST_HELD else 0
        advice = f"{most:,} samples can be had" if most > 1 else "take smaller widths"
        raise TooLarge(f"{count:,} samples of {numbers:,} random numbers each: {advice}")
    batch = max(1, min(_BATCH, _MOST_HELD // numbers))
    mean = spread = 0.0
    done = 0
    with progress("random samples", count) as report:
        while done < count:
            size = min(batch, count - done)
            with np.errstate(over="ignore", invalid="ignore"):
                found = draw(generator, size)
                middle = float(found.mean())
                inside = float(((found - middle) ** 2).sum())
            if not math.isfinite(inside):
                raise BadValue("a sample is beyond the largest float: give smaller beta or gamma")
            # Two batches together have the spreads inside them and that between their means.
            spread += inside + (middle - mean) ** 2 * done * size / (done + size)
            mean += (middle - mean) * size / (done + size)
            done += size
            report(size)
    return Estimate(mean, math.sqrt(spread / (count - 1) / count), count)
