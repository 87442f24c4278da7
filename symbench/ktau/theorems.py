"""Which kernels the theorems about K_tau speak of: a kernel as facts that a certificate keeps.

Only kernels and activations of this project are believed: what somebody else's object says of
itself is no proof, so its template matrix is decided from its entries.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import islice

from symbench import words
from symbench.certificates import KernelFacts, Templates
from symbench.exact import Rational
from symbench.exact.rational import number_text
from symbench.kernels.activations.closed_forms import Erf, Gelu, Relu, Sign, Step
from symbench.kernels.activations.exact import Cosine, Exp, Polynomial
from symbench.kernels.activations.named import Activation
from symbench.kernels.activations.sigmoids import Sigmoid, Tanh
from symbench.kernels.attention import Attention
from symbench.kernels.base import Kernel, check_templates
from symbench.kernels.transformer import Transformer
from symbench.words.letters import GREEK, new_letters

_NAMES: dict[type, str] = {
    Erf: "erf",
    Exp: "exp",
    Gelu: "gelu",
    Relu: "relu",
    Sigmoid: "sigmoid",
    Sign: "sign",
    Step: "step",
    Tanh: "tanh",
}


def kernel_facts(kernel: Kernel) -> KernelFacts | None:
    """What a certificate says of the kernel; None for one that it knows nothing of.

    >>> kernel_facts(transformer("relu", attention(gamma=0))).name
    'relu over softmax attention'
    >>> kernel_facts(inner_product()) is None
    True
    """
    if type(kernel) is Transformer:
        above = _activation(kernel.activation)
        if above is None or type(kernel.attention) is not Attention:
            return None
        return _attention(kernel.attention, above)
    return _attention(kernel, None) if type(kernel) is Attention else None


def _attention(kernel: Attention, activation: tuple[str, ...] | None) -> KernelFacts:
    beta, gamma = (
        None if x is None else Rational(Fraction(x)) for x in (kernel.beta, kernel.gamma)
    )
    return KernelFacts(
        beta=beta,
        gamma=gamma,
        normalised=kernel.is_normalised,
        scale=kernel.softmax_scale,
        activation=activation,
    )


def _activation(given: Activation) -> tuple[str, ...] | None:
    """The activation as texts, or None for one that is not of this project."""
    if type(given) in _NAMES:
        return (_NAMES[type(given)],)
    if type(given) is Polynomial:
        return ("polynomial", *(number_text(Rational(c)) for c in given.coefficients or (0,)))
    if type(given) is Cosine:
        return ("cos", number_text(Rational(given.b1)), str(given.b2))
    return None


def plain_templates(
    templates: Sequence[words.Template],
    kernel: KernelFacts | None = None,
    *,
    labels: Sequence[object] | None = None,
) -> Templates:
    """The templates as the plain data of certificates.

    >>> plain_templates([Template("ααS"), Template("αβS")]).numbers
    ((-1, -1, 0), (-1, -2, 0))
    """
    found = check_templates(templates)
    rows = [z.letters for z in found]
    tokens = {token for z in found for token in z.tokens}
    if any(wildcard in tokens for z in found for wildcard in z.wildcards):
        # One letter is a token here and a wildcard there: the wildcards take other names.
        most = max(len(z.wildcards) for z in found)
        fresh = list(islice(new_letters(GREEK, avoid=tokens), most))
        renamed = [dict(zip(z.wildcards, fresh, strict=False)) for z in found]
        rows = [
            tuple(to.get(a, a) for a in z.letters) for z, to in zip(found, renamed, strict=True)
        ]
    letters = dict.fromkeys(a for row in rows for a in row)
    return Templates(
        tuple(a for a in letters if a in tokens),
        tuple(a for a in letters if a not in tokens),
        tuple(rows),
        labels=None if labels is None else tuple(map(str, labels)),
        kernel=kernel,
    )
