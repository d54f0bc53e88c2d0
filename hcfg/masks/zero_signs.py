"""Whether anything tells zeros of either sign apart: division does, sums and products do not."""

from hcfg.graph import Hcfg, Return, SubDnn
from hcfg.liveness import node_reads
from hcfg.masks.bounds import has_rule
from hcfg.masks.values import Operation, Trace, Value

_SAME = frozenset(
    {"gt", "ge", "lt", "le", "eq", "ne", "isnan", "isinf", "isfinite", "any", "all", "argmax",
     "argmin", "sigmoid", "hardsigmoid", "_softmax", "_log_softmax", "exp", "log", "zeros_like",
     "ones_like", "full_like", "new_zeros", "new_ones", "new_full"}
)  # fmt: skip
"""Give the same for zeros of either sign."""

_BLIND = frozenset(
    {"max", "min", "amax", "amin", "native_layer_norm", "native_group_norm", "sqrt", "elu", "erf",
     "upsample_bilinear2d", "masked_fill", "scatter", "index", "index_put", "cumsum"}
)  # fmt: skip
"""Give the same up to the sign of zeros, besides what has a bound."""


def shows_zero_signs(trace: Trace, value: Value, node: SubDnn, graph: Hcfg) -> bool:
    """Return whether zeros of the other sign in a value could change more than signs of zeros.

    The results of a call count as equal whatever the signs of their zeros; anything else outside
    of the sub-DNN might look.
    """
    reached = {value}
    for operation in trace.operations:
        if not reached.isdisjoint(operation.operands) and operation.name not in _SAME:
            if not _is_blind(operation, reached):
                return True
            reached.update(operation.results)
    names = [name for name in node.outputs if trace.variables[name] in reached]
    return not all(_is_only_returned(name, graph) for name in names)


def _is_blind(operation: Operation, reached: set[Value]) -> bool:
    if operation.name == "div":
        return operation.arguments["other"] not in reached
    return has_rule(operation) or operation.name in _BLIND


def _is_only_returned(name: str, graph: Hcfg) -> bool:
    readers = [node for node in graph.nodes.values() if name in node_reads(node, graph)]
    return not graph.functions and all(isinstance(node, Return) for node in readers)
