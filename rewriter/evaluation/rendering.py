"""From values to residual expressions, and to Python objects that fake tensors run on."""

import ast
import types
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.evaluation.refusals import UsedPoison
from rewriter.evaluation.run import Run
from rewriter.state import State
from rewriter.values import (
    DictCell,
    FunctionValue,
    HostValue,
    IteratorCell,
    IteratorValue,
    Known,
    ListCell,
    MethodValue,
    ObjectCell,
    Poison,
    Reference,
    RunTimeCell,
    RunTimeRange,
    ScalarValue,
    SetCell,
    SliceValue,
    SuperValue,
    TensorValue,
    TupleValue,
    Value,
    ViewValue,
)


class NotMaterial(Exception):
    """A value has no Python object at compile time; ``reason`` says what it is."""

    def __init__(self, reason: str, value: Value) -> None:
        self.reason = reason
        self.value = value
        super().__init__(reason)


def name_expression(name: str) -> ast.Name:
    """Return the residual expression that reads a variable."""
    return ast.Name(id=name, ctx=ast.Load())


def call_expression(
    function: ast.expr, arguments: Sequence[ast.expr], keywords: dict[str, ast.expr] | None = None
) -> ast.Call:
    """Return the residual expression of a call."""
    return ast.Call(
        func=function,
        args=list(arguments),
        keywords=[ast.keyword(arg=name, value=value) for name, value in (keywords or {}).items()],
    )


def render_call(
    run: Run,
    state: State,
    function: ast.expr,
    positional: Iterable[Value],
    keywords: Mapping[str, Value],
) -> ast.Call:
    """Return the residual expression of a call with these arguments, as ``render`` does."""
    return call_expression(
        function,
        [render(run, state, value) for value in positional],
        {name: render(run, state, value) for name, value in keywords.items()},
    )


def render(run: Run, state: State, value: Value, within: tuple[int, ...] = ()) -> ast.expr:
    """Return the residual expression of a value, which some objects hold (``within``).

    Raises NotMaterial where it has none.
    """
    match value:
        case Known():
            return _render_known(run, state, value)
        case TensorValue():
            return name_expression(state.current(value).name)
        case ScalarValue() | HostValue():
            return name_expression(value.name)
        case TupleValue():
            items = [render(run, state, item, within) for item in value.items]
            return ast.Tuple(elts=items, ctx=ast.Load())
        case SliceValue():
            parts = [
                render(run, state, part, within) for part in (value.start, value.stop, value.step)
            ]
            return call_expression(ast.Name(id="slice", ctx=ast.Load()), parts)
        case Reference():
            return _render_cell(run, state, value, within)
        case Poison():
            raise UsedPoison
        case ViewValue():
            raise NotMaterial(f"the {value.part} of a dict", value)
        case FunctionValue() | MethodValue() | SuperValue() | IteratorValue() | RunTimeRange():
            raise NotMaterial("a function or iterator made by the program", value)


def _render_known(run: Run, state: State, value: Known) -> ast.expr:
    content = value.value
    if value.path is None and isinstance(content, OrderedDict) and type(content) is OrderedDict:
        return call_expression(_ordered_dict(run), [_render_known(run, state, Known({**content}))])
    if value.path is None and type(content) in (tuple, list, dict):
        if type(content) is dict:
            return ast.Dict(
                keys=[_render_known(run, state, Known(key)) for key in content],
                values=[_render_known(run, state, Known(item)) for item in content.values()],
            )
        items = [_render_known(run, state, Known(item)) for item in content]
        display = ast.Tuple if type(content) is tuple else ast.List
        return display(elts=items, ctx=ast.Load())
    if isinstance(content, types.TracebackType):
        raise NotMaterial("a traceback", value)
    return run.builder.reference(content, run.path_of(value))


def _ordered_dict(run: Run) -> ast.expr:
    return run.builder.reference(OrderedDict, "collections.OrderedDict")


def _render_cell(run: Run, state: State, value: Reference, within: tuple[int, ...]) -> ast.expr:
    if value.identity in within:
        raise NotMaterial("an object that contains itself", value)
    within = (*within, value.identity)
    match state.heap[value.identity]:
        case ListCell() as cell if cell.kind is list:
            return ast.List(
                elts=[render(run, state, item, within) for item in cell.items], ctx=ast.Load()
            )
        case DictCell() as cell if cell.kind in (dict, OrderedDict):
            display = ast.Dict(
                keys=[_render_known(run, state, Known(key)) for key in cell.items],
                values=[render(run, state, item, within) for item in cell.items.values()],
            )
            return display if cell.kind is dict else call_expression(_ordered_dict(run), [display])
        case RunTimeCell() as cell:
            return name_expression(cell.name)
        case SetCell() as cell:
            return run.builder.reference(set(cell.items), None)
        case ListCell() | DictCell() | ObjectCell() as cell:
            raise NotMaterial(f"an object of class {cell.kind.__name__}", value)
        case IteratorCell():
            raise NotMaterial("an iterator", value)


def render_index(run: Run, state: State, value: Value) -> ast.expr:
    """Return the residual expression of a subscript, with slices spelled ``a:b``."""
    match value:
        case SliceValue():
            return _slice_expression(
                [render(run, state, part) for part in (value.start, value.stop, value.step)]
            )
        case Known() if isinstance(value.value, slice):
            parts = (value.value.start, value.value.stop, value.value.step)
            return _slice_expression([_render_known(run, state, Known(part)) for part in parts])
        case TupleValue():
            items = [render_index(run, state, item) for item in value.items]
            return ast.Tuple(elts=items, ctx=ast.Load())
        case Known() if type(value.value) is tuple:
            items = [render_index(run, state, Known(item)) for item in value.value]
            return ast.Tuple(elts=items, ctx=ast.Load())
        case _:
            return render(run, state, value)


def _slice_expression(parts: list[ast.expr]) -> ast.Slice:
    lower, upper, step = (
        None if isinstance(part, ast.Constant) and part.value is None else part for part in parts
    )
    return ast.Slice(lower=lower, upper=upper, step=step)


def materialize(
    state: State, value: Value, run: Run | None = None, within: tuple[int, ...] = ()
) -> object:
    """Return the object for a value, with fake tensors for run-time ones.

    Raises NotMaterial for run-time numbers and host objects, which have none; given ``run``,
    integers are symbols. ``within`` are the objects that hold the value.
    """
    match value:
        case Known():
            return value.value
        case TensorValue():
            return state.current(value).fake
        case TupleValue():
            items = [materialize(state, item, run, within) for item in value.items]
            return _made_tuple(value.kind, items)
        case SliceValue():
            parts = (value.start, value.stop, value.step)
            return slice(*(materialize(state, part, run, within) for part in parts))
        case Reference():
            return _materialize_cell(state, value, run, within)
        case Poison():
            raise UsedPoison
        case ScalarValue() | HostValue():
            return _materialize_number(value, run)
        case ViewValue():
            whole = materialize(state, Reference(value.identity), run, within)
            return getattr(whole, value.part)()
        case FunctionValue() | MethodValue() | SuperValue() | IteratorValue() | RunTimeRange():
            raise NotMaterial("a function or iterator made by the program", value)


def _made_tuple(kind: Any, items: list[object]) -> object:
    if kind in (tuple, torch.Size):
        return tuple(items)
    return kind(items) if hasattr(kind, "n_sequence_fields") else kind(*items)


def _materialize_number(value: ScalarValue | HostValue, run: Run | None) -> object:
    if isinstance(value, ScalarValue) and run is not None and value.type is int:
        return run.symbol_of(value.name) if value.size is None else value.size
    what = "a number" if isinstance(value, ScalarValue) else "an object"
    raise NotMaterial(f"{what} known only at run time", value)


def _materialize_cell(
    state: State, value: Reference, run: Run | None, within: tuple[int, ...]
) -> object:
    if value.identity in within:
        raise NotMaterial("an object that contains itself", value)
    within = (*within, value.identity)
    match state.heap[value.identity]:
        case ListCell() as cell if cell.kind is list:
            return [materialize(state, item, run, within) for item in cell.items]
        case DictCell() as cell if cell.kind in (dict, OrderedDict):
            items = {key: materialize(state, item, run, within) for key, item in cell.items.items()}
            return items if cell.kind is dict else OrderedDict(items)
        case RunTimeCell() as cell:
            raise NotMaterial(f"a {cell.kind.__name__} known only at run time", value)
        case SetCell() as cell:
            return cell.history.replayed()
        case ListCell() | DictCell() | ObjectCell() as cell:
            raise NotMaterial(f"an object of class {cell.kind.__name__}", value)
        case IteratorCell():
            raise NotMaterial("an iterator", value)


def known_object(state: State, value: Value) -> Known | None:
    """Return the whole value as one compile-time object, None if a part is run-time.

    Heap objects are copied: the result must only be read. Python may ask it what it is.
    """
    known = whole_object(state, value)
    if known is not None and type(known.value) not in _NUMBERS_AND_TEXTS:
        state.asking(state, known.value, known is value)
    return known


def whole_object(state: State, value: Value) -> Known | None:
    """Return the same, of which Python is not asked what only the object knows."""
    if isinstance(value, Known):
        return value
    if isinstance(value, TensorValue):
        return None
    try:
        content = materialize(state, value)
    except NotMaterial:
        return None
    return None if any_fake(content) else Known(content)


_NUMBERS_AND_TEXTS = frozenset({type(None), bool, int, float, complex, str, bytes, type, slice})


def any_fake(content: object) -> bool:
    """Return whether a nest of containers holds a fake tensor."""
    return any(isinstance(leaf, FakeTensor) for leaf in tree_leaves(content))


def tensor_of(value: Value) -> torch.Tensor | None:
    """Return the tensor that a value is, the fake one where it is known only at run time."""
    if isinstance(value, TensorValue):
        return value.fake
    return (
        value.value if isinstance(value, Known) and isinstance(value.value, torch.Tensor) else None
    )


def any_tensor(content: object) -> bool:
    """Return whether a nest of containers holds a tensor."""
    return any(isinstance(leaf, torch.Tensor) for leaf in tree_leaves(content))
