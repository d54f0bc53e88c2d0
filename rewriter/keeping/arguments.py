"""Arguments that the call writes in place: the caller sees it, on the host as under PyTorch.

A sub-DNN does not write into the arrays that it is given. So the array of the caller is held
by a variable of its own from the entry on, and gets the content at every end of the call.
"""

import ast
import operator

from rewriter.evaluation.rendering import call_expression, name_expression
from rewriter.evaluation.run import Run
from rewriter.origin import Origin
from rewriter.program import HostSpec, HostStatement
from rewriter.state import State
from rewriter.values import TensorValue


def lend(run: Run, state: State, origin: Origin) -> None:
    """At the entry: hold the arrays of the arguments that are known to be written."""
    for place in sorted(run.plan.lent & run.arguments.keys()):
        value = run.arguments[place]
        holder = run.builder.variable(f"{place}_given", HostSpec(description="array"))
        statement = HostStatement(
            target=holder, expression=name_expression(value.name), origin=origin, effect=True
        )
        run.builder.emit(state.block, statement)
        run.holders[place] = holder
        state.attributes[_key(run, place)] = value


def give_back(run: Run, state: State, origin: Origin) -> None:
    """At an end: put the content of the arguments into the caller's arrays.

    A function of its own does not write into them, and its caller gave back before the call.
    """
    if run.containers.start is not None:
        return
    for place, holder in run.holders.items():
        value = state.attributes[_key(run, place)]
        assert isinstance(value, TensorValue)
        now = state.current(value)
        if now.name == run.arguments[place].name:
            continue
        function = run.builder.reference(operator.setitem, "operator.setitem")
        everything = ast.Constant(value=Ellipsis)
        expression = call_expression(
            function, [name_expression(holder), everything, name_expression(now.name)]
        )
        run.builder.emit(
            state.block,
            HostStatement(target=None, expression=expression, origin=origin, effect=True),
        )


def _key(run: Run, place: str) -> tuple[int, str]:
    return id(run.arguments), place
