"""``def`` inside a function: a closure, and its decorators."""

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
    for after, defaults in default_values(frame, node.params, state):
        function: Value = closure(frame, node, node.name.value, defaults)
        decorated = [(after, function)]
        for decorator in reversed(node.decorators):
            decorated = [
                (done, result)
                for before, made in decorated
                for evaluated, wrapper in evaluate(frame, decorator.decorator, before)
                for done, result in call_value(frame, decorator, evaluated, wrapper, [made], {})
            ]
        for done, result in decorated:
            bind(frame, node, done, node.name.value, result)
            completions.append(Next(done))
    return completions
