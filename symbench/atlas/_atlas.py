"""Atlas: which kernels solve which tasks, as queries on one matrix for all templates of a length.

>>> atlas = sb.atlas()
>>> atlas
<Atlas: 16 kernels, 14 families of templates of length 1 to 16>
>>> atlas["majority"]["identity"].rank, atlas["majority"]["gamma-zero"].rank
(6, 3)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from pathlib import Path

import attrs

from symbench._arguments import choice, instance, integer, mapping, sequence
from symbench.atlas import storage
from symbench.atlas.answers import Answers
from symbench.atlas.entry import AtlasEntry
from symbench.atlas.families import Family, shipped_families
from symbench.atlas.kernels import KERNELS, what
from symbench.atlas.orders import least_order
from symbench.atlas.storage import StoredTask
from symbench.atlas.table import AtlasTable, cost_texts
from symbench.certificates import Certificate
from symbench.certificates.files import write
from symbench.draw.progress import progress
from symbench.draw.views import Shown, View, card, facts
from symbench.errors import BadValue, NotSupported, Undecided, UnknownName
from symbench.kernels.base import Kernel
from symbench.learning.learnable import Learnable
from symbench.words import Task, Template, tasks
from symbench.words.template import check_same_length

# The lengths whose templates are shipped.
LARGEST = 5
_DATA = "data.jsonl"
# More templates than these are told apart by their derivatives to a lower order only.
_ORDERS = ((8, 14), (60, 10), (1_000, 8))

Asked = Task | Iterable[Template] | str


@attrs.frozen(eq=False, repr=False, slots=False)
class Atlas(Shown):
    """Entries for families of templates and kernels, asked by task; `sb.atlas(...)` makes one.

    >>> small = sb.atlas(3, ["identity", "mlp"])
    >>> small[tasks.aba_abb()].learned_by
    ('identity',)
    >>> small[tasks.aabb_abab()]
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the atlas has no templates of length 4 like ααββ: it has all ...
    """

    kernels: Mapping[str, Kernel]
    families: tuple[Family, ...]
    entries: Mapping[tuple[str, str], AtlasEntry]
    stored: Mapping[str, StoredTask] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        if not self.kernels:
            raise UnknownName(f"there is no kernel: give one of {', '.join(KERNELS)}")
        if not self.families:
            raise BadValue("there is no family of templates: give one")

    def __repr__(self) -> str:
        lengths = [family.length for family in self.families]
        kernels, families = len(self.kernels), len(self.families)
        return (
            f"<Atlas: {kernels} kernel{'s' * (kernels > 1)}, {families} "
            f"famil{'ies' if families > 1 else 'y'} of templates of length "
            f"{min(lengths)}{f' to {max(lengths)}' if max(lengths) > min(lengths) else ''}>"
        )

    def _view(self) -> View:
        lengths = [("templates", ", ".join(family.name for family in self.families))]
        return card(repr(self)[1:-1], facts([*lengths, *((k, what(k)) for k in self.kernels)]))

    # --- queries ------------------------------------------------------------------------------
    def __getitem__(self, task: Asked) -> Answers:
        return self.task(task)

    def task(self, task: Asked) -> Answers:
        """What each kernel makes of a task: a Task, a list of templates, or a name of one.

        >>> sb.atlas(2, ["mlp", "attention"]).task([Template("αα"), Template("αβ")])
        kernel     learns it  rank    confused  cost
        mlp        no         1 of 2  1 group
        attention  yes        2 of 2
        """
        asked = tasks.catalogue[task].task() if isinstance(task, str) else task
        given = asked if isinstance(asked, Task) else tuple(
            instance(z, Template, "a template", "a Template such as Template('ααβ')")
            for z in sequence(asked, "the task", "a Task, a list of templates or a name")
        )  # fmt: skip
        templates = given.templates if isinstance(given, Task) else given
        check_same_length(templates)
        family, places = self._located(templates)
        found = {
            kernel: Learnable(given, self.entries[family.name, kernel].part(given, places))
            for kernel in self.kernels
        }
        name = self._named(templates)
        if name is None:
            return Answers(given, found)
        # What a labelling costs depends on the labels and the weights, too.
        known = tasks.catalogue[name].task()
        same = isinstance(given, Task) and (known.labels, known.weights) == (
            given.labels,
            given.weights,
        )
        stored = self.stored[name]
        return Answers(given, found, stored.costs if same else {}, stored.order)

    def _named(self, templates: tuple[Template, ...]) -> str | None:
        """The task of the catalogue that has these templates, if any."""
        size, length = len(templates), len(templates[0])
        for name in self.stored:
            entry = tasks.catalogue[name]
            sizes = entry.templates, entry.length
            if sizes == (size, length) and entry.task().templates == templates:
                return name
        return None

    def _located(self, templates: Sequence[Template]) -> tuple[Family, tuple[int, ...]]:
        for family in self.families:
            places = family.places(templates) if templates else None
            if places:
                return family, places
        lengths = ", ".join(family.name for family in self.families if family.complete)
        one = f"of length {len(templates[0])} like {templates[0]}" if templates else "given"
        raise UnknownName(
            f"the atlas has no templates {one}: it has all of {lengths or 'no length'}; "
            "sb.atlas(length, tokens=...) makes one, sb.learnable(task, kernel) asks for one task"
        )

    def certificate(self, task: Asked, kernel: str) -> Certificate:
        """The certificate of an answer, from the task alone, ready to be saved.

        >>> sb.atlas().certificate("same_different", "mlp").explain()
        'singular: a null vector with 2 nonzero entries'
        """
        answer = self.task(task)[kernel]
        if answer.certificate is None:
            raise Undecided(f"{answer!r} has no certificate: {answer.null_space.reason}")
        return answer.certificate

    @property
    def tasks(self) -> tuple[str, ...]:
        """The tasks of the catalogue whose templates the atlas has."""
        found = []
        for name, entry in tasks.catalogue.items():
            templates = entry.task().templates
            if any(family.places(templates) for family in self.families):
                found.append(name)
        return tuple(found)

    def table(self, names: Iterable[str] | None = None) -> AtlasTable:
        """Tasks of the catalogue against kernels: who learns what, at what cost.

        >>> print(sb.atlas(kernels=["mlp", "identity"]).table(["same_different", "aabb_abab"]))
        task            templates  order  mlp  identity
        same_different  2          4      no   ...
        aabb_abab       2          6      no   no
        """
        chosen = self.tasks if names is None else sequence(names, "the tasks", "a list of names")
        return AtlasTable(tuple(self.kernels), {name: self.task(name) for name in chosen})

    def filter(self, *, kernels: Iterable[str] | None = None, length: int | None = None) -> Atlas:
        """The same atlas with some of its kernels, or with templates of one length.

        >>> sb.atlas().filter(kernels=["mlp"], length=4)
        <Atlas: 1 kernel, 1 family of templates of length 4>
        """
        names = tuple(self.kernels) if kernels is None else sequence(kernels, "the kernels")
        for name in names:
            choice(name, "the kernel", self.kernels)
        families = tuple(f for f in self.families if length in (None, f.length))
        if not families:
            raise UnknownName(f"the atlas has no templates of length {length}")
        chosen = {name: self.kernels[name] for name in names}
        return Atlas(chosen, families, self.entries, self.stored)

    # --- making, checking, keeping ------------------------------------------------------------
    @classmethod
    def build(cls, families: Sequence[Family], kernels: Mapping[str, Kernel]) -> Atlas:
        """The atlas of these families and kernels, found anew."""
        entries = {}
        work = [(family, name) for family in families for name in kernels]
        with progress("atlas", sum(len(family) ** 2 for family, _ in work)) as report:
            for family, name in work:
                entries[family.name, name] = AtlasEntry.build(family, name, kernels[name])
                report(len(family) ** 2)
        return cls(dict(kernels), tuple(families), entries)

    def with_catalogue(self) -> Atlas:
        """The atlas with the least orders and the costs of the catalogue's tasks, found anew."""
        stored = {}
        for name in self.tasks:
            task = tasks.catalogue[name].task()
            most = next(order for size, order in _ORDERS if len(task) <= size)
            found = attrs.evolve(least_order(task, at_most=most), certificate=None)
            learned = self.task(name).learned_by
            stored[name] = StoredTask(found, cost_texts(task, self.kernels, learned))
        return attrs.evolve(self, stored=stored)

    def check(self) -> tuple[AtlasEntry, ...]:
        """The entries that are wrong, of all: each is compared with its matrix, built anew.

        The orders and costs of the catalogue's tasks are not compared: `with_catalogue` finds them
        anew, which takes longer than all of this.

        >>> sb.atlas().filter(length=3).check()
        ()
        """
        entries = (self.entries[f.name, name] for f in self.families for name in self.kernels)
        return tuple(entry for entry in entries if not entry.check())

    def save(self, path: str | Path) -> None:
        """Write the atlas to a file, a line for each entry.

        Kernels that are functions of one's own cannot be written.
        """
        write(path, self.text)

    @property
    def text(self) -> str:
        """What `save` writes."""
        return storage.text(self.kernels, self.families, self.entries, self.stored)

    @classmethod
    def load(cls, path: str | Path) -> Atlas:
        """The atlas in a file that `save` wrote; `check` says whether it is right."""
        return cls(*storage.parsed(storage.read(path)))


@lru_cache(maxsize=1)
def _shipped() -> Atlas:
    data = files("symbench.atlas").joinpath(_DATA).read_text(encoding="utf-8")
    return Atlas(*storage.parsed(data))


def shipped_anew(largest: int = LARGEST) -> Atlas:
    """The atlas that is shipped, found anew: all templates up to a length, and the catalogue."""
    listed = [(name, entry.task()) for name, entry in tasks.catalogue.items()]
    families = shipped_families(listed, largest=largest)
    return Atlas.build(families, KERNELS).with_catalogue()


def atlas(
    length: int | None = None,
    kernels: Iterable[str] | Mapping[str, Kernel] | None = None,
    *,
    tokens: int = 0,
) -> Atlas:
    """Which kernels solve which tasks: the atlas of all templates of a length.

    Without a length it is the one that is shipped: all templates of length up to 5 (with two
    regular tokens, one at length 5), and the tasks of the catalogue. The kernels are names, or a
    dictionary from names to kernels of one's own, which must be positive semidefinite; without
    them they are all of `sb.atlas.kernels.KERNELS`. What is not shipped is found when it is asked
    for, which takes seconds to minutes with 200 templates and more.

    >>> own = sb.atlas(3, {"squares": inner_product(lambda n: n * n, incidence=True)})
    >>> own.entries["3", "squares"].rank
    5
    >>> sb.atlas(3, ["perceptron"])
    Traceback (most recent call last):
    ...
    symbench.errors.UnknownName: the kernel is 'perceptron': give one of mlp, linear-sum, ...
    """
    if isinstance(kernels, Mapping):
        chosen = dict(mapping(kernels, "the kernels"))
        for name in chosen:
            instance(name, str, "the name of a kernel", "a text")
            if name in KERNELS and chosen[name] is not KERNELS[name]:
                raise NotSupported(f"{name} is a kernel of the atlas: give yours another name")
    elif kernels is None:
        chosen = dict(KERNELS)
    else:
        names = sequence(kernels, "the kernels", "a list of names or a dictionary")
        chosen = {choice(name, "the kernel", KERNELS): KERNELS[name] for name in names}
    own = any(name not in KERNELS for name in chosen)
    if length is None:
        if own:
            raise NotSupported("the atlas that is shipped has no kernels of one's own: give length")
        return _shipped() if kernels is None else _shipped().filter(kernels=list(chosen))
    family = Family.of_length(length, integer(tokens, "the number of tokens", at_least=0))
    if not own and any(
        f.complete and f.length == family.length and len(f.tokens) >= len(family.tokens)
        for f in _shipped().families
    ):
        return _shipped().filter(kernels=list(chosen), length=length)
    return Atlas.build([family], chosen)
