"""Spectra side by side: a linear kernel beside the same one under a layer of neurons.

>>> linear = linear_attention(1, 1, readout="flatten")
>>> kernels = linear, transformer("relu", linear)
>>> print(compare_spectra([spectrum(k, length=6, vocabulary=2) for k in kernels]).table())
[1] linear_attention(1, 1, readout='flatten'), length 6, vocabulary 2
[2] transformer('relu', linear_attention(1, 1, readout='flatten')), length 6, vocabulary 2
irrep  dim  [1] reached  largest        share   [2] reached  largest          share
6      1    3 of 7       274.5138369..  0.7030  7 of 7       157.5106601..    0.7582
5+1    5    2 of 5       24             0.2778  5 of 5       8.611325105..    0.2116
4+2    9    1 of 3       1              0.0192  3 of 3       0.6480198419..   0.0288
3+3    5    0 of 1       0              0.0000  1 of 1       0.06314570321..  0.0013
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import attrs

from symbench._arguments import shown
from symbench.draw.figures import finished, new_figure
from symbench.draw.tables import columns_text
from symbench.errors import BadShape, BadType
from symbench.exact.rational import number_text
from symbench.spectra.face import Face, Piece
from symbench.spectra.picture import draw_spectrum, is_nonzero, short, value_text
from symbench.young import Partition


@attrs.frozen(repr=False)
class SpectraComparison:
    """Spectra on the same words, to be read beside each other; `compare_spectra` makes one.

    >>> found = [
    ...     spectrum(linear_attention(1, 1, readout=name), length=4, vocabulary=2)
    ...     for name in ("sum", "flatten")
    ... ]
    >>> compare_spectra(found)
    <SpectraComparison of 2 spectra, length 4, vocabulary 2>
    >>> compare_spectra(found).gained
    (Partition(2, 2),)
    """

    spectra: tuple[Face, ...]

    def __repr__(self) -> str:
        first = self.spectra[0]
        size = f"length {first.length}, vocabulary {first.vocabulary}"
        return f"<SpectraComparison of {len(self.spectra)} spectra, {size}>"

    @property
    def exactness(self) -> str:
        """The least exact of the spectra's."""
        found = {spectrum.exactness for spectrum in self.spectra}
        return next(kind for kind in ("float", "ball", "exact") if kind in found)

    @property
    def gained(self) -> tuple[Partition, ...]:
        """The irreducibles that the last spectrum reaches and the first one does not."""
        before = set(self.spectra[0].reached)
        return tuple(p for p in self.spectra[-1].reached if p not in before)

    def table(self) -> str:
        """For each irreducible: copies reached, the largest eigenvalue, the share of the trace."""
        header = ["irrep", "dim"]
        for number in range(1, len(self.spectra) + 1):
            header += [f"[{number}] reached", "largest", "share"]
        rows = [header]
        for partition in self.spectra[0].partitions:
            row = [str(partition), number_text(partition.dim)]
            for spectrum in self.spectra:
                row += _cells(spectrum, partition)
            rows.append(row)
        titles = [f"[{n}] {spectrum.title}" for n, spectrum in enumerate(self.spectra, 1)]
        return "\n".join([*titles, columns_text(rows)])

    def __str__(self) -> str:
        return self.table()

    def plot(self, path: Any = None) -> Any:
        """The spectra on axes of one scale, side by side (matplotlib).

        Returns the figure, and saves it if a path is given.
        """
        figure = new_figure(5 * len(self.spectra), 4)
        axes = figure.subplots(1, len(self.spectra), sharex=True, sharey=True, squeeze=False)[0]
        for spectrum, place in zip(self.spectra, axes, strict=True):
            draw_spectrum(spectrum, place)
        return finished(figure, path)


def compare_spectra(spectra: Any) -> SpectraComparison:
    """Spectra of kernels on words of one length over one vocabulary, side by side.

    >>> compare_spectra([])
    Traceback (most recent call last):
    ...
    symbench.errors.BadShape: there are no spectra to compare: give at least one
    """
    if isinstance(spectra, (str, bytes, Face)) or not isinstance(spectra, Iterable):
        raise BadType(f"{shown(spectra)} is no list of spectra: give [spectrum(...), ...]")
    found = tuple(spectra)
    for item in found:
        if not isinstance(item, Face):
            raise BadType(f"{shown(item)} is no spectrum: spectrum(kernel, ...) makes one")
    if not found:
        raise BadShape("there are no spectra to compare: give at least one")
    sizes = sorted({(s.length, s.vocabulary, s.fixed) for s in found})
    if len(sizes) > 1:
        raise BadShape(
            f"the spectra have (length, vocabulary, fixed) {', '.join(map(str, sizes))}: give "
            "spectra on the same words"
        )
    return SpectraComparison(found)


def _cells(spectrum: Face, partition: Partition) -> list[str]:
    piece = spectrum[partition]
    known = sum(map(is_nonzero, piece.eigenvalues))
    largest = value_text(piece.eigenvalues[0], spectrum.slack(partition)).split(" ±")[0]
    return [f"{known} of {piece.copies}", short(largest), _share_text(piece, spectrum.trace)]


def _share_text(piece: Piece, trace: Any) -> str:
    """The part of the trace in a piece; - of nothing, ? where floats have no room for it."""
    try:
        total, whole = sum(map(float, piece.eigenvalues)) * float(piece.dimension), float(trace)
    except OverflowError:
        return "?"
    if whole == 0:
        return "?" if is_nonzero(trace) else "-"
    return f"{total / whole:.4f}" if math.isfinite(total / whole) else "?"
