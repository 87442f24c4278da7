"""The template matrix K_tau, and the search for certificates of its nonsingularity."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
