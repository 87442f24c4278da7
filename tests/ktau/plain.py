"""Templates from rows of numbers, with the kernels that the theorems speak of."""

from symbench.certificates import KernelFacts, Templates
from symbench.exact import Rational
from symbench.ktau import plain_templates


def softmax(rows):
    return Templates.from_numbers(rows, KernelFacts())


def softmax_23(rows):
    return Templates.from_numbers(rows, KernelFacts(scale="appendix-H"))


def without_positions(rows):
    return Templates.from_numbers(rows, KernelFacts(gamma=Rational(0)))


def any_kernel(rows):
    return Templates.from_numbers(rows)


def of_softmax(templates):
    return plain_templates(templates, KernelFacts())
