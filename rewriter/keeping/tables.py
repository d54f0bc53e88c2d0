"""Tables of modules that a first call fills: memories, registries of what was made on demand.

What a module of Python holds is read as it is when compiled. A program that puts something into
it there, known before the call and on no run-time condition, does so in its first call: it is
evaluated again as it runs after one, with what the first has put there. Where that does not
settle it, the call is undone, and what the program changes there is kept from call to call
(``shared_reach``).
"""

import contextlib
import copy
import io
import types
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils._pytree import tree_flatten

from rewriter.flattening import Flattening, Roots
from rewriter.keeping.bindings import Bindings
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.keeping.reach import held_objects
from rewriter.keeping.shared_reach import shared_objects
from rewriter.origin import Origin
from rewriter.plain_objects import own_attributes
from rewriter.state import State
from rewriter.values import HostValue, ScalarValue, TensorValue, Value

_Given = tuple[tuple[object, ...], tuple[object, ...] | Mapping[str, object]]
_PLAIN = (bool, int, float, str)


def note_filled(plan: Plan, state: State, stored: tuple[Value, ...], origin: Origin) -> None:
    """Record that a container outside of the model gets something, about to be refused.

    Evaluation starts anew, unless it is known already what comes of a first call.
    """
    if state.facts or state.size_facts or plan.shared_names or not plan.tries_calls:
        return
    leaves = Flattening(state, Roots(frames=(), extra=stored)).run().leaves
    if not any(isinstance(leaf, TensorValue | ScalarValue | HostValue) for leaf in leaves):
        plan.filled = origin
        raise StartAnew


@dataclass(slots=True)
class Trial:
    """A first call of the program, which may fill tables; it can be undone."""

    function: types.FunctionType
    receiver: object
    example_inputs: tuple[object, ...] | Mapping[str, object] | None
    """None where these are not all of the arguments: then no call is tried."""
    _before: list[tuple[object, object]] = field(default_factory=list)
    """What the call may change, and what that held."""

    def fills(self) -> bool:
        """Call copies of the model on copies of its example: may tables be taken as filled?

        That is so where the first call, which fills them, gives what a second one gives, and
        neither binds a variable outside of it. Nothing is printed, and the generator of random
        numbers is left as it was.
        """
        if self.example_inputs is None:
            return False
        given = () if self.receiver is None else (self.receiver,), self.example_inputs
        reached = shared_objects(self.function, self.receiver)
        self._before = [(each, _content(each)) for _, each in reached.values()]
        held = [self.function, *(each for _, each in reached.values())]
        bindings = Bindings.taken(f for f in held if isinstance(f, types.FunctionType))
        try:
            first, second = (
                _called(self.function, *_copied(self.receiver, given)) for _ in range(2)
            )
        except Exception:
            bindings.restored()
            return False
        if bindings.restored():
            return False
        (leaves, shape), (others, other_shape) = tree_flatten(first), tree_flatten(second)
        return shape == other_shape and all(map(_is_same, leaves, others))

    def undo(self) -> None:
        """Give everything outside of the model what it held before the call."""
        for each, before in self._before:
            _give(each, before)
        self._before = []


_CONTAINERS = (list, deque, dict, OrderedDict, defaultdict, Counter, set)
_OF_MODULES = ("_parameters", "_buffers", "_modules")


def _content(holder: object) -> object:
    """Return a copy of what an object outside of the model holds, its parts as they are."""
    if isinstance(holder, torch.Tensor):
        return holder.detach().clone()
    if type(holder) in _CONTAINERS:
        return copy.copy(holder)
    own = dict(own_attributes(holder))
    if isinstance(holder, torch.nn.Module):
        own |= {name: copy.copy(own[name]) for name in _OF_MODULES}
    return own


def _give(holder: Any, before: Any) -> None:
    """Let an object hold what it held."""
    if isinstance(holder, torch.Tensor):
        if not torch.equal(holder, before):
            holder.detach().copy_(before)
    elif type(holder) in _CONTAINERS:
        holder.clear()
        add = holder.extend if isinstance(holder, list | deque) else holder.update
        add(before)
    else:
        now = dict(own_attributes(holder))
        for name in now.keys() - before.keys():
            object.__delattr__(holder, name)
        for name, content in before.items():
            if name not in now or now[name] is not content:  # others may not take any
                object.__setattr__(holder, name, content)


def _copied(receiver: object, given: _Given) -> _Given:
    """Return a deep copy in which functions, too, have copies of what they hold."""
    held = [each for _, each in held_objects(receiver).values()]
    functions = [each for each in held if isinstance(each, types.FunctionType)]
    cells = {id(cell): cell for each in functions for cell in each.__closure__ or ()}
    own = {identity: types.CellType() for identity in cells}
    copies = {id(each): _around(each, own) for each in functions}
    memo: dict[int, object] = {**copies}
    for identity, cell in cells.items():
        with contextlib.suppress(ValueError):  # not assigned yet
            own[identity].cell_contents = copy.deepcopy(cell.cell_contents, memo)
    for each in functions:
        made = copies[id(each)]
        made.__defaults__ = copy.deepcopy(each.__defaults__, memo)
        made.__kwdefaults__ = copy.deepcopy(each.__kwdefaults__, memo)
        vars(made).update(copy.deepcopy(vars(each), memo))
    return copy.deepcopy(given, memo)


def _around(
    function: types.FunctionType, cells: Mapping[int, types.CellType]
) -> types.FunctionType:
    """Return a function of the same code that is defined in other variables."""
    closure = tuple(cells[id(cell)] for cell in function.__closure__ or ())
    code, name = function.__code__, function.__name__
    return types.FunctionType(code, function.__globals__, name, closure=closure)


def _called(
    function: types.FunctionType,
    own: tuple[object, ...],
    inputs: tuple[object, ...] | Mapping[str, object],
) -> object:
    silent = contextlib.redirect_stdout(io.StringIO())
    with torch.no_grad(), torch.random.fork_rng(devices=()), silent:
        if isinstance(inputs, Mapping):
            return function(*own, **inputs)
        return function(*own, *inputs)


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
    return type(one) is type(other) and (not isinstance(one, _PLAIN) or one == other or one != one)
