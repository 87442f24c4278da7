from symbench.texts.symmetry import SymmetryReport as SymmetryReport
from symbench.texts.symmetry import TextComparison as TextComparison
from symbench.texts.symmetry import compare_texts as compare_texts
from symbench.texts.symmetry import permutation_symmetry as permutation_symmetry
