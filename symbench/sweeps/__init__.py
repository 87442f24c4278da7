"""Many cases of a claim, on one machine or many, into a ledger that survives anything."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
