"""What may be read later while a loop's body is evaluated."""

import libcst as cst

from rewriter.evaluation.run import Frame
from rewriter.name_liveness import reads_first


class Looping:
    """While a loop's body is evaluated, all that the loop reads may be read again."""

    def __init__(
        self, frame: Frame, node: cst.For | cst.While, hidden: frozenset[str] = frozenset()
    ) -> None:
        self.frame = frame
        later = frame.continuations[-1] if frame.continuations else frozenset()
        self.live = reads_first(node) | later | hidden

    def __enter__(self) -> None:
        self.previous = self.frame.live
        self.landing = self.frame.landing
        self.frame.continuations.append(self.live)
        self.frame.live = self.frame.landing = self.live

    def __exit__(self, *_: object) -> None:
        self.frame.continuations.pop()
        self.frame.live, self.frame.landing = self.previous, self.landing
