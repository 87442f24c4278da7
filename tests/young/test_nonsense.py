"""Every public name, given nonsense, raises an exception of symbench.errors and nothing else."""

import contextlib
import inspect
import itertools

import pytest

import symbench.young
from symbench.errors import SymbenchError
from symbench.young import (
    Action,
    AlgebraElement,
    CharacterTable,
    ClassFunction,
    Partition,
    Permutation,
    Representation,
    SemistandardTableaux,
    StandardTableaux,
    Surd,
    SurdMatrix,
    Tableau,
    partitions,
)

NONSENSE = [None, 1.5, True, "x", -3, object(), [None], [[1.5]], {}, float("nan"), b"1", ()]
NAMES = symbench.young.__all__
OBJECTS = [
    Partition(2, 1),
    Permutation(2, 1, 3),
    Tableau([[1, 2], [3]]),
    StandardTableaux(Partition(2, 1)),
    SemistandardTableaux(Partition(2, 1), 2),
    partitions(4),
    CharacterTable(3),
    ClassFunction(2, [1, 1]),
    Representation(Partition(2, 1)),
    AlgebraElement(2, {Permutation(2, 1): 1}),
    Surd(1, 2),
    SurdMatrix([[1]], [1]),
    Action.subsets(3, 1),
]


def methods():
    for thing in OBJECTS:
        for name, method in inspect.getmembers(thing, callable):
            if not name.startswith("_") and inspect.ismethod(method):
                yield pytest.param(method, id=f"{type(thing).__name__}.{name}")
        if callable(thing):
            yield pytest.param(thing, id=type(thing).__name__ + "()")


def provoke(function):
    required = [
        p
        for p in inspect.signature(function).parameters.values()
        if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD, p.VAR_POSITIONAL)
    ]
    least = sum(p.default is p.empty for p in required)
    for count in {max(least, 1), len(required)} if required else ():
        for junk in NONSENSE:
            # Some nonsense makes sense to some; any other exception would fail the test.
            with contextlib.suppress(SymbenchError):
                function(*itertools.repeat(junk, count))


@pytest.mark.parametrize("name", NAMES)
def test_functions_and_classes(name):
    provoke(getattr(symbench.young, name))


@pytest.mark.parametrize("method", list(methods()))
def test_methods(method):
    provoke(method)


@pytest.mark.parametrize("thing", OBJECTS, ids=lambda thing: type(thing).__name__)
def test_items_and_operators(thing):
    for junk in NONSENSE:
        for operation in ("__getitem__", "__mul__", "__add__", "__sub__", "__matmul__", "__pow__"):
            if hasattr(thing, operation):
                with contextlib.suppress(SymbenchError):
                    getattr(thing, operation)(junk)
        if hasattr(thing, "__contains__"):
            assert junk not in thing
