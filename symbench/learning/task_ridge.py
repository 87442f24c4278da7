"""TaskRidge: kernel ridge regression on strings of a task, by templates and shared tokens.

With the split K = N + K_perp of `symbench.learning.template_split`, Z the indicators of the
patterns of the training strings, B = K_perp + ridge and G = Z^T B^-1 Z, the predictor is

    f(x) = q . N[., x] + c . K_perp(., x),   (I + G N) q = Z^T B^-1 y,   c = B^-1 (y - Z N q),

and the second part is 0 at strings whose tokens were not seen. B is sparse: only strings that share
a token meet. Exact numbers are solved one connected piece of the meetings at a time, floats by a
sparse factorisation; no n x n matrix is made. At most 15 wildcards in a string are compared, and at
most twenty million pairs of strings that meet.

>>> task = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
>>> kernel = inner_product(lambda n: n, incidence=True)
>>> found = TaskRidge(task, kernel, ["AA", "AB", "BB", "BC", "CA"], ridge=1)
>>> found.unseen, found.predict(["XX", "AA", "CC", "AX"])
((86/139, -88/139), (86/139, 191/278, 23/139, -181/278))
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from math import floor, log10, sqrt
from typing import Any

import attrs
import flint

from symbench._arguments import choice, instance, sequence, shown
from symbench.certificates import RidgePrediction
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadValue, NotExact, NotInvertible, TooLarge
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.arrays import Array, Floats, Integers, np
from symbench.exact.rational import exact_number, fmpq, rational
from symbench.kernels.base import Kernel
from symbench.kernels.diagram import Diagram
from symbench.kernels.float_value import MOST_DIGITS, FloatValue
from symbench.kernels.softmax.finite_values import agreement
from symbench.learning.collisions import Coded, Meetings
from symbench.learning.numbers import as_float, number
from symbench.learning.template_split import Number, TemplateSplit
from symbench.words import Sample, Task, Template
from symbench.words.letters import show

# Exact solving takes the cube of a connected piece, with numbers that grow: some seconds.
_PIECE, _EXACT = 120, 2_000
# Strings that a certificate names.
_SHOWN = 20
# Columns that are solved for at once.
_COLUMNS = 32
# A pivot below this part of the largest is lost in rounding; a larger Q is a singular matrix.
_LOST, _ENDLESS = 1e-13, 1e12


# --- the system B = K_perp + ridge -------------------------------------------------------------
@attrs.frozen(eq=False)
class _ExactSystem:
    """B by its connected pieces, each with its inverse; arrays hold FLINT rationals."""

    size: int
    pieces: list[tuple[list[int], flint.fmpq_mat]]

    @classmethod
    def of(cls, diagonal: Array, met: Meetings, values: Array) -> _ExactSystem:
        size, found = len(diagonal), []
        place, name = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
        parts = connected(size, met)
        for number_, part in enumerate(parts):
            place[part], name[part] = np.arange(len(part)), number_
        within: dict[int, list[int]] = {}
        for k, n in enumerate(name[met.left].tolist()):
            within.setdefault(n, []).append(k)
        for number_, part in enumerate(parts):
            block = flint.fmpq_mat(len(part), len(part))
            for i in part:
                block[int(place[i]), int(place[i])] = diagonal[i]
            for k in within.get(number_, ()):
                i, j = int(place[met.left[k]]), int(place[met.right[k]])
                block[i, j] = block[j, i] = values[k]
            try:
                found.append((part, block.inv()))
            except ZeroDivisionError:
                raise _singular() from None
        return cls(size, found)

    def solve(self, columns: Array) -> Array:
        """B^-1 times some columns."""
        found = np.empty(columns.shape, dtype=object)
        for part, inverse in self.pieces:
            right = flint.fmpq_mat(columns[part].tolist())
            found[part] = np.array((inverse * right).tolist(), dtype=object)
        return found


@attrs.frozen(eq=False)
class _FloatSystem:
    """B as a sparse matrix, with its sparse factors."""

    matrix: Any
    factors: Any

    @classmethod
    def of(cls, diagonal: Floats, met: Meetings, values: Floats) -> _FloatSystem:
        from scipy.sparse import csc_array
        from scipy.sparse.linalg import splu

        own, size = np.arange(len(diagonal)), len(diagonal)
        entries = np.concatenate([diagonal, values, values])
        rows = np.concatenate([own, met.left, met.right])
        columns = np.concatenate([own, met.right, met.left])
        matrix = csc_array((entries, (rows, columns)), shape=(size, size))
        try:
            factors = splu(
                matrix,
                permc_spec="MMD_AT_PLUS_A",
                diag_pivot_thresh=0.0,
                options={"SymmetricMode": True},
            )
        except RuntimeError:
            raise _singular() from None
        pivots = np.abs(factors.U.diagonal())
        if pivots.min() <= _LOST * pivots.max():
            raise _singular()
        return cls(matrix, factors)

    def solve(self, columns: Floats) -> Floats:
        """B^-1 times some columns."""
        found: Floats = self.factors.solve(columns)
        return found


def connected(size: int, met: Meetings) -> list[list[int]]:
    """The connected pieces of the meetings of this many strings, largest first."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    graph = coo_array((np.ones(len(met), np.int8), (met.left, met.right)), shape=(size, size))
    _, name = connected_components(graph, directed=False)
    order = np.argsort(name, kind="stable")
    cuts = np.flatnonzero(np.diff(name[order])) + 1
    return sorted((part.tolist() for part in np.split(order, cuts)), key=len, reverse=True)


def _singular() -> NotInvertible:
    return NotInvertible(
        "the ridge is 0, or lost in rounding, and the kernel on the strings is singular: give a "
        "larger ridge"
    )


@attrs.frozen(eq=False)
class _Solution:
    """The parts of the predictor, over one list of kernel values."""

    N: Array
    system: _ExactSystem | _FloatSystem
    G: Array
    q: Array
    c: Array


@attrs.frozen(init=False, repr=False, eq=False, slots=False)
class TaskRidge(Shown):
    """Ridge regression with a kernel on given strings of a task.

    `strings` are those of training: a list of them, or a Sample of the task. They have the labels
    of the task, unless others are given, one for each string. Kernels with rational values are
    solved exactly, up to 2,000 strings of which at most 120 hang together by common tokens;
    beyond, and for attention at finite parameters, the numbers are floats that say their digits.

    >>> train, _ = tasks.same_different().sample(2_000, 0, 4_000)
    >>> found = TaskRidge(tasks.same_different(), attention(beta=2, gamma=1), train)
    >>> found, [round(float(value), 1) for value in found.unseen]
    (<TaskRidge on 2,000 strings, float, ridge 1>, [0.8, -0.8])
    >>> TaskRidge(tasks.same_different(), inner_product([1, 2, 3]), ["AA", "AA"], ridge=0)
    Traceback (most recent call last):
    ...
    symbench.errors.NotInvertible: the ridge is 0, or lost in rounding, and the kernel on the ...
    """

    task: Task
    split: TemplateSplit  # of the patterns of the training strings
    strings: Coded
    labels: Array
    ridge: Rational
    exactness: str
    meetings: Meetings  # the pairs of training strings with a common token for wildcards
    _whole: TemplateSplit  # of the task's templates
    _names: tuple[str, ...]  # the tokens by their codes

    def __init__(
        self,
        task: Task,
        kernel: Kernel,
        strings: Any,
        labels: Any = None,
        *,
        ridge: Any = 1,
        cls: bool = True,
        backend: str = "auto",
        digits: int = 8,
    ) -> None:
        instance(task, Task, "the task", "a Task with numbers as labels")
        shift = number(ridge, "the ridge", at_least=0)
        choice(backend, "the backend", ("auto", "exact", "float"))
        whole = TemplateSplit(task, kernel, cls, digits=digits)
        codes, names = _codes(whole, task, strings)
        regular = names[: len(whole.regular_tokens)]
        coded = Coded.of(codes, regular)
        split = TemplateSplit(coded.patterns, kernel, False, digits=digits)
        found = _labels(task, whole, strings, coded, names, labels)
        met = Meetings.within(coded)
        reasons = []
        if split.exactness == "float":
            reasons.append(f"{kernel!r} has float values")
        if found.dtype != object:
            reasons.append("the labels are floats")
        if backend != "float" and not reasons:
            pieces = connected(len(codes), met) if len(codes) <= _EXACT else []
            if not pieces or len(pieces[0]) > _PIECE:
                reasons.append(
                    f"there are {len(codes):,} strings, or more than {_PIECE} hang together"
                )
        if backend == "exact" and reasons:
            raise TooLarge(f"exact numbers are asked for and {reasons[0]}: take backend='float'")
        exact = backend != "float" and not reasons
        if not exact and found.dtype == object:
            found = np.array([int(y.p) / int(y.q) for y in found])
        if not exact:
            as_float(shift, "the ridge")
        kind = "exact" if exact else "float"
        self.__attrs_init__(task, split, coded, found, shift, kind, met, whole, names)
        self._solutions  # noqa: B018  a singular kernel is told here

    def __repr__(self) -> str:
        return f"<TaskRidge on {len(self):,} strings, {self.exactness}, ridge {self.ridge}>"

    def __len__(self) -> int:
        return len(self.strings.codes)

    @property
    def kernel(self) -> Kernel:
        """The kernel."""
        return self.split.kernel

    @property
    def patterns(self) -> tuple[Template, ...]:
        """The patterns of the training strings."""
        return self.split.templates

    @cached_property
    def counts(self) -> tuple[int, ...]:
        """How many training strings each pattern has."""
        found = np.bincount(self.strings.which, minlength=len(self.patterns))
        return tuple(found.tolist())

    # --- values of the kernel -----------------------------------------------------------------
    def _values(self, diagrams: list[Diagram]) -> list[Array]:
        """The kernel on diagrams: one array of FLINT rationals or of floats, or two of floats."""
        found = self.split.values.on(diagrams)
        kind = object if self.exactness == "exact" else float
        lists = (0,) if self.split.digits is None else (0, -1)
        return [np.array([self._cast(v[k]) for v in found], dtype=kind) for k in lists]

    def _cast(self, value: Any) -> Any:
        return fmpq(value) if self.exactness == "exact" else float(value)

    def _residuals(self, left: Coded, patterns: tuple[Template, ...], met: Meetings) -> list[Array]:
        """The residual kernel of each pair of a string and a training string that meet."""
        meet, apart = [], []
        for i, j in met.shown:
            pair = (*left.codes[i].tolist(), *self.strings.codes[j].tolist())
            meet.append(Diagram.from_codes(pair))
            z, w = patterns[left.which[i]], self.patterns[self.strings.which[j]]
            apart.append(Diagram.of_templates(z, w))
        both = zip(self._values(meet), self._values(apart), strict=True)
        return [(one - two)[met.ways] for one, two in both]

    def _columns(self, templates: tuple[Template, ...]) -> list[Array]:
        """N between the training patterns and some templates."""
        diagrams = [Diagram.of_templates(z, w) for z in self.patterns for w in templates]
        shape = (len(self.patterns), len(templates))
        return [values.reshape(shape) for values in self._values(diagrams)]

    # --- the predictor ------------------------------------------------------------------------
    @cached_property
    def _solutions(self) -> list[_Solution]:
        exact, which, size = self.exactness == "exact", self.strings.which, len(self.patterns)
        shift = self._cast(self.ridge)
        off = self._residuals(self.strings, self.patterns, self.meetings)
        found = []
        for (rows, kappa), values in zip(self.split.lists, off, strict=True):
            kind = object if exact else float
            N = np.array([[self._cast(x) for x in row] for row in rows], dtype=kind)
            own = np.array([self._cast(k) for k in kappa], dtype=kind) - np.diag(N) + shift
            build = _ExactSystem.of if exact else _FloatSystem.of
            system = build(own[which], self.meetings, values)
            G = np.zeros((size, size), dtype=kind)
            for start in range(0, size, _COLUMNS):
                stop = min(size, start + _COLUMNS)
                columns = self._cast_array(which[:, None] == np.arange(start, stop)[None, :])
                G[:, start:stop] = self._by_pattern(system.solve(columns))
            u = system.solve(self.labels[:, None])
            q = _solve(np.eye(size, dtype=kind) + G @ N, self._by_pattern(u))[:, 0]
            c = system.solve((self.labels - (N @ q)[which])[:, None])[:, 0]
            found.append(_Solution(N, system, G, q, c))
        return found

    def _cast_array(self, values: Array) -> Array:
        if self.exactness == "float":
            return values.astype(float)
        return np.array([[flint.fmpq(int(x)) for x in row] for row in values.tolist()]).reshape(
            values.shape
        )

    def _by_pattern(self, columns: Array) -> Array:
        """Z^T times some columns: the sums over the strings of each pattern."""
        size = len(self.patterns)
        if self.exactness == "float":
            order = np.argsort(self.strings.which, kind="stable")
            starts = np.concatenate([[0], np.cumsum(self.counts)[:-1]])
            sums: Array = np.add.reduceat(columns[order], starts, axis=0)
            return sums
        found = np.full((size, columns.shape[1]), flint.fmpq(0), dtype=object)
        for pattern, row in zip(self.strings.which.tolist(), columns, strict=True):
            found[pattern] = found[pattern] + row
        return found

    @property
    def gram(self) -> tuple[tuple[Number, ...], ...]:
        """G = Z^T (K_perp + ridge)^-1 Z, over the patterns of the training strings."""
        rows = [self._numbers([s.G[i] for s in self._solutions]) for i in range(len(self.patterns))]
        return tuple(rows)

    @cached_property
    def unseen(self) -> tuple[Number, ...]:
        """What is predicted at each template of the task, on tokens not seen in training."""
        return self._at(self._whole.templates)

    def at(self, template: Template) -> Number:
        """What is predicted at a template's strings over tokens that were not seen.

        >>> task = Task([Template("αα").with_cls(), Template("AB").with_cls()], labels=[1, -1])
        >>> kernel = inner_product(lambda n: n, incidence=True)
        >>> TaskRidge(task, kernel, ["EE", "AB"]).at(Template("AA").with_cls())
        1/47
        """
        instance(template, Template, "the template", "a Template such as Template('αβ')")
        size = len(self.patterns[0])
        if len(template) != size:
            raise BadShape(f"the template is {template}: give one of length {size}")
        return self._at((template,))[0]

    def _at(self, templates: tuple[Template, ...]) -> tuple[Number, ...]:
        columns = self._columns(templates)
        pairs = zip(self._solutions, columns, strict=True)
        return self._numbers([s.q @ column for s, column in pairs])

    def predict(self, strings: Any) -> tuple[Number, ...]:
        """What is predicted at any strings: a list of them, or a Sample drawn with the training."""
        codes, _ = _codes(self._whole, self.task, strings, self._names)
        if not len(codes):
            return ()
        coded = Coded.of(codes, self._names[: len(self._whole.regular_tokens)])
        met = Meetings.between(coded, self.strings)
        columns = self._columns(coded.patterns)
        off = self._residuals(coded, coded.patterns, met)
        found = []
        for s, column, values in zip(self._solutions, columns, off, strict=True):
            total = (s.q @ column)[coded.which]
            if self.exactness == "float":
                more = np.bincount(met.left, values * s.c[met.right], minlength=len(codes))
                found.append(total + more)
                continue
            for k, (i, j) in enumerate(zip(met.left.tolist(), met.right.tolist(), strict=True)):
                total[i] += values[k] * s.c[j]
            found.append(total)
        return self._numbers(found)

    def certificate(self, string: Any) -> RidgePrediction:
        """The prediction at a string as a certificate, to be checked by multiplying: exact only.

        >>> task = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
        >>> kernel = inner_product(lambda n: n, incidence=True)
        >>> found = TaskRidge(task, kernel, ["AA", "AB"]).certificate("BB")
        >>> found.explain(), found.check()
        ('ridge regression on 2 strings with 2 patterns and ridge 1 predicts 1/19', True)
        """
        if self.exactness != "exact":
            raise NotExact("the predictions are floats: a certificate needs exact numbers")
        codes, names = _codes(self._whole, self.task, [string], self._names)
        coded = Coded.of(codes, self._names[: len(self._whole.regular_tokens)])
        new = Meetings.between(coded, self.strings)
        (column,), n = self._columns(coded.patterns), len(self)
        (within,) = self._residuals(self.strings, self.patterns, self.meetings)
        (between,) = self._residuals(coded, coded.patterns, new)
        s, which = self._solutions[0], self.strings.which
        k, rows = column[which, 0], []
        for (i, j), value in zip(_pairs(self.meetings), within, strict=True):
            rows.append((i, j, value + s.N[which[i], which[j]]))
        for (_, i), value in zip(_pairs(new), between, strict=True):
            k[i] += value
            rows.append((i, n, k[i]))
        # (K + ridge) a = k(x): the predictor of the labels k(x), at the training strings.
        u = s.system.solve(k[:, None])
        size = len(self.patterns)
        q = _solve(np.eye(size, dtype=object) + s.G @ s.N, self._by_pattern(u))[:, 0]
        a = s.system.solve((k - (s.N @ q)[which])[:, None])[:, 0]
        prediction = sum(map(flint.fmpq.__mul__, self.labels, a), flint.fmpq(0))
        words = ", ".join(
            show(self._names[code] for code in row) for row in self.strings.codes[:_SHOWN].tolist()
        )
        return RidgePrediction(
            patterns=tuple(which.tolist()),
            own=_column(map(fmpq, self.split.lists[0][1])),
            column=_column(column[:, 0]),
            meetings=Matrix([[*row] for row in sorted(rows)], QQ) if rows else None,
            ridge=self.ridge,
            labels=_column(self.labels),
            weights=_column(a),
            prediction=rational(prediction),
            subject=self.split.matrix,
            about={
                "strings": words + (", ..." if n > _SHOWN else ""),
                "string": show(names[code] for code in codes[0].tolist()),
                "patterns": ", ".join(map(str, self.patterns)),
                "kernel": repr(self.kernel),
            },
        )

    def _numbers(self, lists: list[Any]) -> tuple[Number, ...]:
        """Exact numbers, or floats with the digits that are sure."""
        if self.exactness == "exact":
            return tuple(rational(value) for value in lists[0])
        most = min(self.split.digits or MOST_DIGITS, MOST_DIGITS)
        found = []
        for one, two in zip(lists[0].tolist(), lists[-1].tolist(), strict=True):
            sure = floor(-log10(max(self._rounding / max(abs(two), 1e-300), 1e-16)))
            found.append(FloatValue(two, max(0, min(most, sure, agreement(one, two)))))
        return tuple(found)

    @cached_property
    def _rounding(self) -> float:
        """A bound of what rounding adds to a prediction.

        If r is what is left of y - (K + ridge) c, a prediction is off by r^T (K + ridge)^-1 k(x),
        at most |r| (K(x, x) / ridge)^(1/2).
        """
        s = self._solutions[-1]
        assert isinstance(s.system, _FloatSystem)
        sums = np.bincount(self.strings.which, s.c, minlength=len(self.patterns))
        left = self.labels - s.system.matrix @ s.c - (s.N @ sums)[self.strings.which]
        ridge = max(float(self.ridge), _LOST)
        largest = max(float(k) for k in (*self.split.kappa, *self._whole.kappa))
        return float(np.linalg.norm(left)) * sqrt(largest / ridge)

    # --- what noise does, and a bound ---------------------------------------------------------
    @cached_property
    def noise_gain(self) -> tuple[Number, ...]:
        """For each template of the task, the variance at unseen tokens for noise of variance 1.

        >>> task = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
        >>> kernel = inner_product(lambda n: n, incidence=True)
        >>> TaskRidge(task, kernel, ["AA", "BC"], ridge=1).noise_gain
        (820/2209, 544/2209)
        """
        found = []
        size = len(self.patterns)
        for s, N in zip(self._solutions, self._columns(self._whole.templates), strict=True):
            kind = N.dtype
            # w = B^-1 Z (I + N G)^-1 N e_j
            inner = _solve(np.eye(size, dtype=kind) + s.N @ s.G, N)
            sums = np.zeros(N.shape[1], dtype=kind)
            for start in range(0, N.shape[1], _COLUMNS):
                part = slice(start, start + _COLUMNS)
                w = s.system.solve(inner[self.strings.which, part])
                sums[part] = (w * w).sum(axis=0)
            found.append(sums)
        return self._numbers(found)

    @cached_property
    def spread(self) -> tuple[tuple[Number, ...], ...]:
        """Omega: the mean of K_perp + ridge over the strings of two patterns.

        >>> task = Task([Template("αα").with_cls(), Template("αβ").with_cls()], labels=[1, -1])
        >>> kernel = inner_product(lambda n: n, incidence=True)
        >>> TaskRidge(task, kernel, ["AA", "AB", "BB"], ridge=1).spread
        ((3/2, 1), (1, 3))
        """
        which, size, met = self.strings.which, len(self.patterns), self.meetings
        counts, shift = self.counts, self._cast(self.ridge)
        off = self._residuals(self.strings, self.patterns, met)
        found = []
        for (rows, kappa), values in zip(self.split.lists, off, strict=True):
            total = np.array([[self._cast(Rational(0))] * size for _ in range(size)])
            np.add.at(total, (which[met.left], which[met.right]), values)
            np.add.at(total, (which[met.right], which[met.left]), values)
            for i in range(size):
                own = shift + self._cast(kappa[i]) - self._cast(rows[i][i])
                total[i, i] += counts[i] * own
            found.append(
                np.array(
                    [
                        [total[i, j] / (counts[i] * counts[j]) for j in range(size)]
                        for i in range(size)
                    ]
                )
            )
        return tuple(self._numbers([table[i] for table in found]) for i in range(size))

    def bound(self, *, seen: bool = False) -> tuple[float, ...]:
        """A proved bound of the error at each template of the task: floats.

        For labels without noise, a ridge above 0, every template in the training set and a
        nonsingular template matrix: |f(x) - f_j| <= (Omega_jj Q h)^(1/2) at strings of unseen
        tokens, Q = f^T N^-1 f, h = omega / (1 + omega)^2 for omega = lambda_max(N^-1 Omega) <= 1,
        else 1/4. With seen=True the bound is for all strings whose tokens are regular in no
        template: (Q h)^(1/2) (Omega_jj^(1/2) + (K(x, x) - N_jj)^(1/2)).
        """
        from scipy.linalg import eigh

        if not self.ridge:
            raise BadValue("the ridge is 0: the bound needs one above 0")
        order = self._order()
        f = np.array([float(y) for y in self._whole.read_labels()])
        if not np.allclose(self.labels.astype(float), f[order][self.strings.which]):
            raise BadValue("the labels have noise: the bound is for labels without it")
        N = np.array([[float(x) for x in row] for row in self.split.lists[-1][0]])
        omega = np.array([[float(x) for x in row] for row in self.spread])
        label = f[order]
        Q, h = _size(N, label), shrinkage(float(eigh(omega, N, eigvals_only=True)[-1]))
        own = np.array([float(x) for x in self.split.residual])
        found = np.sqrt(Q * h) * (np.sqrt(np.diag(omega)) + (np.sqrt(own) if seen else 0.0))
        result = np.empty(len(f))
        result[order] = found
        return tuple(map(float, result))

    def _order(self) -> Integers:
        """Which template of the task each pattern is; all of them must be there."""
        known = {z.canonical: i for i, z in enumerate(self._whole.templates)}
        missing = [z for z in known if z not in self.patterns]
        extra = [z for z in self.patterns if z not in known]
        if missing or extra:
            raise BadValue(
                f"the training strings have {'other' if extra else 'not all'} patterns, such as "
                f"{(extra or missing)[0]}: the bound needs the task's templates, each at least once"
            )
        return np.array([known[z] for z in self.patterns])


def _pairs(met: Meetings) -> Iterator[tuple[int, int]]:
    return zip(met.left.tolist(), met.right.tolist(), strict=True)


def _column(values: Iterable[Any]) -> Matrix:
    return Matrix([[value] for value in values], QQ)


def shrinkage(omega: float) -> float:
    """h = omega / (1 + omega)^2, and 1/4 from omega = 1 on: the largest of t / (1 + t)^2 below.

    >>> shrinkage(0.5) == 0.5 / 2.25, shrinkage(3)
    (True, 0.25)
    """
    return omega / (1 + omega) ** 2 if omega <= 1 else 0.25


def _size(N: Floats, f: Floats) -> float:
    """Q = f^T N^-1 f."""
    try:
        found = float(f @ np.linalg.solve(N, f))
    except np.linalg.LinAlgError:
        found = -1.0
    if not 0 <= found < _ENDLESS:
        raise NotInvertible("the template matrix is singular: there is no bound")
    return found


def _solve(matrix: Array, right: Array) -> Array:
    """A small system over FLINT rationals or floats."""
    if matrix.dtype != object:
        found: Array = np.linalg.solve(matrix, right)
        return found
    rows = [[flint.fmpq(x) for x in row] for row in matrix.tolist()]
    columns = [[flint.fmpq(x) for x in row] for row in right.tolist()]
    solved = flint.fmpq_mat(rows).solve(flint.fmpq_mat(columns))
    return np.array(solved.tolist(), dtype=object).reshape(right.shape)


# --- reading -----------------------------------------------------------------------------------
def _codes(
    whole: TemplateSplit, task: Task, strings: Any, names: tuple[str, ...] = ()
) -> tuple[Integers, tuple[str, ...]]:
    """Strings as rows of integers, and the tokens by their codes; regular tokens come first."""
    ends = len(whole.templates[0]) > task.length
    regular = tuple(dict.fromkeys((*task.regular_tokens, *sorted(whole.regular_tokens))))
    first = len(task.regular_tokens)
    if isinstance(strings, Sample) and strings.tokens[:first] == task.regular_tokens:
        more = len(regular) - first
        known = (*regular, *strings.tokens[first:])
        if names and known != names:
            return _codes(whole, task, strings.strings(), names)
        codes = strings.array + np.where(strings.array < first, 0, more)
        if ends:
            last = np.full((len(codes), 1), len(regular) - 1)
            codes = np.concatenate([codes, last], axis=1)
        if not names and not len(codes):
            raise BadValue("there are no training strings: give at least one")
        return codes, known
    listed = sequence(strings, "the strings", "a list of strings, or a Sample of the task")
    if not names and not listed:
        raise BadValue("there are no training strings: give at least one")
    code_of = {token: code for code, token in enumerate(names or regular)}
    rows = [
        [code_of.setdefault(letter, len(code_of)) for letter in whole.read(string)]
        for string in listed
    ]
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1), tuple(code_of)


def _labels(
    task: Task,
    whole: TemplateSplit,
    strings: Any,
    coded: Coded,
    names: tuple[str, ...],
    labels: Any,
) -> Array:
    """One label for each training string: FLINT rationals, or floats where one is given."""
    count = len(coded.codes)
    if labels is not None:
        given = sequence(labels, "the labels", "one number for each string")
        if len(given) != count:
            raise BadShape(f"there are {len(given)} labels: give one for each of {count} strings")
        if any(isinstance(y, float) for y in given):
            return np.array([_float_label(y) for y in given])
        found = np.empty(count, dtype=object)
        found[:] = [fmpq(number(y, "a label")) for y in given]
        return found
    known = whole.read_labels()
    if isinstance(strings, Sample) and strings.task == task:
        if strings.noise is not None:
            noisy: Floats = np.array([float(y) for y in known])[strings.indices] + strings.noise
            return noisy
        of_row = strings.indices
    else:
        of_pattern = []
        for pattern in range(len(coded.patterns)):
            row = coded.codes[np.argmax(coded.which == pattern)].tolist()
            word = [names[code] for code in row]
            hits = [i for i, z in enumerate(whole.templates) if z.matches(word)]
            if len(hits) != 1:
                many = "two templates" if hits else "no template"
                raise BadValue(
                    f"the training string {' '.join(word)} matches {many} of the task: give "
                    "strings that match one, or labels="
                )
            of_pattern.append(hits[0])
        of_row = np.array(of_pattern)[coded.which]
    if count > _EXACT:
        return np.array([float(y) for y in known])[of_row]
    exact = np.empty(count, dtype=object)
    exact[:] = [fmpq(known[i]) for i in of_row.tolist()]
    return exact


def _float_label(value: Any) -> float:
    found = value if isinstance(value, float) else float(exact_number(value))
    if not np.isfinite(found):
        raise BadValue(f"a label is {shown(value)}: give a finite number")
    return found
