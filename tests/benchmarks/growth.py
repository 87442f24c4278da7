"""How cost grows: each main operation at four sizes, the law that fits, and where it leads.

The law is a power n^a, or a^n where there are exponentially many things to list, through the last
three sizes: the first is mostly start-up. The size at which it takes a minute, or grows by a
gigabyte, is extrapolated from it and no measurement.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from math import exp, inf, log
from pathlib import Path
from typing import Any

import attrs

from symbench.draw import columns_text
from tests.benchmarks.measuring import cpu, duration, machine, peak_megabytes, versions

_NOTED = 8  # megabytes; what grows by less is not told from noise


@attrs.frozen
class Operation:
    """Something that takes longer for larger sizes; `prepare` makes the work for one of them."""

    name: str
    unit: str
    sizes: tuple[int, ...]
    prepare: Callable[[int], Callable[[], Any]]
    exponential: bool = False


@attrs.frozen
class Law:
    """log cost = constant + exponent log n, or + exponent n where the growth is exponential."""

    exponential: bool
    exponent: float
    constant: float

    @classmethod
    def through(cls, points: Iterable[tuple[int, float]], *, exponential: bool) -> Law:
        """The line through the logarithms of the last three points, by least squares."""
        last = list(points)[-3:]
        xs = [n if exponential else log(n) for n, _ in last]
        ys = [log(cost) for _, cost in last]
        x, y = sum(xs) / len(xs), sum(ys) / len(ys)
        products = sum((a - x) * (b - y) for a, b in zip(xs, ys, strict=True))
        slope = products / sum((a - x) ** 2 for a in xs)
        return cls(exponential, slope, y - slope * x)

    def size_at(self, cost: float) -> float:
        """The size at which the cost is reached."""
        if self.exponent <= 0:
            return inf
        x = (log(cost) - self.constant) / self.exponent
        return x if self.exponential else exp(min(x, 700))

    def __str__(self) -> str:
        return f"{exp(self.exponent):.3g}^n" if self.exponential else f"n^{self.exponent:.2g}"


def operations() -> list[Operation]:
    """The main operations, room by room."""
    import symbench as sb
    from symbench import kernels, young
    from symbench.exact import QQ
    from symbench.young import bulk

    def matrix(size: int, digits: int = 20, seed: int = 0) -> Any:
        stream, top = random.Random(seed), 10**digits
        return sb.Matrix([[stream.randrange(-top, top) for _ in range(size)] for _ in range(size)])

    def asked(question: str) -> Callable[[int], Callable[[], Any]]:
        def prepare(size: int) -> Callable[[], Any]:
            M = matrix(size, 9) @ matrix(size, 9).T if question != "nonsingular" else matrix(size)
            return lambda: sb.certify(M, question=question)

        return prepare

    def rank(size: int) -> Callable[[], Any]:
        every, some = range(size), range(size - 5)
        M = matrix(size, 9, 1).submatrix(every, some) @ matrix(size, 9, 2).submatrix(some, every)
        return lambda: sb.certify(M, question="rank")

    def determinant(size: int) -> Callable[[], Any]:
        stream, ring = random.Random(4), QQ["x"]
        M = sb.Matrix(
            [
                [ring.from_terms({(k,): stream.randint(-9, 9) for k in range(3)}) for _ in row]
                for row in [range(size)] * size
            ],
            ring,
        )
        return M.det

    def fresh(work: Callable[[], Any]) -> Callable[[], Any]:
        def forgetful() -> Any:
            for value in vars(bulk).values():
                if hasattr(value, "cache_clear"):
                    value.cache_clear()
            return work()

        return forgetful

    def spectrum(kernel: Any, vocabulary: int, **options: Any) -> Callable[[int], Any]:
        def prepare(length: int) -> Callable[[], Any]:
            return lambda: (
                sb.spectrum(kernel, length=length, vocabulary=vocabulary, **options).pieces
            )

        return prepare

    def staircases(n: int) -> Callable[[], Any]:
        stairs = young.Partition(*range(n, 0, -1))
        return lambda: young.littlewood_richardson(stairs, stairs)

    def K_tau(length: int, **options: Any) -> Any:
        return sb.template_matrix(sb.all_templates(length), kernels.attention(**options))

    by_count = {f.count: f for f in map(sb.all_templates, range(5, 9))}
    flatten = kernels.linear_attention(1, 1, readout="flatten")
    softmax = kernels.softmax_attention(1, 1, readout="flatten")
    return [
        Operation(
            "nonsingular? 20-digit integers", "rows", (150, 300, 600, 900), asked("nonsingular")
        ),
        Operation(
            "positive definite? 20-digit integers",
            "rows",
            (150, 300, 600, 900),
            asked("positive-definite"),
        ),
        Operation("rank with proof, deficiency 5", "rows", (75, 150, 300, 450), rank),
        Operation("determinant over QQ[x]", "rows", (20, 40, 60, 80), determinant),
        Operation(
            "character table",
            "n of S_n",
            (18, 22, 26, 30),
            lambda n: fresh(lambda: bulk.table(n, bulk.rim_hooks)),
            exponential=True,
        ),
        Operation(
            "Kostka table",
            "n",
            (14, 18, 22, 26),
            lambda n: fresh(lambda: bulk.table(n, bulk.horizontal_strips)),
            exponential=True,
        ),
        Operation("product of two staircases", "rows", (4, 5, 6, 7), staircases, exponential=True),
        Operation(
            "templates as arrays",
            "length",
            (9, 10, 11, 12),
            lambda n: lambda: sum(map(len, sb.all_templates(n).arrays())),
            exponential=True,
        ),
        Operation(
            "one certificate for all templates",
            "length",
            (7, 8, 9, 10),
            lambda n: lambda: sb.certify(K_tau(n)),
            exponential=True,
        ),
        Operation(
            "series of K_tau to beta^4",
            "length",
            (3, 4, 5, 6),
            lambda n: lambda: K_tau(n, order=4).matrix,
            exponential=True,
        ),
        Operation("exact spectrum, V = 2", "length", (30, 60, 90, 120), spectrum(flatten, 2)),
        Operation("exact spectrum, V = 3", "length", (5, 7, 9, 11), spectrum(flatten, 3)),
        Operation(
            "spectrum in floats, V = 2",
            "length",
            (50, 100, 150, 200),
            spectrum(flatten, 2, backend="float"),
        ),
        Operation(
            "spectrum of softmax attention, V = 2",
            "length",
            (6, 9, 12, 16),
            spectrum(softmax, 2, digits=6),
        ),
        Operation(
            "learnable? with attention",
            "templates",
            (52, 203, 877, 4140),
            lambda r: lambda: str(sb.learnable(by_count[r], kernels.attention())),
        ),
        Operation(
            "ridge regression on a task",
            "samples",
            (2000, 8000, 32000, 128000),
            _ridge,
        ),
    ]


def _ridge(n: int) -> Callable[[], Any]:
    import symbench as sb
    from symbench.learning import TaskRidge

    task = sb.tasks.same_different()
    train = task.sample(n, 0, 4 * n, test=0)[0]
    return lambda: TaskRidge(task, sb.kernels.attention(beta=1, gamma=1), train).unseen


def measured(operation: Operation) -> list[tuple[int, float, float | None]]:
    """Size, CPU seconds and megabytes."""
    found = []
    for size in operation.sizes:
        work = operation.prepare(size)
        seconds = min(cpu(work)[0] for _ in range(2))
        found.append((size, seconds, peak_megabytes(work)))
    return found


def line(operation: Operation, points: list[tuple[int, float, float | None]]) -> tuple[str, ...]:
    """What is printed of an operation: its times, its law, a minute, a gigabyte."""
    kind = operation.exponential
    law = Law.through(((n, seconds) for n, seconds, _ in points), exponential=kind)
    grown = [(n, m) for n, _, m in points if m is not None and m > _NOTED]
    enough = len(grown) > 1
    memory = Law.through(grown, exponential=kind).size_at(1024) if enough else inf
    times = ", ".join(f"{n}: {duration(seconds)}" for n, seconds, _ in points)
    return (
        operation.name, operation.unit, times, str(law), _size(law.size_at(60)), _size(memory)
    )  # fmt: skip


def _size(size: float) -> str:
    return "-" if size == inf else f"{size:.0f}" if size < 10**5 else f"{size:.1e}"


HEADS = ("operation", "size n", "CPU time", "grows as", "a minute at n =", "a gigabyte at n =")


def main(path: Path) -> int:
    """Measure everything, print it, and write it as JSON."""
    rows, data = [], []
    for operation in operations():
        points = measured(operation)
        rows.append(line(operation, points))
        data.append({"operation": operation.name, "size": operation.unit, "points": points})
        print("; ".join(rows[-1]), flush=True)
    print()
    print(columns_text([HEADS, *rows]))
    stored = {"machine": machine(), "versions": versions(), "operations": data}
    path.write_text(json.dumps(stored, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0
