"""Nodes in words a user knows: known objects by their path, places by file and line."""

import ast
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from hcfg.execution import statement_lines, target_text
from hcfg.graph import (
    Branch,
    Entry,
    Hcfg,
    HostBlock,
    LoopHead,
    Node,
    Raise,
    Return,
    SubDnn,
    origins,
)
from rewriter.origin import Origin
from rewriter.printing.expression_text import plain_text
from rewriter.program import (
    CallStatement,
    Copy,
    Dimension,
    HostSpec,
    HostStatement,
    ObjectSpec,
    ScalarSpec,
    Statement,
    TensorFromHost,
    TensorSpec,
    TensorStatement,
    VariableSpec,
)
from rewriter.program_names import call_expression
from rewriter.specs import InstanceOf, SetOf


def body_lines(node: Node, graph: Hcfg) -> list[str]:
    """Return what a node does, line by line; nothing for nodes that only lead on."""
    match node:
        case Entry() | LoopHead():
            return []
        case SubDnn() | HostBlock():
            return [line for each in node.statements for line in _statement_lines(each, graph)]
        case Branch():
            return [f"if {expression_text(node.condition, graph)}"]
        case Return():
            return [f"return {expression_text(node.value, graph)}"]
        case Raise():
            return [f"raise {expression_text(node.exception, graph)}"]


def _statement_lines(statement: Statement, graph: Hcfg) -> list[str]:
    match statement:
        case TensorStatement():
            stored = statement.stores_into
            spelled = replace(
                statement,
                expression=_spelled(statement.expression, graph),
                stores_into=None if stored is None else _spelled(stored, graph),
            )
            return statement_lines(spelled, graph.variables)
        case HostStatement():
            text = expression_text(statement.expression, graph)
            return [text if statement.target is None else f"{statement.target} = {text}"]
        case TensorFromHost():
            dtype = str(statement.dtype).removeprefix("torch.")
            text, joined = expression_text(statement.expression, graph), statement.joined
            if joined is not None:
                return [f"{statement.target} = {joined.function}({text}, {joined.dim})"]
            made = "element" if statement.fits else "tensor"
            return [f"{statement.target} = {made}({text}, {dtype})"]
        case CallStatement():
            spelled_call = _spelled(call_expression(statement), graph)
            bound = statement.pattern is not None
            target = f"{target_text(statement.pattern, '_')} = " if bound else ""
            return [target + plain_text(spelled_call)]
        case Copy():
            sources = tuple(_spelled(source, graph) for source in statement.sources)
            return statement_lines(replace(statement, sources=sources), graph.variables)


def expression_text(expression: ast.expr, graph: Hcfg) -> str:
    """Return an expression with the user's own words for known objects."""
    return plain_text(_spelled(expression, graph))


def _spelled(expression: ast.expr, graph: Hcfg) -> ast.expr:
    text = plain_text(expression)
    copy = ast.parse(text, mode="eval").body
    spelled = _Speller(graph).visit(copy)
    assert isinstance(spelled, ast.expr)
    return spelled


class _Speller(ast.NodeTransformer):
    """Puts the path of a known object in the place of its name."""

    def __init__(self, graph: Hcfg) -> None:
        self.graph = graph

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self.graph.knowns.get(node.id)
        if known is None or known.path is None:
            return node
        return ast.parse(known.path, mode="eval").body


def spec_text(spec: VariableSpec) -> str:
    """Return what a variable holds, in a few characters: ``float32[1, 3, 32, 32]``."""
    match spec:
        case TensorSpec():
            return f"{str(spec.dtype).removeprefix('torch.')}[{_shape(spec.shape)}]"
        case ScalarSpec():
            return "number" if spec.type is None else spec.type.__name__
        case HostSpec():
            return spec.description
        case ObjectSpec(root=InstanceOf(name=name)):
            return name
        case ObjectSpec(root=SetOf()):
            return "set"
        case ObjectSpec():
            return "list"


def _shape(shape: Sequence[Dimension]) -> str:
    return ", ".join(str(size) for size in shape)


def places(node: Node) -> str:
    """Return where a node comes from: ``net.py:41-43, 50``. Empty where nowhere."""
    lines: dict[str, set[int]] = {}
    for origin in origins(node):
        lines.setdefault(origin.file, set()).add(origin.line)
    return "; ".join(f"{PurePath(file).name}:{_ranges(found)}" for file, found in lines.items())


def _ranges(lines: set[int]) -> str:
    ranges: list[list[int]] = []
    for line in sorted(lines):
        if ranges and line == ranges[-1][-1] + 1:
            ranges[-1][1:] = [line]
        else:
            ranges.append([line])
    return ", ".join("-".join(map(str, each)) for each in ranges)


def source_lines(node: Node) -> tuple[Origin, ...]:
    """Return the user's lines a node comes from, each once, in order."""
    seen: dict[tuple[str, int], Origin] = {}
    for origin in origins(node):
        seen.setdefault((origin.file, origin.line), origin)
    return tuple(seen.values())
