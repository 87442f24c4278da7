"""Token-symmetric kernels (`sb.kernels`): values on pairs of strings, by their equality pattern."""

from symbench.kernels.attention import Attention, attention
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.kernels.generic import generic
from symbench.kernels.hard_attention import HardAttention
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention

__all__ = [
    "Attention",
    "Diagram",
    "HardAttention",
    "Kernel",
    "attention",
    "generic",
    "inner_product",
    "linear_attention",
]
