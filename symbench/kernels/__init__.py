"""Token-symmetric kernels (`sb.kernels`): values on pairs of strings, by their equality pattern."""

from symbench._lazy import open_room

__all__ = open_room(__name__, moved={"kernel_from_function": "from_function"})
