"""Every small task, up to symmetry: which kernels learn it, decided one by one."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import combinations
from typing import Any

from symbench._arguments import choice
from symbench.certificates import Certificate
from symbench.errors import Undecided
from symbench.exact import Rational
from symbench.kernels import (
    attention,
    identity_attention,
    inner_product,
    linear_attention,
    transformer,
)
from symbench.learning.learnable import learnable
from symbench.papers._cases import at_most, drawn, one_of, record
from symbench.papers._second_roads import rank
from symbench.papers._templates import (
    Templates,
    before_cls,
    every,
    template_sets,
    templates,
    wildcards_only,
)
from symbench.registry import Fails, NearMiss, claim
from symbench.words import all_tasks

# Templates before CLS is appended, and the kernel.
Case = tuple[Templates, str]
# The positions of a template as numbers: equal ones carry the same wildcard.
Blocks = tuple[int, ...]
# Whether the templates are told apart, from their blocks.
Rule = Callable[[Sequence[Blocks]], bool]

_MOST = 8  # templates

_KERNELS: dict[str, Any] = {
    "attention": attention(),
    "attention-without-positions": attention(gamma=0),
    "identity-at-depth-two": transformer("exp", identity_attention(q=Rational(1, 2), gamma=1)),
    "incidence": inner_product(lambda s: s, incidence=True),
    "inner-product": inner_product(),
    "linear-attention": linear_attention(1, 1),
}


# --- what the theorems say, from the blocks of the templates alone ------------------------------
def _sizes(z: Blocks) -> tuple[int, ...]:
    """How often the wildcard of each position occurs."""
    return tuple(z.count(letter) for letter in z)


def _pairs(z: Blocks) -> list[int]:
    """1, and which pairs of positions carry the same wildcard."""
    return [1, *(int(a == b) for a, b in combinations(z, 2))]


def _differ(see: Callable[[Blocks], Hashable]) -> Rule:
    return lambda chosen: len({see(z) for z in chosen}) == len(chosen)


_TOLD_APART: dict[str, Rule] = {
    "attention": lambda _: True,
    "attention-without-positions": _differ(lambda z: tuple(sorted(_sizes(z)))),
    "identity-at-depth-two": _differ(_sizes),
    "incidence": lambda chosen: rank([_pairs(z) for z in chosen]) == len(chosen),
    "inner-product": lambda chosen: len(chosen) == 1,
    "linear-attention": lambda chosen: len(chosen) == 1,
}


# --- the claim ----------------------------------------------------------------------------------
def _cases(length: int = 4, max_templates: int = 2, kernel: str = "all") -> Iterator[Case]:
    names = (*_KERNELS, "all")
    chosen = _KERNELS if choice(kernel, "the kernel", names) == "all" else (kernel,)
    for size in range(1, max_templates + 1):
        for task in all_tasks(length, size=size):
            for name in chosen:
                yield task.templates, name


@claim(
    "symbench.small-tasks",
    source="Corollary of symbench: its theorems about K_tau, on every task of a length",
    category="corollary",
    cases=_cases,
    boundary=(templates("ααββ", "αβαβ"), "attention-without-positions"),
    strategy=drawn(
        lambda st: st.tuples(
            template_sets(max_size=4, max_length=5, tokens="")(),
            st.sampled_from(sorted(_KERNELS)),
        )
    ),
    applies=record(lambda z: before_cls(z) and wildcards_only(z), one_of(*_KERNELS)),
    assumes=[
        "symbench.positive-definite",
        "symbench.gamma-zero-rank",
        "symbench.block-size-profile",
        "symbench.normalisation-needed",
    ],
    proof="proofs/symbench/small-tasks.md",
    near_misses=[
        NearMiss("equivalent templates", (templates("ααβ", "ββα"), "attention")),
        NearMiss("with a regular token", (templates("Aα", "αA"), "inner-product")),
        NearMiss("with two regular tokens", (templates("Aα", "Bα"), "linear-attention")),
        NearMiss(
            "two layers without positions",
            (templates("ααβ", "αβα"), "identity-at-depth-two"),
            {"kernels": {"identity-at-depth-two": attention(gamma=0)}},
        ),
        NearMiss(
            "different vectors of pairs, which are dependent",
            (every(3), "incidence"),
            {"rules": {"incidence": _differ(lambda z: tuple(_pairs(z)))}},
        ),
    ],
)
def small_tasks(
    case: Case, kernels: dict[str, Any] = _KERNELS, rules: dict[str, Rule] = _TOLD_APART
) -> Certificate | Fails:
    r"""Let a task have wildcard-only, pairwise inequivalent templates $z_1, \dots, z_r$ of one
    length, every labelling being asked for. Kernel regression learns it on unseen symbols
    with softmax attention, $\beta, \gamma \ne 0$, always;
    with softmax attention, $\gamma = 0$, $\beta \ne 0$, iff no two templates have the same multiset
    of block sizes; with $a I$ at depth two, $a, \gamma \ne 0$, below a layer that is no polynomial,
    iff no two have the same block size at each position; with the incidence matrix beside the input
    and a linear readout iff the vectors $(1, ([z_a = z_b])_{a < b})$ are linearly independent; with
    a generic function of the inner product of one-hot inputs, or linear attention, iff $r = 1$.

    These kernels treat the positions before CLS alike, so one task of each orbit under
    permutations of positions stands for all of it. The answer to each is found by a search for a
    certificate, which is checked, and compared with the rule, which looks at the blocks alone.
    """
    chosen, name = case
    at_most(len(chosen), _MOST, "templates")
    answer = learnable(chosen, kernels[name])
    if answer.status == "undecided" or answer.certificate is None:
        raise Undecided(f"{chosen} with {name} is undecided")
    blocks = [tuple(z.letters.index(letter) for letter in z.letters) for z in chosen]
    if rules[name](blocks) != (answer.status == "learnable"):
        return Fails(f"with {name} it is {answer.status}: {answer.certificate.explain()}")
    return answer.certificate
