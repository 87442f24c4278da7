"""Multilayer perceptrons on one-hot words, trained in exact numbers (boix2024, Appendix I).

The input of a word of length k over m tokens has k m coordinates, one of each k-th part is 1; the
output is W_1 phi(W_2 ... phi(W_L x)). Weights, gradients and steps are rational numbers, so that
"the laws of two outputs are equal" can be decided: over all initial weights of a finite list
(`sign_networks` has every matrix of signs), in place of the Gaussian ones of the paper.

>>> start = sign_networks("ABCD", 2, [1])
>>> data = [("AA", 1), ("AB", -1), ("BB", 1), ("BA", -1)]
>>> trained = start.trained(data, Sgd("1/4"))
>>> len(start), trained.law("CC") == trained.law("CD"), trained.law("AA") == trained.law("AB")
(512, True, False)
>>> trained.error("CC", 1), trained.error("CD", -1) >= 1
(302179153/134217728, True)
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

import attrs
import flint

from symbench._arguments import instance, integer, integers, sequence, shown
from symbench.certificates import EquivariantTraining
from symbench.draw.views import Shown
from symbench.errors import BadShape, BadType, BadValue, NotSupported, TooLarge
from symbench.exact import QQ, Matrix, Rational
from symbench.exact.rational import fmpq, rational
from symbench.kernels.activations.closed_forms import Relu
from symbench.kernels.activations.exact import Polynomial
from symbench.kernels.activations.named import activation, activation_source
from symbench.learning.numbers import number, numbers
from symbench.learning.optimisers import Optimiser, Sgd
from symbench.words.letters import read, read_tokens, show

Numbers = list[flint.fmpq]
Table = list[Numbers]
Pairs = list[tuple[int, flint.fmpq]]

# Networks of an ensemble; each is trained by itself.
_MOST = 1 << 16
_ZERO = flint.fmpq(0)
# A weight of more bits is not computed with: each step multiplies the length of all of them.
_LONGEST = 1 << 17


def _phi(given: Any) -> Relu | Polynomial:
    found = activation(given)
    if not isinstance(found, (Relu, Polynomial)):
        raise NotSupported(
            f"the activation is {activation_source(found)}, which has irrational values: give "
            "'relu' or polynomial([0, 0, 1])"
        )
    return found


def _matrices(given: Any) -> tuple[Matrix, ...]:
    found = tuple(_numeric(W, "a layer of weights") for W in sequence(given, "weights"))
    if not found:
        raise BadValue("weights is an empty list: give a matrix for each layer, first to last")
    for before, after in pairwise(found):
        if after.shape[1] != before.shape[0]:
            raise BadShape(
                f"a layer of {before.shape[0]} outputs is followed by one of {after.shape[1]} "
                "inputs: give matrices that can be multiplied, the first layer first"
            )
    if found[-1].shape[0] != 1:
        raise BadShape(f"the last layer has {found[-1].shape[0]} outputs: give a single row")
    return found


def _numeric(given: Any, what: str) -> Matrix:
    found = Matrix(given)
    if found.ring.variables or found.ring.exactness != "exact" or 0 in found.shape:
        raise BadValue(f"{what} is {shown(given)}: give a matrix of rational numbers")
    return found.change_ring(QQ)


def _embedding(given: Any) -> Matrix | None:
    return None if given is None else _numeric(given, "the embedding")


@attrs.frozen(repr=False)
class Mlp(Shown):
    """A multilayer perceptron on one-hot words of a length over some tokens, with exact weights.

    `weights` has a matrix for each layer, the first one first; its columns are the pairs of a
    position and a token, position by position. There are no other biases than those that the
    first layer has anyway, as one coordinate of each position is 1. With an `embedding`, a matrix
    with a column for each token, the first layer sees the embedded tokens in place of the one-hot
    ones, and all positions share the embedding: that is not the network of Theorem I.2.

    >>> network = Mlp([[[1, 2, -1, -2]], [[3]]], "AB")
    >>> network("BA"), network("AB"), network
    (3, 0, <Mlp 4-1-1 with 'relu' on words of 2 of AB>)
    >>> network("AC")
    Traceback (most recent call last):
    ...
    symbench.errors.BadValue: the word 'AC' has the token 'C': the network reads A, B
    """

    weights: tuple[Matrix, ...] = attrs.field(converter=_matrices)
    tokens: tuple[str, ...] = attrs.field(converter=read_tokens)
    activation: Relu | Polynomial = attrs.field(default=Relu(), converter=_phi, kw_only=True)
    embedding: Matrix | None = attrs.field(default=None, converter=_embedding, kw_only=True)

    exactness = "exact"

    def __attrs_post_init__(self) -> None:
        inputs, per = self.weights[0].shape[1], self._per_position
        if self.embedding is not None and self.embedding.shape[1] != len(self.tokens):
            raise BadShape(
                f"the embedding has {self.embedding.shape[1]} columns and there are "
                f"{len(self.tokens)} tokens: give a column for each"
            )
        if not per or inputs % per:
            raise BadShape(
                f"the first layer has {inputs} inputs, and a position has {per}: give a column "
                "for each position and token"
            )

    def __repr__(self) -> str:
        sizes = "-".join(str(n) for n in (self.weights[0].shape[1], *self.widths, 1))
        shared = "" if self.embedding is None else " and a shared embedding"
        name = activation_source(self.activation)
        return f"<Mlp {sizes} with {name}{shared} on words of {self.length} of {show(self.tokens)}>"

    @property
    def _per_position(self) -> int:
        return len(self.tokens) if self.embedding is None else self.embedding.shape[0]

    @property
    def length(self) -> int:
        """How many tokens a word has."""
        return self.weights[0].shape[1] // self._per_position

    @property
    def widths(self) -> tuple[int, ...]:
        """The sizes of the hidden layers."""
        return tuple(W.shape[0] for W in self.weights[:-1])

    @classmethod
    def from_table(cls, table: Mapping[Any, Any], tokens: Any) -> Mlp:
        """The network with a unit for each word of a table that has its label there, exactly.

        A unit is the positive part of (how many letters are those of its word) - k + 1: it is 1
        at its own word and 0 at all others, so any function of words is an MLP (Remark I.3).

        >>> Mlp.from_table({"AA": 1, "AB": -1, "BB": 2}, "AB")("BB")
        2
        """
        names, listed = read_tokens(tokens), []
        for word, label in dict(table).items():
            listed.append((_codes(word, names), number(label, f"the label of {shown(word)}")))
        lengths = {len(codes) for codes, _ in listed}
        if len(lengths) != 1 or 0 in lengths:
            raise BadValue(f"the table has words of lengths {sorted(lengths)}: give one length")
        (length,) = lengths
        # At the first position the weights carry the bias, as one of them is always added.
        rows = [
            [int(codes[a] == t) - (length - 1) * (a == 0) for a in range(length)
             for t in range(len(names))]
            for codes, _ in listed
        ]  # fmt: skip
        return cls([rows, [[label for _, label in listed]]], names)

    # --- looking ----------------------------------------------------------------------------------
    def __call__(self, word: Any) -> Rational:
        """The output at a word."""
        run = _Run(self)
        return rational(run.output(self.codes(word)))

    def codes(self, word: Any) -> tuple[int, ...]:
        """The word as the places of its tokens, if the network reads such words."""
        found = _codes(word, self.tokens)
        if len(found) != self.length:
            raise BadValue(
                f"the word {shown(word)} has {len(found)} tokens: give one of {self.length}"
            )
        return found

    def one_hot(self, word: Any) -> tuple[int, ...]:
        """The coordinates of a word, position by position.

        >>> Mlp([[[1, 2, -1, -2]]], "AB").one_hot("BA")
        (0, 1, 1, 0)
        """
        return tuple(int(c == t) for c in self.codes(word) for t in range(len(self.tokens)))

    # --- symmetry ---------------------------------------------------------------------------------
    def exchange(self, first: Any, second: Any) -> tuple[int, ...]:
        """The permutation of the coordinates that swaps two words, letter by letter, as images.

        It swaps (i, first_i) with (i, second_i) and leaves all other coordinates where they are:
        every word that has none of these letters at these places stays the same.

        >>> Mlp([[[1, 2, 3, 4, 5, 6]]], "ABC").exchange("BB", "BC")
        (0, 1, 2, 3, 5, 4)
        """
        m, images = len(self.tokens), list(range(self.length * len(self.tokens)))
        for a, (s, t) in enumerate(zip(self.codes(first), self.codes(second), strict=True)):
            images[a * m + s], images[a * m + t] = a * m + t, a * m + s
        return tuple(images)

    def moved(self, images: Sequence[int]) -> Mlp:
        """The network W P^-1 with the columns of the first layer permuted.

        Column j goes to images[j], so the new network has at a permuted input what this one has at
        the input itself.

        >>> network = Mlp([[[1, 2, 3, 4, 5, 6]]], "ABC")
        >>> network.moved(network.exchange("BB", "BC"))("BC") == network("BB")
        True
        """
        if self.embedding is not None:
            raise NotSupported(
                "the network has a shared embedding: a column is not that of one coordinate"
            )
        size = self.weights[0].shape[1]
        listed = integers(images, "the permutation", at_least=0)
        if sorted(listed) != list(range(size)):
            raise BadValue(
                f"the permutation is {shown(images)}: give the images of 0 to {size - 1}"
            )
        back = sorted(range(size), key=lambda j: listed[j])
        first = self.weights[0].submatrix(range(self.weights[0].shape[0]), back)
        return attrs.evolve(self, weights=(first, *self.weights[1:]))

    # --- training ---------------------------------------------------------------------------------
    def trained(
        self,
        samples: Any,
        optimiser: Optimiser,
        *,
        batch: int = 1,
        rounding: int | None = None,
        preconditioner: Any = None,
    ) -> Mlp:
        """The network after one pass over the samples, pairs of a word and a number.

        Each step takes the next `batch` samples and the gradient of the mean of (f(x) - y)^2 over
        them; with batch=1 and `Sgd` this is Definition I.1. To train longer, repeat the samples.
        The derivative of the positive part at 0 is taken as 0. With rounding=b every weight is
        rounded to a multiple of 2^-b after each step, which keeps the numbers short: that is a
        function of the weight alone, as in floating point, so it changes no symmetry. A
        preconditioner is a square matrix by which the gradient of the first layer is multiplied
        from the right: it couples weights, and Theorem I.2 does not cover it.

        >>> network = Mlp([[[1, 2, -1, -2]], [[3]]], "AB")
        >>> network.trained([("BA", 1)], Sgd("1/16")).weights
        (Matrix([[1, '5/4', '-7/4', -2]]), Matrix([['11/4']]))
        >>> network.trained([("BA", "yes")], Sgd(1))
        Traceback (most recent call last):
        ...
        symbench.errors.NotInRing: the label of 'BA': ...
        """
        options = (batch, rounding, preconditioner)
        return _trained((self,), samples, optimiser, *options)[0]

    def _coupling(self, given: Any) -> Table | None:
        if given is None:
            return None
        found, size = _numeric(given, "the preconditioner"), self.weights[0].shape[1]
        if found.shape != (size, size):
            raise BadShape(
                f"the preconditioner has the shape {found.shape}: give a square matrix of {size}"
            )
        return _table(found)


def _codes(word: Any, tokens: tuple[str, ...]) -> tuple[int, ...]:
    letters = read(word, "the word")
    for letter in letters:
        if letter not in tokens:
            raise BadValue(
                f"the word {shown(word)} has the token {letter!r}: the network reads "
                f"{', '.join(tokens)}"
            )
    return tuple(map(tokens.index, letters))


def _pair(given: Any, what: str) -> tuple[Any, Rational]:
    """A word as it was given, and its label."""
    pair = sequence(given, what, "a pair of a word and a number")
    if len(pair) != 2:
        raise BadValue(f"{what} is {shown(given)}: give a pair of a word and a number")
    return pair[0], number(pair[1], f"the label of {shown(pair[0])}")


def _trained(
    networks: Sequence[Mlp], samples: Any, optimiser: Any, batch: Any, rounding: Any, coupling: Any
) -> list[Mlp]:
    """Networks of one kind after the same training: see `Mlp.trained`."""
    steps = _steps(networks[0], samples, batch)
    if isinstance(optimiser, type) or not isinstance(optimiser, Optimiser):
        raise BadType(
            f"the optimiser is {shown(optimiser)}: give one such as Sgd('1/4') or Adam('1/10')"
        )
    bits = None if rounding is None else integer(rounding, "rounding", at_least=0, limit=4096)
    matrix, found = networks[0]._coupling(coupling), []
    for network in networks:
        run = _Run(network)
        run.train(steps, optimiser, bits, matrix)
        found.append(run.network())
    return found


Steps = list[list[tuple[tuple[int, ...], flint.fmpq]]]


def _steps(network: Mlp, samples: Any, batch: Any) -> Steps:
    """The samples in batches, as places of tokens and labels."""
    found = []
    for sample in sequence(samples, "samples", "a list of pairs of a word and a number"):
        word, label = _pair(sample, "a sample")
        found.append((network.codes(word), fmpq(label)))
    size = integer(batch, "batch", at_least=1)
    if len(found) % size:
        raise BadValue(f"batch is {size} and there are {len(found)} samples: give a divisor")
    return [found[n : n + size] for n in range(0, len(found), size)]


class _Run:
    """A network while it is trained: its weights as lists of FLINT's rational numbers."""

    def __init__(self, network: Mlp) -> None:
        self.start = network
        self.layers: list[Table] = [_table(W) for W in network.weights]
        self.embedding = None if network.embedding is None else _table(network.embedding)
        self.per = network._per_position
        phi = network.activation
        self.coefficients = (
            None if isinstance(phi, Relu) else [fmpq(c) for c in phi.coefficients]
        )  # fmt: skip

    def network(self) -> Mlp:
        """The network with the weights as they are now."""
        back = None if self.embedding is None else _matrix(self.embedding)
        return attrs.evolve(
            self.start, weights=tuple(_matrix(W) for W in self.layers), embedding=back
        )

    # --- forwards and backwards -------------------------------------------------------------------
    def inputs(self, codes: tuple[int, ...]) -> Pairs:
        """The coordinates of the first layer's input that are not 0."""
        if self.embedding is None:
            return [(a * self.per + t, flint.fmpq(1)) for a, t in enumerate(codes)]
        return [(a * self.per + r, row[t]) for a, t in enumerate(codes)
                for r, row in enumerate(self.embedding)]  # fmt: skip

    def forward(self, codes: tuple[int, ...]) -> tuple[list[Pairs], list[Numbers]]:
        """What each layer gets, and what it sums up."""
        got, sums = [self.inputs(codes)], []
        for W in self.layers:
            now = got[-1]
            sums.append([sum((row[j] * x for j, x in now), _ZERO) for row in W])
            got.append([(j, self.phi(z)) for j, z in enumerate(sums[-1])])
        return got, sums

    def output(self, codes: tuple[int, ...]) -> flint.fmpq:
        return self.forward(codes)[1][-1][0]

    def phi(self, z: flint.fmpq) -> flint.fmpq:
        if self.coefficients is None:
            return z if z > 0 else _ZERO
        total = _ZERO
        for c in reversed(self.coefficients):
            total = total * z + c
        return total

    def slope(self, z: flint.fmpq) -> flint.fmpq:
        """The derivative of the activation."""
        if self.coefficients is None:
            return flint.fmpq(int(z > 0))
        total = _ZERO
        for n in range(len(self.coefficients) - 1, 0, -1):
            total = total * z + n * self.coefficients[n]
        return total

    def gradient(self, batch: list[tuple[tuple[int, ...], flint.fmpq]]) -> list[Table]:
        """The gradient of a batch's mean squared error: the layers', the embedding's last."""
        tables = [*self.layers, *([] if self.embedding is None else [self.embedding])]
        found = [[[_ZERO] * len(row) for row in table] for table in tables]
        for codes, label in batch:
            got, sums = self.forward(codes)
            back = [2 * (sums[-1][0] - label) / len(batch)]
            for n in range(len(self.layers) - 1, -1, -1):
                for i, d in enumerate(back):
                    if d:
                        for j, x in got[n]:
                            found[n][i][j] += d * x
                if n:
                    back = [self._through(n, j, back) * self.slope(z)
                            for j, z in enumerate(sums[n - 1])]  # fmt: skip
            if self.embedding is not None:
                for j, _ in got[0]:
                    found[-1][j % self.per][codes[j // self.per]] += self._through(0, j, back)
        return found

    def _through(self, layer: int, j: int, back: Numbers) -> flint.fmpq:
        W = self.layers[layer]
        return sum((d * W[i][j] for i, d in enumerate(back)), _ZERO)

    # --- steps ------------------------------------------------------------------------------------
    def train(
        self, steps: Steps, optimiser: Optimiser, rounding: int | None, coupling: Table | None
    ) -> None:
        tables = [*self.layers, *([] if self.embedding is None else [self.embedding])]
        start = optimiser.memory
        kept = [[[start] * len(row) for row in table] for table in tables]
        for time, batch in enumerate(steps, 1):
            found = self.gradient(batch)
            if coupling is not None:
                found[0] = _times(found[0], coupling)
            for table, gradients, memories in zip(tables, found, kept, strict=True):
                for row, slopes, remembered in zip(table, gradients, memories, strict=True):
                    for j, slope in enumerate(slopes):
                        row[j], remembered[j] = optimiser.step(row[j], slope, remembered[j], time)
                        if rounding is not None:
                            row[j] = _rounded(row[j], rounding)
                        elif row[j].q.bit_length() + row[j].p.bit_length() > _LONGEST:
                            raise TooLarge(
                                f"after step {time} a weight has more than {_LONGEST:,} bits: "
                                "train fewer steps, or give rounding=64"
                            )


def _rounded(weight: flint.fmpq, bits: int) -> flint.fmpq:
    return flint.fmpq((weight * (1 << bits) + flint.fmpq(1, 2)).floor(), 1 << bits)


def _times(left: Table, right: Table) -> Table:
    columns = list(zip(*right, strict=True))
    return [
        [sum((x * y for x, y in zip(row, column, strict=True)), _ZERO) for column in columns]
        for row in left
    ]


def _table(matrix: Matrix) -> Table:
    found: Table = matrix.flint.table()
    return found


def _matrix(table: Table) -> Matrix:
    return Matrix(flint.fmpq_mat(table))


# --- ensembles ------------------------------------------------------------------------------------
def _networks(given: Any) -> tuple[Mlp, ...]:
    found = tuple(
        instance(n, Mlp, "a network", "an Mlp") for n in sequence(given, "networks")
    )  # fmt: skip
    if not found:
        raise BadValue("networks is an empty list: give at least one")
    if len({(n.tokens, n.length, n.activation, n.widths) for n in found}) > 1:
        raise BadValue("networks of an ensemble differ in more than their weights: give one kind")
    return found


@attrs.frozen(repr=False)
class Ensemble(Shown):
    """Networks that are equally likely: a finite law of weights, exactly.

    >>> two = Ensemble([Mlp([[[1, 0]]], "AB"), Mlp([[[0, 1]]], "AB")])
    >>> two.law("A"), two.error("A", 1), two.is_union_of_orbits("A", "B")
    ({0: 1/2, 1: 1/2}, 1/2, True)
    """

    networks: tuple[Mlp, ...] = attrs.field(converter=_networks)
    exactness = "exact"

    def __len__(self) -> int:
        return len(self.networks)

    def __iter__(self) -> Iterator[Mlp]:
        return iter(self.networks)

    def __repr__(self) -> str:
        return f"<Ensemble of {len(self)} networks, the first {self.networks[0]!r}>"

    def trained(
        self,
        samples: Any,
        optimiser: Optimiser,
        *,
        batch: int = 1,
        rounding: int | None = None,
        preconditioner: Any = None,
    ) -> Ensemble:
        """Every network after training on the same samples in the same order: see `Mlp.trained`."""
        options = (batch, rounding, preconditioner)
        return Ensemble(_trained(self.networks, samples, optimiser, *options))

    def _outputs(self, word: Any) -> Numbers:
        codes = self.networks[0].codes(word)
        return [_Run(network).output(codes) for network in self.networks]

    def law(self, word: Any) -> dict[Rational, Rational]:
        """The values of the output at a word with their probabilities, the smallest first."""
        counts = Counter(self._outputs(word))
        return {rational(x): Rational(counts[x], len(self)) for x in sorted(counts)}

    def error(self, word: Any, label: Any) -> Rational:
        """The expected squared error at a word.

        >>> Ensemble([Mlp([[[1, 0]]], "AB")]).error("B", "1/2")
        1/4
        """
        wanted = fmpq(number(label, "the label"))
        total = sum(((x - wanted) ** 2 for x in self._outputs(word)), _ZERO)
        return rational(total / len(self))

    def is_union_of_orbits(self, first: Any, second: Any) -> bool:
        """Whether permuting the columns that tell two words apart gives the same networks."""
        images = self.networks[0].exchange(first, second)
        return Counter(self.networks) == Counter(n.moved(images) for n in self.networks)

    def certificate(
        self,
        samples: Any,
        optimiser: Sgd,
        first: tuple[Any, Any],
        second: tuple[Any, Any],
        *,
        batch: int = 1,
    ) -> EquivariantTraining:
        """Why training cannot tell two words apart, for a check that trains again.

        first and second are words with their labels. Whether it holds, the certificate's check
        says: where a word has a letter that training saw at its place, it does not.

        >>> start = sign_networks("ABC", 1, [1])
        >>> found = start.certificate([("A", 1)], Sgd("1/4"), ("B", 1), ("C", -1))
        >>> found.check()
        True
        >>> print(found.explain())
        the outputs at two inputs have the same law over 16 trained networks: one of the two ...
        >>> start.certificate([("A", 1)], Sgd("1/4"), ("A", 1), ("C", -1)).check()
        False
        """
        sgd = instance(optimiser, Sgd, "the optimiser", "an Sgd: a check has no square roots")
        if len(sgd.rate) > 1:
            raise NotSupported(
                f"the rate is {shown(sgd.rate)}: a certificate has one for all steps"
            )
        model = self.networks[0]
        if model.embedding is not None:
            raise NotSupported("the networks share an embedding: give networks on one-hot words")
        pairs = [
            sequence(pair, "a test", "a pair of a word and a number") for pair in (first, second)
        ]
        trained = self.trained(samples, sgd, batch=batch)
        data = [_pair(sample, "a sample") for sample in sequence(samples, "samples")]
        rows = [[*model.one_hot(word), label] for word, label in data]
        size = model.weights[0].shape[1]
        phi = model.activation
        return EquivariantTraining(
            permutation=model.exchange(pairs[0][0], pairs[1][0]),
            tests=Matrix([[*model.one_hot(word), label] for word, label in pairs]),
            widths=model.widths,
            starts=Matrix([[x for W in n.weights for row in W.rows for x in row] for n in self]),
            activation=Matrix([phi.coefficients]) if isinstance(phi, Polynomial) else None,
            rate=sgd.rate[0],
            momentum=sgd.momentum,
            decay=sgd.decay,
            batch=integer(batch, "batch", at_least=1),
            error=max(trained.error(word, label) for word, label in pairs),
            subject=Matrix._of(rows, (len(rows), size + 1), QQ),
        )


def sign_networks(
    tokens: Any,
    length: int,
    widths: Any,
    *,
    values: Any = (-1, 1),
    activation: Any = "relu",
) -> Ensemble:
    """All networks with hidden layers of these widths whose weights are all among the values.

    The list does not change when columns of the first layer are permuted: it is a union of orbits
    of every permutation of the coordinates.

    >>> len(sign_networks("AB", 2, [1])), len(sign_networks("AB", 1, [2, 1], values=[0, 1]))
    (32, 128)
    >>> sign_networks("ABCDEFGH", 4, [3])
    Traceback (most recent call last):
    ...
    symbench.errors.TooLarge: there are 2^99 networks: ask for at most 2^16, with fewer weights
    """
    names, allowed = read_tokens(tokens), numbers(values, "values")
    sizes = (
        integer(length, "the length", at_least=1) * len(names),
        *integers(widths, "the widths", at_least=1),
        1,
    )
    if not names or not allowed:
        raise BadValue("there are no tokens or no values: give at least one of each")
    shapes = [(after, before) for before, after in pairwise(sizes)]
    count = sum(a * b for a, b in shapes)
    if len(allowed) ** count > _MOST:
        raise TooLarge(
            f"there are {len(allowed)}^{count} networks: ask for at most 2^16, with fewer weights"
        )
    found = []
    for entries in product(allowed, repeat=count):
        rest, layers = list(entries), []
        for height, width in shapes:
            layers.append(Matrix([[rest.pop(0) for _ in range(width)] for _ in range(height)], QQ))
        found.append(Mlp(layers, names, activation=activation))
    return Ensemble(found)
