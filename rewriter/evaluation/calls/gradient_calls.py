"""``torch.autograd.grad``, ``torch.func``: what PyTorch's engine would compute, as operations."""

import operator
import types
from collections.abc import Callable, Iterable
from typing import NoReturn

import libcst as cst
import torch
from torch import fx
from torch._functorch import apis

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.gradient_traces import Asked, traced
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.operands import tensors_of
from rewriter.evaluation.run import Frame, Outcomes, Run
from rewriter.gradient_lines import Broken, Line, Slice, line_to
from rewriter.keeping.plan import StartAnew
from rewriter.prelude import gradients
from rewriter.program_names import statement_targets
from rewriter.specs import TensorSpec
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, ListCell, Reference, TensorValue, TupleValue, Value

_ADVICE = "compute the output and its gradient in one straight line, under torch.enable_grad()"


def _evaluated_anew(function: Callable[..., object], shown: Callable[..., object]) -> None:
    """Have a function evaluated in Python, with all tensor objects told apart."""

    @special(function)
    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        if not frame.run.plan.differentiates:
            frame.run.plan.differentiates = True
            raise StartAnew
        return call_value(frame, node, state, Known(shown), positional, keywords)


_evaluated_anew(torch.autograd.grad, gradients.grad)
_evaluated_anew(torch.func.grad, gradients.of_function)
_evaluated_anew(torch.func.grad_and_value, gradients.of_function_and_value)
_evaluated_anew(torch.func.vjp, gradients.vjp)
_evaluated_anew(torch.func.jacrev, gradients.jacrev)


_DERIVED = {
    each: function
    for function in (apis.grad, apis.grad_and_value)
    for each in function.__code__.co_consts
    if isinstance(each, types.CodeType)
}
"""The code of what these return, where they were called before the model was."""


def derived_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of what ``torch.func.grad`` made when the model was built."""
    if not isinstance(content, types.FunctionType) or content.__code__ not in _DERIVED:
        return None
    names = zip(content.__code__.co_freevars, content.__closure__ or (), strict=True)
    cells = {name: cell.cell_contents for name, cell in names}
    made: list[Value] = [Known(cells[name]) for name in ("func", "argnums", "has_aux")]

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        again = Known(_DERIVED[content.__code__])
        for after, function in call_value(frame, node, state, again, made, {}):
            yield from call_value(frame, node, after, function, positional, keywords)

    return call


@special(gradients.refuse)
def refuse(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Refuse what the prelude says."""
    del state, keywords
    (what,) = positional
    assert isinstance(what, Known)
    frame.refuse("DYCL045", node, str(what.value))


@special(gradients.derivatives)
def derivatives(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Trace what lies between inputs and outputs; emit what its gradient is computed by."""
    del keywords
    outputs, inputs, weights, *settings = positional
    if not isinstance(outputs, TupleValue) or not isinstance(inputs, TupleValue):
        _refuse(frame, node, "gradients are asked of, or with regard to, what is no tensor")
    if not isinstance(weights, TupleValue):
        _refuse(frame, node, "a gradient is weighted by what is no tensor")
    told = [bool(each.value) for each in settings if isinstance(each, Known)]
    if len(told) < len(settings):
        _refuse(frame, node, "whether a graph is kept depends on the input")
    keep, create_graph, allow_unused = told
    try:
        asked = _asked(frame, state, outputs, inputs, weights, allow_unused=allow_unused)
        graph, held, read = traced(frame.run.builder, asked)
    except Broken as broken:
        _refuse(frame, node, f"a gradient goes through {broken}")
    if not asked.part.made().isdisjoint(state.freed):
        _refuse(frame, node, "a gradient goes through what an earlier one has freed")
    if not keep:
        state.freed |= asked.part.made()
    found: dict[str, Value] = {name: Known(value) for name, value in held.items()}
    tensors = tensors_of(state, (outputs, inputs, weights))
    at_hand = {tensor.name: tensor for tensor in tensors}
    given = [at_hand.get(name) or _of_variable(frame.run, name) for name in read]
    frame.run.grad_modes.append(create_graph and any(frame.run.grad_modes[-1:]))
    try:
        yield from _emitted(frame, node, state, graph, given, found)
    finally:
        frame.run.grad_modes.pop()


def _asked(
    frame: Frame, state: State, outputs: TupleValue, inputs: TupleValue, weights: TupleValue,
    *, allow_unused: bool,
) -> Asked:  # fmt: skip
    """Return what is asked, with the statements between inputs and outputs.

    Raises:
        Broken: where these are not all known.
    """
    line = line_to(frame.run.builder, state.block)
    if not line.records():
        raise Broken("what was not recorded: a call runs as under torch.no_grad()")
    names = [_name(state, value) for value in outputs.items]
    sources = [_name(state, value) for value in inputs.items]
    starts = [_start(state, line, name) for name in sources]
    part = line.since(min(starts, default=0), [*names, *sources])
    since = (
        not _groups(frame.run, [each]).isdisjoint(_groups(frame.run, met))
        for each, met in line.written_since(part)
    )
    if any(since) or not line.overwritten().isdisjoint(part.read):
        raise Broken("a tensor that was written in place since")
    mentioned = part.made().union(part.read)
    if not _groups(frame.run, mentioned).isdisjoint(frame.run.storages.exported()):
        raise Broken("a tensor whose memory an array has, which may have been written since")
    leaves = [line.now(leaf) for leaf in state.leaves]
    return Asked(
        part=part,
        outputs=tuple(names),
        inputs=tuple(sources),
        weights=tuple(None if _is_none(w) else _name(state, w) for w in weights.items),
        leaves=tuple(leaf for leaf in leaves if leaf is not None and leaf[1] in mentioned),
        written=_written_parts(frame.run, part),
        allow_unused=allow_unused,
    )


def _written_parts(run: Run, part: Slice) -> dict[int, list[str]]:
    """Return which chosen parts of a tensor are there when a statement of a slice writes it."""
    found, met = dict[int, list[str]](), dict.fromkeys(part.read)
    for index, statement in part.statements:
        written = _groups(run, [old for _, old in statement.updates])
        if written:
            found[index] = [n for n in met if _is_chosen(run, n) and _groups(run, [n]) <= written]
        met.update(dict.fromkeys(statement_targets(statement)))
    return found


def _is_chosen(run: Run, name: str) -> bool:
    spec = run.builder.variables[name].spec if name in run.builder.variables else None
    return isinstance(spec, TensorSpec) and spec.storage in run.storages.chosen


def _groups(run: Run, names: Iterable[str]) -> set[int | None]:
    """Return which memory variables may share, where they are tensors."""
    specs = [run.builder.variables[name].spec for name in names if name in run.builder.variables]
    return set(map(run.storages.group_of, specs)) - {None}


def _start(state: State, line: Line, name: str) -> int:
    """Return after how many statements of a line nothing older may depend on a tensor."""
    made = line.place_of(name)
    for leaf in state.leaves:
        place, content = line.now(leaf) or (0, None)
        if content == name and (made is not None or leaf.was_without):
            return place if made is None else made
    if made is None:
        raise Broken("what was computed before paths met, or a loop began")
    return 0


def _is_none(value: Value) -> bool:
    return isinstance(value, Known) and value.value is None


def _name(state: State, tensor: Value) -> str:
    if not isinstance(tensor, TensorValue):
        raise Broken("a tensor that is there before the call")
    return state.current(tensor).name


def _emitted(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    graph: fx.Graph,
    given: list[TensorValue],
    found: dict[str, Value],
) -> Outcomes:
    """Emit the operations of a graph; ``found`` are the tensors that it holds."""
    run, operands = frame.run, iter(given)
    for each in graph.nodes:
        match each.op:
            case "placeholder":
                found[each.name] = next(operands)
            case "get_attr":
                found[each.name] = found[str(each.target)]
            case "call_function":
                found[each.name] = _computed(frame, node, state, each, found)
            case _:
                pass
    (results,) = graph.output_node().args
    own = {storage_key(tensor.fake) for tensor in given}
    assert isinstance(results, tuple)
    made = [_value(run, state, each, found) for each in results]
    for place, each in enumerate(made):
        is_new = isinstance(each, TensorValue) and storage_key(each.fake) not in own
        if not (is_new or _is_none(each)):
            made[place] = _call(frame, node, state, Known(torch.clone, "torch.clone"), [each], {})
            _relate(run, made[place], each)
    yield state, TupleValue(tuple(made))


def _relate(run: Run, copy: Value, original: Value) -> None:
    """Note that PyTorch may give the very tensor that it was given, and no copy."""
    if isinstance(copy, TensorValue) and isinstance(original, TensorValue):
        run.storages.relate(copy.fake, original.fake)


def _of_variable(run: Run, name: str) -> TensorValue:
    spec = run.builder.variables[name].spec
    assert isinstance(spec, TensorSpec) and spec.strides is not None
    sizes = [size for size in spec.shape if isinstance(size, int)]
    with run.mode:
        return TensorValue(name, torch.empty_strided(sizes, spec.strides, dtype=spec.dtype))


def _computed(
    frame: Frame, node: cst.CSTNode, state: State, each: fx.Node, found: dict[str, Value]
) -> Value:
    """Emit one operation of a graph."""
    if each.target is torch.ops.aten.detach.default:  # what PyTorch kept for the derivatives
        (kept,) = each.args
        assert isinstance(kept, fx.Node)
        return found[kept.name]
    if each.target is operator.getitem:
        whole, place = each.args
        assert isinstance(whole, fx.Node) and isinstance(place, int)
        several = found[whole.name]
        if isinstance(several, Reference):
            return state.cell(several, ListCell).items[place]
        assert isinstance(several, TupleValue)
        return several.items[place]
    arguments = [_value(frame.run, state, argument, found) for argument in each.args]
    keywords = {
        name: _value(frame.run, state, argument, found) for name, argument in each.kwargs.items()
    }
    function = Known(each.target, f"torch.ops.{each.target}")
    return _call(frame, node, state, function, arguments, keywords)


def _value(run: Run, state: State, argument: object, found: dict[str, Value]) -> Value:
    match argument:
        case fx.Node():
            return found[argument.name]
        case list() | tuple() if any(isinstance(part, fx.Node) for part in argument):
            return run.allocate(
                state, ListCell(tuple(_value(run, state, part, found) for part in argument))
            )
        case list():
            return Known(list(argument))
        case _:
            return Known(argument)


def _call(
    frame: Frame, node: cst.CSTNode, state: State, function: Known, positional: list[Value],
    keywords: dict[str, Value],
) -> Value:  # fmt: skip
    outcomes = list(call_value(frame, node, state, function, positional, keywords))
    if len(outcomes) != 1 or outcomes[0][0] is not state:
        _refuse(frame, node, f"{function.path}, of a gradient, is no single operation")
    return outcomes[0][1]


def _refuse(frame: Frame, node: cst.CSTNode, what: str) -> NoReturn:
    frame.refuse("DYCL045", node, what, _ADVICE)
