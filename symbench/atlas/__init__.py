"""Which kernels solve which tasks: one exact matrix for all templates of a length.

The template matrix of a positive semidefinite kernel is the Gram matrix of a feature vector for
each template. So the matrix of a task is a part of that of all templates of its length, and the
null space of the large one says of each of the exponentially many tasks what is confused. An entry
of the atlas is such a null space, of a family of templates and a kernel, with its certificate; a
task is a query.

>>> row = sb.atlas()[tasks.aabb_abab()]
>>> row["identity"].status, row["attention"].status
('not learnable', 'learnable')
>>> row["identity"].confused
((Template('ααββ'), Template('αβαβ')),)
"""

from symbench._lazy import open_room

__all__ = open_room(__name__)
