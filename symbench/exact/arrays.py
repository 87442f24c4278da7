"""Types of numpy arrays, for annotations that are evaluated without loading numpy."""

from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array: TypeAlias = NDArray[Any]
    Integers: TypeAlias = NDArray[np.int64]
    Floats: TypeAlias = NDArray[np.float64]
else:
    Array = Integers = Floats = Any
