"""Calls of library functions: by kind of leaf, at compile time, or on the host."""

import libcst as cst

from rewriter.evaluation.calls.compile_time_calls import call_now
from rewriter.evaluation.calls.kinds_of_arguments import misfit_of_call
from rewriter.evaluation.calls.library import (
    READING,
    LibraryKind,
    clock_type,
    is_numpy,
    library_kind,
    method_of_container,
)
from rewriter.evaluation.calls.output_calls import call_output
from rewriter.evaluation.calls.torch_calls import call_torch
from rewriter.evaluation.host.array_memory import is_made_on_host
from rewriter.evaluation.host.host_objects import call_on_host
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.host.ufuncs_of_tensors import answered_by_tensor
from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.rendering import any_tensor, render, render_call, whole_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, Poison, Value


def call_library(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function of torch, numpy or the standard library."""
    values = [*positional, *keywords.values()]
    if any(isinstance(value, Poison) for value in values):
        raise UsedPoison
    kind = library_kind(function.value)
    first = positional[0].value if positional and isinstance(positional[0], Known) else None
    if method_of_container(function.value, first) not in (None, *READING):
        kind = LibraryKind.UNKNOWN
    knowns = [whole_object(state, value) for value in values]
    all_known = all(known is not None for known in knowns)
    asked = kind in (LibraryKind.PURE, LibraryKind.OUTPUT, LibraryKind.TORCH)
    if asked and _misfits(frame, state, function, positional, keywords):
        return iter(())
    match kind:
        case LibraryKind.TORCH:
            return call_torch(frame, node, state, function, positional, keywords)
        case LibraryKind.PURE if (
            all_known
            and not any_tensor([k.value for k in knowns if k])
            and not (is_numpy(function.value) and is_made_on_host(frame, node))
        ):
            return call_now(frame, node, state, function, positional, keywords)
        case LibraryKind.PURE:
            given = (frame, node, state, function, positional, keywords)
            answered = answered_by_tensor(*given) if is_numpy(function.value) else None
            return answered or call_on_host(*given)
        case LibraryKind.OUTPUT:
            return call_output(frame, node, state, function, positional, keywords)
        case LibraryKind.CLOCK if not values:
            return _read_clock(frame, node, state, function)
        case LibraryKind.CLOCK | LibraryKind.UNKNOWN:
            name = _full_name(function.value)
            frame.refuse("DYCL045", node, f"{name}() is not supported: its effects are unknown")


def _misfits(
    frame: Frame,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> bool:
    """Return whether a function takes no such arguments: then the path ends by Python's error."""
    error = misfit_of_call(frame.run, state, function.value, positional, keywords)
    if error is not None:
        frame.run.raise_known(state, error)
    return error is not None


def _read_clock(frame: Frame, node: cst.CSTNode, state: State, function: Known) -> Outcomes:
    """Ask a clock of the host when the call comes to it."""
    expression = render_call(frame.run, state, render(frame.run, state, function), [], {})
    kind, origin = clock_type(function.value), frame.origin(node)
    yield (
        state,
        host_scalar(frame.run, state, expression, kind, origin, effect=True, may_raise=False),
    )


def _full_name(function: object) -> str:
    """Return a function's name with the module that it, or its class, is from."""
    owner = getattr(function, "__self__", None)
    home = getattr(function, "__module__", None) or getattr(owner, "__module__", None)
    name = getattr(function, "__qualname__", None) or repr(function)
    return f"{home}.{name}" if isinstance(home, str) and home != "builtins" else name
