"""Whether ``__exit__`` may end the exception of the body: it returns a value, or raises."""

import builtins
import dis
import types
from dataclasses import dataclass, field

import libcst as cst

from rewriter.descendants import children_of, descendants
from rewriter.evaluation.control.calls_of_exits import called_by, is_property, value_of
from rewriter.evaluation.instances.user_classes import class_of, user_method
from rewriter.source import function_source
from rewriter.state import State
from rewriter.values import Known, ScalarValue, Value

_ENTERED = (
    cst.BaseString | cst.BaseNumber | cst.Name | cst.Tuple | cst.List
    | cst.BooleanOperation | cst.IfExp | cst.Expr | cst.Assign | cst.If | cst.Pass | cst.Return
    | cst.Try | cst.Global | cst.Nonlocal
)  # fmt: skip
"""What raises nothing by itself; all other statements and expressions may."""
_SAME = cst.Is | cst.IsNot | cst.Equal | cst.NotEqual
_STEPS = cst.Add | cst.Subtract | cst.Multiply
_STEPS_INTO = cst.AddAssign | cst.SubtractAssign | cst.MultiplyAssign


def may_end_exception(leave: types.FunctionType, state: State, manager: Value) -> bool:
    """Return whether a user's ``__exit__`` may return a true value, or raise itself."""
    returns = any(map(_returns, descendants(function_source(leave).node)))
    return returns or not _Reading(leave, state, manager, set()).raises_nothing()


def _returns(node: cst.CSTNode) -> bool:
    match node:
        case cst.Return(value=None | cst.Name(value="None" | "False")):
            return False
        case _:
            return isinstance(node, cst.Return)


@dataclass(slots=True)
class _Reading:
    """A function that is read, as it would be called where its manager is entered."""

    function: types.FunctionType
    state: State
    owner: Value | None
    seen: set[types.FunctionType]
    own: dict[str, list[cst.BaseExpression]] = field(default_factory=dict)
    """What is assigned to the function's own variables, wherever it goes."""

    def raises_nothing(self) -> bool:
        """Return whether the function certainly raises nothing."""
        if self.function in self.seen:
            return True
        self.seen.add(self.function)
        body = function_source(self.function).node.body
        for statement in body.body if isinstance(body, cst.IndentedBlock) else ():
            self._note(statement)
        return not _reads_missing(self.function) and self._is_calm(body)

    def _note(self, statement: cst.CSTNode) -> None:
        for node in statement.children:
            if isinstance(node, cst.Assign):
                for target in node.targets:
                    if isinstance(target.target, cst.Name):
                        self.own.setdefault(target.target.value, []).append(node.value)

    def _is_calm(self, node: cst.CSTNode) -> bool:
        match node:
            case cst.AssignTarget(target=target):
                return self._is_plain(target)
            case cst.AugAssign():
                return self._is_calm_step(node)
            case cst.FormattedStringExpression(format_spec=spec, expression=shown):
                return self._is_calm(shown) if spec is None else self._is_number(shown)
            case cst.BaseExpression():
                return self._is_number(node) or self._is_calm_expression(node)
            case cst.BaseSmallStatement() | cst.BaseCompoundStatement():
                return isinstance(node, _ENTERED) and all(map(self._is_calm, children_of(node)))
            case _:
                return all(map(self._is_calm, children_of(node)))

    def _is_calm_expression(self, node: cst.BaseExpression) -> bool:
        match node:
            case cst.Call():
                return self._is_calm_call(node)
            case cst.Attribute():
                return value_of(node, self.function, self.state, self.owner) is not None
            case cst.Name(value=name):
                return self._is_bound(name)
            case cst.Comparison():
                same = all(isinstance(each.operator, _SAME) for each in node.comparisons)
            case cst.UnaryOperation():
                same = isinstance(node.operator, cst.Not)
            case _:
                same = isinstance(node, _ENTERED)
        return same and all(map(self._is_calm, children_of(node)))

    def _is_bound(self, name: str) -> bool:
        code = self.function.__code__
        arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & 4)
        of_function = name in code.co_varnames[arguments + bool(code.co_flags & 8) :]
        return not of_function or name in self.own

    def _is_plain(self, target: cst.BaseExpression) -> bool:
        """Return whether an assignment to a target runs nothing of the user's."""
        match target:
            case cst.Name():
                return True
            case cst.Attribute(value=of, attr=cst.Name(value=name)):
                holder = value_of(of, self.function, self.state, self.owner)
                kind = None if holder is None else class_of(self.state, holder)
                if kind is None or is_property(kind, name):
                    return False
                return user_method(kind, "__setattr__") is None
            case _:
                return False

    def _is_calm_call(self, call: cst.Call) -> bool:
        found, receiver = called_by(call.func, self.function, self.state, self.owner)
        if found is None or any(
            each.star and not isinstance(each.value, cst.Name) for each in call.args
        ):
            return False
        if isinstance(found, types.FunctionType):
            called = _Reading(found, self.state, receiver, self.seen)
            if not called.raises_nothing():
                return False
        return all(self._is_calm(each.value) for each in call.args)

    def _is_calm_step(self, node: cst.AugAssign) -> bool:
        numbers = self._is_number(node.target) and self._is_number(node.value)
        return isinstance(node.operator, _STEPS_INTO) and numbers and self._is_plain(node.target)

    def _is_number(self, node: cst.BaseExpression) -> bool:
        match node:
            case cst.BaseNumber():
                return True
            case cst.BinaryOperation(left=left, operator=operator, right=right):
                steps = isinstance(operator, _STEPS)
                return steps and self._is_number(left) and self._is_number(right)
            case cst.UnaryOperation(operator=cst.Minus(), expression=within):
                return self._is_number(within)
            case cst.Call(func=called, args=()):
                found, _ = called_by(called, self.function, self.state, self.owner)
                return getattr(found, "__module__", None) == "time"
            case cst.Name(value=name) if name in self.own:
                return all(map(self._is_number, self.own[name]))
            case cst.Name() | cst.Attribute():
                held = value_of(node, self.function, self.state, self.owner)
                known = isinstance(held, Known) and isinstance(held.value, int | float)
                return known or isinstance(held, ScalarValue)
            case _:
                return False


def _reads_missing(function: types.FunctionType) -> bool:
    """Return whether a function reads a global variable that there is not."""
    return any(
        instruction.opname == "LOAD_GLOBAL"
        and instruction.argval not in function.__globals__
        and not hasattr(builtins, instruction.argval)
        for instruction in dis.get_instructions(function)
    )
