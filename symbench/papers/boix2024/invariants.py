"""Appendices F.1 and F.2: five derivatives of the attention kernel, and what their terms depend on.

The second roads are the definitions: one-hot matrices multiplied out, and Wick sums.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import permutations, product
from math import factorial
from typing import Any

from symbench.exact import Rational
from symbench.kernels import attention, attention_derivative
from symbench.kernels.derivatives.invariants import Invariant
from symbench.papers._cases import at_most, drawn, record
from symbench.papers._second_roads import attention_series
from symbench.papers._templates import is_string
from symbench.registry import Control, Fails, NearMiss, claim
from symbench.words import Template, all_templates

Pair = tuple[str, str]
# The token at each position, None where the row of the matrix is zero.
Rows = tuple[str | None, ...]

# --- invariants as products of matrices -----------------------------------------------------------
# "XXXY" is X X^T X Y^T, every second factor transposed; between vectors of ones, or its trace.
_ONES = {
    "a": "XY", "x": "XX", "y": "YY", "p1": "XXXY", "p2": "XYYY",
    "q1": "XXXXXY", "q2": "XYYXXY", "q3": "YXXYYY", "x3": "XXXX", "y3": "YYYY",
    "o1": "XYXY", "o2": "YXYY", "o3": "XXYX", "w": "XXYY",
}  # fmt: skip
_TRACES = {"t": "XY", "t1": "XXXY", "t2": "XYYY", "g": "XXYY", "h": "XYXY"}


def _one_hot(rows: Rows, tokens: list[str]) -> list[list[int]]:
    return [[int(token == other) for other in tokens] for token in rows]


def _times(vector: list[int], matrix: list[list[int]], transposed: bool) -> list[int]:
    columns = matrix if transposed else zip(*matrix, strict=True)
    return [sum(v * c for v, c in zip(vector, column, strict=True)) for column in columns]


@lru_cache(maxsize=1 << 12)
def _factor(name: str, x: Rows, y: Rows) -> int:
    """One invariant of appendix F, its matrices multiplied out."""
    tokens = sorted({token for token in (*x, *y) if token is not None})
    matrices = {"X": _one_hot(x, tokens), "Y": _one_hot(y, tokens)}

    def applied(vector: list[int], word: str) -> list[int]:
        for n, letter in enumerate(word):
            vector = _times(vector, matrices[letter], transposed=n % 2 == 1)
        return vector

    if name in _ONES:
        return sum(applied([1] * len(x), _ONES[name]))
    units = ([int(a == b) for b in range(len(x))] for a in range(len(x)))
    return sum(applied(unit, _TRACES[name])[a] for a, unit in enumerate(units))


def multiplied_out(name: str, x: Rows | str, y: Rows | str) -> int:
    """A product of invariants such as 'a^2*x', from the one-hot matrices of two strings.

    >>> multiplied_out("a*t", "AAB", "ABC"), multiplied_out("1", "A", "B")
    (3, 1)
    """
    found = 1
    for factor in name.split("*") if name != "1" else ():
        base, _, power = factor.partition("^")
        found *= _factor(base, tuple(x), tuple(y)) ** int(power or 1)
    return found


# --- F.1 ------------------------------------------------------------------------------------------
# The table as printed: coefficients {power of k: number} and the terms that have them. The term
# with the constant that is said to be positive is the decisive one.
_Row = tuple[tuple[dict[int, int], str], ...]
PRINTED: dict[tuple[int, int], _Row] = {
    (0, 0): (({-2: 1}, "a"),),
    (2, 2): (({-3: -8}, "a"), ({-2: 8}, "t")),
    (4, 0): (
        ({-2: 12}, "a"), ({-3: -96}, "p1 p2"), ({-4: 192}, "q1 q2 q3"), ({-4: 36}, "a*x a^2 a*y"),
        ({-5: -144}, "p1*x p2*y"), ({-5: -48}, "p2*x p1*y"), ({-5: -168}, "a*p1 a*p2"),
        ({-6: 72}, "a*x^2 a^2*x a^2*y a*y^2"), ({-5: -72}, "a*x3 a*y3"), ({-6: 48}, "a^3"),
        ({-6: 24}, "a*x*y"),
    ),
    (4, 2): (
        ({-3: -168}, "a"), ({-2: 72}, "t"), ({-4: 576}, "p1 p2"), ({-3: -336}, "t1 t2"),
        ({-5: -432}, "a*x a*y"), ({-4: 96}, "t*x t*y"), ({-5: -384}, "a^2"), ({-4: 144}, "a*t o1"),
        ({-4: 192}, "o2 o3"), ({-4: 48}, "w"), ({-5: -48}, "x*y"),
    ),
    (6, 4): (
        ({-3: -34560, -4: 552960}, "a"), ({-2: 17280, -3: -432000}, "t"),
        ({-4: 129600, -5: -1693440}, "p1 p2"), ({-3: -86400, -4: 1313280}, "t1 t2"),
        ({-5: -103680, -6: 1451520}, "a*x a*y"), ({-4: 25920, -5: -397440}, "t*x t*y"),
        ({-4: 34560, -5: -587520}, "a*t o1"), ({-5: -86400, -6: 1226880}, "a^2"),
        ({-4: 51840, -5: -794880}, "o2 o3"), ({-4: 34560}, "h t^2"), ({-2: -17280}, "1"),
        ({-4: 60480}, "x y"), ({-5: -207360}, "x3 y3"), ({-4: 17280, -5: -241920}, "w"),
        ({-6: 155520}, "x^2 y^2"), ({-5: -17280, -6: 224640}, "x*y"), ({-4: 17280}, "g"),
    ),
}  # fmt: skip
_DECISIVE = {(0, 0): "a", (2, 2): "t", (4, 0): "a*x*y", (4, 2): "w", (6, 4): "g"}
# Orders that the table does not have, and at which the library's formulas are looked at as well.
_OTHERS = [(0, 2), (1, 2), (2, 0), (2, 4), (2, 6), (4, 4), (4, 6), (6, 6), (6, 8)]
_MORE = [("AAB*", "ABA*"), ("ABC*", "CAB*"), ("ABA*", "CDC*"), ("AABB*", "ABAC*")]


def _terms(row: _Row) -> Iterator[tuple[str, dict[int, int]]]:
    for coefficient, names in row:
        for name in names.split():
            yield name, coefficient


def _patterns(max_length: int = 3) -> Iterator[Pair]:
    """All pairs of strings of a length up to renaming, and some longer ones that end in CLS.

    Of the orders of three positions and more only the first is taken.
    """
    for length in range(1, max_length + 1):
        seen: set[Any] = set()
        for z in all_templates(2 * length):
            pairs = list(zip(z.letters[:length], z.letters[length:], strict=True))
            orders = permutations(pairs) if length > 2 else [pairs]
            same = {
                Template([*p[0], *p[1]]).canonical
                for p in ([*zip(*order, strict=True)] for order in orders)
            }
            if not same & seen:
                letters = z.fresh()
                text = "".join(letters[a] for a in z.letters)
                yield text[:length], text[length:]
            seen |= same
    yield from _MORE


def _texts(st: Any, letters: str = "ABC", max_size: int = 3) -> Any:
    return st.text(letters, min_size=1, max_size=max_size)


def _pairs(st: Any) -> Any:
    """Two strings of one length up to 4 that end in CLS."""
    return _texts(st).flatmap(
        lambda x: st.tuples(
            st.just(x + "*"), st.text("ABD", min_size=len(x), max_size=len(x)).map("{}*".format)
        )
    )


_is_pair = record(is_string, is_string, where=lambda x, y: len(x) == len(y))


@claim(
    "boix2024.table-F.1",
    source="Appendix F.1, the table of derivatives, and the five constants said to be positive",
    wording="reconstructed",
    category="lemma",
    cases=_patterns,
    boundary=("A", "A"),
    strategy=drawn(_pairs),
    applies=_is_pair,
    proof="proofs/boix2024/lemma-4.7.md",
    near_misses=[
        NearMiss(
            "the invariant a is decisive in the second row too", ("A", "A"), {"decisive": "a"}
        ),
        NearMiss("Taylor coefficients, not derivatives", ("AB", "AB"), {"derivatives": False}),
        NearMiss("without the last term of each row", ("AB", "CD"), {"dropped": 1}),
    ],
)
def table_f1(
    case: Pair, decisive: str | None = None, derivatives: bool = True, dropped: int = 0
) -> bool | Fails:
    r"""The derivatives $\partial_\beta^i \partial_\gamma^j \kappa(0, 0)$ for $(i, j) = (0,0),
    (2,2), (4,0), (4,2), (6,4)$ are the sums of invariants in the printed table, with coefficients
    that depend on $k$ alone, and those of $a$, $t$, $a x y$, $w$ and $g$ are positive.

    The coefficients of the table are compared with the library's formulas one by one, and on the
    two strings four values agree: the table with its matrices multiplied out, the formula, the
    kernel's series, and the Wick sum from the kernel's definition. At some orders that the table
    does not have, the formula and the Wick sum agree.
    """
    x, y = case
    at_most(len(x), 6, "letters of a string")
    wick, series = attention_series(x, y, 6), attention().taylor(x, y, beta=6)
    for (i, j), row in PRINTED.items():
        terms = list(_terms(row))
        terms = terms[: len(terms) - dropped]
        formula = attention_derivative(i, j)
        known = {invariant: dict(coefficient.terms) for invariant, coefficient in formula.terms}
        if known != {Invariant(name): coefficient for name, coefficient in terms}:
            return Fails(f"the formula of ({i}, {j}) has other coefficients than the table")
        positive = decisive or _DECISIVE[i, j]
        if not all(c > 0 for c in dict(terms).get(positive, {0: 0}).values()):
            return Fails(f"the coefficient of {positive} in ({i}, {j}) is not positive")
        scale = factorial(i) * factorial(j) if derivatives else 1
        values = {
            "table": Rational(
                sum(
                    multiplied_out(name, x, y) * c * len(x) ** (6 + power)
                    for name, coefficient in terms
                    for power, c in coefficient.items()
                ),
                len(x) ** 6,
            ),
            "formula": formula.evaluate(x, y),
            "series": series.get((i, j), 0) * scale,
            "Wick sum": wick.get((i, j), 0) * scale,
        }
        if len(set(values.values())) > 1:
            return Fails(f"({i}, {j}): {', '.join(f'{k} {v}' for k, v in values.items())}")
    for i, j in _OTHERS:
        value = attention_derivative(i, j).evaluate(x, y)
        if value != wick.get((i, j), 0) * factorial(i) * factorial(j):
            return Fails(f"the formula of ({i}, {j}) gives {value}")
    return True


# --- F.2 ------------------------------------------------------------------------------------------
# The colours, as far as they can be told from the number of bullets and the proofs that use them.
_PINK = ("a", "p1", "p2", "q1", "q2", "q3", "t1", "t2")
_ORANGE = ("t", "o1", "o2", "o3", "h")


def _common(x: str, y: str) -> set[str]:
    """The least S. A larger one that satisfies a hypothesis has no more of the tokens of x, y."""
    return set(x) & set(y)


def _restricted(x: str, tokens: set[str]) -> Rows:
    """X_S: the columns outside of S are zero."""
    return tuple(token if token in tokens else None for token in x)


def _same_sums(x: str, y: str) -> bool:
    return all(x.count(s) == y.count(s) for s in _common(x, y))


def _same_places(x: str, y: str) -> bool:
    return _restricted(x, _common(x, y)) == _restricted(y, _common(x, y))


def _same_norm(x: str, y: str) -> bool:
    return sum(n * n for n in Counter(x).values()) == sum(n * n for n in Counter(y).values())


def _same_degrees(x: str, y: str) -> bool:
    return all(x.count(s) == y.count(t) for s, t in zip(x, y, strict=True))


def _where(hypothesis: Callable[..., bool]) -> Callable[[Any], bool]:
    return record(is_string, is_string, where=lambda x, y: len(x) == len(y) and hypothesis(x, y))


def _satisfying(hypothesis: Callable[..., bool]) -> Callable[..., Iterator[Pair]]:
    """All pairs with the hypothesis, CLS last: letters of x alone, of y alone and of both."""

    def cases(max_length: int = 3) -> Iterator[Pair]:
        for length in range(1, max_length + 1):
            for x in product("abd", repeat=length):
                for y in product("abc", repeat=length):
                    case = "".join((*x, "*")), "".join((*y, "*"))
                    if hypothesis(*case):
                        yield case

    return cases


def _rearranged(st: Any) -> Any:
    """Pairs with equal numbers of each common token, up to 7 letters."""

    def second(x: str) -> Any:
        own = st.text("cf", min_size=x.count("d"), max_size=x.count("d"))
        letters = own.map(lambda new: [*x.replace("d", ""), *new])
        return letters.flatmap(st.permutations).map("".join)

    words = _texts(st, "abd", 6)
    return words.flatmap(lambda x: st.tuples(st.just(x + "*"), second(x).map("{}*".format)))


def _replaced(st: Any) -> Any:
    """Pairs that differ where x has d or f only, up to 7 letters."""
    letters = [("a", "a"), ("b", "b"), ("d", "c"), ("d", "e"), ("f", "c"), ("f", "e")]
    words = st.lists(st.sampled_from(letters), min_size=1, max_size=6)
    return words.map(lambda pairs: tuple("".join(side) + "*" for side in zip(*pairs, strict=True)))


def _renamed(st: Any) -> Any:
    """x and a renamed rearrangement of it: the same numbers of occurrences."""
    words = _texts(st, "abd", 6)
    return words.flatmap(
        lambda x: st.tuples(
            st.just(x + "*"),
            st.permutations(x).map(
                lambda y: "".join(y).translate(str.maketrans("abd", "bcd")) + "*"
            ),
        )
    )


def _renamed_in_place(st: Any) -> Any:
    """x and itself renamed."""
    names = st.permutations("abcd").map("".join)
    return st.tuples(_texts(st, "abd", 6), names).map(
        lambda case: (case[0] + "*", case[0].translate(str.maketrans("abcd", case[1])) + "*")
    )


def _of_one_alone(case: Pair, names: Iterable[str], *, restricted: bool) -> bool | Fails:
    """Whether each term is a function of X alone and one of Y alone.

    The functions are those that come of putting the one string, or its part in S, for the other.
    """
    x, y = case
    at_most(len(x), 30, "letters of a string")
    tokens = _common(x, y) if restricted else {*x, *y}
    for name in names:
        value = Invariant(name).evaluate(x, y)
        if value != multiplied_out(name, x, y):
            return Fails(f"{name} is {multiplied_out(name, x, y)}, not {value}")
        of_x = multiplied_out(name, x, _restricted(x, tokens))
        of_y = multiplied_out(name, _restricted(y, tokens), y)
        if not value == of_x == of_y:
            return Fails(f"{name} is {value}; from X alone {of_x}, from Y alone {of_y}")
    return True


# x, y, another x and another y.
Strings = tuple[str, str, str, str]


def _exchanges(max_length: int = 2) -> Iterator[Strings]:
    for length in range(1, max_length + 1):
        for x in product("ab", repeat=length):
            swapped = "".join((*reversed(x), "*"))
            yield "".join((*x, "*")), "".join((*x, "*")), swapped, swapped


def _four_permutations(st: Any) -> Any:
    def arranged(x: str) -> Any:
        return st.permutations(x).map(lambda y: "".join(y) + "*")

    return _texts(st, "ab", 4).flatmap(lambda x: st.tuples(*[arranged(x)] * 4))


def _exchangeable(x: str, y: str, other_x: str, other_y: str) -> bool:
    """The hypothesis of F.2.1 for (x, y), (x, other y) and (other x, y), with one set S."""
    pairs = [(x, y), (x, other_y), (other_x, y)]
    return (
        len(set(map(len, (x, y, other_x, other_y)))) == 1
        and all(_common(*pair) == _common(x, y) for pair in pairs)
        and all(_same_sums(*pair) for pair in pairs)
    )


@claim(
    "boix2024.section-F.2.1",
    source="Appendix F.2.1: 'any of the pink terms can be written as a function of only X or only "
    "Y'; which terms are pink is told from the eight bullets and their use, not from a colour",
    wording="our reading",
    category="claim",
    cases=_exchanges,
    boundary=("ab*", "ab*", "ba*", "ba*"),
    strategy=drawn(_four_permutations),
    applies=record(*[is_string] * 4, where=_exchangeable),
    expected="fails",
    repaired_by="boix2024.section-F.2.1-repaired",
    near_misses=[
        NearMiss("t_1 alone", ("abc*", "abc*", "bca*", "bca*"), {"names": ("t1",)}),
        NearMiss("t_2 alone", ("abc*", "abc*", "bca*", "bca*"), {"names": ("t2",)}),
    ],
    controls=[
        Control("nothing moves", ("aa*", "aa*", "aa*", "aa*")),
        Control("the other six", ("ab*", "ab*", "ba*", "ba*"), {"names": _PINK[:6]}),
        Control("another y alone", ("ab*", "ab*", "ab*", "ba*")),
    ],
)
def section_f21(case: Strings, names: Iterable[str] = _PINK) -> bool | Fails:
    r"""Let $S$ contain the tokens that $X$ and $Y$ share. If $1^\top X_{:,S} = 1^\top Y_{:,S}$,
    each of $a, p_1, p_2, q_1, q_2, q_3, t_1, t_2$ can be written as a function of only $X$ or only
    $Y$.

    A case is $X$, $Y$, another $X$ and another $Y$: a term that changes with each of them while
    the other stays is a function of neither alone. Refuted for $t_1 = \mathrm{tr}(XX^\top XY^\top)$
    and $t_2$, if they are among the pink terms.
    """
    x, y, other_x, other_y = case
    at_most(len(x), 30, "letters of a string")
    for name in names:
        pairs = [(x, y), (x, other_y), (other_x, y)]
        values = [Invariant(name).evaluate(*pair) for pair in pairs]
        if values != [multiplied_out(name, *pair) for pair in pairs]:
            raise AssertionError(f"{name} is not its product of matrices")
        if values[0] not in values[1:]:
            return Fails(
                f"{name} is {values[0]}, with another Y {values[1]}, with another X {values[2]}"
            )
    return True


@claim(
    "boix2024.section-F.2.1-repaired",
    source="Appendix F.2.1 for six of its terms; t_1 and t_2 under the hypothesis of F.2.2",
    wording="our reading",
    category="claim",
    cases=_satisfying(_same_sums),
    boundary=("ab*", "ba*"),
    strategy=drawn(_rearranged),
    applies=_where(_same_sums),
    near_misses=[
        NearMiss("another number of a common token", ("ab*", "aa*")),
        NearMiss("t_1 without equal places", ("ab*", "ba*"), {"names": ("t1",)}),
    ],
)
def section_f21_repaired(case: Pair, names: Iterable[str] | None = None) -> bool | Fails:
    r"""Let $S$ contain the tokens that $X$ and $Y$ share. If $1^\top X_{:,S} = 1^\top Y_{:,S}$,
    each of $a, p_1, p_2, q_1, q_2, q_3$ is a function of $X$ alone, and one of $Y$ alone: it does
    not change when $X_S$ is put for $Y$, or $Y_S$ for $X$. If even $X_{:,S} = Y_{:,S}$, so are
    $t_1$ and $t_2$ (the paper uses them only then).
    """
    return _of_one_alone(
        case, names or (_PINK if _same_places(*case) else _PINK[:6]), restricted=True
    )


@claim(
    "boix2024.section-F.2.2",
    source="Appendix F.2.2: the five orange terms (which they are is told from their use)",
    wording="our reading",
    category="claim",
    cases=_satisfying(_same_places),
    boundary=("ad*", "ac*"),
    strategy=drawn(_replaced),
    applies=_where(_same_places),
    near_misses=[NearMiss("equal column sums alone, as in F.2.1", ("ab*", "ba*"))],
)
def section_f22(case: Pair) -> bool | Fails:
    r"""Let $S$ contain the tokens that $X$ and $Y$ share. If $X_{:,S} = Y_{:,S}$, each of $t, o_1,
    o_2, o_3, h$ can be written as a function of only $X$ or only $Y$.
    """
    return _of_one_alone(case, _ORANGE, restricted=True)


@claim(
    "boix2024.section-F.2.3",
    source="Appendix F.2.3: the two blue terms (which they are is told from their use)",
    wording="our reading",
    category="claim",
    cases=_satisfying(_same_norm),
    boundary=("aab*", "abb*"),
    strategy=drawn(_renamed),
    applies=_where(_same_norm),
    near_misses=[NearMiss("another norm of the histogram", ("aab*", "abc*"))],
)
def section_f23(case: Pair) -> bool | Fails:
    r"""If $1^\top XX^\top 1 = 1^\top YY^\top 1$, each of $x$ and $y$ can be written as a function
    of only $X$ and of only $Y$, and so can their product.
    """
    return _of_one_alone(case, ("x", "y", "x*y"), restricted=False)


@claim(
    "boix2024.section-F.2.4",
    source="Appendix F.2.4: the teal term (which it is is told from its use)",
    wording="our reading",
    category="claim",
    cases=_satisfying(_same_degrees),
    boundary=("aab*", "bba*"),
    strategy=drawn(_renamed_in_place),
    applies=_where(_same_degrees),
    near_misses=[NearMiss("equal norms alone, as in F.2.3", ("aab*", "abb*"))],
)
def section_f24(case: Pair) -> bool | Fails:
    r"""If $1^\top XX^\top = 1^\top YY^\top$, the term $w = 1^\top XX^\top YY^\top 1$ can be written
    as a function of only $X$ or only $Y$.
    """
    return _of_one_alone(case, ("w",), restricted=False)
