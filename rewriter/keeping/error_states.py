"""What errors of tensor code leave of what is kept: numbers and texts that no call ends with.

A call that an error ended is followed by others, which begin with what it left. Where that looks
as what calls begin with anyway, but for numbers and texts, these are taken for changing. Where the
program is refused with that, it is evaluated without, and a note says so.
"""

from dataclasses import dataclass


@dataclass(slots=True)
class ErrorStates:
    """Whether calls may begin with what errors leave."""

    found: bool = False
    left_out: bool = False

    def leave_out(self) -> bool:
        """Do without them; return whether that makes a difference."""
        before, self.left_out = self.left_out, self.found
        return self.left_out and not before
