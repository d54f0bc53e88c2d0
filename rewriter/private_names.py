"""Private names: inside a class, Python reads ``__name`` as ``_Class__name``.

    class Log:                             class Log:
        def add(__self, __text): ...  ->       def add(_Log__self, _Log__text): ...

Which class stands around a function its source alone does not tell; its code has the names as
they became. Positions of the nodes stay: diagnostics show the line as the user wrote it.
"""

import types
from collections.abc import Iterator

import libcst as cst

from rewriter.descendants import children_of


def with_private_names(node: cst.FunctionDef | cst.Lambda, code: types.CodeType) -> None:
    """Give variables, parameters and attributes in a function the names that its code has.

    What ``def``, ``class`` and ``import`` bind keeps its name, which the bound object has, too.
    """
    known = {name for name in _names_of(code) if "__" in name and not name.endswith("__")}
    if not known:
        return
    names = list(_names(node))
    private = {name.value for name in names if _is_private(name.value)}
    before = next((p for raw in private if (p := _before(raw, known)) is not None), None)
    if before is None:
        return
    private -= set(_bound_by_statements(node))
    for name in names:
        if name.value in private:
            object.__setattr__(name, "value", before + name.value)


def _is_private(name: str) -> bool:
    return name.startswith("__") and not name.endswith("__")


def _before(raw: str, known: set[str]) -> str | None:
    """Return what a class puts before a name; None where its code does not tell."""
    found = (name for name in known if name.endswith(raw) and name[:1] == "_" != name[1:2])
    return next((name.removesuffix(raw) for name in found), None)


def _names_of(code: types.CodeType) -> Iterator[str]:
    """Yield the names in a function's code and in that of functions inside of it."""
    yield from (*code.co_varnames, *code.co_names, *code.co_freevars, *code.co_cellvars)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _names_of(constant)


def _names(node: cst.CSTNode) -> Iterator[cst.Name]:
    """Yield the names of a function's own class: no keywords of calls, no classes inside of it."""
    if isinstance(node, cst.Name):
        yield node
    keyword = node.keyword if isinstance(node, cst.Arg) else None
    for child in children_of(node):
        if child is not keyword and not isinstance(child, cst.ClassDef | cst.ImportAlias):
            yield from _names(child)


def _bound_by_statements(node: cst.CSTNode) -> Iterator[str]:
    for child in children_of(node):
        match child:
            case (
                cst.FunctionDef(name=cst.Name(value=name)) | cst.ClassDef(name=cst.Name(value=name))
            ):
                yield name
            case cst.ImportAlias(name=cst.Name(value=name), asname=None):
                yield name
            case cst.ImportAlias(asname=cst.AsName(name=cst.Name(value=name))):
                yield name
            case _:
                pass
        yield from _bound_by_statements(child)
