"""Generator functions that ask themselves for items, as functions that add these to a list.

def walk(node):                            def walk(node, *, items, collect):
    if node is not None:                       if node is not None:
        yield from walk(node.left)    ->           collect(items, walk(node.left))
        yield node.value                           items.append(node.value)

Or as functions that hand each item to a function: ``items(node.value)``.
"""

from dataclasses import replace
from functools import lru_cache

import libcst as cst
from libcst.metadata import CodeRange

from rewriter.descendants import descendants
from rewriter.scope import contains_yield
from rewriter.source import FunctionSource, SourceText

ITEMS = "_items_given"
COLLECT = "_collect_from"


def collecting(source: FunctionSource, *, calls: bool = False) -> FunctionSource | None:
    """Return the function that adds what a generator function gives to a list.

    ``calls`` has it call a function with each item instead. None where it asks itself for no
    items, or has to be run step by step: it takes what is sent to it, waits within ``try`` or
    ``with``, or returns something.
    """
    node = source.node
    if not isinstance(node, cst.FunctionDef):
        return None
    return _collecting(node, source.name, source.text, calls)


@lru_cache(maxsize=256)
def _collecting(
    node: cst.FunctionDef, name: str, text: SourceText, calls: bool
) -> FunctionSource | None:
    own = name.rpartition(".")[2]
    if not _asks_itself(node, own) or _is_bound_to_steps(node.body):
        return None
    rewriting = _Rewriting(text, calls=calls)
    body = node.body.visit(rewriting)
    assert isinstance(body, cst.BaseSuite)
    if contains_yield(body):
        return None
    added = [cst.Param(name=cst.Name(each), comma=cst.Comma()) for each in (ITEMS, COLLECT)]
    given = node.params.with_changes(kwonly_params=[*node.params.kwonly_params, *added])
    made = node.with_changes(params=given, body=body)
    positions = {**text.positions, **rewriting.positions, made: text.positions[node]}
    return FunctionSource(node=made, name=name, text=replace(text, positions=positions))


def _asks_itself(node: cst.FunctionDef, own: str) -> bool:
    asked: list[cst.BaseExpression] = []
    for each in descendants(node.body):
        match each:
            case cst.For(iter=walked) | cst.Yield(value=cst.From(item=walked)):
                asked.append(walked)
    return any(isinstance(each, cst.Call) and _last_name(each.func) == own for each in asked)


def _last_name(function: cst.BaseExpression) -> str | None:
    match function:
        case cst.Name(value=name) | cst.Attribute(attr=cst.Name(value=name)):
            return name
        case _:
            return None


def _is_bound_to_steps(body: cst.CSTNode) -> bool:
    """Return whether a generator is more than the items that it gives."""
    for each in descendants(body):
        match each:
            case cst.Try() | cst.TryStar() | cst.With() if contains_yield(each):
                return True
            case cst.Return(value=cst.BaseExpression() as value):
                if not (isinstance(value, cst.Name) and value.value == "None"):
                    return True
    return False


class _Rewriting(cst.CSTTransformer):
    """Adds items where they are given; what it makes stands where the original does."""

    def __init__(self, text: SourceText, *, calls: bool) -> None:
        super().__init__()
        self._text = text
        self._calls = calls
        self._depth = 0
        self.positions: dict[cst.CSTNode, CodeRange] = {}

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Count the functions around."""
        self._depth += isinstance(node, cst.FunctionDef | cst.Lambda)
        return True

    def on_leave(  # type: ignore[override]
        self, original_node: cst.CSTNode, updated_node: cst.CSTNode
    ) -> cst.CSTNode:
        """Take the place of what is replaced."""
        self._depth -= isinstance(original_node, cst.FunctionDef | cst.Lambda)
        made = updated_node
        if not self._depth:
            made = self._added(updated_node)
        where = self._text.positions.get(original_node)
        if where is not None:
            for each in (made,) if made is updated_node else descendants(made):
                self.positions.setdefault(each, where)
        return made

    def _added(self, node: cst.CSTNode) -> cst.CSTNode:
        match node:
            case cst.Expr(value=cst.Yield(value=cst.From(item=iterable))):
                return _collected(iterable)
            case cst.Expr(value=cst.Yield(value=value)):
                item = cst.Name("None") if value is None else value
                assert isinstance(item, cst.BaseExpression)
                items: cst.BaseExpression = cst.Name(ITEMS)
                adds = items if self._calls else cst.Attribute(items, cst.Name("append"))
                return cst.Expr(_call(adds, item))
            case _:
                return node


def _collected(iterable: cst.BaseExpression) -> cst.Expr:
    return cst.Expr(_call(cst.Name(COLLECT), cst.Name(ITEMS), iterable))


def _call(function: cst.BaseExpression, *given: cst.BaseExpression) -> cst.Call:
    return cst.Call(func=function, args=[cst.Arg(each) for each in given])
