"""Why a program cannot be one ONNX file, at the user's line."""

from dataclasses import dataclass, field

from rewriter.diagnostics import Diagnostic
from rewriter.origin import Origin

CODE = "DYCL430"
_HELP = "docs/one_onnx.md says what can be; a host package keeps the rest in Python"


class Inexpressible(Exception):
    """ONNX has nothing that does the same for all values. The text says of what."""


@dataclass(slots=True)
class Problems:
    """All reasons that are found, in the order of the program."""

    found: dict[Diagnostic, None] = field(default_factory=dict)

    def add(self, reason: object, origin: Origin | None) -> None:
        """Note a reason."""
        self.found[refusal(reason, origin)] = None

    def update(self, others: "Problems") -> None:
        """Note what others found."""
        self.found |= others.found


def refusal(reason: object, origin: Origin | None) -> Diagnostic:
    """Return the diagnostic for a reason."""
    return Diagnostic(
        code=CODE, message=f"{reason} cannot be in an ONNX file", origin=origin, help=_HELP
    )
