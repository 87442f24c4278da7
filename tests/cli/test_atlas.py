"""symbench atlas: queries, files and checks."""

import json

import pytest
from click.testing import CliRunner

from symbench.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["atlas", *map(str, arguments)])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["aabb_abab"], "identity        no         1 of 2  1 group"),
        (["αα=1", "αβ=-1", "--kernel", "identity"], "identity  yes        2 of 2            3268"),
        (["xyx", "xyy", "--wildcards", "xy", "--kernel", "mlp"], "mlp     no         1 of 2"),
        (["--kernel", "mlp", "--length", "3", "--check"], "1 of 1 entries are right"),
        (["--kernel", "mlp"], "relational_match_to_sample  40         > 8    no"),
    ],
)
def test_answers(arguments, words):
    result = run(*arguments)
    assert (result.exit_code, result.stderr) == (0, ""), result.output
    assert words in result.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["aabb_abad"], "near: aabb_abab"),
        (["αα", "αβ", "--kernel", "perceptron"], "the kernel is 'perceptron': give one of mlp"),
        (["ααααααα"], "no templates of length 7"),
        (["αα", "αβ", "--certificate", "c.json"], "--certificate goes with a task and one"),
        (["αα", "--export", "t.csv"], "--export and --plot with no task"),
        (["--from", "none.jsonl"], "cannot read 'none.jsonl'"),
        (["--length", "0"], "the length is 0"),
        (["--export", "t.txt"], "in .csv or .jsonl"),
        (["--build", "none/atlas.jsonl"], "there is no such folder"),
    ],
)
def test_bad_input(arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr


def test_files(tmp_path):
    proof, table, plot, own = (tmp_path / n for n in ("c.json", "t.jsonl", "t.svg", "own.jsonl"))
    assert run("αβα", "αββ", "--kernel", "mlp", "--certificate", proof).exit_code == 0
    checked = CliRunner().invoke(main, ["check", str(proof)])
    assert (checked.exit_code, "checked: singular" in checked.stdout) == (0, True)
    assert run("--export", table, "--plot", plot, "--kernel", "identity").exit_code == 0
    rows = [json.loads(line) for line in table.read_text().splitlines()]
    assert {row["kernel"] for row in rows} == {"identity"}
    assert plot.read_text().startswith("<svg")
    built = run("--length", 2, "--kernel", "identity", "--build", own, "--check")
    assert built.exit_code == 0
    assert "1 of 1 entries are right" in built.stdout
    asked = run("αα", "αβ", "--from", own)
    assert "identity  yes" in asked.stdout
    # An entry that was changed, with a digest that fits, is found by --check.
    from symbench.certificates.plain import digest

    body = own.read_text().split("\n", 1)[1].replace('"classes":[0,1,', '"classes":[0,0,')
    head = json.dumps({"format": "symbench atlas 1", "digest": digest({"body": body})})
    own.write_text(f"{head}\n{body}")
    wrong = run("--from", own, "--check")
    assert wrong.exit_code == 1
    assert "wrong: <AtlasEntry: identity" in wrong.stdout
