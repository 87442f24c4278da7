import pickle
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symbench import strategies as sts
from symbench.errors import BadType, BadValue, UnknownName
from symbench.words import Substitution, Template, Word

from . import oracles


def test_the_example_of_definition_3_1():
    t = Template("ααβST")
    assert t.matches("QQRST")
    assert t.explain("QQRST").substitution == Substitution({"α": "Q", "β": "R"})
    assert not t.matches("QQQST")
    assert str(t.explain("QQQST")) == "α and β would both be Q"
    assert not t.matches("QQSST")
    assert str(t.explain("QQSST")) == "β -> S, but S already stands in the template"


@pytest.mark.parametrize(
    ("string", "reason"),
    [
        ("QRSST", "α would be both Q and R"),
        ("QQRSX", "letter 5 of the template is T, of the string X"),
        ("QQRS", "the template has 5 letters, the string has 4"),
        ("SSRST", "α -> S, but S already stands in the template"),
    ],
)
def test_reasons(string, reason):
    answer = Template("ααβST").explain(string)
    assert not answer
    assert answer.substitution is None
    assert answer.reason == reason


@settings(max_examples=150)
@given(sts.templates(max_length=4, tokens="AB"))
def test_matching_against_brute_force_over_all_strings(template):
    # Five tokens: the two of the templates and more than the wildcards that fit.
    for string in product("ABCDE", repeat=len(template)):
        assert template.matches(string) == oracles.matches(template, string)


@given(sts.templates(), st.data())
def test_explain_gives_the_map_that_was_put_in(template, data):
    s = data.draw(sts.substitutions(template, alphabet=9))
    answer = template.explain(template.substitute(s))
    assert answer.substitution == s


@given(sts.templates(), sts.templates())
def test_equivalence_against_brute_force(t, u):
    assert t.is_equivalent(u) == oracles.equivalent(t, u)
    assert (t == u) == (t.letters == u.letters)
    assert t.is_equivalent(t.canonical)
    assert oracles.equivalent(t, t.canonical)


@given(sts.templates(max_wildcards=4), st.permutations("αβγδ"))
def test_canonical_forms_do_not_depend_on_names(template, names):
    renamed = dict(zip("αβγδ", names, strict=True))
    other = Template([renamed.get(x, x) for x in template.letters])
    assert other.canonical == template.canonical
    assert other.canonical.canonical is other.canonical
    assert other.canonical.wildcards == tuple("αβγδ"[: len(other.wildcards)])


def test_named_wildcards():
    t = Template("xxyST", wildcards="xyz")
    assert t.wildcards == ("x", "y")
    assert t.canonical == Template("ααβST")
    assert t != t.canonical
    assert t.matches("QQRST")
    # Greek letters are tokens when the wildcards are named.
    u = Template("xα", wildcards="x")
    assert u.tokens == ("α",)
    assert u.canonical.letters == ("β", "α")
    assert u.canonical.wildcards == ("β",)
    assert u.matches("Qα")


@pytest.mark.parametrize(
    "template",
    [
        Template("ααβST"),
        Template("αα").with_cls(),
        Template(["print", "(", '"', "α", '"', ")"]),
        Template("xα", wildcards="x"),
        Template("xy", wildcards=""),
        Template(["α12", "β", "γ"]),
        Template(["go to", "α"], wildcards=["go to"]),
        Template(["[", "C", "L", "S", "]"]),
        Template("'\"\\α"),
    ],
)
def test_values_print_and_come_back(template):
    assert eval(repr(template)) == template
    assert hash(eval(repr(template))) == hash(template)
    copy = pickle.loads(pickle.dumps(template))
    assert copy == template
    assert (copy.pattern, copy.tokens) == (template.pattern, template.tokens)
    assert Template.from_json(template.to_json()) == template
    assert template.latex()


@given(sts.templates(tokens=["S", "CLS", "go", "["]))
def test_repr_evaluates(template):
    assert eval(repr(template)) == template
    assert Word(template.letters) == eval(repr(Word(template.letters)))


def test_cls_is_one_letter():
    t = Template("αα[CLS]")
    assert t.letters == ("α", "α", "CLS")
    assert t == Template("αα").with_cls()
    assert str(t) == "αα[CLS]"
    assert t.matches("QQ[CLS]")
    assert t.matches(["Q", "Q", "CLS"])
    assert not t.matches(["CLS", "CLS", "CLS"])


@given(sts.templates())
def test_blocks_and_tokens_cover_the_positions(template):
    places = sorted(p for block in template.blocks for p in block)
    places += [p for block in template.token_positions.values() for p in block]
    assert sorted(places) == list(range(len(template)))
    for wildcard, block in zip(template.wildcards, template.blocks, strict=True):
        assert {template.letters[p] for p in block} == {wildcard}
    for i in range(len(template)):
        for j in range(len(template)):
            same = template.letters[i] == template.letters[j]
            assert (template.pattern[i] == template.pattern[j]) == same


@given(sts.templates(), st.sets(st.sampled_from("ABCDEFGH")))
def test_fresh_tokens_are_fresh(template, avoid):
    s = template.fresh(avoid=avoid)
    assert set(s) == set(template.wildcards)
    assert not s.image & (avoid | set(template.letters))
    assert template.matches(template.substitute(s))


def test_many_wildcards_have_names():
    t = Template([str(i) for i in range(60)], wildcards=[str(i) for i in range(60)])
    assert len(set(t.canonical.wildcards)) == 60
    assert eval(repr(t.canonical)) == t.canonical
    assert len(t.fresh().image) == 60


def test_latex():
    assert Template("αβS").latex() == r"\alpha\beta\mathtt{S}"
    assert Template(["α12", "a_b"]).latex() == r"\alpha_{12}\,\mathtt{a\_b}"
    assert Template("οS").latex() == r"ο\mathtt{S}"


@pytest.mark.parametrize("bad", [None, 3, 2.5, True, b"ab", {"a"}, {"a": 1}, [1, 2], ["a", None]])
def test_bad_letters(bad):
    with pytest.raises(BadType):
        Template(bad)
    with pytest.raises(BadType):
        Template("α").matches(bad)
    with pytest.raises(BadType):
        Word(bad)


def test_bad_templates_and_strings():
    with pytest.raises(BadValue, match="empty template"):
        Template("")
    with pytest.raises(BadValue, match="empty letter"):
        Template(["α", ""])
    with pytest.raises(BadValue, match="only looks like the Greek letter"):
        Template("\u00b5")
    with pytest.raises(BadValue, match="wildcard β"):
        Template("αS").matches("βS")
    with pytest.raises(BadValue, match="wildcard x"):
        Template("xS", wildcards="x").matches("xS")
    with pytest.raises(UnknownName, match="β"):
        Template("αβ").substitute({"α": "A"})
    for bad in (None, "αβ", 3):
        with pytest.raises(BadType):
            Template("αβ").is_equivalent(bad)
        with pytest.raises(BadType):
            Template("αβ").is_disjoint(bad)
    for bad in (None, 3, [("α", "A")]):
        with pytest.raises(BadType):
            Template("α").substitute(bad)
    for bad in (None, 3, [1]):
        with pytest.raises(BadType):
            Template("α").fresh(avoid=bad)
    with pytest.raises(BadValue, match="CLS is a wildcard"):
        Template(["CLS"], wildcards=["CLS"]).with_cls()


@pytest.mark.parametrize(
    "data",
    [
        None,
        {},
        {"letters": ["α"]},
        {"letters": "α", "wildcards": ["α"]},
        {"letters": ["α"], "wildcards": ["β"]},
        {"letters": [], "wildcards": []},
        {"letters": ["α", 1], "wildcards": ["α"]},
    ],
)
def test_bad_json(data):
    with pytest.raises((BadType, BadValue)):
        Template.from_json(data)
