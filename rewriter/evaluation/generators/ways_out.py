"""How a generator leaves suites, loops, ``try`` and ``with``, and where it goes on."""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.control.exceptions import handled, moved
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.generators.generator_guards import Surroundings
from rewriter.evaluation.generators.generator_stack import (
    Delegating,
    Looping,
    Managed,
    Protected,
    Receiving,
    Stack,
    Step,
    hidden_names,
)
from rewriter.evaluation.generators.managers_around import leave_manager
from rewriter.evaluation.run import Frame
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.values import NONE, Value, is_none


class WaysOut:
    """What a generator has to do on every path, and what the ways out of its suites add."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.every = frame.source.scope.local | hidden_names(frame.source.node)
        """Its variables: all of them may be read later."""
        self._around = Surroundings.of(frame)
        self._pending: list[tuple[State, Stack]] = []
        self._steps: list[Step] = []

    def go_on(self, state: State, stack: Stack, sent: Value = NONE) -> None:
        """Go on from a state with what its stack says, and the value that a ``yield`` gives."""
        if stack and isinstance(top := stack[-1], Receiving | Delegating) and not is_none(sent):
            stack = (*stack[:-1], replace(top, value=sent))
        self._pending.append((state, stack))

    def end(self, state: State, rest: Stack, top: Protected | Managed) -> None:
        """Go on after the body of a ``try`` or ``with`` statement has come to its end."""
        match top:
            case Protected():
                self._after_try(state, rest, top.node)
            case Managed():
                self._leave_manager(Next(state), rest, top)

    def unwind(self, completion: Completion, stack: Stack) -> None:
        """Leave suites, loops and ``try`` statements until something goes on."""
        while stack:
            *outer, top = stack
            stack = tuple(outer)
            match top, completion:
                case Looping(), Broke():
                    self.go_on(completion.state, stack)
                    return
                case Looping(), Continued():
                    self.go_on(completion.state, (*stack, top))
                    return
                case Protected(), _:
                    self._leave_try(completion, stack, top.node)
                    return
                case Managed(), _:
                    self._leave_manager(completion, stack, top)
                    return
                case _:
                    continue
        match completion:
            case Returned() | Raised():
                self._steps.append(completion)
            case Next() | Broke() | Continued():
                self.go_on(completion.state, ())

    def _leave_try(self, completion: Completion, rest: Stack, node: cst.Try) -> None:
        ended: list[Completion] = [completion]
        if isinstance(completion, Raised):
            with self._around.within(completion.state, rest):
                ended = handled(self.frame, node, completion)
        for each in ended:
            self._finally(each, rest, node)

    def _after_try(self, state: State, rest: Stack, node: cst.Try) -> None:
        ended: list[Completion] = [Next(state)]
        if node.orelse is not None:
            ended = execute_suite(self.frame, node.orelse.body, state)
        for each in ended:
            self._finally(each, rest, node)

    def _finally(self, completion: Completion, rest: Stack, node: cst.Try) -> None:
        ended: list[tuple[Completion, Completion]] = [(completion, Next(completion.state))]
        if node.finalbody is not None:
            body, state = node.finalbody.body, completion.state
            with self._around.within(state, rest):
                ended = [(completion, end) for end in execute_suite(self.frame, body, state)]
        for before, end in ended:
            after = moved(before, end.state) if isinstance(end, Next) else end
            if isinstance(after, Next):
                self.go_on(after.state, rest)
            else:
                self.unwind(after, rest)

    def _leave_manager(self, completion: Completion, rest: Stack, top: Managed) -> None:
        with self._around.within(completion.state, rest):
            ended = leave_manager(self.frame, top.item, completion)
        for after in ended:
            if isinstance(after, Next):
                self.go_on(after.state, rest)
            else:
                self.unwind(after, rest)
