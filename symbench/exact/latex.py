"""Numbers and polynomials as LaTeX, from their texts, and cut to what can be read."""

from __future__ import annotations

import re

_GREEK = re.compile(
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|iota|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|"
    "upsilon|phi|chi|psi|omega"
)


def in_latex(text: str) -> str:
    r"""A number or a polynomial as LaTeX, from its text.

    >>> print(in_latex("1/2*alpha^2*x - q^(1/3)"), in_latex("[0.5 +/- 2e-09]"))
    \frac{1}{2} \alpha^{2} x - q^{\frac{1}{3}} [0.5 \pm 2 \cdot 10^{-9}]
    """
    text = re.sub(r"(?<=\d)e([+-]?)0*(\d+)", _power_of_ten, text)
    text = re.sub(r"\^\(([^)]*)\)|\^(-?\d+)", r"^{\1\2}", text).replace("*", " ")
    text = re.sub(r"(?<![A-Za-z])[A-Za-z]{2,}", _name, text)
    text = re.sub(r"(?<!\d)(\d+)/(\d+)", r"\\frac{\1}{\2}", text)
    text = re.sub(r"√(\d+)", r"\\sqrt{\1}", text)
    return text.replace("+/-", r"\pm").replace("<TEN>", r" \cdot 10").replace("...", r"\ldots")


def _power_of_ten(found: re.Match[str]) -> str:
    return f"<TEN>^({found[1].replace('+', '')}{found[2]})"


def _name(found: re.Match[str]) -> str:
    name = found[0]
    if name == "TEN":
        return name
    return f"\\{name}" if _GREEK.fullmatch(name) else rf"\mathit{{{name}}}"


def cut_formula(text: str, most: int) -> str:
    """A text of at most about this many characters: digits and terms are left out, with dots.

    >>> cut_formula("123456789" * 3, 20), cut_formula("1 + x + x^2 + x^3", 12)
    ('123456789...456789', '1 + x + ...')
    """
    text = re.sub(rf"\d{{{max(most // 2, 24)},}}", lambda m: f"{m[0][:9]}...{m[0][-6:]}", text)
    if len(text) <= most:
        return text
    ends = [m.start() for m in re.finditer(r" [+-] ", text[:most])]
    return f"{text[: ends[-1]]} + ..." if ends else f"{text[:most]}..."


def dollars(value: object) -> str:
    r"""What a notebook shows of a number or a polynomial.

    >>> print(dollars("1/3*x"))
    $\frac{1}{3} x$
    """
    return f"${in_latex(cut_formula(str(value), 600))}$"
