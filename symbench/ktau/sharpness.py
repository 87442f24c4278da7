"""What is lost where a hypothesis of theorem `symbench.positive-definite` fails, exactly.

At gamma = 0 the kernel sees the type of a template only: how often each regular token occurs, and
the sizes of the wildcard blocks. Templates of different type stay independent, which the moments
of the lognormal sums S = sum_B |B| e^{beta g_B} show: the attention on CLS is E[d tau / (<d, tau> +
S)], and its expansion for large tau has the moments of S as coefficients. With q = e^{beta^2/2}
they are exponential polynomials, E[S^j] = sum over (a_B), sum a_B = j, of
j!/prod a_B! prod |B|^{a_B} q^{a_B^2}.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import factorial
from typing import TYPE_CHECKING

import attrs

from symbench.errors import BadValue
from symbench.exact import Exponential, Exponentials, Matrix, Rational
from symbench.exact.polynomials import pivot_columns, witness_points
from symbench.words.letters import CLS

if TYPE_CHECKING:
    from symbench.words import Template


@attrs.frozen
class TemplateType:
    """How often each regular token occurs, and the sizes of the wildcard blocks, decreasing."""

    tokens: tuple[tuple[str, int], ...]
    blocks: tuple[int, ...]


def type_of(template: Template) -> TemplateType:
    """The type of a template: all that attention without positions sees.

    >>> from symbench.words import Template
    >>> type_of(Template("αβαS"))
    TemplateType(tokens=(('S', 1),), blocks=(2, 1))
    >>> type_of(Template("αβαS")) == type_of(Template("Sβαα"))
    True
    """
    counts = Counter(a for a in template.letters if a not in template.wildcards)
    sizes = sorted((len(block) for block in template.blocks), reverse=True)
    return TemplateType(tuple(sorted(counts.items())), tuple(sizes))


def lognormal_moments(blocks: Sequence[int], count: int) -> list[Exponential]:
    """E[S^j] for j = 0, ..., count - 1, S = sum_B |B| e^{beta g_B}, in q = e^{beta^2/2}.

    >>> lognormal_moments((1, 1), 3)
    [1, 2*q, 2*q^2 + 2*q^4]
    """
    ring = Exponentials("q")
    series = [ring.coerce(int(j == 0)) for j in range(count)]  # of z^j / j!, times j!
    for size in blocks:
        factor = [ring.monomial(a * a) * Rational(size**a, factorial(a)) for a in range(count)]
        series = [
            sum((series[j - a] * factor[a] for a in range(j + 1)), ring.coerce(0))
            for j in range(count)
        ]
    return [moment * factorial(j) for j, moment in enumerate(series)]


def moment_matrix(templates: Sequence[Template]) -> Matrix:
    """A matrix whose nonsingularity proves that K_tau at gamma = 0 is nonsingular.

    One row per template, which must end in CLS: coefficients of the expansion of the attention on
    CLS along tau = t omega for t to infinity, omega = (1, 2, ...) on the tokens. The lowest ones
    coincide (all block sizes add up to the same), so the columns are chosen to be independent.

    >>> from symbench.words import Template
    >>> from symbench.decide import certify
    >>> z = [Template("αα").with_cls(), Template("αβ").with_cls()]
    >>> certify(moment_matrix(z)).scope
    'for generic parameters'
    """
    tokens = sorted({token for z in templates for token in z.tokens})
    omega = {token: n for n, token in enumerate(tokens, start=1)}
    # Twice as many moments as templates have always sufficed; too few only leave it undecided.
    count = 2 * len(templates) + 2
    rows = []
    for z in templates:
        kind = type_of(z)
        counts = dict(kind.tokens)
        if z.letters[-1] != CLS or CLS not in counts:
            raise BadValue(f"{z} does not end in CLS: use with_cls()")
        direction = sum(n * omega[token] for token, n in counts.items())
        moments = lognormal_moments(kind.blocks, count)
        rows.append(
            [
                moment * Rational(counts[CLS], direction ** (j + 1))
                for j, moment in enumerate(moments)
            ]
        )
    wide = Matrix(rows, Exponentials("q"))
    prime, point = next(witness_points(wide.ring))
    columns = list(pivot_columns(wide.reduce(prime, point).flint))
    columns += [j for j in range(count) if j not in columns][: len(rows) - len(columns)]
    return wide.submatrix(range(len(rows)), columns)


def gamma_zero_rank(templates: Sequence[Template]) -> int:
    """The rank of K_tau at gamma = 0, beta != 0, for templates that end in CLS: types are counted.

    >>> from symbench.words import all_templates
    >>> [gamma_zero_rank([z.with_cls() for z in all_templates(n)]) for n in (1, 2, 3, 4, 5)]
    [1, 2, 3, 5, 7]
    """
    return len({type_of(z) for z in templates})
