"""Kernels written as text."""

import pytest

from symbench import errors
from symbench.kernels import (
    HardAttention,
    attention,
    from_text,
    generic,
    inner_product,
    linear_attention,
    softmax_attention,
    tangent,
    transformer,
)


@pytest.mark.parametrize(
    "kernel",
    [
        attention(),
        attention(beta=1, gamma="1/2", order=4, softmax_scale="appendix-H"),
        attention(beta=0.5, gamma=-2),
        generic(),
        HardAttention(),
        inner_product(),
        inner_product([0, 1, "-1/3"], incidence=True),
        linear_attention(1, "2/3", readout="last", layers=2, causal=True),
        softmax_attention(1, 1),
        tangent(linear_attention(1, 1)),
        transformer("relu", attention(gamma=0)),
    ],
    ids=repr,
)
def test_the_text_of_a_kernel_is_read_back(kernel):
    assert from_text(repr(kernel)) == kernel
    assert from_text(f"  {kernel!r} ") == kernel


def test_short_forms():
    assert from_text("attention") == attention()
    assert from_text("attention(beta=1, gamma=-1/2)") == attention(beta=1, gamma="-1/2")
    assert from_text("inner_product((1/2, 1))") == inner_product(["1/2", 1])


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        (None, errors.BadType, "the kernel is None"),
        ("", errors.BadValue, "write a call"),
        ("attention(", errors.BadValue, "write a call"),
        ("attention\0", errors.BadValue, "write a call"),
        ("mlp", errors.UnknownName, "give one of attention"),
        ("os.system('true')", errors.UnknownName, "os.system"),
        ("__import__('os')", errors.UnknownName, "__import__"),
        ("attention()()", errors.UnknownName, "give one of"),
        ("3", errors.UnknownName, "give one of"),
        ("inner_product(lambda n: n)", errors.BadValue, "lambda n: n"),
        ("inner_product([print])", errors.BadValue, "an argument is print"),
        ("attention(beta=1/0, gamma=1)", errors.BadValue, "1 / 0"),
        ("attention(**{'beta': 1})", errors.BadValue, "one by one"),
        ("attention(*[1])", errors.BadValue, "an argument is"),
        ("attention(betta=1)", errors.BadType, "betta"),
        ("transformer()", errors.BadType, "transformer does not take this"),
        ("attention(beta=1)", errors.BadValue, "give both"),
        ("(" * 500 + "attention" + ")" * 500, errors.BadValue, "write a call"),
    ],
)
def test_what_is_no_kernel(text, error, words):
    with pytest.raises(error, match=words):
        from_text(text)
