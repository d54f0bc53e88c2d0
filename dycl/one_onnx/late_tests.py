"""Writes linked sub-DNNs as one straight graph, with the tests between them at its end."""

import ast
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from onnx import NodeProto, TensorProto

from dycl.one_onnx.clamping import finding_one
from dycl.one_onnx.graphs import GraphWriter, Value
from dycl.one_onnx.inlining import Exported, SubDnns, all_nodes
from dycl.one_onnx.linking import LateTest, Link
from dycl.one_onnx.paths import Scope
from dycl.one_onnx.result_forms import exit_codes
from dycl.one_onnx.results import Results
from hcfg.graph import NodeId, Return, SubDnn


def finding_something(
    link: Link, exported: Mapping[NodeId, Exported]
) -> dict[NodeId, Exported] | None:
    """Return the graphs of sub-DNNs, of which those find at least one element that a test is about.

    Each has one more output for each test. None where it cannot be told what a test is about.
    """
    found = dict(exported)
    for number, test in enumerate(link.tests):
        clamped = _finding_something(found[test.finder], test, _truth(number))
        if clamped is None:
            return None
        found[test.finder] = clamped
    return found


def _finding_something(part: Exported, test: LateTest, name: str) -> Exported | None:
    for output, port in enumerate(part.subdnn.outputs):
        for dim, size in enumerate(port.shape):
            skeleton = finding_one(part.skeleton, output, dim) if size == test.symbol else None
            if skeleton is not None:
                return replace(part, skeleton=skeleton, more=(*part.more, name))
    return None


def _truth(number: int) -> str:
    """Return what the value is called that says whether nothing is raised at a test."""
    return f"the outcome of test {number}"


def _as_ever(nodes: Sequence[NodeProto], truths: Collection[str]) -> set[str]:
    """Return the names of nodes that have no part in what is found where there is nothing.

    What is found begins with what reads one of the ``truths``.
    """
    changed = set(truths)
    found: set[str] = set()
    for node in nodes:
        read = {name for each in all_nodes([node]) for name in each.input}
        if changed.isdisjoint(read):
            found.add(node.name)
        else:
            changed.update(node.output)
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWriter:
    """Writes one link."""

    link: Link
    subdnns: SubDnns
    results: Results
    before_tests: set[str] = field(default_factory=set)
    """The nodes that run before the first test would, as they do in the program."""

    def write(self, inputs: Mapping[str, Value], writer: GraphWriter) -> list[Value]:
        """Write the sub-DNNs, then the tests; return the values of the outputs."""
        scope = Scope(writer=writer, values=dict(inputs))
        first = self.link.first_test
        for node_id in self.link.region.nodes:
            if node_id in self.link.subdnns:
                self.subdnns.write(node_id, scope)
            if node_id == first:
                self.before_tests.update(_as_ever(writer.nodes, self._truths(scope)))
        program = self.link.region.program
        last = program.nodes[self.link.subdnns[-1]]
        assert isinstance(last, SubDnn)
        end = program.nodes[last.then]
        assert isinstance(end, Return)
        values: list[Value] = []
        for place, part in zip(self.results.places, self.results.parts(end.value), strict=True):
            if place == self.results.chosen:
                values.append(self._chosen(scope))
            else:
                assert isinstance(part, ast.Name)
                values.append(scope.values[part.id])
        return values

    def _truths(self, scope: Scope) -> set[str]:
        """Return the values that say what is found, of those that are written."""
        names = (_truth(number) for number in range(len(self.link.tests)))
        return {scope.values[name].name for name in names if name in scope.values}

    def _chosen(self, scope: Scope) -> Value:
        """Return the number of the exit: that of the first test that leads to an exception."""
        writer, codes = scope.writer, exit_codes(self.results.variants)
        truths = [scope.values[_truth(number)] for number in range(len(self.link.tests))]
        exits: Sequence[NodeId] = [*(test.exit for test in self.link.tests), self.link.end]
        end = writer.constant([False], np.bool_)
        shape = (len(exits),)
        passed = writer.add("Concat", *truths, end, element=TensorProto.BOOL, shape=shape, axis=0)
        ways = writer.add(
            "Cast", passed, element=TensorProto.INT32, shape=shape, to=TensorProto.INT32
        )
        first = writer.add("ArgMin", ways, element=TensorProto.INT64, axis=0, keepdims=0)
        numbers = [codes[each] for each in exits]
        if numbers == [*range(len(exits))]:
            return first
        table = writer.constant(numbers, np.int64)
        return writer.add("Gather", table, first, element=TensorProto.INT64, axis=0)
