"""How close tests inside tensor code came to going the other way.

``if (p > 0.5).item():`` compares inside a sub-DNN: the host sees a yes or no, and from a yes
nobody can tell 0.51 from 0.99. So the graph runs once more with PyTorch, and beside every
tensor of answers stands a tensor of margins: how far apart the numbers were that each answer
compares. Whatever keeps answers in their places (``.float()``, ``.view()``, ``[t]``, ``~``)
keeps their margins too, and comparing an answer (``mask > 0``) has the margin of the answer.
What is not followed, such as arithmetic with answers, has no margin: none is made up.
"""

import ast
import math
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakIdKeyDictionary

from dycl.verification.observation import Step
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    HostCode,
    LoopHead,
    NodeId,
    Raise,
    Return,
    SubDnn,
    is_tensor,
)
from hcfg.interpret import Interpreter
from hcfg.names import names_in
from hcfg.statements import all_writes, writes
from rewriter.diagnostics import DyclBug
from rewriter.program import CallStatement, HostStatement

_COMPARISONS = frozenset({"gt", "ge", "lt", "le", "eq", "ne"})

_MOVING = frozenset(
    {"view", "_unsafe_view", "reshape", "squeeze", "unsqueeze", "expand", "select", "slice",
     "permute", "transpose", "t", "clone", "detach", "alias"}
)  # fmt: skip
"""Operations whose result has the elements of their first argument, elsewhere."""

_KEEPING = frozenset({"_to_copy", "logical_not", "bitwise_not", "neg", "lift_fresh"})
"""Operations that change an answer where it stands, and nothing about how close it was."""

_Known = tuple[Tensor, int]
"""Margins, and the version of the tensor they belong to: written in place, it has none."""


class MarginMode(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types here
    """While active, remembers the margins of what comparisons give."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._known: Any = WeakIdKeyDictionary()

    def __torch_dispatch__(
        self,
        function: Any,
        types: Sequence[type],
        args: tuple[Any, ...] = (),
        kwargs: dict[str, Any] | None = None,
    ) -> object:
        """Run an operation, and find the margins of its result."""
        result = function(*args, **(kwargs or {}))
        if isinstance(result, Tensor):
            margins = self._margins(function, args, result)
            if margins is not None and not result.is_inference():
                known: _Known = (margins, result._version)
                self._known[result] = known
        return result

    def of(self, tensor: Tensor) -> Tensor | None:
        """Return the margins of a tensor's elements, None where they are not known."""
        found: _Known | None = self._known.get(tensor)
        return found[0] if found is not None and found[1] == tensor._version else None

    def _margins(self, function: Any, args: tuple[Any, ...], result: Tensor) -> Tensor | None:
        name = function.overloadpacket.__name__
        if name in _COMPARISONS:
            return self._of_comparison(args[0], args[1], result)
        first = self.of(args[0]) if args and isinstance(args[0], Tensor) else None
        if first is None:
            return None
        if name in _KEEPING:
            return first
        if name in _MOVING:
            moved: Tensor = function(first, *args[1:])
            return moved
        return None

    def _of_comparison(self, left: Any, right: Any, result: Tensor) -> Tensor | None:
        tensors = [x for x in (left, right) if isinstance(x, Tensor)]
        answers = [margins for x in tensors if (margins := self.of(x)) is not None]
        if answers:
            return torch.stack([m.expand(result.shape) for m in answers]).amin(0)
        if not any(x.is_floating_point() for x in tensors):
            return None  # whole numbers do not come close
        wide = [x.double() if isinstance(x, Tensor) else x for x in (left, right)]
        return (wide[0] - wide[1]).abs().expand(result.shape)


def margins_along(
    graph: Hcfg, arguments: Sequence[object], keywords: Mapping[str, object]
) -> tuple[Step, ...]:
    """Run a graph with PyTorch; return the tests on the way, with those margins it can tell.

    An exception that the program raises ends the way.
    """
    way = _Way(graph=graph)
    with way.mode:
        try:
            Interpreter(graph=graph, observe=way.note).call(arguments, keywords)
        except DyclBug:
            raise
        except Exception:  # the user's own: verification compares it elsewhere
            return tuple(way.steps)
    return tuple(way.steps)


@dataclass(slots=True, kw_only=True)
class _Way:
    """The tests of one call, and the margins of the answers that its host variables hold."""

    graph: Hcfg
    mode: MarginMode = field(default_factory=MarginMode)
    steps: list[Step] = field(default_factory=list)
    answers: dict[str, float] = field(default_factory=dict)

    def note(self, node_id: NodeId, after: NodeId, values: Mapping[str, object]) -> None:
        """Take note of a node that ran."""
        node, variables = self.graph.nodes[node_id], self.graph.variables
        match node:
            case Branch():
                margin = self._margin(node.condition, values)
                outcome = after == node.if_true
                self.steps.append(Step(node=node_id, outcome=outcome, margin=margin))
            case HostBlock():
                unclear = frozenset(
                    n for n in all_writes(node.statements) if is_tensor(n, variables)
                )
                for statement in node.statements:
                    self._assign(statement, values, unclear)
            case Entry() | SubDnn() | LoopHead() | Return() | Raise():
                pass

    def _assign(
        self, statement: HostCode, values: Mapping[str, object], unclear: frozenset[str]
    ) -> None:
        """Take note of a statement's result; ``unclear`` tensors hold another value by now."""
        if isinstance(statement, CallStatement):
            self.answers.clear()  # the call may have run this very code, with other values
        for name in writes(statement):
            self.answers.pop(name, None)
        if isinstance(statement, HostStatement) and statement.target is not None:
            margin = self._margin(statement.expression, values)
            if margin is not None and unclear.isdisjoint(names_in(statement.expression)):
                self.answers[statement.target] = margin

    def _margin(self, expression: ast.expr, values: Mapping[str, object]) -> float | None:
        """Return how close an expression was to another value: it must read one answer only."""
        read = [name for name in names_in(expression) if name in values]
        if len(read) != 1:
            return None
        value = values[read[0]]
        if not isinstance(value, Tensor):
            return self.answers.get(read[0])
        margins = self.mode.of(value) if value.numel() == 1 else None
        margin = math.nan if margins is None else float(margins.item())
        return margin if math.isfinite(margin) else None


def with_margins(
    steps: Sequence[Step], known: Sequence[Step], common: AbstractSet[str] | None = None
) -> list[Step]:
    """Return the host's steps with the margins of the same steps under PyTorch.

    The ways are compared up to the first step that goes elsewhere; its margin says why. Steps at
    nodes that are not ``common`` to both graphs are left out: they are about what became an
    artifact with decisions inside.
    """
    filled = list(steps)
    own = [each for each in enumerate(steps) if common is None or each[1].node in common]
    others = [step for step in known if common is None or step.node in common]
    for (position, taken), other in zip(own, others, strict=False):
        if taken.node != other.node:
            break
        if other.margin is not None:
            filled[position] = Step(node=taken.node, outcome=taken.outcome, margin=other.margin)
        if taken.outcome != other.outcome:
            break
    return filled
