"""What an exception of the user's says of itself (``__str__``) where it leaves the program."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.control.exceptions import exception_class
from rewriter.evaluation.instances.user_classes import method_of
from rewriter.evaluation.run import Frame
from rewriter.evaluation.text.error_texts import wording_error
from rewriter.state import Raised, State
from rewriter.values import Value


def own_texts(
    frame: Frame, node: cst.CSTNode, state: State, exception: Value
) -> Iterator[tuple[State, Value | None]]:
    """Evaluate ``str(exception)``; None where the class leaves that to the builtin ones."""
    says = method_of(state, exception, "__str__")
    if says is None:
        yield state, None
        return
    run, raised = frame.run, list[Raised]()
    run.sinks.append(raised)
    try:
        with wording_error(frame):
            texts = list(call_value(frame, node, state, says, [], {}))
    finally:
        run.sinks.pop()
    if raised:
        kind = exception_class(raised[0].state, raised[0].exception).__name__
        frame.refuse(
            "DYCL068",
            node,
            f"an exception leaves the program whose __str__ raises {kind}",
            "make its text in __init__, and pass it to super().__init__()",
        )
    yield from texts
