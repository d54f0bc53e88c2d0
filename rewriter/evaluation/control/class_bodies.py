"""What may stand in a class that is made at compile time, and whether it is made only once."""

from collections.abc import Set

import libcst as cst

from rewriter.descendants import descendants
from rewriter.scope import bindings, parameter_names

_LOOPS = (cst.For, cst.While, cst.BaseComp)
_DECORATORS = frozenset({"property", "staticmethod", "classmethod", "abstractmethod"})


def has_plain_body(node: cst.ClassDef) -> bool:
    """Return whether a class has methods, fields and constants, and nothing else."""
    private = any(
        isinstance(part, cst.Name) and part.value.startswith("__") and not part.value.endswith("__")
        for part in descendants(node)
    )
    one_line = isinstance(node.body, cst.SimpleStatementSuite)
    statements = [node.body] if one_line else node.body.body
    properties: set[str] = set()
    for statement in statements:
        if not _is_plain_statement(statement, properties):
            return False
        properties |= _property_made(statement)
    return not private


def _property_made(node: cst.CSTNode) -> set[str]:
    """Return the name of a property, if a statement makes one."""
    is_property = isinstance(node, cst.FunctionDef) and any(
        isinstance(each.decorator, cst.Name) and each.decorator.value == "property"
        for each in node.decorators
    )
    return {cst.ensure_type(node, cst.FunctionDef).name.value} if is_property else set()


def _is_plain_statement(node: cst.CSTNode, properties: Set[str]) -> bool:
    match node:
        case cst.FunctionDef():
            return all(_is_plain_decorator(each, properties) for each in node.decorators) and all(
                map(_is_plain_default, node.params.children)
            )
        case cst.SimpleStatementLine() | cst.SimpleStatementSuite():
            return all(map(_is_plain_part, node.body))
        case _:
            return False


def _is_plain_decorator(node: cst.Decorator, properties: Set[str]) -> bool:
    match node.decorator:
        case cst.Name(value=name):
            return name in _DECORATORS
        case cst.Attribute(value=cst.Name(value=name), attr=cst.Name(value="setter")):
            return name in properties
        case _:
            return False


def _is_plain_part(node: cst.CSTNode) -> bool:
    match node:
        case cst.Pass() | cst.Expr(value=cst.SimpleString() | cst.ConcatenatedString()):
            return True
        case cst.Expr(value=cst.Ellipsis()) | cst.AnnAssign(value=None):
            return True
        case cst.Assign(value=value) | cst.AnnAssign(value=cst.BaseExpression() as value):
            return _is_plain(value)
        case _:
            return False


def _is_plain_default(node: cst.CSTNode) -> bool:
    return not isinstance(node, cst.Param) or node.default is None or _is_plain(node.default)


def _is_plain(node: cst.CSTNode) -> bool:
    """Return whether evaluating an expression at compile time has no effects."""
    match node:
        case cst.BaseNumber() | cst.SimpleString() | cst.Name() | cst.Ellipsis():
            return True
        case cst.Attribute(value=owner):
            return _is_plain(owner)
        case cst.UnaryOperation(expression=operand):
            return _is_plain(operand)
        case cst.Tuple(elements=elements):
            return all(_is_plain(element.value) for element in elements)
        case cst.Call(func=cst.Name(value="field") | cst.Attribute(attr=cst.Name(value="field"))):
            return all(_is_plain(argument.value) for argument in node.args)
        case _:
            return False


def is_in_loop(function: cst.FunctionDef, node: cst.CSTNode) -> bool:
    """Return whether a statement of a function stands in a loop of it."""
    loops = (part for part in descendants(function) if isinstance(part, _LOOPS))
    return any(part is node for loop in loops for part in descendants(loop))


def is_bound_once(function: cst.FunctionDef, name: str, where: cst.CSTNode | None = None) -> bool:
    """Return whether a variable keeps what it is bound to first: by a parameter or statement.

    ``where`` is the statement that binds it, if it may stand anywhere but in a loop.
    """
    rebound = any(
        isinstance(part, cst.Nonlocal) and name in {item.name.value for item in part.names}
        for part in descendants(function)
    )
    places = [place for place in bindings(function) if name in place[1]]
    if rebound or len(places) + (name in parameter_names(function.params)) != 1:
        return False
    if not places or places[0][0] is where:
        return True
    return not is_in_loop(function, places[0][0])
