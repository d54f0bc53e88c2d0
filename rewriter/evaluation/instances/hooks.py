"""Hooks that are registered and removed in the call: ``handle = layer.register_forward_hook(f)``.

They run as the model's own do (``calls/module_forward.py``) until their handle removes them.
"""

import inspect

import libcst as cst
from torch import nn
from torch.utils.hooks import RemovableHandle

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.hook_tables import HookTable
from rewriter.evaluation.calls.misfits import misfit
from rewriter.evaluation.calls.special_calls import Keywords, Positional, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import hooks
from rewriter.state import State
from rewriter.values import NONE, Known, ObjectCell, Reference, Value

TABLE_OF: dict[object, str] = {
    nn.Module.register_forward_hook: "_forward_hooks",
    nn.Module.register_forward_pre_hook: "_forward_pre_hooks",
}
"""In which table of a module a method of ``nn.Module`` registers."""


def register_hook(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    module: Known,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Register a hook on a module of the model; give its handle."""
    content: nn.Module = module.value
    signature = inspect.signature(function.value)
    arguments = [module, *positional]
    try:
        given = signature.bind(*arguments, **keywords).arguments
    except TypeError:
        name = function.value.__qualname__
        frame.run.raise_known(state, misfit(name, signature, arguments, keywords))
        return
    first, told = (_is_asked(frame, node, given, name) for name in ("prepend", "with_kwargs"))
    if _is_asked(frame, node, given, "always_call"):
        frame.refuse("DYCL049", node, "hooks are called where forward raises (always_call)")
    table_name = TABLE_OF[function.value]
    if (id(content), table_name) in frame.run.initial_reads:
        frame.refuse("DYCL034", node, f"a hook is registered in a {table_name} that is read")
    table = frame.run.calls.hooks.of(content, table_name, frame.origin(node))
    made: list[Value] = [module, Known(table_name)]
    for after, handle in call_value(frame, node, state, Known(hooks.RemovableHandle), made, {}):
        assert isinstance(handle, Reference)
        table.add(after, handle, given["hook"], first=first, with_keywords=told)
        frame.run.effects += 1
        yield after, handle


def _is_asked(frame: Frame, node: cst.CSTNode, given: dict[str, Value], name: str) -> bool:
    value = given.get(name, NONE)
    if not isinstance(value, Known):
        frame.refuse("DYCL049", node, f"{name} of a hook is known only at run time")
    return bool(value.value)


@special(hooks.remove_hook)
def remove_hook(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``handle.remove()``."""
    del node, keywords
    (handle,) = positional
    assert isinstance(handle, Reference)
    _table_of(frame, state, handle).remove(state, handle)
    frame.run.effects += 1
    yield state, NONE


def _table_of(frame: Frame, state: State, handle: Reference) -> HookTable:
    attributes = state.cell(handle, ObjectCell).attributes
    module, name = attributes["_module"], attributes["_table"]
    assert isinstance(module, Known) and isinstance(name, Known)
    return frame.run.calls.hooks.known[id(module.value), name.value]


@special(hooks.what_it_holds)
def refuse_to_show(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``handle.id``."""
    del state, positional, keywords
    frame.refuse("DYCL039", node, "what the handle of a hook holds is read")


@special(RemovableHandle.remove)
def refuse_to_remove(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Remove a hook that the model has had before the call."""
    del state, positional, keywords
    frame.refuse("DYCL034", node, "a hook is removed that the model has had before the call")
