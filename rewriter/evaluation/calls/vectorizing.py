"""``torch.vmap`` of the user's functions: inlined for each example.

PyTorch runs the function once, on all examples together, and raises where it would have to decide
by what they hold. Such functions are refused, and so are results that no example changes where
``out_dims`` says None.
"""

import types

import libcst as cst
import torch
from torch._functorch import apis

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.preluding import inlined
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import vectorizing
from rewriter.state import State
from rewriter.values import Known, Value

special(torch.vmap)(inlined(vectorizing.vmap))

_MAPPED = next(
    each
    for each in apis.vmap.__code__.co_consts
    if isinstance(each, types.CodeType) and each.co_name == "wrapped"
)
"""The code of what ``torch.vmap`` returns, where it was called before the model was."""


@special(vectorizing.one_way)
def one_way(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call a function; refuse it where it takes more than one way."""
    begin = state.block
    for after, value in call_value(frame, node, state, positional[0], positional[1:], keywords):
        if after.block != begin:
            frame.refuse(
                "DYCL045",
                node,
                "a function that decides by what an example holds is passed to torch's vmap()",
                help="PyTorch raises here: decide with torch.where",
            )
        yield after, value


def mapped_rule(content: object) -> SpecialRule | None:
    """Return the rule for calls of what ``torch.vmap`` made when the model was built."""
    if not isinstance(content, types.FunctionType) or content.__code__ is not _MAPPED:
        return None
    names = content.__code__.co_freevars
    cells = dict(zip(names, content.__closure__ or (), strict=True))
    made: list[Value] = [
        Known(cells[name].cell_contents) for name in ("func", "in_dims", "out_dims")
    ]

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        again = Known(vectorizing.vmap)
        for after, function in call_value(frame, node, state, again, made, {}):
            yield from call_value(frame, node, after, function, positional, keywords)

    return call
