"""The certificates that lie beside the proof pages: how each is made.

`python -m tests.proof_certificates` writes them; a test compares them with what is made anew. Each
is the certificate of a case of a claim on the page, or of the page's own example. A page about
strings, limits or integrals has none that stands alone: its file is run again.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations, product
from operator import mul
from typing import Any

import attrs

import symbench as sb
from symbench.certificates import Certificate
from tests.documents import ROOT


def of_case(id: str, case: Any) -> Callable[[], Certificate]:
    def make() -> Certificate:
        found = sb.claims[id].run(case)
        assert isinstance(found, Certificate), f"{id} has no certificate for {case!r}"
        return attrs.evolve(found, about={**found.about, "claim": id, "case": repr(case)})

    return make


def of_verdict(id: str, **sizes: Any) -> Callable[[], Certificate]:
    def make() -> Certificate:
        found = sb.verify(id, **sizes).certificate
        assert found is not None
        return found

    return make


def of_matrix(kernel: Any, templates: Any, **options: Any) -> Callable[[], Certificate]:
    return lambda: sb.certify(sb.template_matrix(templates, kernel, **options))


def _templates(*texts: str) -> tuple[sb.Template, ...]:
    return tuple(map(sb.Template, texts))


def _gram(encoding: Any) -> sb.Matrix:
    size = range(1, encoding.length + 1)
    return sb.Matrix([[encoding.product(i, j) for j in size] for i in size])


def _same(n: int) -> int:
    return n


def _contracted() -> sb.Matrix:
    """The tangent kernel of W_O between the losses at 7 of 8 tokens, width 4, gamma 1."""
    copying, size = sb.learning.Copying(8, width=4, gamma=1), range(8)

    def slope(i: int, x: int) -> Any:
        return sb.rings.Rational(1, 8) - int(i == x)

    def entry(x: int, y: int) -> Any:
        return sum(
            slope(i, x) * slope(j, y) * copying.kernel("O", i, j, x, y) for i in size for j in size
        )

    return sb.Matrix([[entry(x, y) for y in range(7)] for x in range(7)])


def _pairs() -> sb.Matrix:
    """The inner products of the indicators of equal pairs among four positions, three tokens."""
    words = list(product(range(3), repeat=4))
    pairs = list(combinations(range(4), 2))
    table = [[int(w[i] == w[j]) for w in words] for i, j in pairs]
    return sb.Matrix([[sum(map(mul, one, two)) for two in table] for one in table])


_ALL_OF_3 = tuple(sb.all_templates(3))
_HALF = sb.rings.Rational(1, 2)

# Page -> (title, how the certificate is made).
PAGES: dict[str, tuple[str, Callable[[], Certificate]]] = {
    "certificates": (
        "A relu layer tells same from different",
        of_matrix(sb.kernels.transformer("relu"), sb.tasks.same_different()),
    ),
    "hypotheses": (
        "Two equivalent templates",
        of_matrix(sb.kernels.attention(), _templates("α", "β")),
    ),
    "boix2024/definition-3.1": ("Definition 3.1", of_verdict("boix2024.definition-3.1")),
    "boix2024/disjoint-inequivalent-distinct": (
        "Disjoint, inequivalent, distinct",
        of_verdict("boix2024.definition-4.1"),
    ),
    "boix2024/lemma-4.7": (
        "Lemma 4.7 for the three ways to pair four positions",
        of_case("boix2024.lemma-4.7", _templates("ααββ", "αβαβ", "αββα")),
    ),
    "boix2024/lemma-E.1": (
        "Lemma E.1 for a matrix of exponents",
        lambda: sb.certify(sb.rings.exponential_matrix([[4, 1, 2], [0, 3, 1], [1, 2, 5]])),
    ),
    "boix2024/lemma-G.1": ("Lemma G.1 as printed", of_verdict("boix2024.lemma-G.1")),
    "boix2024/theorem-4.4": (
        "Lemma 4.5 as printed: a token of another template",
        of_verdict("boix2024.lemma-4.5"),
    ),
    "boix2024/copying": (
        "The training loss of the copy task falls, whatever the training tokens are",
        lambda: sb.certify(_contracted(), question="positive-definite"),
    ),
    "boix2024/theorem-I.2": (
        "128 trained networks cannot tell BB from BC",
        of_case("boix2024.lemma-I.7", sb.claims["boix2024.lemma-I.7"].boundary),
    ),
    "edelman2022/corollary-4.5": (
        "Corollary 4.5 as printed in the main text",
        of_verdict("edelman2022.corollary-4.5"),
    ),
    "edelman2022/proposition-4.4": (
        "Proposition 4.4 for T up to 64",
        of_verdict("edelman2022.proposition-4.4"),
    ),
    "edelman2022/lemma-B.2": (
        "Three of a million positions",
        lambda: sb.sparse.head(sb.sparse.conjunction(3), 10**6).certificate(),
    ),
    "edelman2022/lemma-B.8": (
        "The first of three heads below a network that computes b1 b2 + b3 modulo 2",
        lambda: sb.sparse.network(sb.sparse.from_anf([(1, 2), (3,)]), 10).heads[0].certificate(),
    ),
    "lavie2024/exchangeability": (
        "A mixture of products is exchangeable",
        of_case(
            "lavie2024.exchangeability",
            (
                4,
                (
                    (sb.rings.Rational(1, 3), (sb.rings.Rational(1, 4), sb.rings.Rational(3, 4))),
                    (sb.rings.Rational(2, 3), (sb.rings.Rational(1, 3), sb.rings.Rational(2, 3))),
                ),
            ),
        ),
    ),
    "lavie2024/multilinear-polynomials": (
        "A basis of multilinear polynomials",
        of_case("lavie2024.theorem", ("basis", 4, 3)),
    ),
    "lavie2024/trace-bound": (
        "A trace bound",
        lambda: sb.spectrum(
            sb.kernels.linear_attention(1, 1, readout="sum"), length=4, vocabulary=2
        ).trace_certificate("3+1", 2),
    ),
    "lavie2024/vocabulary": (
        "Words over three letters in blocks",
        of_case("young.schur-weyl", (3, 3)),
    ),
    "symbench/template-residual": (
        "Ridge regression on five strings, three tokens of which come back",
        lambda: sb.learning.TaskRidge(
            sb.Task([z.with_cls() for z in _templates("αα", "αβ")], labels=[1, -1]),
            sb.kernels.inner_product(_same, incidence=True),
            ["AA", "AB", "BB", "BC", "CA"],
        ).certificate("CC"),
    ),
    "symbench/parity-against-and": (
        "Parity against AND",
        of_verdict("symbench.parity-against-and"),
    ),
    "symbench/equivalent-kernel": (
        "Regression is near the equivalent kernel",
        of_verdict("lavie2024.sample-complexity"),
    ),
    "symbench/excess-kurtosis": (
        "The excess kurtosis of linear attention",
        of_verdict("symbench.excess-kurtosis"),
    ),
    "symbench/block-size-profile": (
        "Two layers with a I do not tell ααββ from αβαβ",
        of_case(
            "symbench.block-size-profile", (_templates("ααββ", "αβαβ"), sb.rings.Rational(2), 1)
        ),
    ),
    "symbench/copy-width": ("The critical width of copying", of_verdict("symbench.copy-width")),
    "symbench/hidden-pair": (
        "The six pairs of four positions are independent functions",
        lambda: sb.certify(_pairs(), question="positive-definite"),
    ),
    "symbench/coherence-sharp": (
        "Six positions of coherence 1/5: three have the sum of the other three",
        lambda: sb.certify(_gram(sb.sparse.flipped_simplex(3))),
    ),
    "symbench/beta-zero-rank": (
        "Uniform attention on templates with two tokens",
        of_case("symbench.beta-zero-rank", (tuple(sb.all_templates(2, tokens="AB")), _HALF)),
    ),
    "symbench/every-activation": (
        "A polynomial layer over attention, cut off",
        of_case(
            "symbench.every-activation",
            (_templates("αα", "αβ"), (1, -2, 3), "attention at 1/4"),
        ),
    ),
    "symbench/gamma-zero-rank": (
        "Moments that tell all types of length 5 apart",
        of_case("symbench.gamma-zero-rank", tuple(sb.all_templates(5))),
    ),
    "symbench/gram": (
        "The template matrix as a series, of full rank",
        of_case("symbench.series-rank", _ALL_OF_3[2:]),
    ),
    "symbench/kernel-lower-bound": (
        "The dimension that the lower bound counts, as a block",
        of_case("symbench.two-row-samples", (6, 2)),
    ),
    "symbench/hard-attention": (
        "Hard attention on all set partitions of four positions",
        of_case("symbench.hard-attention", tuple(sb.all_templates(4))),
    ),
    "symbench/incidence": (
        "Inputs with their incidence matrices",
        of_case("symbench.incidence", _ALL_OF_3),
    ),
    "symbench/no-cls": (
        "All templates of length 4 over one token, as they are",
        of_matrix(sb.kernels.attention(), tuple(sb.all_templates(4, tokens="A")), cls=False),
    ),
    "symbench/mlp-memorises": (
        "The dimensions that a table of 9 entries has",
        of_case("symbench.mlp-memorises", ("quadratic", 3, 2, sb.rings.Rational(1, 20))),
    ),
    "symbench/equivariant-learner": (
        "A quadratic network cannot tell BB from BC",
        lambda: sb.learning.sign_networks(
            "ABC", 2, [1], activation=sb.kernels.polynomial([0, 1, 1])
        ).certificate([("AA", 1)], sb.learning.Sgd("1/4"), ("BB", 1), ("BC", -1)),
    ),
    "symbench/normalisation-needed": (
        "Without normalisation same and different look alike",
        of_matrix(sb.kernels.attention(normalise=False), sb.tasks.same_different()),
    ),
    "symbench/pairwise-condition": (
        "The three ways to pair four positions have pairwise different features",
        of_case("symbench.pairwise-condition", _templates("ααββ", "αβαβ", "αββα")),
    ),
    "symbench/positive-definite": (
        "All templates of length 7",
        of_matrix(sb.kernels.attention(), tuple(sb.all_templates(7))),
    ),
    "symbench/smaller-group-weaker-bound": (
        "A smaller group has a weaker bound",
        of_verdict("symbench.smaller-group-weaker-bound"),
    ),
    "symbench/selection-price": (
        "The price of selection",
        of_verdict("symbench.selection-price"),
    ),
    "symbench/series-rank": (
        "A matrix of series that is known well enough",
        of_case("symbench.series-rank", ((((0, 1), (1,)), ((1,), (0, 1))), 2)),
    ),
    "symbench/two-symmetries": (
        "A coefficient of the template matrix in blocks",
        of_case("symbench.two-symmetries", _ALL_OF_3),
    ),
    "symbench/unique-assignment": (
        "One permutation has the largest sum",
        of_case("symbench.unique-assignment", sb.Matrix([[3, 1, 0], [3, 4, 2], [0, 2, 1]])),
    ),
    "symbench/small-tasks": (
        "All templates of length 3 are one too many for the incidence matrix",
        of_case("symbench.small-tasks", (_ALL_OF_3, "incidence")),
    ),
    "symbench/softmax-tight": ("Softmax attention is tight", of_verdict("symbench.softmax-tight")),
    "symbench/tangent-kernel": (
        "The tangent kernel in blocks",
        of_case("symbench.tangent-spectrum", ("flatten", 2, 3, 2, _HALF, _HALF)),
    ),
}


def made(page: str) -> Certificate:
    """The certificate of a page, made anew."""
    title, make = PAGES[page]
    return attrs.evolve(make(), title=title)


if __name__ == "__main__":
    for name in PAGES:
        path = ROOT / "proofs" / f"{name}.json"
        made(name).save(path)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size:,} bytes, {sb.load(path).kind}")
