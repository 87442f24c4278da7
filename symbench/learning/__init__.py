"""What kernel regression learns from N samples: bounds, theories, exact errors, networks."""

from symbench.learning import targets
from symbench.learning.analysis import Analysis, analyse
from symbench.learning.finite_width import excess_kurtosis, finite_width_kernel
from symbench.learning.learning_curves import LearningCurve, learning_curve
from symbench.learning.lower_bounds import lower_bound, samples_needed, threshold_table
from symbench.learning.networks import NetworkComparison, NetworkSize, compare_network
from symbench.learning.orbit_average import OrbitAverage, orbit_average
from symbench.learning.predictions import (
    EquivalentPredictor,
    PredictionComparison,
    compare_predictions,
    equivalent_predictor,
)

# Names of before; the group is an argument now.
orbit_spectrum = group_orbit_spectrum = orbit_average
group_lower_bound = lower_bound

__all__ = [
    "Analysis",
    "EquivalentPredictor",
    "LearningCurve",
    "NetworkComparison",
    "NetworkSize",
    "OrbitAverage",
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
    "orbit_average",
    "orbit_spectrum",
    "samples_needed",
    "targets",
    "threshold_table",
]
