"""Which kernels the theorems about K_tau speak of, and what a kernel sees of a template.

Only kernels of this project are believed: what a kernel of somebody else's says of itself is no
proof, so its template matrix is decided from its entries.
"""

from __future__ import annotations

from collections.abc import Sequence

from symbench.kernels.attention import Attention
from symbench.kernels.base import Kernel
from symbench.kernels.transformer import Transformer
from symbench.ktau.ends import EndPatterns
from symbench.ktau.patterns import Patterns
from symbench.ktau.points import patterns
from symbench.words import Template


def separated(kernel: Kernel, templates: Sequence[Template]) -> Patterns | None:
    """The templates as plain data if `symbench.positive-definite` speaks of the kernel, or None.

    It speaks of softmax attention with beta, gamma != 0 and of transformers over it with an
    activation that is not constant. Kernel (23) reads the last letter.

    >>> from symbench.kernels import attention
    >>> pair = [Template("αα"), Template("αA")]
    >>> separated(attention(), pair)
    Patterns(rows=((-1, -1), (-1, 0)))
    >>> separated(attention().with_softmax_scale("appendix-H"), pair)
    EndPatterns(rows=((-1, -1), (-1, 0)))
    >>> separated(attention(gamma=0), pair)
    """
    if type(kernel) is Transformer:
        return separated(kernel.attention, templates) if kernel.separates_templates else None
    if type(kernel) is not Attention or not kernel.separates_templates:
        return None
    found = patterns(templates)
    if kernel.softmax_scale == "main" or _one_end(templates):
        return found
    return EndPatterns(found.rows)


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
