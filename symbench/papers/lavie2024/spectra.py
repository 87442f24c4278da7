"""The proposition on blocks and eigenvalues, and the ways in which eigenvalues are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import Any

import flint

from symbench.certificates import Certificate
from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.exact.precision import working_precision
from symbench.kernels import from_table, inner_product, linear_attention
from symbench.kernels.positions import ring_attention, segment_attention
from symbench.laws import Iid, Mixture
from symbench.papers._cases import at_most, drawn, integer, one_of, record
from symbench.papers.lavie2024 import _definitions as definitions
from symbench.papers.lavie2024._definitions import Letters, diagonal, words
from symbench.registry import Fails, NearMiss, claim
from symbench.spectra import Spectrum, closed_forms, spectrum, subset_spectrum
from symbench.young import Partition, orbits_on_pairs

PROOF = "proofs/lavie2024/trace-bound.md"
READOUTS = ("sum", "flatten")


def can_be_decomposed(length: int, vocabulary: int = 2) -> None:
    """Undecided, if the blocks of a kernel on such words would take hours."""
    at_most(length, 100, "positions")
    at_most(vocabulary, 100, "tokens")
    at_most(orbits_on_pairs(length, vocabulary), 50_000, "values of the kernel")


# --- the proposition --------------------------------------------------------------------------
# (kernel, law, length, vocabulary)
Bounded = tuple[str, str, int, int]
_LAWS = ("uniform", "iid", "constant words", "mixture")
_SYMMETRIC = ("sum", "flatten", "two layers", "exponential")
_POSITIVE = (*_SYMMETRIC, "last", "segments", "ring")
# Eigenvalues are compared with the whole operator up to this many words.
_DENSE = 32


def _ring(length: int) -> list[int]:
    """Covariances of positions by their distance on a ring: 2 and, for neighbours, 1."""
    return [2 if t == 0 else int(t in (1, length - 1)) for t in range(length)]


def _group(name: str, length: int) -> Any:
    """The group of permutations that leaves a kernel unchanged, as far as it is used here."""
    if name == "ring":
        return "cyclic"
    if name == "segments":
        return (2, length - 2) if length > 2 else (length,)
    return (length - 1, 1) if name == "last" and length > 1 else (length,)


def _kernel(name: str, length: int) -> Any:
    kernels: dict[str, Callable[[], Any]] = {
        "sum": lambda: linear_attention(1, 1),
        "flatten": lambda: linear_attention(1, 2, readout="flatten"),
        "two layers": lambda: linear_attention(1, 2, layers=2),
        "last": lambda: linear_attention(1, 2, readout="last"),
        "exponential": lambda: inner_product(lambda n: 2**n),
        "neighbours": lambda: from_table(lambda table: int(table[0][1] + table[1][0] == 1)),
        "segments": lambda: segment_attention(
            1, 1, 2, segments=_group("segments", length), readout="flatten"
        ),
        "ring": lambda: ring_attention(1, 1, positions=_ring(length)),
    }
    return kernels[name]()


def _defined(name: str, length: int) -> Callable[[Letters, Letters], Any]:
    """The same kernels from their definitions."""
    if name == "exponential":
        return lambda x, y: 2 ** sum(s == t for s, t in zip(x, y, strict=True))
    if name == "neighbours":
        return lambda x, y: int(sum(s != t for s, t in zip(x, y, strict=True)) == 1)
    beta = 2 if name in ("flatten", "two layers", "last") else 1
    positions = diagonal(beta, length)
    if name == "ring":
        near = _ring(length)
        positions = [[near[abs(a - b)] for b in range(length)] for a in range(length)]
    if name == "segments":
        label = [k for k, n in enumerate(_group(name, length)) for _ in range(n)]
        positions = [[(a == b) + 2 * (s == t) for b, t in enumerate(label)]
                     for a, s in enumerate(label)]  # fmt: skip
    readout = {"flatten": "flatten", "segments": "flatten", "last": "last"}.get(name, "sum")
    layers = 2 if name == "two layers" else 1
    return lambda x, y: definitions.linear(x, y, 1, positions, readout, layers)


def law_of(name: str, V: int) -> Any:
    """A law of the library that permutations of positions leave unchanged."""
    if name == "uniform":
        return None
    weights = Iid(*[Fraction(v + 1, V * (V + 1) // 2) for v in range(V)])
    if name == "iid":
        return weights
    constant = [(Fraction(1, 2 * V), Iid(*[int(u == v) for u in range(V)])) for v in range(V)]
    if name == "constant words":
        return Mixture([(2 * weight, law) for weight, law in constant])
    return Mixture([("1/2", weights), *constant])


def chances(name: str, length: int, V: int) -> dict[Letters, Fraction]:
    """The same laws word by word."""
    found = {}
    for word in words(length, V):
        iid = prod((Fraction(letter + 1, V * (V + 1) // 2) for letter in word), start=Fraction(1))
        constant = Fraction(int(len(set(word)) == 1), V)
        found[word] = {
            "uniform": Fraction(1, V**length),
            "iid": iid,
            "constant words": constant,
            "mixture": (iid + constant) / 2,
        }[name]
    return found


def _bounded_cases(max_length: int = 5) -> Iterator[Bounded]:
    for name in _POSITIVE:
        yield name, "uniform", min(max_length, 4), 2
        yield name, "mixture", min(max_length, 3), 2
    for law in _LAWS:
        yield "flatten", law, min(max_length, 4), 2
        yield "sum", law, min(max_length, 3), 3
    yield "sum", "iid", max_length, 2
    yield "exponential", "iid", min(max_length, 3), 3
    yield "segments", "uniform", max_length, 2
    yield "ring", "iid", max_length, 2
    yield "flatten", "mixture", 6, 2
    yield "sum", "uniform", 3, 1


def _drawn_case(st: Any) -> Any:
    names, laws = st.sampled_from(_POSITIVE), st.sampled_from(_LAWS)
    size = st.one_of(
        st.tuples(st.integers(1, 5), st.just(2)), st.tuples(st.integers(1, 3), st.just(3))
    )
    return st.builds(lambda name, law, size: (name, law, *size), names, laws, size)


def _found(case: Bounded, **options: Any) -> Spectrum:
    name, law, length, vocabulary = case
    can_be_decomposed(length, vocabulary)
    return spectrum(
        _kernel(name, length),
        length=length,
        vocabulary=vocabulary,
        law=law_of(law, vocabulary),
        group=_group(name, length),
        **options,
    )


def enclosed(value: Any, bits: int = 256) -> flint.arb:
    """An exact eigenvalue as a ball."""
    if isinstance(value, flint.arb):
        return value
    if hasattr(value, "enclosure"):
        return flint.arb(value.enclosure(bits))
    return definitions.ball(Fraction(value), Fraction(0))


def _at_most(value: Any, bound: Fraction) -> bool:
    """Whether an exact eigenvalue is at most a rational number."""
    if not hasattr(value, "enclosure"):
        return Fraction(value) <= bound
    found = enclosed(value, 512)
    if not found.overlaps(definitions.ball(bound, Fraction(0))):
        return bool(found < definitions.ball(bound, Fraction(0)))
    raise Undecided(f"{value} and {bound} are too close to compare")


def _against_the_whole(found: Spectrum, case: Bounded) -> bool | Fails:
    """Whether the eigenvalues of each irrep are those of the whole operator on its copies."""
    name, law, length, vocabulary = case
    every = words(length, vocabulary)
    matrix = definitions.operator(_defined(name, length), chances(law, length, vocabulary))
    group = _group(name, length)
    total = 0
    for piece in found.pieces:
        irrep: Any = piece.irrep
        if group != "cyclic":
            shapes = irrep if isinstance(irrep, tuple) else (irrep,)
            irrep = tuple(shape.parts for shape in shapes)
        if piece.dimension != definitions.dimension_of(group, irrep, length):
            return Fails(f"{piece.irrep} has dimension {piece.dimension}")
        total += piece.dimension * piece.copies
        with working_precision(512):
            wanted = definitions.power_sums(matrix, every, group, irrep, piece.copies)
            values = [enclosed(value, 512) for value in piece.eigenvalues]
            for j, power in enumerate(wanted, 1):
                mine = sum((value**j for value in values), flint.arb(0))
                if not mine.overlaps(power):
                    return Fails(
                        f"the eigenvalues of {piece.irrep} to the power {j} add up to "
                        f"{mine.str(8)}, in the whole operator to {power.str(8)}"
                    )
    return total == len(every) or Fails(f"{total} eigenvalues on {len(every)} words")


@claim(
    "lavie2024.proposition",
    source='Poster, Proposition: "An operator (such as K) that is symmetric under the action of a '
    "group G via a faithful representation T, such that for all g in G, k(T_g x, T_g y) = k(x, y) "
    "& p(T_g x) = p(x), can be decomposed into degenerate blocks. Each one of the blocks "
    "corresponds to an irrep R of G and its eigenvalue is bounded by the dimension of the irrep "
    'lambda_R = O(1/dim_R)"; with the constant, for kernels of networks, which are positive '
    "semidefinite",
    wording="our reading",
    category="proposition",
    cases=_bounded_cases,
    boundary=("sum", "uniform", 1, 2),
    strategy=drawn(_drawn_case),
    applies=record(
        one_of(*_POSITIVE),
        one_of(*_LAWS),
        integer(1),
        integer(1),
        where=lambda name, _, length, __: name != "ring" or length != 2,
    ),
    assumes=["lavie2024.invariance"],
    proof=PROOF,
    formerly=["lavie2024.proposition-repaired"],
    near_misses=[
        NearMiss("a kernel that is not positive semidefinite", ("neighbours", "uniform", 3, 2)),
        NearMiss(
            "read as one eigenvalue for each irrep: shared by all of its copies",
            ("sum", "uniform", 4, 2),
            {"bound": lambda trace, j, piece: trace / (piece.copies * piece.dimension)},
        ),
        NearMiss(
            "a constant in place of E k(x, x), which grows with the length",
            ("sum", "uniform", 6, 2),
            {"bound": lambda trace, j, piece: Fraction(100, piece.dimension)},
        ),
        NearMiss(
            "half of the trace",
            ("flatten", "constant words", 3, 2),
            {"bound": lambda trace, j, piece: trace / (2 * j * piece.dimension)},
        ),
    ],
)
def proposition(
    case: Bounded,
    bound: Callable[[Fraction, int, Any], Fraction] = lambda trace, j, piece: (
        trace / (j * piece.dimension)
    ),
) -> Certificate | bool | Fails:
    r"""Let $k$ be positive semidefinite, $p$ a law, both unchanged by a group $G$ of permutations
    of positions. The operator is, in a basis, one block for each irrep $R$ of $G$, repeated
    $\dim R$ times: $\dim R$ copies of each of its eigenvalues $\mu_{R,1} \ge \mu_{R,2} \ge \dots$,
    one for each copy of $R$. They add up to $\mathbb{E}_p\, k(x,x)$, and
    $$\mu_{R,j} \le \frac{\mathbb{E}_p\, k(x,x)}{j \dim R}.$$
    So $\lambda_R = O(1/\dim R)$ where $\mathbb{E}_p\, k(x,x)$ is bounded. The action need not be
    faithful (one token; constant words). Looked at for $S_L$, for segments, for all positions but
    the last, and for rotations, against the whole operator over all words.
    """
    name, law, length, vocabulary = case
    found = _found(case)
    if vocabulary**length <= _DENSE:
        whole = _against_the_whole(found, case)
        if not whole:
            return whole
    define = _defined(name, length)
    trace = sum(
        (p * define(x, x) for x, p in chances(law, length, vocabulary).items()), Fraction(0)
    )
    if found.trace != trace:
        return Fails(f"E k(x, x) = {trace}, the library has {found.trace}")
    for piece in found.pieces:
        for j, value in enumerate(piece.eigenvalues, 1):
            most = Fraction(bound(trace, j, piece))
            if not _at_most(value, most):
                return Fails(f"({piece.irrep}) has eigenvalue {value} > {most}; trace {trace}")
    bounds = found.trace_bounds()
    count = sum(piece.copies for piece in found.pieces)
    if len(bounds) != count or not all(b.holds for b in bounds):
        return Fails("the library's bounds do not hold")
    if any(b.bound * b.place * found[b.irrep].dimension != trace for b in bounds):
        return Fails("the library's bounds are others")
    if name not in _SYMMETRIC:
        return True
    # The smallest bound that an eigenvalue other than 0 obeys.
    telling = min((b for b in bounds if b.eigenvalue != 0), key=lambda b: b.bound)
    return found.trace_certificate(telling.partition, telling.place)


# --- exact numbers, balls, floats, closed forms -----------------------------------------------
# (how, kernel, law, length, vocabulary); for subsets length and size
Way = tuple[str, str, str, int, int]
_WAYS = ("ball", "float", "closed-form", "family", "binary", "tableaux", "words", "perturbed")


def _ways() -> Iterator[Way]:
    for name in _POSITIVE:
        yield "ball", name, "uniform", 4, 2
        yield "float", name, "iid", 4, 2
    for way in ("ball", "float", "tableaux", "words"):
        yield way, "flatten", "iid", 3, 3
    for way in ("binary", "tableaux", "words"):
        yield way, "sum", "mixture", 4, 2
    for way, name, law in product(("closed-form", "family"), READOUTS, ("uniform", "iid")):
        yield way, name, law, 4, 2
    yield "closed-form", "flatten", "uniform", 4, 3
    yield "family", "flatten", "uniform", 4, 3
    for name in ("sum", "flatten", "two layers"):
        yield "perturbed", name, "mixture", 4, 2
    for points, size in ((4, 2), (5, 2), (6, 3)):
        yield "subsets", "exponential", "uniform", points, size


def _way_fits(way: str, name: str, law: str, length: int, other: int) -> bool:
    if way == "subsets":
        return name == "exponential" and law == "uniform" and other <= length
    if way in ("closed-form", "family"):
        return name in READOUTS and law in ("uniform", "iid") and length >= 4 and other >= 2
    if way == "perturbed":
        return name in ("sum", "flatten", "two layers")
    if way in ("binary", "tableaux", "words"):
        return name in _SYMMETRIC and (way != "binary" or other == 2)
    return (name != "ring" or length > 2) and other >= 1


@claim(
    "symbench.isotypic-spectrum",
    source="Schur's lemma (Serre, sections 2.2 and 2.6), for kernels on words",
    category="theorem",
    cases=_ways,
    boundary=("ball", "sum", "uniform", 1, 2),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["ball", "float", "tableaux", "words"]),
            st.sampled_from(_SYMMETRIC),
            st.sampled_from(_LAWS),
            st.integers(1, 4),
            st.just(2),
        )
    ),
    applies=record(
        one_of(*_WAYS, "subsets"),
        one_of(*_POSITIVE),
        one_of(*_LAWS),
        integer(1),
        integer(1),
        where=_way_fits,
    ),
    assumes=["lavie2024.proposition"],
    proof=PROOF,
    near_misses=[
        NearMiss(
            "eigenvalues of another law",
            ("ball", "flatten", "iid", 3, 2),
            {"law_of": lambda law: "uniform"},
        ),
        NearMiss(
            "floats said to be a thousand times nearer than they are",
            ("float", "flatten", "iid", 4, 2),
            {"trust": Fraction(1, 10**3)},
        ),
        NearMiss(
            "balls that leave out how far the kernel's values may be off",
            ("perturbed", "flatten", "uniform", 4, 2),
            {"trust": Fraction(0)},
        ),
    ],
)
def isotypic_spectrum(
    case: Way,
    law_of: Callable[[str], str] = lambda law: law,
    trust: Fraction = Fraction(1),
) -> bool | Fails:
    r"""For every irrep $R$ and power $j$, $\mathrm{tr}(P_R \hat K^j) = \dim R \sum_i \mu_{R,i}^j$
    with the projector $P_R$: exact eigenvalues are those of the whole operator. The $i$-th ball
    holds the $i$-th eigenvalue, floats are off by at most their error, closed forms have the
    eigenvalues that are not 0, and every algorithm has the same; so do balls of a kernel whose
    values are known up to a radius. Subsets have one eigenvalue for each irrep.
    """
    way, name, law, length, other = case
    if way == "subsets":
        return _of_subsets(length, other)
    plain: Bounded = name, law, length, other
    exact = _found(plain)
    if other**length <= _DENSE:
        whole = _against_the_whole(exact, plain)
        if not whole:
            return whole
    changed: Bounded = name, law_of(law), length, other
    if way == "perturbed":
        return _perturbed(changed, exact, trust)
    if way == "family":
        beta = 1 if name == "sum" else 2
        kernel = linear_attention(readout=name)
        family = closed_forms(kernel, vocabulary=other, law=law_of_library(law, other))
        found = family.at(length=length, alpha=1, beta=beta)
    elif way in ("ball", "float"):
        found = _found(changed, backend=way)
    else:
        found = _found(changed, algorithm=way)
    if way in ("closed-form", "family"):
        if found.trace != exact.trace:
            return Fails(f"the trace is {found.trace}, not {exact.trace}")
        return _same_but_zero(found, exact)
    return _same_in_order(found, exact, trust)


def _perturbed(case: Bounded, exact: Spectrum, trust: Fraction) -> bool | Fails:
    """A kernel whose values are wrong by up to 1/1000, and said to be."""
    kernel = _kernel(case[0], case[2])
    off = Fraction(1, 1000)

    def near(table: Any) -> flint.arb:
        sign = 1 if sum(row[k] * (k + 1) for k, row in enumerate(table)) % 2 else -1
        value = Fraction(Rational(int(v.p), int(v.q)) if hasattr(v := kernel.on_table(table), "p")
                         else v)  # fmt: skip
        return definitions.ball(value + sign * off, off * trust)

    found = spectrum(
        from_table(near), length=case[2], vocabulary=case[3], law=law_of_library(case[1], case[3]),
        backend="ball",
    )  # fmt: skip
    return _same_in_order(found, exact, Fraction(1))


law_of_library = law_of


def _same_in_order(found: Spectrum, exact: Spectrum, trust: Fraction) -> bool | Fails:
    """Whether the eigenvalues in their order are those, as far as they are said to be known."""
    if [piece.irrep for piece in found.pieces] != [piece.irrep for piece in exact.pieces]:
        return Fails(f"the irreps are {found.irreps}")
    for mine, piece in zip(found.pieces, exact.pieces, strict=True):
        if mine.dimension != piece.dimension or mine.copies != piece.copies:
            return Fails(f"{piece.irrep}: {mine.copies} copies of dimension {mine.dimension}")
        for value, wanted in zip(mine.eigenvalues, piece.eigenvalues, strict=True):
            if found.numbers == "exact":
                if value != wanted:
                    return Fails(f"{piece.irrep} has {value}, not {wanted}")
                continue
            if found.numbers == "float":
                near = flint.arb(float(value), float(trust) * mine.error)
            else:
                near = value
            if not near.overlaps(enclosed(wanted)):
                return Fails(f"{piece.irrep} has {value}, not {wanted}")
            if not near.rad() < 0.01 * (1 + abs(float(exact.trace))):
                return Fails(f"{piece.irrep}: {value} says nothing")
    trace = enclosed(exact.trace)
    if found.numbers == "float":
        mine_trace = flint.arb(float(found.trace), abs(float(found.trace)) * 1e-7)
    else:
        mine_trace = enclosed(found.trace)
    return mine_trace.overlaps(trace) or Fails(f"the trace is {found.trace}, not {exact.trace}")


def _same_but_zero(found: Spectrum, exact: Spectrum) -> bool | Fails:
    """Whether the eigenvalues that are not 0 are the same, irrep by irrep."""
    for piece in exact.pieces:
        wanted = [value for value in piece.eigenvalues if value != 0]
        mine = (
            [value for value in found[piece.irrep].eigenvalues if value != 0]
            if piece.irrep in found.irreps
            else []
        )
        if mine != wanted:
            return Fails(f"{piece.irrep} has {mine}, not {wanted}")
    return True


def _of_subsets(points: int, size: int) -> bool | Fails:
    """The kernel 2^|A n B| on subsets: eigenfunctions are products of differences."""
    at_most(points, 8, "points")
    found = subset_spectrum(lambda overlap: 2**overlap, points=points, size=size)
    subsets = [frozenset(chosen) for chosen in combinations(range(points), size)]
    for m in range(min(size, points - size) + 1):
        value: Any = found[Partition(points - m, m)].eigenvalues
        function = [
            prod((2 * j in chosen) - (2 * j + 1 in chosen) for j in range(m)) for chosen in subsets
        ]
        for a, here in zip(subsets, function, strict=True):
            image = Fraction(
                sum(2 ** len(a & b) * f for b, f in zip(subsets, function, strict=True)),
                len(subsets),
            )
            if len(value) != 1 or image != value[0] * here:
                return Fails(f"({points - m}, {m}) has {value}")
        if found[Partition(points - m, m)].dimension != definitions.two_row_dimension(points, m):
            return Fails(f"({points - m}, {m}) has another dimension")
    return True
