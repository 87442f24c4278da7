"""symbench's own theorems (`symbench.*`)."""

from symbench.papers.beyond import (
    activations,
    assignments,
    definite,
    exchangeability,
    gram,
    groups,
    laws,
    lower_bounds,
    networks,
    parity_and_conjunction,
    selection,
    sharpness,
    symmetries,
    tangent,
)

__all__ = [
    "activations",
    "assignments",
    "definite",
    "exchangeability",
    "gram",
    "groups",
    "laws",
    "lower_bounds",
    "networks",
    "parity_and_conjunction",
    "selection",
    "sharpness",
    "symmetries",
    "tangent",
]
