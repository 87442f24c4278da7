"""Which kernels the theorems about K_tau speak of, and what a kernel sees of a template.

Only kernels and activations of this project are believed: what somebody else's object says of
itself is no proof, so its template matrix is decided from its entries.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from symbench.kernels.activations import (
    Activation,
    Cosine,
    Erf,
    Exp,
    Gelu,
    Polynomial,
    Relu,
    Sigmoid,
    Sign,
    Step,
    Tanh,
)
from symbench.kernels.attention import Attention
from symbench.kernels.base import Kernel
from symbench.kernels.transformer import Transformer
from symbench.ktau.ends import EndPatterns
from symbench.ktau.patterns import Patterns, canonical_row
from symbench.ktau.points import patterns
from symbench.words import Template

Row = tuple[int, ...]
_ACTIVATIONS = (Cosine, Erf, Exp, Gelu, Polynomial, Relu, Sigmoid, Sign, Step, Tanh)


def _is_constant(activation: Activation) -> bool | None:
    """Whether the activation is constant; None for one that is not of this project."""
    return activation.is_constant if type(activation) in _ACTIVATIONS else None


def separated(kernel: Kernel, templates: Sequence[Template]) -> Patterns | None:
    """The templates as plain data if `symbench.positive-definite` speaks of the kernel, or None.

    It speaks of softmax attention with beta, gamma != 0 (parameters that are left open stand for
    such numbers), and by `symbench.every-activation` of transformers over it with an activation
    that is not constant. Kernel (23) reads the last letter.

    >>> from symbench.kernels import attention
    >>> pair = [Template("αα"), Template("αA")]
    >>> separated(attention(), pair)
    Patterns(rows=((-1, -1), (-1, 0)))
    >>> separated(attention().with_softmax_scale("appendix-H"), pair)
    EndPatterns(rows=((-1, -1), (-1, 0)))
    >>> separated(attention(gamma=0), pair)
    """
    if type(kernel) is Transformer:
        changes = _is_constant(kernel.activation) is False
        return separated(kernel.attention, templates) if changes else None
    if type(kernel) is not Attention or not kernel.is_normalised:
        return None
    if kernel.beta == 0 or kernel.gamma == 0:
        return None
    found = patterns(templates)
    return found if kernel.softmax_scale == "main" else EndPatterns(found.rows)


def counts_types(kernel: Kernel, templates: Sequence[Template]) -> bool:
    """Whether `symbench.gamma-zero-rank` speaks of the kernel on these templates.

    With an activation every template must have a token: the row of one without is zero below
    the activation only.

    >>> from symbench.kernels import attention, transformer
    >>> kernel = attention(gamma=0)
    >>> pair = [Template("αα"), Template("αβ")]
    >>> counts_types(kernel, pair), counts_types(transformer("relu", kernel), pair)
    (True, False)
    """
    if type(kernel) is Transformer:
        each_has_a_token = all(z.tokens for z in templates)
        changes = _is_constant(kernel.activation) is False
        return changes and each_has_a_token and counts_types(kernel.attention, templates)
    if type(kernel) is not Attention or not kernel.is_normalised:
        return False
    if kernel.gamma != 0 or kernel.beta == 0:
        return False
    return kernel.softmax_scale == "main" or _one_end(templates)


def seen_rows(kernel: Kernel, templates: Sequence[Template]) -> tuple[Row, ...]:
    """The templates as far as the kernel sees them: equal rows here are equal rows of K_tau.

    Without normalisation no position sees another, so wildcards might as well be different; at
    gamma = 0 no position is told from another, so they might as well be sorted (but for the last
    one in (23), which is read); a constant activation sees nothing.

    >>> from symbench.kernels import attention, inner_product
    >>> pair = [Template("αβα"), Template("αββ")]
    >>> seen_rows(attention(gamma=0), pair)
    ((-1, -1, -2), (-1, -1, -2))
    >>> seen_rows(attention(normalise=False), pair)
    ((-1, -2, -3), (-1, -2, -3))
    >>> seen_rows(inner_product(), pair)
    ((-1, -2, -1), (-1, -2, -2))
    """
    view = _view(kernel)
    return tuple(canonical_row(view(row)) for row in patterns(templates).rows)


def _view(kernel: Kernel) -> Callable[[Row], Row]:
    if type(kernel) is Transformer:
        constant, below = _is_constant(kernel.activation), kernel.attention
        if constant:
            return lambda row: (-1,) * len(row)
        # Without normalisation the variance K(x, x) still tells equal symbols.
        if constant is False and type(below) is Attention and below.is_normalised:
            return _view(below)
    if type(kernel) is not Attention:
        return lambda row: row
    return lambda row: _by_attention(kernel, row)


def _by_attention(kernel: Attention, row: Row) -> Row:
    if not kernel.is_normalised:
        row = tuple(a if a >= 0 else -1 - n for n, a in enumerate(row))
    if kernel.gamma != 0:
        return row
    free = len(row) if kernel.softmax_scale == "main" else len(row) - 1
    # Tokens by their number, then wildcards by how often they occur.
    order = sorted(range(free), key=lambda n: (row[n] < 0, -row.count(row[n]), row[n]))
    return (*(row[n] for n in order), *row[free:])


def _one_end(templates: Sequence[Template]) -> bool:
    ends = {z.letters[-1] if z.letters[-1] in z.tokens else None for z in templates}
    return len(ends) == 1 and None not in ends
