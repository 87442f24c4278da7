"""What a notebook shows of a certificate and of its subject; nothing of it is needed to check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symbench.certificates.kinds import PAGES
from symbench.draw.views import View, card, columns_text, fact, facts, sheet
from symbench.exact.rational import number_text

if TYPE_CHECKING:
    from symbench.certificates.base import Certificate
    from symbench.certificates.templates import KernelFacts, Templates

_ROWS = 12  # of the templates that are shown


def of_certificate(certificate: Certificate) -> View:
    """What is proved, for which parameters, and on which theorems it rests."""
    told = "re-run" if certificate.re_run else "proved"
    said = [(told, certificate.explain())]
    if certificate.valid_for != "these":
        said.append(("for", certificate.valid_for))
    said += [("rests on", f"{id} ({PAGES[id]})") for id in certificate.theorems]
    if certificate.subject is not None:
        said.append(("about", fact(certificate.subject)))
    said += [(name, text) for name, text in certificate.about.items()]
    if certificate.note:
        said.append(("note", certificate.note))
    how = (
        "check() goes through the cases again" if certificate.re_run else "check() needs no search"
    )
    said.append(("to re-check", f"{how}; save(path) writes it to a file"))
    return card(certificate.title or f"certificate: {certificate.kind}", facts(said))


def of_templates(subject: Templates) -> View:
    """The rows with their labels, and the kernel."""
    labels = subject.labels
    head = ["template", *["label"] * (labels is not None)]
    rows = [
        [" ".join(row), *([] if labels is None else [labels[i]])]
        for i, row in enumerate(subject.rows[:_ROWS])
    ]
    left = len(subject.rows) - len(rows)
    more = [f"... and {left:,} more"] if left else []
    named = facts([("kernel", subject.kernel_name), ("wildcards", subject.wildcards)])
    return card("templates", sheet(columns_text([head, *rows]), *more, named))


def of_kernel(facts_: KernelFacts) -> View:
    """What the theorems ask of a kernel."""
    any_ = "any"
    return card(
        facts_.name,
        facts(
            [
                ("beta", any_ if facts_.beta is None else number_text(facts_.beta)),
                ("gamma", any_ if facts_.gamma is None else number_text(facts_.gamma)),
                ("separates all templates", facts_.separates),
            ]
        ),
    )
