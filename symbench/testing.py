"""Conformance suites for objects of one's own: `check_kernel`, `check_law`, `check_representation`.

>>> def common_letters(x, y):
...     return len(set(x) & set(y))
>>> print(check_kernel(from_function(common_letters)))
from_function(common_letters) conforms: lengths 1 to 3
  exactness: 220 values, all exact
  token symmetry: 220 diagrams under 1,594 renamings
  symmetry: 220 diagrams and their flips
  positive semidefinite: on 2 words of length 1, 9 of length 2, 27 of length 3
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product
from typing import Any

import attrs
import flint

from symbench._arguments import integer, shown
from symbench.draw.views import Shown, View, card
from symbench.errors import BadType, BadValue, SymbenchError, TooLarge
from symbench.exact import QQ, ZZ, Matrix
from symbench.exact.arrays import np
from symbench.exact.precision import working_precision
from symbench.exact.rational import exact_number, fmpq, rational
from symbench.kernels.base import Kernel, check_kernel_type, symmetry_of
from symbench.kernels.diagram import Codes, Diagram
from symbench.kernels.from_function import (
    FunctionKernel,
    from_function,
    letters,
    plain_float,
    representative,
    same_value,
    token_asymmetry,
)
from symbench.kernels.tables import tables_of
from symbench.laws import Law
from symbench.laws.base import few_words
from symbench.words import Word
from symbench.young import YoungSubgroup, check_representation
from symbench.young.position_groups import moved

__all__ = [
    "KernelReport",
    "check_kernel",
    "check_law",
    "check_representation",
    "from_function",
    "kernel_report",
]

# Bell(2 * 5) = 115,975 diagrams.
_LONGEST = 5
_RANDOM_RENAMINGS = 3
_WORDS = 30


@attrs.frozen
class KernelReport(Shown):
    """What the conformance suite looked at, and what it found wrong.

    >>> report = kernel_report(generic(), max_length=1)
    >>> report.ok, report.problems
    (True, ())
    """

    subject: str
    max_length: int
    checks: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing was found wrong."""
        return not self.problems

    def __str__(self) -> str:
        verdict = "conforms" if self.ok else "does not conform"
        head = f"{self.subject} {verdict}: lengths 1 to {self.max_length}"
        return "\n".join([head, *(f"  {line}" for line in (*self.checks, *self.problems))])

    def _view(self) -> View:
        head, *lines = str(self).splitlines()
        return card(head, *map(str.strip, lines), tone="good" if self.ok else "bad")


def check_kernel(kernel: Any, *, max_length: int = 3) -> KernelReport:
    """Run the conformance suite on a kernel: the report if all is well, else BadValue.

    It asks, on all diagrams up to a length: are the values as exact as the kernel says? Does it
    ignore the tokens' names (if it takes strings)? Is it symmetric? And on all words over a
    small alphabet: is it positive semidefinite? The error names the witness.

    >>> def starts_alike(x, y):
    ...     return int(x[0] == y[0]) - int(x[-1] == y[-1])
    >>> check_kernel(from_function(starts_alike))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: from_function(starts_alike) is not positive semidefinite: ...
    >>> check_kernel(7)
    Traceback (most recent call last):
    ...
    symbench.errors.BadType: 7 is not a kernel: it needs needs_cls, exactness and ...
    """
    report = kernel_report(kernel, max_length=max_length)
    if not report.ok:
        raise BadValue(f"{report.subject} {report.problems[0]}")
    return report


def kernel_report(kernel: Any, *, max_length: int = 3) -> KernelReport:
    """What `check_kernel` finds, as a report that does not raise.

    The first question with a bad answer ends the suite: the next ones would make no sense.

    >>> def by_name(x, y):
    ...     return int(x < y) + int(y < x)
    >>> print(kernel_report(from_function(by_name), max_length=1).problems[-1])
    is not positive semidefinite: words A, B with weights 1, -1 give -2
    """
    subject = check_kernel_type(kernel)
    length = integer(max_length, "max_length", at_least=1)
    if length > _LONGEST:
        raise TooLarge(
            f"max_length is {length}: there are Bell({2 * length}) = "
            f"{flint.fmpz.bell_number(2 * length)} diagrams; ask for at most {_LONGEST}"
        )
    return _Suite(subject, length).run()


def check_law(law: Any, *, length: int = 3) -> Law:
    """The law itself, if it is one on the words of a length; else BadValue with the witness.

    All words are gone through: are the probabilities exact, not negative, and one in all? Do they
    stay the same under the permutations of `symmetry`, and does `of_counts` give them, if it is
    there?

    >>> check_law(Iid("1/3", "2/3"))
    Iid('1/3', '2/3')
    >>> class Twice(Iid):
    ...     def probability(self, word):
    ...         return 2 * super().probability(word)
    >>> check_law(Twice("1/2", "1/2"))
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the probabilities of all words of length 3 add up to 2, not to 1
    """
    if not isinstance(law, Law):
        raise BadType(
            f"the law is {shown(law)}: give an object with vocabulary, length, probability(word) "
            "and symmetry(length), as those of sb.laws"
        )
    size, tokens = few_words(length, law.vocabulary)
    chances: dict[tuple[int, ...], Fraction] = {}
    for word in product(range(tokens), repeat=size):
        chances[word] = Fraction(exact_number(law.probability(word)))
        if chances[word] < 0:
            raise BadValue(f"the probability of {word} is {chances[word]}: give none below 0")
    total = sum(chances.values())
    if total != 1:
        raise BadValue(
            f"the probabilities of all words of length {size} add up to {total}, not to 1"
        )
    group, of_counts = law.symmetry(size), getattr(law, "of_counts", None)
    for word, chance in chances.items():
        for name, move in group.generators if group is not None else ():
            other = moved(word, move)
            if chances[other] != chance:
                raise BadValue(
                    f"{name} is in the symmetry of the law, but {word} has probability {chance} "
                    f"and {other} has {chances[other]}"
                )
        if callable(of_counts):
            found = of_counts(tuple(word.count(token) for token in range(tokens)))
            if found != chance:
                raise BadValue(f"{word} has probability {chance}, but of_counts gives {found}")
    return law


class _Suite:
    """One run of the suite; values are asked once per diagram."""

    def __init__(self, kernel: Kernel, max_length: int) -> None:
        self.kernel = kernel
        self.max_length = max_length
        self.diagrams = [d for k in range(1, max_length + 1) for d in all_diagrams(k)]
        self.values: dict[Diagram, Any] = {}
        self.checks: list[str] = []
        self.problems: list[str] = []

    def run(self) -> KernelReport:
        # Each question is well put only if those before it were answered well: a value per
        # diagram first, then a symmetric form, then its signs.
        questions = (
            self.members,
            self.exactness,
            self.token_symmetry,
            self.symmetry,
            self.positions,
            self.positive_semidefinite,
        )
        all(self._ask(question) for question in questions)
        return KernelReport(
            repr(self.kernel), self.max_length, tuple(self.checks), tuple(self.problems)
        )

    def _ask(self, question: Callable[[], str | None]) -> bool:
        """Whether there was nothing wrong; a user's own code may raise whatever it likes."""
        try:
            problem = question()
        except Exception as error:
            problem = f"fails: {error!r}"
        if problem is not None:
            self.problems.append(problem)
        return problem is None

    def value(self, diagram: Diagram) -> Any:
        """The value on a diagram; of a function kernel on one pair, unchecked."""
        if diagram not in self.values:
            if isinstance(self.kernel, FunctionKernel):
                found = self.kernel.value(*representative(diagram, letters(diagram)))
            else:
                found = self.kernel.on_diagram(diagram)
            self.values[diagram] = found
        return self.values[diagram]

    def members(self) -> str | None:
        if not isinstance(self.kernel.needs_cls, bool):
            return f"has needs_cls = {self.kernel.needs_cls!r}: make it True or False"
        if self.kernel.exactness not in ("exact", "ball", "float"):
            return f"has exactness = {self.kernel.exactness!r}: make it 'exact', 'ball' or 'float'"
        return None

    def exactness(self) -> str | None:
        promised = self.kernel.exactness
        for diagram in self.diagrams:
            x, y = representative(diagram, letters(diagram))
            try:
                value = self.value(diagram)
            except Exception as error:
                return f"fails at ({x}, {y}): {error!r}"
            kind = _kind(value)
            if kind != promised:
                return f"promises {promised} values, and at ({x}, {y}) it is {value!r}: {kind}"
        self.checks.append(f"exactness: {len(self.diagrams):,} values, all {promised}")
        return None

    def symmetry(self) -> str | None:
        for diagram in self.diagrams:
            here, there = self.value(diagram), self.value(diagram.flip())
            if not same_value(here, there):
                x, y = representative(diagram, letters(diagram))
                return f"is not symmetric: it is {here} at ({x}, {y}) and {there} at ({y}, {x})"
        self.checks.append(f"symmetry: {len(self.diagrams):,} diagrams and their flips")
        return None

    def token_symmetry(self) -> str | None:
        if not callable(getattr(self.kernel, "value", None)):
            self.checks.append("token symmetry: given on diagrams, so it cannot fail")
            return None
        count = 0
        for diagram in self.diagrams:
            names = letters(diagram)
            pair = representative(diagram, names)
            here = self.kernel.value(*pair)  # type: ignore[attr-defined]
            if not same_value(here, self.value(diagram)):
                return (
                    f"contradicts itself: value is {here} at ({pair[0]}, {pair[1]}), and "
                    f"on_diagram is {self.value(diagram)}"
                )
            # Where on_diagram does not ask value, one renaming shows that value does not lie.
            most = None if isinstance(self.kernel, FunctionKernel) else 1
            for renaming in islice(_renamings(names), most):
                count += 1
                problem = token_asymmetry(self.kernel, pair, self.value(diagram), renaming)
                if problem is not None:
                    return problem
        self.checks.append(
            f"token symmetry: {len(self.diagrams):,} diagrams under {count:,} renamings"
        )
        return None

    def positions(self) -> str | None:
        """Ask whether the permutations of its symmetry leave it unchanged, and tables agree."""
        on_table = getattr(self.kernel, "on_table", None)
        if self.kernel.exactness == "float":
            on_table = None  # floats on tables come by on_tables
        moves = tables = 0
        for diagram in self.diagrams:
            group = symmetry_of(self.kernel, len(diagram.left))
            if group is None:
                continue
            here = self.value(diagram)
            x, y = representative(diagram, letters(diagram))
            for name, move in group.generators:
                moves += 1
                codes = (*moved(diagram.left, move), *moved(diagram.right, move))
                there = self.value(Diagram.from_codes(codes))
                if not same_value(here, there):
                    return f"is {here} at ({x}, {y}), and {there} after {name}, its symmetry"
            if callable(on_table) and isinstance(group, YoungSubgroup):
                tables += 1
                size = max(*diagram.left, *diagram.right) + 1
                found = on_table(*tables_of(diagram.left, diagram.right, group.parts, size))
                found = rational(found) if isinstance(found, flint.fmpq) else found
                if not same_value(here, found):
                    return (
                        f"contradicts itself: on_diagram is {here} at ({x}, {y}), and on_table is "
                        f"{found}"
                    )
        if moves:
            self.checks.append(f"positions: {moves:,} permutations of its symmetry")
        if tables:
            self.checks.append(f"tables: {tables:,} values as on diagrams")
        return None

    def positive_semidefinite(self) -> str | None:
        sizes = []
        for length in range(1, self.max_length + 1):
            words = _words(length)
            table = [[self.value(Diagram.of(x, y)) for y in words] for x in words]
            found: list[Any] | None
            if self.kernel.exactness == "exact":
                gram = Matrix(table)
                if gram.ring not in (ZZ, QQ):
                    self.checks.append(
                        "positive semidefinite: not asked, the values hold variables"
                    )
                    return None
                found = _negative_direction(gram.change_ring(QQ).rows)
            elif self.kernel.exactness == "ball":
                found = _negative_ball_direction(table)
            else:
                found = _negative_float_direction(table)
            if found is not None:
                return _not_definite(words, table, found)
            sizes.append(f"{len(words)} {'words ' if length == 1 else ''}of length {length}")
        how = {"exact": "", "ball": " (not refuted)", "float": " (as far as floats see)"}
        self.checks.append(
            f"positive semidefinite: on {', '.join(sizes)}{how[self.kernel.exactness]}"
        )
        return None


def all_diagrams(length: int) -> Iterator[Diagram]:
    """Every diagram of a length: the set partitions of 2 * length positions.

    >>> sum(1 for _ in all_diagrams(2))
    15
    """

    def grow(codes: Codes, tokens: int) -> Iterator[Codes]:
        if len(codes) == 2 * length:
            yield codes
            return
        for code in range(tokens + 1):
            yield from grow((*codes, code), max(tokens, code + 1))

    for codes in grow((), 0):
        yield Diagram(codes[:length], codes[length:])


def _kind(value: Any) -> str:
    """'exact', 'ball', 'float', or what else it is."""
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, float) or getattr(value, "exactness", None) == "float":
        return "float"
    try:
        return Matrix([[value]]).exactness
    except SymbenchError:
        return f"a {type(value).__name__}"


def _renamings(names: list[str]) -> Iterator[dict[str, str]]:
    """Exchanges of neighbours, all names new, and a few random permutations."""
    new = [f"{name}'" for name in names]
    everything = names + new
    yield dict(zip(everything, new + names, strict=True))
    for a, b in zip(names, [*names[1:], new[0]], strict=True):
        yield {a: b, b: a}
    stream = random.Random(len(names))
    for _ in range(_RANDOM_RENAMINGS):
        images = list(everything)
        stream.shuffle(images)
        yield dict(zip(everything, images, strict=True))


def _words(length: int) -> list[Word]:
    """All words over the largest alphabet of at most length + 1 letters that stays small."""
    size = max(2, next((n for n in range(length + 1, 1, -1) if n**length <= _WORDS), 2))
    return [Word(word) for word in product("ABCDEF"[:size], repeat=length)]


def _not_definite(words: list[Word], table: list[list[Any]], vector: list[Any]) -> str:
    used = [i for i, weight in enumerate(vector) if weight]
    total = _form(table, vector)
    return (
        f"is not positive semidefinite: words {', '.join(str(words[i]) for i in used)} with "
        f"weights {', '.join(str(vector[i]) for i in used)} give {total}"
    )


def _form(table: list[list[Any]], vector: list[Any]) -> Any:
    """v^T M v."""
    weights, table = vector, [[plain_float(entry) for entry in row] for row in table]
    with working_precision(192):
        if isinstance(table[0][0], flint.arb):
            weights = [flint.arb(fmpq(weight)) for weight in vector]
        return sum(
            a * b * entry
            for a, row in zip(weights, table, strict=True)
            for b, entry in zip(weights, row, strict=True)
        )


def _negative_direction(rows: tuple[tuple[Any, ...], ...]) -> list[Fraction] | None:
    """A vector v with v^T M v < 0 for a symmetric rational M, or None if there is none.

    Elimination with the change of basis kept: row i of `basis` has the form's value
    form[i][i], and two remaining rows have form[i][j].
    """
    size = len(rows)
    form = [list(row) for row in rows]
    basis = [[Fraction(int(i == j)) for j in range(size)] for i in range(size)]
    left = list(range(size))
    while left:
        for i in left:
            if form[i][i] < 0:
                return basis[i]
        pivot = next((i for i in left if form[i][i] > 0), None)
        if pivot is None:
            return _from_zero_diagonal(form, basis, left)
        left.remove(pivot)
        for i in left:
            factor = form[i][pivot] / form[pivot][pivot]
            if factor:
                for j in left:
                    form[i][j] -= factor * form[pivot][j]
                basis[i] = [a - factor * b for a, b in zip(basis[i], basis[pivot], strict=True)]
    return None


def _from_zero_diagonal(
    form: list[list[Any]], basis: list[list[Fraction]], left: list[int]
) -> list[Fraction] | None:
    """With a zero diagonal any other entry c gives e_i - sign(c) e_j the value -2 |c|."""
    for i in left:
        for j in left:
            if form[i][j] != 0:
                sign = 1 if form[i][j] > 0 else -1
                return [a - sign * b for a, b in zip(basis[i], basis[j], strict=True)]
    return None


def _negative_ball_direction(table: list[list[flint.arb]]) -> list[Fraction] | None:
    """A vector whose form is certainly negative, guessed by floats and confirmed in balls."""
    guess = _float_direction([[float(x) for x in row] for row in table])[1]
    vector = [Fraction(round(x * 2**20), 2**20) for x in guess]
    return vector if _form(table, vector) < 0 else None


def _negative_float_direction(table: list[list[Any]]) -> list[float] | None:
    """An eigenvector of an eigenvalue that is negative beyond rounding."""
    rows = [[float(plain_float(x)) for x in row] for row in table]
    smallest, vector = _float_direction(rows)
    size = max(abs(x) for row in rows for x in row)
    return vector if smallest < -1e-9 * size * len(rows) else None


def _float_direction(rows: list[list[float]]) -> tuple[float, list[float]]:
    values, vectors = np.linalg.eigh(np.array(rows))
    return float(values[0]), [float(x) for x in vectors[:, 0]]
