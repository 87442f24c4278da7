"""Covariance: the exact 2 x 2 covariance [[A, C], [C, B]] of what an activation is applied to."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

from symbench.errors import BadValue
from symbench.exact.rational import exact_parameter


class Covariance(NamedTuple):
    """Variances A, B and covariance C with A, B >= 0 and C^2 <= A B."""

    A: Fraction
    B: Fraction
    C: Fraction

    @property
    def gap(self) -> Fraction:
        """A B - C^2, zero exactly where the two Gaussians are multiples of one."""
        return self.A * self.B - self.C * self.C


def covariance(A: Any, B: Any, C: Any) -> Covariance:
    """The checked covariance of exact numbers."""
    found = Covariance(
        exact_parameter(A, "the variance A"),
        exact_parameter(B, "the variance B"),
        exact_parameter(C, "the covariance C"),
    )
    if found.A < 0 or found.B < 0 or found.gap < 0:
        raise BadValue(
            f"[[{found.A}, {found.C}], [{found.C}, {found.B}]] is no covariance: "
            "A, B >= 0 and C^2 <= A B"
        )
    return found
