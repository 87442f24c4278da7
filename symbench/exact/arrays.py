"""numpy, loaded when it is first used, and types of its arrays for annotations without it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeAlias

__all__ = ["Array", "Floats", "Integers", "np"]

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    Integers: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]
else:
    Array = Integers = Floats = Any

    class _Numpy:
        """Stands for numpy: each name is taken from it once."""

        def __getattr__(self, name: str) -> Any:
            value = self.__dict__[name] = getattr(import_module("numpy"), name)
            return value

    np = _Numpy()
