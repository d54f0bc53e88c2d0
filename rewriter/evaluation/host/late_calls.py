"""What is announced now and done later, as functions without arguments.

A call whose arguments are what they will be is a ``partial``. What is computed in between, or of
containers that change until then, is put into one ``lambda``, with what it reads as defaults.
"""

import ast
import functools
from collections.abc import Sequence

from rewriter.builder import Builder
from rewriter.printing.substitution import renamed
from rewriter.program import (
    CallStatement,
    HostSpec,
    HostStatement,
    ScalarSpec,
    Statement,
    TensorSpec,
    TensorStatement,
)
from rewriter.program_names import expression_names, statement_expressions

_DISPLAYS = (ast.List, ast.Tuple, ast.Set, ast.Dict)


class LateCalls:
    """Takes statements in their order; those that have effects are done later.

    ``moved`` where something runs between that may change containers.
    """

    def __init__(self, builder: Builder, *, moved: bool) -> None:
        self._builder = builder
        self._moved = moved
        self._late: list[HostStatement] = []
        self._given: set[str] = set()
        """Variables that are known only when the calls are made."""
        self._are_plain = True
        self.early: list[Statement] = []
        """What is computed beforehand."""

    def take(self, statement: Statement) -> bool:
        """Take a statement; return whether that can be."""
        names = {n for e in statement_expressions(statement) for n in expression_names(e)}
        depends = bool(names & self._given)
        changes = self._moved and not all(map(self._is_fixed, names))
        match statement:
            case CallStatement():
                return False
            case HostStatement() if statement.effect or statement.target is None:
                plain = not depends and (not self._moved or self._is_plain(statement.expression))
                self._do_later(statement, plain=plain)
                self._moved = True
                return True
            case HostStatement() if depends or changes:
                self._do_later(statement, plain=False)
                return True
            case TensorStatement() if statement.updates or statement.stores_into is not None:
                return False
            case _:
                self.early.append(statement)
                return not depends and (isinstance(statement, TensorStatement) or not changes)

    def steps(self) -> list[ast.expr]:
        """Return what is done later."""
        if not self._are_plain:
            return [self._together()]
        return [self._step(statement.expression) for statement in self._late]

    def _do_later(self, statement: HostStatement, *, plain: bool) -> None:
        self._late.append(statement)
        self._given |= {statement.target} if statement.target else set()
        self._are_plain &= plain and isinstance(statement.expression, ast.Call)

    def _step(self, expression: ast.expr) -> ast.expr:
        assert isinstance(expression, ast.Call)
        if not expression.args and not expression.keywords:
            return expression.func
        partial = self._builder.reference(functools.partial, "functools.partial")
        arguments = [expression.func, *expression.args]
        return ast.Call(func=partial, args=arguments, keywords=expression.keywords)

    def _together(self) -> ast.expr:
        """Return a function that computes everything in its order."""
        read = {n for each in self._late for n in expression_names(each.expression)}
        inside = sorted((read | self._given) & self._builder.variables.keys(), key=Builder.age)
        names = {name: f"{self._hint(name)}_{place}_then" for place, name in enumerate(inside)}
        bound = [name for name in inside if name not in self._given]
        parts = [self._part(each, names) for each in self._late]
        parameters = ast.arguments(
            posonlyargs=[],
            args=[ast.arg(arg=names[name]) for name in bound],
            kwonlyargs=[],
            kw_defaults=[],
            defaults=[ast.Name(id=name, ctx=ast.Load()) for name in bound],
        )
        return ast.Lambda(args=parameters, body=ast.List(elts=parts, ctx=ast.Load()))

    def _part(self, statement: HostStatement, names: dict[str, str]) -> ast.expr:
        expression = renamed(statement.expression, names)
        if statement.target is None:
            return expression
        target = ast.Name(id=names[statement.target], ctx=ast.Store())
        return ast.NamedExpr(target=target, value=expression)

    def _hint(self, name: str) -> str:
        return self._builder.variables[name].hint.strip("_")

    def _is_plain(self, call: ast.expr) -> bool:
        """Return whether all that a call computes of its arguments is what it would be later."""
        if not isinstance(call, ast.Call):
            return False
        function = call.func
        owner = function.value if isinstance(function, ast.Attribute) else function
        given = [*call.args, *(each.value for each in call.keywords)]
        return isinstance(owner, ast.Name) and self._are_same_later(given)

    def _are_same_later(self, given: Sequence[ast.AST]) -> bool:
        for each in given:
            parts = list(ast.iter_child_nodes(each)) if isinstance(each, _DISPLAYS) else []
            parts = [part for part in parts if isinstance(part, ast.expr)]
            is_whole = isinstance(each, (ast.Name, ast.Constant, *_DISPLAYS))
            names = expression_names(each) if isinstance(each, ast.expr) else ()
            if not (is_whole or all(map(self._is_fixed, names))):
                return False
            if not self._are_same_later(parts):
                return False
        return True

    def _is_fixed(self, name: str) -> bool:
        """Return whether a variable holds what does not change; what is known does not."""
        if name not in self._builder.variables:
            return True
        spec = self._builder.variables[name].spec
        text = isinstance(spec, HostSpec) and spec.description == "str"
        return text or isinstance(spec, ScalarSpec | TensorSpec)
