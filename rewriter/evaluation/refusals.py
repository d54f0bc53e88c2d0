"""How evaluation stops: a refusal, one for good, or the use of a refused value."""

from rewriter.diagnostics import Diagnostic


class Refused(Exception):
    """The program cannot be compiled soundly; carries the reason."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.render())


class RefusedForGood(Refused):
    """A refusal after which evaluation cannot go on."""


class UsedPoison(Exception):
    """A value was used whose making was refused already: nothing new to say."""
