"""Questions to a problem in one call, as the tests put them."""

from __future__ import annotations

from symbench.learning import Problem


def of_problem(method):
    """A function that builds a Problem from the arguments of one and calls the method."""

    def asked(kernel, target, *, length, law=None, test_law=None, **options):
        problem = Problem(kernel, target, length=length, law=law, test_law=test_law)
        return getattr(problem, method)(**options)

    return asked


def expected_error(*arguments, **options):
    return of_problem("errors")(*arguments, **options).test


def simulated_error(*arguments, **options):
    return of_problem("simulate")(*arguments, **options).test


equivalent_predictor = of_problem("predictor")
compare_predictions = of_problem("predictions")
compare_network = of_problem("networks")
