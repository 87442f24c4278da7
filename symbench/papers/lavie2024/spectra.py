"""The proposition on eigenvalues and dimensions, what "more symmetric" means, and tightness."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.certificates import Certificate
from symbench.decide import block_certificate, certify
from symbench.errors import BadValue
from symbench.exact import QQ, Matrix
from symbench.kernels import from_table, inner_product, linear_attention
from symbench.laws import Iid, Mixture
from symbench.papers._cases import at_most, drawn, integer, number, one_of, record
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import Spectrum, spectrum
from symbench.young import (
    Action,
    Block,
    BlockForm,
    Partition,
    block_form,
    orbits_on_pairs,
    pure_multiplicity,
)

PROOF = "proofs/lavie2024/trace-bound.md"
READOUTS = ("sum", "flatten")


def can_be_decomposed(length: int, vocabulary: int = 2) -> None:
    """Undecided, if the blocks of a kernel on such words would take hours."""
    at_most(length, 100, "positions")
    at_most(vocabulary, 100, "tokens")
    at_most(orbits_on_pairs(length, vocabulary), 50_000, "values of the kernel")


# --- invariance -------------------------------------------------------------------------------
# (readout, causal mask, layers, length, vocabulary)
Attention = tuple[str, bool, int, int, int]


def _attention_cases(max_length: int = 4) -> Iterator[Attention]:
    for readout, layers in product(("sum", "flatten"), (1, 2)):
        for length in range(1, max_length + 1):
            yield readout, False, layers, length, 2
        yield readout, False, layers, min(max_length, 3), 3


@claim(
    "lavie2024.invariance",
    source="Poster: permutation symmetry of the kernel",
    category="proposition",
    cases=_attention_cases,
    boundary=("sum", False, 1, 1, 2),
    applies=record(one_of(*READOUTS), one_of(False), integer(1), integer(1), integer(1)),
    proof=PROOF,
    near_misses=[
        NearMiss("a causal mask", ("sum", True, 1, 2, 2)),
        NearMiss("only the last position is read", ("last", False, 1, 2, 2)),
    ],
)
def invariance(case: Attention) -> Certificate | Fails:
    r"""With no causal mask, positional vectors that are independent and of one law, and a readout
    that treats positions alike (sum or flatten), the kernel of linear attention at initialisation
    has $k(gx, gy) = k(x, y)$ for every permutation $g$ of positions.
    """
    # It is enough to exchange neighbours.
    readout, causal, layers, length, vocabulary = case
    at_most(layers, 8, "layers")
    at_most(length, 8, "positions")
    at_most(vocabulary, 8, "tokens")
    at_most(vocabulary**length, 256, "words")
    kernel = linear_attention(1, 1, readout=readout, layers=layers, causal=causal)
    action = Action.words(length, vocabulary)
    words = ["".join("ABCDEFGH"[letter - 1] for letter in point) for point in action.points]
    value = {(x, y): kernel.value(x, y) for x in words for y in words}
    for (x, y), here in value.items():
        for i in range(length - 1):
            gx, gy = (w[:i] + w[i + 1] + w[i] + w[i + 2 :] for w in (x, y))
            if here != value[gx, gy]:
                return Fails(
                    f"k({x}, {y}) = {here}, and with positions {i + 1}, {i + 2} "
                    f"exchanged k({gx}, {gy}) = {value[gx, gy]}"
                )
    gram = Matrix([[value[x, y] for y in words] for x in words], QQ)
    return block_certificate(block_form(action, gram), gram)


# --- the proposition --------------------------------------------------------------------------
def _neighbours(table: Any) -> int:
    """1 for binary words that differ in one position: symmetric, invariant, and indefinite."""
    return int(table[0][1] + table[1][0] == 1)


def _kernel(name: str) -> Any:
    kernels = {
        "sum": linear_attention(1, 1),
        "flatten": linear_attention(1, 1, readout="flatten"),
        "two layers": linear_attention(1, "1/2", layers=2),
        "exponential": inner_product(lambda n: 2**n),
        "neighbours": from_table(_neighbours),
    }
    return kernels[name]


def _law(name: str, V: int) -> Any:
    if name == "uniform":
        return None
    weights = Iid(*[Fraction(v + 1, V * (V + 1) // 2) for v in range(V)])
    if name == "iid":
        return weights
    constant = [(Fraction(1, 2 * V), Iid(*[int(u == v) for u in range(V)])) for v in range(V)]
    if name == "constant words":
        return Mixture([(2 * weight, law) for weight, law in constant])
    return Mixture([("1/2", weights), *constant])


def _within(found: Spectrum, bound: Callable[[Spectrum, Any], Any]) -> bool | Fails:
    """Whether the largest eigenvalue of each irrep is at most a bound."""
    for partition in found.partitions:
        piece = found[partition]
        largest, most = piece.eigenvalues[0], bound(found, piece)
        if largest > most:
            return Fails(
                f"({partition}) has eigenvalue {largest} > {most}; E k(x, x) = {found.trace}"
            )
    return True


# (what is looked at, kernel, length, constant C)
Printed = tuple[str, str, int, int]


_POSITIVE = ("sum", "flatten", "two layers", "exponential")
_WAYS = ("one eigenvalue", "hidden trace", "indefinite")


@claim(
    "lavie2024.proposition",
    source="Poster: Proposition, lambda_R = O(1 / dim R)",
    category="proposition",
    cases=[
        ("one eigenvalue", "sum", 2, 1),
        ("hidden trace", "sum", 6, 100),
        ("hidden trace", "flatten", 20, 1000),
        ("hidden trace", "sum", 40, 10**4),
        ("indefinite", "neighbours", 4, 0),
    ],
    boundary=("one eigenvalue", "sum", 2, 1),
    applies=record(one_of(*_WAYS), one_of(*_POSITIVE, "neighbours"), integer(1), integer(0)),
    expected="fails",
    repaired_by="lavie2024.proposition-repaired",
    proof=PROOF,
    near_misses=[
        NearMiss("another readout", ("one eigenvalue", "flatten", 2, 1), {}),
        NearMiss(
            "a larger constant at a larger length", ("hidden trace", "flatten", 60, 10**4), {}
        ),
    ],
)
def proposition(case: Printed) -> bool | Fails:
    r"""A permutation-symmetric kernel operator has one eigenvalue $\lambda_R$ for each irrep $R$ in
    the functions of sequences, and $\lambda_R = O(1/\dim R)$: $\lambda_R \dim R \le C$ with a
    constant $C$ for all lengths. It fails in three ways: an irrep that occurs several times has
    several eigenvalues; the constant hides $\mathbb{E}\,k(x,x)$, which grows with $L$; a kernel
    that is not positive semidefinite is not bounded by its trace (here 0).
    """
    way, name, length, constant = case
    can_be_decomposed(length)
    found = spectrum(_kernel(name), length=length, vocabulary=2)
    if way != "one eigenvalue":
        return _within(found, lambda _, piece: Fraction(constant, piece.dimension))
    for partition in found.partitions:
        values = dict.fromkeys(found[partition].eigenvalues)
        if len(values) > 1:
            return Fails(f"({partition}) has the eigenvalues {', '.join(map(str, values))}")
    return True


# (kernel, law, length, vocabulary)
Bounded = tuple[str, str, int, int]
_LAWS = ("uniform", "iid", "constant words", "mixture")


def _bounded_cases(max_length: int = 8) -> Iterator[Bounded]:
    for name in _POSITIVE:
        for law in _LAWS:
            for length in range(1, max_length + 1):
                yield name, law, length, 2
            yield name, law, min(max_length, 4), 3
            yield name, law, min(max_length, 3), 1


def _drawn_case(st: Any) -> Any:
    names, laws = st.sampled_from(_POSITIVE), st.sampled_from(_LAWS)
    sizes = st.one_of(
        st.tuples(st.integers(1, 12), st.just(2)), st.tuples(st.integers(1, 5), st.just(3))
    )
    return st.builds(lambda name, law, size: (name, law, *size), names, laws, sizes)


def _spectrum(case: Bounded) -> Spectrum:
    name, law, length, vocabulary = case
    can_be_decomposed(length, vocabulary)
    chosen = _law(law, vocabulary)
    return spectrum(_kernel(name), length=length, vocabulary=vocabulary, law=chosen)


@claim(
    "lavie2024.proposition-repaired",
    source="The proposition with its constant, and with several copies of an irrep",
    category="proposition",
    cases=_bounded_cases,
    boundary=("sum", "uniform", 1, 2),
    strategy=drawn(_drawn_case),
    applies=record(one_of(*_POSITIVE), one_of(*_LAWS), integer(1), integer(1)),
    assumes=["lavie2024.invariance"],
    proof=PROOF,
    near_misses=[
        NearMiss("a kernel that is not positive semidefinite", ("neighbours", "uniform", 3, 2)),
        NearMiss(
            "one eigenvalue for all copies",
            ("sum", "uniform", 4, 2),
            lambda case: _within(_spectrum(case), lambda x, p: x.trace / (p.copies * p.dimension)),
        ),
        NearMiss(
            "without E k(x, x)",
            ("sum", "uniform", 4, 2),
            lambda case: _within(_spectrum(case), lambda _, piece: Fraction(1, piece.dimension)),
        ),
    ],
)
def proposition_repaired(case: Bounded) -> Certificate | Fails:
    r"""Let $k$ be positive semidefinite and $p$ a law, both unchanged by permutations of positions,
    and let $\mu_{\lambda,1} \ge \mu_{\lambda,2} \ge \dots$ be the eigenvalues on the copies of
    $S^\lambda$. Then
    $\sum_\lambda \dim S^\lambda \sum_j \mu_{\lambda,j} = \mathbb{E}_p\, k(x,x)$, and
    $$\mu_{\lambda,j} \le \frac{\mathbb{E}_p\, k(x,x)}{j \dim S^\lambda}.$$
    The action need not be faithful (one token; constant words).
    """
    found = _spectrum(case)
    total = sum(
        piece.dimension * sum(piece.block[i, i] for i in range(piece.copies))
        for piece in found.pieces
    )
    if total != found.trace:
        return Fails(f"the eigenvalues add up to {total}, E k(x, x) = {found.trace}")
    try:
        bounds = found.trace_bounds()
    except BadValue as error:  # a negative eigenvalue, compared with 0 exactly
        return Fails(str(error))
    for bound in bounds:
        if not bound.holds:
            return Fails(f"eigenvalue {bound.place} of ({bound.partition}) exceeds {bound.bound}")
    # The smallest bound that an eigenvalue other than 0 obeys.
    telling = min((b for b in bounds if b.eigenvalue != 0), key=lambda b: b.bound)
    return found.trace_certificate(telling.partition, telling.place)


# --- more symmetric is easier -----------------------------------------------------------------
@claim(
    "lavie2024.more-symmetric-is-easier",
    source="Poster: more symmetric functions have higher eigenvalues, so are learned first",
    category="claim",
    cases=[("sum", 4), ("flatten", 4), ("sum", 12), ("flatten", 30)],
    boundary=("sum", 4),
    applies=record(one_of(*READOUTS, "two layers"), integer(1)),
    expected="fails",
    repaired_by="lavie2024.more-symmetric-is-easier-repaired",
    proof=PROOF,
    near_misses=[
        NearMiss("only the largest eigenvalue of each irrep", ("flatten", 4), {"least": 0})
    ],
)
def more_symmetric_is_easier(case: tuple[str, int], least: int = -1) -> bool | Fails:
    r"""Functions in an irrep of smaller dimension have the larger eigenvalues. False: the parity of
    all $L \ge 3$ bits does not change under permutations, so it lies in the irrep $(L)$ of
    dimension 1, and linear attention has eigenvalue 0 there.
    """
    name, length = case
    can_be_decomposed(length)
    found = spectrum(_kernel(name), length=length, vocabulary=2)
    for small, large in product([found[partition] for partition in found.partitions], repeat=2):
        low, high = small.eigenvalues[least], large.eigenvalues[0]
        if small.dimension < large.dimension and low < high:
            return Fails(
                f"({small.partition}), of dimension {small.dimension}, has eigenvalue {low}; "
                f"({large.partition}), of dimension {large.dimension}, has {high}"
            )
    return True


# (readout, law, length, vocabulary, layers)
Degree = tuple[str, str, int, int, int]


def _degree_cases(max_length: int = 9) -> Iterator[Degree]:
    for readout, law in product(("sum", "flatten"), ("uniform", "iid")):
        for length in range(1, max_length + 1):
            yield readout, law, length, 2, 1
        for length in range(1, min(max_length, 6) + 1):
            yield readout, law, length, 3, 1


@claim(
    "lavie2024.more-symmetric-is-easier-repaired",
    source="What decides is the degree: functions that a layer of linear attention sees",
    category="proposition",
    cases=_degree_cases,
    boundary=("sum", "uniform", 3, 2, 1),
    applies=record(one_of(*READOUTS), one_of("uniform", "iid"), integer(1), integer(1), one_of(1)),
    proof=PROOF,
    near_misses=[
        NearMiss("two layers", ("flatten", "uniform", 6, 2, 2)),
        NearMiss("degree one", ("flatten", "uniform", 4, 2, 1), {"degree": 1}),
    ],
)
def more_symmetric_is_easier_repaired(case: Degree, degree: int = 2) -> Certificate | Fails:
    r"""One layer of linear attention has a kernel of degree 2 in each argument, so every function
    of pure degree 3 or more (depending on that many positions, with mean zero in each) has
    eigenvalue 0, however symmetric it is. $S^\lambda$ has at most $\sum_{k \le 2}
    \mathrm{mult}^{\mathrm{pure}}_k(\lambda)$ nonzero eigenvalues, none if $L - \lambda_1 > 2$.
    """
    readout, law, length, vocabulary, layers = case
    can_be_decomposed(length, vocabulary)
    kernel = linear_attention(1, 1, readout=readout, layers=layers)
    found = spectrum(kernel, length=length, vocabulary=vocabulary, law=_law(law, vocabulary))
    for partition in found.partitions:
        rank = sum(value != 0 for value in found[partition].eigenvalues)
        degrees = range(min(degree, length) + 1)
        room = sum(pure_multiplicity(partition, vocabulary, k) for k in degrees)
        if rank > room:
            return Fails(f"({partition}) has {rank} nonzero eigenvalues, room for {room}")
    return certify(found.block(Partition(length)), question="rank")


# --- where the bound is tight ---------------------------------------------------------------------
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


def _drawn_closed(st: Any) -> Any:
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
    strategy=drawn(_drawn_closed),
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
