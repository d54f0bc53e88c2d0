"""Results that a call puts into tensors given as ``out=``, which may take a new size there."""

import ast
from dataclasses import replace

import libcst as cst
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.leaf.half_done import refuse_half_done
from rewriter.evaluation.leaf.operation import Operation, materialized
from rewriter.evaluation.leaf.sparse_operands import has_sparse
from rewriter.evaluation.leaf.trying import result_on_fakes
from rewriter.evaluation.leaf.writes import live_leaves
from rewriter.evaluation.observation import Observer
from rewriter.evaluation.operands import tensors_of
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.evaluation.tensors.holders import become
from rewriter.evaluation.tensors.size_grid import symbols_among
from rewriter.size_expressions import keys_of
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, ListCell, MethodValue, Reference, TensorValue, TupleValue, Value

_HELP = "assign the result: y = op(...)"
# Functions that make tensors of no other, in the type of the tensor given.
_FACTORIES = frozenset(
    {
        torch.arange,
        torch.empty,
        torch.eye,
        torch.full,
        torch.linspace,
        torch.logspace,
        torch.ones,
        torch.rand,
        torch.randint,
        torch.randn,
        torch.randperm,
        torch.range,
        torch.zeros,
    }
)


def resized_results(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: list[Value],
    keywords: dict[str, Value],
) -> Outcomes | None:
    """Return the outcomes of a call whose ``out=`` takes, or may take, another size; else None.

    PyTorch gives the tensor object the size of the result, for all who hold it. So
    ``op(x, out=y)`` is ``y = op(x)`` for all names of ``y`` where nothing else shares its
    memory, and ``y.copy_(op(x))`` where the sizes are the same after all.
    """
    given = _tensors_of(state, keywords["out"]) if "out" in keywords else None
    if not given:
        return None
    call = ast.Name(id=getattr(function.value, "__name__", "torch"))
    operation = Operation(frame, node, state, function.value, tuple(positional), keywords, call)
    return None if has_sparse(operation) or _keeps_sizes(operation) else _replaced(operation, given)


def _tensors_of(state: State, value: Value) -> tuple[TensorValue, ...] | None:
    """Return the run-time tensors given as ``out``, None where there are others."""
    items: tuple[Value, ...] = (value,)
    if isinstance(value, TupleValue):
        items = value.items
    elif isinstance(value, Reference) and isinstance(cell := state.heap[value.identity], ListCell):
        items = cell.items
    tensors = tuple(state.current(item) for item in items if isinstance(item, TensorValue))
    return tensors if len(tensors) == len(items) else None


def _keeps_sizes(operation: Operation) -> bool:
    """Return whether the results surely have the sizes given, or raise. Tried on other tensors."""
    try:
        fakes = materialized(operation)
    except Refused:  # run-time numbers, which other rules than the leaf's take
        return False
    if symbols_among(fakes.arguments, fakes.keywords):
        return False
    given, fresh = fakes.keywords["out"], operation.run.storages.fresh_like
    copies = tree_map(lambda x: fresh(x) if isinstance(x, FakeTensor) else x, given)
    on_copies = replace(fakes, keywords={**fakes.keywords, "out": copies})
    try:
        result_on_fakes(operation, on_copies, Observer({}))
    except Refused:
        return False
    except Exception:  # the evaluation meets it again, and tells whose it is
        return True
    return [x.shape for x in tree_leaves(given)] == [x.shape for x in tree_leaves(copies)]


def _replaced(operation: Operation, given: tuple[TensorValue, ...]) -> Outcomes:
    frame, node = operation.frame, operation.node
    storages = operation.run.storages
    if any(
        storages.may_coincide(x.fake, y.fake)
        for x in given
        for y in tensors_of(operation.state, operation.operands)
    ):
        operation.refuse("DYCL042", "a tensor given as out= is an operand, too", _HELP)
    if operation.run.guarded_tensors:  # they have another size, and are partly written, by then
        refuse_half_done(operation, [x.fake for x in given])
    rest = {name: value for name, value in operation.keywords.items() if name != "out"}
    if operation.compute in _FACTORIES:
        rest.setdefault("dtype", Known(given[0].fake.dtype))
    function, positional = Known(operation.compute), list(operation.operands)
    for after, value in call_value(frame, node, operation.state, function, positional, rest):
        made = _tensors_of(after, value)
        if made is None or [x.fake.dtype for x in made] != [x.fake.dtype for x in given]:
            operation.refuse("DYCL042", "the tensors given as out= are of another type", _HELP)
        if _are_private(operation, after, given) and _are_new(operation, made):
            for old, new in zip(given, made, strict=True):
                become(frame.run, after, old, new)
            yield after, value
            continue
        if any(
            keys_of(old.fake.shape) != keys_of(new.fake.shape)
            for old, new in zip(given, made, strict=True)
        ):
            operation.refuse(
                "DYCL042",
                "a tensor given as out= takes another size here, and others may hold its memory",
                _HELP,
            )
        yield from _copied(operation, after, value, given, made)


def _are_private(operation: Operation, state: State, given: tuple[TensorValue, ...]) -> bool:
    """Return whether nothing but the names of the tensor objects given holds their memory."""
    storages, names = operation.run.storages, {tensor.name for tensor in given}
    if len(names) < len(given) or names & (
        storages.aliased | storages.callers | storages.contained
    ):
        return False
    if any(storages.may_last(x.fake) or storages.may_be_exported(x.fake) for x in given):
        return False
    others = [
        leaf
        for leaf in live_leaves(replace(operation, state=state))
        if isinstance(leaf, TensorValue) and state.current(leaf).name not in names
    ]
    return not any(
        storages.may_coincide(tensor.fake, other.fake) for tensor in given for other in others
    )


def _are_new(operation: Operation, made: tuple[TensorValue, ...]) -> bool:
    """Return whether results are no memory of the operands' (``conj_physical`` of a real one)."""
    operands = {storage_key(x.fake) for x in operation.tensors()}
    return not any(storage_key(x.fake) in operands for x in made)


def _copied(
    operation: Operation,
    state: State,
    value: Value,
    given: tuple[TensorValue, ...],
    made: tuple[TensorValue, ...],
) -> Outcomes:
    """Copy results into the tensors given, which have their sizes."""
    states = [state]
    for old, new in zip(given, made, strict=True):
        copy = MethodValue(old, "copy_")
        states = [
            after
            for before in states
            for after, _ in call_value(operation.frame, operation.node, before, copy, [new], {})
        ]
    result = TupleValue(given, value.kind) if isinstance(value, TupleValue) else given[0]
    for after in states:
        yield after, result
