"""Template tasks: their data, what it is to generalise, the paper's examples and their counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from typing import Any

from symbench.certificates import Certificate
from symbench.certifying import certify
from symbench.errors import SymbenchError, TooLarge, Undecided
from symbench.exact.arrays import np
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, many, number, one_of, record
from symbench.papers._templates import every, is_string, is_template_text
from symbench.papers.boix2024.templates import is_law, maps_of, matches, task_of
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Task, Template, tasks
from symbench.words.letters import is_wildcard_name

# Templates with a label and a weight each, and the law of the maps as in Definition 4.2.
DataCase = tuple[tuple[tuple[str, Any, Fraction | int], ...], Any]
_HALF, _THIRD = Fraction(1, 2), Fraction(1, 3)


# --- Definitions 3.2 and J.1 ----------------------------------------------------------------------
def _real_data() -> Iterator[DataCase]:
    same = (("αα", 1, _HALF), ("αβ", -1, _HALF))
    skew = (("PQ", _THIRD), ("QP", _HALF), ("PR", Fraction(1, 6)))
    for size in (2, 3, 4):
        yield same, size
    yield same, skew
    yield (("ααS", 2, _THIRD), ("αβS", Fraction(1, 2), 2 * _THIRD)), 4
    yield (("αβα", 1, Fraction(1, 4)), ("αββ", 2, _HALF), ("TTβ", 3, Fraction(1, 4))), skew
    yield (("αβγ", 1, _THIRD), ("ααα", 0, _HALF), ("SST", -1, Fraction(1, 6))), 5
    yield (("SST", 1, 1),), 3


def _symbolic_data() -> Iterator[DataCase]:
    skew = (("PQ", _THIRD), ("QP", _HALF), ("PR", Fraction(1, 6)))
    yield (("α", "α", 1),), 3
    yield (("αβα", "α", _THIRD), ("αββ", "β", 2 * _THIRD)), 4
    yield (("αβα", "β", _THIRD), ("αββ", "β", 2 * _THIRD)), skew
    yield (("ααS", "S", _HALF), ("αβS", "β", _HALF)), 4
    yield (("αβγ", "γ", 1),), 4


def _task(case: DataCase) -> Task:
    texts, labels, weights = zip(*case[0], strict=True)
    law = task_of((texts, case[1])).substitution
    return Task(list(map(Template, texts)), labels=list(labels), weights=list(weights),
                substitution=law, wildcards="")  # fmt: skip


def _is_data(templates: tuple[Any, ...], law: Any) -> bool:
    """Whether templates, labels, weights and law make a task; a large law may."""
    try:
        _task((templates, law))
    except TooLarge:
        return True
    except SymbenchError:
        return False
    return True


def _data(label: Callable[[Any], bool]) -> Callable[[Any], bool]:
    templates = many(record(is_template_text, label, number(above=0)))
    return record(templates, is_law, where=_is_data)


def _scripted(script: tuple[int, ...], bounds: list[int]) -> Any:
    """A source of random integers that answers from a list, and by zeros where it ends.

    It appends the bounds below which integers were asked for to a list. Each integer below a
    bound has the same probability, so one can go through all outcomes of what draws from it.
    """

    class Scripted(np.random.Generator):  # here: numpy is loaded when it is used
        def integers(self, bound: int, size: int) -> Any:  # type: ignore[override]
            found = []
            for place in range(len(bounds), len(bounds) + size):
                found.append(script[place] if place < len(script) else 0)
                bounds.append(int(bound))
            return np.array(found, dtype=np.int64)

    return Scripted(np.random.PCG64(0))


Law = dict[tuple[str, Any], Fraction]


def _sampled(task: Task) -> Law:
    """The exact law of one string and its label, as Task.sample draws them."""
    law: Law = {}
    left: list[tuple[int, ...]] = [()]
    while left:
        script = left.pop()
        asked: list[int] = []
        train, _ = task.sample(1, _scripted(script, asked), test=0)
        if len(asked) > len(script):  # it wanted one more: all answers
            left += [(*script, n) for n in range(asked[len(script)])]
            continue
        pair = (str(train.strings()[0]), train.labels()[0])
        chance = Fraction(1)
        for bound in asked:
            chance /= bound
        law[pair] = law.get(pair, Fraction(0)) + chance
        at_most(len(law) + len(left), 10**4, "outcomes")
    return law


def _defined(case: DataCase) -> Law:
    """The law of Definitions 3.2 and J.1: a template, a map, the string, the label."""
    templates, maps = case
    law: Law = {}
    for text, label, weight in templates:
        for s, p in maps_of(text, (tuple(t for t, _, _ in templates), maps)):
            x = "".join(s.get(a, a) for a in text)
            y = s.get(label, label) if isinstance(label, str) else label
            law[x, y] = law.get((x, y), Fraction(0)) + Fraction(weight) * p
    return law


def _same_law(case: DataCase, alike: bool) -> bool | Fails:
    try:
        found = _sampled(_task(case))
    except TooLarge as error:
        raise Undecided(str(error)) from None
    if alike:  # every template equally likely
        case = (tuple((t, y, Fraction(1, len(case[0]))) for t, y, _ in case[0]), case[1])
    expected = _defined(case)
    for pair in sorted({*found, *expected}, key=str):
        if found.get(pair, 0) != expected.get(pair, 0):
            return Fails(
                f"sample() draws {pair} with probability {found.get(pair, 0)}, the definition "
                f"with {expected.get(pair, 0)}"
            )
    return True


def _drawn_data(symbolic: bool) -> Callable[[Any], Any]:
    """Two templates without tokens, with labels and weights, and an alphabet."""

    def build(st: Any) -> Any:
        texts = st.integers(1, 4).flatmap(
            lambda n: st.lists(
                st.sampled_from(list(map(str, every(n)))), min_size=1, max_size=2, unique=True
            )
        )
        weight = st.integers(1, 5)
        label = st.just("α") if symbolic else st.integers(-2, 2)

        def case(drawn: tuple[list[str], Any, Any, int]) -> DataCase:
            found, one, n, size = drawn
            weights = (Fraction(1),) if len(found) == 1 else (Fraction(n, 6), Fraction(6 - n, 6))
            return tuple(zip(found, [one, one], weights, strict=False)), size

        return st.tuples(texts, label, weight, st.integers(4, 5)).map(case)

    return build


@claim(
    "boix2024.definition-3.2",
    source="Definition 3.2",
    wording="quoted",
    category="definition",
    cases=_real_data,
    boundary=((("SST", 1, 1),), 3),
    strategy=drawn(_drawn_data(symbolic=False)),
    applies=_data(number()),
    near_misses=[
        NearMiss(
            "templates are drawn alike, whatever their probabilities",
            ((("αα", 1, _THIRD), ("αβ", -1, 2 * _THIRD)), 3),
            {"alike": True},
        ),
    ],
)
def definition_3_2(case: DataCase, alike: bool = False) -> bool | Fails:
    r"""We draw a sample $(x, y) = (\mathrm{sub}(z, s), f_*(z) + \xi)$ by drawing a template $z \sim
    \mu_{tmplt}$, a substitution map $s \sim \mu_{sub,z}$, and label noise $\xi \sim N(0,
    \sigma^2)$.

    Without noise, the exact law of what `Task.sample` draws (all answers of its source of random
    integers are gone through) is the law listed from the definition.
    """
    return _same_law(case, alike)


@claim(
    "boix2024.definition-J.1",
    source="Definition J.1",
    wording="quoted",
    category="definition",
    cases=_symbolic_data,
    boundary=((("α", "α", 1),), 3),
    strategy=drawn(_drawn_data(symbolic=True)),
    applies=_data(lambda label: type(label) is str),
    near_misses=[
        NearMiss(
            "templates are drawn alike, whatever their probabilities",
            ((("αβα", "α", _THIRD), ("αββ", "β", 2 * _THIRD)), 4),
            {"alike": True},
        ),
        NearMiss(
            "the label is the wildcard, not the token put for it",
            ((("αβ", "β", 1),), 3),
            lambda case: {y for _, y in _sampled(_task(case))} == {"β"},
        ),
    ],
)
def definition_j_1(case: DataCase, alike: bool = False) -> bool | Fails:
    r"""The data distribution is specified by: (i) a template distribution $\mu_{tmplt}$; (ii) for
    each template $z$, a distribution $\mu_{sub,z}$ over substitution maps; (iii) a labelling
    function $f_*$ to tokens and wildcards. A sample $(x, y)$ is drawn by taking $x =
    \mathrm{sub}(z, s)$ and $y = \mathrm{sub}(f_*(z), s)$, where $z \sim \mu_{tmplt}$ and $s \sim
    \mu_{sub,z}$.

    The exact law of what `Task.sample` draws is the law listed from the definition.
    """
    return _same_law(case, alike)


# --- Definition 3.3 -------------------------------------------------------------------------------
# Labelled templates, the strings of a training set with their labels, and the alphabet.
UnseenCase = tuple[tuple[tuple[str, Any], ...], tuple[str, ...], str]
_SAME = (("αα", 1), ("αβ", -1))


def _unseen_cases() -> Iterator[UnseenCase]:
    yield _SAME, ("AA", "BB", "AB", "AA", "BA"), "ABCD"
    yield (("αα", 1), ("AB", -1)), ("CC", "AB"), "ABCD"
    yield (("αβα", 1), ("αββ", -1)), ("ABA", "ABB", "BAB"), "ABCD"
    yield (("ααS", 1), ("αβS", -1), ("STα", 5)), ("AAS", "ABS", "STA"), "ABCST"
    yield tuple((str(z), n) for n, z in enumerate(every(3))), ("AAA", "AAB"), "ABCD"


def _no_overlap(labelled: tuple[tuple[str, Any], ...], train: Any, alphabet: str) -> bool:
    texts = [text for text, _ in labelled]
    if len({*map(len, texts), *map(len, train)}) > 1 or len({*alphabet}) < len(alphabet):
        return False
    pairs = combinations(map(Template, texts), 2)
    return all(z.is_disjoint(w) for z, w in pairs)


def _drawn_unseen(st: Any) -> Any:
    return st.integers(2, 4).flatmap(
        lambda n: st.lists(
            st.sampled_from(list(map(str, every(n)))), min_size=1, max_size=4, unique=True
        ).map(lambda texts: (tuple((t, k) for k, t in enumerate(texts)), ("A" * n,), "ABCDE"))
    )


@claim(
    "boix2024.definition-3.3",
    source="Definition 3.3 and its example (the formula is not in our text of the paper)",
    wording="our reading",
    category="definition",
    cases=_unseen_cases,
    boundary=(_SAME, (), "AB"),
    strategy=drawn(_drawn_unseen),
    applies=record(
        many(record(is_template_text, number())), many(is_string, 0), is_string, where=_no_overlap
    ),
    near_misses=[
        NearMiss("templates that are not disjoint", ((("αA", 1), ("αβ", -1)), (), "ABC")),
        NearMiss(
            "an estimator that knows the training strings by heart",
            (_SAME, ("AA", "BB", "AB", "AA", "BA"), "ABCD"),
            {"by_heart": True},
        ),
    ],
)
def definition_3_3(case: UnseenCase, by_heart: bool = False) -> bool | Fails:
    r"""A (random) estimator generalizes on unseen symbols with $(\epsilon, \delta)$-error if for
    any string $x$ that matches a template $z$ in the support of the template distribution,
    $(\hat f(x) - f_*(z))^2 \le \epsilon$ with probability at least $1 - \delta$ over the randomness
    of the estimator.

    An estimator that knows the templates does so with $\epsilon = \delta = 0$: from αα with label 1
    and αβ with label -1, CC has label 1 and CD label -1, although no training string has C or D.
    It labels no string that matches no template.
    """
    labelled, train, alphabet = case
    at_most(len(alphabet) ** len(labelled[0][0]), 10**4, "strings")
    task = Task([Template(t) for t, _ in labelled], labels=[y for _, y in labelled],
                allow_overlap=True, wildcards="")  # fmt: skip
    known = {x: task.classify(x).label for x in train}
    for x in map("".join, product(alphabet, repeat=task.length)):
        guess = known.get(x, 0) if by_heart else task.classify(x).label
        for label in [y for text, y in labelled if matches(text, x)] or [None]:
            if guess != label:
                return Fails(f"{x} has label {label}, the estimator says {guess}")
    return True


# --- the examples of Section 1.1.1, Appendices A and B ------------------------------------------
_GIVES = "If α gives β {} γ , how many γ does β have ?"
_NAMES = {"α": "Rob", "β": "Ada", "γ": "apples"}
# Task -> its templates, letters apart, with labels, as the paper prints or describes them.
_PRINTED: dict[str, dict[str, Any]] = {
    "same_different": {"α α": 1, "α β": -1},
    "majority_all_patterns": {"α α α": 1, "α α β": 1, "α β α": 1, "α β β": -1, "α β γ": -1},
    "word_problem": {_GIVES.format(5): 5},
    "word_problem_symbolic": {_GIVES.format("δ"): "δ"},
    "two_programs": {"α = 1 ; β = -1 ; print ( α )": 1, "α = 1 ; β = -1 ; print ( β )": -1},
    "two_programs_symbolic": {
        'α = " γ " ; β = " δ " ; print ( α )': "γ",
        'α = " γ " ; β = " δ " ; print ( β )': "δ",
    },
    "print_symbol": {'print ( " α " )': "α"},
    "copy": {"α": "α"},
    # Over two symbols: βαα is αββ with the names exchanged.
    "symbolic_majority": {"α α α": "α", "α α β": "α", "α β α": "α", "β α α": "α"},
    "aba_abb": {"α β α": 1, "α β β": -1},
    "aabb_abab": {"α α β β": 1, "α β α β": -1},
    "majority": {
        " ".join(["α", *rest]): 1 if rest.count("α") > rest.count("β") else -1
        for rest in product("αβ", repeat=4)
    },
}


def _canonical(letters: Any, label: Any) -> tuple[tuple[str, ...], Any]:
    """A template and its label, wildcards numbered by their first appearance."""
    numbers: dict[str, str] = {}
    for letter in letters:
        if is_wildcard_name(letter):
            numbers.setdefault(letter, f"<{len(numbers)}>")
    return tuple(numbers.get(a, a) for a in letters), numbers.get(label, label)


@claim(
    "boix2024.examples",
    source="Section 1.1.1, Appendices A and B (formulas and templates are not in our text)",
    wording="reconstructed",
    category="example",
    cases=list(_PRINTED),
    boundary="copy",
    unhuntable="a list of printed tasks",
    applies=one_of(*_PRINTED),
    near_misses=[
        NearMiss(
            "the first token counts for itself, as in Section 1.1.1",
            "majority",
            {"itself": True},
        ),
    ],
)
def examples(name: str, itself: bool = False) -> bool | Fails:
    r"""The examples are template tasks: same/different; whether the first token occurs in the
    majority of the tokens; word problems ("If Alice gives Bob 5 oranges, how many oranges does Bob
    have?" is labelled 5, and with a symbol for 5 by that symbol); programs; printing and copying a
    symbol; the majority token of a string over two symbols; αβα vs. αββ; ααββ vs. αβαβ; and the
    length-k majority task, whose label is 1 if the first token occurs in the majority of the rest
    of the string, and -1 otherwise.

    The catalogue's templates are those typed here, and its tasks label the strings that come out
    of them.
    """
    task = tasks.catalogue[name].task()
    printed = {tuple(text.split(" ")): label for text, label in _PRINTED[name].items()}
    if itself:
        printed = {z: 1 if 2 * z.count(z[0]) > len(z) else -1 for z in printed}
    assert task.labels is not None
    pairs = zip(task.templates, task.labels, strict=True)
    found = Counter(_canonical(z.letters, y) for z, y in pairs)
    if found != Counter(_canonical(z, y) for z, y in printed.items()):
        return Fails(f"the catalogue's {name} has other templates or labels")
    for letters, label in printed.items():
        for names in ({}, _NAMES):
            s = {w: names.get(w, f"t{w}") for w in letters if is_wildcard_name(w)}
            x = [s.get(a, a) for a in letters]
            if task.classify(x).label != s.get(label, label):
                return Fails(f"{x} has another label than {s.get(label, label)}")
    return True


# --- counts ---------------------------------------------------------------------------------------
_COUNTS = [
    ("distribution_of_three", 144, 36),
    ("relational_match_to_sample", 40, 20),
    ("raven", 37, 0),
]


def _puzzles(name: str, relaxed: bool) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Puzzles over numbered symbols with their answers, by the rules of the paper's Figure 3."""
    if name == "distribution_of_three":
        # A row of three, two of a second row, four options with the three and one more.
        for two in product(range(3), repeat=2) if relaxed else permutations(range(3), 2):
            (missing, *_) = {0, 1, 2} - {*two}
            for options in permutations(range(4)):
                yield (0, 1, 2, *two, *options), options.index(missing) + 1
    elif name == "relational_match_to_sample":
        # Three rows of three symbols, none in two rows; one option has the pattern of the first.
        rows = list(product(range(3), repeat=3))
        for first, one, two in product(rows, repeat=3):
            alike = [_blocks(row) == _blocks(first) for row in (one, two)]
            if sum(alike) == 1 or (relaxed and all(alike)):
                shifted = [(n, symbol) for n, row in enumerate((first, one, two)) for symbol in row]
                yield tuple(shifted), 1 if alike[0] else 2
    else:
        # Three rows with the same three symbols each, or each of one symbol; the last is asked for.
        for second, third in product(permutations(range(3)), repeat=2):
            full = (0, 1, 2, *second, *third)
            yield full[:8], full[8]
        for a, b, c in product(range(3), repeat=3):
            if relaxed or len({a, b, c}) == 3:
                yield (a, a, a, b, b, b, c, c), c


def _blocks(letters: Any) -> tuple[int, ...]:
    return tuple(letters.index(a) for a in letters)


@claim(
    "boix2024.counts",
    source="Appendix A, psychometric tasks; which symbols may coincide is our reading",
    wording="our reading",
    category="count",
    cases=_COUNTS,
    boundary=("raven", 37, 0),
    unhuntable="a list of three printed numbers",
    applies=one_of(*_COUNTS),
    near_misses=[
        NearMiss("Raven: constant rows may coincide (41)", _COUNTS[2], {"relaxed": True}),
        NearMiss("a second row may repeat a symbol (216)", _COUNTS[0], {"relaxed": True}),
        NearMiss("both options may have the sample's pattern (45)", _COUNTS[1], {"relaxed": True}),
    ],
)
def counts(case: tuple[str, int, int], relaxed: bool = False) -> Certificate | Fails:
    r"""Distribution of three: in total there are 144 templates (36 for each of 4 labels).
    Relational match-to-sample: a simple combinatorial calculation gives a total of 40 templates (20
    for each of 2 labels), if no symbol is in two rows. Raven's progressive matrices: there is a
    total of 36 + 1 = 37 possible templates per dimension, if constant rows are pairwise different.
    The templates of each task are pairwise inequivalent and disjoint.

    All puzzles over a few symbols are listed by the rules, and counted up to names.
    """
    name, number, per_label = case
    task = tasks.catalogue[name].task()
    assert task.labels is not None
    found = {
        (_blocks(z.letters), y if isinstance(y, Fraction) else z.letters.index(y))
        for z, y in zip(task.templates, task.labels, strict=True)
    }
    listed = {
        (_blocks(z), z.index(y) if name == "raven" else y) for z, y in _puzzles(name, relaxed)
    }
    if not len(task) == len(found) == len(listed) == number or found != listed:
        return Fails(f"{name} has {len(task)} templates, the rules give {len(listed)}")
    if any(not z.is_disjoint(w) for z, w in combinations(task.templates, 2)):
        return Fails(f"templates of {name} are not disjoint")
    if per_label and set(Counter(task.labels).values()) != {per_label}:
        return Fails(f"the labels of {name} are not evenly used")
    # It counts the templates that are not equivalent.
    return certify(template_matrix(task, attention()), question="rank")


# --- what needs training --------------------------------------------------------------------------
@claim(
    "boix2024.observation-1.2",
    source="Observation 1.2",
    wording="quoted",
    category="observation",
    expected="undecided",
    why="It is about the data that trained transformers of 2 and 4 layers need, with Adam and five "
    "trials each: that is measured, not proved, and nothing here trains them. What the parameter "
    "does in the model that the paper analyses is symbench.identity-depth-one.",
)
def observation_1_2(case: Any) -> None:
    r"""Adding one trainable parameter $a$ to each attention head so that $W_K W_Q^\top$ is replaced
    by $W_K W_Q^\top + a I$ dramatically improves transformers' data-efficiency on template tasks.
    """


@claim(
    "boix2024.figures",
    source="Figures 1, 2, 5, 6, 7 and the figures of Appendix B",
    wording="our reading",
    category="observation",
    expected="undecided",
    why="They are measurements: transformers and MLPs trained with Adam, GPT-2 fine-tuned and "
    "trained on Wikitext. They need training at a scale that is not done here, and a measurement "
    "of trained networks decides no statement exactly.",
)
def figures(case: Any) -> None:
    r"""Transformers learn the two programs (Figure 1) and, from more data, the symbolic ones
    (Figure 2); with trainable identity scalings they need less data (Figures 1, 2, 5) and GPT-2 has
    a lower perplexity on Wikitext2 (60.46, not 64.00) and Wikitext103 (16.40, not 16.83; Figure 6);
    fine-tuning a pretrained model helps with a template task (Figure 7); Appendix B varies
    hyperparameters, tasks and architectures.
    """
