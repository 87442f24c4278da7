"""The command: one file for each of its commands, loaded when it is called.

Exit codes: 0, every verdict as expected; 1, one is not; 2, usage, or a ledger that could not be
written; 3, undecided where a verdict was expected; 130, interrupted.
"""

from __future__ import annotations

import inspect
import sys
from importlib import import_module
from io import TextIOWrapper
from typing import Any

import click

import symbench
from symbench.errors import SymbenchError

# Each command: the module of this folder it stands in, and its name there.
_COMMANDS = {
    "list": "listing.list_things",
    "show": "listing.show",
    "verify": "verify.verify",
    "sweep": "sweep.sweep",
    "hunt": "hunt.hunt",
    "check": "certificates.check",
    "learnable": "learnable.learnable",
    "report": "report.report",
    "atlas": "atlas.atlas",
    "export": "certificates.export",
    "docs": "docs.docs",
    "cite": "cite.cite",
}


class _Group(click.Group):
    """A group whose commands report symbench's own errors as usage, without a traceback.

    Interrupted at any moment, also while it loads, a command ends with its code: click's is 1.
    """

    def main(self, *args: Any, **extra: Any) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # a Greek letter on a terminal that has none
                stream.reconfigure(errors="backslashreplace")
        return super().main(*args, **extra)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in _COMMANDS:
            return None
        module, attribute = _COMMANDS[name].split(".")
        command: click.Command = getattr(import_module(f"symbench.cli.{module}"), attribute)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their first sentences, whole; click would cut them off."""
        rows = []
        for name in _COMMANDS:
            command = self.get_command(ctx, name)
            assert command is not None
            first = inspect.cleandoc(command.help or "").split("\n\n")[0]
            rows.append((name, " ".join(first.split())))
        with formatter.section("Commands"):
            formatter.write_dl(rows)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SymbenchError as error:
            raise click.UsageError(str(error)) from None
        except KeyboardInterrupt:
            click.echo("interrupted", err=True)
            ctx.exit(130)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(symbench.__version__, prog_name="symbench")
def main() -> None:
    """Verify claims about transformers, symmetry and abstract symbols in exact arithmetic.

    \b
    symbench verify                      every claim, on its default sizes
    symbench show boix2024.lemma-E.1     what a claim says and how it is checked
    symbench check certificate.json      re-check a saved certificate
    symbench sweep ID --grid n=3..7      a claim at many sizes, many processes
    symbench learnable same_different    is a task learnable on unseen symbols?
    symbench report verdicts.db          a page about a ledger that checks itself
    """  # noqa: D301
