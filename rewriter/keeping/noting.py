"""What the evaluation finds out about what is kept: reads, writes, objects that are changed."""

import ast
from collections import OrderedDict, defaultdict, deque
from collections.abc import Iterable

import torch

from rewriter.evaluation.run import Run
from rewriter.keeping.collecting import carry
from rewriter.keeping.plan import StartAnew
from rewriter.keeping.roots import own_or_unset
from rewriter.keeping.shapes import Unset
from rewriter.origin import Origin
from rewriter.program import STATE
from rewriter.state import State
from rewriter.storages import storage_key
from rewriter.values import Known, TupleValue, Value


def note_read(run: Run, owner: object, name: str, origin: Origin) -> None:
    """Record that the value which an attribute had before the call is read."""
    key = (id(owner), name)
    run.initial_reads.setdefault(key, origin)
    if key in run.written:
        carry(run.plan, owner, name)


def note_buffers(run: Run, module: torch.nn.Module, origin: Origin) -> None:
    """Record that all buffers of a module and of those in it are read."""
    for part in module.modules():
        for name in part._buffers:
            note_read(run, part, name, origin)


def note_write(run: Run, owner: object, name: str, origin: Origin) -> None:
    """Record that an attribute of an object that outlives the call is written."""
    key = (id(owner), name)
    run.effects += 1
    run.written[key] = (owner, origin)
    if key in run.initial_reads or _is_asked(run, owner):
        run.initial_reads.setdefault(key, origin)
        carry(run.plan, owner, name)


def _is_asked(run: Run, owner: object) -> bool:
    """Return whether Python may have called methods that saw an object, or its holder's."""
    return any(owner is each for held in run.asked.values() for each in held)


def note_reader(run: Run, owner: object, name: str) -> None:
    """Record that torch's code may read an attribute that is written, also before this write."""
    if (id(owner), name) not in run.plan.layers_read:
        run.plan.layers_read.add((id(owner), name))
        raise StartAnew


def keep_missing(run: Run, owner: object, name: str) -> None:
    """Let an attribute be kept that the first calls do not have, and some paths write.

    So are all others that the object has not, as they mostly come together: evaluation starts
    anew once.
    """
    if (id(owner), name) in run.plan.roots or run.plan.name_of(owner, name) is None:
        return
    for (_, attribute), (other, _) in run.written.items():
        if other is owner and isinstance(own_or_unset(owner, attribute), Unset):
            run.plan.carry_attribute(owner, attribute)
    raise StartAnew


def keep_object(run: Run, content: object) -> None:
    """Let a container or tensor of the model, which is changed, be kept from call to call."""
    if run.plan.carry_object(content):
        raise StartAnew


def keep_tensor(run: Run, written: torch.Tensor) -> None:
    """Let the tensor of the model whose memory is written be kept from call to call."""
    key = storage_key(written)
    run.plan.changes_others = True
    for _, content in tuple(run.plan.held.values()):
        if isinstance(content, torch.Tensor) and not content.is_quantized and key in (
            storage_key(content), storage_key(run.mode.from_tensor(content)),
        ):  # fmt: skip
            keep_object(run, content)
    given = {storage_key(value.fake) for value in run.arguments.values()}
    run.plan.changes_others |= key not in given


def lend_argument(run: Run, written: torch.Tensor) -> bool:
    """Return whether a tensor is an argument, and surely no other, that may be written."""
    for place, value in run.arguments.items():
        if storage_key(value.fake) != storage_key(written):
            continue
        if not run.storages.is_alone_with_parts(written):
            return False
        if place not in run.plan.lent:
            run.plan.lent.add(place)
            raise StartAnew
        return True
    return False


def resident(run: Run, state: State, value: Value) -> Value:
    """Return a value; for a container or tensor that is kept, what it is at this point."""
    if not run.residents or not isinstance(value, Known):
        return value
    key = run.residents.get(id(value.value))
    if key is not None:
        run.effects += 1
        return state.attributes[key]
    if isinstance(value.value, tuple) and _holds_resident(run, value.value):
        items = (resident(run, state, Known(each)) for each in value.value)
        return TupleValue(tuple(items), type(value.value))
    if type(value.value) in _CONTAINERS and _holds_resident(run, value.value):
        keep_object(run, value.value)
    return value


_CONTAINERS = (list, dict, deque, OrderedDict, defaultdict)


def _holds_resident(run: Run, content: Iterable[object]) -> bool:
    """Return whether a container has one in it; asked of each container that is read."""
    for each in content.values() if isinstance(content, dict) else content:
        if id(each) in run.residents:
            return True
        if isinstance(each, _WALKED) and _holds_resident(run, each):
            return True
    return False


_WALKED = (list, tuple, deque, dict)


def state_table(run: Run) -> ast.expr:
    """Return the expression of the state on the host."""
    return run.builder.reference(run.kept, STATE)
