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

from symbench._lazy import open_room

__version__ = "0.1.0"

# Names of before, and where what they named is now.
_MOVED = {
    "group_lower_bound": "learning.lower_bound",
    "group_orbit_spectrum": "learning.orbit_average",
}
__all__ = open_room(__name__, _MOVED)
