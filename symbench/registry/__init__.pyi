from symbench.registry.book import claims as claims
from symbench.registry.declaration import claim as claim
from symbench.registry.hunting import hunt as hunt
from symbench.registry.running import verify as verify
from symbench.registry.statement import Claim as Claim
from symbench.registry.statement import Fails as Fails
from symbench.registry.statement import NearMiss as NearMiss
from symbench.registry.verdict import Verdict as Verdict
