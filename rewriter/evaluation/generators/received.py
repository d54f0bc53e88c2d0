"""What ``yield`` gives: assigned, returned, or combined with what a variable holds."""

import libcst as cst

from rewriter.evaluation.assignment import assign
from rewriter.evaluation.dispatch import evaluate
from rewriter.evaluation.generators.generator_stack import Receiver
from rewriter.evaluation.names import bind
from rewriter.evaluation.operators.augmented_assignment import INPLACE, apply_inplace
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, Returned, State
from rewriter.values import Value


def receiver_of(frame: Frame, node: cst.CSTNode) -> tuple[cst.Yield, Receiver | None] | None:
    """Return the ``yield`` of a statement and what takes its value, None for other places."""
    match node:
        case cst.Expr(value=cst.Yield() as yielding):
            return yielding, None
        case cst.Assign(value=cst.Yield() as yielding, targets=[one]):
            return yielding, one.target
        case cst.AnnAssign(value=cst.Yield() as yielding, target=target):
            return yielding, target
        case cst.Return(value=cst.Yield() as yielding):
            return yielding, node
        case cst.AugAssign(value=cst.Yield() as yielding, target=cst.Name(value=name)):
            # Python reads the variable before, which nobody else may write meanwhile.
            is_own = name in frame.source.scope.local and name not in frame.source.shared
            return (yielding, node) if is_own else None
        case _:
            return None


def receive(frame: Frame, target: Receiver, state: State, value: Value) -> list[Completion]:
    """Do what is done with a value that ``yield`` gives."""
    match target:
        case cst.Return():
            return [Returned(state, value, target)]
        case cst.AugAssign():
            return [Next(done) for done in _combined(frame, target, state, value)]
        case _:
            return [Next(done) for done in assign(frame, target, state, value)]


def _combined(frame: Frame, node: cst.AugAssign, state: State, value: Value) -> list[State]:
    assert isinstance(node.target, cst.Name)
    plain, name = INPLACE[type(node.operator)]
    finished: list[State] = []
    for after, old in evaluate(frame, node.target, state):
        for done, new in apply_inplace(frame, node, after, old, value, plain, name):
            bind(frame, node.target, done, node.target.value, new)
            finished.append(done)
    return finished
