"""Letters as LaTeX for math mode, in words that MathJax knows too."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import pairwise

from symbench.words.letters import CLS, GREEK

_LETTERS = 80  # that a notebook shows of one string
_NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu "
    "nu xi o pi rho sigma tau upsilon varphi chi psi omega"
)
_LATEX_NAMES = dict(zip(GREEK, _NAMES.split(), strict=True))
_LATEX_ESCAPES = {c: "\\" + c for c in "#$%&_{}"} | {
    "\\": r"\backslash{}",
    "^": r"\hat{\ }",
    "~": r"\tilde{\ }",
    '"': "''",
}


def letters_latex(letters: Sequence[str], wildcards: Collection[str] = ()) -> str:
    r"""A string as LaTeX, its wildcards in Greek.

    >>> print(letters_latex("αβS", "αβ"))
    \alpha\beta\mathtt{S}
    """
    text = letter_latex(letters[0], wildcards) if letters else r"\varepsilon"
    for before, letter in pairwise(letters):
        text += r"\," if len(before) > 1 or len(letter) > 1 else ""
        text += letter_latex(letter, wildcards)
    return text


def letter_latex(letter: str, wildcards: Collection[str] = ()) -> str:
    r"""A letter as LaTeX: a token upright, a wildcard by its name.

    >>> print(letter_latex("a_b"), letter_latex("α2", ["α2"]))
    \mathtt{a\_b} \alpha_{2}
    """
    if letter not in wildcards:
        shown = "[CLS]" if letter == CLS else letter
        return r"\mathtt{" + "".join(_LATEX_ESCAPES.get(c, c) for c in shown) + "}"
    name, index = letter[0], letter[1:]
    name = "\\" + _LATEX_NAMES[name] if _LATEX_NAMES.get(name, "o") != "o" else name
    return f"{name}_{{{index}}}" if index else name


def shown_latex(letters: Sequence[str], wildcards: Collection[str] = ()) -> str:
    """A string as a notebook shows it: of a long one the beginning."""
    more = r"\ldots" if len(letters) > _LETTERS else ""
    return f"${letters_latex(letters[:_LETTERS], wildcards)}{more}$"
