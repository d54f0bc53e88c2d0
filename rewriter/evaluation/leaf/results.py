"""What an operation gave on fake tensors, as values: new variables, constants, what came in."""

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves

from rewriter.builder import tensor_spec
from rewriter.evaluation.leaf.held_tensors import holds_fakes, holds_sizes
from rewriter.evaluation.leaf.operation import Fakes, Operation
from rewriter.evaluation.observation import Observer
from rewriter.evaluation.operands import RealTensors, known_tensors, tensors_of
from rewriter.evaluation.rendering import any_fake
from rewriter.evaluation.tensors.equal_masks import note_mask
from rewriter.evaluation.tensors.gradients import asks_for_gradients, note_gradients, note_view
from rewriter.evaluation.tensors.size_grid import symbols_among
from rewriter.evaluation.tensors.size_on_host import NotOnHost, number_from_size
from rewriter.program import Pattern
from rewriter.size_expressions import is_fixed
from rewriter.storages import same_view, storage_key
from rewriter.values import Known, ListCell, TensorValue, TupleValue, Value

PARAMETERS: tuple[object, ...] = (nn.Parameter, nn.Buffer)
"""What makes a tensor one of another class. It computes as before."""

_LARGEST_CONSTANT = 1 << 20
"""Elements up to which results that depend on no input are computed at compile time."""


def constant_result(operation: Operation, fakes: Fakes, result: object, seen: Observer) -> object:
    """Return the real result where it depends on no input, else None."""
    if operation.module or seen.written or seen.random or not any_fake(result):
        return None
    if symbols_among(fakes.arguments, fakes.keywords):
        return None
    operands = operation.tensors()
    if any(operand.constant is None for operand in operands):
        return None
    if _elements(result) > _LARGEST_CONSTANT:
        return None
    real = {id(operand.fake): operand.constant for operand in operands}
    swap = RealTensors(real)
    with torch.no_grad():
        found = operation.compute(
            *(swap(argument) for argument in fakes.arguments),
            **{name: swap(argument) for name, argument in fakes.keywords.items()},
        )
    return found if _elements(found) <= _LARGEST_CONSTANT else None


def _elements(result: object) -> int:
    """Return how many elements tensors have, without those whose size content decides."""
    tensors = [x for x in tree_leaves(result) if isinstance(x, torch.Tensor)]
    return sum(x.numel() for x in tensors if is_fixed(x))


def wrapped(
    operation: Operation, result: object, real: object, *, several: bool = False
) -> tuple[Pattern, Value]:
    """Return a result as a value, and the variables that the program puts it into.

    ``real`` is what it comes to where it is known at compile time; ``several`` says whether it is
    part of what the operation gave.
    """
    if isinstance(result, torch.Tensor):
        real = real if isinstance(real, torch.Tensor) else None
        return _wrap_tensor(operation, result, real, several=several)
    if type(result) is list or (isinstance(result, tuple) and not _is_size(result)):
        known = real if isinstance(real, (list, tuple)) else [None] * len(result)
        parts = [
            wrapped(operation, item, known[index], several=True)
            for index, item in enumerate(result)
        ]
        values = tuple(value for _, value in parts)
        patterns = tuple(pattern for pattern, _ in parts)
        pattern: Pattern = None if all(p is None for p in patterns) else patterns
        if isinstance(result, tuple):
            return pattern, TupleValue(values, type(result))
        return pattern, operation.run.allocate(operation.state, ListCell(values))
    if isinstance(result, dict) and any_fake(result):
        operation.refuse("DYCL036", "a library call returns a dict of tensors")
    if isinstance(result, torch.SymInt):
        return None, _number(operation, result)
    if isinstance(result, torch.SymBool | torch.SymFloat):
        operation.refuse("DYCL075", "a truth or float that depends on sizes is not supported")
    if isinstance(result, torch.Size) and not all(isinstance(size, int) for size in result):
        sizes = (Known(s) if isinstance(s, int) else _number(operation, s) for s in result)
        return None, TupleValue(tuple(sizes), torch.Size)
    if holds_fakes(result):
        operation.refuse(
            "DYCL050",
            f"an object that holds tensors ({type(result).__name__}) is made in the call",
            "create modules in __init__, or call the functions of torch.nn.functional; "
            "of distributions, write the formula",
        )
    if holds_sizes(result):
        operation.refuse(
            "DYCL050",
            f"an object is made in the call ({type(result).__name__}) that holds a number known "
            "only at run time",
            "create one for each number in __init__, or call the functions of torch.nn.functional",
        )
    return None, Known(result)


def _number(operation: Operation, size: torch.SymInt) -> Value:
    tensors = operation.tensors()
    current = [operation.state.current(tensor) for tensor in tensors]
    try:
        return number_from_size(operation.frame, operation.node, operation.state, size, current)
    except NotOnHost as error:
        operation.refuse("DYCL075", f"the host does not have the size {error}")


def _wrap_tensor(
    operation: Operation, result: torch.Tensor, real: torch.Tensor | None, *, several: bool
) -> tuple[Pattern, Value]:
    for operand in operation.tensors():
        if same_view(operand.fake, result) and not _is_told_apart(operation, operand, result):
            same = operation.state.current(operand)
            if operation.compute in PARAMETERS:
                _note_parameter(operation, same)
            if result is not operand.fake:
                operation.run.storages.aliased.add(same.name)
            return None, same
    for known in operation.known():
        if known.value is result:
            return None, known
    if not isinstance(result, FakeTensor):
        return None, Known(result)
    if real is not None and not is_fixed(result):
        with operation.run.mode:
            result = torch.empty(tuple(real.shape), dtype=real.dtype)
    name = operation.run.builder.variable(_hint(operation), tensor_spec(result))
    made = TensorValue(name, result, real)
    _note_graph(operation, made, several=several)
    return name, note_mask(operation, made)


def _note_graph(operation: Operation, made: TensorValue, *, several: bool) -> None:
    """Note what gradients need to know of a new tensor."""
    run = operation.run
    if run.plan.differentiates:
        run.storages.keep(made.fake)
    if gives_gradless(operation) and not _shows_recorded(operation, made):
        run.gradless.add(made.name)
    if asks_for_gradients(operation.keywords.get("requires_grad", Known(False))):
        run.storages.asking.add(made.name)
    if operation.description not in _DETACHED:
        note_view(run, made, operation.tensors(), several=several)


def _shows_recorded(operation: Operation, made: TensorValue) -> bool:
    """Return whether a tensor is a view of one that may require gradients: it does as well."""
    run, own = operation.run, storage_key(made.fake)
    return operation.description not in _DETACHED and any(
        each.name not in run.gradless and storage_key(each.fake) == own
        for each in operation.tensors()
    )


def _is_told_apart(operation: Operation, operand: TensorValue, result: torch.Tensor) -> bool:
    """Return whether a tensor object of its own, over memory that others have, must be told."""
    if operation.run.plan.differentiates and operation.compute not in PARAMETERS:
        return result is not operand.fake
    return operation.run.storages.told_apart and operation.description in _MADE_OVER


_DETACHED = ("Tensor.data", "Tensor.detach")
_MADE_OVER = ("Tensor.data", "Tensor.detach", "Tensor.view", "indexing")
"""What always makes a tensor object, over the same elements."""


def _note_parameter(operation: Operation, tensor: TensorValue) -> None:
    """Note that a tensor, which goes on as it was, is of another class from here on."""
    if operation.run.plan.differentiates:
        operation.refuse("DYCL045", "a parameter is made in a call that computes gradients")
    if operation.run.unbound_reads:
        operation.refuse("DYCL042", "a tensor that may be a parameter from a loop's pass on")
    note_gradients(operation.frame, tensor)
    operation.run.storages.asking.add(tensor.name)
    operation.run.makes_parameters = True


def _hint(operation: Operation) -> str:
    """Return a word for a result without a name of the user's: what made it."""
    word = operation.description.rpartition(".")[2].lower()
    return f"_{word}" if word.isidentifier() else "_tensor"


def gives_gradless(operation: Operation) -> bool:
    """Return whether what an operation gives, or writes, requires gradients no more than it did."""
    if asks_for_gradients(operation.keywords.get("requires_grad", Known(False))):
        return False
    if operation.run.grad_modes and not operation.run.grad_modes[-1]:
        return True
    operands = (*operation.operands, *operation.keywords.values())
    tensors = tensors_of(operation.state, operands)
    known = [k.value for k in known_tensors(operation.state, operands)]
    return (
        not operation.module
        and all(tensor.name in operation.run.gradless for tensor in tensors)
        and not any(isinstance(x, torch.Tensor) and x.requires_grad for x in known)
    )


def _is_size(result: object) -> bool:
    return isinstance(result, torch.Size)
