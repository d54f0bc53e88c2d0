"""What Python raises where an operation of the host fails: known of the usual ones.

All of these say what is wrong in one text. What is missing in a dict or set is another matter:
that is tested beforehand (``run_time/missing_keys.py``).
"""

import ast
import math
import operator
from collections import Counter
from collections.abc import Callable, Hashable
from typing import TypeAlias

from rewriter.builder import Builder
from rewriter.diagnostics import DyclBug
from rewriter.evaluation.host.expected_array_errors import errors_of_array
from rewriter.evaluation.host.operand_types import is_real_number, kind_of, known_object
from rewriter.specs import HostSpec, ScalarSpec, TensorSpec, VariableSpec

Errors: TypeAlias = tuple[type[BaseException], ...]

_SEQUENCES = frozenset({"list", "tuple", "str", "deque"})
_MAPPINGS = frozenset({"dict", "OrderedDict", "Counter", "defaultdict"})
_CONTAINERS = _SEQUENCES | _MAPPINGS | {"set"}
_OF_NUMBERS: Errors = (ValueError, OverflowError)
_OF_LARGE: Errors = (OverflowError,)
"""What functions of any number raise where it is an integer that no float holds."""
_OF_DIVISIONS: Errors = (ZeroDivisionError, OverflowError)
_DIVISIONS: dict[type[ast.operator], Callable[..., object]] = {
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
}
_FUNCTIONS: dict[object, Errors] = {
    **{function: () for function in (len, list, tuple, set, Counter, sorted, sum, abs)},
    **{function: _OF_NUMBERS for function in (int, float, round, chr)},
    **{function: (ValueError,) for function in (min, max, str, repr)},
    **{
        getattr(math, name): _OF_NUMBERS
        for name in (
            *("acos", "acosh", "asin", "atanh", "ceil", "cos", "cosh", "exp", "expm1", "fmod"),
            *("floor", "log10", "log1p", "log2", "sin", "sinh", "sqrt", "tan"),
            *("gamma", "lgamma", "factorial", "isqrt", "comb", "perm", "trunc"),
        )
    },
    math.log: (ValueError, OverflowError, ZeroDivisionError),
    **{
        getattr(math, name): _OF_LARGE
        for name in (
            *("atan", "atan2", "copysign", "degrees", "erf", "erfc", "fabs", "hypot", "isclose"),
            *("isfinite", "isinf", "isnan", "radians", "tanh", "asinh", "cbrt"),
        )
    },
    **{getattr(math, name): () for name in ("gcd", "lcm")},
}
_OF_SEQUENCES: dict[str, Errors] = {
    "pop": (IndexError,),
    "popleft": (IndexError,),
    "index": (ValueError,),
    "rindex": (ValueError,),
    "remove": (ValueError,),
    "sort": (),
    "insert": (IndexError,),
    "__setitem__": (IndexError, ValueError),
    "__delitem__": (IndexError,),
}
_OF_TEXTS = frozenset(
    {"capitalize", "casefold", "count", "endswith", "find", "isalnum", "isalpha", "isdigit",
     "islower", "isspace", "isupper", "join", "lower", "lstrip", "removeprefix", "removesuffix",
     "replace", "rfind", "rstrip", "splitlines", "startswith", "strip", "swapcase", "title",
     "upper", "zfill"}
)  # fmt: skip
_OF_MAPPINGS = frozenset({"clear", "copy", "get", "setdefault", "update"})
"""Methods that raise nothing."""
_SAMPLES: dict[str, object] = {"int": 1, "float": 1.0, "bool": True, "str": "a"}


def errors_of(builder: Builder, expression: ast.expr) -> Errors | None:
    """Return the errors that an operation of the host may raise, None where that is not known."""
    of_array = errors_of_array(builder, expression)
    if of_array is not None:
        return of_array
    if not all(_is_plain(builder, part) for part in _operands(expression)):
        return None
    match expression:
        case ast.BinOp(left=ast.Constant(value=str() as template), op=ast.Mod(), right=shown):
            return _of_template(builder, template.__mod__, [shown])
        case ast.Call(
            func=ast.Attribute(value=ast.Constant(value=str() as template), attr="format"),
            args=arguments, keywords=[],
        ):  # fmt: skip
            return _of_template(builder, template.format, arguments)
        case ast.BinOp(op=symbol):
            return _of_division(builder, expression) if type(symbol) in _DIVISIONS else None
        case ast.Subscript(value=whole, slice=place):
            errors: Errors = (IndexError,)
            if isinstance(place, ast.Slice):
                errors = () if place.step is None else (ValueError,)
            return errors if kind_of(builder, whole) in _SEQUENCES else None
        case ast.Call(func=ast.Attribute(value=whole, attr=name), keywords=[]):
            return _of_method(kind_of(builder, whole), name)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
            return _of_function(builder, known_object(builder, name), arguments)
        case _:
            return None


def called(expression: ast.expr, builder: Builder) -> list[ast.expr]:
    """Return an operation of which the errors are known as a function and its arguments."""
    match expression:
        case ast.BinOp(left=left, op=symbol, right=right):
            function = _DIVISIONS[type(symbol)]
            path = f"operator.{function.__name__}"
            return [builder.reference(function, path), left, right]
        case ast.Subscript(value=whole, slice=place):
            method = ast.Attribute(value=whole, attr="__getitem__", ctx=ast.Load())
            return [method, _as_object(place)]
        case ast.Call(func=function, args=arguments):
            return [function, *arguments]
        case _:
            raise DyclBug(f"{ast.unparse(expression)} is no operation that may be tried")


def _of_template(
    builder: Builder, show: Callable[..., str], operands: list[ast.expr]
) -> Errors | None:
    """Return what a template raises of numbers: it takes their types, and not all of their values.

    None where it does not take their types.
    """
    samples = [_sample(builder, operand) for operand in operands]
    if None in samples:
        return None
    try:
        show(*samples)
    except (ValueError, TypeError, LookupError):
        return None
    return () if all(isinstance(sample, str) for sample in samples) else _OF_NUMBERS


def _of_function(builder: Builder, known: object, arguments: list[ast.expr]) -> Errors | None:
    if known is format:
        return _of_template(builder, format, arguments)
    if known in (min, max) and len(arguments) > 1:
        return ()
    if known in (str, repr) and [kind_of(builder, part) for part in arguments] == ["str"]:
        return ()
    errors = _FUNCTIONS.get(known) if isinstance(known, Hashable) else None
    floats = all(kind_of(builder, part) in ("float", "bool") for part in arguments)
    return () if errors is _OF_LARGE and floats else errors


def _sample(builder: Builder, operand: ast.expr) -> object:
    """Return a number or text of an operand's type, or a tuple of those; None for others."""
    if isinstance(operand, ast.Constant):
        return operand.value
    if isinstance(operand, ast.Tuple):
        items = [_sample(builder, item) for item in operand.elts]
        return None if None in items else tuple(items)
    return _SAMPLES.get(kind_of(builder, operand) or "")


def _of_method(kind: str | None, name: str) -> Errors | None:
    if (kind == "str" and name in _OF_TEXTS) or (kind in _MAPPINGS and name in _OF_MAPPINGS):
        return ()
    return _OF_SEQUENCES.get(name) if kind in _SEQUENCES else None


def _of_division(builder: Builder, expression: ast.BinOp) -> Errors | None:
    operands = [expression.left, expression.right]
    numbers = all(kind_of(builder, part) in ("int", "float", "bool") for part in operands)
    return _OF_DIVISIONS if numbers else None


def _operands(expression: ast.expr) -> list[ast.expr]:
    match expression:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Subscript(value=whole, slice=place):
            return [whole, _as_object(place)]
        case ast.Call(func=function, args=arguments):
            receiver = [function.value] if isinstance(function, ast.Attribute) else []
            return [*receiver, *arguments]
        case _:
            return []


def _is_plain(builder: Builder, operand: ast.expr) -> bool:
    """Return whether an operand is there already, or made without any risk."""
    match operand:
        case ast.Constant():
            return True
        case ast.Name(id=name):
            return name not in builder.variables or _is_usual(builder.variables[name].spec)
        case ast.List(elts=items) | ast.Tuple(elts=items):
            return all(_is_plain(builder, item) for item in items)
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return _is_plain(builder, inner)
        case ast.Call(func=ast.Name(id="slice"), args=bounds):
            return all(_is_plain(builder, bound) for bound in bounds)
        case ast.Call(func=ast.Name()):
            return errors_of(builder, operand) == ()
        case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant()):
            return kind_of(builder, ast.Name(id=name)) == "tuple"
        case _:
            return False


def _is_usual(spec: VariableSpec) -> bool:
    """Return whether a variable holds a number or container of Python's, or a tensor for one."""
    match spec:
        case ScalarSpec(type=kind):
            return kind in (bool, int, float) or is_real_number(kind)
        case HostSpec(description=description):
            return description in _CONTAINERS
        case TensorSpec():
            return True
        case _:
            return False


def _as_object(place: ast.expr) -> ast.expr:
    """Return ``slice(a, b, c)`` for ``a:b:c``; an index as it is."""
    if not isinstance(place, ast.Slice):
        return place
    bounds = [part or ast.Constant(value=None) for part in (place.lower, place.upper, place.step)]
    return ast.Call(func=ast.Name(id="slice", ctx=ast.Load()), args=bounds, keywords=[])
