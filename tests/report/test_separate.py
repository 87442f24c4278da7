"""The page's own answer about a task of templates, in node, against symbench and definitions."""

import itertools
import json
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

import symbench as sb
from symbench.cli.learnable import read_task
from symbench.errors import SymbenchError

NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")

PACKAGE = Path(sb.__file__).parent
DRIVER = """
require(process.argv[1]);
const {separateTask} = require(process.argv[2]);
const given = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(given.map((task) => {
  const made = separateTask(task);
  return {...made, checked: made.document && checkCertificate(made.document).status};
})));
"""


def answers(tasks):
    """What the page says of each, from one start of node."""
    given = [task if isinstance(task, dict) else {"text": task} for task in tasks]
    programs = [PACKAGE / "certificates" / "check_certificate.js", PACKAGE / "report/separate.js"]
    run = subprocess.run(
        [NODE, "-e", DRIVER, *map(str, programs)],
        input=json.dumps(given), capture_output=True, text=True, timeout=300, check=True,
    )  # fmt: skip
    return json.loads(run.stdout)


def random_task(choices):
    """Templates over a few letters, in which equivalent ones are not rare."""
    length, size = choices.randint(1, 4), choices.randint(1, 5)
    letters = choices.choice(["αβ", "αβγ", "αβAB", "αβγA", "xyAB", "xαA"])
    wildcards = "xy" if "x" in letters else ""
    rows = {"".join(choices.choices(letters, k=length)) for _ in range(size)}
    rows = sorted(rows)
    numbers = [[1, -1], [1], ["1/2", "0.5", "2/4", "1"]]
    labels = choices.choice([None, "letters", *numbers, ["ok", "bad"], ["ok"]])
    named = set(wildcards or "αβγ")
    tokens = {letter for row in rows for letter in row} - named
    chosen = labels and [
        choices.choice(sorted({*row} | tokens) if labels == "letters" else labels) for row in rows
    ]
    text = (
        " ".join(f"{r}={y}" for r, y in zip(rows, chosen, strict=True))
        if chosen
        else " ".join(rows)
    )
    return {"text": text, "wildcards": wildcards, "cls": choices.random() < 0.7}, rows, chosen


def renaming(one, two, wildcards):
    """By the definition: the renaming of wildcards that takes one to the other, if there is one."""
    mine, others = sorted({*one} & wildcards), sorted({*two} & wildcards)
    names = [dict(zip(mine, images, strict=False)) for images in itertools.permutations(others)]
    found = [name for name in names if "".join(name.get(x, x) for x in one) == two]
    return found[0] if found and len(mine) == len(others) else None


def exponent(row, wildcards, xi, y):
    """By the formula of the theorem."""
    sums = {x: sum(xi[a] for a, letter in enumerate(row) if letter == x) for x in row}
    return sum(s * s if x in wildcards else 2 * y[x] * s for x, s in sums.items())


def value(label):
    try:
        return Fraction(label)
    except ValueError:
        return label


def test_random_tasks_against_the_definition_and_against_symbench(tmp_path):
    choices = random.Random(20260919)
    asked = [random_task(choices) for _ in range(250)]
    found, seen, compared = answers([task for task, _, _ in asked]), set(), 0
    for (task, rows, labels), made in zip(asked, found, strict=True):
        wildcards = set(task["wildcards"] or "αβγ")
        if not any({*row} & wildcards for row in rows):
            assert "no wildcards" in made["error"], task
            continue
        alike = [
            (a, b) for a, b in itertools.combinations(range(len(rows)), 2)
            if renaming(rows[a], rows[b], wildcards) is not None
        ]  # fmt: skip
        split = [
            (a, b) for a, b in alike
            if not labels
            or value(renaming(rows[a], rows[b], wildcards).get(labels[a], labels[a]))
            != value(labels[b])
        ]  # fmt: skip
        status = "not learnable" if split else "learnable" + " with these labels" * bool(alike)
        assert made["status"] == status, task
        assert made["checked"] == "checked", task
        seen.add(status)
        if status == "not learnable":
            assert tuple(made["pair"]) in {(rows[a], rows[b]) for a, b in split}
        else:
            ends = [[*row, "CLS"] if task["cls"] else [*row] for row in rows]
            xi, y = map(int, made["xi"]), map(int, made["y"])
            point = list(xi), dict(zip(made["tokens"], y, strict=True))
            assert sum(point[0]) == 0
            exact = [exponent(row, wildcards, *point) for row in ends]
            assert list(map(int, made["exponents"])) == exact
            several = [i for i, row in enumerate(ends) if len({*row}) > 1]
            for a, b in itertools.combinations(several, 2):
                assert exact[a] != exact[b] or (a, b) in alike
        # symbench reads its own copy of the certificate, and answers itself.
        if len(seen) == 3 and compared < 40:
            compared += 1
            path = tmp_path / "certificate.json"
            path.write_text(made["document"], encoding="utf-8")
            assert sb.check(path)
            templates = [sb.Template(row, wildcards=task["wildcards"] or None) for row in rows]
            answer = sb.learnable(templates, sb.kernels.attention(), cls=task["cls"])
            assert answer.every_labelling == (not alike), task
            groups = {frozenset(map(str, group)) for group in answer.confused}
            assert groups == {frozenset(group) for group in made["alike"]}
    assert seen == {"learnable", "learnable with these labels", "not learnable"}
    assert compared == 40


def test_labels_that_symbench_refuses_are_refused():
    labels = ["1", "-2/3", "0.5", "ok", "α", "β", "A", "γ", "1e3"]
    pairs = list(itertools.product(labels, repeat=2))
    asked = [[f"ααA={one}", f"αβA={two}"] for one, two in pairs]
    for words, made in zip(asked, answers(map(" ".join, asked)), strict=True):
        try:
            expected = read_task(words, None).is_symbolic
        except SymbenchError as error:
            # The page takes classes that are all the same.
            expected = False if "at least two" in str(error) else None
        assert made.get("letters") == expected, words


def test_the_catalogue_is_learnable():
    chosen = [task.task() for task in sb.words.tasks.catalogue.values()]
    chosen = [task for task in chosen if len(task.templates) < 200]
    plain = [t for t in chosen if all(len(x) == 1 for z in t.templates for x in z.letters)]
    found = answers([" ".join("".join(z.letters) for z in task.templates) for task in plain])
    assert len(found) > 5
    for task, made in zip(plain, found, strict=True):
        assert (made.get("status"), made["checked"]) == ("learnable", "checked"), (task, made)


def test_many_templates_are_separated():
    texts = [str(z) for z in sb.all_templates(6)]  # 203 of them
    [made] = answers([" ".join(texts)])
    assert made["checked"] == "checked"
    assert len(set(made["exponents"])) == len(texts) == 203


@pytest.mark.parametrize(
    ("task", "said"),
    [
        ("", "no templates"),
        ("  \n ", "no templates"),
        ("αα αβ=1", "αα has no label"),
        ("αα αβγ", "unequal lengths: αα has 2 letters, αβγ has 3"),
        ("αα αα", "αα is given twice"),
        ("AB AC", "AB, AC have no wildcards"),
        ("=1", "has no template"),
        ("αα=", "has no label after"),
        ("αα=1/0", "divides by zero"),
        ("αα=1 αβ=ok", "the labels 1 and ok are of different sorts"),
        ("αα=.5 αβ=1e3 αγ=1", "the labels 1 and .5 are of different sorts"),
        ("αα=β αβ=α", "the label β of αα is neither one of its wildcards"),
        ("αA=A αβ=ok", "the label ok of αβ is neither"),
        ("ΑA αα", "looks like the Latin A"),
        ("µµ", "not one of the Greek letters"),
        ({"text": "xx xy", "wildcards": "[CLS]"}, "CLS is a token"),
        ("α" * 101, "longer than 100"),
        (" ".join(f"α{chr(0x4E00 + i)}" for i in range(1001)), "at most 1000"),
    ],
)
def test_what_is_refused(task, said):
    [made] = answers([task])
    assert said in made["error"]
    assert "document" not in made


def test_words_with_signs_of_equality_and_cls():
    found = answers(["α=α=1 α=β=-1", "αα[CLS]=1 αβ[CLS]=-1", "😀α😀=1 α😀α=0"])
    assert [made["templates"] for made in found] == [
        ["α=α", "α=β"], ["αα[CLS]", "αβ[CLS]"], ["😀α😀", "α😀α"]
    ]  # fmt: skip
    assert found[1]["ends"] == ["αα[CLS]", "αβ[CLS]"]  # none is appended twice
    assert [made["checked"] for made in found] == ["checked"] * 3


def test_greek_letters_are_those_of_symbench():
    """Every letter of the Greek block: a wildcard here and there, or refused here."""
    letters = [chr(n) for n in range(0x370, 0x400)] + ["µ", "A", "×", "ℵ", "K"]
    for letter, made in zip(letters, answers([f"{x}q α1" for x in letters]), strict=True):
        try:
            known = sb.Template(f"{letter}q").wildcards == (letter,)
        except SymbenchError:
            known = None
        if "error" in made:
            assert known is not False or ord(letter) in range(0x370, 0x400), letter
        else:
            assert (letter not in made["tokens"]) == known, letter
