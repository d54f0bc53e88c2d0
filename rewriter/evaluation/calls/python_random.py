"""Numbers drawn by Python's ``random``: on the host, where the user allows random numbers."""

import random
from collections.abc import Callable

import libcst as cst

from rewriter.evaluation.calls.special_calls import special
from rewriter.evaluation.host.host_statements import host_scalar
from rewriter.evaluation.rendering import NotMaterial, render, render_call
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import Known, Value

_KINDS: dict[str, type] = {"random": float, "uniform": float, "randint": int, "randrange": int}


def _drawn(name: str, kind: type) -> Callable[..., Outcomes]:
    """Return the rule for one function of ``random``."""
    function = Known(getattr(random, name), f"random.{name}")

    def draw(
        frame: Frame,
        node: cst.CSTNode,
        state: State,
        positional: list[Value],
        keywords: dict[str, Value],
    ) -> Outcomes:
        if not frame.run.options.allow_random:
            frame.refuse(
                "DYCL033",
                node,
                f"random numbers are drawn here (random.{name})",
                "pass the number in as an argument, or pass CompileOptions(allow_random=True)",
            )
        called = render(frame.run, state, function)
        try:
            expression = render_call(frame.run, state, called, positional, keywords)
        except NotMaterial as error:
            frame.refuse("DYCL059", node, f"{error.reason} is passed to random.{name}")
        origin = frame.origin(node)
        yield state, host_scalar(frame.run, state, expression, kind, origin, effect=True)

    return draw


for _name, _kind in _KINDS.items():
    special(getattr(random, _name))(_drawn(_name, _kind))
