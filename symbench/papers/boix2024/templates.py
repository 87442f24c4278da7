"""Sections 3 and 4.1: templates, matching, disjointness, diversity; the tasks' counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Any

from symbench.certificates import Certificate
from symbench.certifying import certify
from symbench.errors import SymbenchError, TooLarge, Undecided
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._templates import every, is_string, is_template_text
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Substitution, Task, Template, all_templates, common_string, tasks

# --- Definition 3.1 -----------------------------------------------------------------------------
_SYMBOLS = "QRST"


def _matches(template: str, string: str, *, injective: bool = True, new: bool = True) -> bool:
    """Definition 3.1 word by word: does a substitution map exist? Over the tokens of the string."""
    z = Template(template)
    for image in product(sorted(set(string)), repeat=len(z.wildcards)):
        if injective and len(set(image)) < len(image):
            continue
        if new and set(image) & set(z.tokens):
            continue
        s = dict(zip(z.wildcards, image, strict=True))
        if tuple(s.get(a, a) for a in z.letters) == tuple(string):
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
    "boix2024.def-3.1-example",
    source="Definition 3.1 and its example",
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
    r"""A string $x$ matches a template $z$ iff $x = \mathrm{sub}(z, s)$ for an injective $s$ with
    $s(\mathcal{W}) \cap \{z_i\} = \emptyset$. So ααβST matches QQRST, not QQQST ($s$ is not
    injective) and not QQSST (β ↦ S, which stands in the template).
    """
    template, string = case
    at_most(len(set(string)) ** len(Template(template).wildcards), 10**6, "maps")
    fast, slow = Template(template).matches(string), _matches(template, string, **variant)
    printed = {"QQRST": True, "QQQST": False, "QQSST": False}
    if template == "ααβST" and printed.get(string, slow) != slow:
        return Fails(f"the paper says {printed[string]} for {string}")
    return fast == slow or Fails(f"matches() says {fast}, the definition {slow}")


# --- Definition 4.1 -----------------------------------------------------------------------------
def _template_pairs(max_length: int, tokens: str) -> Iterator[tuple[Template, Template]]:
    for length in range(1, max_length + 1):
        yield from combinations_with_replacement(every(length, tokens), 2)


def _inequivalent_then_disjoint(case: tuple[str, str]) -> bool | Fails:
    z, w = map(Template, case)
    if z.is_equivalent(w) or z.is_disjoint(w):
        return True
    return Fails(f"{common_string(z, w)} matches both, and they are inequivalent")


def _distinct_then_inequivalent(case: tuple[str, str]) -> bool | Fails:
    z, w = map(Template, case)
    return z == w or not z.is_equivalent(w) or Fails(f"{z} and {w} are distinct and equivalent")


def _drawn_templates(st: Any) -> Any:
    from symbench.strategies import templates

    return st.integers(1, 6).flatmap(
        lambda n: st.tuples(*[templates(min_length=n, max_length=n, tokens="AB").map(str)] * 2)
    )


@claim(
    "boix2024.disjoint-vs-inequivalent",
    source="Definition 4.1 and the proof of Lemma 4.7, which needs inequivalence only",
    category="definition",
    cases=lambda max_length=3: (tuple(map(str, z)) for z in _template_pairs(max_length, "AB")),
    boundary=("α", "α"),
    strategy=drawn(_drawn_templates),
    applies=record(is_template_text, is_template_text, where=lambda z, w: len(z) == len(w)),
    proof="proofs/boix2024/disjoint-inequivalent-distinct.md",
    near_misses=[
        NearMiss("inequivalent implies disjoint", ("αA", "αβ"), _inequivalent_then_disjoint),
        NearMiss("distinct implies inequivalent", ("αβ", "βα"), _distinct_then_inequivalent),
    ],
)
def disjoint_vs_inequivalent(case: tuple[str, str]) -> bool | Fails:
    r"""Disjoint templates (no string matches both) are inequivalent (not equal up to renaming
    wildcards), and inequivalent ones are distinct; neither arrow can be turned round.
    """
    z, w = map(Template, case)
    if z.is_disjoint(w) and z.is_equivalent(w):
        return Fails(f"{z} and {w} are disjoint and equivalent")
    if not z.is_equivalent(w) and z == w:
        return Fails(f"{z} and {w} are inequivalent and equal")
    return True


# --- alphabet size ------------------------------------------------------------------------------
def _sized_pairs(max_length: int = 3) -> Iterator[tuple[str, str, int]]:
    for z, w in _template_pairs(max_length, "A"):
        for extra in range(3):
            yield str(z), str(w), _room(z, w) + extra


def _room(z: Template, w: Template) -> int:
    """The number of regular tokens of both, and of the wildcards of either."""
    return len({*z.tokens, *w.tokens}) + max(len(z.wildcards), len(w.wildcards))


@claim(
    "boix2024.alphabet-size",
    source="Definition 4.1 over a finite alphabet (the paper leaves its size open)",
    category="remark",
    cases=_sized_pairs,
    boundary=("αβ", "αβ", 2),
    applies=record(
        is_template_text,
        is_template_text,
        integer(1),
        where=lambda z, w, m: len(z) == len(w) and m >= _room(Template(z), Template(w)),
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
    """
    z, w, size = Template(case[0]), Template(case[1]), case[2]
    finite, unbounded = z.is_disjoint(w, alphabet=size), z.is_disjoint(w)
    if finite == unbounded:
        return True
    return Fails(f"disjoint over {size} tokens: {finite}; over unboundedly many: {unbounded}")


# --- Definition 4.2 -----------------------------------------------------------------------------
# Templates, and an explicit law: maps with weights, or just the size of an alphabet.
DiversityCase = tuple[tuple[str, ...], Any]


def _diversity_cases(max_size: int = 6) -> Iterator[DiversityCase]:
    for texts in (("αα", "αβ"), ("αβα", "αββ"), ("αβγ", "ααα"), ("αα", "αS"), ("αβST", "ααST")):
        for size in range(3, max_size + 1):
            if all(len({*t}) <= size for t in texts):
                yield texts, size
    skew = (("PQ", Fraction(1, 3)), ("QP", Fraction(1, 2)), ("PR", Fraction(1, 6)))
    yield ("αβ", "αα"), skew
    for images in combinations(["".join(p) for p in permutations("PQRS", 2)], 3):
        weights = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
        yield ("αβ",), tuple(zip(images, weights, strict=True))


@lru_cache(maxsize=16)  # asked for the hypotheses, and for the bound
def _diversity(case: DiversityCase) -> tuple[Task, Any, int]:
    """(task, rho, number of tokens m of the alphabet)."""
    texts, law = case
    chosen, size = law, law
    if not isinstance(law, int):
        chosen = [(Substitution(dict(zip("αβ", image, strict=True))), p) for image, p in law]
        size = len({token for image, _ in law for token in image})
    task = Task(list(map(Template, texts)), substitution=chosen)
    return task, task.diversity(), size


# The images of α and β with their probabilities.
_LAWS = many(record(is_string, number(0), where=lambda image, _: len(image) == 2))


def _is_task_with_wildcards(texts: tuple[str, ...], law: Any) -> bool:
    """Whether there are wildcards, and templates and law make a task; a large law may."""
    if not any(Template(text).wildcards for text in texts):
        return False
    try:
        _diversity((texts, law))
    except TooLarge:
        return True
    except SymbenchError:
        return False
    return True


@claim(
    "boix2024.diversity-bound",
    source="Definition 4.2 (wording reconstructed); the bound is immediate",
    category="definition",
    cases=_diversity_cases,
    boundary=(("αα", "αβ"), 3),
    applies=record(
        many(is_template_text),
        lambda law: integer(1)(law) or _LAWS(law),
        where=_is_task_with_wildcards,
    ),
    near_misses=[
        NearMiss("no wildcards", (("SS", "ST"), 4)),
        NearMiss(
            "W counts names that no one template has together",
            (("αα", "βS"), 4),
            {"together": True},
        ),
    ],
)
def diversity_bound(case: DiversityCase, together: bool = False) -> bool | Fails:
    r"""$\rho = \min_z \min_t 1 / \Pr_{s}[t \in s(\mathcal{W})] \le m / |\mathcal{W}|$, for $m$
    tokens and $|\mathcal{W}|$ the number of wildcards of any one template $z$: the probabilities of
    the $m$ tokens add up to $|\mathcal{W}|$, so one of them is at least $|\mathcal{W}| / m$.
    """
    try:
        task, rho, size = _diversity(case)
    except TooLarge as error:
        raise Undecided(str(error)) from None
    names = [set(z.wildcards) for z in task.templates]
    most = len(set.union(*names)) if together else max(map(len, names))
    if most == 0:
        return Fails("no wildcards: rho is infinite, and m / 0 bounds nothing")
    return rho <= Fraction(size, most) or Fails(f"rho = {rho} > {size} / {most}")


# --- counts -------------------------------------------------------------------------------------
_COUNTS = [
    ("distribution_of_three", 144, 36),
    ("relational_match_to_sample", 40, 20),
    ("raven", 37, 0),
]


@claim(
    "boix2024.counts",
    source="The psychometric tasks: 144, 40 and 37 templates",
    category="count",
    cases=_COUNTS,
    boundary=("raven", 37, 0),
    applies=one_of(*_COUNTS),
    near_misses=[
        NearMiss("Raven: constant rows may coincide (41)", ("raven_41", 37, 0)),
        NearMiss("all patterns of three, not the permutations", ("majority_all_patterns", 6, 0)),
    ],
)
def counts(case: tuple[str, int, int]) -> Certificate | Fails:
    r"""Distribution of three has 144 templates (36 for each of 4 labels), relational match to
    sample 40 (20 for each of 2 labels) if no symbol is in two rows, one dimension of Raven's
    matrices 37 if constant rows are pairwise different; the templates of each task are pairwise
    inequivalent and disjoint.
    """
    name, number, per_label = case
    task = tasks.catalogue[name].task()
    if len(task) != number:
        return Fails(f"{name} has {len(task)} templates, not {number}")
    if len({z.canonical for z in task.templates}) != number:
        return Fails(f"templates of {name} are equivalent")
    if any(not z.is_disjoint(w) for z, w in combinations(task.templates, 2)):
        return Fails(f"templates of {name} are not disjoint")
    assert task.labels is not None
    if per_label and set(Counter(task.labels).values()) != {per_label}:
        return Fails(f"the labels of {name} are not evenly used")
    # It counts the templates that are not equivalent.
    return certify(template_matrix(task, attention()), question="rank")
