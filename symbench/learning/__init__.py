"""What kernel regression learns from N samples: bounds, theories, exact errors, networks."""

from symbench.learning import targets
from symbench.learning.analysis import Analysis, analyse
from symbench.learning.finite_width import excess_kurtosis, finite_width_kernel
from symbench.learning.group_bounds import (
    GroupOrbitSpectrum,
    group_lower_bound,
    group_orbit_spectrum,
)
from symbench.learning.learning_curves import LearningCurve, learning_curve
from symbench.learning.lower_bounds import (
    lower_bound,
    orbit_spectrum,
    samples_needed,
    threshold_table,
)
from symbench.learning.networks import NetworkComparison, NetworkSize, compare_network
from symbench.learning.predictions import (
    EquivalentPredictor,
    PredictionComparison,
    compare_predictions,
    equivalent_predictor,
)

__all__ = [
    "Analysis",
    "EquivalentPredictor",
    "GroupOrbitSpectrum",
    "LearningCurve",
    "NetworkComparison",
    "NetworkSize",
    "PredictionComparison",
    "analyse",
    "compare_network",
    "compare_predictions",
    "equivalent_predictor",
    "excess_kurtosis",
    "finite_width_kernel",
    "group_lower_bound",
    "group_orbit_spectrum",
    "learning_curve",
    "lower_bound",
    "orbit_spectrum",
    "samples_needed",
    "targets",
    "threshold_table",
]
