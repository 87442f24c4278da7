"""The pytest plugin: `pytest --symbench-claims` and `pytest --save-counterexample DIR`.

pytest loads this file in every project of an environment with symbench, so it imports nothing;
what the options need is loaded when one of them is given.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    import pytest


def pytest_addoption(parser: "pytest.Parser") -> None:
    """Add the options, and where claims are declared."""
    group = parser.getgroup("symbench", "symbench: claims and counterexamples")
    group.addoption(
        "--symbench-claims",
        nargs="?",
        const="*",
        metavar="PATTERN",
        help="verify the registered claims as tests, or those that match: --symbench-claims='my.*'",
    )
    group.addoption(
        "--save-counterexample",
        metavar="DIR",
        help="write failing cases of @given tests with values of symbench, and counterexamples of "
        "claims, to files in DIR",
    )
    parser.addini(
        "symbench_claims", "modules that declare claims, for --symbench-claims", type="linelist"
    )


def pytest_configure(config: "pytest.Config") -> None:
    """Load the rest of the plugin if it is asked for."""
    pattern = config.getoption("--symbench-claims")
    folder = config.getoption("--save-counterexample")
    if pattern is not None or folder is not None:
        from symbench._pytest_items import register

        register(config, pattern, folder)
