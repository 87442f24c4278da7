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

from symbench._lazy import open_room

__all__ = open_room(__name__)
