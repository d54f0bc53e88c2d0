"""Makes a failing program small: takes out statements and parts of expressions while it fails."""

import ast
import copy
import time
from collections.abc import Callable, Iterator

Edit = Callable[[ast.AST], None]
Interesting = Callable[[str], bool]


def shrunk(source: str, interesting: Interesting, seconds: float = 60) -> str:
    """Return a smaller program that is still interesting; at worst the program itself."""
    end = time.monotonic() + seconds
    current = ast.unparse(ast.parse(source))
    if not interesting(current):
        return source
    progress = True
    while progress and time.monotonic() < end:
        progress = False
        for candidate in _candidates(current):
            if time.monotonic() > end:
                break
            smaller = len(candidate) < len(current) and _valid(candidate)
            if smaller and _still(interesting, candidate):
                current, progress = candidate, True
                break
    return current + "\n"


def _still(interesting: Interesting, candidate: str) -> bool:
    try:
        return interesting(candidate)
    except Exception:  # a candidate that cannot even be imported shows nothing
        return False


def _valid(source: str) -> bool:
    try:
        compile(source, "candidate", "exec")
    except SyntaxError:
        return False
    return True


def _candidates(source: str) -> Iterator[str]:
    """Yield smaller programs, those with most taken out first."""
    tree = ast.parse(source)
    for edit in (*_statement_edits(tree), *_expression_edits(tree)):
        edited = copy.deepcopy(tree)
        edit(edited)
        yield ast.unparse(ast.fix_missing_locations(edited))


def _node(tree: ast.AST, index: int) -> ast.AST:
    for position, node in enumerate(ast.walk(tree)):
        if position == index:
            return node
    raise IndexError(index)


def _statement_edits(tree: ast.AST) -> Iterator[Edit]:
    edits: list[tuple[int, Edit]] = []
    for index, node in enumerate(ast.walk(tree)):
        for field in ("body", "orelse", "finalbody", "handlers"):
            block = getattr(node, field, None)
            if isinstance(block, list) and block:
                edits += _removals(index, field, block)
                edits += _unwrappings(index, field, block)
    edits.sort(key=lambda edit: -edit[0])
    return (edit for _, edit in edits)


def _removals(index: int, field: str, block: list[ast.stmt]) -> Iterator[tuple[int, Edit]]:
    size = len(block)
    while size:
        for start in range(0, len(block), size):
            weight = sum(len(ast.unparse(part)) for part in block[start : start + size])
            yield weight, _removal(index, field, start, start + size)
        size //= 2


def _removal(index: int, field: str, start: int, stop: int) -> Edit:
    def edit(tree: ast.AST) -> None:
        node = _node(tree, index)
        block = getattr(node, field)
        del block[start:stop]
        if not block and field == "body" and not isinstance(node, ast.Module):
            block.append(ast.Pass())

    return edit


def _unwrappings(index: int, field: str, block: list[ast.stmt]) -> Iterator[tuple[int, Edit]]:
    """Put the body of a compound statement in the place of the statement."""
    for position, statement in enumerate(block):
        for inner in ("body", "orelse", "finalbody"):
            if isinstance(statement, ast.If | ast.For | ast.While | ast.Try) and getattr(
                statement, inner, None
            ):
                yield 10, _unwrapping(index, field, position, inner)


def _unwrapping(index: int, field: str, position: int, inner: str) -> Edit:
    def edit(tree: ast.AST) -> None:
        block = getattr(_node(tree, index), field)
        block[position : position + 1] = getattr(block[position], inner)

    return edit


def _expression_edits(tree: ast.AST) -> Iterator[Edit]:
    for index, node in enumerate(ast.walk(tree)):
        for field, value in ast.iter_fields(node):
            if isinstance(value, ast.expr):
                yield from (_putting(index, field, None, part) for part in _smaller(value))
            elif isinstance(value, list):
                for position, item in enumerate(value):
                    if isinstance(item, ast.expr):
                        yield from (_putting(index, field, position, p) for p in _smaller(item))
        if isinstance(node, ast.Tuple | ast.List | ast.BoolOp | ast.JoinedStr):
            count = len(_elements(node))
            yield from (_dropping(index, p) for p in range(count) if count > 1)


def _elements(node: ast.AST) -> list[ast.expr]:
    elements: list[ast.expr] = node.elts if isinstance(node, ast.Tuple | ast.List) else node.values  # type: ignore[attr-defined]
    return elements


def _putting(index: int, field: str, position: int | None, part: ast.expr) -> Edit:
    def edit(tree: ast.AST) -> None:
        node = _node(tree, index)
        if position is None:
            setattr(node, field, copy.deepcopy(part))
        else:
            getattr(node, field)[position] = copy.deepcopy(part)

    return edit


def _dropping(index: int, position: int) -> Edit:
    def edit(tree: ast.AST) -> None:
        del _elements(_node(tree, index))[position]

    return edit


def _smaller(value: ast.expr) -> Iterator[ast.expr]:
    """Yield parts of an expression that may stand in its place."""
    match value:
        case ast.BinOp():
            yield from (value.left, value.right)
        case ast.UnaryOp():
            yield value.operand
        case ast.BoolOp():
            yield from value.values
        case ast.IfExp():
            yield from (value.body, value.orelse)
        case ast.Compare():
            yield value.left
        case ast.Call():
            yield from _receiver(value.func)
            yield from value.args
        case ast.Subscript():
            yield value.value
        case _:  # of the rest nothing can stand for the whole
            return


def _receiver(function: ast.expr) -> Iterator[ast.expr]:
    match function:
        case ast.Attribute(value=ast.Name(id="torch" | "F" | "math")):
            return
        case ast.Attribute():
            yield function.value
        case _:
            return
