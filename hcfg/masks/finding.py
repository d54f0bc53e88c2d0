"""Layers that need not run where a mask is 0.

``a + layers(x) * mask`` and ``where(mask, layers(x), a)`` are ``a`` there, up to the sign of zeros,
if the layers give finite numbers.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import torch

from hcfg.copies import conflict
from hcfg.graph import Hcfg, SubDnn
from hcfg.masks.bounds import has_rule, limit_of
from hcfg.masks.contents import MASK, Contents, few_contents
from hcfg.masks.values import Operation, Trace, Value
from hcfg.masks.zero_signs import shows_zero_signs
from hcfg.statements import exposed_reads, may_raise, reads, writes
from rewriter.program import TensorSpec, TensorStatement

_COSTLY = frozenset({"convolution", "mm", "addmm", "bmm", "baddbmm"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Skippable:
    """Statements whose result does not matter where a mask is 0, by their positions."""

    layers: frozenset[int]
    """What only that result needs."""
    joining: frozenset[int]
    """What takes the result to the sum: the product, the sum, and what lies between."""
    result: str
    mask: str
    limits: tuple[tuple[str, float], ...]
    """What the layers read, and how large it may get. Nothing where the result is selected."""

    @property
    def moved(self) -> frozenset[int]:
        """Return the statements that leave their place."""
        return self.layers | self.joining

    @property
    def place(self) -> int:
        """Return the position of the sum."""
        return max(self.joining)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pattern:
    """Where a value is multiplied with a mask, and the product added to something."""

    result: Value
    mask: Value
    first: Operation
    """What reads the mask."""
    last: Operation
    """What gives the sum."""

    @property
    def selects(self) -> bool:
        """Return whether what is not wanted is left out, not multiplied by 0."""
        return self.first.name == "where"


def skippable_parts(node: SubDnn, trace: Trace, graph: Hcfg) -> tuple[Skippable, ...]:
    """Return what can be skipped in a sub-DNN; nothing belongs to two of them."""
    search = _Search(node=node, trace=trace, graph=graph, few=few_contents(trace))
    found: list[Skippable] = []
    for pattern in reversed(tuple(search.patterns())):  # what holds others comes after them
        part = search.part(pattern)
        if part is not None and all(part.moved.isdisjoint(other.moved) for other in found):
            found.append(part)
    return tuple(reversed(found))


@dataclass(slots=True, kw_only=True)
class _Search:
    """The statements of one sub-DNN, with what reads what."""

    node: SubDnn
    trace: Trace
    graph: Hcfg
    few: Mapping[Value, Contents]
    makers: dict[Value, Operation] = field(default_factory=dict)
    consumers: dict[Value, list[Operation]] = field(default_factory=lambda: defaultdict(list))
    readers: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    """The positions of the statements that read a variable."""
    assignments: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        """Look at all operations and statements."""
        for operation in self.trace.operations:
            self.makers.update(dict.fromkeys(operation.results, operation))
            for operand in operation.operands:
                self.consumers[operand].append(operation)
        self.assignments.update(self.node.inputs)
        for position, statement in enumerate(self.node.statements):
            self.assignments.update(writes(statement))
            for name in reads(statement, self.graph.variables):
                self.readers[name].add(position)

    def patterns(self) -> Iterator[_Pattern]:
        """Yield the sums and selections with a mask, in order."""
        for operation in self.trace.operations:
            for pattern in self._at(operation):
                if self._is_mask(pattern.mask) and self._is_alone(pattern):
                    yield pattern

    def _is_mask(self, value: Value) -> bool:
        return value.content is None and self.few.get(value) == MASK

    def _at(self, last: Operation) -> Iterator[_Pattern]:
        given = last.arguments
        match last.name:
            case "add" if given["alpha"] == 1:
                for name in ("self", "other"):
                    product = given[name]
                    maker = self.makers.get(product) if isinstance(product, Value) else None
                    if maker is not None and maker.name == "mul":
                        yield from _factors(maker, last, "self", "other")
            case "addcmul" if given["value"] == 1:
                yield from _factors(last, last, "tensor1", "tensor2")
            case "where":
                mask, result = given["condition"], given["self"]
                if isinstance(mask, Value) and isinstance(result, Value):
                    yield _Pattern(result=result, mask=mask, first=last, last=last)
            case _:  # no sum
                return

    def _is_alone(self, pattern: _Pattern) -> bool:
        """Return whether nothing else looks at the result of the layers, or at the product."""
        product = pattern.first.results[0]
        return (
            pattern.result.dtype in (torch.float32, torch.float64)
            and self.consumers[pattern.result] == [pattern.first]
            and (pattern.first is pattern.last or self.consumers[product] == [pattern.last])
        )

    def part(self, pattern: _Pattern) -> Skippable | None:
        """Return what a pattern lets skip, None where that is not sound or does not pay."""
        wanted = reads(self.node.statements[pattern.first.statement], self.graph.variables)
        names = {self.trace.variables[n]: n for n in wanted if n in self.trace.variables}
        result, mask = names.get(pattern.result), names.get(pattern.mask)
        if result is None or mask is None or not self._has_fixed_shape(result):
            return None
        joining = self._joining(result, pattern)
        layers = self._layers(result, joining)
        if not layers or not self._pays(layers) or not self._moves(layers | joining):
            return None
        if any(mask in writes(self.node.statements[position]) for position in layers):
            return None
        limits = self._limits(layers, pattern)
        if limits is None:
            return None
        return Skippable(
            layers=layers, joining=joining, result=result, mask=mask, limits=tuple(limits.items())
        )

    def _has_fixed_shape(self, name: str) -> bool:
        spec = self.graph.variables[name].spec
        return isinstance(spec, TensorSpec) and all(isinstance(size, int) for size in spec.shape)

    def _joining(self, result: str, pattern: _Pattern) -> frozenset[int]:
        """Return the statements through which a result gets to the sum; none if it gets further."""
        last = pattern.last.statement
        reached, found = {result}, set[int]()
        for position in range(last + 1):
            statement = self.node.statements[position]
            if reached & {*reads(statement, self.graph.variables)}:
                found.add(position)
                reached.update(writes(statement))
        inner = reached - {*writes(self.node.statements[last])}
        escapes = inner & {*self.node.outputs} or any(self.readers[n] - found for n in inner)
        return frozenset() if escapes or last not in found else frozenset(found)

    def _layers(self, result: str, joining: frozenset[int]) -> frozenset[int]:
        """Return the statements that only a result needs, with the one that gives it."""
        if not joining:
            return frozenset()
        found: set[int] = set()
        for position in reversed(range(min(joining))):
            names = writes(self.node.statements[position])
            users = set[int]().union(*(self.readers[name] for name in names))
            allowed = found | joining if result in names else found
            if users and users <= allowed and not {*names} & {*self.node.outputs}:
                found.add(position)
        gives = any(result in writes(self.node.statements[position]) for position in found)
        return frozenset(found) if gives else frozenset()

    def _pays(self, layers: frozenset[int]) -> bool:
        return any(o.statement in layers and o.name in _COSTLY for o in self.trace.operations)

    def _moves(self, moved: frozenset[int]) -> bool:
        """Return whether statements can run later than others that follow them."""
        statements = self.node.statements
        names = {n for p in moved for n in writes(statements[p])}
        names.update(n for p in moved for n in reads(statements[p], self.graph.variables))
        return (
            all(isinstance(statements[p], TensorStatement) for p in moved)
            and not any(may_raise(statements[p]) for p in moved)
            and all(self.assignments[name] == 1 for name in names)
            and not any(
                conflict(statements[early], statements[late], self.graph.variables)
                for early in moved
                for late in range(early + 1, max(moved))
                if late not in moved
            )
        )

    def _limits(self, layers: frozenset[int], pattern: _Pattern) -> dict[str, float] | None:
        """Return up to which size of what they read layers may be skipped; None for never."""
        inside = [o for o in self.trace.operations if o.statement in layers]
        if not all(has_rule(operation) or not operation.operands for operation in inside):
            return None
        if pattern.selects:
            return {}
        if shows_zero_signs(self.trace, pattern.last.results[0], self.node, self.graph):
            return None
        statements = [self.node.statements[position] for position in sorted(layers)]
        read = {
            n: self.trace.variables.get(n) for n in exposed_reads(statements, self.graph.variables)
        }
        values = {value for value in read.values() if value is not None}
        limit = limit_of(self.trace, layers, pattern.result, values, self.few)
        if limit is None or len(values) < len(read):
            return None
        return {
            name: limit
            for name, value in read.items()
            if value is not None and value.dtype.is_floating_point and value not in self.few
        }


def _factors(product: Operation, last: Operation, left: str, right: str) -> Iterator[_Pattern]:
    """Yield both readings of a product."""
    given = product.arguments
    for result, mask in ((given[left], given[right]), (given[right], given[left])):
        if isinstance(result, Value) and isinstance(mask, Value):
            yield _Pattern(result=result, mask=mask, first=product, last=last)
