"""Run the statements of a sub-DNN with PyTorch, on real tensors or on fake ones.

Known references are the user's own objects, as they are: nobody here changes a module
between training and evaluation, or anything else about it.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from typing import cast

import torch

from hcfg.graph import DnnStatement, Hcfg, NodeId, SubDnn
from hcfg.names import names_in
from hcfg.traced_views import TracedViews
from rewriter.printing.expression_text import plain_text
from rewriter.program import Copy, Pattern, TensorStatement
from rewriter.program_names import pattern_names
from rewriter.program_names import statement_expressions as expressions_of

Forward = Callable[..., tuple[torch.Tensor, ...]]


def forward_source(node: SubDnn, graph: Hcfg) -> str:
    """Return a sub-DNN as the text of a function ``forward(inputs) -> outputs``."""
    lines = [f"def forward({', '.join(node.inputs)}):"]
    for statement in node.statements:
        lines += [f"    {line}" for line in statement_lines(statement, graph.variables)]
    lines.append(f"    return ({''.join(f'{name}, ' for name in node.outputs).strip()})")
    return "\n".join(lines) + "\n"


def compile_forward(node_id: NodeId, node: SubDnn, graph: Hcfg) -> Forward:
    """Return a sub-DNN as a function of its inputs, over the user's own objects."""
    namespace = known_objects(node.statements, graph)
    exec(compile(forward_source(node, graph), f"<{node_id}>", "exec"), namespace)
    forward = cast(Forward, namespace["forward"])

    def run(*inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        with TracedViews():
            return forward(*inputs)

    return run


def stepwise(node: SubDnn, graph: Hcfg, values: dict[str, object]) -> Iterator[DnnStatement]:
    """Run a sub-DNN one statement at a time, in ``values``; yield each one that ran."""
    namespace = known_objects(node.statements, graph)
    for statement in node.statements:
        text = "\n".join(statement_lines(statement, graph.variables))
        with TracedViews():
            exec(compile(text, f"<{statement.origin.place}>", "exec"), namespace, values)
        yield statement


def known_objects(statements: Sequence[DnnStatement], graph: Hcfg) -> dict[str, object]:
    """Return the known objects that statements refer to, by name."""
    names = (n for s in statements for e in expressions_of(s) for n in names_in(e))
    return {name: graph.knowns[name].value for name in names if name in graph.knowns}


def statement_lines(statement: DnnStatement, taken: Collection[str]) -> list[str]:
    """Return a statement as lines of Python. ``taken`` are the names of variables."""
    match statement:
        case TensorStatement():
            updates = [(new, old) for new, old in statement.updates if new != old]
            lines = [_computation(statement, taken)]
            if updates:
                news, olds = zip(*updates, strict=True)
                lines.append(f"{', '.join(news)} = {', '.join(olds)}")
            return lines
        case Copy():
            sources = [plain_text(source) for source in statement.sources]
            return [f"{', '.join(statement.targets)} = {', '.join(sources)}"]


def _computation(statement: TensorStatement, taken: Collection[str]) -> str:
    value = plain_text(statement.expression)
    if statement.stores_into is not None:
        return f"{plain_text(statement.stores_into)} = {value}"
    if not pattern_names(statement.pattern):
        return value
    return f"{target_text(statement.pattern, _unused_name(taken))} = {value}"


def target_text(pattern: Pattern, unused: str) -> str:
    """Return what stands left of ``=``; ``unused`` is a name for what nobody reads."""
    match pattern:
        case None:
            return unused
        case str():
            return pattern
        case tuple():
            return f"({''.join(f'{target_text(part, unused)}, ' for part in pattern).strip()})"


def _unused_name(taken: Collection[str]) -> str:
    name = "_"
    while name in taken:
        name += "_"
    return name
