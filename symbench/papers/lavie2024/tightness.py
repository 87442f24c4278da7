"""Where the bound by the dimension is tight, and where it is not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate
from symbench.exact import QQ, Matrix
from symbench.kernels import linear_attention
from symbench.papers._cases import drawn, integer, number, one_of, record
from symbench.papers.lavie2024.spectra import PROOF, READOUTS, can_be_decomposed
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import spectrum
from symbench.young import Block, BlockForm, Partition

# (readout, m, length, C)
Tight = tuple[str, int, int, int]


@claim(
    "lavie2024.tight",
    source="Poster: the bounds are tight",
    category="claim",
    cases=[("flatten", 2, 8, 15), ("sum", 1, 40, 10), ("flatten", 2, 60, 100)],
    boundary=("flatten", 2, 8, 15),
    applies=record(
        one_of(*READOUTS),
        integer(0),
        integer(1),
        integer(1),
        where=lambda _, m, length, __: 2 * m <= length,
    ),
    expected="fails",
    repaired_by="lavie2024.tight-repaired",
    proof=PROOF,
    near_misses=[
        NearMiss("m = 1 and flatten, with a constant below 2 (1 + beta/alpha)",
                 ("flatten", 1, 60, 3), {}),
    ],
)  # fmt: skip
def tight(case: Tight) -> bool | Fails:
    r"""The bound is tight for each $(L-m, m)$ that the kernel sees: the largest eigenvalue, if it
    is not 0, is at least $\mathbb{E}\,k(x,x) / (C \dim)$ with a constant $C$ for all $L$.
    """
    readout, m, length, constant = case
    can_be_decomposed(length)
    found = spectrum(linear_attention(1, 1, readout=readout), length=length, vocabulary=2)
    piece = found[Partition(length - m, m)]
    largest, bound = piece.eigenvalues[0], found.trace / piece.dimension
    return (
        largest == 0
        or largest >= bound / constant
        or Fails(f"({length - m}, {m}) has {largest}, the bound is {bound}")
    )


# (readout, length, alpha, beta)
Closed = tuple[str, int, Fraction, Fraction]


def _closed_cases(max_length: int = 16) -> Iterator[Closed]:
    values = [
        (Fraction(1), Fraction(1)),
        (Fraction(2, 3), Fraction(5, 7)),
        (Fraction(3), Fraction(1, 9)),
    ]
    for readout, (alpha, beta) in product(("sum", "flatten"), values):
        for length in range(4, max_length + 1):
            yield readout, length, alpha, beta


def _drawn_case(st: Any) -> Any:
    number = st.fractions(min_value=Fraction(1, 20), max_value=9, max_denominator=20)
    return st.tuples(st.sampled_from(["sum", "flatten"]), st.integers(4, 40), number, number)


def _closed_forms(
    readout: str, L: int, a: Fraction, b: Fraction
) -> tuple[list[Fraction], Fraction, Fraction]:
    """The nonzero eigenvalues of (L-1, 1), the one of (L-2, 2), and the trace; two tokens."""
    if readout == "sum":
        first = [a * b * L * (a * L + 2 * b) / 2, a**2 * b * (L - 2) / 2]
        trace = (
            a**3 * (L**3 + 2 * L**2 + 3 * L - 2)
            + a**2 * b * (6 * L**2 + 6 * L)
            + a * b**2 * (2 * L**2 + 10 * L)
            + 4 * L * b**3
        ) * Fraction(L, 4)
        return first, Fraction(0), trace
    first = [a * L * (a**2 * L + 4 * a * b + 6 * b**2) / 4, a**2 * (a * (L - 2) + 4 * b) / 4]
    meetings = L + Fraction(L * (L - 1), 2)
    return first, a**2 * b, L * (a + b) * (a**2 * meetings + 2 * a * b * L + L * b**2)


def _diagonal(shape: Partition, block: Matrix, values: list[Fraction]) -> Certificate:
    """The certificate that a block has these eigenvalues and no other: a basis of eigenvectors."""
    one = Matrix.identity(block.shape[0], QQ)
    vectors: list[Any] = []
    blocks: list[Block] = []
    for value in dict.fromkeys(values):
        space = (block - one * value).nullspace()
        vectors += space
        blocks.append(Block(shape, Matrix([[value]], QQ), len(space)))
    return block_certificate(BlockForm(Matrix(vectors, QQ).transpose(), tuple(blocks)), block)


@claim(
    "lavie2024.tight-repaired",
    source="The eigenvalues of one layer of linear attention on uniform binary words, exactly",
    category="proposition",
    cases=_closed_cases,
    boundary=("flatten", 4, Fraction(1), Fraction(1)),
    strategy=drawn(_drawn_case),
    applies=record(one_of(*READOUTS), integer(4), number(above=0), number(above=0)),
    assumes=["lavie2024.more-symmetric-is-easier-repaired"],
    proof=PROOF,
    near_misses=[
        NearMiss(
            "the forms of the other readout",
            ("sum", 6, Fraction(1), Fraction(1)),
            {"read": lambda _, *others: ("flatten", *others)},
        ),
        NearMiss(
            "alpha and beta exchanged",
            ("flatten", 5, Fraction(1), Fraction(2)),
            {"read": lambda readout, L, a, b: (readout, L, b, a)},
        ),
    ],
)
def tight_repaired(
    case: Closed, read: Callable[..., Closed] = lambda *case: case
) -> Certificate | Fails:
    r"""Two tokens, uniform, $L \ge 4$. The nonzero eigenvalues of $(L-1,1)$ are
    $\tfrac12 \alpha\beta L(\alpha L + 2\beta)$ and $\tfrac12 \alpha^2\beta (L-2)$ for sum pooling,
    $\tfrac14 \alpha L(\alpha^2 L + 4\alpha\beta + 6\beta^2)$ and
    $\tfrac14\alpha^2(\alpha(L-2) + 4\beta)$ for flatten; $(L-2,2)$ has none for sum pooling and
    one, $\alpha^2\beta$, for flatten. With the traces, eigenvalue times dimension over trace tends
    to $\alpha/(2(\alpha+\beta))$ for flatten and $m = 1$: tight up to a constant. It goes to 0
    like $1/L$ for sum pooling and $m = 1$ and for flatten and $m = 2$: not tight.
    """
    readout, L, alpha, beta = case
    can_be_decomposed(L)
    found = spectrum(linear_attention(alpha, beta, readout=readout), length=L, vocabulary=2)
    first, second, trace = _closed_forms(*read(*case))
    seen = [[v for v in found[Partition(L - m, m)].eigenvalues if v != 0] for m in (1, 2)]
    if seen[0] != sorted(first, reverse=True):
        return Fails(f"({L - 1}, 1) has {seen[0]}, not {first}")
    if seen[1] != ([second] if second else []):
        return Fails(f"({L - 2}, 2) has {seen[1]}, not {second}")
    if found.trace != trace:
        return Fails(f"E k(x, x) = {found.trace}, not {trace}")
    return _diagonal(Partition(L - 1, 1), found.block(Partition(L - 1, 1)), [*first, Fraction(0)])
