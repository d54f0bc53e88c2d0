"""What context variables hold before the call, and that they hold it after it."""

import contextvars
from dataclasses import dataclass, field
from typing import TypeAlias

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.origin import Origin
from rewriter.state import State
from rewriter.values import Known, Value

Variable: TypeAlias = "contextvars.ContextVar[object]"
Key: TypeAlias = tuple[int, str]

_UNSET = contextvars.Token.MISSING


@dataclass(slots=True, eq=False)
class Content:
    """A context variable of one evaluation."""

    variable: Variable
    initial: Known
    """What it holds when the program is compiled; ``Token.MISSING`` where that is nothing."""
    origin: Origin | None = None
    """Where it was set last."""

    @property
    def key(self) -> Key:
        """Return under which key a state has what it holds, once the program has set it."""
        return id(self), "context"

    def held(self, state: State) -> Value:
        """Return what it holds on a path."""
        return state.attributes.get(self.key, self.initial)


def is_unset(value: Value) -> bool:
    """Return whether a value says that a variable holds nothing."""
    return isinstance(value, Known) and value.value is _UNSET


@dataclass(slots=True)
class Contents:
    """The context variables that a program uses, by identity."""

    known: dict[int, Content] = field(default_factory=dict)

    def of(self, variable: Variable) -> Content:
        """Return what is known of a variable."""
        if id(variable) not in self.known:
            is_set = variable in contextvars.copy_context()
            held = variable.get() if is_set else _UNSET
            self.known[id(variable)] = Content(variable, Known(held))
        return self.known[id(variable)]

    def initial_of(self, key: Key) -> Value | None:
        """Return what a path has under a key on which a variable is not set, None for others."""
        return next((each.initial for each in self.known.values() if each.key == key), None)

    def require_reset(self, state: State) -> None:
        """Refuse a path that ends with a variable set to something else than before."""
        for content in self.known.values():
            held = content.held(state)
            if not isinstance(held, Known) or held.value is not content.initial.value:
                raise _not_reset(content)


def _not_reset(content: Content) -> Refused:
    assert content.origin is not None
    return Refused(
        Diagnostic(
            code="DYCL034",
            message="a context variable is not reset: what runs after the call would see it",
            origin=content.origin,
            help="reset it before the call ends: variable.reset(token)",
        )
    )
