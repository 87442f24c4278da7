"""Which kernels the theorems about K_tau speak of, and what a kernel sees of a template.

Only kernels of this project are believed: what a kernel of somebody else's says of itself is no
proof, so its template matrix is decided from its entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbench.kernels.attention import Attention
from symbench.kernels.base import Kernel
from symbench.kernels.transformer import Transformer
from symbench.words import Template


def separates(kernel: Kernel, templates: Sequence[Template]) -> bool:
    """Whether `symbench.positive-definite` speaks of the kernel on these templates.

    Kernel (23) reads the last letter, so there all templates must end in one token.

    >>> from symbench.kernels import attention
    >>> pair = [Template("αα"), Template("αβ")]
    >>> separates(attention(), pair), separates(attention(gamma=0), pair)
    (True, False)
    >>> separates(attention().with_softmax_scale("appendix-H"), pair)
    False
    """
    if type(kernel) is Transformer:
        return kernel.separates_templates and separates(kernel.attention, templates)
    if type(kernel) is not Attention or not kernel.separates_templates:
        return False
    return kernel.softmax_scale == "main" or _one_end(templates)


def counts_types(kernel: Kernel, templates: Sequence[Template]) -> bool:
    """Whether `symbench.gamma-zero-rank` speaks of the kernel on these templates.

    >>> from symbench.kernels import attention, transformer
    >>> kernel = attention(gamma=0)
    >>> pair = [Template("αα"), Template("αβ")]
    >>> counts_types(kernel, pair), counts_types(transformer("relu", kernel), pair)
    (True, False)
    """
    if type(kernel) is Transformer:
        each_has_a_token = all(z.tokens for z in templates)
        changes = not kernel.activation.is_constant
        return changes and each_has_a_token and counts_types(kernel.attention, templates)
    if type(kernel) is not Attention or not kernel.is_normalised:
        return False
    if kernel.gamma != 0 or kernel.beta == 0:
        return False
    return kernel.softmax_scale == "main" or _one_end(templates)


def sees(kernel: Kernel, template: Template) -> Template:
    """The template as far as the kernel sees it: all of it, if nothing else is known."""
    if type(kernel) is Attention or type(kernel) is Transformer:
        return kernel.seen(template)
    return template


def _one_end(templates: Sequence[Template]) -> bool:
    ends = {z.letters[-1] if z.letters[-1] in z.tokens else None for z in templates}
    return len(ends) == 1 and None not in ends
