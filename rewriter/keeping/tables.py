"""Tables of modules that a first call fills: memories, registries of what was made on demand.

What a module of Python holds is read as it is when compiled. A program that puts something into
it there, known before the call and on no run-time condition, does so in its first call: it is
evaluated again as it runs after one, with what the first has put there if all of that is what any
call puts there (``filling``). Where that does not settle it, the call is undone, and what the
program changes there is kept from call to call (``shared_reach``).
"""

import contextlib
import copy
import io
import types
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch.nn.parameter import is_lazy
from torch.utils._pytree import tree_flatten

from rewriter.evaluation.rendering import known_object
from rewriter.flattening import Flattening, Roots
from rewriter.keeping.bindings import Bindings, without_collections
from rewriter.keeping.filling import FirstCall, content_of
from rewriter.keeping.names_run import NamesRun
from rewriter.keeping.plan import Plan, StartAnew
from rewriter.keeping.reach import held_objects
from rewriter.keeping.shared_reach import shared_objects
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import HostValue, ScalarValue, TensorValue, Value

_Given = tuple[tuple[object, ...], tuple[object, ...] | Mapping[str, object]]
_PLAIN = (bool, int, float, str)


def note_filled(
    plan: Plan, state: State, holder: object, stored: Sequence[tuple[Value, Value]], origin: Origin
) -> bool:
    """Note that a container outside of the model gets something, which is refused if not True.

    Evaluation starts anew for a call to be tried, and goes on with all that it puts anywhere.
    """
    if state.facts or state.size_facts or plan.shared_names or not plan.tries_calls:
        return False
    keys = [known_object(state, key) for key, _ in stored]
    given = tuple(value for part in stored for value in part)
    leaves = Flattening(state, Roots(frames=(), extra=given)).run().leaves
    if not keys or any(isinstance(leaf, TensorValue | ScalarValue | HostValue) for leaf in leaves):
        return False
    known = [key.value for key in keys if key is not None]
    if plan.first_call is not None:
        parts = [(key, made) for key, (_, made) in zip(known, stored, strict=False)]
        if len(known) < len(keys) or not plan.first_call.puts(state, holder, parts):
            return False
        if plan.first_call.is_complete():
            plan.filled = origin
        return True
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

    def first_call(self) -> FirstCall | None:
        """Return what a first call puts into tables; None where these may not be so afterwards."""
        if not self._is_alike():
            return None
        after = [(each, content_of(each)) for each, _ in self._before]
        return FirstCall(self._before, after)

    def _is_alike(self) -> bool:
        """Call copies of the model on copies of its example: may tables be taken as filled?

        That is so where the first call, which fills them, gives what a second one gives, and
        neither binds a variable outside of it, and both print the same. The generator of random
        numbers is left as it was.
        """
        if self.example_inputs is None:
            return False
        given = () if self.receiver is None else (self.receiver,), self.example_inputs
        reached = shared_objects(self.function, self.receiver)
        if any(isinstance(e, torch.Tensor) and is_lazy(e) for _, e in reached.values()):
            return False  # a first call may give it a content, which cannot be taken back
        self._before = [(each, content_of(each)) for _, each in reached.values()]
        held = [self.function, *(each for _, each in reached.values())]
        with without_collections():
            bindings = Bindings.taken(f for f in held if isinstance(f, types.FunctionType))
            ran = NamesRun()
            try:
                with ran:
                    (first, printed), (second, also_printed) = (
                        _called(self.function, *_copied(self.receiver, given)) for _ in range(2)
                    )
            except Exception:
                bindings.restored(ran)
                return False
            is_bound_anew = bindings.restored(ran)
        if is_bound_anew or printed != also_printed:
            return False
        (leaves, shape), (others, other_shape) = tree_flatten(first), tree_flatten(second)
        return shape == other_shape and all(map(_is_same, leaves, others))

    def undo(self) -> None:
        """Give everything outside of the model what it held before the call."""
        FirstCall(self._before, []).undo()
        self._before = []


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
) -> tuple[object, str]:
    """Return what a call gives, and what it prints."""
    printed = io.StringIO()
    silent = contextlib.redirect_stdout(printed)
    with torch.no_grad(), torch.random.fork_rng(devices=()), silent:
        if isinstance(inputs, Mapping):
            return function(*own, **inputs), printed.getvalue()
        return function(*own, *inputs), printed.getvalue()


def _is_same(one: object, other: object) -> bool:
    if isinstance(one, torch.Tensor) and isinstance(other, torch.Tensor):
        alike = one.dtype == other.dtype and one.shape == other.shape
        return alike and torch.allclose(one, other, rtol=0, atol=0, equal_nan=True)
    return type(one) is type(other) and (not isinstance(one, _PLAIN) or one == other or one != one)
