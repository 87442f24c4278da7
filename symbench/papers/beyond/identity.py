"""What a I in W_K^T W_Q does at depth two: the block-size profile."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from symbench.certificates import Certificate
from symbench.exact import Rational
from symbench.kernels import Diagram, identity_attention, transformer
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, number, record
from symbench.papers._second_roads import fresh
from symbench.papers._templates import Templates, before_cls, every, templates, wildcards_only
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

# templates, q = e^a, gamma
Profiled = tuple[Templates, Fraction, int]
_HALF, _TWO = Rational(1, 2), Rational(2)
_HIDDEN = templates("ααββ", "αβαβ")


def _mixed(letters: tuple[Any, ...], q: Fraction, gamma: int) -> list[list[Fraction]]:
    """Softmax of a (X X^T + gamma^2 I), row by row, with e^a = q."""
    scores = [
        [int(s == t) + gamma**2 * int(i == j) for j, t in enumerate(letters)]
        for i, s in enumerate(letters)
    ]
    powers = [[Fraction(q) ** score for score in row] for row in scores]
    return [[entry / sum(row) for entry in row] for row in powers]


def _two_layers(letters: tuple[Any, ...], q: Fraction, gamma: int) -> dict[Any, Fraction]:
    """The mean over positions of softmax(a Z Z^T) Z, by coordinates.

    The embeddings of tokens and of positions are orthonormal; a position has the length gamma.
    """
    found: dict[Any, Fraction] = {}
    for row in _mixed(letters, q, gamma):
        for c, (share, letter) in enumerate(zip(row, letters, strict=True)):
            for name, size in ((("token", letter), 1), (("position", c), gamma)):
                found[name] = found.get(name, Fraction(0)) + share * size / len(letters)
    return found


def _product(one: dict[Any, Fraction], two: dict[Any, Fraction]) -> Fraction:
    return sum((x * two[name] for name, x in one.items() if name in two), Fraction(0))


def _profile(z: Template) -> tuple[int, ...]:
    """How often the letter of each position occurs."""
    return tuple(z.letters.count(letter) for letter in z.letters)


def _profiled() -> Iterator[Profiled]:
    for q in (_HALF, _TWO):
        yield every(2), q, 1
        yield every(3), q, 1
    yield _HIDDEN, _TWO, 1
    yield templates("ααββ", "αβαβ", "αββα", "αβγδ"), _HALF, 1
    yield templates("ααβγ", "ααββ", "αβγγ", "αααβ"), Rational(3), 2
    yield templates("αα", "αβ"), Rational(1, 7), 2


def _drawn_profile(st: Any) -> Any:
    from symbench.strategies import inequivalent_templates

    chosen = inequivalent_templates(min_size=2, max_size=4, max_length=4, tokens="")
    numbers = st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(3, 2), Fraction(5)])
    return st.tuples(chosen, numbers, st.integers(1, 2))


@claim(
    "symbench.block-size-profile",
    source="Theorem of symbench: what Observation 1.2 of boix2024 adds, at depth two",
    category="theorem",
    cases=_profiled,
    boundary=(_HIDDEN, _TWO, 1),
    strategy=drawn(_drawn_profile),
    applies=record(
        lambda z: before_cls(z) and wildcards_only(z),
        number(above=0),
        lambda gamma: type(gamma) is int and gamma != 0,
        where=lambda _, q, __: q != 1,
    ),
    proof="proofs/symbench/block-size-profile.md",
    near_misses=[
        NearMiss("a = 0: nothing is added", (templates("αα", "αβ"), Rational(1), 1)),
        NearMiss("without positions", (templates("ααβ", "αβα"), _TWO, 0)),
        NearMiss("templates with regular tokens", (templates("Aα", "αβ"), _TWO, 1)),
        NearMiss(
            "a polynomial layer: more profiles than positions",
            (every(3), _TWO, 1),
            {"activation": "identity"},
        ),
    ],
)
def block_size_profile(case: Profiled, activation: str = "exp") -> Certificate | Fails:
    r"""Two layers of attention, the first with the scores $a Z Z^\top$, $a \ne 0$, and the second
    uniform, $\gamma \ne 0$, see of a wildcard-only template (CLS appended, length $k$) its
    block-size profile $b_1, \dots, b_k$ and nothing else: $N_{ij} = \frac{1}{k^2} (c_k c'_k +
    \gamma^2 \langle c, c' \rangle)$, $c_j = 1 - k (h(b_j) - \bar h)$, $h(b) = 1 /
    (e^{a(1+\gamma^2)} + (b - 1) e^a + k - b)$. Under a layer whose activation is not a polynomial
    the template matrix is nonsingular if and only if the profiles are pairwise different: the
    templates $\alpha\alpha\beta\beta$ and $\alpha\beta\alpha\beta$ are never told apart.

    The softmax is multiplied out with $e^a$ rational, the layer above is exp.
    """
    chosen, q, gamma = case
    at_most(len(chosen) * len(chosen[0]), 40, "letters")
    at_most(abs(gamma), 3, "gamma")
    kernel, closed = identity_attention(q=q, gamma=gamma), tuple(z.with_cls() for z in chosen)
    found = template_matrix(closed, kernel).matrix
    size = range(len(closed))
    left = [_two_layers(fresh(z, "left"), q, gamma) for z in closed]
    right = [_two_layers(fresh(z, "right"), q, gamma) for z in closed]
    for i in size:
        word = fresh(closed[i], "left")
        if kernel.weights(list(map(str, word))) != tuple(
            map(sum, zip(*_mixed(word, q, gamma), strict=True))
        ):
            return Fails(f"the weights of {closed[i]} are not the sums of the columns")
        if kernel.on_diagram(Diagram.from_codes(word + word)) != _product(left[i], left[i]):
            return Fails(f"the value of {closed[i]} with itself is another one")
        for j in size:
            if found[i, j] != _product(left[i], right[j]):
                return Fails(f"entry {i, j} is not that of two layers multiplied out")
    above = template_matrix(closed, transformer(activation, kernel))
    certificate = above.certify()
    told_apart = len({_profile(z) for z in closed}) == len(closed)
    if (certificate.kind == "nonsingular") != told_apart:
        which = "different" if told_apart else "not all different"
        return Fails(f"the profiles are {which}, and the matrix is {certificate.kind}")
    return certificate
