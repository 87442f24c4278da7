"""Claims, verdicts and the runs that lead from one to the other."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
