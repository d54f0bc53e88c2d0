"""Numbers drawn by Python's and numpy's generators: on the host, from the same state.

Whether the program may depend on them is asked when it is whole (``rewriter.drawn_numbers``).
"""

from collections.abc import Callable

import libcst as cst

from rewriter.drawn_numbers import DRAWING
from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value


def _drawn(name: str, drawing: Callable[..., object], kind: type) -> Callable[..., Outcomes]:
    """Return the rule for one function."""
    function = Known(drawing, name)

    def draw(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        if not all(map(_is_number, (*positional, *keywords.values()))):
            frame.refuse("DYCL059", node, f"{name}() is given something else than numbers")
        if "size" in keywords or len(positional) > _MOST.get(name, 2):
            frame.refuse("DYCL059", node, f"{name}() makes an array")
        called = render(frame.run, state, function)
        expression = render_call(frame.run, state, called, positional, keywords)
        origin = frame.origin(node)
        number = host_scalar(frame.run, state, expression, kind, origin, effect=True)
        if name in _FRACTIONS:
            frame.run.fractions.add(number.name)
        yield state, number

    return draw


_FRACTIONS = ("random.random", "numpy.random.rand", "numpy.random.random")
"""What draws from 0 to 1, without 1."""

_MOST = {"numpy.random.rand": 0, "numpy.random.random": 0, "random.randrange": 3}
"""How many numbers are given where the result is a number, if not two."""


def _is_number(value: Value) -> bool:
    known = isinstance(value, Known) and isinstance(value.value, int | float)
    return known or isinstance(value, ScalarValue)


for _name, (_drawing, _kind) in DRAWING.items():
    special(_drawing)(_drawn(_name, _drawing, _kind))
