"""Speed of exact matrices and of the search for certificates, side by side with peers.

Run with `OPENBLAS_NUM_THREADS=1 pytest tests/benchmarks/test_matrices.py --benchmark-only`;
every line printed is operation, our seconds, peer, its seconds, ratio. One thread, because the
peers have one, and because on a busy machine the threads of BLAS wait for each other.
"""

import functools
import random
import shutil
import subprocess
import time

import pytest

from symbench.decide import certify
from symbench.exact import QQ, Matrix

SIZES = [144, 300, 877]
GP = shutil.which("gp")


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


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


@functools.cache
def warm():
    """Libraries that are loaded when first used are no part of what is measured."""
    for question in ("nonsingular", "rank", "positive-definite", "unique-assignment"):
        certify([[2, 1], [1, 2]], question=question)


@pytest.fixture
def compare(benchmark, capsys):
    """compare(operation, our work, peer's name, peer's seconds or None): measure and print."""
    warm()

    def run(operation, work, peer, measure, *, rounds=3):
        result = benchmark.pedantic(work, rounds=rounds)
        ours = benchmark.stats.stats.min
        theirs = measure() if measure is not None else None
        with capsys.disabled():
            text = f"{operation}: {ours:.4f} s"
            if theirs is not None:
                text += f"; {peer}: {theirs:.3f} s; ratio {theirs / ours:.1f}"
            elif peer:
                text += f"; {peer}"
            print(f"\n{text}")
        return result

    return run


@pytest.mark.parametrize("size", SIZES)
def test_nonsingular(compare, size):
    M = integers(size)
    found = compare(
        f"nonsingular, r = {size}",
        lambda: certify(M),
        "FLINT det",
        lambda: seconds(M.flint.det),
        rounds=5,
    )
    assert found.kind == "nonsingular"


@pytest.mark.parametrize("size", SIZES)
def test_positive_definite(compare, size):
    M = definite(size)
    # Fraction-free elimination: 144 in full; 300 needs minutes, 877 hours.
    measure = (lambda: seconds(M.flint.fflu)) if size == 144 else None
    found = compare(
        f"positive definite, r = {size}",
        lambda: certify(M, question="positive-definite"),
        "FLINT fraction-free LU" if measure else "fraction-free elimination takes too long",
        measure,
    )
    assert found.kind == "positive-definite"


@pytest.mark.parametrize("size", SIZES)
def test_check_of_positive_definite(compare, size):
    certificate = certify(definite(size), question="positive-definite")
    assert compare(f"check positive definite, r = {size}", certificate.check, "", None, rounds=1)


def test_positive_definite_with_a_time_limit_for_the_peer(benchmark, capsys):
    """The peer at r = 300 is given 60 seconds; the ratio is then a lower bound."""
    from symbench.decide.limits import Workers
    from symbench.errors import Undecided

    warm()
    M = definite(300)
    benchmark.pedantic(lambda: certify(M, question="positive-definite"), rounds=3)
    ours = benchmark.stats.stats.min
    with Workers() as workers:
        try:
            theirs, more = workers.run(_eliminate, M, timeout=60), ""
        except Undecided:
            theirs, more = 60.0, "more than "
    with capsys.disabled():
        print(
            f"\npositive definite, r = 300: {ours:.4f} s; FLINT fraction-free LU: "
            f"{more}{theirs:.1f} s; ratio {more}{theirs / ours:.0f}"
        )


def _eliminate(matrix):
    return seconds(matrix.flint.fflu)


def test_rank_with_proof(compare):
    size, rank = 300, 295
    left, right = integers(size, digits=9, seed=2), integers(size, digits=9, seed=3)
    every, some = range(size), range(rank)
    M = left.submatrix(every, some) @ right.submatrix(some, every)
    found = compare(
        "rank with proof, r = 300, deficiency 5",
        lambda: certify(M, question="rank"),
        "FLINT rank (no proof)",
        lambda: seconds(M.flint.rank),
        rounds=1,
    )
    assert found.rank == rank


def gp_seconds(entries, size):
    """The seconds that PARI takes for the determinant of a matrix of polynomials."""
    rows = ";".join(",".join(entries[i * size : (i + 1) * size]) for i in range(size))
    program = f"M=[{rows}];\nt=getabstime();\nmatdet(M);\nprint(getabstime()-t);\n"
    command = [GP, "-q", "-f", "-s", "2000000000"]
    done = subprocess.run(command, input=program, capture_output=True, text=True, timeout=600)
    return int(done.stdout.split()[-1]) / 1000


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


@pytest.mark.parametrize(("size", "names", "degree"), [(40, ("x",), 2), (20, ("x", "y"), 1)])
def test_polynomial_determinant(compare, size, names, degree):
    M, texts = polynomials(size, names, degree)
    compare(
        f"det over {M.ring!r}, r = {size}",
        M.det,
        "PARI" if GP else "PARI (gp) is not installed",
        (lambda: gp_seconds(texts, size)) if GP else None,
    )


def test_unique_assignment(compare):
    import networkx as nx

    size = 144
    M = integers(size)
    graph = nx.Graph()
    for i, row in enumerate(M.rows):
        graph.add_weighted_edges_from((("row", i), ("column", j), x) for j, x in enumerate(row))

    # networkx's bipartite matching goes through floats; this one is exact.
    def matching():
        return nx.max_weight_matching(graph, maxcardinality=True)

    found = compare(
        f"assignment and uniqueness, r = {size}",
        lambda: certify(M, question="unique-assignment"),
        "networkx max_weight_matching (no uniqueness)",
        lambda: seconds(matching),
    )
    assert found.kind == "unique-assignment"
