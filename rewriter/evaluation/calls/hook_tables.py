"""Hooks that a call registers: which a module has on a path, and that it has its own at the end.

A path's hooks of a module are a tuple of pairs, a handle and what is called. The handle of a hook
that the model has had before the call is its number.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from torch import nn

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import Known, Reference, TupleValue, Value

Key = tuple[int, str]

TABLES = ("_forward_hooks", "_forward_pre_hooks")
"""Where a module has what runs after and before its ``forward``."""


@dataclass(slots=True, eq=False)
class HookTable:
    """The hooks of one module, after or before its ``forward``."""

    module: nn.Module
    initial: TupleValue
    """Those of the model."""
    origin: Origin
    """Where one was registered last."""

    @property
    def key(self) -> Key:
        """Return under which key a state has the hooks, once the program has registered one."""
        return id(self), "hooks"

    def held(self, state: State) -> tuple[Value, ...]:
        """Return the pairs of a path."""
        held = state.attributes.get(self.key, self.initial)
        return held.items if isinstance(held, TupleValue) else ()

    def add(self, state: State, handle: Reference, hook: Value, *, first: bool) -> None:
        """Register a hook, after all others or before them."""
        pair, held = TupleValue((handle, hook)), self.held(state)
        state.attributes[self.key] = TupleValue((pair, *held) if first else (*held, pair))

    def remove(self, state: State, handle: Reference) -> None:
        """Remove a hook; there may be none of that handle any more."""
        left = [pair for pair in self.held(state) if not _is(_handle(pair), handle)]
        state.attributes[self.key] = TupleValue(tuple(left))

    def differs(self, state: State) -> bool:
        """Return whether a module has other hooks on a path than before the call."""
        return any(isinstance(_handle(pair), Reference) for pair in self.held(state))


def _handle(pair: Value) -> Value:
    assert isinstance(pair, TupleValue)
    return pair.items[0]


def _is(value: Value, handle: Reference) -> bool:
    return isinstance(value, Reference) and value.identity == handle.identity


@dataclass(slots=True)
class HookTables:
    """The modules that the program registers hooks on."""

    known: dict[Key, HookTable] = field(default_factory=dict)
    """By the module's identity, and the name of its table."""

    def of(self, module: nn.Module, name: str, origin: Origin) -> HookTable:
        """Return the table for a hook that is about to be registered."""
        key = id(module), name
        if key not in self.known:
            own = getattr(module, name).items()
            initial = TupleValue(tuple(TupleValue((Known(n), Known(hook))) for n, hook in own))
            self.known[key] = HookTable(module, initial, origin)
        self.known[key].origin = origin
        return self.known[key]

    def called(self, state: State, module: nn.Module, name: str) -> list[Value]:
        """Return what a module calls on a path, in this order."""
        table = self.known.get((id(module), name))
        if table is None:
            return [Known(hook) for hook in getattr(module, name).values()]
        return [pair.items[1] for pair in table.held(state) if isinstance(pair, TupleValue)]

    def differ(self, state: State, modules: Iterable[nn.Module]) -> bool:
        """Return whether any of some modules has other hooks than before the call."""
        if not self.known:
            return False
        found = {identity for (identity, _), t in self.known.items() if t.differs(state)}
        return any(id(module) in found for module in modules)

    def initial_of(self, key: Key) -> TupleValue | None:
        """Return what a path has under a key on which there was no hook, None for other keys."""
        return next((each.initial for each in self.known.values() if each.key == key), None)

    def require_removed(self, state: State) -> None:
        """Refuse a path that leaves a hook: later calls would run it."""
        for table in self.known.values():
            if table.differs(state):
                raise Refused(
                    Diagnostic(
                        code="DYCL034",
                        message=f"a hook of a {type(table.module).__name__} is not removed: "
                        "later calls would run it",
                        origin=table.origin,
                        help="remove it before the call ends: handle.remove()",
                    )
                )
