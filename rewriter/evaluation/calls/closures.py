"""Functions and lambdas that evaluated code defines, closed over evaluated frames."""

from collections.abc import Iterator

import libcst as cst

from rewriter.evaluation.dispatch import evaluate, expression_rule
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.source import nested_source
from rewriter.state import State
from rewriter.values import (
    FunctionValue,
    Value,
)


@expression_rule(cst.Lambda)
def lambda_expression(frame: Frame, node: cst.Lambda, state: State) -> Outcomes:
    """``lambda x: ...``."""
    for after, defaults in default_values(frame, node.params, state):
        yield after, closure(frame, node, "<lambda>", defaults)


def default_values(
    frame: Frame, parameters: cst.Parameters, state: State
) -> Iterator[tuple[State, dict[str, Value]]]:
    """Evaluate parameter defaults where the function is defined."""
    with_default = [
        param
        for param in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
        if param.default is not None
    ]
    yield from _defaults(frame, with_default, state)


def _defaults(
    frame: Frame, parameters: list[cst.Param], state: State
) -> Iterator[tuple[State, dict[str, Value]]]:
    if not parameters:
        yield state, {}
        return
    *earlier, last = parameters
    for after, done in _defaults(frame, earlier, state):
        assert last.default is not None
        for evaluated, value in evaluate(frame, last.default, after):
            yield evaluated, {**done, last.name.value: value}


def closure(
    frame: Frame, node: cst.FunctionDef | cst.Lambda, name: str, defaults: dict[str, Value]
) -> FunctionValue:
    """Return a function defined by evaluated code."""
    return FunctionValue(
        source=nested_source(frame.source, node, f"{frame.source.name}.<locals>.{name}"),
        frame_path=(frame.identity, *(outer.identity for outer in frame.lexical)),
        defaults=defaults,
        globals=frame.globals,
        closure=frame.closure,
    )
