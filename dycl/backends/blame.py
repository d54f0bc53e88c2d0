"""Finds the user's line because of which a backend fails on a sub-DNN."""

from collections.abc import Callable

from dycl.capture import CapturedSubDnn, capture
from dycl.capture.blame import first_failing_statement
from hcfg.graph import SubDnn
from rewriter.diagnostics import CompileError
from rewriter.origin import Origin


def blame(subdnn: CapturedSubDnn, fails: Callable[[CapturedSubDnn], bool]) -> Origin:
    """Return the first statement with which ``subdnn`` fails; as a whole it must fail."""

    def beginning_fails(node: SubDnn) -> bool:
        try:
            return fails(capture(subdnn.name, node, subdnn.graph))
        except CompileError:
            # Some value in between cannot be an output. Then this beginning counts as fine
            # and the blame moves on to a later statement.
            return False

    return first_failing_statement(subdnn.node, subdnn.graph, beginning_fails)
