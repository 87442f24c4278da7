"""The atlas against kernels from their definition on strings, against learnable, and theory."""

import json
from fractions import Fraction
from functools import cache
from importlib.resources import files
from itertools import count

import attrs
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st

import symbench as sb
from symbench import errors
from symbench.atlas import KERNELS, Atlas, AtlasEntry, Family, least_order, shipped_anew
from symbench.certificates import BlockDiagonal, NotPositiveDefinite, Singular
from symbench.certificates.plain import digest
from symbench.kernels import attention, from_function, inner_product
from tests.certificates.test_programs import by_javascript, by_script, by_symbench

T = sb.Template
SHIPPED = files("symbench.atlas").joinpath("data.jsonl").read_text(encoding="utf-8")


# --- the second road: strings of concrete tokens, kernels from their definition --------
def matches(x, y):
    return sum(a == b for a, b in zip(x, y, strict=True))


def pairs(x, y):
    places = range(len(x))
    return sum(x[a] == x[b] and y[a] == y[b] for a in places for b in places)


def linear(x, y, read):
    table = [[int(s == t) + int(a == b) for b, t in enumerate(y)] for a, s in enumerate(x)]
    norm = sum(entry**2 for row in table for entry in row)
    return read(table) * norm


def read_sum(table):
    return sum(map(sum, table))


def read_flatten(table):
    return sum(table[a][a] for a in range(len(table)))


def read_last(table):
    return table[-1][-1]


def polynomial(degree):
    """E (1 + u)^d (1 + v)^d for Gaussians with the covariance of linear attention."""

    def kernel(x, y):
        a, b, c = (linear(*two, read_sum) for two in ((x, x), (y, y), (x, y)))
        # By Isserlis, from the moment generating function.
        s, t = sympy.symbols("s t")
        exponent = (a * s**2 + 2 * c * s * t + b * t**2) / 2
        series = sympy.Poly(
            sum(exponent**n / sympy.factorial(n) for n in range(degree + 1)).expand(), s, t
        )
        total = 0
        for (i, j), coefficient in series.terms():
            if i <= degree and j <= degree:
                ways = sympy.binomial(degree, i) * sympy.binomial(degree, j)
                total += ways * coefficient * sympy.factorial(i) * sympy.factorial(j)
        return Fraction(int(total.p), int(total.q)) if total else Fraction(0)

    return kernel


def profile(x, q=2, gamma=1):
    """The rows of softmax(a (X X^T + gamma^2)), q = e^a, averaged over the rows."""
    size = len(x)
    weights = [
        [Fraction(q) ** (int(s == t) + gamma**2 * (a == b)) for b, t in enumerate(x)]
        for a, s in enumerate(x)
    ]
    rows = [[w / sum(row) for w in row] for row in weights]
    return [sum(row[b] for row in rows) / size for b in range(size)]


def identity(x, y):
    c, d = profile(x), profile(y)
    places = range(len(x))
    return sum(c[a] * d[b] * (int(x[a] == y[b]) + int(a == b)) for a in places for b in places)


DEFINITIONS = {
    "mlp": lambda x, y: 2 ** matches(x, y),  # one strictly positive kernel among them
    "linear-sum": lambda x, y: linear(x, y, read_sum),
    "linear-flatten": lambda x, y: linear(x, y, read_flatten),
    "linear-last": lambda x, y: linear(x, y, read_last),
    "polynomial-1": polynomial(1),
    "polynomial-2": polynomial(2),
    "polynomial-3": polynomial(3),
    "identity": lambda x, y: identity((*x, "CLS"), (*y, "CLS")),
    **{
        f"incidence-{d}": lambda x, y, d=d: (1 + matches(x, y) + pairs(x, y)) ** d
        for d in range(1, 6)
    },
}


def string(z, fresh):
    """The template with new numbers for its wildcards."""
    new = {}
    return tuple(new.setdefault(a, next(fresh)) if a in z.wildcards else a for a in z.letters)


def by_definition(templates, kernel):
    fresh = count()
    strings = [(string(z, fresh), string(z, fresh)) for z in templates]
    return sympy.Matrix([[kernel(x, y) for _, y in strings] for x, _ in strings])


@cache
def listed(length, tokens):
    return tuple(sb.all_templates(length, tokens=tokens))


@st.composite
def some_templates(draw, largest=4, most=6):
    length = draw(st.integers(1, largest))
    family = listed(length, draw(st.sampled_from(["", "S", "ST"])))
    return draw(st.lists(st.sampled_from(family), min_size=1, max_size=most, unique=True))


@settings(max_examples=60)
@given(some_templates(), st.sampled_from(sorted(DEFINITIONS)))
def test_ranks_and_confusion_are_those_of_the_definition(templates, name):
    answer = sb.atlas()[templates][name]
    found = by_definition(templates, DEFINITIONS[name])
    assert answer.rank == found.rank()
    rows = {}
    for i in range(len(templates)):
        rows.setdefault(tuple(found.row(i)), []).append(templates[i])
    alike = [tuple(members) for members in rows.values() if len(members) > 1]
    assert sorted(map(str, answer.confused)) == sorted(map(str, alike))
    for vector in answer.null_space.vectors:
        assert (found * sympy.Matrix(vector)).is_zero_matrix


def blocks(z, cls=True):
    """How often each regular token occurs, and the sizes of the wildcard blocks."""
    letters = (*z.letters, "CLS") if cls else z.letters
    tokens = sorted((a, letters.count(a)) for a in set(letters) - set(z.wildcards))
    return (tuple(tokens), tuple(sorted(map(letters.count, z.wildcards))))


@given(some_templates(5, 8))
def test_without_positions_types_are_told_apart_and_attention_tells_all(templates):
    row = sb.atlas()[templates] if blocks_fit(templates) else None
    if row is None:
        with pytest.raises(errors.UnknownName, match="the atlas has no templates"):
            sb.atlas()[templates]
        return
    assert row["gamma-zero"].rank == len(set(map(blocks, templates)))
    assert row["attention"].rank == row["generic"].rank == len(templates)


def blocks_fit(templates):
    tokens = {a for z in templates for a in z.tokens}
    return len(templates[0]) < 5 or len(tokens) < 2


@settings(max_examples=40)
@given(some_templates(), st.sampled_from(sorted(KERNELS)), st.data())
def test_the_atlas_says_what_learnable_says(templates, name, data):
    labels = data.draw(
        st.lists(st.integers(-2, 2), min_size=len(templates), max_size=len(templates))
    )
    task = sb.Task(templates, labels=labels, allow_overlap=True, wildcards="")
    answer, direct = sb.atlas()[task][name], sb.learnable(task, KERNELS[name])
    assert answer.status == direct.status
    assert (answer.rank, answer.confused) == (direct.rank, direct.confused)
    assert answer.labels_learned == direct.labels_learned
    assert answer.explain().splitlines()[0] == direct.explain().splitlines()[0]
    assert answer.certificate.check()
    assert answer.certificate.kind == direct.certificate.kind


# --- values that are known --------------------------------------------------------------
@pytest.mark.parametrize("length", [1, 2, 3, 4, 5])
def test_counts_that_are_known(length):
    every = list(sb.all_templates(length))
    row = sb.atlas()[every]
    bell, partitions = [1, 2, 5, 15, 52], [1, 2, 3, 5, 7]
    assert row["attention"].rank == bell[length - 1]
    assert row["gamma-zero"].rank == partitions[length - 1]
    assert row["mlp"].rank == row["linear-sum"].rank == 1
    # Polynomials of degree d in the incidence matrix are spanned by the forests of at most d
    # edges: their number is a sum of Stirling numbers.
    stirling = {
        n: [int(sympy.functions.combinatorial.numbers.stirling(n, k)) for k in range(n + 1)]
        for n in (length,)
    }[length]
    for degree in range(1, 6):
        wanted = sum(stirling[length - j] for j in range(min(degree, length - 1) + 1))
        assert row[f"incidence-{degree}"].rank == wanted
    assert row.least_degree("incidence") == max(1, length - 1)


def test_least_orders():
    assert [least_order(sb.all_templates(n)).order for n in (1, 2, 3)] == [0, 4, 10]
    # boix2024 needs the order beta^6 gamma^4 for pairs in blocks and alternating.
    found = least_order(sb.tasks.aabb_abab())
    assert found.order == 6
    assert found.certificate.check()
    assert least_order([T("αα"), T("ββ")], at_most=4).order is None


@settings(max_examples=15)
@given(some_templates(3, 3))
def test_the_least_order_by_minors(templates):
    """The largest elementary divisor is det over the common power of the smaller minors."""
    strings = [tuple(map(str, (*string(z, count(100 * i)), "*"))) for i, z in enumerate(templates)]
    other = [tuple(map(str, (*string(z, count(5000 + 100 * i)), "*")))
             for i, z in enumerate(templates)]  # fmt: skip
    b = sympy.symbols("b")
    table = sympy.zeros(len(templates))
    for i, x in enumerate(strings):
        for j, y in enumerate(other):
            coefficients = attention().taylor(x, y, beta=10)
            table[i, j] = sum(
                sympy.Rational(c.numerator, c.denominator) * b**n
                for (n, _), c in coefficients.items()
            )

    def order(minor):
        poly = sympy.Poly(minor.det(method="berkowitz"), b)
        return min((n for (n,), c in poly.terms() if c), default=None)

    size = range(len(templates))
    whole = order(table)
    parts = (
        [order(table.minor_submatrix(i, j)) for i in size for j in size] if len(size) > 1 else [0]
    )
    smaller = min(n for n in parts if n is not None)
    found = least_order(templates, at_most=10).order
    if whole is not None and whole <= 10:  # else the series is too short for its minors
        assert found == whole - smaller


# --- what is shipped -----------------------------------------------------------------------
def lines_of(text, *names):
    lines = [json.loads(line) for line in text.splitlines()[1:]]
    return [line for line in lines if line.get("of", line.get("family")) in names]


def test_short_lengths_are_found_anew_to_the_byte():
    names = ("1 AB", "2 AB", "3 AB", "two_programs", "word_problem")
    families = [f for f in sb.atlas().families if f.name in names]
    anew = Atlas.build(families, KERNELS).text
    assert lines_of(anew, *names) == lines_of(SHIPPED, *names)
    assert all(line in SHIPPED.splitlines() for line in anew.splitlines()[1:])


def test_short_lengths_are_checked_without_search():
    assert sb.atlas(3).check() == ()
    assert sb.atlas(2, ["generic", "identity"]).check() == ()


@pytest.mark.slow
def test_all_is_found_anew_to_the_byte():
    assert shipped_anew().text == SHIPPED


@pytest.mark.slow
def test_all_is_checked():
    assert sb.atlas().check() == ()


def test_a_query_needs_no_matrix(monkeypatch):
    """Which kernels learn a task is read off what is stored: no entry is computed."""
    row = sb.atlas()["distribution_of_three"]

    def refused(*_):
        raise AssertionError("an entry of a template matrix is computed")

    monkeypatch.setattr("symbench.ktau.matrix.TemplateMatrix._by_words", refused)
    monkeypatch.setattr("symbench.ktau.matrix.TemplateMatrix._by_entries", refused)
    row = sb.atlas()["distribution_of_three"]
    assert [row[name].status for name in ("mlp", "incidence-3", "attention")] == [
        "not learnable", "learnable", "learnable",
    ]  # fmt: skip
    assert row["identity"].rank == 6


# Matrices of 37 templates and more take a second each: a few kernels there.
FEW = ("mlp", "linear-last", "incidence-2", "attention")
CHECKED = [
    (name, kernel)
    for name, listed in sb.tasks.catalogue.items()
    for kernel in (KERNELS if listed.templates < 20 else FEW if listed.templates < 40 else ())
]


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """The certificate files of all tasks of the catalogue and kernels."""
    folder = tmp_path_factory.mktemp("atlas")
    paths = []
    for name, kernel in CHECKED:
        paths.append(folder / f"{name}-{kernel}.json")
        sb.atlas().certificate(name, kernel).save(paths[-1])
    return paths


def test_certificates_of_the_catalogue_are_accepted_by_all_programs(certificates):
    assert {by_symbench(path) for path in certificates} == {"checked"}
    assert {by_script(path) for path in certificates[::7]} == {"checked"}
    by_node = by_javascript(certificates[::7])
    assert by_node is None or set(by_node) == {"checked"}


@pytest.mark.parametrize("kernel", ["mlp", "gamma-zero", "attention"])
def test_certificates_of_the_largest_task(kernel, tmp_path):
    path = tmp_path / "certificate.json"
    sb.atlas().certificate("distribution_of_three", kernel).save(path)
    assert by_symbench(path) == "checked"


# --- errors that are noticed ------------------------------------------------------------------
def changed(entry, **fields):
    data = {**entry.to_json(), **fields}
    return AtlasEntry.from_json(entry.family, entry.kernel, data)


def test_a_wrong_entry_is_noticed():
    entry = sb.atlas().entries["3 AB", "identity"]
    assert entry.check()
    types = sb.atlas().entries["3 AB", "gamma-zero"]
    assert types.check()
    assert not changed(types, classes=[0, *types.classes[:-1]]).check()
    relations = [dict(found) for found in entry.to_json()["relations"]]
    place = next(iter(relations[0]))
    relations[0][place] = "17"
    assert not changed(entry, relations=relations).check()
    full = sb.atlas().entries["3 AB", "incidence-3"]
    assert not AtlasEntry.from_json(full.family, KERNELS["incidence-2"], full.to_json()).check()


def resigned(atlas, name, **fields):
    """The lines of an atlas, with other fields in those of a kernel, family or task."""
    lines = [json.loads(line) for line in atlas.text.splitlines()[1:]]
    for line in lines:
        names = {line.get(key) for key in ("kernel", "family", "catalogue")}
        if name in names and fields.keys() <= line.keys():
            line.update(fields)
    return lines


def signed(path, lines):
    """The file of these lines, with the digest that fits."""
    body = "".join(f"{json.dumps(line)}\n" for line in lines)
    header = {"format": "symbench atlas 1", "digest": digest({"body": body})}
    path.write_text(f"{json.dumps(header)}\n{body}")
    return path


def test_a_certificate_that_says_nothing_of_null_vectors_is_none(tmp_path):
    """A block form, a null vector and the sign of a direction are right, and do not decide."""
    honest = sb.atlas().filter(length=3, kernels=["incidence-1", "mlp"])
    entry = honest.entries["3 AB", "incidence-1"]
    reduced, size = entry._reduced.matrix, len(set(entry.classes))
    null = sb.Matrix([[entry.relations[0].get(n, 0)] for n in range(size)])
    beside = {
        "prime": 7, "residue": 1, "blocks": (reduced,), "repeats": (1,), "subject": reduced,
    }  # fmt: skip
    for right in (
        BlockDiagonal(basis=sb.Matrix.identity(size), **beside),
        Singular(null=null, subject=reduced),
        NotPositiveDefinite(direction=null, subject=reduced),
    ):
        assert right.check()
        proof = {"kind": right.kind, **right.to_json()}
        lines = resigned(honest, "incidence-1", relations=[], proof=proof)
        forged = Atlas.load(signed(tmp_path / "forged.jsonl", lines))
        assert [(wrong.name, wrong.rank) for wrong in forged.check()] == [("incidence-1", size)]
    assert honest.check() == ()


def test_null_vectors_are_those_of_the_certificate(tmp_path):
    """Neither beside a certificate that there are none, nor of other classes than are there."""
    for name, kernel in [("3 AB", "generic"), ("3 AB", "incidence-3"), ("3 AB", "gamma-zero")]:
        entry = sb.atlas().entries[name, kernel]
        assert entry.check()
        assert not changed(entry, relations=[{"0": "1"}]).check()
    entry = sb.atlas().entries["3 AB", "identity"]
    first, *others = map(dict, entry.to_json()["relations"])
    assert not changed(entry, relations=others).check()
    # What stands for a class of its own decides whether a null vector is asked at all.
    absent = next(str(n) for n in range(len(entry.classes)) if str(n) not in first)
    assert not changed(entry, relations=[{absent: "0", **first}, *others]).check()
    for place in (str(len(entry.classes)), "-1", f"0{next(iter(first))}"):
        with pytest.raises(errors.BadCertificate, match="the relations of an entry"):
            changed(entry, relations=[{place: "1", **first}, *others])


def test_a_kernel_from_a_file_is_positive_semidefinite_too():
    """Its matrix here is [-1]: nonsingular, but with no regression."""
    entry = sb.atlas(1, {"own": inner_product([1, 1])}).entries["1", "own"]
    prime = int(entry.stored_proof["prime"])
    negative = attrs.evolve(
        entry,
        kernel=inner_product([-1, 1]),
        stored_proof={**entry.stored_proof, "residue": str(prime - 1)},
    )
    assert entry.check()
    assert negative.proof.check(negative.matrix)
    assert not negative.check()


@pytest.mark.parametrize(
    ("name", "fields", "text"),
    [
        ("mlp", {"classes": "singular"}, "the classes of an entry are 'singular'"),
        ("mlp", {"classes": [0, "singular"]}, "the classes of an entry"),
        ("mlp", {"classes": [0, {}]}, "the classes of an entry"),
        ("mlp", {"classes": [0]}, "an entry has 1 classes for 2 templates"),
        ("mlp", {"relations": "none"}, "the relations of an entry are 'none'"),
        ("mlp", {"relations": [0, 0]}, "the relations of an entry"),
        ("mlp", {"proof": True}, "the proof of an entry"),
        ("mlp", {"reason": None}, "its reason a text"),
        ("mlp", {"is": "attention()"}, "not that of this file"),
        ("own", {"is": None}, "'own'"),
        ("own", {"kernel": 7}, "the kernel is 7"),
        ("2", {"family": 7}, "the family is 7"),
        ("2", {"shape": ["3", "0"]}, "the templates of the family 2 are others"),
        ("2", {"shape": ["²", "0"]}, "invalid literal"),
        ("mlp", {"of": "9"}, "'9'"),
        ("same_different", {"costs": "4"}, "the costs is '4'"),
        ("same_different", {"costs": {"own": 1.5}}, "a cost is 1.5"),
        ("same_different", {"order": "high"}, "invalid literal"),
        ("same_different", {"catalogue": "none"}, "a task of the catalogue is 'none'"),
    ],
)
def test_a_malformed_file_is_refused(name, fields, text, tmp_path):
    atlas = sb.atlas(2, {"own": attention(gamma="1/2"), "mlp": KERNELS["mlp"]})
    path = signed(tmp_path / "file.jsonl", resigned(atlas.with_catalogue(), name, **fields))
    with pytest.raises(errors.BadValue, match=f"^not an atlas: .*{text}"):
        Atlas.load(path)


@pytest.mark.parametrize(
    "fields",
    [
        {"proof": {"kind": "none"}},
        {"proof": {"kind": {}}},
        {"proof": {}},
        {"proof": {"kind": "nonsingular", "prime": 7}},
        {"relations": [{"0": 1.5}]},
        {"relations": [{"0": "x"}]},
    ],
)
def test_an_entry_that_cannot_be_read_is_wrong(fields):
    assert not changed(sb.atlas().entries["3 AB", "identity"], **fields).check()


def test_files_of_other_forms(tmp_path):
    for content in ("[" * 100_000, "7\n", '{"format": {}, "digest": 1}\n'):
        (tmp_path / "file.jsonl").write_text(content)
        with pytest.raises(errors.BadValue, match="atlas"):
            Atlas.load(tmp_path / "file.jsonl")
    for line in (7, "of", None, [], {}):
        with pytest.raises(errors.BadValue, match="not an atlas"):
            Atlas.load(signed(tmp_path / "file.jsonl", [line]))
    with pytest.raises(errors.UnknownName, match="there is no kernel"):
        Atlas.load(signed(tmp_path / "file.jsonl", []))
    with pytest.raises(errors.BadValue, match="there is no family"):
        Atlas.load(signed(tmp_path / "file.jsonl", [{"kernel": "mlp", "is": None}]))


def test_a_stale_entry_gives_no_certificate():
    full = sb.atlas().entries["3 AB", "incidence-3"]
    wrong = AtlasEntry.from_json(full.family, KERNELS["mlp"], full.to_json())
    space = wrong.null_space([T("ααα"), T("αβγ")])
    with pytest.raises(errors.Undecided, match="build the atlas anew"):
        _ = space.proof


def test_files(tmp_path):
    path = tmp_path / "atlas.jsonl"
    made = sb.atlas(2, {"own": attention(gamma="1/2"), "mlp": KERNELS["mlp"]})
    made.save(path)
    again = Atlas.load(path)
    assert again.text == made.text
    assert again.check() == ()
    assert again[sb.tasks.same_different()].learned_by == ("own",)
    path.write_text(path.read_text().replace("[0,1]", "[0,0]"))
    with pytest.raises(errors.BadValue, match="has been changed"):
        Atlas.load(path)
    path.write_text("{}\n")
    with pytest.raises(errors.BadValue, match="not an atlas"):
        Atlas.load(path)
    path.write_text('{"format": "symbench atlas 9", "digest": ""}\n')
    with pytest.raises(errors.BadValue, match="'symbench atlas 9': give one in 'symbench atlas 1'"):
        Atlas.load(path)
    with pytest.raises(errors.BadValue, match="cannot read"):
        Atlas.load(tmp_path / "none.jsonl")
    own = sb.atlas(2, {"own": inner_product(lambda n: n + 1)})
    with pytest.raises(errors.NotSupported, match="which no text names"):
        own.save(path)


def test_kernels_of_ones_own():
    squares = {"squares": inner_product(lambda n: n * n, incidence=True)}
    assert sb.atlas(3, squares)[sb.tasks.aba_abb()].learned_by == ("squares",)
    negative = from_function(lambda x, y: -1)
    with pytest.raises(errors.BadValue, match="not positive semidefinite on templates of length 2"):
        sb.atlas(2, {"negative": negative})
    # Of rank 1 and of two signs: the principal minor alone would not tell.
    signed = from_function(lambda x, y: 1 if len(set(x)) == len(set(y)) else -2)
    with pytest.raises(errors.BadValue, match="not positive semidefinite"):
        sb.atlas(2, {"signed": signed})
    floats = sb.atlas(2, {"floats": attention(beta=0.5, gamma=1)})
    answer = floats[sb.tasks.same_different()]["floats"]
    assert (answer.status, answer.rank) == ("learnable", 2)  # by the theorem, for any number
    balls = sb.atlas(2, {"balls": sb.kernels.transformer("relu", KERNELS["linear-sum"])})
    assert balls[sb.tasks.same_different()]["balls"].status == "undecided"
    with pytest.raises(errors.NotSupported, match="give yours another name"):
        sb.atlas(2, {"mlp": attention()})
    with pytest.raises(errors.NotSupported, match="give length"):
        sb.atlas(kernels={"squares": squares["squares"]})


@pytest.mark.parametrize(
    ("asked", "error", "text"),
    [
        ("same_diferent", errors.UnknownName, "near: same_different"),
        ([], errors.UnknownName, "no templates given"),
        (["αα"], errors.BadType, "a template is 'αα'"),
        ([T("αα"), T("αβα")], errors.BadShape, "αα has 2 letters, αβα has 3: make them equal"),
        (7, errors.BadType, "the task is 7"),
        ([T("αα[CLS]")], errors.UnknownName, "no templates of length 3"),
        ([T("ααααααα")], errors.UnknownName, "no templates of length 7"),
    ],
)
def test_bad_tasks(asked, error, text):
    with pytest.raises(error, match=text):
        sb.atlas()[asked]


def test_bad_arguments():
    with pytest.raises(errors.TooLarge, match="4213597"):
        sb.atlas(12)
    with pytest.raises(errors.BadValue):
        sb.atlas(0)
    with pytest.raises(errors.UnknownName, match="there is no kernel"):
        sb.atlas(2, [])
    with pytest.raises(errors.UnknownName, match="there is no kernel"):
        sb.atlas().filter(kernels=[])
    with pytest.raises(errors.BadType, match="the name of a kernel is 1: give a text"):
        sb.atlas(2, {1: attention()})
    with pytest.raises(errors.UnknownName, match="no templates of length 11"):
        sb.atlas().filter(length=11)
    with pytest.raises(errors.UnknownName, match="no kernel is named 'perceptron'"):
        sb.atlas()["copy"]["perceptron"]
    with pytest.raises(errors.UnknownName, match="the ladder is 'depth'"):
        sb.atlas()["copy"].least_degree("depth")
    assert repr(Family.of_length(2, 1)) == "Family.of_length(2, 1)"


# --- tables ------------------------------------------------------------------------------------
def test_tables(tmp_path):
    table = sb.atlas().table()
    rows = [json.loads(line) for line in table.jsonl().splitlines()]
    assert len(rows) == len(table.answers) * len(KERNELS)
    assert {row["status"] for row in table.where(kernel="attention").rows} == {"learnable"}
    missed = table.where(status="not learnable")
    assert {"mlp"} <= {row["kernel"] for row in missed.rows}
    assert all(row["confused"] or row["rank"] < row["templates"] for row in missed.rows)
    table.export(tmp_path / "t.csv")
    assert len((tmp_path / "t.csv").read_text().splitlines()) == len(rows) + 1
    with pytest.raises(errors.BadValue, match=r"in \.csv or \.jsonl"):
        table.export(tmp_path / "t.txt")
    with pytest.raises(errors.BadValue, match="cannot write"):
        table.export(tmp_path / "none" / "t.csv")
    table.picture.save(tmp_path / "t.svg")
    drawn = (tmp_path / "t.svg").read_text()
    size = len(table.answers) * len(KERNELS)
    assert drawn.count("<rect") == size + 1  # and the white behind them
    assert sum(f">{name}</text>" in drawn for name in (*KERNELS, *table.answers)) == len(
        (*KERNELS, *table.answers)
    )


def test_costs_that_are_shown_are_those_of_the_task_itself():
    table = sb.atlas(kernels=["incidence-1", "incidence-2"])
    costs = sb.learning.TemplateSplit(
        sb.tasks.aba_abb(), inner_product(lambda n: 1 + n, incidence=True)
    ).cost()
    assert table["aba_abb"].costs["incidence-1"] == f"{max(map(float, costs)):.4g}"
    task = sb.tasks.aba_abb()
    other = sb.Task(task.templates, labels=[1, 5])
    assert table[other].costs == {}
    # As many templates of that length, with the same labels: nothing is stored of them.
    known = sb.atlas()[task]
    assert len(known.costs) > 0
    assert known.stored_order is not None
    others = sb.Task([T("ααβ"), T("αβγ")], labels=task.labels)
    assert (len(others), others.weights) == (len(task), task.weights)
    assert (sb.atlas()[others].costs, sb.atlas()[others].stored_order) == ({}, None)
