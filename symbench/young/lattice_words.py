"""Products of Schur functions by lattice words: one strip for each letter, row by row.

A tableau of Littlewood and Richardson adds the strip of its first letter to a shape, then that of
the second and so on; the lattice rule compares each strip with the last one only. So states that
agree in their shape and their last strip are counted together, and all states grow at once as the
columns of one array. The `lrcalc` package (`pip install 'symbench[lrcalc]'`) lists the tableaux
one after the other in C, which is faster where there are few: it is asked there if it is
installed.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, pairwise
from math import prod
from operator import gt, sub
from types import ModuleType

from symbench._arguments import shown
from symbench.errors import TooLarge
from symbench.exact.arrays import Array, Integers, np
from symbench.young.partition import Parts, conjugate

FEW = 500_000  # tableaux that lrcalc lists in about 15 ms; its counts are C ints, 4000 times this
SURELY_FEW = 40  # products of this many cells have fewer
SLOW = 10_000  # letters times rows from which even a sample takes long
MANY = 10**10  # the bound of `_at_most` up to which one coefficient is counted by lrcalc
# The squares of the coefficients of a product add up to at most binomial(n, n / 2), n its size:
# none is above 3 * 10^10 up to n = 73, and the square of the staircase of 8 has 3,081,184 at most.
SURELY_NOT_MANY = 73
BLOCK = 4096  # states that grow at once: few enough for the caches of a processor
DRAWN = 100  # states that say what the next step takes
DOUBT = 2  # times the limit, from which an estimate by some states refuses
LARGEST = 100_000_000  # states times rows in one step: 0.7 s, and 2 GB if no two agree
WORD = 2.0**62  # sums of counts that a machine word holds for sure
MULTIPLIER = 0x9E3779B97F4A7C15  # odd: mixes the words of a state into one key


def product(mu: Parts, nu: Parts) -> dict[Parts, int]:
    """The shapes of the product and their multiplicities."""
    if (lrcalc := _lrcalc()) is not None and _has_few(mu, nu):
        found: dict[Parts, int] = lrcalc.mult(list(mu), list(nu))
        return found
    return strips(mu, nu)


def coefficient(lam: Parts, mu: Parts, nu: Parts) -> int:
    """The multiplicity of lam in the product of the others; sizes must agree."""
    lrcalc = _lrcalc()
    # A long long counts there, so no value below the bounds overflows; its parts are C ints.
    if lrcalc is not None and (
        sum(lam) <= SURELY_NOT_MANY or (lam[0] < 2**15 and _at_most(lam, mu, nu) <= MANY)
    ):
        found: int = lrcalc.lrcoef(lam, mu, nu)
        return found
    return strips(mu, nu, lam).get(lam, 0)


@cache
def _lrcalc() -> ModuleType | None:
    try:
        import lrcalc
    except ImportError:
        return None
    module: ModuleType = lrcalc
    return module


def _at_most(lam: Parts, mu: Parts, nu: Parts) -> int:
    """A bound for the coefficient: dim mu dim nu / dim lam over GL_m, with lam of m rows."""
    rows = len(lam)
    if rows > 100 or not (_inside(mu, lam) and _inside(nu, lam)):
        return MANY + 1  # our road: at once, or by columns

    def dimension(parts: Parts) -> int:
        """The dimension times the product of all differences of 0, ..., m - 1."""
        beads = map(sub, (*parts, *[0] * (rows - len(parts))), range(rows))
        return prod([a - b for a, b in combinations(beads, 2)])

    return dimension(mu) * dimension(nu) // (dimension(lam) * dimension(()))


def _has_few(mu: Parts, nu: Parts) -> bool:
    """Whether lrcalc answers at once: it lists all tableaux and cannot be interrupted."""
    if (cells := sum(mu) + sum(nu)) <= SURELY_FEW:
        return True
    slow = min(len(mu), len(nu)) * (len(mu) + len(nu)) > SLOW or cells >= 2**15
    return not slow and _Filling(mu, nu, sample=60).tableaux <= FEW


def strips(mu: Parts, nu: Parts, lam: Parts | None = None) -> dict[Parts, int]:
    """The product, or its part at lam, by strips of letters; TooLarge says what it would take."""
    if lam is not None and not (_inside(mu, lam) and _inside(nu, lam)):
        return {}
    filled = _Filling(mu, nu, lam)
    lengths = np.count_nonzero(filled.shapes, axis=0).tolist()
    padded = zip(*filled.shapes.tolist(), strict=True)
    counts = filled.counts.tolist()
    return {p[:end]: c for p, end, c in zip(padded, lengths, counts, strict=True)}


def _inside(inner: Parts, outer: Parts) -> bool:
    return len(inner) <= len(outer) and not any(map(gt, inner, outer))


def _conjugates(shapes: Array) -> Array:
    """The conjugates of shapes, which are the columns of an array."""
    states, width = shapes.shape[1], int(shapes.max(initial=0)) + 1
    places = shapes + width * np.arange(states)
    ending = np.bincount(places.ravel(), minlength=width * states).reshape(states, width)
    found: Array = ending[:, ::-1].cumsum(axis=1)[:, ::-1][:, 1:].T
    return found


class _Filling:
    """All shapes after the last letter; with `sample`, about that many drawn after each letter.

    A state is a shape and its last strip: one number for each row, as many of them as fit in a
    machine word, the first row on top. `counts` are the numbers of tableaux that lead to the
    states, and `tableaux` is their sum, an estimate if states were drawn.
    """

    def __init__(
        self, mu: Parts, nu: Parts, lam: Parts | None = None, *, sample: int | None = None
    ) -> None:
        if (cells := sum(mu) + sum(nu)) >= 2**62:  # sizes are numbers of 64 bits here
            raise TooLarge(f"the product has {shown(cells)} cells: give shapes of fewer than 2^62")
        letters, columns = min(len(mu), len(nu)), min(mu[0], nu[0]) if mu and nu else 0
        # Columns in place of rows where that takes fewer steps.
        turned = columns * sum((*mu[:1], *nu[:1])) < letters * (len(mu) + len(nu))
        if turned:
            mu, nu, lam = conjugate(mu), conjugate(nu), None if lam is None else conjugate(lam)
        if len(mu) < len(nu):
            mu, nu = nu, mu
        rows = (len(lam) if lam is not None else len(mu) + len(nu)) or 1
        self.lam, self.rows = lam, rows
        # No row is longer than the first ones together.
        self.bits = sum((*mu[:1], *nu[:1])).bit_length() or 1
        self.dtype = np.int16 if cells < 2**15 else np.int64
        self.words = self._place(rows - 1)[0] + 1
        states: Array = np.zeros((2 * self.words, 1), dtype=np.uint64)
        for row, part in enumerate(mu):
            word, shift = self._place(row)
            states[word] += np.uint64(part) << shift
        counts: Array = np.ones(1, dtype=np.int64)
        share = 1.0
        random = np.random.default_rng(0) if sample else None
        for letter, size in enumerate(nu):
            later, top = len(nu) - letter - 1, min(rows, len(mu) + letter + 1)
            self.letter, self.letters, self.made = letter, len(nu), 0
            if len(counts) > 2 * DRAWN:
                self._foresee(states, letter, size, later, top)
            grown = []
            for start in range(0, len(counts) or 1, BLOCK):
                block = states[:, start : start + BLOCK]
                parents, strip = self._strips(block, letter, size, later, top)
                self.made += len(parents)
                shapes = block[: self.words].take(parents, axis=1) + strip
                # After the last letter only the shapes matter.
                new = np.concatenate([shapes, strip]) if later else shapes
                ways = counts[start : start + BLOCK].take(parents)
                grown.append(_merged(new, ways, last=not later))
            states, counts = grown[0]
            if len(grown) > 1:
                parts, numbers = zip(*grown, strict=True)
                states, counts = np.concatenate(parts, axis=1), np.concatenate(numbers)
                states, counts = _merged(states, counts, last=not later)
            if random is not None and sample is not None and len(counts) > sample:
                drawn = random.choice(len(counts), sample, replace=False)
                share *= len(counts) / sample
                states, counts = states[:, drawn], counts[drawn]
        shapes = self.unpacked(states, rows)
        self.shapes, self.counts = _conjugates(shapes) if turned else shapes, counts
        self.tableaux = float(counts.sum(dtype=float)) * share

    def _foresee(self, states: Array, letter: int, size: int, later: int, top: int) -> None:
        """Refuse a step, before it is taken, that leads a sample of the states to too many."""
        chosen = np.random.default_rng(0).choice(states.shape[1], DRAWN, replace=False)
        parents, _ = self._strips(states[:, chosen], letter, size, later, top)
        expected = len(parents) * states.shape[1] / DRAWN
        if expected * self.rows > DOUBT * LARGEST:
            raise self._too_large(f"about {expected:.2g}", expected)

    def _too_large(self, states: str, number: float) -> TooLarge:
        return TooLarge(
            f"strip {self.letter + 1} of {self.letters} leads to {states} states "
            f"({number * self.words * 1e-7:.2g} GB, {number * self.rows * 7e-9:.2g} s for this "
            "step): give smaller shapes, or ask for one coefficient"
        )

    def _place(self, row: int) -> tuple[int, np.uint64]:
        """The word of a row, and how far its number is shifted there."""
        word, place = divmod(row, 64 // self.bits)
        return word, np.uint64(64 - (place + 1) * self.bits)

    def unpacked(self, words: Array, rows: int) -> Array:
        """The first rows of shapes or strips, one below the other."""
        found = np.empty((rows, words.shape[1]), dtype=self.dtype)
        mask = np.uint64((1 << self.bits) - 1)
        for row in range(rows):
            word, shift = self._place(row)
            found[row] = words[word] >> shift & mask
        return found

    def _strips(
        self, states: Array, letter: int, size: int, later: int, top: int
    ) -> tuple[Integers, Array]:
        """All strips of a letter on some states: the state each grows from, its cells."""
        here = self.unpacked(states, top)
        # A row takes at most what fits under the row above ...
        most = np.concatenate([np.full_like(here[:1], size), here[:-1] - here[1:]])
        least = np.zeros_like(here)
        if self.lam is not None:
            # ... and into the outer shape, where later strips add at most one cell to a column.
            outer, inner = self.lam[:top], (*self.lam[later:], *[0] * top)[:top]
            most = np.minimum(most, np.array(outer, dtype=self.dtype)[:, None] - here)
            least = np.maximum(least, np.array(inner, dtype=self.dtype)[:, None] - here)
        # Down to each row at least what does not fit below, ...
        floor, ceiling = size - _below(most), size - _below(least)
        if letter:
            # ... and at most as many as there are of the last letter down to the row above.
            ceiling[0] = 0
            above = _running_sums(self.unpacked(states[self.words :], top - 1))
            ceiling[1:] = np.minimum(ceiling[1:], above)
        parents = np.arange(here.shape[1])
        strip: Array = np.zeros((self.words, len(parents)), dtype=np.uint64)
        total: Array = np.zeros(len(parents), dtype=self.dtype)
        for row in range(top):
            low = 0 if self.lam is None else least[row].take(parents)
            new = np.maximum(total + low, floor[row].take(parents))
            up = np.minimum(total + most[row].take(parents), ceiling[row].take(parents))
            ways = up - new + 1
            if (ways != 1).any():
                ways = ways.astype(np.int64).clip(0, LARGEST + 1)  # no sum of them overflows
                ends = ways.cumsum()
                new_states = int(ends[-1])
                if (made := self.made + new_states) * self.rows > LARGEST:
                    raise self._too_large(f"more than {made:,}", made)
                # As np.repeat(np.arange(len(ways)), ways), without branches: three times as fast.
                grown = np.bincount(ends, minlength=new_states + 1)[:new_states].cumsum()
                ends -= ways
                ends -= new
                new = (np.arange(new_states) - ends.take(grown)).astype(self.dtype)
                parents, total = parents.take(grown), total.take(grown)
                strip = strip.take(grown, axis=1)
            word, shift = self._place(row)
            strip[word] += (new - total).astype(np.uint64) << shift
            total = new
        return parents, strip


def _merged(states: Array, counts: Array, *, last: bool) -> tuple[Array, Array]:
    """Each state with the sum of its counts; the last time each is there once, in order."""
    if last and len(states) > 1:
        order = np.lexsort(states[::-1])
    else:
        key = states[0]
        for word in states[1:]:  # where different states share a key, equal ones may stay apart
            key = (key ^ key >> np.uint64(29)) * np.uint64(MULTIPLIER) + word
        order = np.argsort(key)
    states, counts = states.take(order, axis=1), counts.take(order)
    first = np.ones(len(order), dtype=bool)
    first[1:] = (states[:, 1:] != states[:, :-1]).any(axis=0)
    if counts.sum(dtype=float) > WORD:
        counts = counts.astype(object)
    starts = np.flatnonzero(first)
    return states.take(starts, axis=1), np.add.reduceat(counts, starts) if len(starts) else counts


def _running_sums(rows: Array) -> Array:
    """For each row the sum of those down to it; numpy's own goes through the columns."""
    found = rows.copy()
    for before, row in pairwise(found):
        row += before
    return found


def _below(rows: Array) -> Array:
    """For each row the sum of those below."""
    found = np.zeros_like(rows)
    found[:-1] = _running_sums(rows[:0:-1])[::-1]
    return found
