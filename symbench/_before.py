"""Calls of before, as they were written; the docstring of each is what to write now.

The top of the package finds these names with a DeprecationWarning; nothing else uses them.
"""

from __future__ import annotations

from typing import Any

from symbench.learning.networks import NetworkComparison
from symbench.learning.predictions import EquivalentPredictor, PredictionComparison
from symbench.learning.problem import Problem
from symbench.spectra._search import spectrum
from symbench.spectra._spectrum import Spectrum
from symbench.spectra.linear_forms import ClosedForms, closed_forms


def _problem(kernel: Any, target: Any, options: dict[str, Any]) -> Problem:
    names = ("length", "law", "test_law")
    return Problem(kernel, target, **{name: options.pop(name) for name in names if name in options})


def equivalent_predictor(kernel: Any, target: Any, **options: Any) -> EquivalentPredictor:
    """symbench.learning.Problem(kernel, target, length=...).predictor(samples, ridge)."""
    return _problem(kernel, target, options).predictor(**options)


def compare_predictions(kernel: Any, target: Any, **options: Any) -> PredictionComparison:
    """symbench.learning.Problem(kernel, target, length=...).predictions(samples, ridge)."""
    return _problem(kernel, target, options).predictions(**options)


def compare_network(kernel: Any, target: Any, **options: Any) -> NetworkComparison:
    """symbench.learning.Problem(kernel, target, length=...).networks(samples, sizes)."""
    return _problem(kernel, target, options).networks(**options)


def linear_attention_spectrum(
    kernel: Any, *, length: int | None, vocabulary: int, law: Any = None
) -> Spectrum | ClosedForms:
    """symbench.spectrum(..., algorithm="closed-form"), or symbench.spectra.closed_forms(...)."""
    if length is None:
        return closed_forms(kernel, vocabulary=vocabulary, law=law)
    form = "closed-form"
    return spectrum(kernel, length=length, vocabulary=vocabulary, law=law, algorithm=form)
