"""Sections 4.2 and 4.3, Appendices C and I: kernels on strings that do not see tokens' names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, permutations
from typing import Any

from symbench.certificates import Certificate, Singular
from symbench.certifying import certify
from symbench.kernels import (
    HardAttention,
    attention,
    from_function,
    generic,
    inner_product,
    linear_attention,
    polynomial,
    ring_attention,
    tangent,
    transformer,
)
from symbench.kernels.from_function import same_value
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, drawn, one_of, record
from symbench.papers._second_roads import attention_series, fresh, series_coefficients
from symbench.papers._templates import (
    Templates,
    every,
    inequivalent,
    is_string,
    is_template_text,
    template_sets,
    templates,
    wildcards_only,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template, tasks


# --- Definition C.1 -------------------------------------------------------------------------------
def _common(x: Any, y: Any) -> int:
    return len({*x} & {*y})


def _names(x: Any, y: Any) -> int:
    return int(x[0] < y[-1])


# By name: a kernel for strings of a length.
_KERNELS: dict[str, Callable[[int], Any]] = {
    "attention": lambda _: attention(order=2),
    "attention (23)": lambda _: attention(order=2, softmax_scale="appendix-H"),
    "exponential attention": lambda _: attention(beta=1, gamma=1, weights="exponential"),
    "hard attention": lambda _: HardAttention(),
    "linear attention, sum": lambda _: linear_attention(1, "1/2", readout="sum"),
    "linear attention, flatten": lambda _: linear_attention(1, "1/2", readout="flatten"),
    "linear attention, last": lambda _: linear_attention(1, "1/2", readout="last"),
    "ring attention": lambda n: ring_attention(1, 1, positions=[2, *[1] * (n - 1)]),
    "tangent": lambda _: tangent(linear_attention(1, 1)),
    "inner product": lambda _: inner_product(),
    "inner product, incidence": lambda _: inner_product(incidence=True),
    "generic": lambda _: generic(),
    "transformer": lambda _: transformer(polynomial([1, 1, 1]), inner_product([1, 2, 5, 7, 9])),
    "common letters": lambda _: from_function(_common),
}
_ALL_KERNELS: dict[str, Callable[[int], Any]] = {
    **_KERNELS,
    "order of letters": lambda _: from_function(_names),
}


def _fresh_pairs(z: str, w: str, shared: bool) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """All pairs of strings by maps that satisfy (13), over one token more than they need."""
    names = [sorted(set(Template(text).wildcards)) for text in (z, w)]
    new = [f"t{n}" for n in range(len(names[0]) + len(names[1]) + 1)]
    for one in permutations(new, len(names[0])):
        for two in permutations([t for t in new if shared or t not in one], len(names[1])):
            maps = [dict(zip(name, image, strict=True))
                    for name, image in zip(names, (one, two), strict=True)]  # fmt: skip
            yield tuple(maps[0].get(a, a) for a in z), tuple(maps[1].get(a, a) for a in w)


def _by_definition(name: str, x: tuple[str, ...], y: tuple[str, ...]) -> Any:
    """The value on two strings by other means, for the kernels that have one here."""
    if name.startswith("attention"):
        return attention_series(x, y, 2, scale="main" if name == "attention" else "appendix-H")
    if name.startswith("inner product"):
        equal = sum(a == b for a, b in zip(x, y, strict=True))
        if name != "inner product":
            places = range(len(x))
            equal += sum(x[a] == x[b] and y[a] == y[b] for a in places for b in places)
        return f"kappa{equal}"
    return None


def _drawn_kernels(st: Any) -> Any:
    texts = st.integers(2, 3).flatmap(
        lambda n: st.tuples(*[st.sampled_from(list(map(str, every(n, "A"))))] * 2)
    )
    cheap = ["generic", "inner product", "linear attention, sum", "common letters", "tangent"]
    return st.tuples(st.sampled_from(cheap), texts).map(lambda case: (case[0], *case[1]))


@claim(
    "boix2024.definition-C.1",
    source="Definition C.1, (12) and (13)",
    wording="quoted",
    category="definition",
    cases=lambda: (
        *((name, z, w) for name in _KERNELS for z, w in (("αα", "αβ"), ("αA", "Aβ"))),
        *(("generic", str(z), str(w)) for z, w in combinations(every(3), 2)),
        *(("attention", "ααA", "αβA"), ("attention (23)", "αAβ", "ααA")),
        *(("inner product, incidence", "αβA", "ααA"), ("linear attention, last", "αβA", "ααA")),
    ),
    boundary=("inner product", "A", "A"),
    strategy=drawn(_drawn_kernels),
    applies=record(
        one_of(*_KERNELS), is_template_text, is_template_text,
        where=lambda _, z, w: len(z) == len(w),
    ),
    near_misses=[
        NearMiss("a kernel that compares the names of tokens", ("order of letters", "αα", "αβ")),
        NearMiss("the maps may share tokens", ("attention", "αα", "αβ"), {"shared": True}),
        NearMiss("generic: the maps may share tokens", ("generic", "αα", "αα"), {"shared": True}),
    ],
)  # fmt: skip
def definition_c_1(case: tuple[str, str, str], shared: bool = False) -> bool | Fails:
    r"""$K$ is token-symmetric if for any permutation $\pi$ of the tokens we have $K(\pi x, \pi y) =
    K(x, y)$. Because of the token-symmetry of the kernel $K$, the matrix $N_{ij} =
    K(\mathrm{sub}(z_i, s), \mathrm{sub}(z_j, s'))$ is uniquely-defined regardless of the
    substitution maps chosen, as long as they have disjoint ranges without tokens of the templates.

    For each kernel here the values of all such pairs of maps are equal, they are the entry of the
    template matrix, and for attention and inner products what the definition says.
    """
    name, z, w = case
    kernel = _ALL_KERNELS[name](len(z))
    at_most(len(z), 4, "letters")
    closed = [Template(text).with_cls() if kernel.needs_cls else Template(text) for text in (z, w)]
    end = closed[0].letters[len(z) :]
    first: Any = None
    for x, y in _fresh_pairs(z, w, shared):
        value = kernel.value((*x, *end), (*y, *end))
        if first is None:
            first = value
            expected = _by_definition(name, (*x, *end), (*y, *end))
            found = series_coefficients(value) if isinstance(expected, dict) else str(value)
            if expected is not None and found != expected:
                return Fails(f"K({x}, {y}) = {value}, by the definition {expected}")
        if not same_value(value, first):
            return Fails(f"K({''.join(x)}, {''.join(y)}) = {value}, for other tokens {first}")
    matrix = template_matrix(closed, kernel, cls=False).matrix
    if not same_value(matrix[0, 1], matrix.ring.coerce(first)):
        return Fails(f"the template matrix has {matrix[0, 1]}, the strings {first}")
    return True


# --- Section 4.3 --------------------------------------------------------------------------------
def _is_fresh(aa: str, bb: str, bc: str, ab: str, cd: str) -> bool:
    """Whether the five strings are as in the paper: each pair of an entry shares no token."""
    if any(len(string) != 2 for string in (aa, bb, bc, ab, cd)):
        return False
    same = len(set(aa)) == len(set(bb)) == 1
    different = len(set(bc)) == len(set(ab)) == len(set(cd)) == 2
    apart = not set(aa) & {*bb, *bc} and not set(ab) & set(cd)
    return same and different and apart


def _drawn_tokens(st: Any) -> Any:
    return st.permutations("ABCDEFG").map(
        lambda t: (t[0] * 2, t[1] * 2, t[2] + t[3], t[4] + t[0], t[5] + t[1])
    )


@claim(
    "boix2024.section-4.3",
    source="Section 4.3, the 2 x 2 template matrix of same/different",
    wording="reconstructed",
    category="example",
    cases=[("AA", "BB", "BC", "AB", "CD"), ("QQ", "RR", "RS", "QR", "ST")],
    boundary=("AA", "BB", "BC", "AB", "CD"),
    strategy=drawn(_drawn_tokens),
    applies=record(*[is_string] * 5, where=_is_fresh),
    near_misses=[
        NearMiss("strings that share a token: not fresh", ("AA", "AB", "BC", "AB", "CD")),
        NearMiss("the diagonal with one substitution twice", ("AA", "AA", "BC", "AB", "CD")),
    ],
)
def section_4_3(strings: tuple[str, ...]) -> Certificate | Fails:
    r"""We consider here the simplest task, with templates αα and αβ. For tokens $A, B, C, D$ the
    matrix $N$ is
    $\begin{pmatrix} K(AA, BB) & K(AA, BC) \\ K(BC, AA) & K(AB, CD) \end{pmatrix}$. If $K$ is an
    inner-product kernel, $K(x, y) = \kappa(\langle x, y\rangle)$, as from an MLP, then every entry
    is $\kappa(0)$, so $N$ is singular.
    """
    aa, bb, bc, ab, cd = strings
    kernel = generic()
    matrix = template_matrix(tasks.same_different(), kernel).matrix
    ring = matrix.ring
    printed = {(0, 0): (aa, bb), (0, 1): (aa, bc), (1, 0): (bc, aa), (1, 1): (ab, cd)}
    for (i, j), pair in printed.items():
        entry = kernel.value(*pair)
        known = set(entry.context().names()) <= set(ring.variables)
        if not known or ring.coerce(entry) != matrix[i, j]:
            return Fails(f"entry ({i + 1}, {j + 1}) is another value of the kernel")
    inner = template_matrix(tasks.same_different(), inner_product()).matrix
    if any(str(entry) != "kappa0" for row in inner.rows for entry in row):
        return Fails("an entry of the inner-product kernel is not kappa(0)")
    if inner.rank() != 1:
        return Fails(f"the inner-product kernel has rank {inner.rank()}")
    return certify(inner, question="rank")


# --- Appendix I: inner-product kernels, that is MLPs ----------------------------------------------
def _wildcard_tasks(max_length: int = 4) -> Iterator[Templates]:
    """All pairs of inequivalent wildcard-only templates of a length, and all templates at once."""
    for length in range(2, max_length + 1):
        yield from combinations(every(length), 2)
        if length > 2:
            yield every(length)


@claim(
    "boix2024.remark-I.6",
    source="Remark I.6, under the hypothesis of Theorem I.2: templates consist only of wildcards",
    wording="our reading",
    category="remark",
    cases=_wildcard_tasks,
    boundary=templates("αα", "αβ"),
    strategy=template_sets(min_size=2, max_length=7, tokens=""),
    applies=lambda z: inequivalent(z) and len(z) >= 2 and wildcards_only(z),
    near_misses=[
        NearMiss("templates with regular tokens", templates("Aα", "Bα")),
        NearMiss("a single template", templates("αα")),
        NearMiss("a common last token: the entries are kappa(1)", templates("αα*", "αβ*")),
    ],
)
def remark_i6(cases: Templates) -> Certificate | Fails:
    r"""The kernel for an MLP is an inner product kernel of the form $K(x, y) = \kappa(\langle x, y
    \rangle)$ for a function $\kappa$. Therefore, the matrix $N$ has all of its entries equal to
    $\kappa(0)$, so it is singular (for at least two templates).

    The matrix is taken over $\mathbb{Q}[\kappa_0, \dots, \kappa_k]$, one indeterminate for each
    value of the inner product: its null vector annihilates it for every kernel function. The inner
    products are counted on strings.
    """
    at_most(len(cases), 300, "templates")
    matrix = template_matrix(cases, inner_product()).matrix
    certificate = certify(matrix)
    if not isinstance(certificate, Singular):
        return Fails("the template matrix is nonsingular for generic kappa")
    for i, z in enumerate(cases):
        x = fresh(z, "left")
        for j, w in enumerate(cases):
            equal = sum(a == b for a, b in zip(x, fresh(w, "right"), strict=True))
            if str(matrix[i, j]) != f"kappa{equal}":
                return Fails(f"the strings of {z} and {w} have the inner product {equal}")
            if equal != 0:
                return Fails(f"the entry of {z} and {w} is kappa({equal})")
    return certificate
