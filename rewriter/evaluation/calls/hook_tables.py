"""Hooks that a call registers: which a module has on a path, and that it has its own at the end.

A path's hooks of a module are a tuple of tuples: a handle and what is called, and a third item
where that is told of keywords. The handle of a hook that the model has had before the call is its
number.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from torch import nn

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import NONE, Known, Reference, TupleValue, Value

Key = tuple[int, str]

TABLES = ("_forward_hooks", "_forward_pre_hooks")
"""Where a module has what runs after and before its ``forward``."""


@dataclass(frozen=True, slots=True, eq=False)
class Hook:
    """A hook of a module on a path."""

    table: "HookTable | None"
    """None where the program registers none there."""
    handle: Value
    function: Value
    with_keywords: bool


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
        """Return the hooks of a path, as its state has them."""
        held = state.attributes.get(self.key, self.initial)
        return held.items if isinstance(held, TupleValue) else ()

    def hooks(self, state: State) -> list[Hook]:
        """Return the hooks of a path."""
        return [_hook(each, self) for each in self.held(state) if isinstance(each, TupleValue)]

    def add(
        self,
        state: State,
        handle: Reference,
        function: Value,
        *,
        first: bool,
        with_keywords: bool,
    ) -> None:
        """Register a hook, after all others or before them."""
        made, held = _entry(handle, function, with_keywords), self.held(state)
        state.attributes[self.key] = TupleValue((made, *held) if first else (*held, made))

    def remove(self, state: State, handle: Reference) -> None:
        """Remove a hook; there may be none of that handle any more."""
        left = [
            _entry(h.handle, h.function, h.with_keywords)
            for h in self.hooks(state)
            if not _is(h.handle, handle)
        ]
        state.attributes[self.key] = TupleValue(tuple(left))

    def differs(self, state: State) -> bool:
        """Return whether a module has other hooks on a path than before the call."""
        return any(isinstance(hook.handle, Reference) for hook in self.hooks(state))


def _entry(handle: Value, function: Value, with_keywords: bool) -> TupleValue:
    # No truth: a join would make a variable of two of them.
    return TupleValue((handle, function, NONE) if with_keywords else (handle, function))


def _hook(entry: TupleValue, table: HookTable | None) -> Hook:
    handle, function, *more = entry.items
    return Hook(table, handle, function, bool(more))


def _of_model(module: nn.Module, name: str) -> TupleValue:
    told = getattr(module, f"{name}_with_kwargs")
    own = getattr(module, name).items()
    return TupleValue(tuple(_entry(Known(n), Known(hook), n in told) for n, hook in own))


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
            self.known[key] = HookTable(module, _of_model(module, name), origin)
        self.known[key].origin = origin
        return self.known[key]

    def called(self, state: State, module: nn.Module, name: str) -> list[Hook]:
        """Return what a module calls on a path, in this order."""
        table = self.known.get((id(module), name))
        if table is not None:
            return table.hooks(state)
        own = _of_model(module, name).items
        return [_hook(each, None) for each in own if isinstance(each, TupleValue)]

    def has(self, state: State, hook: Hook) -> bool:
        """Return whether a module still has a hook that it is about to call."""
        handle, table = hook.handle, hook.table
        if table is None or not isinstance(handle, Reference):
            return True
        return any(_is(each.handle, handle) for each in table.hooks(state))

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
