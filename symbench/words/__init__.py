"""Words: templates, substitution maps, tasks; matching, disjointness, enumeration, a catalogue.

>>> Template("ααβST").matches("QQRST")
True
"""

from symbench._lazy import open_room

__all__ = open_room(
    __name__,
    moved={"FiniteLaw": "FiniteSubstitutions", "UniformLaw": "UniformSubstitutions"},
)
