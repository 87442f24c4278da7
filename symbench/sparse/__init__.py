"""Sparse functions of T bits, and attention heads that compute them."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
