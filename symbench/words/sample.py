"""Sample: strings drawn from a task (boix2024, Definition 3.2), for training and for testing."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from itertools import islice
from math import lcm
from typing import Any

import attrs

from symbench import words
from symbench._arguments import integer, integers, randomness, shown
from symbench.draw.views import Shown, View, columns_text, sheet
from symbench.errors import BadShape, BadValue
from symbench.exact.arrays import Floats, Integers, np
from symbench.exact.rational import exact_number
from symbench.words.letters import LATIN, Word, new_letters, read_alphabet, read_tokens
from symbench.words.substitution_law import FiniteSubstitutions, SubstitutionLaw
from symbench.words.templates import LISTABLE

_SHOWN = 8  # strings in a notebook


@attrs.frozen(eq=False)
class Sample(Shown):
    """Strings drawn from a task: an integer array, the tokens it codes, and the labels.

    Row by row, `indices` says which template it came from; ``tokens[code]`` is the token.

    >>> task = Task([Template("αS"), Template("αT")], labels=[1, -1])
    >>> train, test = task.sample(4, 1, 6)
    >>> train.array.shape, train.tokens, train.exactness
    ((4, 2), ('S', 'T', 'A', 'B', 'C', 'D', 'E', 'F'), 'exact')
    """

    array: Integers
    tokens: tuple[str, ...]
    indices: Integers
    task: words.Task
    noise: Floats | None

    def __len__(self) -> int:
        return len(self.array)

    def __repr__(self) -> str:
        return f"<Sample of {len(self)} strings over {len(self.tokens)} tokens>"

    def _view(self) -> View:
        noise = None if self.noise is None else self.noise[:_SHOWN]
        head = attrs.evolve(
            self, array=self.array[:_SHOWN], indices=self.indices[:_SHOWN], noise=noise
        )
        templates = [str(self.task.templates[index]) for index in head.indices]
        columns = [["string", *map(str, head.strings())], ["template", *templates]]
        if self.task.labels is not None:
            columns.append(["label", *map(str, head.labels())])
        rows = list(zip(*columns, strict=True))
        left = len(self) - _SHOWN
        more = [f"... and {left:,} more"] if left > 0 else []
        title = f"{len(self):,} strings over {len(self.tokens):,} tokens"
        return sheet(title, columns_text(rows), *more)

    @property
    def exactness(self) -> str:
        """Whether the labels are exact, or floats because of noise.

        >>> train, test = Task([Template("α")], labels=[1]).sample(2, 0, 4, noise=1)
        >>> train.exactness, test.exactness
        ('float', 'exact')
        """
        return "exact" if self.noise is None else "float"

    def strings(self) -> list[Word]:
        """The strings, letter by letter.

        >>> train, _ = Task([Template("αα")]).sample(1, 0, "PQ")
        >>> train.strings()
        [Word('PP')]
        """
        return [Word([self.tokens[code] for code in row]) for row in self.array.tolist()]

    def labels(self) -> list[Fraction | str | float]:
        """The labels: numbers (floats if there is noise), classes, or the tokens put for letters.

        >>> train, _ = Task([Template("αβ")], labels=["β"]).sample(1, 0, 4)
        >>> train.labels() == [train.strings()[0][1]]
        True
        """
        labels = self.task.labels if self.noise is None else self.task.numbers
        if labels is None:
            raise BadValue("the task has no labels: give Task(..., labels=...)")
        found: list[Fraction | str | float] = []
        rows = zip(self.indices.tolist(), self.array.tolist(), strict=True)
        for row, (index, codes) in enumerate(rows):
            label: Fraction | str | float = labels[index]
            template = self.task.templates[index]
            if isinstance(label, str) and label in template.wildcards:
                label = self.tokens[codes[template.letters.index(label)]]
            elif self.noise is not None:
                label = float(label) + float(self.noise[row])
            found.append(label)
        return found

    def numbers(self) -> list[Fraction | float]:
        """The labels as numbers, those of two classes as 1 and -1.

        >>> train, _ = Task({"αα": "ok", "αβ": "bad"}).sample([1, 1], 0, 4)
        >>> train.labels(), train.numbers()
        (['ok', 'bad'], [1, -1])
        """
        values = self.task.need_numbers()
        found: list[Fraction | float] = [values[index] for index in self.indices.tolist()]
        if self.noise is None:
            return found
        return [float(y) + float(e) for y, e in zip(found, self.noise, strict=True)]


def draw(
    task: words.Task, n: Any, rng: Any, alphabet: Any, *, test: int | None, noise: Any
) -> tuple[Sample, Sample]:
    """Draw a training sample and a test sample from a task: `Task.sample`."""
    counts = None if hasattr(n, "__index__") else _counts(task, n)
    total = n if counts is None else sum(counts)
    n = integer(total, "the number of training strings", at_least=0, limit=LISTABLE)
    tests = n if test is None else test
    n_test = integer(tests, "the number of test strings", at_least=0, limit=LISTABLE)
    sigma = noise if isinstance(noise, float) else exact_number(noise)
    if not 0 <= sigma < 10**100:
        raise BadValue(
            f"noise is {shown(noise)}: give a standard deviation of at least 0 and below 10^100"
        )
    if sigma and task.numbers is None:
        raise BadValue(f"noise is {shown(noise)} and the task has no real labels: leave it out")
    seen, unseen, law = _alphabets(task, alphabet)
    tokens = (*task.regular_tokens, *seen, *unseen)
    generator = _generator(rng)
    indices = _choices(task.weights, n, generator) if counts is None else _repeated(counts)
    train = _strings(task, indices, generator, seen, tokens, law)
    asked = _choices(task.weights, n_test, generator)
    checked = _strings(task, asked, generator, unseen, tokens, None)
    errors = generator.normal(0.0, float(sigma), size=n) if sigma else None
    return (
        Sample(train[0], tokens, train[1], task, errors),
        Sample(checked[0], tokens, checked[1], task, None),
    )


def _counts(task: words.Task, counts: Any) -> tuple[int, ...]:
    """How many strings of each template are wanted."""
    found = integers(counts, "the numbers of training strings", at_least=0)
    if len(found) != len(task):
        raise BadShape(
            f"there are {len(found)} numbers of training strings: give one for each of "
            f"{len(task)} templates, or one number for all"
        )
    return found


def _repeated(counts: tuple[int, ...]) -> Integers:
    return np.repeat(np.arange(len(counts), dtype=np.int64), counts)


def _alphabets(
    task: words.Task, alphabet: Any
) -> tuple[tuple[str, ...], tuple[str, ...], SubstitutionLaw | None]:
    """Cut the alphabet in tokens for training and for testing; without one, use the task's law."""
    taken = {letter for t in task.templates for letter in t.letters}
    if alphabet is None:
        law = task.substitution
        if law is None:
            raise BadValue(
                "there is no alphabet: give sample(n, rng, alphabet) or Task(substitution=...)"
            )
        if isinstance(law, FiniteSubstitutions):
            image: Iterable[str] = sorted({token for s, _ in law for token in s.image})
        else:
            image = law.alphabet
        seen = tuple(token for token in image if token not in task.regular_tokens)
        size = max(len(seen), max(len(t.wildcards) for t in task.templates))
        return seen, tuple(islice(new_letters(LATIN, avoid={*taken, *image}), size)), law
    if hasattr(alphabet, "__index__") and not isinstance(alphabet, bool):
        known = read_alphabet(alphabet, avoid=taken)
    else:
        known = read_tokens(alphabet, "the alphabet")
        for token in known:
            if token in taken:
                raise BadValue(
                    f"the alphabet holds {shown(token)}, a letter of the templates: give other "
                    "tokens to put for wildcards"
                )
    half = (len(known) + 1) // 2
    seen, unseen = known[:half], known[half:]
    need = max(len(t.wildcards) for t in task.templates)
    if len(unseen) < need:
        raise BadValue(
            f"the alphabet has {len(known)} tokens, {len(seen)} for training and {len(unseen)} "
            f"for testing, where {need} are needed: give at least {2 * need}"
        )
    return seen, unseen, None


def _strings(
    task: words.Task,
    indices: Integers,
    generator: np.random.Generator,
    alphabet: tuple[str, ...],
    tokens: tuple[str, ...],
    law: SubstitutionLaw | None,
) -> tuple[Integers, Integers]:
    """Draw strings of the templates with these indices; without a law, by uniform maps."""
    code_of = {token: code for code, token in enumerate(tokens)}
    array = np.empty((len(indices), task.length), dtype=np.int64)
    for index, template in enumerate(task.templates):
        rows = np.flatnonzero(indices == index)
        if not len(rows):
            continue
        if not isinstance(law, FiniteSubstitutions):
            free = alphabet if law is None else law.open_to(template)
            codes = np.array([code_of[token] for token in free], dtype=np.int64)
            image = _injections(len(template.wildcards), codes, len(rows), generator)
        else:
            maps = [[code_of[s[w]] for w in template.wildcards] for s, _ in law]
            drawn = _choices(tuple(p for _, p in law), len(rows), generator)
            image = np.array(maps, dtype=np.int64).reshape(len(maps), -1)[drawn]
        for column, block in enumerate(template.blocks):
            for place in block:
                array[rows, place] = image[:, column]
        for token, places in template.token_positions.items():
            for place in places:
                array[rows, place] = code_of[token]
    return array, indices


def _generator(rng: Any) -> np.random.Generator:
    if isinstance(rng, np.random.Generator):
        return rng
    return np.random.default_rng(randomness(rng, "rng").getrandbits(128))


def _choices(weights: tuple[Fraction, ...], n: int, generator: np.random.Generator) -> Integers:
    """Indices drawn with exactly these probabilities: integers below a common denominator."""
    total = lcm(*(weight.denominator for weight in weights))
    if total >= 2**63:
        raise BadValue(
            f"the probabilities have the common denominator {shown(total)}: give simpler fractions"
        )
    counts = [int(weight * total) for weight in weights]
    edges = np.cumsum(np.array(counts, dtype=np.int64))
    drawn = generator.integers(total, size=n)
    return np.searchsorted(edges, drawn, side="right").astype(np.int64)


def _injections(
    wildcards: int, codes: Integers, n: int, generator: np.random.Generator
) -> Integers:
    """Rows of distinct codes, each such row with the same probability."""
    image = np.empty((n, wildcards), dtype=np.int64)
    for column in range(wildcards):
        # A uniform number among the codes still free; each smaller code taken moves it by one.
        value = generator.integers(len(codes) - column, size=n)
        for taken in np.sort(image[:, :column], axis=1).T:
            value += value >= taken
        image[:, column] = value
    return codes[image]
