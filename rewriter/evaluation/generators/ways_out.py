"""How a generator leaves suites, loops, ``try`` and ``with``, and where it goes on."""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.control.exceptions import (
    begin_handling,
    end_handling,
    handled,
    handler_for,
    moved,
)
from rewriter.evaluation.control.statements import execute_suite
from rewriter.evaluation.generators.generator_guards import Surroundings
from rewriter.evaluation.generators.generator_stack import (
    Concluding,
    Delegating,
    Looping,
    Managed,
    Protected,
    Receiving,
    Stack,
    Statements,
    Step,
    Yielded,
    handled_name,
    handlers_in,
    hidden_names,
)
from rewriter.evaluation.generators.managers_around import leave_manager
from rewriter.evaluation.host.before_errors import all_done
from rewriter.evaluation.run import Frame
from rewriter.on_the_way import carry_result
from rewriter.scope import contains_yield
from rewriter.state import Broke, Completion, Continued, Next, Raised, Returned, State
from rewriter.values import NONE, Value, is_none


class WaysOut:
    """What a generator has to do on every path, and what the ways out of its suites add."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.every = frame.source.scope.local | hidden_names(frame.source.node)
        """Its variables: all of them may be read later."""
        self._around = Surroundings.of(frame)
        self._announced = frame.run.risks.announced
        self._pending: list[tuple[State, Stack]] = []
        self._joined: list[tuple[State, Stack]] = []
        """Those that go on from the head of a loop."""
        self._steps: list[Step] = []

    def begin(self, state: State, stack: Stack) -> None:
        """Go back into the handlers in which the generator waits."""
        variables = state.frames[self.frame.identity]
        waiting = tuple(variables[handled_name(handler)] for handler in handlers_in(stack))
        state.handled = (*state.handled, *waiting)

    def give(self, state: State, value: Value, stack: Stack) -> None:
        """Give a value and wait; whoever takes it handles no exception of the generator's."""
        own = len(handlers_in(stack))
        state.handled = state.handled[: len(state.handled) - own]
        self._steps.append(Yielded(state, value, stack))

    def go_on(self, state: State, stack: Stack, sent: Value = NONE) -> None:
        """Go on from a state with what its stack says, and the value that a ``yield`` gives."""
        if stack and isinstance(top := stack[-1], Receiving | Delegating) and not is_none(sent):
            stack = (*stack[:-1], replace(top, value=sent))
        self._pending.append((state, stack))

    def end(self, state: State, rest: Stack, top: Protected | Concluding | Managed) -> None:
        """Go on after a part of a ``try`` or ``with`` statement has come to its end."""
        match top:
            case Protected():
                self._after_try(state, rest, top.node)
            case Concluding():
                self._conclude(Next(state), rest, top)
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
                case Concluding(), _:
                    self._conclude(completion, stack, top)
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

    def _forget_errors(self) -> None:
        """Say that what a statement does after errors is not done: it asks for itself anew."""
        if (count := self.frame.run.risks.announced) > self._announced:
            states = [state for state, _ in self._pending] + [step.state for step in self._steps]
            all_done(self.frame.run, states, self.frame.statement_origin(), self._announced)
            self._announced = count

    def _leave_try(self, completion: Completion, rest: Stack, node: cst.Try) -> None:
        ended: list[Completion] = [completion]
        if isinstance(completion, Raised) and any(map(contains_yield, node.handlers)):
            handler = handler_for(self.frame, node, completion)
            if handler is not None:
                self._handle(completion, rest, Concluding(node, handler), handler)
                return
        elif isinstance(completion, Raised):
            with self._around.within(completion.state, rest):
                ended = handled(self.frame, node, completion)
        for each in ended:
            self._finally(each, rest, node)

    def _handle(
        self, raised: Raised, rest: Stack, item: Concluding, handler: cst.ExceptHandler
    ) -> None:
        """Go on in a handler of whose ``try`` statement some handler waits."""
        begin_handling(self.frame, handler, raised)
        raised.state.frames[self.frame.identity][handled_name(handler)] = raised.exception
        self.go_on(raised.state, (*rest, item, _suite(handler.body)))

    def _conclude(self, completion: Completion, rest: Stack, top: Concluding) -> None:
        """Leave a handler, or what stands under ``else``."""
        if top.handler is not None:
            end_handling(self.frame, top.handler, completion.state)
            del completion.state.frames[self.frame.identity][handled_name(top.handler)]
        self._finally(completion, rest, top.node)

    def _after_try(self, state: State, rest: Stack, node: cst.Try) -> None:
        ended: list[Completion] = [Next(state)]
        if node.orelse is not None and contains_yield(node.orelse):
            self.go_on(state, (*rest, Concluding(node), _suite(node.orelse.body)))
            return
        if node.orelse is not None:
            ended = execute_suite(self.frame, node.orelse.body, state)
        for each in ended:
            self._finally(each, rest, node)

    def _finally(self, completion: Completion, rest: Stack, node: cst.Try) -> None:
        ended: list[tuple[Completion, Completion]] = [(completion, Next(completion.state))]
        if node.finalbody is not None:
            body, state = node.finalbody.body, completion.state
            carry_result(completion)
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


def _suite(body: cst.BaseSuite) -> Statements:
    return Statements(tuple(body.body))
