"""Section 4.3's reparametrisation W_K W_Q^T + a I in the model that the paper analyses."""

from __future__ import annotations

from itertools import product
from typing import Any

from symbench.exact import QQ, Matrix
from symbench.kernels import attention
from symbench.ktau import template_matrix
from symbench.papers._cases import at_most, one_of, record
from symbench.papers._second_roads import fresh
from symbench.papers._templates import (
    Templates,
    before_cls,
    template_sets,
    templates,
    wildcards_only,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import Template

# gamma; a; q = e^(beta a (1 + gamma^2)), which CLS's own logit is multiplied out by.
_RING = QQ["gamma", "a", "q"]
_GAMMA, _A, _Q = _RING.gens


def _embedded(letters: tuple[Any, ...], tokens: list[Any]) -> Matrix:
    """Z = X W_E + gamma P, the embeddings of tokens and of positions orthonormal."""
    size = len(letters)
    return Matrix(
        [
            [*(int(a == t) for t in tokens), *(_GAMMA * int(c == b) for b in range(size))]
            for c, a in enumerate(letters)
        ],
        _RING,
    )


def _added(letters: tuple[Any, ...]) -> tuple[Any, ...]:
    """What a I adds to the last position's logits: Z (M + a I) z_k - Z M z_k, multiplied out.

    M = W_K^T W_Q, with two rows of weights each that are different integers.
    """
    tokens = sorted(set(letters), key=str)
    z = _embedded(letters, tokens)
    width = z.shape[1]
    keys, queries = (
        Matrix([[(n * i + 2 * r) % 7 - 3 for i in range(width)] for r in range(2)], _RING)
        for n in (3, 5)
    )
    head = keys.transpose() @ queries
    shifted = Matrix(
        [[head[i, j] + _A * int(i == j) for j in range(width)] for i in range(width)], _RING
    )
    last = Matrix([[entry] for entry in z.rows[-1]], _RING)
    return tuple(row[0] for row in (z @ shifted @ last - z @ head @ last).rows)


@claim(
    "symbench.identity-depth-one",
    formerly=["boix2024.observation-1.2-repaired"],
    source="Section 4.3's reparametrization of boix2024, at depth one with read-out at CLS",
    category="remark",
    cases=lambda: (
        (found, True)
        for found in (
            templates("αα", "αβ"),
            templates("αβα", "αββ", "ααα"),
            templates("ααββ", "αβαβ", "αβγδ"),
            templates("A", "α"),
            templates("αA", "Aα", "AB"),
        )
    ),
    boundary=(templates("αα", "αβ"), True),
    strategy=lambda: template_sets(max_length=5, tokens="A")().map(lambda z: (z, True)),
    applies=record(before_cls, one_of(True)),
    near_misses=[
        NearMiss("the query is one of the symbols", (templates("αα", "αβ"), False)),
        NearMiss("the query is one of three symbols", (templates("αβα", "αββ", "αβγ"), False)),
    ],
)
def identity_depth_one(case: tuple[Templates, bool]) -> bool | Fails:
    r"""Read out at CLS, adding $a I$ to $W_K^\top W_Q$ in a network of depth one adds $a (1 +
    \gamma^2)$ to the logit of CLS itself and nothing to the others, whatever the string is: no
    score sees which symbols are equal. With $W_K^\top W_Q = 0$ the kernel of wildcard-only
    templates is the same number for every pair.

    Where the query is one of the symbols, $a (1(x_c = x_k) + \gamma^2 1(c = k))$ is added: the
    incidence of the query's symbol, which a second layer can hand on. The matrices are multiplied
    out with orthonormal embeddings, as in the limit of infinite width.
    """
    chosen, ended = case
    at_most(len(chosen) * len(chosen[0]), 200, "letters")
    closed = tuple(z.with_cls() for z in chosen) if ended else chosen
    scores, *others = (_added(fresh(z, "left")) for z in closed)
    if any(other != scores for other in others):
        return Fails("what is added to the logits depends on the string")
    size = len(scores)
    if scores != (*[_RING.coerce(0)] * (size - 1), _A * (1 + _GAMMA * _GAMMA)):
        return Fails(f"{scores} is added to the logits")
    # Softmax of (0, ..., 0, log q), with its denominator k - 1 + q left out.
    weights = Matrix([[1]] * (size - 1) + [[_Q]], _RING)
    values = Matrix([[_value(z, w, weights) for w in closed] for z in closed], _RING)
    # Without the shift, q = 1, the library has this kernel: attention at beta = 0.
    known = template_matrix(closed, attention(beta=0, gamma=2), cls=False).matrix
    uniform = values.evaluate({"gamma": 2, "a": 0, "q": 1})
    for i, j in product(range(len(closed)), repeat=2):
        if uniform[i, j] != known[i, j] * size**2:
            return Fails(f"at q = 1 entry {i, j} is not that of uniform attention")
        if wildcards_only(chosen) and values[i, j] != values[0, 0]:
            return Fails(f"entry {i, j} differs from the first")
    return True


def _value(z: Template, w: Template, weights: Matrix) -> Any:
    """weights^T (X Y^T + gamma^2 I) weights for fresh strings."""
    x, y = fresh(z, "left"), fresh(w, "right")
    tokens = sorted({*x, *y}, key=str)
    one, two = _embedded(x, tokens), _embedded(y, tokens)
    return (weights.transpose() @ one @ two.transpose() @ weights)[0, 0]
