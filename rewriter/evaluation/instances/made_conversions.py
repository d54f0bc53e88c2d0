"""``eval``, ``to``, ``double`` and the like of modules that are made in the call.

A module made here says which modules it holds, and not which of its tensors are registered. So
modes are set as torch's source sets them, and conversions are taken where they change nothing.
"""

from collections.abc import Iterator

import libcst as cst
import torch
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.module_conversions import CONVERTING, is_converted, wanted_by_to
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.instances.attributes import get_attribute
from rewriter.evaluation.instances.registering import is_module
from rewriter.evaluation.instances.stood_for import library_class
from rewriter.evaluation.instances.user_classes import user_method
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import (
    DictCell,
    Known,
    MethodValue,
    ObjectCell,
    Reference,
    Value,
    with_attribute,
)


def _of_made(rule: SpecialRule, name: str) -> SpecialRule:
    """Return a rule that leaves modules of the model to the rules for these."""
    function = getattr(nn.Module, name)

    def evaluated(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        receiver, *rest = positional or (Known(None),)
        if isinstance(receiver, Reference) and is_module(state, receiver):
            return rule(frame, node, state, positional, keywords)
        method = MethodValue(receiver, Known(function))
        if isinstance(receiver, Known) and isinstance(receiver.value, nn.Module):
            return call_value(frame, node, state, method, rest, keywords)
        frame.refuse("DYCL050", node, f"{name}() of what is no known module")

    return evaluated


def _eval(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    made, *rest = positional
    if rest or keywords:
        frame.refuse("DYCL050", node, "eval() of a module made in the call is given arguments")
    return _call(frame, node, state, made, "train", [Known(False)], {})


def _train(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    made, *rest = positional
    given = [*rest, *keywords.values()]
    mode = given[0] if given else Known(True)
    fits = len(given) <= 1 and not keywords.keys() - {"mode"}
    if not fits or not isinstance(mode, Known) or not isinstance(mode.value, bool):
        frame.refuse("DYCL050", node, "train() of a module made in the call is given no bool")
    reference, cell = _made(frame, node, state, made)
    frame.run.update(state, reference, with_attribute(cell, "training", mode))
    yield from _in_each(frame, node, state, made, "train", [mode], {})


def _converted(name: str) -> SpecialRule:
    def evaluated(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        made, *rest = positional
        if name == "to":
            wanted = wanted_by_to(rest, keywords)
            if wanted is None:
                frame.refuse("DYCL050", node, "to() of a module made in the call, but to the CPU")
            dtype = wanted.dtype
        elif rest or keywords:
            frame.refuse("DYCL050", node, f"{name}() of a module made in the call has arguments")
        else:
            dtype = CONVERTING.get(name)
        _require_there(frame, node, state, made, name, dtype)
        yield from _in_each(frame, node, state, made, name, rest, keywords)

    return evaluated


def _require_there(
    frame: Frame, node: cst.CSTNode, state: State, made: Value, name: str, dtype: torch.dtype | None
) -> None:
    """Refuse to convert: which of the tensors are registered is not known."""
    _, cell = _made(frame, node, state, made)
    if user_method(cell.kind, "_apply") is not None:
        frame.refuse("DYCL050", node, f"{cell.kind.__name__} has a method _apply of its own")
    tensors = [t for value in cell.attributes.values() if (t := tensor_of(value)) is not None]
    if dtype is not None and any(is_converted(t) and t.dtype is not dtype for t in tensors):
        what = f"{name}() changes the element type of tensors of a module made in the call"
        frame.refuse("DYCL050", node, what, "make its tensors of that type")


def _in_each(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    made: Value,
    name: str,
    positional: list[Value],
    keywords: Keywords,
) -> Outcomes:
    """Call a method of each module that a module holds; the result is the module itself."""
    own = {"train": ()}.get(name, (name, "_apply"))
    states = [state]
    _, cell = _made(frame, node, state, made)
    for part, kind in _parts(frame, node, state, cell):
        if any(user_method(kind, each) is not None for each in own):
            what = f"{name}() of a module that holds a {kind.__name__}, which has its own"
            frame.refuse("DYCL050", node, what)
        states = [
            after
            for before in states
            for after, _ in _call(frame, node, before, part, name, positional, keywords)
        ]
    for after in states:
        yield after, made


def _parts(
    frame: Frame, node: cst.CSTNode, state: State, cell: ObjectCell
) -> Iterator[tuple[Known | Reference, type]]:
    """Yield the modules that a module holds, each once, and their classes."""
    seen: list[Value] = []
    for value in _held(state, cell):
        if is_module(state, value) and value not in seen:
            seen.append(value)
            if isinstance(value, Known):
                yield value, type(value.value)
            else:
                made, own = _made(frame, node, state, value)
                yield made, own.kind


def _held(state: State, cell: ObjectCell) -> Iterator[Value]:
    for value in cell.attributes.values():
        content = state.heap.get(value.identity) if isinstance(value, Reference) else None
        if isinstance(content, DictCell) and library_class(cell.kind) is not cell.kind:
            yield from content.items.values()  # the modules of a container
        else:
            yield value


def _made(
    frame: Frame, node: cst.CSTNode, state: State, value: Value
) -> tuple[Reference, ObjectCell]:
    """Return a module made in the call, and what it holds; the host's own are refused."""
    cell = state.heap.get(value.identity) if isinstance(value, Reference) else None
    if not isinstance(value, Reference) or not isinstance(cell, ObjectCell):
        frame.refuse("DYCL073", node, "the mode or type of modules in a run-time container is set")
    return value, cell


def _call(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    owner: Value,
    name: str,
    positional: list[Value],
    keywords: Keywords,
) -> Outcomes:
    for after, method in get_attribute(frame, node, state, owner, name):
        yield from call_value(frame, node, after, method, positional, keywords)


special(nn.Module.eval)(_of_made(_eval, "eval"))
special(nn.Module.train)(_of_made(_train, "train"))
for _name in ("to", "cpu", *CONVERTING):
    special(getattr(nn.Module, _name))(_of_made(_converted(_name), _name))
