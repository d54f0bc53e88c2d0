"""Where paths end, and how two that may end apart are written as one ``If``."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from onnx import TensorProto

from dycl.one_onnx.graphs import GraphWriter, Shape, Value
from hcfg.graph import NodeId

TypeOf = Callable[[str], tuple[int, Shape]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """A graph being written, and the values that variables have at the end of it."""

    writer: GraphWriter
    values: dict[str, Value]
    depth: int = 0

    def inner(self) -> "Scope":
        """Return a scope for the inside of a node."""
        return Scope(writer=self.writer.inner(), values=dict(self.values), depth=self.depth + 1)

    def value(self, name: str, type_of: TypeOf) -> Value:
        """Return a variable's value; any value where it has none, and nobody will look at it."""
        if name in self.values:
            return self.values[name]
        return self.writer.zeros(*type_of(name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ends:
    """The nodes that come next: one, or one of several."""

    targets: tuple[NodeId, ...]
    choice: Value | None = None
    """Of two: true for the first one. Of more: the number of the target."""


def single(target: NodeId) -> Ends:
    """Return the only node that comes next."""
    return Ends(targets=(target,))


@dataclass(frozen=True, slots=True)
class Choosing:
    """Computes with what says which node comes next."""

    number: Callable[[NodeId], int]

    def arrives(self, ends: Ends, target: NodeId, writer: GraphWriter) -> Value:
        """Return whether ``target`` comes next."""
        if target not in ends.targets or ends.choice is None:
            return writer.constant(target in ends.targets, np.bool_)
        if len(ends.targets) == 2:
            first = target == ends.targets[0]
            return ends.choice if first else _add("Not", TensorProto.BOOL, writer, ends.choice)
        return _add("Equal", TensorProto.BOOL, writer, ends.choice, self._code(target, writer))

    def choice(self, ends: Ends, targets: tuple[NodeId, ...], writer: GraphWriter) -> Value | None:
        """Return what says the same among ``targets``, of which the ends are some."""
        if len(targets) == 1:
            return None
        if len(targets) == 2:
            return self.arrives(ends, targets[0], writer)
        if ends.choice is None:
            return self._code(ends.targets[0], writer)
        if len(ends.targets) > 2:
            return ends.choice
        codes = [self._code(target, writer) for target in ends.targets]
        return _add("Where", TensorProto.INT64, writer, ends.choice, *codes)

    def without(self, ends: Ends, target: NodeId, writer: GraphWriter) -> Ends:
        """Return the ends where it is known that ``target`` is not next."""
        rest = tuple(each for each in ends.targets if each != target)
        if len(rest) == 2:
            return Ends(targets=rest, choice=self.arrives(ends, rest[0], writer))
        return Ends(targets=rest, choice=None if len(rest) == 1 else ends.choice)

    def _code(self, target: NodeId, writer: GraphWriter) -> Value:
        return writer.constant(self.number(target), np.int64)


def _add(operator: str, element: int, writer: GraphWriter, *inputs: Value) -> Value:
    return writer.add(operator, *inputs, element=element)


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """What was written for one answer, and where it leads."""

    scope: Scope
    ends: Ends


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining:
    """Writes ``If`` nodes."""

    choosing: Choosing
    in_order: Callable[[tuple[NodeId, ...]], tuple[NodeId, ...]]
    live: Mapping[NodeId, frozenset[str]]
    type_of: TypeOf

    def join(self, test: Value, then: Arm, other: Arm, scope: Scope) -> Ends:
        """Write ``then`` or ``other``, by the truth of ``test``; return where they lead."""
        targets = self.in_order((*then.ends.targets, *other.ends.targets))
        choice: Value | None = None
        wants_choice = len(targets) > 1
        if wants_choice and len(then.ends.targets) == len(other.ends.targets) == 1:
            # the test itself says where a path leads
            targets, choice, wants_choice = (*then.ends.targets, *other.ends.targets), test, False
        needed = sorted(frozenset().union(*(self.live[target] for target in targets)))
        agreed = self._agreed(then, other, needed)
        scope.values.update(agreed)
        values_of = (then.scope.values, other.scope.values)
        names = [n for n in needed if n not in agreed and any(n in v for v in values_of)]
        outputs = [[arm.scope.value(n, self.type_of) for n in names] for arm in (then, other)]
        if wants_choice:
            for arm, values in zip((then, other), outputs, strict=True):
                value = self.choosing.choice(arm.ends, targets, arm.scope.writer)
                assert value is not None
                values.append(value)
        if outputs[0]:
            results = self._write(test, (then, other), names, outputs, scope)
            choice = results[len(names)] if wants_choice else choice
            scope.values.update(zip(names, results, strict=False))
        return Ends(targets=targets, choice=choice)

    def _agreed(self, then: Arm, other: Arm, needed: Iterable[str]) -> dict[str, Value]:
        """Return the variables that have one value in both arms; it was made before them."""
        pairs = ((name, then.scope.values.get(name)) for name in needed)
        return {n: v for n, v in pairs if v is not None and v == other.scope.values.get(n)}

    def _write(
        self,
        test: Value,
        arms: tuple[Arm, Arm],
        names: list[str],
        outputs: list[list[Value]],
        scope: Scope,
    ) -> list[Value]:
        types = [self.type_of(name) for name in names]
        types += [(value.element, ()) for value in outputs[0][len(names) :]]
        shapes = [shape for _, shape in types]
        results = [
            Value(name=scope.writer.name(hint), element=element, shape=shape)
            for hint, (element, shape) in zip((*names, "next"), types, strict=False)
        ]
        graphs = [
            arm.scope.writer.graph(word, (), values, shapes)
            for arm, values, word in zip(arms, outputs, ("then", "else"), strict=True)
        ]
        scope.writer.add_node("If", (test,), results, then_branch=graphs[0], else_branch=graphs[1])
        return results
