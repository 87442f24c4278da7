"""The tasks of the literature, built by name (`sb.tasks`).

Every function builds a `Task`; `catalogue` lists them with source, statement and the number of
templates they must have.

>>> print(tasks.same_different())
αα -> 1
αβ -> -1
>>> tasks.catalogue["distribution_of_three"].templates
144
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import permutations, product
from typing import Any

import attrs

from symbench._arguments import flag, integer, integers, randomness, shown
from symbench.draw.views import Shown, columns_text
from symbench.errors import BadValue, Undecided, UnknownName
from symbench.words.task import Task
from symbench.words.template import Template
from symbench.words.templates import Templates


def __getattr__(name: str) -> Any:
    """The error for a task that is not there."""
    near = get_close_matches(name, catalogue, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(catalogue)}"
    raise AttributeError(f"no task {name!r} in sb.tasks: {hint}", name=name)


@attrs.frozen
class Entry(Shown):
    """A line of the catalogue: a task with its source and the counts it must have.

    >>> entry = tasks.catalogue["raven"]
    >>> entry.templates, entry.length, entry.labels, entry.task() == tasks.raven()
    (37, 8, 'symbolic', True)
    """

    name: str
    source: str
    statement: str
    templates: int
    length: int
    labels: str
    task: Callable[[], Task] = attrs.field(repr=False, eq=False)  # builds the task anew

    def latex(self) -> str:
        r"""The task as LaTeX, for math mode.

        >>> print(tasks.catalogue["copy"].latex())
        \begin{array}{ll}
        \alpha & \mapsto \alpha
        \end{array}
        """
        return self.task().latex()


class Catalogue(Shown, Mapping[str, Entry]):
    """The tasks of the catalogue, by name.

    >>> "raven" in tasks.catalogue
    True
    >>> tasks.catalogue["ravens"]
    Traceback (most recent call last):
        ...
    symbench.errors.UnknownName: no task is named 'ravens': near: raven, raven_41
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._entries = {entry.name: entry for entry in entries}

    def __getitem__(self, name: str) -> Entry:
        known = name if isinstance(name, str) else ""
        if known not in self._entries:
            near = get_close_matches(known, self._entries, n=4, cutoff=0.5)
            hint = f"near: {', '.join(near)}" if near else f"there are: {', '.join(self._entries)}"
            raise UnknownName(f"no task is named {shown(name)}: {hint}")
        return self._entries[known]

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        rows = [["name", "templates", "length", "labels"]]
        rows += [[e.name, str(e.templates), str(e.length), e.labels] for e in self.values()]
        return columns_text(rows, right=(1, 2))


def _task(labelled: Iterable[tuple[Any, Any]]) -> Task:
    pairs = [(Template(letters), label) for letters, label in labelled]
    return Task([template for template, _ in pairs], labels=[label for _, label in pairs])


def same_different() -> Task:
    """Two symbols, the same or not.

    >>> print(same_different())
    αα -> 1
    αβ -> -1
    """
    return _task([("αα", 1), ("αβ", -1)])


def aba_abb() -> Task:
    """Three symbols, the third of which repeats the first or the second.

    >>> print(aba_abb())
    αβα -> 1
    αββ -> -1
    """
    return _task([("αβα", 1), ("αββ", -1)])


def aabb_abab() -> Task:
    """Two pairs, in blocks or alternating.

    >>> print(aabb_abab())
    ααββ -> 1
    αβαβ -> -1
    """
    return _task([("ααββ", 1), ("αβαβ", -1)])


def majority(length: int) -> Task:
    """Two symbols, the first of which occurs in more than half of the rest of the string or not.

    The templates are α followed by any α and β, 2^(length - 1) of them. A tie is a no: at length 3
    the rest of ααβ has one α of two, which is not more than half.

    >>> print(majority(3))
    ααα -> 1
    ααβ -> -1
    αβα -> -1
    αββ -> -1
    """
    length = integer(length, "the length", at_least=2, limit=17)
    rests = product("αβ", repeat=length - 1)
    return _task((("α", *r), 1 if 2 * r.count("α") > length - 1 else -1) for r in rests)


def majority_all_patterns(length: int) -> Task:
    """Any symbols, the first of which fills more than half of all positions or not.

    Its own position counts. The templates are all Bell(length) patterns.

    >>> print(majority_all_patterns(3))
    ααα -> 1
    ααβ -> 1
    αβα -> 1
    αββ -> -1
    αβγ -> -1
    """
    length = integer(length, "the length", at_least=1, limit=10)
    found = (template.letters for template in Templates(length))
    return _task((letters, 1 if 2 * letters.count("α") > length else -1) for letters in found)


def symbolic_majority(length: int) -> Task:
    """Two symbols, odd length: the label is the one that occurs more often.

    Up to naming these are 2^(length - 1) templates; an even length has ties, which have no label.

    >>> print(symbolic_majority(3))
    ααα -> α
    ααβ -> α
    αβα -> α
    αββ -> β
    >>> symbolic_majority(4)
    Traceback (most recent call last):
        ...
    symbench.errors.BadValue: the length is 4: give an odd length, which has no ties
    """
    length = integer(length, "the length", at_least=1, limit=17)
    if length % 2 == 0:
        raise BadValue(f"the length is {length}: give an odd length, which has no ties")
    rests = product("αβ", repeat=length - 1)
    return _task((("α", *r), "α" if 2 * r.count("α") + 2 > length else "β") for r in rests)


def distribution_of_three() -> Task:
    """Distribution of three: one of four options completes the second row.

    A row αβγ, two symbols of a second row that is a permutation of the first, and four options, a
    permutation of α, β, γ and a distractor δ. The label is the position, 1 to 4, of the symbol
    that is missing: 6 x 24 = 144 templates, 36 for each label.

    >>> task = distribution_of_three()
    >>> len(task), [task.labels.count(label) for label in (1, 2, 3, 4)]
    (144, [36, 36, 36, 36])
    >>> print(task.templates[0], task.labels[0])
    αβγαβαβγδ 3
    """
    return _task(
        ("αβγ" + row[0] + row[1] + "".join(options), options.index(row[2]) + 1)
        for row in permutations("αβγ")
        for options in permutations("αβγδ")
    )


def relational_match_to_sample() -> Task:
    """Relational match to sample: one of two rows has the same pattern as the first.

    Three rows of three symbols, no symbol in two rows. The first row has one of the 5 patterns,
    one of the others has the same and the other one of the 4 different ones: 5 x 4 x 2 = 40. The
    label is 1 or 2.

    >>> task = relational_match_to_sample()
    >>> len(task), task.labels.count(1), print(task.templates[0], task.labels[0])
    αααβββγγδ 1
    (40, 20, None)
    """
    patterns = [template.pattern for template in Templates(3)]

    def rows(*chosen: tuple[int, ...]) -> tuple[str, ...]:
        letters = [f"α{row}{number}" for row, p in enumerate(chosen, start=1) for number in p]
        return Template(letters).canonical.letters

    return _task(
        (rows(sample, *pair), label)
        for sample, other in permutations(patterns, 2)
        for pair, label in (((sample, other), 1), ((other, sample), 2))
    )


def raven(*, distinct_rows: bool = True) -> Task:
    """One dimension of Raven's matrices: the symbol that completes three rows of three.

    Either all rows are permutations of the first, αβγ (36 templates), or each row is constant. The
    constants are three different symbols (1 template, 37 in all); with ``distinct_rows=False``
    they may coincide (5 templates, 41 in all). The label is the missing ninth symbol.

    >>> task = raven()
    >>> len(task), len(raven(distinct_rows=False))
    (37, 41)
    >>> print(task.templates[0], task.labels[0], task.templates[-1], task.labels[-1])
    αβγαβγαβ γ αααβββγγ γ
    """
    flag(distinct_rows, "distinct_rows")
    full = [
        ("α", "β", "γ", *second, *third)
        for second in permutations("αβγ")
        for third in permutations("αβγ")
    ]
    for rows in Templates(3):
        if rows.pattern == (0, 1, 2) or not distinct_rows:
            full.append(tuple(letter for letter in rows.letters for _ in range(3)))
    return _task((letters[:-1], letters[-1]) for letters in full)


_PROGRAM = "α = 1 ; β = -1 ; print ( {} )"
_SYMBOLIC_PROGRAM = 'α = " γ " ; β = " δ " ; print ( {} )'


def two_programs() -> Task:
    """Two variables, two numbers, and a program that prints one of them.

    >>> print(two_programs())
    α = 1 ; β = -1 ; print ( α ) -> 1
    α = 1 ; β = -1 ; print ( β ) -> -1
    """
    return _task([(_PROGRAM.format("α").split(), 1), (_PROGRAM.format("β").split(), -1)])


def two_programs_symbolic() -> Task:
    """Two variables, two symbols, and a program that prints one of them.

    >>> print(two_programs_symbolic())
    α = " γ " ; β = " δ " ; print ( α ) -> γ
    α = " γ " ; β = " δ " ; print ( β ) -> δ
    """
    program = _SYMBOLIC_PROGRAM
    return _task([(program.format("α").split(), "γ"), (program.format("β").split(), "δ")])


def print_symbol() -> Task:
    """A program that prints one symbol: the label is the symbol.

    >>> print(print_symbol())
    print ( " α " ) -> α
    """
    return _task([(["print", "(", '"', "α", '"', ")"], "α")])


def copy() -> Task:
    """One symbol: the label is the symbol itself.

    >>> print(copy())
    α -> α
    """
    return _task([("α", "α")])


_PROBLEM = "If α gives β {} γ , how many γ does β have ?"


def word_problem(*, numbers: Iterable[int] = (5,)) -> Task:
    """A word problem over words, one template for each number: the label is the number.

    >>> print(word_problem())
    If α gives β 5 γ , how many γ does β have ? -> 5
    >>> len(word_problem(numbers=range(1, 10)))
    9
    """
    found = integers(numbers, "numbers", at_least=0)
    return _task((_PROBLEM.format(number).split(), number) for number in found)


def word_problem_symbolic() -> Task:
    """The word problem with a symbol for the number: the label is the symbol.

    >>> print(word_problem_symbolic())
    If α gives β δ γ , how many γ does β have ? -> δ
    """
    return _task([(_PROBLEM.format("δ").split(), "δ")])


def random_task(length: int, *, size: int, seed: Any, tokens: Any = 0) -> Task:
    """Pairwise disjoint templates drawn one after the other, each labelled 1 or -1 at random.

    Each is uniform among all templates of the length and these tokens (up to equivalence); one
    that shares a string with an earlier one is drawn again. The same seed gives the same task.

    >>> task = random_task(5, size=4, seed=0, tokens="AB")
    >>> len(task), task == random_task(5, size=4, seed=0, tokens="AB")
    (4, True)
    """
    family = Templates(length, tokens=tokens)
    size = integer(size, "the number of templates", at_least=1, at_most=family.count)
    rng = randomness(seed)
    chosen: dict[Template, None] = {}
    by_pattern: dict[tuple[int, ...], list[Template]] = {}
    for _ in range(1000 * size):
        if len(chosen) == size:
            break
        template = family.random(rng)
        alike = by_pattern.setdefault(template.pattern, [])
        if all(template.is_disjoint(other) for other in alike):
            alike.append(template)
            chosen[template] = None
    else:
        raise Undecided(
            f"{1000 * size} draws gave {len(chosen)} pairwise disjoint templates, not {size}: "
            "ask for fewer, or for a greater length; there may be no more"
        )
    labels = [rng.choice((1, -1)) for _ in chosen]
    return Task(list(chosen), labels=labels, wildcards="")


_B = "boix2024, Appendix B"
_PSY = "boix2024, psychometric tasks"

catalogue = Catalogue(
    Entry(*line)
    for line in (
        ("same_different", "boix2024, Section 1.1.1", "Are the two symbols the same?",
         2, 2, "real", same_different),
        ("aba_abb", _B, "Does the third symbol repeat the first or the second?",
         2, 3, "real", aba_abb),
        ("aabb_abab", _B, "Do two pairs stand in blocks, or do they alternate?",
         2, 4, "real", aabb_abab),
        ("majority", _B, "Does the first of two symbols occur in more than half of the rest?",
         16, 5, "real", lambda: majority(5)),
        ("majority_all_patterns", "boix2024, Section 1.1.1",
         "Does the first symbol fill more than half of all positions?",
         5, 3, "real", lambda: majority_all_patterns(3)),
        ("distribution_of_three", _PSY,
         "At which position is the option that completes the second row?",
         144, 9, "real", distribution_of_three),
        ("relational_match_to_sample", _PSY,
         "Which of two rows has the pattern of the first? No symbol is in two rows.",
         40, 9, "real", relational_match_to_sample),
        ("raven", _PSY, "Which symbol completes three rows? Constant rows differ.",
         37, 8, "symbolic", raven),
        ("raven_41", _PSY, "Which symbol completes three rows? Constant rows may coincide.",
         41, 8, "symbolic", lambda: raven(distinct_rows=False)),
        ("two_programs", "boix2024, Figure 1", "Which number does the program print?",
         2, 12, "real", two_programs),
        ("two_programs_symbolic", "boix2024, Figure 2", "Which symbol does the program print?",
         2, 16, "symbolic", two_programs_symbolic),
        ("print_symbol", "boix2024, Section 1.1.1", "Which symbol does the program print?",
         1, 6, "symbolic", print_symbol),
        ("copy", "boix2024, Section 5", "Repeat the symbol.", 1, 1, "symbolic", copy),
        ("word_problem", "boix2024, Section 1.1.1",
         "Which number does a word problem about any three things ask for?",
         1, 14, "real", word_problem),
        ("word_problem_symbolic", "boix2024, Section 1.1.1",
         "Which symbol does a word problem about any four things ask for?",
         1, 14, "symbolic", word_problem_symbolic),
        ("symbolic_majority", "boix2024, Section 1.1.1",
         "Which of two symbols occurs more often?",
         4, 3, "symbolic", lambda: symbolic_majority(3)),
        ("random_task", _B, "Random disjoint templates with random labels (seed 0).",
         8, 4, "real", lambda: random_task(4, size=8, seed=0, tokens=2)),
    )
)  # fmt: skip
