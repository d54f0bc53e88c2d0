"""The ends of the program's paths: what is returned or raised, and what may be."""

import libcst as cst

from rewriter.diagnostics import Diagnostic, DyclBug
from rewriter.evaluation.containers.containers import describe
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame
from rewriter.evaluation.text.own_texts import own_texts
from rewriter.origin import Origin
from rewriter.program import Raise, Return
from rewriter.results import Leaving
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.values import NONE, Known, ObjectCell, Reference, Value


def always_raises(frame: Frame, raised: Raised) -> Diagnostic:
    """Return the diagnostic of a program whose every path raises."""
    return Diagnostic(
        code="DYCL066",
        message=f"every path through {frame.source.name} raises: "
        f"{_exception_text(raised.state, raised.exception)}",
        origin=frame.origin(node_of(frame, raised)),
    )


def _exception_text(state: State, exception: Value) -> str:
    cell = state.heap[exception.identity] if isinstance(exception, Reference) else None
    if isinstance(exception, Known):
        return repr(exception.value)
    if not isinstance(cell, ObjectCell):
        return describe(state, exception)
    arguments = known_object(state, cell.attributes.get("args", Known(())))
    given = "..." if arguments is None else ", ".join(map(repr, arguments.value))
    return f"{cell.kind.__name__}({given})"


def node_of(frame: Frame, completion: Completion) -> cst.CSTNode:
    """Return where a path ended: of inlined functions, which stand in another text, the entry."""
    node: cst.CSTNode | None = getattr(completion, "node", None)
    return frame.source.node if node is None or node not in frame.source.text.positions else node


def close_path(frame: Frame, completion: Completion) -> None:
    """End a path: return its value or raise its exception from the rewritten program."""
    run, state = frame.run, completion.state
    node = node_of(frame, completion)
    origin: Origin = frame.origin(node)
    leaving = Leaving(frame, node, state)
    match completion:
        case Returned():
            value = completion.value
        case Next():
            value = NONE
        case Raised():
            for after, text in own_texts(frame, node, state, completion.exception):
                raising = Leaving(frame, node, after, raised=True)
                expression = raising.exception(completion.exception, text)
                run.builder.close(after.block, Raise(exception=expression, origin=origin))
            return
        case Broke() | Continued():
            raise DyclBug("a loop did not take its break or continue")
    run.builder.close(state.block, Return(value=leaving.result(value), origin=origin))
