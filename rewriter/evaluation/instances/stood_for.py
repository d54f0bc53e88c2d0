"""Classes of the prelude that stand for a library's: containers of modules, queues, ...

Containers of modules are evaluated as modules of the user's classes are (see ``made_modules``).
"""

import contextlib
import contextvars
import functools
import inspect
import queue

import libcst as cst
import torch
from torch import nn
from torch.nn.utils import rnn
from torch.utils.hooks import RemovableHandle

from rewriter.class_members import class_member
from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import (
    applying,
    contexts,
    futures,
    hashing,
    hooks,
    identity_keys,
    identity_sets,
    managing,
    module_containers,
    packing,
    queues,
    signatures,
)
from rewriter.state import State
from rewriter.values import Known

_CONTAINERS = {
    nn.Sequential: module_containers.Sequential,
    nn.ModuleList: module_containers.ModuleList,
    nn.ModuleDict: module_containers.ModuleDict,
}
_MADE: dict[type, type] = {
    **_CONTAINERS,
    contextlib.ExitStack: managing.ExitStack,
    contextlib.closing: managing.closing,
    queue.Queue: queues.Queue,
    queue.LifoQueue: queues.LifoQueue,
    queue.PriorityQueue: queues.PriorityQueue,
}
_STOOD_FOR: dict[type, type] = {
    packing.PackedSequence: rnn.PackedSequence,
    applying.partial: functools.partial,
    hashing.HashNumber: int,
    contexts.Token: contextvars.Token,
    hooks.RemovableHandle: RemovableHandle,
    signatures.BoundArguments: inspect.BoundArguments,
    futures.Future: torch._C.Future,
    **identity_keys.STOOD_FOR,
    **identity_sets.STOOD_FOR,
    **{own: library for library, own in _MADE.items()},
}


def library_class(kind: type) -> type:
    """Return the library's class that a class of the prelude stands for, else the class itself."""
    return _STOOD_FOR.get(kind, kind)


def lacks(kind: type, name: str) -> bool:
    """Return whether a class stands for one with a method or attribute that it has not itself."""
    library = library_class(kind)
    return library is not kind and _defines(library, name) and not _defines(kind, name)


def _defines(kind: type, name: str) -> bool:
    """Return whether a class has more under a name than every object has."""
    found = class_member(kind, name)
    return found is not class_member(object, name)


def hides(kind: type, field: str) -> bool:
    """Return whether the class that a class stands for has no such field."""
    library = library_class(kind)
    return not issubclass(kind, library) and not hasattr(library, field)


def _making(own: type) -> SpecialRule:
    def make(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        return call_value(frame, node, state, Known(own), positional, keywords)

    return make


for _library, _own in _MADE.items():
    special(_library)(_making(_own))
