"""Certificates: every kind, what each is about, files and bundles. The trusted base.

This room imports only errors and exact. It never searches: `symbench.decide` does. Kinds are loaded
when they are first used, so that checking a file costs little more than reading it.
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
