"""Finds the statement because of which a sub-DNN cannot be compiled.

Backends report failures in their own terms. Whatever the failure, the shortest beginning
of the sub-DNN that still fails ends with the statement to show the user.
"""

from collections.abc import Callable
from dataclasses import replace

from hcfg.graph import Hcfg, SubDnn, is_tensor
from hcfg.statements import all_writes, exposed_reads
from rewriter.origin import Origin


def first_failing_statement(node: SubDnn, graph: Hcfg, fails: Callable[[SubDnn], bool]) -> Origin:
    """Return the origin of the first statement with which ``node`` fails.

    ``node`` as a whole must fail. Takes a logarithmic number of tries.
    """
    works, broken = 0, len(node.statements)
    while broken - works > 1:
        middle = (works + broken) // 2
        if fails(_beginning(node, graph, middle)):
            broken = middle
        else:
            works = middle
    return node.statements[broken - 1].origin


def _beginning(node: SubDnn, graph: Hcfg, count: int) -> SubDnn:
    statements = node.statements[:count]
    # Only what is read later: other names may stand for what was overwritten since.
    wanted = {*node.outputs, *exposed_reads(node.statements[count:], graph.variables)}
    outputs = tuple(
        name
        for name in all_writes(statements)
        if is_tensor(name, graph.variables) and name in wanted
    )
    return replace(node, statements=statements, outputs=outputs)
