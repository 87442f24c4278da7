"""The symmetric group: partitions, tableaux, characters, representations, modules.

Conventions are those of Sagan, The Symmetric Group, 2nd edition, everywhere in this room:

* diagrams are English (the first row on top), cells are (row, column) counted from 1, the
  content of a cell is column - row;
* permutations act on 1..n from the left and are composed from right to left,
  (g * h)(i) = g(h(i)); on words the letter at position a goes to position g(a); on functions
  (g f)(x) = f(g^-1 x);
* S^lambda is spanned by polytabloids, so S^(n) is trivial and S^(1,...,1) is the sign.

>>> Partition("1+1+1").character("2+1"), Partition(3).character("2+1")
(-1, 1)
>>> g, h = Permutation(2, 1, 3), Permutation(1, 3, 2)
>>> (g * h)(3) == g(h(3)) and g.act(h.act("abc")) == (g * h).act("abc")
True
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_HOMES = {
    "partition": ["Partition"],
    "enumeration": ["Partitions", "partitions"],
    "bulk": ["dimensions"],
    "lattice": ["bratteli_diagram", "interval", "lattice_svg", "lattice_text", "young_lattice"],
    "tableau": ["Tableau"],
    "tableaux": ["StandardTableaux", "SemistandardTableaux"],
    "insertion": ["rsk", "rsk_inverse"],
    "permutation": ["Permutation", "permutations"],
    "characters": ["CharacterTable", "character"],
    "class_function": ["ClassFunction"],
    "products": [
        "kostka",
        "kostka_table",
        "kronecker",
        "kronecker_coefficient",
        "littlewood_richardson",
        "littlewood_richardson_coefficient",
        "pieri",
        "restriction",
    ],
    "surd": ["Surd", "SurdMatrix"],
    "representation": ["Representation", "check_representation"],
    "group_algebra": [
        "AlgebraElement",
        "class_sum",
        "column_group",
        "jucys_murphy",
        "row_group",
        "young_symmetriser",
    ],
    "specht": ["MultilinearVector", "multilinear_basis", "multilinear_matrix", "specht_polynomial"],
    "action": ["Action"],
    "projectors": ["isotypic_projector", "project"],
    "adapted": ["AdaptedBasis", "adapted_basis"],
    "blocks": ["Block", "BlockForm", "block_form", "commuting_blocks"],
    "johnson": ["johnson_eigenvalue", "johnson_projector", "johnson_spectrum"],
    "schur_weyl": [
        "formal_character",
        "formal_decomposition",
        "formal_multiplicity",
        "orbits_on_pairs",
        "pure_character",
        "pure_decomposition",
        "pure_multiplicity",
        "word_character",
        "word_decomposition",
        "word_multiplicity",
    ],
}
_WHERE = {name: home for home, names in _HOMES.items() for name in names}

__all__ = sorted(_WHERE)


def __getattr__(name: str) -> Any:
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)


def __dir__() -> list[str]:
    return __all__
