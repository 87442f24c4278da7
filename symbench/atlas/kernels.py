"""The kernels of the atlas, by name.

All of them are positive semidefinite. `mlp` and `generic` have open values: what is said of them
is said of all values but a set of measure zero, and whatever is confused, for all values. The null
space of linear attention is the same for all positive variances: the kernel is a sum of positive
semidefinite ones, each times a power of the variances.

>>> print(*KERNELS)
mlp linear-sum linear-flatten linear-last polynomial-1 polynomial-2 polynomial-3 identity ...
>>> KERNELS["incidence-2"]
inner_product((1+n)^2, incidence=True)
"""

from __future__ import annotations

from collections.abc import Mapping
from math import comb
from types import MappingProxyType

import attrs

from symbench.kernels.activations.exact import Polynomial
from symbench.kernels.attention import attention
from symbench.kernels.base import Kernel
from symbench.kernels.generic import generic
from symbench.kernels.identity_attention import identity_attention
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.transformer import transformer


@attrs.frozen
class Power:
    """The function n -> (1 + n)^degree, under that name."""

    degree: int

    @property
    def __name__(self) -> str:
        return f"(1+n)^{self.degree}"

    def __call__(self, n: int) -> int:
        return int((1 + n) ** self.degree)


def _kernels() -> dict[str, Kernel]:
    found: dict[str, Kernel] = {"mlp": inner_product()}
    for readout in ("sum", "flatten", "last"):
        found[f"linear-{readout}"] = linear_attention(1, 1, readout=readout)
    for degree in (1, 2, 3):
        above = Polynomial([comb(degree, n) for n in range(degree + 1)])
        found[f"polynomial-{degree}"] = transformer(above, linear_attention(1, 1))
    found["identity"] = identity_attention(q=2, gamma=1)
    found["gamma-zero"] = attention(gamma=0)
    for degree in (1, 2, 3, 4, 5):
        found[f"incidence-{degree}"] = inner_product(Power(degree), incidence=True)
    found["attention"] = attention()
    found["generic"] = generic()
    return found


# What the kernels of the atlas are called.
KERNELS: Mapping[str, Kernel] = MappingProxyType(_kernels())

# Kernels that differ in a degree: the least one with which a task is learned is asked for.
LADDERS = ("polynomial", "incidence")

# Numbers for open parameters, where a cost is asked for.
COSTED: Mapping[str, Kernel] = MappingProxyType(
    {"attention": attention(beta=1, gamma=1), "gamma-zero": attention(beta=1, gamma=0)}
)

_WHAT: Mapping[str, str] = MappingProxyType(
    {
        "mlp": "a fully connected network on one-hot strings, whatever its activation",
        "linear-sum": "linear attention, positions added up",
        "linear-flatten": "linear attention, a readout for each position",
        "linear-last": "linear attention, the last position read",
        "polynomial": "a layer with the activation (1 + t)^degree above linear attention",
        "identity": "depth two with a I in W_K^T W_Q: block-size profiles",
        "gamma-zero": "softmax attention without positions",
        "incidence": "(1 + s)^degree of the inner product s of strings with their matrices X X^T",
        "attention": "softmax attention, for every beta, gamma != 0",
        "generic": "a token-symmetric kernel with generic values",
    }
)


def what(name: str) -> str:
    """What a kernel of the atlas stands for, in words.

    >>> what("identity"), what("one of mine")
    ('depth two with a I in W_K^T W_Q: block-size profiles', 'a kernel of your own')
    """
    ladder, _, degree = name.rpartition("-")
    text = _WHAT.get(ladder if degree.isdigit() else name, "a kernel of your own")
    return text.replace("degree", degree) if degree.isdigit() else text
