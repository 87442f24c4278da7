"""Sections 3 and 4: templates and matching, disjointness, the diversity of the data."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product
from math import inf
from typing import Any

from symbench.errors import BadValue, SymbenchError, TooLarge, Undecided
from symbench.papers._cases import at_most, drawn, integer, many, number, record
from symbench.papers._templates import every, is_string, is_template_text
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Substitution, Task, Template, all_templates, common_string
from symbench.words.letters import is_wildcard_name

_SYMBOLS = "QRST"


# --- Definition 3.1 -----------------------------------------------------------------------------
def matches(template: str, string: str, *, injective: bool = True, new: bool = True) -> bool:
    """Definition 3.1 word by word: does a substitution map exist? Over the tokens of the string.

    >>> matches("ααβST", "QQRST"), matches("ααβST", "QQQST"), matches("ααβST", "QQSST")
    (True, False, False)
    """
    wildcards = sorted(filter(is_wildcard_name, set(template)))
    for image in product(sorted(set(string)), repeat=len(wildcards)):
        if injective and len(set(image)) < len(image):
            continue
        if new and set(image) & set(template):
            continue
        s = dict(zip(wildcards, image, strict=True))
        if [s.get(letter, letter) for letter in template] == list(string):
            return True
    return False


def _examples(length: int = 3) -> Iterator[tuple[str, str]]:
    """The paper's three strings, and all strings of a length against all templates of it."""
    for string in ("QQRST", "QQQST", "QQSST"):
        yield "ααβST", string
    for z in all_templates(length, tokens="ST"):
        for letters in product(_SYMBOLS, repeat=length):
            yield str(z), "".join(letters)


def _drawn_pair(st: Any) -> Any:
    from symbench.strategies import templates

    return templates(max_length=6, tokens="ST").flatmap(
        lambda z: st.tuples(st.just(str(z)), st.text("QRST", min_size=len(z), max_size=len(z)))
    )


@claim(
    "boix2024.definition-3.1",
    formerly=["boix2024.def-3.1-example"],
    source="Definition 3.1 and its example",
    wording="quoted",
    category="definition",
    cases=_examples,
    boundary=("ααβST", "QQSST"),
    strategy=drawn(_drawn_pair),
    applies=record(is_template_text, is_string),
    proof="proofs/boix2024/definition-3.1.md",
    near_misses=[
        NearMiss("maps need not be injective", ("ααβST", "QQQST"), {"injective": False}),
        NearMiss("maps may use the template's tokens", ("ααβST", "QQSST"), {"new": False}),
    ],
)
def definition_3_1(case: tuple[str, str], **variant: bool) -> bool | Fails:
    r"""The string $x$ matches the template $z$ if $x = \mathrm{sub}(z, s)$ for some substitution
    map $s$ (an injective function) and also $s(\mathcal{W}) \cap \{z_i\} = \emptyset$, i.e., the
    substituted tokens did not already appear in the template $z$. The template ααβST matches the
    string QQRST, but not QQQST (because the substitution map is not injective) and not QQSST
    (because β is replaced by S which is already in the template).
    """
    template, string = case
    at_most(len(set(string)) ** len(set(template)), 10**6, "maps")
    z = Template(template)
    answer, slow = z.explain(string), matches(template, string, **variant)
    printed = {"QQRST": True, "QQQST": False, "QQSST": False}
    if template == "ααβST" and printed.get(string, slow) != slow:
        return Fails(f"the paper says {printed[string]} for {string}")
    if not z.matches(string) == bool(answer) == slow:
        return Fails(f"matches() says {z.matches(string)}, the definition {slow}")
    if answer.substitution is not None and str(z.substitute(answer.substitution)) != string:
        return Fails(f"{answer.substitution} does not make {string} of {z}")
    return True


# --- Definition 4.1 -----------------------------------------------------------------------------
def _template_pairs(max_length: int, tokens: str) -> Iterator[tuple[str, str]]:
    for length in range(1, max_length + 1):
        for z, w in combinations_with_replacement(every(length, tokens), 2):
            yield str(z), str(w)


def _tokens(*templates: str) -> list[str]:
    return sorted({a for z in templates for a in z if not is_wildcard_name(a)})


def _shared(z: str, w: str, size: int) -> str | None:
    """A string over so many tokens, those of both templates among them, that matches both."""
    alphabet = "".join([*_tokens(z, w), *(chr(ord("a") + n) for n in range(size))][:size])
    return min(strings_of(z, alphabet) & strings_of(w, alphabet), default=None)


@lru_cache(maxsize=1 << 10)
def strings_of(template: str, alphabet: str) -> frozenset[str]:
    """All strings over an alphabet that match a template: every map of Definition 3.1 is put in.

    >>> sorted(strings_of("ααA", "ABC"))
    ['BBA', 'CCA']
    """
    if not {*_tokens(template)} <= {*alphabet}:
        return frozenset()
    wildcards = sorted(filter(is_wildcard_name, set(template)))
    at_most(len(alphabet) ** len(wildcards), 10**5, "maps")
    images = permutations([t for t in alphabet if t not in template], len(wildcards))
    maps = (dict(zip(wildcards, image, strict=True)) for image in images)
    return frozenset("".join(s.get(a, a) for a in template) for s in maps)


def _renamed(z: str, w: str) -> bool:
    """Whether a one-to-one renaming of wildcards turns z into w."""
    names = [sorted(filter(is_wildcard_name, set(text))) for text in (z, w)]
    if len(names[0]) != len(names[1]):
        return False
    maps = (dict(zip(names[0], image, strict=True)) for image in permutations(names[1]))
    return any("".join(r.get(a, a) for a in z) == w for r in maps)


def _drawn_templates(st: Any) -> Any:
    from symbench.strategies import templates

    return st.integers(1, 5).flatmap(
        lambda n: st.tuples(*[templates(min_length=n, max_length=n, tokens="AB").map(str)] * 2)
    )


@claim(
    "boix2024.definition-4.1",
    formerly=["boix2024.disjoint-vs-inequivalent"],
    source="Definition 4.1; that the proof of Lemma 4.7 needs inequivalence only is our remark",
    wording="our reading",
    category="definition",
    cases=lambda max_length=3: (
        *_template_pairs(max_length, "AB"),
        *((str(z), w) for z in every(3, "A") for w in ("βαβ", "βγα", "γAβ")),
    ),
    boundary=("α", "α"),
    strategy=drawn(_drawn_templates),
    applies=record(is_template_text, is_template_text, where=lambda z, w: len(z) == len(w)),
    proof="proofs/boix2024/disjoint-inequivalent-distinct.md",
    near_misses=[
        NearMiss("inequivalent implies disjoint", ("αA", "αβ"), {"implies": "disjoint"}),
        NearMiss("distinct implies inequivalent", ("αβ", "βα"), {"implies": "inequivalent"}),
        NearMiss("a token of another letter is the same token", ("αA", "αB"), {"tokens": False}),
    ],
)
def definition_4_1(
    case: tuple[str, str], implies: str | None = None, tokens: bool = True
) -> bool | Fails:
    r"""Two templates are disjoint if no string $x \in \mathcal{X}^k$ matches both. Over enough
    tokens disjoint templates are inequivalent (not equal up to renaming wildcards), and
    inequivalent ones are distinct; neither arrow can be turned round.

    Disjointness is compared with all strings over as many tokens as the two have letters, and
    equivalence with all renamings.
    """
    z, w = map(Template, case)
    disjoint, equivalent = z.is_disjoint(w), z.is_equivalent(w)
    one, two = case if tokens else (text.replace("B", "A") for text in case)
    shared = _shared(one, two, len({*one, *two}))
    if disjoint != (shared is None):
        return Fails(f"is_disjoint says {disjoint}; a string that matches both: {shared}")
    if equivalent != _renamed(one, two) or equivalent != w.is_equivalent(z):
        return Fails(f"is_equivalent says {equivalent}, and not so the renamings of wildcards")
    found = common_string(z, w)
    if found is not None and not (matches(one, str(found)) and matches(two, str(found))):
        return Fails(f"{found} does not match both")
    if disjoint and equivalent:
        return Fails(f"{z} and {w} are disjoint and equivalent")
    if implies == "disjoint" and not equivalent and not disjoint:
        return Fails(f"{found} matches both, and they are inequivalent")
    if implies == "inequivalent" and z != w and equivalent:
        return Fails(f"{z} and {w} are distinct and equivalent")
    return equivalent or z != w or Fails(f"{z} and {w} are inequivalent and equal")


# --- alphabet size ------------------------------------------------------------------------------
def _sized_pairs(max_length: int = 3) -> Iterator[tuple[str, str, int]]:
    for z, w in _template_pairs(max_length, "A"):
        for extra in range(2):
            yield z, w, _room(z, w) + extra


def _room(z: str, w: str) -> int:
    """The number of regular tokens of both, and of the wildcards of either."""
    return len(_tokens(z, w)) + max(len({*text} - {*_tokens(text)}) for text in (z, w))


def _drawn_sizes(st: Any) -> Any:
    return _drawn_templates(st).flatmap(
        lambda case: st.tuples(
            *map(st.just, case), st.integers(_room(*case), _room(*case) + 2)
        )
    )  # fmt: skip


@claim(
    "boix2024.alphabet-size",
    source="Definition 4.1 over a finite alphabet (the paper leaves its size open)",
    wording="our reading",
    category="remark",
    cases=_sized_pairs,
    boundary=("αβ", "αβ", 2),
    strategy=drawn(_drawn_sizes),
    applies=record(
        is_template_text,
        is_template_text,
        integer(1),
        where=lambda z, w, m: len(z) == len(w) and m >= _room(z, w),
    ),
    near_misses=[
        NearMiss("fewer tokens than wildcards: vacuously disjoint", ("αβ", "βα", 1)),
        NearMiss("the regular tokens leave too few for the wildcards", ("αβA", "βαA", 2)),
    ],
)
def alphabet_size(case: tuple[str, str, int]) -> bool | Fails:
    r"""For $m \ge |\mathcal{R}| + |\mathcal{W}|$ tokens ($\mathcal{R}$ the regular tokens of both
    templates, $\mathcal{W}$ the wildcards of either) disjointness over the alphabet is disjointness
    over an unbounded one. With fewer, no substitution map may exist, and everything is disjoint.

    Over this alphabet and all smaller ones it is compared with all strings, and over an unbounded
    one with all strings over as many tokens as the two templates have letters.
    """
    one, two, size = case
    z, w = Template(one), Template(two)
    finite, unbounded = z.is_disjoint(w, alphabet=size), z.is_disjoint(w)
    for m in range(max(1, len(_tokens(one, two))), size + 1):
        found, disjoint = common_string(z, w, alphabet=m), z.is_disjoint(w, alphabet=m)
        if disjoint != (_shared(one, two, m) is None):
            return Fails(f"disjoint over {m} tokens: {disjoint}, and not so by its strings")
        if found is not None and not (matches(one, str(found)) and matches(two, str(found))):
            return Fails(f"{found} does not match both")
    if unbounded != (_shared(one, two, len({*one, *two})) is None):
        return Fails(f"disjoint: {unbounded}, and not so by the strings")
    if finite == unbounded:
        return True
    return Fails(f"disjoint over {size} tokens: {finite}; over unboundedly many: {unbounded}")


# --- Definition 4.2 -----------------------------------------------------------------------------
# Templates, and a law of maps: the number of tokens of an alphabet (uniform), or the tokens that
# are put for α and β, with their probability.
DiversityCase = tuple[tuple[str, ...], Any]


def _diversity_cases(max_size: int = 5) -> Iterator[DiversityCase]:
    for texts in (("αα", "αβ"), ("αβα", "αββ"), ("αβγ", "ααα"), ("αα", "αS"), ("αβST", "ααST")):
        for size in range(3, max_size + 1):
            if all(len({*t}) <= size for t in texts):
                yield texts, size
    skew = (("PQ", Fraction(1, 3)), ("QP", Fraction(1, 2)), ("PR", Fraction(1, 6)))
    yield ("αβ", "αα"), skew
    yield ("ααS", "βTT"), skew
    for images in combinations(["".join(p) for p in permutations("PQRS", 2)], 3):
        weights = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
        yield ("αβ",), tuple(zip(images, weights, strict=True))


def task_of(case: DiversityCase) -> Task:
    """The task of these templates and this law; uniform maps use the templates' tokens too."""
    texts, law = case
    if isinstance(law, int):
        own = _tokens(*texts)
        if law > 100:
            raise TooLarge(f"{law:,} tokens are more than the 100 that are gone through")
        if law < len(own):
            raise BadValue(f"{law} tokens, and the templates have {len(own)}")
        new = [chr(0x100 + n) for n in range(law)]
        law = [*own, *new][:law]
    else:
        law = [(Substitution(dict(zip("αβ", image, strict=True))), p) for image, p in law]
    return Task(list(map(Template, texts)), substitution=law, wildcards="")


def maps_of(text: str, case: DiversityCase) -> list[tuple[dict[str, str], Fraction]]:
    """All substitution maps of a template with their probabilities, listed from the definition."""
    wildcards = sorted(filter(is_wildcard_name, set(text)))
    if not isinstance(case[1], int):
        return [(dict(zip("αβ", image, strict=True)), p) for image, p in case[1]]
    own = _tokens(*case[0])
    alphabet = [*own, *(chr(0x100 + n) for n in range(case[1]))][: case[1]]
    at_most(len(alphabet) ** len(wildcards), 10**5, "maps")
    images = [i for i in permutations(alphabet, len(wildcards)) if not {*i} & {*text}]
    return [(dict(zip(wildcards, i, strict=True)), Fraction(1, len(images))) for i in images]


def _rho(case: DiversityCase, every_wildcard: bool) -> Any:
    """Definition 4.2 from the list of all maps: tokens are counted one by one."""
    least: Any = inf
    for text in case[0]:
        chance: dict[str, Fraction] = {}
        for s, p in maps_of(text, case):
            for token in {t for name, t in s.items() if every_wildcard or name in text}:
                chance[token] = chance.get(token, Fraction(0)) + p
        least = min([least, *(1 / p for p in chance.values())])
    return least


# The images of α and β with their probabilities.
_LAWS = many(record(is_string, number(0), where=lambda image, _: len(image) == 2))


def is_task(texts: tuple[str, ...], law: Any) -> bool:
    """Whether templates and law make a task; a large law may."""
    try:
        task_of((texts, law))
    except TooLarge:
        return True
    except SymbenchError:
        return False
    return True


def _has_wildcards(texts: tuple[str, ...], law: Any) -> bool:
    return any(map(is_wildcard_name, "".join(texts))) and is_task(texts, law)


def is_law(law: Any) -> bool:
    """Whether this is a number of tokens, or images of α and β with their probabilities."""
    return integer(1)(law) or _LAWS(law)


def _drawn_diversity(st: Any) -> Any:
    from symbench.strategies import templates

    texts = st.integers(1, 4).flatmap(
        lambda n: templates(min_length=n, max_length=n, tokens="S").map(str)
    )
    return st.tuples(st.tuples(texts), st.integers(3, 6)).filter(
        lambda case: _has_wildcards(*case)
    )  # fmt: skip


@claim(
    "boix2024.definition-4.2",
    formerly=["boix2024.diversity-bound"],
    source="Definition 4.2 (the formula is not in our text of the paper); the bound is immediate",
    wording="reconstructed",
    category="definition",
    cases=_diversity_cases,
    boundary=(("αα", "αβ"), 3),
    strategy=drawn(_drawn_diversity),
    applies=record(many(is_template_text), is_law, where=_has_wildcards),
    near_misses=[
        NearMiss("no wildcards: rho is infinite", (("SS", "ST"), 4)),
        NearMiss(
            "W counts names that no one template has together",
            (("αα", "βS"), 4),
            {"together": True},
        ),
        NearMiss(
            "tokens put for wildcards that are not in the template count",
            (("αα",), (("PQ", Fraction(1, 2)), ("QP", Fraction(1, 4)), ("PR", Fraction(1, 4)))),
            {"every_wildcard": True},
        ),
    ],
)
def definition_4_2(
    case: DiversityCase, together: bool = False, every_wildcard: bool = False
) -> bool | Fails:
    r"""The data diversity is measured by $\rho = \min_z \min_t 1 / \Pr_{s}[t \in s(\mathcal{W})]$,
    over the templates $z$ and the tokens $t$. So $\rho \le m / |\mathcal{W}|$ for $m$ tokens and
    $|\mathcal{W}|$ the number of wildcards of any one template: the probabilities of the tokens
    add up to $|\mathcal{W}|$, and one of them is at least $|\mathcal{W}| / m$.

    The library's rho is compared with the list of all maps.
    """
    try:
        rho = task_of(case).diversity()
    except TooLarge as error:
        raise Undecided(str(error)) from None
    listed = _rho(case, every_wildcard)
    if rho != listed:
        return Fails(f"diversity() says {rho}, the list of all maps {listed}")
    if rho == inf:
        return Fails("rho is infinite")
    texts, law = case
    names = [{*filter(is_wildcard_name, text)} for text in texts]
    most = len(set.union(*names)) if together else max(map(len, names))
    size = law if isinstance(law, int) else len({token for image, _ in law for token in image})
    return rho * most <= size or Fails(f"rho = {rho} > {size} / {most}")
