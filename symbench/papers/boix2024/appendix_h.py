"""Appendix H: the kernel (23) of wide networks, its covariance, and networks of finite width."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb, prod
from typing import Any

import flint

from symbench.kernels import attention
from symbench.papers._cases import at_most, drawn, integer, record
from symbench.papers._second_roads import Coefficients, attention_series, expansion
from symbench.papers._templates import is_string
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_templates

# --- (3) against (23) -----------------------------------------------------------------------------


def _string_pairs(max_length: int = 3) -> Iterator[tuple[str, str]]:
    """Pairs of strings up to names and exchange; of the longest over two tokens, and some."""
    for length in range(1, max_length + 1):
        for z in all_templates(2 * length):
            text = "".join("ABCDEF"[n] for n in z.pattern)
            few = length < max_length or "C" not in text
            if few and text[:length] <= text[length:]:
                yield text[:length], text[length:]
    yield from (("AAC", "BBC"), ("ABC", "ABD"), ("ABC", "DDC"), ("ABC", "CBA"))


def _drawn_strings(st: Any) -> Any:
    return st.integers(1, 4).flatmap(
        lambda n: st.tuples(*[st.text("ABC", min_size=n, max_size=n)] * 2)
    )


@claim(
    "boix2024.appendix-H",
    source="Appendix H.2 and H.3, (23) against (3); what (23) is for different last tokens is ours",
    wording="our reading",
    category="remark",
    cases=_string_pairs,
    boundary=("A", "A"),
    strategy=drawn(_drawn_strings),
    applies=record(is_string, is_string, where=lambda x, y: len(x) == len(y)),
    near_misses=[
        NearMiss("different last tokens", ("AB", "BA"), {"same_last": True}),
        NearMiss("different last tokens after a common start", ("AAB", "AAC"), {"same_last": True}),
        NearMiss("(23) is (3), without a rescaled covariance", ("AB", "AB"), {"scale": "main"}),
    ],
)
def appendix_h(
    case: tuple[str, str], same_last: bool | None = None, scale: str = "appendix-H"
) -> bool | Fails:
    r"""The logits $m(X), m(Y)$ are jointly Gaussian with $\mathbb{E}[m_r(X) m_s(Y)] = (1(x_k = y_k)
    + \gamma^2) (1(x_r = y_s) + \gamma^2 1(r = s))$. Assuming that the final token of both $X$ and
    $Y$ is the same token, the covariance of (23) is rescaled compared to that in the main text, but
    this is inessential, since we can simply reparametrize $\beta$ to recover the expression in the
    main text: $K_{(23)}(\beta, \gamma) = K_{(3)}(\beta \sqrt{1 + \gamma^2}, \gamma)$.

    To order 4 in $\beta$ the library's (23) is compared with the sum over pairings under this
    covariance, for equal and for different last tokens.
    """
    x, y = case
    at_most(len(x), 5, "letters of a string")
    found = attention().with_softmax_scale(scale).taylor(x, y, beta=4)
    if found != attention_series(x, y, 4, scale="appendix-H"):
        return Fails("(23) is not the Gaussian mean under the covariance of H.3")
    if same_last is None:
        same_last = x[-1] == y[-1]
    if not same_last:
        return True
    # (3) with beta^2 -> beta^2 (1 + gamma^2), coefficient by coefficient.
    expected: Coefficients = {}
    for (i, j), value in attention().taylor(x, y, beta=4).items():
        for n in range(i // 2 + 1):
            key = (i, j + 2 * n)
            expected[key] = expected.get(key, Fraction(0)) + value * comb(i // 2, n)
    return found == {key: c for key, c in expected.items() if c} or Fails("the series differ")


# --- finite width ---------------------------------------------------------------------------------
# Two strings, the widths d_emb and d_head, and the number of heads.
WidthCase = tuple[str, str, int, int, int]
# A position of one of the strings: its letter and its place.
Place = tuple[str, int]
# 1 / d_emb, 1 / d_head and gamma.
_RING = flint.fmpq_mpoly_ctx.get(["narrow", "thin", "gamma"])
_NARROW, _THIN, _GAMMA = _RING.gens()


@lru_cache(maxsize=1 << 14)
def _inner(pairs: tuple[tuple[Place, Place], ...]) -> Any:
    """The mean of a product of inner products of embedded positions, for every d_emb.

    The first vector is paired with each of the others: with its own partner that is a sum over
    d_emb coordinates, with another it joins the two inner products and costs 1 / d_emb.
    """
    if not pairs:
        return _RING.constant(1)
    (u, v), *rest = pairs
    total = _shared(u, v) * _inner(tuple(rest))
    for n, (w, t) in enumerate(rest):
        others = (*rest[:n], *rest[n + 1 :])
        for one, two in ((w, t), (t, w)):
            shared = _shared(u, one)
            if shared != 0:
                total += _NARROW * shared * _inner(tuple(sorted([(v, two), *others])))
    return total


def _shared(u: Place, v: Place) -> Any:
    """d_emb times the covariance of a coordinate of two embedded positions."""
    return int(u[0] == v[0]) + _GAMMA**2 * int(u[1] == v[1])


def _pairings(items: tuple[int, ...]) -> Iterator[tuple[tuple[int, int], ...]]:
    if not items:
        yield ()
    for n in range(1, len(items)):
        for rest in _pairings((*items[1:n], *items[n + 1 :])):
            yield ((items[0], items[n]), *rest)


def _loops(one: Any, two: Any) -> int:
    """The number of cycles of two pairings laid over each other."""
    left, count = {n for pair in one for n in pair}, 0
    partner = [{a: b for p in pairing for a, b in (p, p[::-1])} for pairing in (one, two)]
    while left:
        count, start, place = count + 1, min(left), min(left)
        while True:
            for side in partner:
                left.discard(place)
                place = side[place]
            if place == start:
                break
    return count


def _widths(x: str, y: str, order: int) -> dict[tuple[int, int], Any]:
    """[beta^i gamma^j] of the mean kernel of the attention layer, in 1 / d_emb and 1 / d_head.

    W_O and W_V leave s(X)^T Z_X Z_Y^T s(Y), whatever the number of heads. The mean over W_K and W_Q
    of a product of logits is a sum over pairings of the one and of the other; what is left are
    inner products of embedded positions.
    """
    k = len(x)
    places = (
        [(letter, c) for c, letter in enumerate(x)],
        [(letter, c) for c, letter in enumerate(y)],
    )
    parts = expansion(k, order)
    found: dict[tuple[int, int], Any] = {}
    for n, m in product(range(order + 1), repeat=2):
        if (n + m) % 2 or n + m > order:
            continue
        total = _RING.constant(0)
        for a, b in product(range(k), repeat=2):
            for (e, c), (h, d) in product(parts[n][a].items(), parts[m][b].items()):
                factors = [(0, r) for r in range(k) for _ in range(e[r])]
                factors += [(1, s) for s in range(k) for _ in range(h[s])]
                readout = (places[0][a], places[1][b])
                total += c * d * _logits(places, factors, readout)
        for (i, j, g), value in total.to_dict().items():
            key = (n + m, int(g))
            found[key] = found.get(key, 0) + value * _NARROW ** int(i) * _THIN ** int(j)
    return {key: value for key, value in found.items() if value != 0}


def _logits(places: Any, factors: list[tuple[int, int]], readout: tuple[Place, Place]) -> Any:
    """The mean of a product of logits (which string, which position) and an inner product."""
    numbers = tuple(range(len(factors)))
    total = _RING.constant(0)
    for keys, queries in product(_pairings(numbers), repeat=2):
        pairs = [readout]
        for one, two in keys:
            pairs.append(tuple(places[side][r] for side, r in (factors[one], factors[two])))
        for one, two in queries:
            pairs.append(tuple(places[factors[n][0]][-1] for n in (one, two)))
        cost = len(numbers) // 2 - _loops(keys, queries)
        total += _THIN**cost * _inner(tuple(sorted(pairs)))
    return total


def _network(case: WidthCase) -> Coefficients:
    """[beta^0] and [beta^2] of the mean of <z_1(X), z_1(Y)> / d_emb, its weights multiplied out.

    z_1 is a polynomial in single weights; the mean of a monomial is a product of moments.
    """
    x, y, emb, head, heads = case
    tokens, k = sorted({*x, *y}), len(x)
    names = [f"{w}{h}_{i}_{j}" for w in "KQVO" for h in range(heads) for i in range(head)
             for j in range(emb)]  # fmt: skip
    wide = len(names)  # the weights after these have the variance 1 / d_emb
    names += [f"E{t}_{j}" for t in range(len(tokens)) for j in range(emb)]
    names += [f"P{c}_{j}" for c in range(k) for j in range(emb)]
    ring = flint.fmpq_mpoly_ctx.get([*names, "gamma"])
    weight = dict(zip([*names, "gamma"], ring.gens(), strict=True))
    zero = ring.constant(0)

    def dot(a: list[Any], b: list[Any]) -> Any:
        return sum((s * t for s, t in zip(a, b, strict=True)), zero)

    def output(string: str, h: int) -> list[list[Any]]:
        """The parts of degree 0, 1, 2 in beta of the output of a head, d_emb coordinates each."""
        z = [[weight[f"E{tokens.index(a)}_{j}"] + weight["gamma"] * weight[f"P{c}_{j}"]
              for j in range(emb)] for c, a in enumerate(string)]  # fmt: skip
        key, query, value, out = (
            [[weight[f"{w}{h}_{i}_{j}"] for j in range(emb)] for i in range(head)] for w in "KQVO"
        )
        logits = [sum((dot(key[i], row) * dot(query[i], z[-1]) for i in range(head)), zero)
                  for row in z]  # fmt: skip
        found = []
        for part in expansion(k, 2):
            attention = [
                sum((c * prod((u**n for u, n in zip(logits, e, strict=True)), start=zero + 1)
                     for e, c in weights.items()), zero)
                for weights in part
            ]  # fmt: skip
            mixed = [dot(attention, [row[j] for row in z]) for j in range(emb)]
            inner = [dot(value[i], mixed) for i in range(head)]
            found.append([dot(inner, [out[i][j] for i in range(head)]) for j in range(emb)])
        return found

    left, right = ([output(s, h) for h in range(heads)] for s in (x, y))
    found: Coefficients = {}
    for n, m in ((0, 0), (0, 2), (1, 1), (2, 0)):
        total = zero
        for j in range(emb):
            one = sum((part[n][j] for part in left), zero)
            total += one * sum((part[m][j] for part in right), zero)
        # 1 / sqrt(d_head) a logit, 1 / sqrt(d_head heads) a sum over heads, 1 / d_emb the kernel.
        scale = Fraction(1, emb * head * heads * head ** ((n + m) // 2))
        for exponents, c in total.to_dict().items():
            *powers, gamma = map(int, exponents)
            if any(p % 2 for p in powers):
                continue
            moment = prod(prod(range(1, p, 2)) for p in powers)
            spread = Fraction(1, emb ** (sum(powers[wide:]) // 2))
            place = (n + m, gamma)
            value = Fraction(int(c.p), int(c.q)) * moment * spread * scale
            found[place] = found.get(place, Fraction(0)) + value
    return {place: c for place, c in found.items() if c}


def _at(value: Any, emb: Any, head: Any) -> Fraction:
    """The value at 1 / d_emb and 1 / d_head."""
    total = Fraction(0)
    for (i, j, _), c in value.to_dict().items():
        total += Fraction(int(c.p), int(c.q)) * emb ** int(i) * head ** int(j)
    return total


def _width_cases() -> Iterator[WidthCase]:
    for x, y in (("A", "A"), ("A", "B"), ("AA", "AA"), ("AB", "AB"), ("AB", "CB"), ("AB", "BA")):
        yield x, y, 1, 1, 1
    yield "AB", "CB", 1, 1, 2
    yield "AB", "CB", 1, 2, 1
    yield "A", "A", 2, 1, 2
    yield "AA", "BA", 2, 1, 1
    yield "AAC", "BBC", 1, 1, 1
    yield "AAC", "ABC", 1, 1, 1


def _drawn_widths(st: Any) -> Any:
    widths = st.sampled_from([(1, 1, 1), (2, 1, 1), (1, 2, 1), (1, 1, 2)])
    strings = st.integers(1, 2).flatmap(
        lambda n: st.tuples(*[st.text("ABC", min_size=n, max_size=n)] * 2)
    )
    return st.tuples(strings, widths).map(lambda case: (*case[0], *case[1]))


@claim(
    "boix2024.appendix-H-width",
    source="Appendix H.2: (23) as the limit of the random features kernel; the statement about "
    "its mean at finite width, term by term in beta, is ours",
    wording="our reading",
    category="remark",
    cases=_width_cases,
    boundary=("AA", "BA", 2, 1, 1),
    strategy=drawn(_drawn_widths),
    applies=record(
        is_string, is_string, *[integer(1)] * 3, where=lambda x, y, *_: len(x) == len(y)
    ),
    near_misses=[
        NearMiss("at finite width it is (23) already", ("AB", "CB", 1, 1, 1), {"limit": False}),
        NearMiss("the limit is (3)", ("AB", "CB", 1, 1, 1), {"scale": "main"}),
    ],
)
def appendix_h_width(
    case: WidthCase, limit: bool = True, scale: str = "appendix-H"
) -> bool | Fails:
    r"""In the limit of infinitely-many heads, infinite embedding dimension $d_{emb}$ and head
    dimension $d_{head}$, the random features kernel of the attention layer is given by (23).

    Its mean over the weights at finite width, order by order in $\beta$, is a polynomial in
    $1 / d_{emb}$ and $1 / d_{head}$, the same for any number of heads (pairings of the weights);
    where the network itself is multiplied out, to order 2, it has this mean; and the constant term
    is (23), to order 2, for strings of at most two letters to order 4.
    """
    x, y, emb, head, heads = case
    at_most(len(x), 3, "letters of a string")
    at_most(emb * (4 * heads * head + 2 * len(x)), 24, "weights")
    order = 4 if len(x) < 3 else 2
    means = _widths(x, y, order)
    here = {at: _at(value, Fraction(1, emb), Fraction(1, head)) for at, value in means.items()}
    low = {at: value for at, value in here.items() if at[0] <= 2 and value}
    if low != _network(case):
        return Fails("the network multiplied out has another mean")
    wide = {at: _at(value, 0, 0) for at, value in means.items()} if limit else here
    expected = attention().with_softmax_scale(scale).taylor(x, y, beta=order)
    return {at: c for at, c in wide.items() if c} == expected or Fails("the mean is not (23)")
