"""Calls of library functions whose arguments are known: done at compile time."""

import types
from collections import OrderedDict
from collections.abc import Iterator
from itertools import islice

import libcst as cst
import numpy
import torch
import torch.utils.checkpoint

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.calls.library import is_numpy
from rewriter.evaluation.calls.torch_reads import is_leaf
from rewriter.evaluation.containers.containers import adopt, containers_in
from rewriter.evaluation.control.autocasting import under_autocasts
from rewriter.evaluation.host.array_memory import note_made, write_known
from rewriter.evaluation.host.array_writes import Watched, arrays_in
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.known_content import noting_questions
from rewriter.state import State
from rewriter.values import Known, ListCell, Reference, Value

_MOST_ITEMS = 1_000_000
_OF_CLASSES = (types.WrapperDescriptorType, types.MethodWrapperType)
_WRITING = frozenset({"__setattr__", "__delattr__", "__set__", "__delete__"})
"""What Python's own classes write attributes by."""


_PLAIN = (
    bool, int, float, complex, str, bytes, range, slice, type, torch.dtype, torch.device,
    torch.Tensor, numpy.ndarray, numpy.generic,
)  # fmt: skip


def call_now(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes:
    """Call a function whose arguments are known, at compile time."""
    if isinstance(function.value, _OF_CLASSES) and function.value.__name__ in _WRITING:
        frame.refuse("DYCL043", node, f"{function.value.__name__} is called by name")
    arguments = [known_object(state, value) for value in positional]
    named = {name: known_object(state, value) for name, value in keywords.items()}
    owner = getattr(function.value, "__self__", None)
    given = [known.value for known in (*arguments, *named.values()) if known is not None]
    watched = Watched(owner, given)
    try:
        with noting_questions(frame.run, given), under_autocasts(frame.run):
            result = function.value(
                *(known.value for known in arguments if known is not None),
                **{name: known.value for name, known in named.items() if known is not None},
            )
    except Exception as error:
        refuse_writes(frame, node, watched)
        frame.run.raise_known(state, error)
        return
    refuse_writes(frame, node, watched)
    if is_numpy(function.value):
        note_made(frame, node, arrays_in(result), arrays_in((owner, given)))
    drawn = _drawn(frame, node, result) if isinstance(result, Iterator) else result
    inside = _looked_into(drawn)
    shared = containers_in(owner, *given)
    if (
        any(isinstance(value, Reference) for value in (*positional, *keywords.values()))
        and (containers_in(inside) & shared or not _is_plain(inside))
        and not (inside is not drawn and _are_displays(node, state, positional, keywords))
    ):
        # The function was given copies of the program's lists: what it keeps is not they.
        frame.refuse(
            "DYCL045",
            node,
            f"the result of {getattr(function.value, '__name__', 'this call')}() holds lists or "
            "other objects that it was given",
            "write it as a loop, a comprehension or a lambda"
            if inside is drawn
            else "give it a tuple, or write the list in the call",
        )
    made = iter(drawn) if isinstance(result, Iterator) else result
    yield state, adopt(frame.run, state, made, shared)


class RaisesLater(Refused):
    """What a call gives raises an error after its first items, or in place of them."""


def _drawn(frame: Frame, node: cst.CSTNode, items: Iterator[object]) -> tuple[object, ...]:
    try:
        return tuple(islice(items, _MOST_ITEMS))
    except Exception as error:
        kind = type(items).__name__
        message = f"the items of this {kind} end with a {type(error).__name__}: {error}"
        raise RaisesLater(
            Diagnostic(code="DYCL045", message=message, origin=frame.origin(node))
        ) from error


def refuse_writes(frame: Frame, node: cst.CSTNode, watched: Watched) -> None:
    """Undo what was written into arrays at compile time: the host does that, or nobody."""
    write_known(frame, node, watched.undo_writes())


def _looked_into(content: object) -> object:
    """Return what a layer of PyTorch's own holds, in place of it: some make tuples of lists."""
    is_layer = isinstance(content, torch.nn.Module) and is_leaf(content)
    return dict(vars(content)) if is_layer else content


def _are_displays(
    node: cst.CSTNode, state: State, positional: list[Value], keywords: dict[str, Value]
) -> bool:
    """Return whether nobody else has the lists that are given: each is written in the call."""
    if not isinstance(node, cst.Call) or any(arg.star for arg in node.args):
        return False
    by_place = [arg.value for arg in node.args if arg.keyword is None]
    named = {arg.keyword.value: arg.value for arg in node.args if arg.keyword is not None}
    if len(by_place) != len(positional) or named.keys() != keywords.keys():
        return False
    pairs = [*zip(by_place, positional, strict=True)]
    pairs += [(named[name], value) for name, value in keywords.items()]
    return all(_is_display(written, state, value) for written, value in pairs)


def _is_display(written: cst.BaseExpression, state: State, value: Value) -> bool:
    if not isinstance(value, Reference):
        return True
    cell = state.heap[value.identity]
    is_flat = isinstance(cell, ListCell) and all(isinstance(item, Known) for item in cell.items)
    return isinstance(written, cst.List) and is_flat


def _is_plain(content: object) -> bool:
    """Return whether an object is made of numbers, strings and plain containers only."""
    if type(content) in (list, tuple, set, frozenset):
        return all(map(_is_plain, content))  # type: ignore[call-overload]
    if isinstance(content, dict) and type(content) in (dict, OrderedDict):
        return all(map(_is_plain, content.values()))
    return content is None or isinstance(content, _PLAIN)
