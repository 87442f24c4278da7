"""Every exception that symbench raises, on one page.

Each refines the builtin that a caller would expect, so `except ValueError` goes on working,
and each message says what was given, what was expected and what to do.

>>> issubclass(NotExact, TypeError) and issubclass(NotExact, SymbenchError)
True
"""


class SymbenchError(Exception):
    """The root: everything symbench raises on purpose is one of these."""


class BadType(SymbenchError, TypeError):
    """An argument of a type that the function does not take."""


class NotExact(BadType):
    """A float (or another inexact number) where an exact one is promised."""


class BadValue(SymbenchError, ValueError):
    """An argument of the right type with a value that makes no sense here."""


class BadShape(BadValue):
    """Ragged rows, or shapes that do not fit together."""


class NotInRing(BadValue):
    """A number that the ring does not contain, or cannot be mapped into it."""


class TooLarge(BadValue):
    """More than a machine can hold or list: the message says how much, and what to ask instead."""


class NotInvertible(SymbenchError, ZeroDivisionError):
    """A solve with a singular matrix, or the inverse of something that has none."""


class NotSupported(SymbenchError, NotImplementedError):
    """The operation does not exist over this ring (not: it is not finished)."""


class Undecided(SymbenchError, RuntimeError):
    """The search ended without an answer: a time limit, a memory limit, too low a precision.

    Undecided is neither true nor false; `bool()` of an undecided verdict raises it.
    """


class BadCertificate(SymbenchError, ValueError):
    """A certificate that does not check: tampered with, malformed, or of an unknown kind."""


class CannotCheck(BadCertificate):
    """A file about a claim that is not installed here: neither good nor bad can be said of it."""


class BadClaim(BadValue):
    """A claim whose declaration is incomplete or contradicts itself."""


class BadLedger(BadValue):
    """A ledger that cannot be read or written, or that belongs to something else."""


class BadExecutor(SymbenchError, RuntimeError):
    """Workers of a sweep that do not answer, broke, or compute by another version of anything."""


class UnknownName(SymbenchError, KeyError):
    """A name (of a claim, a task, a variable) that is not there; the message lists near ones."""

    def __str__(self) -> str:
        """The message itself: KeyError would show it in quotes."""
        return str(self.args[0]) if self.args else ""


class TooCoherent(BadValue):
    """Vectors of positions that scores cannot tell apart; `certificate` is the reason, if known."""

    def __init__(self, message: str, certificate: object = None) -> None:
        super().__init__(message)
        self.certificate = certificate
