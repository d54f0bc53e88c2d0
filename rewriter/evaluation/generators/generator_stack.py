"""What a generator that waits has still to do: a stack of suites, loops and ``try`` statements."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeAlias

import libcst as cst

from rewriter.descendants import children_of, descendants
from rewriter.evaluation.control.trips import is_endless
from rewriter.evaluation.run import Frame
from rewriter.state import Raised, Returned, State
from rewriter.values import NONE, Value


@dataclass(frozen=True, slots=True)
class Statements:
    """A suite, and the statement to execute next."""

    body: tuple[cst.CSTNode, ...]
    index: int = 0

    @property
    def is_done(self) -> bool:
        """Return whether all statements were executed."""
        return self.index == len(self.body)


@dataclass(frozen=True, slots=True)
class Looping:
    """A loop whose body ends before this goes on."""

    node: cst.For | cst.While
    turned: bool = False
    """Whether it went round since the generator went on, or took an item of an unknown number."""
    undecided: bool = False
    """Whether a loop without an end of its own was seen to be left at run time."""


@dataclass(frozen=True, slots=True)
class Delegating:
    """``yield from``: an iterator in a hidden variable."""

    node: cst.Yield
    target: "Receiver | None"
    value: Value = NONE
    """What is sent to the iterator."""


@dataclass(frozen=True, slots=True)
class Receiving:
    """What ``yield`` gives is assigned, returned or added."""

    target: "Receiver"
    value: Value = NONE


Receiver: TypeAlias = cst.BaseAssignTargetExpression | cst.Return | cst.AugAssign
"""What takes what ``yield`` gives."""


@dataclass(frozen=True, slots=True)
class Protected:
    """The body of a ``try`` statement."""

    node: cst.Try


@dataclass(frozen=True, slots=True)
class Concluding:
    """A handler of a ``try`` statement, or its ``else``; what is handled is in a variable."""

    node: cst.Try
    handler: cst.ExceptHandler | None = None


@dataclass(frozen=True, slots=True)
class Entering:
    """The context manager of a ``with`` statement to enter next, or its body."""

    node: cst.With
    index: int = 0


@dataclass(frozen=True, slots=True)
class Managed:
    """What stands under a context manager, which is in a hidden variable."""

    item: cst.WithItem


Item: TypeAlias = (
    Statements | Looping | Delegating | Receiving | Protected | Concluding | Entering | Managed
)


Stack: TypeAlias = tuple[Item, ...]
"""What a generator has still to do, innermost last."""


def waiting_stack(stack: Stack) -> Stack:
    """Return a stack as it is kept until the next item is asked for: without finished suites."""
    left = (item for item in stack if not (isinstance(item, Statements) and item.is_done))
    return tuple(
        replace(item, turned=False) if isinstance(item, Looping) else item for item in left
    )


def undecided(stack: Stack, has_no_end: Callable[[cst.For], bool]) -> Stack:
    """Return a stack whose innermost loop ends at run time, if it ends by ways out alone.

    ``has_no_end`` says whether that is so of what a ``for`` loop walks.
    """
    for place in range(len(stack) - 1, -1, -1):
        item = stack[place]
        if isinstance(item, Looping):
            node = item.node
            if not (is_endless(node) if isinstance(node, cst.While) else has_no_end(node)):
                break
            return (*stack[:place], replace(item, undecided=True), *stack[place + 1 :])
    return stack


def leaves(node: cst.CSTNode) -> bool:
    """Return whether a statement may leave the loop that it is in."""
    if isinstance(node, cst.Break | cst.Return):
        return True
    if isinstance(node, cst.FunctionDef | cst.ClassDef | cst.BaseExpression):
        return False
    return any(map(leaves, children_of(node)))


def never_done(item: Item) -> bool:
    """Return whether what is left to do comes to an endless loop that nothing leaves."""
    match item:
        case Looping(node=cst.While() as node):
            return is_endless(node) and not leaves(node.body)
        case Statements():
            for statement in item.body[item.index :]:
                if isinstance(statement, cst.While) and is_endless(statement):
                    return not leaves(statement.body)
                if leaves(statement):
                    return False
    return False


@dataclass(frozen=True, slots=True)
class Yielded:
    """The generator gave a value and waits."""

    state: State
    value: Value
    stack: Stack


Step: TypeAlias = Yielded | Returned | Raised


def hidden_name(node: cst.CSTNode) -> str:
    """Return the variable of a loop's iterator."""
    # No name of the user's can look like this.
    return f"items of {id(node)}"


def manager_name(item: cst.WithItem) -> str:
    """Return the variable of a context manager."""
    return f"manager of {id(item)}"


def handled_name(handler: cst.ExceptHandler) -> str:
    """Return the variable of an exception whose handler waits."""
    return f"handled by {id(handler)}"


def handlers_in(stack: Stack) -> list[cst.ExceptHandler]:
    """Return the handlers that a generator is in, innermost last."""
    found = (item.handler for item in stack if isinstance(item, Concluding))
    return [handler for handler in found if handler is not None]


def manager_of(frame: Frame, state: State, place: Managed) -> Value:
    """Return the manager under which a suite stands."""
    return state.frames[frame.identity][manager_name(place.item)]


@lru_cache(maxsize=1024)
def hidden_names(node: cst.CSTNode) -> frozenset[str]:
    """Return the variables of a generator that have no name of the user's."""
    parts = list(descendants(node))
    managers = {manager_name(part) for part in parts if isinstance(part, cst.WithItem)}
    handlers = {handled_name(part) for part in parts if isinstance(part, cst.ExceptHandler)}
    return frozenset(map(hidden_name, loops_of(node))) | managers | handlers


def loops_of(node: cst.CSTNode) -> list[cst.CSTNode]:
    """Return what walks an iterator of its own: loops, and ``yield from``."""
    own = [node] if isinstance(node, cst.For | cst.Yield) else []
    return own + [loop for child in children_of(node) for loop in loops_of(child)]
