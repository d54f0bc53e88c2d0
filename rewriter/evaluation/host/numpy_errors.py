"""``numpy.errstate``: what numpy's operations are to say of divisions by zero and the like.

Each host statement within such a block is computed under the same settings, by a function of
its own: errors of the run leave them as they were.
"""

import ast
import random

import numpy

from rewriter.evaluation.calls.library import is_numpy
from rewriter.evaluation.control.warning_filters import is_of_no_interest
from rewriter.evaluation.run import Run
from rewriter.program import ScalarSpec
from rewriter.state import State

_TEXTS = {
    "divide": "divide by zero",
    "over": "overflow",
    "under": "underflow",
    "invalid": "invalid value",
}
_PLAIN = (int, float, bool, str)


def under_settings(run: Run, state: State, expression: ast.expr) -> ast.expr:
    """Return what computes an expression under the settings of the open blocks.

    What filters of warnings let nobody see is not said, either.
    """
    settings = {name: way for block in run.numpy_errors for name, way in block.items()}
    for name, text in _TEXTS.items() if run.warning_scopes else ():
        if is_of_no_interest(run, state, RuntimeWarning, f"{text} encountered in "):
            settings[name] = "ignore"
    if not settings or not _may_warn(run, expression):
        return expression
    manager = ast.Call(
        func=run.builder.reference(numpy.errstate, None),
        args=[],
        keywords=[ast.keyword(arg=k, value=ast.Constant(value=v)) for k, v in settings.items()],
    )
    nothing = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
    function = ast.Lambda(args=nothing, body=expression)
    return ast.Call(func=ast.Call(func=manager, args=[function], keywords=[]), args=[], keywords=[])


def _may_warn(run: Run, expression: ast.expr) -> bool:
    """Return whether numpy may compute something here: more than Python's own numbers are used."""
    nodes = list(ast.walk(expression))
    if not any(isinstance(node, ast.Call | ast.BinOp | ast.UnaryOp) for node in nodes):
        return False
    names = [node.id for node in nodes if isinstance(node, ast.Name)]
    known = [run.builder.knowns[name].value for name in names if name in run.builder.knowns]
    if any(isinstance(getattr(each, "__self__", None), random.Random) for each in known):
        return False  # what draws numbers stays what it looks like (see ``drawn_numbers``)
    specs = [run.builder.variables[name] for name in names if name in run.builder.variables]
    plain = all(isinstance(spec, ScalarSpec) and spec.type in _PLAIN for spec in specs)
    return not plain or any(map(is_numpy, known))
