"""Functions under ``@beartype`` and ``@jaxtyped``, known by what these libraries leave on them.

Their arguments and results are compared with the annotations; else the function is called as it
is. Neither library need be installed.
"""

import inspect
import types
import typing
from dataclasses import dataclass, replace
from typing import Any

from rewriter.annotated_types import Described, Undescribed, described, names_sizes

_CHECKERS = ("beartype", "typeguard")


@dataclass(frozen=True)
class Checked:
    """A function around which types are checked."""

    function: types.FunctionType
    """What is called, which may be checked itself."""
    signature: inspect.Signature
    parameters: dict[str, Described]
    result: Described | None
    has_sizes: bool
    """Whether names of dimensions stand for one size in all that the call checks."""


def checker(content: object) -> types.FunctionType | None:
    """Return the function that a checker of types calls, None for all other objects."""
    if not isinstance(content, types.FunctionType):
        return None
    file = content.__code__.co_filename.replace("\\", "/")
    inner: object = None
    if file.startswith("<@beartype("):
        inner = (content.__kwdefaults__ or {}).get("__beartype_func")
    elif file.endswith("jaxtyping/_decorator.py"):
        inner = inspect.getclosurevars(content).nonlocals.get("fn")
    return inner if isinstance(inner, types.FunctionType) else None


def unchecked(function: types.FunctionType) -> types.FunctionType:
    """Return the function within all checkers of types."""
    inner = checker(function)
    return function if inner is None else unchecked(inner)


def checked(content: types.FunctionType) -> Checked:
    """Return what a checker of types does around a function. Raises Undescribed, NameError."""
    inner = checker(content)
    assert inner is not None
    if not content.__code__.co_filename.startswith("<"):
        return _by_jaxtyping(content, inner)
    configuration = (content.__kwdefaults__ or {}).get("__beartype_conf")
    tower = bool(getattr(configuration, "is_pep484_tower", False))
    replaced = set(getattr(configuration, "hint_overrides", None) or ())
    if replaced - ({float, complex} if tower else set()):
        raise Undescribed("hint_overrides")
    hints = typing.get_type_hints(inner, include_extras=True)
    return _described(inner, inspect.signature(inner), hints, tower=tower)


def _by_jaxtyping(content: types.FunctionType, inner: types.FunctionType) -> Checked:
    around = inspect.getclosurevars(content)
    check = around.nonlocals.get("wrapped_fn_impl")
    if check is None and checker(inner) is not None:
        return replace(checked(inner), has_sizes=True)
    if check is None or _is_disabled(around.globals, content, inner):
        return Checked(inner, inspect.signature(inner), {}, None, has_sizes=True)
    names = inspect.getclosurevars(check).nonlocals
    by = getattr(names["typechecker"], "__module__", None) or ""
    if by.partition(".")[0] not in _CHECKERS:
        raise Undescribed(f"the checker {by}")
    full = names["full_signature"]
    hints = {name: parameter.annotation for name, parameter in full.parameters.items()}
    hints["return"] = full.return_annotation
    written = {name: hint for name, hint in hints.items() if hint is not inspect.Parameter.empty}
    return replace(_described(inner, full, written, tower=False), has_sizes=True)


def _is_disabled(names: typing.Mapping[str, Any], *functions: types.FunctionType) -> bool:
    told = getattr(names.get("config"), "jaxtyping_disable", False)
    return bool(told) or any(getattr(each, "__no_type_check__", False) for each in functions)


def _described(
    function: types.FunctionType,
    signature: inspect.Signature,
    hints: dict[str, Any],
    *,
    tower: bool,
) -> Checked:
    result = hints.get("return", Any)
    return Checked(
        function,
        signature,
        {name: described(h, tower=tower) for name, h in hints.items() if name != "return"},
        None
        if inspect.isgeneratorfunction(unchecked(function))
        else described(result, tower=tower),
        has_sizes=False,
    )


def refuse_borrowed_sizes(told: Checked) -> None:
    """Raise Undescribed where names of dimensions may stand for what a caller's checks found."""
    if not told.has_sizes and any(map(names_sizes, (*told.parameters.values(), told.result))):
        raise Undescribed("sizes that have a name, without @jaxtyped")
