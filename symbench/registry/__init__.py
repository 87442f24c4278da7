"""Claims, verdicts and the runs that lead from one to the other."""

from symbench.registry.book import claims
from symbench.registry.declaration import claim
from symbench.registry.hunting import hunt
from symbench.registry.running import verify
from symbench.registry.statement import Claim, Fails, NearMiss
from symbench.registry.verdict import Verdict

__all__ = [
    "Claim",
    "Fails",
    "NearMiss",
    "Verdict",
    "claim",
    "claims",
    "hunt",
    "verify",
]
