"""symbench learnable: the answer in words, and its exit code."""

import pytest
from click.testing import CliRunner

import symbench as sb
from symbench.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["learnable", *arguments])


def test_help_shows_examples_on_lines_of_their_own():
    shown = run("--help").stdout.splitlines()
    assert "  symbench learnable same_different --kernel inner_product" in shown
    assert "  symbench learnable xyx xyy --wildcards xy" in shown


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["same_different"], 0, "Learnable for every beta, gamma != 0"),
        (["same_different", "--kernel", "inner_product"], 1, "αα and αβ look alike"),
        (["αα=1", "αβ=1", "--kernel", "inner_product([1, 2, 3])"], 0, "with these labels"),
        (["αα=1/2", "αβ=-0.5", "--kernel", "inner_product"], 1, "from -1/2 to 1/2"),
        (["αα", "αβ", "--kernel", "inner_product(incidence=True)"], 0, "for generic parameters"),
        (["αα", "αβ", "--kernel", "attention(gamma=0)"], 0, "gamma = 0, every beta != 0"),
        (["xx=1", "xy=2", "--wildcards", "xy"], 0, "these 2 templates"),
        (["xx=1", "xy=2", "--wildcards", ""], 0, "these 2 templates"),
        (["αβα=α", "αββ=β"], 0, "they are letters"),
        (["α=1;α=1", "β=2;α=2"], 0, "these 2 templates"),
        (["αα", "αβ", "--kernel", "attention(gamma=0)", "--no-cls"], 1, "0 of 2 independent"),
        (["distribution_of_three", "--kernel", "inner_product"], 1, "138 more look alike"),
    ],
)
def test_answers(arguments, code, words):
    result = run(*arguments)
    assert result.exit_code == code, result.output
    assert words in result.stdout
    assert result.stderr == ""


def test_undecided(tmp_path):
    # No positions, no CLS at the end, and (23) reads the last letter: no theorem, only floats.
    kernel = "attention(beta=1, gamma=0, softmax_scale='appendix-H')"
    asked = ["αα", "αβ", "--kernel", kernel, "--no-cls"]
    result = run(*asked)
    assert result.exit_code == 3, result.output
    assert result.stdout.startswith("Undecided: whether kernel regression with")
    assert "floats, which prove nothing" in result.stdout
    result = run(*asked, "--save", str(tmp_path / "nothing.json"))
    assert result.exit_code == 2
    assert "there is no certificate to save" in result.stderr


def test_save(tmp_path):
    for kernel in ("attention", "inner_product"):
        path = tmp_path / f"{kernel}.json"
        run("same_different", "--kernel", kernel, "--save", str(path))
        assert sb.check(path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Missing argument"),
        (["ravens"], "near: raven"),
        (["αα=1", "αβ"], "'αβ' has no label"),
        (["αα=1", "αβ=x"], "all numbers, all classes or all letters"),
        (["αα=α", "αβ=y"], "neither one of its wildcards nor a regular token"),
        (["α=1;print(α)"], "all labels are '1;print(α)'"),
        (["αα", "ββ"], "equivalent templates"),
        (["αα", "αβγ"], "unequal lengths"),
        (["=1"], "an empty template"),
        (["xx", "xy", "--wildcards", "z"], "xx, xy have no wildcards"),
        (["αα", "αβ", "--kernel", "mlp"], "give one of attention"),
        (["αα", "αβ", "--kernel", "inner_product(["], "write a call"),
        (["αα", "αβ", "--kernel", "inner_product([1])"], "f has 1 values"),
        (["αα", "αβ", "--timeout", "0"], "give more than 0 seconds"),
        (["αα", "αβ", "--save", "/nowhere/answer.json"], "cannot write"),
    ],
)
def test_usage(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr
    assert "Traceback" not in result.output
