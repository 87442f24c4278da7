"""Is a text permutation symmetric? Moments of its windows, against shuffled ones."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
