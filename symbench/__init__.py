"""symbench: exact algebra for the theory of transformers, symmetry and abstract reasoning.

It takes a claim, a task or a kernel and answers holds, fails or undecided, with a certificate
that somebody else can re-check without trusting the search that found it.

>>> import symbench as sb
>>> M = sb.Matrix([[2, 1], [1, 2]])
>>> sb.certify(M).explain()
'nonsingular at these parameters: det = 3 modulo 2147483647'
>>> sb.verify("lavie2024.dimension").status
'holds'

Names are loaded when first used, so that `import symbench` costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symbench import errors
    from symbench.certificates import (
        Certificate,
        Counterexample,
        Exhausted,
        Nonsingular,
        NonsingularBalls,
        NotPositiveDefinite,
        PositiveDefinite,
        RankIs,
        Singular,
        TiedAssignment,
        UniqueAssignment,
    )
    from symbench.decide import certify
    from symbench.exact import (
        GF,
        QQ,
        ZZ,
        Balls,
        Exponentials,
        Matrix,
        Polynomials,
        PowerSeries,
        Rational,
        exponential_matrix,
    )
    from symbench.registry import (
        Claim,
        Fails,
        NearMiss,
        Verdict,
        check,
        claim,
        claims,
        hunt,
        load,
        verify,
    )

__version__ = "0.1.0"

# Which room each public name lives in.
_HOMES = {
    "symbench.exact": (
        "GF QQ ZZ Balls Exponentials Matrix Polynomials PowerSeries Rational exponential_matrix"
    ),
    "symbench.certificates": (
        "Certificate Counterexample Exhausted Nonsingular NonsingularBalls NotPositiveDefinite "
        "PositiveDefinite RankIs Singular TiedAssignment UniqueAssignment"
    ),
    "symbench.decide": "certify",
    "symbench.registry": "Claim Fails NearMiss Verdict check claim claims hunt load verify",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "GF",
    "QQ",
    "ZZ",
    "Balls",
    "Certificate",
    "Claim",
    "Counterexample",
    "Exhausted",
    "Exponentials",
    "Fails",
    "Matrix",
    "NearMiss",
    "Nonsingular",
    "NonsingularBalls",
    "NotPositiveDefinite",
    "Polynomials",
    "PositiveDefinite",
    "PowerSeries",
    "RankIs",
    "Rational",
    "Singular",
    "TiedAssignment",
    "UniqueAssignment",
    "Verdict",
    "certify",
    "check",
    "claim",
    "claims",
    "errors",
    "exponential_matrix",
    "hunt",
    "load",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Load a public name from its room."""
    import importlib

    if name == "errors":
        return importlib.import_module("symbench.errors")
    if name not in _HOME:
        raise AttributeError(f"module 'symbench' has no attribute {name!r}")
    value = getattr(importlib.import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
