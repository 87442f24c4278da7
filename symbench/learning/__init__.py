"""What kernel regression learns from N samples: bounds, theories, exact errors, networks."""

from symbench._lazy import open_room

__all__ = open_room(__name__)
