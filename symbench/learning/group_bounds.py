"""How many samples kernel regression needs at least, for a group smaller than S_L.

Average (gf) x (gf) over the permutations g of a group G: an operator C_f with eigenvalues
c_1 >= c_2 >= ... that add up to |f|^2. If kernel and law are invariant under G, the expected
squared error of kernel regression from N samples is at least c_(N+1) + c_(N+2) + ... . A smaller
group gives a weaker bound: C_f of the larger one is an average of conjugates of C_f of the smaller
one, and the sum of the N largest eigenvalues is convex.

Under the cyclic group C_f has the eigenvalues of the matrix <T^s f, T^t f> / L, a circulant: one
for each frequency, the power of f at that frequency. L samples are enough for no bound at all.

>>> from symbench.learning.targets import parity
>>> [group_lower_bound(parity(2), group=g, length=6, samples=2) for g in ((6,), "cyclic")]
[13/15, 2/3]
"""

from __future__ import annotations

import itertools
from math import lcm
from typing import Any

import attrs
import flint

from symbench._arguments import integer
from symbench.errors import BadShape, TooLarge
from symbench.exact import Rational
from symbench.exact.rational import fmpq, number_text
from symbench.laws.by_word import Word, chance_of, check_law, read_group_law
from symbench.learning.orbit_average import OrbitLevel, OrbitSpectrum, positive_levels
from symbench.learning.targets import Target, read_target
from symbench.spectra.necklaces import Necklaces
from symbench.spectra.pair_values import PairKernel
from symbench.spectra.ring_blocks import RingBlock, reduced
from symbench.spectra.segment_blocks import segment_blocks
from symbench.young.position_groups import CyclicGroup, Group, YoungSubgroup, read_group

# Words gone through, and words gone through in pairs.
_WORDS = 10_000
_PAIRED = 1_024


@attrs.frozen(repr=False)
class GroupOrbitSpectrum(OrbitSpectrum):
    """The positive eigenvalues of the orbit average of a target under a group, largest first.

    >>> from symbench.learning.targets import polynomial
    >>> wave = polynomial({(1,): 1, (2,): 0, (3,): -1})
    >>> found = group_orbit_spectrum(wave, group="cyclic", length=4)
    >>> found
    GroupOrbitSpectrum under CyclicGroup(4): 1 levels, 2 eigenvalues, sum 2
    >>> print(found.table())
    irrep  eigenvalue  multiplicity  weight
    1      1           2             2
    """

    group: Group = attrs.field(kw_only=True)

    @property
    def _title(self) -> str:
        return f"GroupOrbitSpectrum under {self.group!r}"

    def _text(self, irrep: Any) -> str:
        return self.group.text(irrep)


def group_orbit_spectrum(
    target: Target, *, group: Any, length: int, law: Any = None
) -> GroupOrbitSpectrum:
    """The eigenvalues of the average of (gf) x (gf) over the permutations g of a group.

    group is 'cyclic' or a Young subgroup such as (3, 2); the law is invariant under it, None for
    the uniform one.

    >>> from symbench.learning.targets import parity
    >>> print(group_orbit_spectrum(parity(2), group=(2, 2), length=4).table())
    irrep  eigenvalue  multiplicity  weight
    2 x 2  1           1             1
    >>> print(group_orbit_spectrum(parity(2), group=(3, 1), length=4).table())
    irrep    eigenvalue  multiplicity  weight
    3 x 1    1/3         1             1/3
    2+1 x 1  1/3         2             2/3
    """
    function = read_target(target)
    size = integer(length, "the length", at_least=1)
    if function.variables > size:
        raise BadShape(f"the target reads {function.variables} positions, the words have {size}")
    chosen, tokens = read_group(group, size), function.vocabulary
    limit = _WORDS if isinstance(chosen, CyclicGroup) else _PAIRED
    if size > limit.bit_length() or tokens**size > limit:
        raise TooLarge(
            f"there are {tokens}^{number_text(size)} words, and at most {limit:,} are gone through "
            f"for {type(chosen).__name__}: give shorter words"
        )
    weighed = read_group_law(law, size, tokens)
    check_law(weighed, chosen)
    words = list(itertools.product(range(tokens), repeat=size))
    values = [function.value(word) for word in words]
    chance = chance_of(weighed)
    if isinstance(chosen, CyclicGroup):
        found = _on_ring(chosen, tokens, values, [chance(word) for word in words])
    else:
        kernel = _mean_products(chosen, tokens, words, values)
        found = [
            OrbitLevel(irrep, value, times * chosen.dimension(irrep))
            for block in segment_blocks(kernel, chosen, chance)
            for irrep, listed in block.eigenvalues().items()
            for value, times in listed
        ]
    return GroupOrbitSpectrum(positive_levels(found), group=chosen)


def _on_ring(
    group: CyclicGroup, tokens: int, values: list[Rational], chances: list[Rational]
) -> list[OrbitLevel]:
    """One eigenvalue for each frequency: the transform of <f, T^t f> / L."""
    import numpy as np

    length = group.degree
    turned = Necklaces.rotations(length, tokens)
    below, share = (lcm(*(r.denominator for r in given)) for given in (values, chances))
    whole = [int(r * below) for r in values]
    weighted = [int(p * share) * f for p, f in zip(chances, whole, strict=True)]
    terms = [
        np.array(
            [[sum(f * whole[y] for f, y in zip(weighted, turn.tolist(), strict=True))]], object
        )
        for turn in turned
    ]
    scale = below * below * share
    found = []
    for d in range(1, length + 1):
        if length % d == 0:
            block = RingBlock(group, d, reduced(terms, d), scale * length, (Rational(1),))
            for irrep, listed in block.eigenvalues().items():
                found += [
                    OrbitLevel(irrep, value, times * group.dimension(irrep))
                    for value, times in listed
                ]
    return found


def _mean_products(
    group: YoungSubgroup, tokens: int, words: list[Word], values: list[Rational]
) -> PairKernel:
    """The mean of f(gx) f(gy) over the group, which depends on the tables of the segments alone."""
    import numpy as np

    array = np.array(words)
    keys = np.zeros((len(words), len(words)), dtype=np.int64)
    start = 0
    for part in group.parts:
        for u, v in itertools.product(range(tokens), repeat=2):
            left, right = array[:, start : start + part] == u, array[:, start : start + part] == v
            together = left.astype(np.int64) @ right.astype(np.int64).T
            # Numbered anew, so that the numbers stay small.
            shape = keys.shape
            keys = np.unique(keys * (part + 1) + together, return_inverse=True)[1].reshape(shape)
        start += part
    scale = lcm(*(value.denominator for value in values))
    whole = np.array([int(value * scale) for value in values], dtype=object)
    if max(map(abs, whole), default=0) ** 2 * len(words) ** 2 < 1 << 62:
        whole = whole.astype(np.int64)
    count = int(keys.max()) + 1
    sums = np.zeros(count, dtype=whole.dtype)
    np.add.at(sums, keys.ravel(), np.multiply.outer(whole, whole).ravel())
    sizes = np.bincount(keys.ravel(), minlength=count).tolist()
    means = [
        fmpq(Rational(int(total), number * scale**2))
        for total, number in zip(sums.tolist(), sizes, strict=True)
    ]
    place = {word: k for k, word in enumerate(words)}

    def value(x: Word, y: Word) -> flint.fmpq:
        return means[keys[place[x], place[y]]]

    return PairKernel("the orbit average", group.degree, tokens, group, "by construction", value)


def group_lower_bound(
    target: Target, *, group: Any, length: int, samples: int, law: Any = None
) -> Rational:
    """The least expected squared error of kernel regression that is invariant under a group.

    It holds for every kernel with k(gx, gy) = k(x, y) for g in the group, every ridge and every
    label noise; it is the exact sum of the eigenvalues of `group_orbit_spectrum` after the first
    so many.

    >>> from symbench.learning.targets import parity
    >>> group_lower_bound(parity(2), group=(3, 1), length=4, samples=1)
    2/3
    """
    count = integer(samples, "samples", at_least=0)
    return group_orbit_spectrum(target, group=group, length=length, law=law).tail(count)
