"""Which functions may put off their tensor code, to compute it for many calls at once.

```
def encode(node):                                in_batches(encode, tree):
    if node.left is None:                            encode(tree), where subdnn_1 and subdnn_2
        return subdnn_1(node.word)                   only write down what they are called with
    left = encode(node.left)               ->        then all of subdnn_1 at once; then subdnn_2,
    right = encode(node.right)                       one level of the tree after the other, each
    return subdnn_2(left, right)                     level at once
```

Looks, Herreshoff, Hutchins, Norvig: "Deep Learning with Dynamic Computation Graphs", ICLR 2017;
Neubig, Goldberg, Dyer: "On-the-fly Operation Batching in Dynamic Computation Graphs", NIPS 2017;
Xu et al.: "Cavs", USENIX ATC 2018. Here each batch is a sub-DNN like any other.

Nobody may notice: the host code in between neither looks at the results of these sub-DNNs nor
changes anything, so that a call that fails may be made again, one sub-DNN after the other.
"""

from collections.abc import Callable, Mapping, Sequence, Set

import networkx

from hcfg.flow import part_of
from hcfg.graph import Hcfg, NodeId, SubDnn, called_functions, successors
from hcfg.late_results import are_only_handed_on


def functions_in_batches(graph: Hcfg, can_batch: Callable[[NodeId], bool]) -> tuple[str, ...]:
    """Return the functions whose tensor code may be put off, where that can make batches.

    They call themselves more than once, so that there is something to do at the same time.
    ``can_batch`` says of which sub-DNNs there is one for batches.
    """
    parts, calls = _parts(graph), _calls(graph)
    return tuple(
        name
        for name in graph.functions
        if _calls_itself_often(graph, parts[name], _on_cycles_with(calls, name))
        and _qualify(graph, [n for each in _inside(calls, name) for n in parts[each]], can_batch)
    )


def subdnns_of(graph: Hcfg, names: Sequence[str]) -> tuple[NodeId, ...]:
    """Return the sub-DNNs of functions and of those that they call, in order."""
    calls = _calls(graph)
    together = {each for name in names for each in _inside(calls, name)}
    nodes = (n for name, part in _parts(graph).items() if name in together for n in part)
    return tuple(node_id for node_id in nodes if isinstance(graph.nodes[node_id], SubDnn))


def callers_outside(graph: Hcfg, name: str) -> frozenset[str | None]:
    """Return whose calls of a function are no part of one that is under way."""
    return frozenset({None, *graph.functions}.difference(_inside(_calls(graph), name)))


def _parts(graph: Hcfg) -> Mapping[str, Sequence[NodeId]]:
    return {name: part_of(graph, each.entry) for name, each in graph.functions.items()}


def _calls(graph: Hcfg) -> "networkx.DiGraph[str]":
    """Return which function calls which."""
    calls: networkx.DiGraph[str] = networkx.DiGraph()
    calls.add_nodes_from(graph.functions)
    for name, part in _parts(graph).items():
        for node_id in part:
            calls.add_edges_from((name, each) for each in called_functions(graph.nodes[node_id]))
    return calls


def _inside(calls: "networkx.DiGraph[str]", name: str) -> Sequence[str]:
    """Return a function and those that its calls come to."""
    return sorted({name, *networkx.descendants(calls, name)})


def _on_cycles_with(calls: "networkx.DiGraph[str]", name: str) -> Set[str]:
    """Return the functions that a call of one may come back through, itself too if it is one."""
    descendants = networkx.descendants(calls, name)
    if name not in descendants and not calls.has_edge(name, name):
        return frozenset()
    return {name, *(each for each in descendants if name in networkx.descendants(calls, each))}


def _calls_itself_often(graph: Hcfg, part: Sequence[NodeId], cycle: Set[str]) -> bool:
    """Return whether some path through a function calls itself more than once."""
    calling = {
        node_id: sum(each in cycle for each in called_functions(graph.nodes[node_id]))
        for node_id in part
    }
    if any(count > 1 for count in calling.values()):
        return True
    flow: networkx.DiGraph[NodeId] = networkx.DiGraph()
    flow.add_edges_from((n, target) for n in part for target in successors(graph.nodes[n]))
    places = [node_id for node_id, count in calling.items() if count]
    return any(
        target in places
        for place in places
        for after in successors(graph.nodes[place])
        for target in (after, *networkx.descendants(flow, after))
    )


def _qualify(graph: Hcfg, nodes: Sequence[NodeId], can_batch: Callable[[NodeId], bool]) -> bool:
    """Return whether nobody notices when the sub-DNNs among these nodes run later."""
    subdnns = [node_id for node_id in nodes if isinstance(graph.nodes[node_id], SubDnn)]
    return bool(subdnns) and are_only_handed_on(graph, nodes) and all(map(can_batch, subdnns))
