from symbench.ktau.condition import coefficient_matrices as coefficient_matrices
from symbench.ktau.condition import stages as stages
from symbench.ktau.isotypic import PositionSymmetry as PositionSymmetry
from symbench.ktau.isotypic import position_symmetry as position_symmetry
from symbench.ktau.matrix import TemplateMatrix as TemplateMatrix
from symbench.ktau.matrix import template_matrix as template_matrix
from symbench.ktau.theorems import kernel_facts as kernel_facts
from symbench.ktau.theorems import plain_templates as plain_templates
