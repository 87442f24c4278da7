"""Claims of boix2024, "When can transformers reason with abstract symbols?".

arXiv 2310.09753, numbering of version 1; one module per part of the paper.
"""

from symbench.papers.boix2024 import (
    analysis,
    appendix_d,
    appendix_h,
    copying,
    exponentials,
    generalisation,
    identity,
    integrand,
    invariants,
    kernels,
    mlps,
    power_series,
    stages,
    tasks,
    templates,
    theorem_4_4,
)

__all__ = [
    "analysis",
    "appendix_d",
    "appendix_h",
    "copying",
    "exponentials",
    "generalisation",
    "identity",
    "integrand",
    "invariants",
    "kernels",
    "mlps",
    "power_series",
    "stages",
    "tasks",
    "templates",
    "theorem_4_4",
]
