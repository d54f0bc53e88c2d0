"""Attempts that may be given up: what they emitted is forgotten."""

from rewriter.evaluation.run import Run
from rewriter.state import State


class Mark:
    """Where an evaluation stood, to go back to it when it is given up."""

    def __init__(self, run: Run, state: State) -> None:
        """Take note of what is there before an attempt."""
        self.run = run
        self.checkpoint = run.builder.checkpoint(state.block)
        self.diagnostics = len(run.diagnostics)
        self.raised = len(run.sinks[-1])
        self.active = len(run.calls.active)

    def replace_by(self, since: "Mark") -> None:
        """Forget what was emitted, refused and raised between this and a later mark.

        The attempt that began there, in a block of its own, takes its place.
        """
        self.run.builder.go_on_at(self.checkpoint, since.checkpoint[0])
        del self.run.diagnostics[self.diagnostics : since.diagnostics]
        del self.run.sinks[-1][self.raised : since.raised]

    def restore(self) -> None:
        """Forget all that was emitted, refused and raised since."""
        self.run.builder.rollback(self.checkpoint)
        del self.run.diagnostics[self.diagnostics :]
        del self.run.sinks[-1][self.raised :]
