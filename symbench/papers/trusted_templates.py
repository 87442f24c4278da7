"""The trusted base (`certificates.*`): the kinds of certificate that are about templates.

A template is a text here: capital letters are tokens, small ones wildcards. What a certificate
about templates passes for is found once more from the definition: wildcards are put to tokens that
one side has alone, exponents are summed pair of positions by pair of positions, kernels come from
their Gaussians to some order in beta, and which templates a kernel takes for one another is tried
by all permutations of positions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache, partial
from itertools import combinations, permutations, product
from typing import Any

import flint

from symbench.certificates import (
    Certificate,
    KernelFacts,
    ModularPoints,
    OnePoint,
    Singular,
    TemplateRank,
    Templates,
    TypeRank,
)
from symbench.certifying import certify
from symbench.errors import Undecided
from symbench.exact import QQ, ZZ, Matrix, Rational
from symbench.kernels import attention, inner_product, polynomial, transformer
from symbench.kernels.base import Kernel
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._second_roads import at_gamma, attention_series, determinant, is_seen, rank
from symbench.papers.trusted_ranks import SOURCE, verdict
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

Texts = tuple[str, ...]
Point = tuple[int, ...]
_ZERO = Rational(0)
_PAIRS: tuple[str, ...] = ("aa", "ab", "ba", "AA", "BB", "AB", "BA", "Aa", "aA", "aB")

# The kernels that certificates speak of, by name.
_KERNELS: Mapping[str, KernelFacts | None] = {
    "every": None,
    "softmax": KernelFacts(),
    "softmax (23)": KernelFacts(scale="appendix-H"),
    "gamma = 0": KernelFacts(gamma=_ZERO),
    "gamma = 0 (23)": KernelFacts(gamma=_ZERO, scale="appendix-H"),
    "beta = 0": KernelFacts(beta=_ZERO),
    "unnormalised": KernelFacts(normalised=False),
    "unnormalised, gamma = 0": KernelFacts(normalised=False, gamma=_ZERO),
    "above": KernelFacts(activation=("relu",)),
    "above, gamma = 0": KernelFacts(activation=("relu",), gamma=_ZERO),
    "constant above": KernelFacts(activation=("polynomial", "3")),
}


# --- templates, from the definition ---------------------------------------------------------------
def _are_texts(value: Any) -> bool:
    text = many(lambda z: type(z) is str and z.isascii() and z.isalpha())
    return text(value) and len({*map(len, value)}) == 1


def _tokens(texts: Texts) -> list[str]:
    """The tokens in the order in which they appear."""
    return list(dict.fromkeys(a for a in "".join(texts) if a.isupper()))


def _subject(texts: Texts, kernel: str) -> Templates:
    wildcards = dict.fromkeys(a for a in "".join(texts) if a.islower())
    rows = tuple(tuple(z) for z in texts)
    return Templates(tuple(_tokens(texts)), tuple(wildcards), rows, kernel=_KERNELS[kernel])


def _equivalent(z: Sequence[Any], w: Sequence[Any]) -> bool:
    """Whether one is the other with its wildcards renamed: place by place, pair by pair."""
    places = range(len(z))
    tokens = all(z[a] == w[a] or not (z[a].isupper() or w[a].isupper()) for a in places)
    return tokens and all((z[a] == z[b]) == (w[a] == w[b]) for a, b in combinations(places, 2))


def _alike(z: str, w: str, kernel: str) -> bool:
    """Whether the kernel takes one for the other: for some order of the positions that it may not
    tell apart, and with other names of wildcards.
    """
    if kernel == "constant above":
        return True
    if kernel.startswith("unnormalised"):  # no position sees another
        z, w = (
            "".join(a if a.isupper() else chr(97 + n) for n, a in enumerate(text))
            for text in (z, w)
        )
    if "gamma = 0" not in kernel:
        return _equivalent(z, w)
    free = len(z) - 1 if kernel.endswith("(23)") else len(z)
    orders = permutations(range(free))
    return any(_equivalent("".join(z[a] for a in order) + z[free:], w) for order in orders)


def _classes(texts: Texts, kernel: str) -> list[str]:
    """One template of each kind that the kernel tells apart."""
    found: list[str] = []
    for z in texts:
        if not any(_alike(z, w, kernel) for w in found):
            found.append(z)
    return found


def _concrete(z: str, side: str) -> tuple[str, ...]:
    """The string with wildcards put to tokens that this side has alone."""
    return tuple(a if a.isupper() else side + a for a in z)


def _entry(z: str, w: str, kernel: str, order: int, weights: str = "softmax") -> Any:
    """An entry of K_tau from the definition, as a polynomial in beta, at gamma = 0 or 2."""
    return _value(_concrete(z, "left "), _concrete(w, "right "), kernel, order, weights)


@lru_cache(maxsize=1 << 12)
def _value(
    x: tuple[str, ...], y: tuple[str, ...], kernel: str, order: int, weights: str = "softmax"
) -> Any:
    """The kernel of two strings, below the layer above if there is one."""
    scale = "appendix-H" if kernel.endswith("(23)") else "main"
    blind = "gamma = 0" in kernel
    found = attention_series(x, y, order, weights=weights, scale=scale, positions=not blind)
    return at_gamma(found, Fraction(0 if blind else 2), order)


def _pattern(x: Sequence[str], y: Sequence[str]) -> tuple[int, ...]:
    """Where the letter at each position of the two strings stands first."""
    both = [*x, *y]
    return tuple(both.index(a) for a in both)


def _name(z: str, w: str, kernel: str) -> Any:
    """What an entry of a whole family of kernels depends on.

    Every token-symmetric kernel is a sum of those that are 1 on the pairs of strings of one
    pattern, read in either order, and 0 on others. A layer above sees K(x, x), K(x, y), K(y, y).
    """
    x, y = _concrete(z, "left "), _concrete(w, "right ")
    if kernel == "constant above":
        return "one value"
    if kernel == "every":
        return frozenset({_pattern(x, y), _pattern(y, x)})
    return tuple(str(_value(*pair, kernel, 4)) for pair in ((x, x), (x, y), (y, y)))


def _annihilates(texts: Texts, kernel: str, vector: Sequence[Any]) -> bool:
    """Whether K_tau times the vector is zero, by the definition of the kernel, to order 4."""
    order = 0 if kernel == "beta = 0" else 4
    for z in texts:
        if kernel == "every" or "above" in kernel:
            sums: dict[Any, Any] = {}
            for w, v in zip(texts, vector, strict=True):
                name = _name(z, w, kernel)
                sums[name] = sums.get(name, 0) + v
            if any(sums.values()):
                return False
            continue
        for weights in ("exponential", "sigmoid") if "unnormal" in kernel else ("softmax",):
            total = flint.fmpq_poly([0])
            for w, v in zip(texts, vector, strict=True):
                factor = flint.fmpq(v.numerator, v.denominator)
                total += factor * _entry(z, w, kernel, order, weights)
            if total:
                return False
    return True


# --- what cases look like -------------------------------------------------------------------------
def _drawn_texts(st: Any, letters: str = "abAB", length: int = 3, most: int = 3) -> Any:
    return st.integers(1, length).flatmap(
        lambda n: st.lists(st.text(letters, min_size=n, max_size=n), min_size=1, max_size=most).map(
            tuple
        )
    )


def _drawn_point(st: Any, texts: Texts) -> Any:
    """Numbers for the positions, which sum to zero, and for the tokens."""
    xi = st.tuples(*[st.integers(-3, 3)] * (len(texts[0]) - 1)).map(lambda v: (*v, -sum(v)))
    return st.tuples(xi, st.tuples(*[st.integers(-3, 3)] * len(_tokens(texts))))


def _point_fits(texts: Texts, xi: Point, y: Point) -> bool:
    return len(xi) == len(texts[0]) and len(y) == len(_tokens(texts))


_verdict = partial(verdict, wrong="is no proof")


# --- exponents at a point -------------------------------------------------------------------------
def _exponent(z: str, texts: Texts, xi: Point, y: Point) -> int:
    """2 y xi for each token, and xi xi' for each pair of positions with one wildcard."""
    number = dict(zip(_tokens(texts), y, strict=True))
    places = range(len(z))
    total = sum(2 * number[z[a]] * xi[a] for a in places if z[a].isupper())
    for a, b in product(places, repeat=2):
        if z[a] == z[b] and z[a].islower():
            total += xi[a] * xi[b]
    return total


def _apart(
    z: str, w: str, texts: Texts, kernel: str, xi: Point, y: Point, alone: bool = True
) -> bool:
    """Whether a point tells two templates apart, by the theorems about exponents."""
    number = dict(zip(_tokens(texts), y, strict=True))
    differ = _exponent(z, texts, xi, y) != _exponent(w, texts, xi, y)
    if not kernel.endswith("(23)"):
        one_letter = len({*z}) == 1, len({*w}) == 1
        if all(one_letter) or (any(one_letter) and not alone):
            return not _equivalent(z, w)
        return differ
    ends = [text[-1] if text[-1].isupper() else "wildcard" for text in (z, w)]
    if ends[0] != ends[1]:
        return True
    if ends[0] == "wildcard":
        layouts = ["".join(a if a.isupper() else "." for a in text) for text in (z, w)]
        sums = [
            sum(number[a] * x for a, x in zip(layout, xi, strict=True) if a != ".")
            for layout in layouts
        ]
        if layouts[0] != layouts[1]:
            return sums[0] != sums[1]
    return differ


_SEPARATING = ("every", "softmax", "softmax (23)", "above")

# Texts, kernel, the numbers of the positions and of the tokens.
PointCase = tuple[Texts, str, Point, Point]


def _points() -> Iterator[PointCase]:
    points: tuple[Point, ...] = ((1, -1), (0, 0), (1, 2))
    for texts in product(_PAIRS, repeat=2):
        y: Point = (3, 5)[: len(_tokens(texts))]
        for kernel in ("softmax", "softmax (23)"):
            for xi in points:
                yield texts, kernel, xi, y
    for kernel in _KERNELS:
        yield ("aaL", "abL"), kernel, (1, 2, -3), (5,)
    five = ("aaaL", "aabL", "abaL", "baaL", "abcL")
    tokens = ("ABaL", "BAaL", "aABL", "AaaL", "AabL", "aAbL", "AAAA", "aaaa")
    points = ((1, 2, 4, -7), (1, 2, -3, 0), (1, 2, 4, 0))
    for kernel in ("softmax", "softmax (23)"):
        for xi in points:
            yield five, kernel, xi, (0,)
            for y in ((11, 17, 31), (0, 0, 0), (1, 1, 2)):
                yield tokens, kernel, xi, y
    # Ends in wildcards: layouts of tokens that a number does and does not tell apart.
    points = ((1, -1, 0), (2, -3, 1), (1, 1, -2))
    for y in ((0, 0), (1, 1), (1, 3)):
        for xi in points:
            yield ("ABa", "BAa", "Aaa", "aAb"), "softmax (23)", xi, y
            yield ("aab", "aba", "abb", "abc"), "softmax (23)", xi, ()
    yield ("aaL", "abL"), "softmax", (1, -1), (5,)
    yield ("aaL", "abL"), "softmax", (1, 2, -3), ()


@claim(
    "certificates.one-point",
    source=SOURCE,
    category="theorem",
    cases=_points,
    boundary=(("AA", "ab"), "softmax", (0, 0), (3,)),
    strategy=drawn(
        lambda st: _drawn_texts(st).flatmap(
            lambda texts: st.tuples(
                st.just(texts), st.sampled_from(sorted(_KERNELS)), _drawn_point(st, texts)
            ).map(lambda case: (case[0], case[1], *case[2]))
        )
    ),
    applies=record(_are_texts, one_of(*_KERNELS), many(integer()), many(integer(), 0)),
    near_misses=[
        NearMiss("a point that does not sum to zero",
                 (("aA", "Aa"), "softmax", (1, 2), (3,)), {"balanced": False}),
        NearMiss("templates of one letter may have the exponent of others",
                 (("AA", "ab"), "softmax", (0, 0), (3,)), {"alone": False}),
    ],
)  # fmt: skip
def one_point(case: PointCase, balanced: bool = True, alone: bool = True) -> bool | Fails:
    r"""A certificate of one point passes iff softmax attention with $\beta, \gamma \ne 0$ is spoken
    of, or a layer above it that is not constant, or all kernels (for generic values), the point has
    a number for each position and each token, those of positions sum to zero, and every two
    templates are told apart: their exponents differ, or both have one letter throughout and are not
    equivalent. For kernel (23) this is asked of templates that end alike, and of those that end in
    a wildcard that different places of tokens differ by themselves.
    """
    texts, kernel, xi, y = case
    at_most(len(texts) * len(texts[0]), 200, "letters")
    right = kernel in _SEPARATING and _point_fits(texts, xi, y)
    right = right and (sum(xi) == 0 or not balanced)
    right = right and all(
        _apart(z, w, texts, kernel, xi, y, alone) for z, w in combinations(texts, 2)
    )
    passed = OnePoint(xi=xi, y=y).check(_subject(texts, kernel))
    return _verdict(passed, right, f"the point {xi}, {y} for {', '.join(texts)}")


# Texts, kernel, the numbers of the positions and of the tokens, the rank.
RankCase = tuple[Texts, str, Point, Point, int]


def _ranks() -> Iterator[RankCase]:
    tasks = (
        ("ab", "ba", "aa"), ("AA", "AA", "BB"), ("Aa", "Ab", "aA"), ("abL", "baL", "cbL"),
        ("abAL", "baAL", "aaAL", "AabL"),
    )  # fmt: skip
    for texts in tasks:
        length, y = len(texts[0]), (3, 5, 9)[: len(_tokens(texts))]
        for xi in ((1, 2, 5, -8), (0, 0, 0, 0), (1, 2, 5, 7)):
            cut = (*xi[: length - 1], -sum(xi[: length - 1]) if sum(xi) == 0 else xi[-1])
            for size, kernel in product(range(len(texts) + 2), ("softmax", "softmax (23)")):
                yield texts, kernel, cut, y, size
    for kernel in _KERNELS:
        yield ("abL", "baL", "aaL"), kernel, (1, 2, -3), (5,), 2


@claim(
    "certificates.template-rank",
    source=SOURCE,
    category="theorem",
    cases=_ranks,
    boundary=(("ab", "ba", "aa"), "softmax", (1, -1), (), 2),
    strategy=drawn(
        lambda st: _drawn_texts(st).flatmap(
            lambda texts: st.tuples(
                st.just(texts), st.sampled_from(sorted(_KERNELS)), _drawn_point(st, texts),
                st.integers(0, 3),
            ).map(lambda case: (case[0], case[1], *case[2], case[3]))
        )
    ),
    applies=record(
        _are_texts, one_of(*_KERNELS), many(integer()), many(integer(), 0), integer(0)
    ),
    near_misses=[
        NearMiss("every template counts", (("ab", "ba", "aa"), "softmax", (1, -1), (), 3),
                 {"each": True}),
    ],
)  # fmt: skip
def template_rank(case: RankCase, each: bool = False) -> bool | Fails:
    r"""A certificate that $K_\tau$ of softmax attention, or of generic values, has rank $r$ passes
    iff $r$ templates are inequivalent, and its point tells every two of these apart.
    """
    texts, kernel, xi, y, size = case
    at_most(len(texts) * len(texts[0]), 200, "letters")
    different = [z for n, z in enumerate(texts) if not any(_equivalent(z, w) for w in texts[:n])]
    right = kernel in _SEPARATING and _point_fits(texts, xi, y) and sum(xi) == 0
    right = right and size == len(texts if each else different)
    right = right and all(_apart(z, w, texts, kernel, xi, y) for z, w in combinations(different, 2))
    passed = TemplateRank(rank=size, xi=xi, y=y).check(_subject(texts, kernel))
    return _verdict(passed, right, f"rank {size} of {', '.join(texts)}")


# --- determinants modulo a prime ------------------------------------------------------------------
# Texts, kernel, a point for each, the prime, the base, the residue.
ModularCase = tuple[Texts, str, tuple[Point, ...], int, int, int]


def _modular() -> Iterator[ModularCase]:
    tasks: tuple[tuple[Texts, tuple[tuple[Point, ...], ...]], ...] = (
        (("aa", "ab"), (((0, 0), (1, -1)), ((0, 0), (1, 0)), ((1, -1), (2, -2)))),
        (("Aa", "aA"), (((0, 0, 0), (1, -1, 1)), ((0, 0, 1), (1, 1, 2)), ((1, -1, 2),) * 2)),
        (("AA", "BB"), (((0, 0, 0, 0), (1, 0, 1, 2)), ((0, 0, 0, 0), (1, -1, 1, 2)))),
        (("aaL", "abL"), (((0, 0, 0, 0), (1, 1, -2, 0)), ((0, 0, 0, 0), (1, 1, 0, 0)))),
        (("abL", "baL"), (((0, 0, 0, 0), (1, 1, -2, 1)),)),
        (("aaL", "abL", "AaL"), (((0,) * 5, (1, 1, -2, 1, 0), (1, -1, 0, 2, 0)),
                                 ((0,) * 5, (1, 1, -2, 1, 1), (1, -1, 1, 2, 0)))),
    )  # fmt: skip
    for texts, choices in tasks:
        for points, residue in product(choices, range(7)):
            yield texts, "softmax", points, 7, 3, residue
    texts, points = ("aaL", "abL"), ((0, 0, 0, 0), (1, 1, -2, 0))
    for kernel, residue in product(_KERNELS, range(7)):
        yield texts, kernel, points, 7, 3, residue
    for prime, base in ((9, 2), (7, 7), (5, 2), (11, -3)):
        for residue in range(prime):
            yield texts, "softmax", points, prime, base, residue


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % d for d in range(2, n))


@claim(
    "certificates.modular-points",
    source=SOURCE,
    category="theorem",
    cases=_modular,
    boundary=(("aa", "ab"), "softmax", ((0, 0), (1, -1)), 7, 3, 2),
    strategy=drawn(
        lambda st: _drawn_texts(st).flatmap(
            lambda texts: st.tuples(
                st.just(texts),
                st.sampled_from(["softmax", "softmax (23)", "above"]),
                st.tuples(*[_drawn_point(st, texts).map(lambda p: (*p[0], *p[1]))] * len(texts)),
                st.just(7),
                st.integers(1, 6),
                st.integers(0, 6),
            )
        )
    ),
    applies=record(
        _are_texts, one_of(*_KERNELS), many(many(integer())), integer(2), integer(), integer(0),
        where=lambda texts, kernel, points, prime, base, residue: (
            len(points) == len(texts) and residue < prime
            and {*map(len, points)} == {len(texts[0]) + len(_tokens(texts))}
        ),
    ),
    near_misses=[
        NearMiss("points that do not sum to zero",
                 (("AA", "BB"), "softmax", ((0, 0, 0, 0), (1, 0, 1, 2)), 7, 3, 2),
                 {"balanced": False}),
    ],
)  # fmt: skip
def modular_points(case: ModularCase, balanced: bool = True) -> bool | Fails:
    r"""A certificate of points modulo a prime passes iff kernel (3), or a layer above it, is spoken
    of, each point sums to zero over the positions, and the matrix of the powers of the base, to the
    exponents of the templates at the points, has the residue as its determinant, which is not zero.
    """
    texts, kernel, points, prime, base, residue = case
    at_most(len(texts) * len(texts[0]), 50, "letters")
    at_most(prime, 10_000, "the prime")
    length = len(texts[0])
    right = kernel in ("softmax", "above") and _is_prime(prime) and base % prime != 0
    right = right and not (balanced and any(sum(point[:length]) for point in points))
    if right:
        powers = [
            [pow(base, _exponent(z, texts, p[:length], p[length:]), prime) for z in texts]
            for p in points
        ]
        right = determinant(powers, prime) == residue != 0
    certificate = ModularPoints(prime=prime, base=base, points=Matrix(points, ZZ), residue=residue)
    passed = certificate.check(_subject(texts, kernel))
    return _verdict(passed, right, f"determinant {residue} modulo {prime} for {', '.join(texts)}")


# --- types ----------------------------------------------------------------------------------------
# Texts, kernel, the rank.
TypeCase = tuple[Texts, str, int]
_TYPES: tuple[Texts, ...] = (
    ("aA", "Aa"), ("aA", "aa"), ("ab", "aa"), ("AAB", "ABB"), ("AAB", "ABA", "BBA"),
    ("Aa", "AA", "ab"), ("aaL", "abL"), ("aAL", "AaL", "AAL"), ("abAL", "aAbL", "aaAL"),
    ("AaA", "aAA", "AAa"), ("Aa", "BB", "bA"), ("aaa",), ("AL", "aL", "AL"),
)  # fmt: skip


def _types() -> Iterator[TypeCase]:
    for texts, kernel in product(_TYPES, ("gamma = 0", "gamma = 0 (23)", "above, gamma = 0")):
        for size in range(len(texts) + 2):
            yield texts, kernel, size
    for kernel, size in product(_KERNELS, range(4)):
        yield ("aAL", "AaL", "aaL"), kernel, size


def _seen(texts: Sequence[str], kernel: str) -> bool:
    """Whether K_tau, as its definition gives it to some order up to 6, cannot be singular."""
    for order in (2, 4, 6):
        rows = [[_entry(z, w, kernel, order) for w in texts] for z in texts]
        if is_seen(rows, order + 1) if len(texts) > 1 else rows[0][0]:
            return True
    return False


@claim(
    "certificates.template-types",
    source=SOURCE,
    category="theorem",
    cases=_types,
    boundary=(("aA", "Aa"), "gamma = 0 (23)", 1),
    strategy=drawn(
        lambda st: st.tuples(
            _drawn_texts(st, most=2), st.sampled_from(sorted(_KERNELS)), st.integers(0, 3)
        )
    ),
    applies=record(_are_texts, one_of(*_KERNELS), integer(0)),
    near_misses=[
        NearMiss("templates without a token count", (("aA", "aa"), "gamma = 0", 2),
                 {"tokenless": True}),
        NearMiss("the last letter may be any in kernel (23)", (("aA", "Aa"), "gamma = 0 (23)", 2),
                 {"one_end": False}),
    ],
)  # fmt: skip
def template_types(case: TypeCase, tokenless: bool = False, one_end: bool = True) -> bool | Fails:
    r"""A certificate of the rank of $K_\tau$ at $\gamma = 0$ passes iff it is the number of
    templates with a token that no permutation of positions makes equivalent. It is about softmax
    attention; in kernel (23) all templates end in one token; under a layer above all have a token.
    What passes for attention is the rank of the matrix that the definition gives.
    """
    texts, kernel, size = case
    at_most(len(texts), 4, "templates")
    at_most(len(texts[0]), 5, "letters")
    subject = _subject(texts, kernel)
    spoken = kernel in ("gamma = 0", "gamma = 0 (23)", "above, gamma = 0")
    if kernel == "gamma = 0 (23)" and one_end:
        spoken = len({z[-1] for z in texts}) == 1 and texts[0][-1].isupper()
    with_token = [z for z in texts if _tokens((z,)) or tokenless]
    if kernel.startswith("above"):
        spoken = spoken and len(with_token) == len(texts)
    kinds = _classes(tuple(with_token), kernel)
    passed = TypeRank(rank=size).check(subject)
    outcome = _verdict(passed, spoken and size == len(kinds), f"rank {size} of {', '.join(texts)}")
    attention_alone = passed and kinds and not kernel.startswith("above")
    if outcome is True and attention_alone and not _seen(kinds, kernel):
        raise Undecided("the definition to order 6 in beta does not show the rank")
    return outcome


# --- null vectors ---------------------------------------------------------------------------------
# Texts, kernel, the vector.
NullCase = tuple[Texts, str, tuple[Any, ...]]


def _null_cases() -> Iterator[NullCase]:
    kernels = [name for name in _KERNELS if name not in ("beta = 0", "above")]
    for z, w in combinations(("aa", "bb", "ab", "ba", "AB", "BA", "Aa", "aA"), 2):
        for kernel in kernels:
            yield (z, w), kernel, (1, -1)
    tasks: tuple[tuple[Texts, tuple[tuple[Any, ...], ...]], ...] = (
        (("aab", "aba", "abc"), ((1, -1, 0), (1, 1, -2), (0, 1, -1))),
        (("aaL", "abL", "baL"), ((0, 1, -1), (1, -1, 0), (1, 1, 1))),
        (("AaL", "aAL", "abL"), ((1, -1, 0), (0, 1, -1), (1, Fraction(-1, 2), Fraction(-1, 2)))),
        (("aA", "Bb", "AB"), ((1, -1, 0), (1, 0, -1), (0, 1, -1), (1, 1, -2), (2, -1, -1))),
        (("aa", "Aa", "AA"), ((1, 0, 0), (0, 0, 1), (0, 0, 0))),
    )  # fmt: skip
    for texts, vectors in tasks:
        yield from product((texts,), _KERNELS, vectors)


@claim(
    "certificates.templates",
    source=SOURCE,
    category="theorem",
    cases=_null_cases,
    boundary=(("aA", "Aa"), "gamma = 0 (23)", (1, -1)),
    strategy=drawn(
        lambda st: _drawn_texts(st, length=2).flatmap(
            lambda texts: st.tuples(
                st.just(texts),
                st.sampled_from(sorted(_KERNELS)),
                st.tuples(*[st.integers(-2, 2)] * len(texts)),
            )
        )
    ),
    applies=record(
        _are_texts, one_of(*_KERNELS), many(number()),
        where=lambda texts, kernel, vector: len(texts) == len(vector),
    ),
    near_misses=[
        NearMiss("the last letter of kernel (23) may be moved",
                 (("aA", "Aa"), "gamma = 0 (23)", (1, -1)), {"believe": True}),
        NearMiss("equal wildcards and different ones, under every kernel",
                 (("aaL", "abL"), "every", (1, -1)), {"believe": True}),
    ],
)  # fmt: skip
def null_vectors(case: NullCase, believe: bool = False) -> bool | Fails:
    r"""A certificate of a null vector of $K_\tau$ that passes says the truth, for every kernel that
    its templates are said to have; conversely it passes if the entries of the vector sum to zero
    over the templates that the kernel takes for one another, and some entry is not zero.
    """
    texts, kernel, vector = case
    at_most(len(texts), 5, "templates")
    at_most(len(texts[0]), 4, "letters")
    null = Matrix([[x] for x in vector], QQ)
    passed = Singular(null=null).check(_subject(texts, kernel)) or believe
    if passed and not (any(vector) and _annihilates(texts, kernel, vector)):
        return Fails(f"{vector} passes as a null vector for {', '.join(texts)}")
    sums = [
        sum(v for w, v in zip(texts, vector, strict=True) if _alike(z, w, kernel))
        for z in _classes(texts, kernel)
        if _tokens((z,)) or kernel != "gamma = 0"  # no token, no entry
    ]
    right = any(vector) and not any(sums)
    return believe or _verdict(passed, right, f"{vector} for {', '.join(texts)}")


# --- certify, on template matrices and on rows ----------------------------------------------------
# Texts, kernel, question.
QuestionCase = tuple[Texts, str, str]
_ASKED = ("nonsingular", "rank", "positive-definite", "unique-assignment")
_MATRICES: Mapping[str, Callable[[], Kernel]] = {
    "inner product": lambda: inner_product([0, 1, 2, 3, 4, 5]),
    "softmax": attention,
    "gamma = 0": lambda: attention(gamma=0),
    "constant above": lambda: transformer(polynomial([3]), attention()),
}
# What an answer is called, by the question and whether it is yes.
_ANSWERS = {
    ("nonsingular", True): ("nonsingular", "one-point", "type-rank"),
    ("nonsingular", False): ("singular",),
    ("positive-definite", True): ("positive-definite", "one-point", "type-rank"),
    ("positive-definite", False): ("not-positive-definite", "singular"),
    ("unique-assignment", True): ("unique-assignment",),
    ("unique-assignment", False): ("tied-assignment",),
}


def _is_asked(texts: Texts, kernel: str, question: str) -> bool:
    """Whether the question can be answered: what series leave open is not asked about them."""
    if question == "unique-assignment":
        return kernel == "inner product"
    return kernel != "constant above" or (question != "rank" and len(texts) > 1)


def _questions() -> Iterator[QuestionCase]:
    tasks = (
        ("aaL", "abL"), ("abL", "baL"), ("aAL", "AaL", "AAL"), ("AB", "BA", "Aa"), ("AAB", "ABB"),
        ("AB", "AB", "BA"), ("ABC", "ABa", "AAC"), ("aab", "aAb", "AAb", "baA"),
    )  # fmt: skip
    for texts, kernel, question in product(tasks, _MATRICES, _ASKED):
        if _is_asked(texts, kernel, question) and kernel != "constant above":
            yield texts, kernel, question
    yield ("AB", "Aa"), "constant above", "nonsingular"
    yield ("aaL", "abL"), "constant above", "positive-definite"


def _agreements(texts: Texts) -> list[list[int]]:
    """At how many positions two templates have one and the same token."""
    return [
        [sum(a == b and a.isupper() for a, b in zip(z, w, strict=True)) for w in texts]
        for z in texts
    ]


def _truth(texts: Texts, kernel: str) -> dict[str, Any]:
    """The answers to the questions, without the library."""
    if kernel == "inner product":
        rows = _agreements(texts)
        size = range(len(rows))
        sums = [sum(rows[i][s[i]] for i in size) for s in permutations(size)]
        return {
            "rank": rank(rows),
            "nonsingular": rank(rows) == len(rows),
            "positive-definite": all(
                determinant([row[: k + 1] for row in rows[: k + 1]]) > 0 for k in size
            ),
            "unique-assignment": sums.count(max(sums)) == 1,
        }
    found = len([z for z in _classes(texts, kernel) if _tokens((z,)) or kernel != "gamma = 0"])
    full = found == len(texts)
    return {"rank": found, "nonsingular": full, "positive-definite": full}


def _answers(found: Certificate, question: str, truth: Any) -> bool:
    """Whether a certificate answers the question, and truly."""
    if question == "rank":
        kinds = ("rank", "template-rank", "type-rank")
        return found.kind in kinds and getattr(found, "rank", None) == truth
    return found.kind in _ANSWERS[question, truth]


@claim(
    "certificates.questions",
    source=SOURCE,
    category="theorem",
    cases=_questions,
    boundary=(("abL", "baL"), "softmax", "rank"),
    strategy=drawn(
        lambda st: st.tuples(
            _drawn_texts(st), st.sampled_from(sorted(_MATRICES)), st.sampled_from(_ASKED[:3])
        ).filter(lambda case: _is_asked(*case))
    ),
    applies=record(
        _are_texts, one_of(*_MATRICES), one_of(*_ASKED),
        where=_is_asked,
    ),
    near_misses=[
        NearMiss("another question is answered", (("abL", "baL"), "softmax", "rank"),
                 {"answered": "nonsingular"}),
    ],
)  # fmt: skip
def questions(case: QuestionCase, answered: str | None = None) -> bool | Fails:
    r"""Asked about a template matrix, or about rows of numbers, `certify` answers the question that
    is asked, truly, and with a certificate that checks: whether it is nonsingular or positive
    definite, what its rank is, whether one permutation alone has the largest sum. For
    attention the rank is the number of templates that the kernel tells apart, at $\gamma = 0$ of
    those with a token; under a constant layer above it is one.
    """
    texts, kernel, question = case
    at_most(len(texts), 6, "templates")
    at_most(len(texts[0]), 5, "letters")
    small = sorted({a for a in "".join(texts) if a.islower()})
    templates = [Template(z, wildcards=[a for a in small if a in z]) for z in texts]
    asked: list[Any] = [template_matrix(templates, _MATRICES[kernel](), cls=False)]
    if kernel == "inner product":
        asked.append(_agreements(texts))
    truth = _truth(texts, kernel)[question]
    for matrix in asked:
        found = certify(matrix, question=answered or question)
        if not found.check():
            return Fails("the certificate does not check")
        if not _answers(found, question, truth):
            return Fails(f"{question}: {truth}, and {found.explain()}")
    return True
