"""Two symmetries of one matrix: tokens and positions."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.errors import BadValue, TooLarge
from symbench.exact import Matrix
from symbench.kernels import attention, linear_attention
from symbench.kernels.generic import free_values
from symbench.ktau import coefficient_matrices, template_matrix
from symbench.ktau.isotypic import PositionSymmetry, position_symmetry
from symbench.papers._cases import at_most
from symbench.papers._templates import Templates, before_cls, every, templates
from symbench.registry import Fails, NearMiss, claim
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


def _moved(symmetry: PositionSymmetry, rows: Any, *, both: bool) -> str | None:
    """An entry that changes when positions are exchanged, in both templates or in the first."""
    size = range(len(symmetry.templates))
    for number, table in enumerate(symmetry.action.generators.tolist(), start=1):
        for i, j in product(size, repeat=2):
            if rows[table[i]][table[j] if both else j] != rows[i][j]:
                z, w = symmetry.templates[i], symmetry.templates[j]
                return f"({number} {number + 1}) of the positions changes the entry of {z} and {w}"
    return None


def _unmoved(kernel: Any, *, both: bool) -> Callable[[Templates], bool | Fails]:
    """The variant of the first sentence for another kernel, or for one of the templates."""

    def check(cases: Templates) -> bool | Fails:
        rows = template_matrix(cases, kernel).matrix.rows
        problem = _moved(position_symmetry(cases), rows, both=both)
        return Fails(problem) if problem else True

    return check


@claim(
    "symbench.two-symmetries",
    source="Theorem of symbench: boix2024 and lavie2024 meet in one matrix",
    category="theorem",
    cases=lambda max_length=4: (*map(every, range(1, max_length + 1)), every(2, "A")),
    boundary=templates("αα", "αβ"),
    applies=_closed,
    near_misses=[
        NearMiss(
            "positions of one template only", every(3), _unmoved(attention(order=4), both=False)
        ),
        NearMiss(
            "attention with a causal mask",
            every(2, "A"),
            _unmoved(linear_attention(1, 1, causal=True), both=True),
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
        problem = _moved(symmetry, matrix.rows, both=True)
        if problem:
            return Fails(f"beta^{i} gamma^{j}: {problem}")
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
