"""Containers of modules made in the call: classes of the prelude stand for torch's.

They are evaluated as modules of the user's classes are (see ``made_modules``).
"""

import libcst as cst
from torch import nn

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import module_containers
from rewriter.state import State
from rewriter.values import Known

_CONTAINERS = {
    nn.Sequential: module_containers.Sequential,
    nn.ModuleList: module_containers.ModuleList,
    nn.ModuleDict: module_containers.ModuleDict,
}
_STOOD_FOR: dict[type, type] = {own: library for library, own in _CONTAINERS.items()}


def library_class(kind: type) -> type:
    """Return the class of torch that a class of the prelude stands for, else the class itself."""
    return _STOOD_FOR.get(kind, kind)


def _making(own: type) -> SpecialRule:
    def make(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        return call_value(frame, node, state, Known(own), positional, keywords)

    return make


for _library, _own in _CONTAINERS.items():
    special(_library)(_making(_own))
