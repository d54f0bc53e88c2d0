"""How evaluation stops: a refusal, one for good, the use of a refused value, or an error."""

from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.origin import Origin


class Refused(Exception):
    """The program cannot be compiled soundly; carries the reason."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        self.diagnostic = diagnostic
        super().__init__(diagnostic.render())


class RefusedForGood(Refused):
    """A refusal after which evaluation cannot go on."""


class TooLong(CompileError):
    """The whole program is refused: attempts at loops, which catch other refusals, end too.

    What they emitted and took back counts as well, since it is what takes the time.
    """

    def __init__(self, most: int, origin: Origin) -> None:
        diagnostic = Diagnostic(
            code="DYCL022",
            message=f"the rewritten program exceeds {most} statements",
            origin=origin,
            help="raise CompileOptions.most_statements, or shorten the loop that multiplies here",
        )
        super().__init__([diagnostic])


class UsedPoison(Exception):
    """A value was used whose making was refused already: nothing new to say."""


class AlwaysRaised(Exception):
    """An operation raises the same ``TypeError`` of all samples."""

    def __init__(self, error: TypeError) -> None:
        self.error = error
        super().__init__(str(error))
