"""The trusted base (`certificates.*`): what passes a check is true, and what is not true does not.

As for ranks, certificates are made up here, right and wrong ones, and the answer of their check is
compared with the truth from the definition: the leading minors, all permutations, characteristic
polynomials, cases gone through.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations, permutations, product
from operator import mul
from typing import Any

import attrs

from symbench.certificates import (
    BlockDiagonal,
    Exhausted,
    NotPositiveDefinite,
    PositiveDefinite,
    Stage,
    TiedAssignment,
    TraceBoundHolds,
    UniqueAssignment,
)
from symbench.certificates.claims import CaseDigest
from symbench.exact import QQ, Matrix
from symbench.papers._cases import at_most, drawn, integer, many, number, one_of, record
from symbench.papers._second_roads import leibniz
from symbench.papers.trusted_ranks import (
    SOURCE,
    Rows,
    are_rows,
    believed,
    is_square,
    pairs,
    times,
    verdict,
)
from symbench.registry import Fails, NearMiss, claim


# --- definiteness ---------------------------------------------------------------------------------
def _symmetric(value: Any) -> bool:
    return is_square(value) and all(
        value[i][j] == value[j][i] for i, j in combinations(range(len(value)), 2)
    )


def _definite(rows: Rows) -> bool:
    corners = (tuple(row[:k] for row in rows[:k]) for k in range(1, len(rows) + 1))
    return _symmetric(rows) and all(leibniz(corner) > 0 for corner in corners)


def _forms() -> Iterator[tuple[str, Rows, Rows]]:
    factors = (((1, 0), (0, 1)), ((1, 1), (0, 1)), ((1, -1), (0, 1)), ((1, 0), (0, 0)))
    for a, b, d in product(range(-1, 4), range(-3, 4), range(4)):
        rows = ((a, b), (b, d))
        for factor in factors:
            yield "factor", rows, factor
        yield "gram", rows, ((1, 1),)
        for v in ((1, 0), (1, -1), (1, 1), (0, 0)):
            yield "direction", rows, (v,)
    yield "factor", ((2, 1), (0, 2)), factors[0]


@claim(
    "certificates.definite",
    source=SOURCE,
    category="theorem",
    cases=_forms,
    boundary=("factor", ((1, 1), (1, 1)), ((1, 0), (0, 1))),
    strategy=drawn(
        lambda st: st.tuples(
            st.sampled_from(["factor", "gram"]),
            st.tuples(*[st.integers(-4, 4)] * 3).map(lambda v: ((v[0], v[1]), (v[1], v[2]))),
            st.tuples(*[st.tuples(*[st.integers(-2, 2)] * 2)] * 2),
        )
    ),
    applies=record(
        one_of("factor", "gram", "direction"), is_square, are_rows,
        where=lambda way, rows, other: len(other[0]) == len(rows) and (
            way == "gram" or len(other) == (1 if way == "direction" else len(rows))),
    ),
    near_misses=[
        NearMiss("a diagonal that weighs as much as the rest",
                 ("factor", ((1, 1), (1, 1)), ((1, 0), (0, 1))), {"weak": True}),
    ],
)  # fmt: skip
def definite(case: tuple[str, Rows, Rows], weak: bool = False) -> bool | Fails:
    r"""A certificate that $M$ is positive definite passes only if all leading minors are positive;
    and it passes if $F^\top M F$, or $M - G^\top G$, is symmetric with a diagonal that outweighs
    the rest of each row. One that $M$ is not passes iff $v^\top M v \le 0$ for its $v \ne 0$.
    """
    way, rows, other = case
    at_most(len(rows), 6, "rows")
    subject, given = Matrix(rows, QQ), Matrix(other)
    symmetric = _symmetric(rows)
    if way == "direction":
        (v,) = other
        value = sum((a * b for a, b in zip(v, times(rows, v), strict=True)), Fraction(0))
        passed = NotPositiveDefinite(direction=given.transpose()).check(subject)
        return verdict(passed, symmetric and any(v) and value <= 0, f"direction {v}")
    columns = list(zip(*other, strict=True))
    size = range(len(rows))
    if way == "factor":
        certificate = PositiveDefinite(factor=given)
        made = [[sum(map(mul, one, times(rows, two))) for two in columns] for one in columns]
    else:
        certificate = PositiveDefinite(scale=1, gram=given)
        made = [[rows[i][j] - sum(map(mul, columns[i], columns[j])) for j in size] for i in size]
    rest = [sum(abs(made[i][j]) for j in size if j != i) for i in size]
    outweighs = all(made[i][i] >= rest[i] if weak else made[i][i] > rest[i] for i in size)
    passed = certificate.check(subject)
    if passed and not _definite(rows):
        return Fails("it passes, and a leading minor is not positive")
    return verdict(passed, symmetric and outweighs, f"by {way} {other}")


# --- assignments ----------------------------------------------------------------------------------
# Rows, dual numbers of rows and columns, the assignment, the order of the rows.
DualCase = tuple[Rows, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]


def _duals() -> Iterator[DualCase]:
    both = ((0, 1), (1, 0))
    for rows in pairs(*[range(2)] * 4):
        for u, v in product(((0, 0), (1, 0), (1, 1)), ((0, 0), (0, 1), (1, -1))):
            for assignment, order in product(both, both):
                yield rows, u, v, assignment, order
    ring = ((0, 1, 0), (0, 0, 1), (1, 0, 0))
    for places in permutations(range(3)):
        yield ring, (1, 1, 1), (0, 0, 0), (1, 2, 0), places
        yield ((1, 1, 0), (0, 1, 1), (1, 0, 1)), (1, 1, 1), (0, 0, 0), (0, 1, 2), places
        yield ((1, 1, 0), (0, 1, 1), (0, 0, 1)), (1, 1, 1), (0, 0, 0), (0, 1, 2), places
        # Two that the dual numbers fit, and entries elsewhere that exceed them: there is a better.
        yield ((0, 0, 1), (0, 0, 1), (1, 1, 0)), (0, 0, 0), (0, 0, 0), (0, 1, 2), places


def _sums(rows: Rows, allowed: Callable[[tuple[int, ...]], bool]) -> dict[tuple[int, ...], Any]:
    every = permutations(range(len(rows)))
    return {s: sum(rows[i][j] for i, j in enumerate(s)) for s in every if allowed(s)}


def _winners(rows: Rows) -> set[tuple[int, ...]]:
    sums = _sums(rows, lambda s: True)
    return {s for s, total in sums.items() if total == max(sums.values())}


def _is_permutation(value: Any) -> bool:
    return many(integer(0))(value) and sorted(value) == list(range(len(value)))


@claim(
    "certificates.assignment",
    source=SOURCE,
    category="theorem",
    cases=_duals,
    boundary=(((0, 0), (0, 0)), (0, 0), (0, 0), (0, 1), (0, 1)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(0, 2)] * 3)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
            st.tuples(*[st.integers(-1, 1)] * 3),
            st.permutations(range(3)).map(tuple),
            st.permutations(range(3)).map(tuple),
        )
    ),
    applies=record(
        is_square, many(integer()), many(integer()), _is_permutation, _is_permutation,
        where=lambda rows, *parts: {*map(len, parts)} == {len(rows)},
    ),
    near_misses=[
        NearMiss("a certificate that nobody checks",
                 (((1, 1), (1, 1)), (1, 1), (0, 0), (0, 1), (0, 1)), {"believe": True}),
    ],
)  # fmt: skip
def assignment(case: DualCase, believe: bool = False) -> bool | Fails:
    r"""If a certificate of a unique assignment passes, its permutation alone has the largest sum;
    if one of a tie passes (with the permutation read backwards as the other one), both have it.
    """
    rows, u, v, chosen, order = case
    at_most(len(rows), 7, "rows")
    subject, above, left = Matrix(rows, QQ), Matrix([u]), Matrix([v])
    best = _winners(rows)
    unique = UniqueAssignment(assignment=chosen, order=order, rows=above, columns=left)
    if believed(unique, subject, believe) and best != {chosen}:
        return Fails(f"{chosen} passes as the only one, and the largest sum has {sorted(best)}")
    other = order if order != chosen else chosen[::-1]
    if other == chosen:
        return True
    tied = TiedAssignment(first=chosen, second=other, rows=above, columns=left)
    if tied.check(subject) and not {chosen, other} <= best:
        return Fails(f"{chosen} and {other} pass as tied, and the largest sum has {sorted(best)}")
    return True


# Rows, the groups before and after.
StageCase = tuple[Rows, tuple[int, ...], tuple[int, ...]]


def _stages() -> Iterator[StageCase]:
    groups = ((0, 0, 0), (0, 0, 1), (0, 1, 1), (0, 1, 2))
    tables = (
        ((2, 1, 1), (1, 1, 1), (1, 1, 1)),
        ((1, 1, 1), (1, 1, 1), (1, 1, 1)),
        ((1, 2, 0), (2, 1, 0), (0, 0, 1)),
        ((2, 0, 1), (0, 2, 1), (1, 1, 2)),
        ((1, 1, 0), (0, 1, 1), (1, 0, 1)),
    )
    return product(tables, groups, groups)


@claim(
    "certificates.stage",
    source=SOURCE,
    category="theorem",
    cases=_stages,
    boundary=(((1, 1, 1), (1, 1, 1), (1, 1, 1)), (0, 0, 0), (0, 1, 2)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(0, 2)] * 3)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
            st.tuples(*[st.integers(0, 2)] * 3),
        )
    ),
    applies=record(
        is_square, many(integer(0)), many(integer(0)),
        where=lambda rows, before, after: len(rows) == len(before) == len(after),
    ),
    near_misses=[
        NearMiss("gaps of a matrix that is not symmetric",
                 (((1, 1, 0), (0, 1, 1), (1, 0, 1)), (0, 0, 0), (0, 1, 2)), {"believe": True}),
    ],
)  # fmt: skip
def stage(case: StageCase, believe: bool = False) -> bool | Fails:
    r"""If a stage passes, then among the permutations that respect the groups before it the
    identity has the largest sum, only those that respect the groups after it have that sum too, and
    groups that were apart stay apart.
    """
    rows, before, after = case
    at_most(len(rows), 7, "rows")
    if not believed(Stage(before=before, after=after), Matrix(rows, QQ), believe):
        return True
    sums = _sums(rows, lambda s: all(before[i] == before[j] for i, j in enumerate(s)))
    best = sums[tuple(range(len(rows)))]
    for s, total in sums.items():
        inside = all(after[i] == after[j] for i, j in enumerate(s))
        if total > best or (total == best) != inside:
            return Fails(f"{s} has the sum {total}, the identity {best}")
    mixed = any(
        before[i] != before[j] and after[i] == after[j]
        for i, j in combinations(range(len(rows)), 2)
    )
    return not mixed or Fails("rows of different groups are in one group after it")


# --- spectra --------------------------------------------------------------------------------------
# A block, the place j, the dimension, the trace.
TraceCase = tuple[Rows, int, int, Fraction]


def _traces() -> Iterator[TraceCase]:
    for a, b, c, d in product(range(-1, 2), (-1, 0, 1, 2), (-1, 0, 1, 2), range(4)):
        for place, dimension in ((1, 1), (2, 1), (1, 2)):
            yield ((a, b), (c, d)), place, dimension, Fraction(3)


def _roots_at_most(rows: Rows, bound: Fraction, place: int) -> bool:
    """Whether a 2 x 2 matrix has real eigenvalues, fewer than `place` of them above the bound."""
    (a, b), (c, d) = rows
    half, disc = Fraction(a + d, 2), Fraction((a - d) ** 2 + 4 * b * c, 4)
    if disc < 0:
        return False
    # half + sqrt(disc) > bound iff half > bound, or disc > (bound - half)^2.
    low, high = (
        half > bound and disc < (half - bound) ** 2,
        (half > bound or disc > (bound - half) ** 2),
    )
    return int(low) + int(high) < place


@claim(
    "certificates.trace-bound",
    source=SOURCE,
    category="theorem",
    cases=_traces,
    boundary=(((3, 0), (0, 0)), 1, 1, Fraction(3)),
    strategy=drawn(
        lambda st: st.tuples(
            st.tuples(*[st.tuples(*[st.integers(-4, 4)] * 2)] * 2),
            st.integers(1, 2),
            st.integers(1, 4),
            st.integers(0, 9).map(Fraction),
        )
    ),
    applies=record(
        is_square, integer(1), integer(1), number(),
        where=lambda rows, place, *_: place <= len(rows) == 2,
    ),
    near_misses=[
        NearMiss("without the dimension", (((2, 0), (0, 0)), 1, 2, Fraction(3)),
                 {"dimension": 1}),
    ],
)  # fmt: skip
def trace_bound(case: TraceCase, dimension: int | None = None) -> bool | Fails:
    r"""A certificate that the $j$-th largest eigenvalue of a $2 \times 2$ block is at most
    $t / (j d)$ passes iff its eigenvalues are real and this is so.
    """
    rows, place, size, trace = case
    certificate = TraceBoundHolds(place=place, dimension=size, trace=trace)
    bound = Fraction(trace) / (place * (dimension or size))
    right = _roots_at_most(rows, bound, place)
    return verdict(certificate.check(Matrix(rows, QQ)), right, f"eigenvalue {place} <= {bound}")


# Rows, the columns of the basis, the blocks with their repeats.
BlockCase = tuple[Rows, Rows, tuple[tuple[Rows, int], ...]]
_BASIS = ((1, 1, 1), (1, -1, 0), (1, 0, -1))
_TURN = ((1, 1, 0, 0), (0, 0, 1, 1), (1, -1, 0, 0), (0, 0, 1, -1))


def _blocks() -> Iterator[BlockCase]:
    for a, b in product(range(3), range(-1, 2)):
        rows = tuple(tuple(a if i == j else b for j in range(3)) for i in range(3))
        for x, y in product((a + 2 * b, a), (a - b, a)):
            yield rows, _BASIS, ((((x,),), 1), (((y,),), 2))
    # Two blocks of two, the second of them repeated as a whole.
    pair = ((2, 1, 0, 0), (1, 2, 0, 0), (0, 0, 2, 1), (0, 0, 1, 2))
    units = tuple(tuple(int(i == j) for j in range(4)) for i in range(4))
    turned = (units[0], units[2], units[1], units[3])
    for basis in (units, turned):
        yield pair, basis, ((((2, 1), (1, 2)), 2),)
    yield pair, _TURN, ((((3,),), 2), (((1,),), 2))


def _spectrum_is(rows: Rows, blocks: tuple[tuple[Rows, int], ...]) -> bool:
    """Whether det(t - M) is the product of those of the blocks, at more points than its degree."""

    def characteristic(table: Rows, t: int) -> Any:
        return leibniz(
            tuple(
                tuple((t if i == j else 0) - x for j, x in enumerate(row))
                for i, row in enumerate(table)
            )
        )

    for t in range(len(rows) + 1):
        expected = Fraction(1)
        for block, repeats in blocks:
            expected *= characteristic(block, t) ** repeats
        if characteristic(rows, t) != expected:
            return False
    return True


@claim(
    "certificates.blocks",
    source=SOURCE,
    category="theorem",
    cases=_blocks,
    boundary=(((0, 0, 0), (0, 0, 0), (0, 0, 0)), _BASIS, ((((0,),), 1), (((0,),), 2))),
    strategy=drawn(
        lambda st: st.tuples(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3)).map(
            lambda v: (
                tuple(tuple(v[0] if i == j else v[1] for j in range(3)) for i in range(3)),
                _BASIS,
                ((((v[0] + 2 * v[1],),), 1), (((v[2],),), 2)),
            )
        )
    ),
    applies=record(
        is_square, is_square, many(record(is_square, integer(1))),
        where=lambda rows, basis, blocks: len(rows) == len(basis) == sum(
            len(block) * repeats for block, repeats in blocks),
    ),
    near_misses=[
        NearMiss("a certificate that nobody checks",
                 (((1, 0, 0), (0, 1, 0), (0, 0, 1)), _BASIS, ((((1,),), 1), (((0,),), 2))),
                 {"believe": True}),
    ],
)  # fmt: skip
def blocks(case: BlockCase, believe: bool = False) -> bool | Fails:
    r"""A block form passes iff $M B = B D$ with $D$ made of the blocks, each times an identity, and
    $B$ is invertible; then $\det(t - M)$ is the product of those of the blocks, each to the power
    of its repeats. The columns of $B$ come block by block, and for each row of a block its repeats.
    """
    rows, basis, parts = case
    at_most(len(rows), 6, "rows")
    columns = Matrix(basis).transpose()
    det = leibniz(basis)
    residue = det.numerator * pow(det.denominator, -1, 10007) % 10007
    certificate = BlockDiagonal(
        basis=columns, blocks=tuple(Matrix(block) for block, _ in parts),
        repeats=tuple(count for _, count in parts), prime=10007, residue=residue,
    )  # fmt: skip
    passed = believed(certificate, Matrix(rows, QQ), believe)
    if passed and not _spectrum_is(rows, parts):
        return Fails("it passes, and the characteristic polynomials differ")
    return believe or verdict(passed, det != 0 and _is_block_form(rows, basis, parts), "blocks")


def _is_block_form(rows: Rows, basis: Rows, parts: tuple[tuple[Rows, int], ...]) -> bool:
    """Whether M sends each vector of the basis to the combination that its block says."""
    start = 0
    for block, repeats in parts:
        for j, t in product(range(len(block)), range(repeats)):
            image = times(rows, basis[start + j * repeats + t])
            wanted = [Fraction(0)] * len(rows)
            for i in range(len(block)):
                vector = basis[start + i * repeats + t]
                wanted = [w + block[i][j] * x for w, x in zip(wanted, vector, strict=True)]
            if image != tuple(wanted):
                return False
        start += len(block) * repeats
    return True


# --- cases gone through again ---------------------------------------------------------------------
@attrs.frozen
class _Small:
    """A statement about the numbers up to a bound, as the certificates see one."""

    bound: int
    id: str = "demo.small"
    formerly: tuple[str, ...] = ()

    def sizes(self, parameters: Any) -> dict[str, Any]:
        return {"most": 5, **parameters}

    def list_cases(self, most: int = 5) -> Iterator[int]:
        return iter(range(most))

    def fails(self, case: int) -> str | None:
        return None if case < self.bound else f"{case} is too large"


@claim(
    "certificates.exhausted",
    source=SOURCE,
    category="theorem",
    cases=lambda: product(range(7), range(6), range(5)),
    boundary=(5, 5, 5),
    strategy=drawn(lambda st: st.tuples(*[st.integers(0, 9)] * 3)),
    applies=record(*[integer(0)] * 3),
    near_misses=[
        NearMiss("a list that ends before the counterexample", (3, 5, 3), {"counted": False}),
    ],
)
def exhausted(case: tuple[int, int, int], counted: bool = True) -> bool | Fails:
    r"""A certificate that a statement holds in $n$ cases passes iff these are all cases, with the
    digest of their list, there is at least one, and it holds in each.
    """
    bound, most, count = case
    at_most(most, 1_000, "cases")
    running = CaseDigest()
    for n in range(count):
        running.add(n)
    certificate = Exhausted(
        claim="demo.small", parameters={"most": most}, count=count, digest=running.hexdigest()
    )
    right = count >= 1 and (count == most or not counted) and all(n < bound for n in range(count))
    return verdict(certificate.check(_Small(bound)), right, f"{count} of {most} cases")
