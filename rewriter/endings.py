"""The ends of the program's paths: what is returned or raised, and what may be."""

import libcst as cst
import numpy
import torch

from rewriter.diagnostics import Diagnostic, DyclBug
from rewriter.evaluation.containers import describe
from rewriter.evaluation.exceptions import exception_expression
from rewriter.evaluation.rendering import NotMaterial, known_object, render
from rewriter.evaluation.run import Frame
from rewriter.origin import Origin
from rewriter.program import Raise, Return
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.values import (
    NONE,
    DictCell,
    FunctionValue,
    HostValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Reference,
    ScalarValue,
    TensorValue,
    TupleValue,
    Value,
)


def always_raises(frame: Frame, raised: Raised) -> Diagnostic:
    """Return the diagnostic of a program whose every path raises."""
    return Diagnostic(
        code="DYCL066",
        message=f"every path through {frame.source.name} raises: "
        f"{_exception_text(raised.state, raised.exception)}",
        origin=frame.origin(_node_of(frame, raised)),
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


def _node_of(frame: Frame, completion: Completion) -> cst.CSTNode:
    """Return where a path ended: of inlined functions, which stand in another text, the entry."""
    node: cst.CSTNode | None = getattr(completion, "node", None)
    return frame.source.node if node is None or node not in frame.source.text.positions else node


def close_path(frame: Frame, completion: Completion) -> None:
    """End a path: return its value or raise its exception from the rewritten program."""
    run, state = frame.run, completion.state
    node = _node_of(frame, completion)
    origin: Origin = frame.origin(node)
    match completion:
        case Returned():
            value = completion.value
        case Next():
            value = NONE
        case Raised():
            expression = exception_expression(frame, state, completion.exception)
            if expression is None:
                frame.refuse(
                    "DYCL068",
                    node,
                    "an exception of a class of the user's leaves the program",
                    "raise a builtin exception",
                )
            run.builder.close(state.block, Raise(exception=expression, origin=origin))
            return
        case Broke() | Continued():
            raise DyclBug("a loop did not take its break or continue")
    _check_returned(frame, node, state, value)
    try:
        expression = render(run, state, value)
    except NotMaterial as error:
        frame.refuse("DYCL065", node, f"{error.reason} is returned")
    run.builder.close(state.block, Return(value=expression, origin=origin))


_RETURNABLE = (
    bool, int, float, complex, str, bytes, type(None), type(Ellipsis), torch.Tensor, torch.Size,
    numpy.generic,
)  # fmt: skip


def _check_returned(frame: Frame, node: cst.CSTNode, state: State, value: Value) -> None:
    match value:
        case TensorValue() | ScalarValue() | HostValue():
            return
        case Known():
            _check_known(frame, node, value.value)
        case TupleValue():
            if value.kind is not tuple and hasattr(value.kind, "_fields"):
                frame.refuse(
                    "DYCL065",
                    node,
                    f"a named tuple ({value.kind.__name__}) is returned",
                    "return a plain tuple or a dict",
                )
            for item in value.items:
                _check_returned(frame, node, state, item)
        case Reference():
            cell = state.heap[value.identity]
            parts = cell.items if isinstance(cell, ListCell) else ()
            if isinstance(cell, DictCell):
                parts = tuple(cell.items.values())
            for item in parts:
                _check_returned(frame, node, state, item)
        case FunctionValue() | MethodValue():
            frame.refuse("DYCL065", node, "a function is returned")
        case _:
            return


def _check_known(frame: Frame, node: cst.CSTNode, content: object) -> None:
    if isinstance(content, list | tuple) and type(content) in (list, tuple):
        for item in content:
            _check_known(frame, node, item)
    elif type(content) is dict:
        for item in content.values():
            _check_known(frame, node, item)
    elif not isinstance(content, _RETURNABLE):
        frame.refuse("DYCL065", node, f"an object of class {type(content).__name__} is returned")
