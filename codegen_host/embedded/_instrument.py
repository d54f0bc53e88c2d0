"""Makes the version of ``forward`` that reports which way it goes.

It is the same source, with every branch and sub-DNN call wrapped in a report. The manifest says
where the branches are.
"""

import ast
import inspect
import operator
from collections.abc import Callable, Mapping
from typing import Any

_Function = Callable[..., Any]

_OPERATORS: dict[type[ast.cmpop], str] = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


def instrumented(
    function: _Function,
    file: str,
    source: str,
    manifest: Mapping[str, Any],
    report: Callable[..., object],
) -> _Function:
    """Return the version of a function of the generated module that reports."""
    tree = ast.parse(source)
    instrument = _Instrument(manifest)
    definitions: list[ast.stmt] = []
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            node.decorator_list = [each for each in node.decorator_list if not _checks(each)]
            definitions.append(instrument.visit(node))
    module = ast.fix_missing_locations(ast.Module(definitions, []))
    originals = inspect.unwrap(function).__globals__
    namespace = {**originals, **_Reports(report).functions()}
    exec(compile(module, file, "exec"), namespace)
    if "in_batches" in namespace:
        namespace["in_batches"] = _reporting(namespace["in_batches"], originals)
    observed: _Function = namespace[function.__name__]
    return observed


def _checks(decorator: ast.expr) -> bool:
    """Return whether a decorator checks arguments, which has been done."""
    return ast.unparse(decorator) == "_package.entry"


def _reporting(in_batches: _Function, originals: Mapping[str, Any]) -> _Function:
    """Return what calls a function in batches, as calls do, and reports what is in it."""

    def both(function: _Function, *arguments: object) -> object:
        function(*arguments)
        return in_batches(originals[function.__name__], *arguments)

    return both


class _Reports:
    """What the wrapped expressions call."""

    def __init__(self, report: Callable[..., object]) -> None:
        self._report = report
        self._margins: dict[str, float | None] = {}

    def functions(self) -> dict[str, _Function]:
        return {
            "__test__": self._test,
            "__compare__": self._compare,
            "__remember__": self._remember,
            "__subdnn__": self._subdnn,
        }

    def _test(self, node: str, inverted: bool, value: object, name: str | None = None) -> bool:
        outcome = bool(value)
        margin = None if name is None else self._margins.get(name)
        self._report("branch", node, outcome is not inverted, margin)
        return outcome

    def _compare(self, node: str, inverted: bool, name: str, left: object, right: object) -> bool:
        outcome = bool(getattr(operator, name)(left, right))
        self._report("branch", node, outcome is not inverted, _margin(left, right))
        return outcome

    def _remember(self, target: str, name: str, left: object, right: object) -> object:
        self._margins[target] = _margin(left, right)
        return getattr(operator, name)(left, right)

    def _subdnn(self, node: str, call: _Function, *arguments: object) -> object:
        self._report("subdnn", node)
        return call(*arguments)


def _margin(left: Any, right: Any) -> float | None:
    try:
        return abs(_number(left) - _number(right))
    except (TypeError, ValueError, OverflowError):
        return None


def _number(value: Any) -> float:
    return float(value.item() if hasattr(value, "item") else value)


class _Instrument(ast.NodeTransformer):
    """Wraps the expressions that the manifest names, and the calls of sub-DNNs.

    A branch on a variable has the margin of the comparison assigned to it, where all its
    assignments are comparisons of two values. One that asks which way an artifact went has none.
    """

    def __init__(self, manifest: Mapping[str, Any]) -> None:
        self._branches = {tuple(place["at"]): place for place in manifest["source_map"]}
        self._subdnns = {entry["id"] for entry in manifest["subdnns"]}
        nodes = manifest["graph"]["nodes"]
        self._asking_the_way = {node["id"] for node in nodes if node.get("asks_the_way")}
        self._compared: set[str] = set()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        assigned = [n for n in ast.walk(node) if isinstance(n, ast.Assign)]
        compared = {_target(n) for n in assigned if _comparison(n.value)}
        others = {
            name.id
            for n in assigned
            if not _comparison(n.value)
            for target in n.targets
            for name in ast.walk(target)
            if isinstance(name, ast.Name)
        }
        self._compared = {name for name in compared - others if name is not None}
        return self.generic_visit(node)

    def visit(self, node: ast.AST) -> Any:
        if isinstance(node, ast.expr):
            at = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
            place = self._branches.pop(at, None)
            if place is not None:
                return self._wrapped(place["node"], "inverted" in place, self.visit(node))
        return super().visit(node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        target, found = _target(node), _comparison(node.value)
        if target in self._compared and found is not None:
            node.value = _call("__remember__", ast.Constant(target), *found)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in self._subdnns:
            return _call("__subdnn__", ast.Constant(node.func.id), node.func, *node.args)
        return node

    def _wrapped(self, branch: str, inverted: bool, test: ast.expr) -> ast.expr:
        if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
            return ast.UnaryOp(ast.Not(), self._wrapped(branch, not inverted, test.operand))
        about = (ast.Constant(branch), ast.Constant(inverted))
        inner = _without_item(test)
        if branch in self._asking_the_way:
            return _call("__test__", *about, test)
        found = _comparison(inner)
        if found is not None:
            return _call("__compare__", *about, *found)
        if isinstance(inner, ast.Name) and inner.id in self._compared:
            return _call("__test__", *about, test, ast.Constant(inner.id))
        return _call("__test__", *about, test)


def _target(node: ast.Assign) -> str | None:
    target = node.targets[0]
    return target.id if isinstance(target, ast.Name) and len(node.targets) == 1 else None


def _without_item(node: ast.expr) -> ast.expr:
    """Return ``x`` for ``x.item()``."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr="item"), args=[], keywords=[]):
            return value
        case _:
            return node


def _comparison(node: ast.expr) -> tuple[ast.expr, ast.expr, ast.expr] | None:
    """Return operator and operands of a comparison of two values."""
    if not isinstance(node, ast.Compare) or len(node.ops) != 1:
        return None
    name = _OPERATORS.get(type(node.ops[0]))
    return None if name is None else (ast.Constant(name), node.left, node.comparators[0])


def _call(name: str, *arguments: ast.expr) -> ast.expr:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])
