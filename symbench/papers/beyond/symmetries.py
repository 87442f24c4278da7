"""Two symmetries of one matrix, tokens and positions; what is learned as fast as they allow."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.errors import BadValue, TooLarge, Undecided
from symbench.exact import Matrix, Rational
from symbench.kernels import attention, linear_attention
from symbench.kernels.generic import free_values
from symbench.ktau import coefficient_matrices, template_matrix
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.papers._cases import at_most, number, record
from symbench.papers._templates import Templates, before_cls, every, templates
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra.softmax_limit import softmax_tightness
from symbench.words import all_templates
from symbench.young import Partition, block_form

# All coefficients up to beta^4: gamma^6 is the highest power of gamma there.
_ORDERS = [(i, j) for i in range(5) for j in range(7)]


def _closed(cases: Any) -> bool:
    """Whether permuting the positions of these templates gives these templates."""
    if not before_cls(cases):
        return False
    try:
        position_symmetry(cases)
    except TooLarge:  # than an action that is written out; the claim says that it is undecided
        return True
    except BadValue:
        return False
    return True


def _unmoved(symmetry: PositionSymmetry, rows: Any, *, both: bool = True) -> bool | Fails:
    """Whether no entry changes when positions are exchanged, in both templates or in the first."""
    size = range(len(symmetry.templates))
    for k, table in enumerate(symmetry.action.generators.tolist(), start=1):
        for i, j in product(size, repeat=2):
            if rows[table[i]][table[j] if both else j] != rows[i][j]:
                z, w = symmetry.templates[i], symmetry.templates[j]
                return Fails(f"({k} {k + 1}) of the positions changes the entry of {z} and {w}")
    return True


def _of_kernel(kernel: Any, *, both: bool) -> Callable[[Templates], bool | Fails]:
    """The variant of the first sentence for another kernel, or for one of the templates."""
    return lambda cases: _unmoved(
        position_symmetry(cases), template_matrix(cases, kernel).matrix.rows, both=both
    )


@claim(
    "symbench.two-symmetries",
    source="Theorem of symbench: boix2024 and lavie2024 meet in one matrix",
    category="theorem",
    cases=lambda max_length=4: (*map(every, range(1, max_length + 1)), every(2, "A")),
    boundary=templates("αα", "αβ"),
    applies=_closed,
    near_misses=[
        NearMiss(
            "positions of one template only", every(3), _of_kernel(attention(order=4), both=False)
        ),
        NearMiss(
            "attention with a causal mask",
            every(2, "A"),
            _of_kernel(linear_attention(1, 1, causal=True), both=True),
        ),
    ],
)
def two_symmetries(cases: Templates) -> Certificate | Fails:
    r"""Permuting the positions before CLS of all templates at once leaves the template matrix of
    softmax attention unchanged, so on templates closed under it the matrix is one block of size
    $m_\lambda$ for each irreducible, repeated $\dim \lambda$ times; at $\gamma = 0$ only the block
    of the trivial one is not zero. A token-symmetric kernel on strings of length $k$ is a function
    of diagrams, with $(\mathrm{Bell}(2k) + \#\text{flip-invariant})/2$ free values. Entries are
    compared to order 4 in $\beta$.
    """
    at_most(len(cases), 100, "templates")
    symmetry = position_symmetry(cases)
    trivial = Partition(len(cases[0]))
    last = Matrix([])
    for (i, j), matrix in coefficient_matrices(cases, _ORDERS):
        outcome = _unmoved(symmetry, matrix.rows)
        if isinstance(outcome, Fails):
            return Fails(f"beta^{i} gamma^{j}: {outcome.reason}")
        if not any(map(any, matrix.rows)):
            continue
        last = matrix
        for shape, block in symmetry.blocks(matrix).items():
            if block.shape[0] != symmetry.multiplicities[shape]:
                return Fails(f"the block of {shape} has size {block.shape[0]}")
            if j == 0 and shape != trivial and block.rank():
                return Fails(f"beta^{i} gamma^0 is not zero on {shape}")
    if len(cases[0]) <= 3 and len(_diagrams(len(cases[0]))) != free_values(len(cases[0])):
        return Fails("the diagrams up to exchanging the strings are not so many")
    return block_certificate(block_form(symmetry.action, last), last)


def _diagrams(length: int) -> set[frozenset[tuple[str, ...]]]:
    """Equality patterns of pairs of strings up to exchanging the two, one by one."""
    found = set()
    for z in all_templates(2 * length):
        flipped = type(z)((*z.letters[length:], *z.letters[:length])).canonical
        found.add(frozenset((z.canonical.letters, flipped.letters)))
    return found


# --- as fast as the symmetry allows ---------------------------------------------------------------
# alpha, beta, scale
Case = tuple[Rational, Rational, Rational]
_BITS = (64, 256)


def _case(*numbers: int) -> Any:
    return tuple(map(Rational, numbers))


def _scales(max_value: int = 2) -> Iterator[Case]:
    numbers = [Rational(1, 2), *map(Rational, range(1, max_value + 1))]
    yield from product(numbers, [Rational(0), *numbers], numbers)


def _above_the_bound(case: Case) -> bool | Fails:
    """The variant in which the limit is one: all of the trace on (L - 1, 1)."""
    found = softmax_tightness(case[0], case[1], scale=case[2])
    return bool(2 * found >= 1) or Fails(f"the bound is {found.str(6, radius=False)}")


@claim(
    "symbench.softmax-tight",
    source="Theorem of symbench; lavie2024 asks how tight the bound is",
    category="theorem",
    cases=_scales,
    boundary=_case(1, 0, 1),
    applies=record(number(above=0), number(0), number(above=0)),
    proof="proofs/symbench/softmax-tight.md",
    near_misses=[
        NearMiss("tokens are not embedded: alpha = 0", _case(0, 1, 1)),
        NearMiss("uniform attention: scale = 0", _case(1, 1, 0)),
        NearMiss("half of the trace or more", _case(1, 1, 1), _above_the_bound),
    ],
)
def softmax_tight(case: Case) -> bool | Fails:
    r"""One layer of softmax attention with $\alpha > 0$, $\beta \ge 0$, a scale $s > 0$ and an own
    readout for each position, on uniform words of two tokens: on the irreducible $(L-1, 1)$
    $\liminf_L \lambda \dim / \mathrm{tr} \ge (D(1) - D(\rho)) / (2 D(1)) > 0$, where
    $D(r) = \mathbb{E}[\sigma(u)\sigma(v)]$, $\sigma$ the logistic function, for Gaussians of
    variance $2 s^2 \alpha (\alpha + \beta)$ and correlation $r$, and
    $\rho = \beta/(\alpha + \beta)$. So the bound $\lambda \le \mathrm{tr} / \dim$ is tight there
    up to a constant. That the number is positive is shown by balls.
    """
    alpha, beta, scale = case
    if alpha == 0 or scale == 0:
        return Fails("the Gaussians have variance 0, so D(1) = D(rho) = 1/4, and the bound is 0")
    try:
        if any(softmax_tightness(alpha, beta, scale=scale, bits=bits) > 0 for bits in _BITS):
            return True
    except TooLarge as error:
        raise Undecided(str(error)) from None
    raise Undecided(f"the bound is not seen to be positive with {_BITS[-1]} bits")
