"""Token-symmetric kernels (`sb.kernels`): values on pairs of strings, by their equality pattern."""

from symbench.kernels.activations.named import ACTIVATIONS, activation, cos, polynomial
from symbench.kernels.attention import Attention, attention
from symbench.kernels.base import Kernel
from symbench.kernels.conditioning import Conditioning, conditioning
from symbench.kernels.derivatives.formulas import AttentionDerivative, attention_derivative
from symbench.kernels.diagram import Diagram
from symbench.kernels.from_function import kernel_from_function
from symbench.kernels.generic import free_values, generic
from symbench.kernels.hard_attention import HardAttention
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.moments import gaussian_moment
from symbench.kernels.positions import ring_attention, segment_attention
from symbench.kernels.softmax_attention import softmax_attention
from symbench.kernels.tangent import tangent
from symbench.kernels.transformer import transformer

__all__ = [
    "ACTIVATIONS",
    "Attention",
    "AttentionDerivative",
    "Conditioning",
    "Diagram",
    "HardAttention",
    "Kernel",
    "activation",
    "attention",
    "attention_derivative",
    "conditioning",
    "cos",
    "free_values",
    "gaussian_moment",
    "generic",
    "inner_product",
    "kernel_from_function",
    "linear_attention",
    "polynomial",
    "ring_attention",
    "segment_attention",
    "softmax_attention",
    "tangent",
    "transformer",
]
