"""Words: templates, substitution maps, tasks; matching, disjointness, enumeration, a catalogue.

>>> Template("ααβST").matches("QQRST")
True
"""

from symbench.certificates.plain import register_type
from symbench.words import catalogue as tasks
from symbench.words.classify import Classification
from symbench.words.disjointness import (
    common_string,
    disjointness_graph,
    maximal_tasks,
    overlaps,
)
from symbench.words.enumeration import all_templates, count_templates
from symbench.words.family import Templates
from symbench.words.law import FiniteLaw, UniformLaw
from symbench.words.letters import CLS
from symbench.words.orbits import all_tasks, count_tasks
from symbench.words.picture import disjointness_svg, disjointness_table
from symbench.words.sample import Sample
from symbench.words.substitution import Substitution, Substitutions
from symbench.words.task import Task
from symbench.words.template import Match, Template
from symbench.words.word import Word

for _type in (Template, Substitution, Task):
    # So that claims may have them as cases and certificates as subjects.
    register_type(_type.__name__, _type, _type.to_json, _type.from_json)

__all__ = [
    "CLS",
    "Classification",
    "FiniteLaw",
    "Match",
    "Sample",
    "Substitution",
    "Substitutions",
    "Task",
    "Template",
    "Templates",
    "UniformLaw",
    "Word",
    "all_tasks",
    "all_templates",
    "common_string",
    "count_tasks",
    "count_templates",
    "disjointness_graph",
    "disjointness_svg",
    "disjointness_table",
    "maximal_tasks",
    "overlaps",
    "tasks",
]
