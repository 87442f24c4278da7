"""What is lost where a hypothesis of theorem `symbench.positive-definite` fails, exactly.

At gamma = 0 the kernel sees the type of a template only: how often each regular token occurs, and
the sizes of the wildcard blocks. Templates of different type stay independent, which the moments
of the lognormal sums S = sum_B |B| e^{beta g_B} show: the attention on a token is E[d tau /
(<d, tau> + S)], and its expansion for large tau has the moments of S as coefficients. With
q = e^{beta^2/2} they are exponential polynomials, E[S^j] = sum over (a_B), sum a_B = j, of
j!/prod a_B! prod |B|^{a_B} q^{a_B^2}.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from math import factorial

import attrs

from symbench._arguments import instance, integer, integers
from symbench.errors import BadValue
from symbench.exact import Exponential, Exponentials, Matrix, Rational
from symbench.exact.dense import pivot_columns
from symbench.exact.polynomials import witness_points
from symbench.kernels.base import check_templates
from symbench.words import Template


@attrs.frozen
class TemplateType:
    """The counts of the regular tokens, and the sizes of the wildcard blocks, decreasing."""

    tokens: tuple[tuple[str, int], ...]
    blocks: tuple[int, ...]


def type_of(template: Template) -> TemplateType:
    """The type of a template: all that attention without positions sees.

    >>> type_of(Template("αβαS"))
    TemplateType(tokens=(('S', 1),), blocks=(2, 1))
    >>> type_of(Template("αβαS")) == type_of(Template("Sβαα"))
    True
    """
    instance(template, Template, "the template", "a Template such as Template('ααβ')")
    counts = Counter(a for a in template.letters if a not in template.wildcards)
    sizes = sorted((len(block) for block in template.blocks), reverse=True)
    return TemplateType(tuple(sorted(counts.items())), tuple(sizes))


def lognormal_moments(blocks: Iterable[int], count: int) -> list[Exponential]:
    """E[S^j] for j = 0, ..., count - 1, S = sum_B |B| e^{beta g_B}, in q = e^{beta^2/2}.

    >>> lognormal_moments((1, 1), 3)
    [1, 2*q, 2*q^2 + 2*q^4]
    """
    sizes = integers(blocks, "the list of block sizes", at_least=1)
    count = integer(count, "the number of moments", at_least=0)
    ring = Exponentials("q")
    series = [ring.coerce(int(j == 0)) for j in range(count)]  # of z^j / j!, times j!
    for size in sizes:
        factor = [ring.monomial(a * a) * Rational(size**a, factorial(a)) for a in range(count)]
        series = [
            sum((series[j - a] * factor[a] for a in range(j + 1)), ring.coerce(0))
            for j in range(count)
        ]
    return [moment * factorial(j) for j, moment in enumerate(series)]


def moment_matrix(templates: Iterable[Template]) -> Matrix:
    """A matrix whose nonsingularity proves that K_tau at gamma = 0 is nonsingular.

    One row per template, which must have a regular token (CLS is one): coefficients of the
    expansion of the attention on each token along tau = t omega for t to infinity. There are as
    many directions omega as the templates have different numbers of tokens, all in general
    position, because one of them does not tell all numbers of tokens apart. The lowest
    coefficients coincide (all block sizes add up to the same), so the columns are chosen to be
    independent. If it is singular, that proves nothing.

    >>> z = [Template("αα").with_cls(), Template("αβ").with_cls()]
    >>> certify(moment_matrix(z)).scope
    'for generic parameters'
    """
    found = check_templates(templates)
    for z in found:
        if not z.tokens:
            raise BadValue(f"{z} has no regular token, so its row is zero: use with_cls()")
    types = [type_of(z) for z in found]
    tokens = sorted({token for kind in types for token, _ in kind.tokens})
    stream = random.Random(0)
    directions = [
        {token: stream.randrange(1, 1000) for token in tokens}
        for _ in {kind.tokens for kind in types}
    ]
    # Twice as many moments as templates have always sufficed.
    count = 2 * len(types) + 2
    rows = []
    for kind in types:
        moments = lognormal_moments(kind.blocks, count)
        scales = [sum(n * omega[token] for token, n in kind.tokens) for omega in directions]
        on = dict(kind.tokens)
        rows.append(
            [
                moment * Rational(on.get(token, 0), scale ** (j + 1))
                for token in tokens
                for scale in scales
                for j, moment in enumerate(moments)
            ]
        )
    wide = Matrix(rows, Exponentials("q"))
    prime, point = next(witness_points(wide.ring))
    columns = list(pivot_columns(wide.reduce(prime, point).flint))
    rest = [j for j in range(wide.shape[1]) if j not in columns]
    columns += rest[: len(rows) - len(columns)]
    return wide.submatrix(range(len(rows)), columns)


def gamma_zero_rank(templates: Iterable[Template]) -> int:
    """The rank of K_tau at gamma = 0, beta != 0: the types that have a regular token are counted.

    Theorem `symbench.gamma-zero-rank` says that this is the rank; no matrix is built.

    >>> [gamma_zero_rank([z.with_cls() for z in all_templates(n)]) for n in (1, 2, 3, 4, 5)]
    [1, 2, 3, 5, 7]
    >>> gamma_zero_rank(all_templates(3))
    0
    """
    return len({type_of(z) for z in check_templates(templates) if z.tokens})
