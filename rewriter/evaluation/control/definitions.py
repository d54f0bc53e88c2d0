"""``def`` inside a function: a closure, and its decorators."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.closures import closure, default_values
from rewriter.evaluation.dispatch import evaluate, statement_rule
from rewriter.evaluation.names import bind
from rewriter.evaluation.run import Frame
from rewriter.state import Completion, Next, State
from rewriter.values import Value


@statement_rule(cst.FunctionDef)
def function_definition(frame: Frame, node: cst.FunctionDef, state: State) -> list[Completion]:
    """``def name(...): ...`` inside a function."""
    completions: list[Completion] = []
    for ready, wrappers in _decorators(frame, [each.decorator for each in node.decorators], state):
        for after, defaults in default_values(frame, node.params, ready):
            function: Value = closure(frame, node, node.name.value, defaults)
            decorated = [(after, function)]
            for decorator, wrapper in zip(reversed(node.decorators), wrappers[::-1], strict=True):
                decorated = [
                    outcome
                    for before, made in decorated
                    for outcome in call_value(frame, decorator, before, wrapper, [made], {})
                ]
            for done, result in decorated:
                bind(frame, node, done, node.name.value, result)
                completions.append(Next(done))
    return completions


def _decorators(
    frame: Frame, nodes: list[cst.BaseExpression], state: State
) -> Iterator[tuple[State, tuple[Value, ...]]]:
    """Evaluate decorators, from the first one on; what they decorate is made after that."""
    if not nodes:
        yield state, ()
        return
    *earlier, last = nodes
    for after, done in _decorators(frame, earlier, state):
        for evaluated, value in evaluate(frame, last, after):
            yield evaluated, (*done, value)
