"""PyTorch's environment of symbolic sizes, without the places in its own code it would look up."""

from torch._guards import SLoc
from torch.fx.experimental.symbolic_shapes import ShapeEnv


class QuietSizes(ShapeEnv):
    """Says of a comparison that it cannot decide which it is, not where in PyTorch it came up.

    To find that out it would import PyTorch's exporter and half of its compiler, which takes
    longer than most compilations; whoever catches the error knows the user's line.
    """

    def _get_stack_summary(
        self, is_debug: bool = False, framework_loc: str | None = None
    ) -> tuple[SLoc, str]:
        return SLoc(framework_loc, None), ""

    def _log_create_unbacked_symbol(self, *given: object, **named: object) -> None:
        """Say nothing about a new symbol, for the same reason."""
