"""Operations that write in place: new variables for what changes, refusals of what may not."""

import ast
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import NoReturn

import sympy
import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.array_samples import is_array
from rewriter.builder import tensor_spec
from rewriter.chosen_places import ChosenPart
from rewriter.evaluation.calls.written_arguments import is_handed_over
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.leaf.results import gives_gradless
from rewriter.evaluation.leaf.retaking import retakes_of
from rewriter.evaluation.observation import Observer
from rewriter.evaluation.run_time.refilling import note_written, refuse_stale, write_back
from rewriter.evaluation.tensors.disjoint_columns import are_disjoint
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.noting import keep_tensor, lend_argument
from rewriter.on_the_way import leaves_on_the_way
from rewriter.size_expressions import expression_of, keys_of
from rewriter.storages import same_view, storage_key
from rewriter.values import HostValue, TensorValue, Value

Updates = tuple[tuple[str, str], ...]
Retakes = tuple[tuple[str, ast.expr], ...]


def updates_of(
    operation: Operation,
    observer: Observer,
    leaves: Sequence[Value],
    part: ChosenPart | None,
    again: AbstractSet[str],
) -> tuple[Updates, Retakes]:
    """Give every live tensor whose content was written a new variable.

    ``part``: what is put back into the tensor after this. ``again``: variables for parts of it
    that are taken again then.
    """
    written = observer.written
    may_last = operation.run.storages.may_last
    created_here = [x for x in written if not may_last(x)]
    storages = {storage_key(tensor) for tensor in written}
    homes = operation.state.homes
    wholes = [operation.state.current(homes[key].whole) for key in storages if key in homes]
    live = [*(leaf for leaf in leaves if isinstance(leaf, TensorValue)), *wholes]
    # What is on its way may still have the fake tensor that a result had before its size was known.
    touched = {leaf.name: leaf for leaf in live if storage_key(leaf.fake) in storages}
    if not touched and len(created_here) == len(written):
        return (), ()  # only tensors that the library made and keeps to itself
    for tensor in written:
        if part is None and may_last(tensor) and not _is_written_back(operation, tensor):
            refuse_lasting(operation, tensor)
        if any(map(_is_array, leaves)) and operation.run.storages.may_be_exported(tensor):
            operation.refuse(
                "DYCL035",
                "this writes into the memory of a numpy array that is used later",
                "take a copy of the array first: .numpy().copy()",
            )
        left = live if part is None else _without(live, part.source)
        left = [leaf for leaf in left if leaf.name not in again]
        _refuse_ambiguous(operation, tensor, left, by_element=observer.by_element)
    operation.run.storages.writes += 1
    updates = []
    for leaf in touched.values():
        new = _renamed(operation, leaf)
        operation.state.rename(leaf, new)
        updates.append((new.name, leaf.name))
    return tuple(updates), retakes_of([*touched.values()]) if len(storages) == 1 else ()


def _without(live: Sequence[TensorValue], source: torch.Tensor) -> list[TensorValue]:
    return [leaf for leaf in live if storage_key(leaf.fake) != storage_key(source)]


def refuse_lasting(operation: Operation, tensor: torch.Tensor) -> NoReturn:
    """Keep a tensor of the model that is written from call to call, or refuse the write."""
    if not operation.module:
        keep_tensor(operation.run, tensor)
    shared = operation.run.held.shared.get(storage_key(tensor))
    operation.run.plan.written_shared |= set() if shared is None else {shared}
    note_written(operation.run, operation.state, tensor)
    operation.refuse(
        "DYCL034",
        "an input, parameter, buffer or other tensor that outlives the call "
        "is (or may be) changed in place",
        "work on a clone()",
    )


def _is_written_back(operation: Operation, tensor: torch.Tensor) -> bool:
    """Return whether whoever else holds a tensor gets what is written into it."""
    home = operation.state.homes.get(storage_key(tensor))
    if home is not None:
        return not home.lent
    return is_handed_over(operation.run, tensor) or lend_argument(operation.run, tensor)


def write_back_into_homes(operation: Operation, written: list[torch.Tensor]) -> None:
    """Let containers of the host hold what was written into their tensors."""
    origin = operation.frame.origin(operation.node)
    if write_back(operation.run, operation.state, origin, written) is not None:
        refuse_stale(operation.frame, operation.node)


def live_leaves(operation: Operation) -> list[Value]:
    """Return what variables, containers, operands and half-evaluated expressions hold."""
    own = (*operation.operands, *operation.keywords.values())
    return [*_held_leaves(operation, own), *_on_the_way(operation)]


def _on_the_way(operation: Operation) -> Iterator[TensorValue | HostValue]:
    return leaves_on_the_way(operation.state, operation.run.live_frames())


def _held_leaves(operation: Operation, extra: tuple[Value, ...] = ()) -> list[Value]:
    roots = Roots(
        frames=operation.run.live_frames(),
        attributes=tuple(operation.state.attributes),
        extra=extra,
    )
    return Flattening(operation.state, roots).run().leaves


def _renamed(operation: Operation, leaf: TensorValue) -> TensorValue:
    hint = operation.run.builder.variables[leaf.name].hint
    name = operation.run.builder.variable(hint, tensor_spec(leaf.fake))
    operation.run.storages.inherit(name, leaf.name)
    if leaf.name in operation.run.gradless and gives_gradless(operation):
        operation.run.gradless.add(name)
    return TensorValue(name, leaf.fake)


def _refuse_ambiguous(
    operation: Operation, written: torch.Tensor, live: list[TensorValue], *, by_element: bool
) -> None:
    storages = operation.run.storages
    if storages.is_alone(written):
        return
    for leaf in live:
        key = storage_key(leaf.fake)
        if key not in (storage_key(written), *storages.in_step) and (
            storages.may_coincide(leaf.fake, written)
        ):
            if by_element and _is_only_read_here(operation, leaf, written):
                continue
            operation.refuse(
                "DYCL035",
                "this writes into a tensor that is the same memory as another live "
                "tensor on some paths only",
                "use the out-of-place operation, or clone() one of them",
            )


def _is_only_read_here(operation: Operation, leaf: TensorValue, written: torch.Tensor) -> bool:
    """Return whether nobody sees a part of a tensor after this, which writes all of it or none."""
    part = operation.run.storages.chosen.get(storage_key(leaf.fake))
    if part is None or storage_key(part.source) != storage_key(written):
        return False
    # What made it holds it, and the expression that became the operand; names are read from
    # variables. What is the value of an expression, and no operand, is held for another reader.
    operands = (*operation.operands, *operation.keywords.values())
    read = any(isinstance(x, TensorValue) and x.name == leaf.name for x in operands)
    found = [x.name for x in _on_the_way(operation) if isinstance(x, TensorValue)]
    if found.count(leaf.name) > 1 + read or not part.is_apart_or_all_of(written):
        return False
    held = (x.name for x in _held_leaves(operation) if isinstance(x, TensorValue))
    return leaf.name not in held


def refuse_overlap(operation: Operation, fakes: Fakes, observer: Observer) -> None:
    """Refuse a write into memory that may be read, where sizes are known only at run time."""
    read = fakes.arguments if operation.stores_into is None else fakes.arguments[1:]
    operands = [x for x in tree_leaves((read, fakes.keywords)) if isinstance(x, FakeTensor)]
    for written in observer.written:
        sharing = [
            x
            for x in operands
            if storage_key(x) == storage_key(written) and not are_disjoint(x, written)
        ]
        spread = 0 in keys_of(written.stride())
        if spread or any(not _is_same_view(operation, x, written) for x in sharing):
            operation.refuse(
                "DYCL075",
                "this writes into memory that it may read, depending on sizes known only at "
                "run time",
                "clone() what is read",
            )


def _is_same_view(operation: Operation, left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether two views of one memory are the same, by what is known of sizes."""
    if same_view(left, right):
        return True
    kinds = {(x.dtype, x.dim(), x.is_conj(), x.is_neg()) for x in (left, right)}
    layouts = [(*x.shape, *x.stride(), x.storage_offset()) for x in (left, right)]
    return len(kinds) == 1 and all(
        operation.run.sizes.decide(sympy.Eq(expression_of(one), expression_of(other))) is True
        for one, other in zip(*layouts, strict=True)
    )


def _is_array(leaf: Value) -> bool:
    return isinstance(leaf, HostValue) and is_array(leaf.sample)
