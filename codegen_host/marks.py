"""Marks on branch conditions, and where the marked conditions end up in the text."""

import ast
import copy
import io
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import cast

from hcfg.graph import NodeId
from rewriter.diagnostics import DyclBug
from rewriter.printing.conditions import negation

_START, _END = "__test_of_", "__"


@dataclass(frozen=True, slots=True, kw_only=True)
class TestPlace:
    """Where the condition of a branch stands in a text. Columns count UTF-8 bytes."""

    node: NodeId
    line: int
    column: int
    end_line: int
    end_column: int
    inverted: bool
    """Whether what stands there is the opposite of the branch's condition."""


def mark(node_id: NodeId, condition: ast.expr) -> ast.expr:
    """Return a condition marked as the one of a branch node."""
    return ast.Call(ast.Name(f"{_START}{node_id}{_END}", ast.Load()), [condition], [])


def without_marks(expression: ast.expr) -> ast.expr:
    """Return a copy of an expression without marks."""
    return cast(ast.expr, _Unmark().visit(copy.deepcopy(expression)))


def unmarked_lines(lines: Sequence[str]) -> list[str]:
    """Return lines of Python without the marks, which stand in headers only."""
    return [_unmarked(line) if _START in line else line for line in lines]


def find_tests(marked: Sequence[str], text: str) -> tuple[TestPlace, ...]:
    """Return the places of all conditions in ``text``, the same module without marks."""
    return tuple(_pairs(ast.parse("\n".join(marked)), ast.parse(text)))


def _marked_node(node: ast.AST) -> tuple[NodeId, ast.expr] | None:
    match node:
        case ast.Call(func=ast.Name(id=name), args=[condition]) if name.startswith(
            _START
        ) and name.endswith(_END):
            return name[len(_START) : -len(_END)], condition
        case _:
            return None


class _Unmark(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        marked = _marked_node(node)
        return self.generic_visit(node) if marked is None else self.visit(marked[1])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        if isinstance(node.op, ast.Not) and (marked := _marked_node(node.operand)):
            return negation(cast(ast.expr, self.visit(marked[1])))
        return self.generic_visit(node)


def _unmarked(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    word, _, rest = line.strip().partition(" ")
    if word not in ("if", "elif", "while"):
        raise DyclBug(f"a branch condition stands outside of a test: {line}")
    comments = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(rest).readline)
        if token.type == tokenize.COMMENT
    ]
    test = ast.parse(f"while {rest}\n pass").body[0]
    assert isinstance(test, ast.While)
    comment = f"  {comments[0]}" if comments else ""
    return f"{indent}{word} {ast.unparse(_Unmark().visit(test.test))}:{comment}"


def _pairs(marked: ast.AST, plain: ast.AST) -> Iterator[TestPlace]:
    """Walk two trees that differ in marks only."""
    found = _marked_node(marked)
    if found is not None:
        yield _place(found[0], plain, inverted=False)
        yield from _pairs(found[1], plain)
        return
    if isinstance(marked, ast.UnaryOp) and (inner := _marked_node(marked.operand)):
        if isinstance(plain, ast.UnaryOp) and ast.dump(plain.operand) == ast.dump(inner[1]):
            yield _place(inner[0], plain.operand, inverted=False)
        else:
            yield _place(inner[0], plain, inverted=True)
        return
    for left, right in zip(ast.iter_child_nodes(marked), ast.iter_child_nodes(plain), strict=True):
        yield from _pairs(left, right)


def _place(node_id: NodeId, node: ast.AST, *, inverted: bool) -> TestPlace:
    if not isinstance(node, ast.expr) or node.end_lineno is None or node.end_col_offset is None:
        raise DyclBug(f"the condition of {node_id} has no place in the text")
    return TestPlace(
        node=node_id,
        line=node.lineno,
        column=node.col_offset,
        end_line=node.end_lineno,
        end_column=node.end_col_offset,
        inverted=inverted,
    )
