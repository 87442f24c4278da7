"""The verdicts as a table for an appendix, in LaTeX and in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HEAD = ("claim", "source", "verdict", "scope", "cases", "certified", "near-misses")
_SPECIAL = {
    **{c: "\\" + c for c in "#$%&_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
}
_FORMULA = re.compile(r"(\$(?!\s)[^$]+(?<!\s)\$)")


def markdown(rows: Sequence[Sequence[str]]) -> str:
    r"""A table of Markdown; what Markdown would obey in a text is escaped.

    >>> print(markdown([["a.b", "x|y", "holds", "all cases", "1", "0", "1/1"]]).splitlines()[2])
    | a.b | x\|y | holds | all cases | 1 | 0 | 1/1 |
    """

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(cells)} |"

    head = [line(_HEAD), "|---|---|---|---|---:|---:|---:|"]
    body = [
        line([re.sub(r"([\\`*_<>|\[\]~]|&(?=#?\w+;))", r"\\\1", cell) for cell in row])
        for row in rows
    ]
    return "\n".join([*head, *body, ""])


def latex(rows: Sequence[Sequence[str]]) -> str:
    r"""A longtable of LaTeX (\usepackage{array,longtable}); ids break at their dots and hyphens.

    >>> print(latex([["a.b-c", "50%", "holds", "all cases", "1", "0", "1/1"]]).splitlines()[8])
    \texttt{a.\allowbreak{}b-\allowbreak{}c} & 50\% & holds & all cases & 1 & 0 & 1/1 \\
    """
    body = []
    for id, source, *others in rows:
        broken = re.sub(r"([.-])", r"\1\\allowbreak{}", _escaped(id))
        cells = [rf"\texttt{{{broken}}}", _text(source), *map(_escaped, others)]
        body.append(" & ".join(cells) + r" \\")
    head = " & ".join(_HEAD) + r" \\"
    return "\n".join([
        r"% \usepackage{array,longtable}; letters beyond Latin ones need LuaLaTeX or XeLaTeX",
        r"{\footnotesize\setlength{\tabcolsep}{3pt}",
        r"\newcolumntype{R}[1]{>{\raggedright\arraybackslash}p{#1\textwidth}}",
        r"\begin{longtable}{@{}R{0.19}R{0.21}R{0.1}lrrr@{}}",
        r"\hline",
        head,
        r"\hline",
        r"\endhead",
        *body,
        r"\hline",
        r"\end{longtable}",
        "}",
        "",
    ])  # fmt: skip


def _escaped(text: str) -> str:
    written = "".join(_SPECIAL.get(c, c) for c in text)
    return re.sub('"([^"]*)"', r"``\1''", written).replace('"', "''")


def _text(text: str) -> str:
    """A text in which formulas stand between dollars."""
    return "".join(
        part if _FORMULA.fullmatch(part) and part.count("{") == part.count("}") else _escaped(part)
        for part in _FORMULA.split(text)
    )
