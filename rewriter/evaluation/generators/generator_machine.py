"""Running a generator's stack on every path, until it yields or ends."""

from dataclasses import replace

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.containers.lazy_iterators import SKIPPED, item_after, next_item, result_of
from rewriter.evaluation.control.iteration import iterator_of
from rewriter.evaluation.control.statements import execute, join
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.generators.generator_guards import (
    guarded_by,
    has_no_end,
    require_few_steps,
)
from rewriter.evaluation.generators.generator_stack import (
    Concluding,
    Delegating,
    Entering,
    Item,
    Looping,
    Managed,
    Protected,
    Receiver,
    Receiving,
    Stack,
    Statements,
    Step,
    hidden_name,
    leaves,
    undecided,
    waiting_stack,
)
from rewriter.evaluation.generators.managers_around import enter_manager
from rewriter.evaluation.generators.received import receive, receiver_of
from rewriter.evaluation.generators.ways_out import WaysOut
from rewriter.evaluation.operators.truth import truths
from rewriter.evaluation.run_time.run_time_kinds import is_run_time
from rewriter.scope import contains_yield
from rewriter.state import Broke, Completion, Next, Raised, Returned, State
from rewriter.values import NONE, IteratorValue


class GeneratorMachine(WaysOut):
    """Runs a generator's stack on every path until it yields or ends."""

    def run(self) -> list[Step]:
        """Run all paths; return how each yielded or ended."""
        self._forget_errors()
        while self._pending or self._joined:
            require_few_steps(self.frame, self._steps)
            state, stack = self._next_path()
            if not stack:
                self._steps.append(Returned(state, NONE))
                continue
            sink: list[Raised] = []
            self.frame.run.sinks.append(sink)
            try:
                with guarded_by(self.frame, state, stack[:-1]):
                    self._advance(state, stack[:-1], stack[-1])
            finally:
                self.frame.run.sinks.pop()
            for raised in sink:
                self.unwind(raised, stack[:-1])
            self._forget_errors()
        return self._steps

    def _next_path(self) -> tuple[State, Stack]:
        """Take the next path: the heads of loops wait for each other, innermost first."""
        if self._joined:
            return self._joined.pop(0)
        for place, (_, stack) in enumerate(self._pending):
            if not stack or not isinstance(stack[-1], Looping):
                return self._pending.pop(place)
        head = max((stack for _, stack in self._pending), key=len)
        there: list[Completion] = [Next(state) for state, stack in self._pending if stack == head]
        self._pending = [path for path in self._pending if path[1] != head]
        looping = head[-1]
        assert isinstance(looping, Looping)
        self._joined = [(state, head) for state in join(self.frame, looping.node, there)]
        return self._joined.pop(0)

    def _advance(self, state: State, rest: Stack, top: Item) -> None:
        match top:
            case Statements():
                self._next_statement(state, rest, top)
            case Looping(node=cst.For() as node, turned=True):
                self._skip(state, (*rest, top))
            case Looping(node=cst.For() as node):
                self._next_trip(state, rest, node, top)
            case Looping(node=cst.While() as node):
                self._test(state, rest, node, top)
            case Delegating():
                self._delegate(state, rest, top)
            case Receiving():
                self._receive(state, rest, top)
            case Protected() | Concluding() | Managed():
                self.end(state, rest, top)
            case Entering():
                self._enter(state, rest, top)

    def _receive(self, state: State, rest: Stack, top: Receiving) -> None:
        for after in receive(self.frame, top.target, state, top.value):
            if isinstance(after, Next):
                self.go_on(after.state, rest)
            else:
                self.unwind(after, rest)

    # --- statements -------------------------------------------------------------------------

    def _next_statement(self, state: State, rest: Stack, top: Statements) -> None:
        if top.is_done:
            self.go_on(state, rest)
        else:
            following = (*rest, Statements(top.body, top.index + 1))
            self._statement(state, following, top.body[top.index])

    def _statement(self, state: State, rest: Stack, node: cst.CSTNode) -> None:
        frame = self.frame
        frame.statement = node
        if not contains_yield(node):
            self._take(execute(frame, node, state), rest, node)
            return
        if (received := receiver_of(frame, node)) is not None:
            self._yield(state, rest, *received)
            return
        match node:
            case cst.SimpleStatementLine() | cst.SimpleStatementSuite():
                self.go_on(state, (*rest, Statements(tuple(node.body))))
            case cst.If():
                self._if(state, rest, node)
            case cst.For() if node.asynchronous is None:
                self._for(state, rest, node)
            case cst.While():
                self.go_on(state, (*rest, Looping(node)))
            case cst.Try():
                self._try(state, rest, node)
            case cst.With() if node.asynchronous is None:
                self.go_on(state, (*rest, Entering(node)))
            case _:
                frame.refuse("DYCL002", node, "`yield` in this place is not supported")

    def _try(self, state: State, rest: Stack, node: cst.Try) -> None:
        if node.finalbody is not None and contains_yield(node.finalbody):
            self.frame.refuse("DYCL002", node, "`yield` in `finally`")
        self.go_on(state, (*rest, Protected(node), Statements(tuple(node.body.body))))

    def _enter(self, state: State, rest: Stack, top: Entering) -> None:
        """Enter the next manager of a ``with`` statement; those around it see what that raises."""
        if top.index == len(top.node.items):
            self.go_on(state, (*rest, Statements(tuple(top.node.body.body))))
            return
        item = top.node.items[top.index]
        if contains_yield(item):
            self.frame.refuse("DYCL002", item, "`yield` outside of the body of `with`")
        stack = (*rest, Managed(item), replace(top, index=top.index + 1))
        for after, manager in evaluate(self.frame, item.item, state):
            for entered, value in enter_manager(self.frame, item, after, manager):
                if item.asname is None:
                    self.go_on(entered, stack)
                else:
                    self.go_on(entered, (*stack, Receiving(_target(item.asname), value)))

    def _take(self, completions: list[Completion], rest: Stack, node: cst.CSTNode) -> None:
        """Go on after a statement was executed."""
        for completion in completions:
            if not isinstance(completion, Next):
                self.unwind(completion, rest)
        if any(isinstance(each, Broke | Returned) for each in completions):
            rest = undecided(rest, has_no_end(self.frame, completions[0].state))
        going_on: list[Completion] = [c for c in completions if isinstance(c, Next)]
        for state in join(self.frame, node, going_on):
            self.go_on(state, rest)

    def _yield(
        self,
        state: State,
        rest: Stack,
        node: cst.Yield,
        target: Receiver | None,
    ) -> None:
        if isinstance(node.value, cst.From):
            hidden = hidden_name(node)
            for after, value in evaluate(self.frame, node.value.item, state):
                for made, iterator in iterator_of(self.frame, node, after, value):
                    made.frames[self.frame.identity][hidden] = iterator
                    self._begin(made, iterator, (*rest, Delegating(node, target)))
            return
        received = rest if target is None else (*rest, Receiving(target))
        if node.value is None:
            self.give(state, NONE, waiting_stack(received))
            return
        for after, value in evaluate(self.frame, node.value, state):
            self.give(after, value, waiting_stack(received))

    def _if(self, state: State, rest: Stack, node: cst.If) -> None:
        for after, value in evaluate(self.frame, node.test, state):
            arms = list(truths(self.frame, node.test, after, value))
            if len(arms) > 1 and leaves(node):
                rest = undecided(rest, has_no_end(self.frame, after))
            for arm, truth in arms:
                suite = node.body if truth else node.orelse
                match suite:
                    case None:
                        self.go_on(arm, rest)
                    case cst.If():
                        self.go_on(arm, (*rest, Statements((suite,))))
                    case cst.Else():
                        self.go_on(arm, (*rest, Statements(tuple(suite.body.body))))
                    case _:
                        self.go_on(arm, (*rest, Statements(tuple(suite.body))))

    # --- loops ------------------------------------------------------------------------------

    def _for(self, state: State, rest: Stack, node: cst.For) -> None:
        for after, value in evaluate(self.frame, node.iter, state):
            for made, iterator in iterator_of(self.frame, node.iter, after, value):
                made.frames[self.frame.identity][hidden_name(node)] = iterator
                self._begin(made, iterator, (*rest, Looping(node)))

    def _begin(self, state: State, iterator: IteratorValue, stack: Stack) -> None:
        """Begin a loop: where it ends at run time, whoever asks for items goes round for it."""
        if is_run_time(state, iterator):
            self._skip(state, stack)
        else:
            self.go_on(state, stack)

    def _skip(self, state: State, stack: Stack) -> None:
        self.give(state, SKIPPED, waiting_stack(stack))

    def _next_trip(self, state: State, rest: Stack, node: cst.For, top: Looping) -> None:
        at_run_time = top.undecided or is_run_time(state, self._iterator(state, node))
        for after, item in next_item(self.frame, node, state, self._iterator(state, node)):
            if item is None:
                self._leave_loop(after, rest, node)
                continue
            if item is SKIPPED:
                self._skip(after, (*rest, top))
                continue
            for bound in assign(self.frame, node.target, after, item):
                body = Statements(tuple(node.body.body))
                self.go_on(bound, (*rest, replace(top, turned=at_run_time), body))

    def _iterator(self, state: State, node: cst.For | cst.Yield) -> IteratorValue:
        iterator = state.frames[self.frame.identity][hidden_name(node)]
        assert isinstance(iterator, IteratorValue)
        return iterator

    def _test(self, state: State, rest: Stack, node: cst.While, top: Looping) -> None:
        if top.turned and top.undecided:
            self._skip(state, (*rest, top))
            return
        held = state.on_the_way
        arms = [
            arm
            for after, value in evaluate(self.frame, node.test, state)
            for arm in truths(self.frame, node.test, after, value)
        ]
        for arm, _ in arms:
            arm.on_the_way = held  # what the test has read is used no more
        looping = Looping(
            node, turned=True, undecided=top.undecided or len({truth for _, truth in arms}) > 1
        )
        for arm, truth in arms:
            if truth:
                self.go_on(arm, (*rest, looping, Statements(tuple(node.body.body))))
            else:
                self._leave_loop(arm, rest, node)

    def _leave_loop(self, state: State, rest: Stack, node: cst.For | cst.While) -> None:
        body = () if node.orelse is None else (Statements(tuple(node.orelse.body.body)),)
        self.go_on(state, (*rest, *body))

    def _delegate(self, state: State, rest: Stack, top: Delegating) -> None:
        iterator = self._iterator(state, top.node)
        waiting = waiting_stack((*rest, replace(top, value=NONE)))
        for after, item in item_after(self.frame, top.node, state, iterator, top.value):
            if item is not None:
                self.give(after, item, waiting)
            elif top.target is None:
                self.go_on(after, rest)
            else:
                self.go_on(after, (*rest, Receiving(top.target, result_of(after, iterator))))


def _target(name: cst.AsName) -> cst.BaseAssignTargetExpression:
    """Return what a manager's value is assigned to."""
    assert isinstance(name.name, cst.BaseAssignTargetExpression)
    return name.name
