"""Exact matrices and the search for certificates, beside FLINT, PARI and networkx."""

import functools
import random

import flint
import pytest

from symbench.decide import certify
from symbench.exact import QQ, Matrix
from tests.benchmarks.peers import pari

SIZES = [144, 300, 877]


@functools.cache
def integers(size, digits=20, seed=0):
    """A random integer matrix."""
    stream = random.Random(seed)
    top = 10**digits
    return Matrix([[stream.randrange(-top, top) for _ in range(size)] for _ in range(size)])


@functools.cache
def definite(size):
    """A random positive definite matrix with entries of about 20 digits."""
    factor = integers(size, digits=9, seed=1)
    return factor @ factor.transpose()


@pytest.fixture(scope="module", autouse=True)
def warm():
    """Libraries that are loaded when first used are no part of what is measured."""
    for question in ("nonsingular", "rank", "positive-definite", "unique-assignment"):
        certify([[2, 1], [1, 2]], question=question)


@pytest.mark.parametrize("size", [*SIZES, 1500])
def test_nonsingular(compare, size):
    M = integers(size)
    image = flint.nmod_mat(M.flint, 2**31 - 1)
    found = compare(
        "nonsingular? 20-digit integers",
        lambda: certify(M),
        {"FLINT det": M.flint.det if size < 1500 else "(takes minutes)"},
        beside={"one FLINT nmod det": image.det},
        size=f"r = {size}",
    )
    assert found.kind == "nonsingular"


@pytest.mark.parametrize("size", SIZES)
def test_positive_definite(compare, size):
    M = definite(size)
    found = compare(
        "positive definite? 20-digit integers",
        lambda: certify(M, question="positive-definite"),
        {"fraction-free elimination": M.flint.fflu if size == 144 else "(takes over a minute)"},
        size=f"r = {size}",
    )
    assert found.kind == "positive-definite"


@pytest.mark.parametrize(
    ("question", "size"),
    [*(("positive-definite", size) for size in (*SIZES, 1500)), ("unique-assignment", 144)],
)
def test_a_check_beside_its_search(compare, question, size):
    M = definite(size) if question == "positive-definite" else integers(size)
    certificate = certify(M, question=question)
    assert compare(
        f"check of a certificate: {question}",
        certificate.check,
        {"its own search": lambda: certify(M, question=question)},
        size=f"r = {size}",
    )


@pytest.mark.parametrize("size", [144, 300, 600, 877])
def test_rank_with_proof(compare, size):
    rank = size - 5
    left, right = integers(size, digits=9, seed=2), integers(size, digits=9, seed=3)
    every, some = range(size), range(rank)
    M = left.submatrix(every, some) @ right.submatrix(some, every)
    compare(
        "rank with proof, deficiency 5",
        lambda: certify(M, question="rank"),
        {"FLINT rank, no proof": M.flint.rank},
        size=f"r = {size}",
        agrees=lambda ours, theirs: ours.rank == theirs == rank,
    )


def polynomials(size, names, degree):
    """(matrix, the same entries as PARI writes them): all monomials, coefficients -9 to 9."""
    stream = random.Random(4)
    ring = QQ[names]
    entries, texts = [], []
    exponents = [()]
    for _ in names:
        exponents = [(*e, k) for e in exponents for k in range(degree + 1)]
    for _ in range(size * size):
        terms = {e: stream.randint(-9, 9) for e in exponents}
        entries.append(ring.from_terms(terms))
        texts.append(
            "+".join(
                "*".join([f"({c})", *(f"{v}^{k}" for v, k in zip(names, e, strict=True))])
                for e, c in terms.items()
            )
        )
    return Matrix([entries[i * size : (i + 1) * size] for i in range(size)], ring), texts


@pytest.mark.parametrize(
    ("size", "names", "degree"),
    [(40, ("x",), 2), (80, ("x",), 2), (20, ("x", "y"), 1), (30, ("x", "y"), 1)],
)
def test_polynomial_determinant(compare, size, names, degree):
    M, texts = polynomials(size, names, degree)
    rows = ";".join(",".join(texts[i * size : (i + 1) * size]) for i in range(size))
    peer = pari("matdet(M)", f"M=[{rows}];")
    compare(f"determinant over {M.ring!r}", M.det, {"PARI": peer}, size=f"r = {size}")


def test_rational_matrix_modulo_a_prime(compare):
    size = 300
    stream = random.Random(5)
    M = Matrix(
        [
            [f"{stream.randrange(1, 10**9)}/{stream.randrange(1, 10**9)}" for _ in range(size)]
            for _ in range(size)
        ]
    )
    compare("rational matrix modulo a prime", lambda: M.reduce(2**31 - 1, {}), size=f"r = {size}")


def test_unique_assignment(compare):
    import networkx as nx

    size = 144
    M = integers(size)
    graph = nx.Graph()
    for i, row in enumerate(M.rows):
        graph.add_weighted_edges_from((("row", i), ("column", j), x) for j, x in enumerate(row))

    # networkx's bipartite matching goes through floats; this one is exact.
    def matching():
        return sum(graph.edges[e]["weight"] for e in nx.max_weight_matching(graph, True))

    found = compare(
        "exact assignment and its uniqueness",
        lambda: certify(M, question="unique-assignment"),
        {"networkx, no uniqueness": matching},
        size=f"r = {size}",
    )
    assert found.kind == "unique-assignment"
