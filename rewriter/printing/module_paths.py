"""Paths such as ``F.relu``: the import that makes their first name mean what it should."""

import ast
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from types import ModuleType

from rewriter.program import KnownReference

_USUAL_NAMES = {"F": "torch.nn.functional", "nn": "torch.nn", "np": "numpy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Binding:
    """An import: of a module, or of an attribute of one."""

    module: str
    attribute: str | None
    name: str
    """The name that it binds; for ``import a.b`` that is ``a``."""

    @property
    def line(self) -> str:
        """Return the import statement."""
        if self.attribute is not None:
            renamed = "" if self.attribute == self.name else f" as {self.name}"
            return f"from {self.module} import {self.attribute}{renamed}"
        renamed = "" if self._binds_package else f" as {self.name}"
        return f"import {self.module}{renamed}"

    def agrees_with(self, other: "Binding") -> bool:
        """Return whether two imports bind one name to one object."""
        return self == other or (self._binds_package and other._binds_package)

    @property
    def _binds_package(self) -> bool:
        return self.attribute is None and self.module.partition(".")[0] == self.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A path of attributes and constant indices from a name."""

    expression: ast.expr
    root: str
    attributes: tuple[str, ...] | None
    """The attributes behind the root; None where there are indices as well."""

    def find(self, names: Mapping[str, object]) -> object:
        """Return the object that the path leads to, None if it leads nowhere."""
        if self.root not in names:
            return None
        code = compile(ast.Expression(body=self.expression), "<path>", "eval")
        try:
            found: object = eval(code, {"__builtins__": {}}, {self.root: names[self.root]})
        except Exception:
            # Whatever a user's object raises, this is not the way to the object.
            return None
        return found


def parse_path(text: str | None) -> Path | None:
    """Return the path if the text is one."""
    if text is None:
        return None
    try:
        expression = ast.parse(text, mode="eval").body
    except SyntaxError:
        return None
    attributes: list[str] = []
    only_attributes = True
    node = expression
    while not isinstance(node, ast.Name):
        match node:
            case ast.Attribute(value=value, attr=name):
                attributes.insert(0, name)
            case ast.Subscript(value=value) if _is_constant(node.slice):
                only_attributes = False
            case _:
                return None
        node = value
    return Path(
        expression=ast.fix_missing_locations(expression),
        root=node.id,
        attributes=tuple(attributes) if only_attributes else None,
    )


def bind_path(
    path: Path, reference: KnownReference, user_globals: Mapping[str, object]
) -> Binding | None:
    """Return the import under which the user's own spelling reaches an object.

    None where no import does: builtins, and objects that are no part of a module.
    """
    if path.attributes is None:
        return None
    if not path.attributes:
        return _direct_binding(path.root, reference.import_path)
    own = user_globals.get(path.root)
    candidates = (
        own.__name__ if isinstance(own, ModuleType) else None,
        path.root,
        _USUAL_NAMES.get(path.root),
    )
    for candidate in candidates:
        start = sys.modules.get(candidate) if candidate else None
        if start is None or candidate is None:
            continue
        if path.find({path.root: start}) is reference.value:
            return _module_binding(candidate, path.root)
    return None


def spelled_out(import_path: tuple[str, str]) -> tuple[ast.expr, str, Binding | None]:
    """Return the full spelling of a library object, its first name and import.

    Builtins have no import.
    """
    module, attribute = import_path
    if module == "builtins" and attribute:
        text, binding = attribute, None
    else:
        text = f"{module}.{attribute}" if attribute else module
        binding = Binding(module=module, attribute=None, name=module.partition(".")[0])
    expression = ast.parse(text, mode="eval").body
    return expression, text.partition(".")[0], binding


def _direct_binding(name: str, import_path: tuple[str, str] | None) -> Binding | None:
    """Return the import of a module, or of one name from a module."""
    match import_path:
        case None | ("builtins", _):
            return None
        case (module, ""):
            return _module_binding(module, name)
        case (_, attribute) if not attribute.isidentifier():
            return None
        case (module, attribute):
            return Binding(module=module, attribute=attribute, name=name)


def _module_binding(module: str, name: str) -> Binding | None:
    if "." in module and module.partition(".")[0] == name:
        return None
    return Binding(module=module, attribute=None, name=name)


def _is_constant(index: ast.expr) -> bool:
    match index:
        case ast.Constant():
            return True
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant()):
            return True
        case _:
            return False
