"""Which sub-DNNs become one artifact, though the first finds out sizes that the next computes with.

    kept, x = subdnn_0(x)                       kept, x, where = subdnn_2(x)
    if kept.shape[0] <= 0:                      if where == 0:
        raise RuntimeError("nothing")    ->         raise RuntimeError("nothing")
    y = subdnn_1(x, kept)

No trace computes with a size that comes about in it, but a graph of ONNX does: the graphs of both
are put one behind the other, as a linker does it. A test between them that leads to an exception
where nothing is left is made afterwards. What comes behind it is computed in any case, with one
element where there is none (``clamping.py``), and only what computes for any content is linked
(``sure.py``).
"""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from dycl.one_onnx.region import Region, region_of
from hcfg.flow import predecessors, run_order
from hcfg.graph import Branch, Hcfg, HostBlock, HostCode, NodeId, Raise, SubDnn
from hcfg.liveness import Liveness, live, node_reads
from rewriter.program import HostStatement, ScalarSpec, SymbolRange, TensorSpec

_COMPARING = (ast.Name, ast.Constant, ast.Load, ast.Compare, ast.cmpop)
_COUNTING = (ast.Attribute, ast.Subscript, ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.UnaryOp)
_NONE = SymbolRange(minimum=0, maximum=0)
_SOME = SymbolRange(minimum=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class LateTest:
    """A test that is made after what it guards: whether a size is 0; then the program raises."""

    symbol: str
    finder: NodeId
    """The sub-DNN that finds out the size."""
    exit: NodeId


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Sub-DNNs that may be one artifact."""

    region: Region
    subdnns: tuple[NodeId, ...]
    tests: tuple[LateTest, ...]
    """In the order of the program."""
    end: NodeId
    """Where paths go on that raise nothing."""

    @property
    def first_test(self) -> NodeId | None:
        """Return the branch of the first test."""
        nodes = self.region.program.nodes
        return next((n for n in self.region.nodes if isinstance(nodes[n], Branch)), None)


def find_links(graph: Hcfg) -> tuple[Link, ...]:
    """Return the longest lines of sub-DNNs that may be linked."""
    finding = _Finding(graph, predecessors(graph), live(graph))
    links = (finding.link(line) for line in finding.lines())
    return tuple(link for link in links if link is not None)


@dataclass(frozen=True, slots=True)
class _Finding:
    graph: Hcfg
    before: Mapping[NodeId, Sequence[NodeId]]
    liveness: Liveness

    def lines(self) -> Iterator[list[NodeId]]:
        """Yield nodes that run one after the other, but for exceptions: from a sub-DNN to one."""
        seen: set[NodeId] = set()
        for node_id in run_order(self.graph):
            if node_id in seen or not isinstance(self.graph.nodes[node_id], SubDnn):
                continue
            line = [node_id]
            following = self._following(node_id)
            while following is not None and len(self.before[following]) == 1:
                line.append(following)
                following = self._following(following)
            while not isinstance(self.graph.nodes[line[-1]], SubDnn):
                line.pop()
            seen.update(line)
            yield line

    def _following(self, node_id: NodeId) -> NodeId | None:
        match node := self.graph.nodes[node_id]:
            case SubDnn():
                return node.then
            case HostBlock() if all(map(self._may_go, node.statements)):
                return node.then
            case Branch():
                return None if _test(node, self.graph) is None else _passed(node, self.graph)
            case _:
                return None

    def _may_go(self, statement: HostCode) -> bool:
        """Return whether a statement only says what a test is about, and raises nothing."""
        if not isinstance(statement, HostStatement) or statement.target is None:
            return False
        spec = self.graph.variables[statement.target].spec
        is_size = isinstance(spec, ScalarSpec) and spec.size is not None
        kinds = (*_COMPARING, *_COUNTING, ast.unaryop) if is_size else _COMPARING
        return all(isinstance(part, kinds) for part in ast.walk(statement.expression))

    def link(self, line: list[NodeId]) -> Link | None:
        """Return what can be made of a line, None where there is nothing to gain or to be had."""
        subdnns = tuple(n for n in line if isinstance(self.graph.nodes[n], SubDnn))
        if len(subdnns) < 2:
            return None
        tests = self._tests(line)
        last = self.graph.nodes[subdnns[-1]]
        assert isinstance(last, SubDnn)
        if tests is None or any(test.exit == last.then for test in tests):
            return None
        region = region_of(line, self.graph, self.liveness)
        if any(region.slots[test.exit] for test in tests):
            return None
        given = (n for each in subdnns for n in node_reads(self.graph.nodes[each], self.graph))
        names = (*given, *region.inputs, *region.slots[last.then])
        if not all(isinstance(self.graph.variables[n].spec, TensorSpec) for n in names):
            return None
        return Link(region=region, subdnns=subdnns, tests=tests, end=last.then)

    def _tests(self, line: list[NodeId]) -> tuple[LateTest, ...] | None:
        """Return the tests of a line, None where one is of a size that is not found in it."""
        finders: dict[str, NodeId] = {}
        tests: list[LateTest] = []
        for node_id in line:
            node = self.graph.nodes[node_id]
            if isinstance(node, SubDnn):
                known = {*finders, *self._symbols(node.inputs)}
                finders |= dict.fromkeys(self._symbols(node.outputs) - known, node_id)
            if isinstance(node, Branch):
                found = _test(node, self.graph)
                if found is None or found[0] not in finders:
                    return None
                tests.append(LateTest(symbol=found[0], finder=finders[found[0]], exit=found[1]))
        return tuple(tests)

    def _symbols(self, names: Sequence[str]) -> set[str]:
        """Return the sizes that tensors show as they are."""
        specs = (self.graph.variables[name].spec for name in names)
        return {
            size
            for spec in specs
            if isinstance(spec, TensorSpec)
            for size in spec.shape
            if isinstance(size, str) and size.isidentifier()
        }


def _test(node: Branch, graph: Hcfg) -> tuple[str, NodeId] | None:
    """Return the size and the exception of a test whether a size is 0."""
    for target, told, other in (
        (node.if_true, node.sizes_if_true, node.sizes_if_false),
        (node.if_false, node.sizes_if_false, node.sizes_if_true),
    ):
        if isinstance(graph.nodes[target], Raise):
            for symbol, bounds in told.items():
                if bounds == _NONE and other.get(symbol) == _SOME:
                    return symbol, target
    return None


def _passed(node: Branch, graph: Hcfg) -> NodeId:
    """Return where a test of ``_test`` leads where it raises nothing."""
    return node.if_false if isinstance(graph.nodes[node.if_true], Raise) else node.if_true
