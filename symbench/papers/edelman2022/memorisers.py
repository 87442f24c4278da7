"""Appendix B: three layers of ReLUs on top of the heads, and sparse functions exactly."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.papers.edelman2022._layers import Rows, combination, dot, output, tokens, weights
from symbench.papers.edelman2022.heads import units
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.sparse import Head, Network, memoriser, network, of_weight, truth_table

SOURCE = "Appendix B; our copy has no formulas"
PROOF = "proofs/edelman2022/lemma-B.8.md"
_WORDS = 6
Values = tuple[Any, ...]


def _through(layers: Sequence[Any], x: Sequence[Fraction]) -> Fraction:
    """w . relu(W_2 relu(W_1 x + b_1) + b_2), multiplied out."""
    W_1, b_1, W_2, b_2, w = layers

    def relu(rows: Any, bias: Any, inputs: Sequence[Fraction]) -> list[Fraction]:
        sums = (
            sum((a * y for a, y in zip(row, inputs, strict=True) if a), Fraction(b))
            for row, b in zip(rows, bias, strict=True)
        )
        return [max(total, Fraction(0)) for total in sums]

    return dot(w, relu(W_2, b_2, relu(W_1, b_1, x)))


def _outputs(found: Network, rows: Rows, word: Sequence[int]) -> list[Fraction]:
    """What the heads say of a word, as layers of attention on orthonormal positions."""

    def of(one: Head) -> Fraction:
        own = [Fraction(int(a + 1 in one.positions)) for a in range(len(rows))]
        return output(tokens(rows, word), weights(combination(rows, own), 1), Fraction(one.base))

    return [of(one) for one in found.heads]


def _wrong(found: Network, T: int, value: Any) -> Fails | None:
    """The first word at which the network is not the function, all weights multiplied out."""
    rows, layers = units(T), [M.tolist() for M in found.memoriser.layers()]
    outputs = found.outputs()
    for word, own in zip(product((0, 1), repeat=T), outputs, strict=True):
        second = _through(layers, _outputs(found, rows, word))
        if own != second:
            raise ArithmeticError(f"at {word} the library has {own}, the layers have {second}")
        if own != value(word):
            if found.exact:
                raise ArithmeticError(f"at {word} the output is {own}, and is said to be exact")
            return Fails(f"at {word} the output is {own}, not {value(word)}")
    return None


def _at(values: Values, word: Sequence[int]) -> Any:
    """The value of a truth table at the first bits of a word."""
    place, bits = 0, len(values).bit_length() - 1
    for bit in word[:bits]:
        place = 2 * place + bit
    return values[place]


_is_table = record(
    many(number(), least=2),
    integer(1),
    where=lambda values, T: (
        len(values).bit_count() == 1
        and len(values).bit_length() - 1 <= min(T, 6)
        and _depends(values)
    ),
)
_is_profile = record(
    many(number(), least=2),
    integer(1),
    where=lambda values, T: len(values) - 1 <= min(T, 6) and len(set(values)) > 1,
)


def _depends(values: Values) -> bool:
    """Whether a table changes with each of its bits."""
    bits = len(values).bit_length() - 1
    return all(
        any(values[m] != values[m ^ 1 << k] for m in range(len(values))) for k in range(bits)
    )


_drawn_tables = drawn(
    lambda st: st.integers(1, 3).flatmap(
        lambda s: st.tuples(
            st.lists(st.integers(-2, 2), min_size=2**s, max_size=2**s).map(tuple),
            st.integers(s, 5),
        )
    )
)
_drawn_profiles = drawn(
    lambda st: st.integers(1, 4).flatmap(
        lambda s: st.tuples(
            st.lists(st.integers(-2, 2), min_size=s + 1, max_size=s + 1).map(tuple),
            st.integers(s, 5),
        )
    )
)
_MIXED: Values = (0, 0, 0, 1, 1, 1, 0, 1)  # no function of the number of ones


# --- sparse functions exactly ---------------------------------------------------------------------
@claim(
    "edelman2022.proposition-B.1",
    source=f"Proposition 5.1 = B.1 (sparse variable creation). {SOURCE}",
    wording="reconstructed",
    category="proposition",
    cases=[
        ((0, 1), 1), ((0, 0, 0, 1), 4), ((3, Fraction(1, 2), 0, -7), 3), (_MIXED, 4),
        ((1, -1, -1, 1), 10**6), (_MIXED, 10**9),
    ],
    boundary=((5, 7), 2),
    strategy=_drawn_tables,
    applies=_is_table,
    assumes=["edelman2022.lemma-B.2-repaired", "edelman2022.lemma-B.8-repaired"],
    proof=PROOF,
    near_misses=[
        NearMiss("logits that do not grow with T", ((0, 0, 0, 1), 5), {"base": 3}),
        NearMiss("bumps as narrow as gamma / 8", ((0, 0, 0, 1), 4), {"delta": Fraction(1, 8)}),
        NearMiss("half as many ReLUs", ((0, 1), 4), {"widths": (4, 2)}),
    ],
)  # fmt: skip
def proposition_b1(
    case: tuple[Values, int], base: Any = None, delta: Any = None, widths: Any = None
) -> bool | Fails:
    r"""Every function of $s$ of $T$ bits is the output, exactly and on every input, of at most $s$
    heads with three layers of ReLUs above: one head if it depends on the number of ones alone. The
    heads have $\|W_Q\| \le \log(4T)$, $\|W_K\|^2 \le s$, $\|W_V\|^2 = 2$, $\|W_C\| = 1$; the layers
    have at most $4s2^s$ and $2 \cdot 2^s$ ReLUs.
    """
    values, T = case
    s = len(values).bit_length() - 1
    found = network(truth_table(values), T, base=base, delta=delta)
    most = (4 * s * 2**s, 2 * 2**s) if widths is None else widths
    if len(found.heads) > s or any(w > m for w, m in zip(found.memoriser.width, most, strict=True)):
        return Fails(f"{len(found.heads)} heads, layers of {found.memoriser.width} ReLUs")
    for one in found.heads:
        norms = one.norms
        if one.denominator != 1 or one.base > max(4 * T, 2):
            return Fails(f"the query's norm is the logarithm of {one.base}")
        if norms.key_squared > s or norms.value_squared != 2 or norms.output_squared != 1:
            return Fails(f"the norms are {norms}")
    if T <= _WORDS:
        wrong = _wrong(found, T, lambda word: _at(values, word))
        if wrong is not None:
            return wrong
    return found.exact or Fails(f"the errors are {[one.error for one in found.heads]}")


def _symmetric() -> Iterator[tuple[Values, int]]:
    yield from (((0, 1), 3), ((0, 0, 1), 3), ((0, 1, 0), 4), ((-1, -1, 1, 1), 4), ((0, 2, 5), 5))


def _symmetric_function(case: tuple[Values, int], share: int, base: Any) -> bool | Fails:
    values, T = case
    at_most(T, _WORDS, "positions")
    s = len(values) - 1
    found = network(of_weight(values), T, delta=Fraction(2, s * share), base=base)
    if any(one.error > Fraction(1, 2 * s) for one in found.heads) or len(found.heads) != 1:
        return Fails(f"the heads are {found.heads}")
    wrong = _wrong(found, T, lambda word: values[sum(word[:s])])
    return True if wrong is None else wrong


@claim(
    "edelman2022.lemma-B.5",
    source=f"Lemma B.5 (symmetric functions, one head). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=_symmetric,
    boundary=((0, 1), 1),
    strategy=_drawn_profiles,
    applies=_is_profile,
    expected="fails",
    repaired_by="edelman2022.lemma-B.5-repaired",
    proof=PROOF,
    near_misses=[NearMiss("bumps that overlap", ((0, 1, 0), 4), {"share": 2})],
    controls=[
        Control("a head within gamma / 8", ((0, 1, 0), 4), {"base": 100}),
        Control("delta = gamma / 4", ((0, 1, 0), 4), {"share": 4}),
    ],
)
def lemma_b5(case: tuple[Values, int], share: int = 8, base: Any = None) -> bool | Fails:
    r"""A head that is within $\gamma/4$ of $g_I$, $\gamma = 2/s$, and the memoriser with
    $\delta = \gamma/8$ above it output every symmetric function of $s$ bits exactly.
    """
    return _symmetric_function(case, share, base)


@claim(
    "edelman2022.lemma-B.5-repaired",
    source=f"Lemma B.5, repaired. {SOURCE}",
    wording="our reading",
    category="lemma",
    cases=_symmetric,
    boundary=((0, 1), 1),
    strategy=_drawn_profiles,
    applies=_is_profile,
    assumes=["edelman2022.lemma-B.8-repaired"],
    proof=PROOF,
    near_misses=[
        NearMiss("delta = gamma / 8", ((0, 0, 1), 3), {"share": 8}),
        NearMiss("bumps that overlap", ((0, 1, 0), 4), {"share": 2}),
    ],
)
def lemma_b5_repaired(case: tuple[Values, int], share: int = 4, base: Any = None) -> bool | Fails:
    r"""A head that is within $\gamma/4$ of $g_I$, $\gamma = 2/s$, and the memoriser with
    $\delta = \gamma/4$ above it output every symmetric function of $s$ bits exactly.
    """
    return _symmetric_function(case, share, base)


def _general() -> Iterator[tuple[Values, int]]:
    yield from (((0, 1, 0, 0), 3), ((0, 1, 2, 3), 2), (_MIXED, 3), (_MIXED, 4))


_is_general = record(
    many(number(), least=4),
    integer(2),
    where=lambda values, T: _is_table((values, T)) and _is_mixed(values),
)


def _is_mixed(values: Values) -> bool:
    """Whether the values do not depend on the number of ones alone."""
    return any(v != values[(1 << m.bit_count()) - 1] for m, v in enumerate(values))


def _general_function(case: tuple[Values, int], share: int, base: Any) -> bool | Fails:
    values, T = case
    at_most(T, _WORDS, "positions")
    found = network(truth_table(values), T, delta=Fraction(2, share), base=base)
    if any(one.error > Fraction(1, 2) or one.sparsity != 1 for one in found.heads):
        return Fails(f"the heads are {found.heads}")
    wrong = _wrong(found, T, lambda word: _at(values, word))
    return True if wrong is None else wrong


@claim(
    "edelman2022.lemma-B.6",
    source=f"Lemma B.6 (all functions, s heads). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=_general,
    boundary=((0, 1, 0, 0), 2),
    strategy=_drawn_tables,
    applies=_is_general,
    expected="fails",
    repaired_by="edelman2022.lemma-B.6-repaired",
    proof=PROOF,
    near_misses=[NearMiss("bumps that overlap", ((0, 1, 0, 0), 3), {"share": 2})],
    controls=[
        Control("heads within gamma / 8", ((0, 1, 0, 0), 3), {"base": 100}),
        Control("delta = gamma / 4", ((0, 1, 0, 0), 3), {"share": 4}),
    ],
)
def lemma_b6(case: tuple[Values, int], share: int = 8, base: Any = None) -> bool | Fails:
    r"""$s$ heads, each within $\gamma/4$ of the sign of one bit, $\gamma = 2$, and the memoriser
    with $\delta = \gamma/8$ above them output every function of $s$ bits exactly.
    """
    return _general_function(case, share, base)


@claim(
    "edelman2022.lemma-B.6-repaired",
    source=f"Lemma B.6, repaired. {SOURCE}",
    wording="our reading",
    category="lemma",
    cases=_general,
    boundary=((0, 1, 0, 0), 2),
    strategy=_drawn_tables,
    applies=_is_general,
    assumes=["edelman2022.lemma-B.8-repaired"],
    proof=PROOF,
    near_misses=[
        NearMiss("delta = gamma / 8", ((0, 1, 0, 0), 3), {"share": 8}),
        NearMiss("bumps that overlap", ((0, 1, 0, 0), 3), {"share": 2}),
    ],
)
def lemma_b6_repaired(case: tuple[Values, int], share: int = 4, base: Any = None) -> bool | Fails:
    r"""$s$ heads, each within $\gamma/4$ of the sign of one bit, $\gamma = 2$, and the memoriser
    with $\delta = \gamma/4$ above them output every function of $s$ bits exactly.
    """
    return _general_function(case, share, base)


# --- the memoriser --------------------------------------------------------------------------------
# Points on a grid with steps of one, and their values.
Points = tuple[tuple[tuple[int, ...], Any], ...]
_LINE: Points = (((0,), 5), ((1,), 7), ((3,), -1))
_SQUARE: Points = (((0, 0), 1), ((0, 1), 2), ((1, 0), Fraction(1, 3)), ((5, 5), 0))
_CUBE: Points = tuple((p, sum(p) ** 2 - 1) for p in product((0, 1), repeat=3))


def _are_points(value: Any) -> bool:
    if type(value) is not tuple or not value:
        return False
    if not all(type(item) is tuple and len(item) == 2 for item in value):
        return False
    points = [item[0] for item in value]
    return (
        all(many(integer())(p) for p in points)
        and len({len(p) for p in points}) == 1
        and len(set(points)) == len(points)
        and all(number()(item[1]) for item in value)
    )


_drawn_points = drawn(
    lambda st: st.integers(1, 2).flatmap(
        lambda d: st.dictionaries(
            st.tuples(*[st.integers(-2, 2)] * d), st.integers(-3, 3), min_size=1, max_size=4
        ).map(lambda found: tuple(found.items()))
    )
)


@claim(
    "edelman2022.lemma-B.8",
    source=f"Lemma B.8 (an exact ReLU network). {SOURCE}",
    wording="reconstructed",
    category="lemma",
    cases=[_LINE, _SQUARE, _CUBE],
    boundary=(((0,), 1),),
    strategy=_drawn_points,
    applies=_are_points,
    expected="fails",
    repaired_by="edelman2022.lemma-B.8-repaired",
    proof=PROOF,
    near_misses=[
        NearMiss("no ReLU subtracted", _SQUARE, {"signs": (1, 1, 1, 1)}),
    ],
    controls=[
        Control("values that are all zero", (((0, 0), 0), ((0, 1), 0))),
        Control("the signs (1, -1, 1, -1)", _SQUARE, {"signs": (1, -1, 1, -1)}),
    ],
)
def lemma_b8(case: Points, signs: tuple[int, ...] = (1, -1, -1, 1)) -> bool | Fails:
    r"""Bumps $\nu(x) - \nu(2\delta - x)$, that is $(u+2)_+ - (u+1)_+ - (2-u)_+ + (1-u)_+$ with
    $u = (x - x_0)/\delta$, in the first layer make three layers of ReLUs that have given values at
    points which are $\gamma$ apart.
    """
    at_most(len(case), 64, "points")
    net = memoriser(dict(case), gamma=1)
    W_1, b_1, W_2, b_2, w = net.layers()
    # Each bump has four entries of a row in the second layer.
    printed = [[abs(x) * signs[k % 4] for k, x in enumerate(row)] for row in W_2.tolist()]
    layers = (W_1.tolist(), b_1.tolist(), printed, b_2.tolist(), w.tolist())
    for point, value in case:
        found = _through(layers, [Fraction(x) for x in point])
        if found != value:
            return Fails(f"at {point} the output is {found}, not {value}")
    return True


@claim(
    "edelman2022.lemma-B.8-repaired",
    source=f"Lemma B.8, repaired. {SOURCE}",
    wording="our reading",
    category="lemma",
    cases=[_LINE, _SQUARE, _CUBE],
    boundary=(((0,), 1),),
    strategy=_drawn_points,
    applies=_are_points,
    proof=PROOF,
    near_misses=[
        NearMiss("delta = gamma / 8", _SQUARE, {"deltas": (Fraction(1, 8),)}),
        NearMiss("delta = gamma / 2", _SQUARE, {"deltas": (Fraction(1, 2),)}),
        NearMiss("inputs that are gamma / 2 away", _SQUARE, {"far": Fraction(1, 2)}),
    ],
)
def lemma_b8_repaired(
    case: Points,
    deltas: tuple[Fraction, ...] = (Fraction(1, 4), Fraction(1, 3), Fraction(3, 8)),
    far: Fraction = Fraction(1, 4),
) -> bool | Fails:
    r"""Bumps $\psi = (u+2)_+ - (u+1)_+ + (2-u)_+ - (1-u)_+ - 1$, $u = (x-x_0)/\delta$, and
    $(S - 2d + 1)_+ - (S - 2d)_+$ above them make a network that is exactly $f(x_j)$ within
    $\gamma/4$ of each of $n$ points, which are $\gamma$ apart in some coordinate, for every
    $\delta \in [\gamma/4, 3\gamma/8]$. It has $4nd$ and $2n$ ReLUs; the entries are at most
    $1/\delta$, $B/\delta + 2$ (biases), $1$, $2d$ and $\max |f|$.
    """
    at_most(len(case), 64, "points")
    d, n = len(case[0][0]), len(case)
    largest = max(abs(x) for point, _ in case for x in point)
    for delta in deltas:
        net = memoriser(dict(case), gamma=1, delta=delta)
        layers, norms = net.layers(), net.norms
        top = max(abs(v) for _, v in case)
        bounds = (1 / delta, largest / delta + 2, 1, 2 * d, top)
        entries = [max(abs(x) for x in M.reshape(-1)) for M in layers]
        if any(x > b for x, b in zip(entries, bounds, strict=True)) or entries != list(
            norms.values()
        ):
            return Fails(f"the largest entries are {entries}, the bounds {bounds}")
        if net.width != (4 * n * d, 2 * n):
            return Fails(f"the layers have {net.width} ReLUs")
        plain = [M.tolist() for M in layers]
        inputs = [
            ([Fraction(p) + e for p, e in zip(point, (*step, far / 3), strict=False)], value)
            for point, value in case
            for step in product((-far, far), repeat=min(d, 2))
        ]
        for (x, value), found in zip(inputs, net.outputs([x for x, _ in inputs]), strict=True):
            if found != _through(plain, x):
                return Fails(f"at {x} the library has {found}, the layers another number")
            if found != value:
                return Fails(f"at {x} the output is {found}, not {value}")
    return True
