"""Kernels from texts, as a command line or a file has them: their own repr, and nothing else.

>>> from_text("attention(beta=1, gamma=1/2)")
attention(beta=1, gamma='1/2')
>>> from_text("transformer('relu', attention)")
transformer('relu', attention())
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from symbench._arguments import choice, instance, shown
from symbench.errors import BadType, BadValue
from symbench.kernels.attention import attention
from symbench.kernels.base import Kernel
from symbench.kernels.generic import generic
from symbench.kernels.hard_attention import HardAttention
from symbench.kernels.identity_attention import identity_attention
from symbench.kernels.inner_product import inner_product
from symbench.kernels.linear_attention import linear_attention
from symbench.kernels.positions import ring_attention, segment_attention
from symbench.kernels.softmax_attention import softmax_attention
from symbench.kernels.tangent import tangent
from symbench.kernels.transformer import transformer

_KERNELS: dict[str, Callable[..., Any]] = {
    "attention": attention,
    "generic": generic,
    "HardAttention": HardAttention,
    "identity_attention": identity_attention,
    "inner_product": inner_product,
    "linear_attention": linear_attention,
    "ring_attention": ring_attention,
    "segment_attention": segment_attention,
    "softmax_attention": softmax_attention,
    "tangent": tangent,
    "transformer": transformer,
}


def from_text(text: str) -> Kernel:
    """The kernel that a text names: a name, or a call with numbers, lists and other kernels.

    A quotient of integers is an exact number. Functions of one's own cannot be given as text.

    >>> from_text("inner_product([0, 1, 4], incidence=False)")
    inner_product([0, 1, 4])
    >>> from_text("perceptron")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the kernel is 'perceptron': give one of attention, generic, ...
    >>> from_text("attention(beta=print())")
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the kernel is 'print': give one of attention, generic, ...
    """
    given = instance(text, str, "the kernel", "a text such as 'attention(beta=1, gamma=1)'")
    try:
        tree = ast.parse(given.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise BadValue(f"the kernel is {shown(given)}: write a call, attention(gamma=0)") from None
    found: Kernel = _kernel(tree)
    return found


def _kernel(tree: ast.expr) -> Any:
    call = tree if isinstance(tree, ast.Call) else ast.Call(tree, [], [])
    name = call.func.id if isinstance(call.func, ast.Name) else ast.unparse(call.func)
    maker = _KERNELS[choice(name, "the kernel", _KERNELS)]
    named = {keyword.arg: _value(keyword.value) for keyword in call.keywords if keyword.arg}
    if len(named) < len(call.keywords):
        raise BadValue(f"{name} is given **options: write them one by one, as name=value")
    try:
        return maker(*map(_value, call.args), **named)
    except TypeError as error:
        if isinstance(error, BadType):
            raise
        raise BadType(f"{name} does not take this: {error}") from None


def _value(tree: ast.expr) -> Any:
    """What an argument stands for: a literal, a quotient of integers, or another kernel."""
    if isinstance(tree, ast.Call) or (isinstance(tree, ast.Name) and tree.id in _KERNELS):
        return _kernel(tree)
    if isinstance(tree, ast.List | ast.Tuple):
        return [_value(item) for item in tree.elts]
    if isinstance(tree, ast.BinOp) and isinstance(tree.op, ast.Div):
        above, below = _value(tree.left), _value(tree.right)
        if type(above) is int and type(below) is int and below:
            return Fraction(above, below)
    try:
        return ast.literal_eval(tree)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        raise BadValue(
            f"an argument is {ast.unparse(tree)}: give a number, a list, a quoted name or a kernel"
        ) from None
