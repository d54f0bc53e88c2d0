"""Arguments whose structure is known only at run time, as written in a package."""

from collections.abc import Mapping, Sequence

from codegen_host.literals import literal_text
from rewriter.program import ObjectSpec, ScalarSpec, TensorSpec
from rewriter.specs import (
    AnyText,
    ClassSchema,
    Constant,
    InstanceOf,
    ListOf,
    OneOrNone,
    Schema,
    SetOf,
    TupleOf,
)


class SchemaWriter:
    """Writes schemas, and notes what they use."""

    def __init__(self) -> None:
        self.used: set[str] = set()
        """Names of ``_schemas.py``."""
        self.plain: set[str] = set()
        """Names of ``_arguments.py`` and its like."""
        self.definitions: list[str] = []
        """What must stand above the text: ``_tree_Node = instance("Node", ...)``."""

    def root(self, spec: ObjectSpec, variable: str) -> str:
        """Return the text of an argument's schema."""
        prefix = f"_{variable}_"
        for name, schema in spec.classes.items():
            if self._is_used(name, spec):
                self.definitions.append(f"{prefix}{name} = {self._class(name, schema, prefix)}")
        return self.text(spec.root, prefix)

    def _is_used(self, name: str, spec: ObjectSpec) -> bool:
        reached, pending = set(), list(_named(spec.root))
        while pending:
            found = pending.pop()
            if found not in reached:
                reached.add(found)
                for _, part in (*spec.classes[found].attributes, *spec.classes[found].partial):
                    pending += _named(part)
        return name in reached

    def _class(self, name: str, schema: ClassSchema, prefix: str) -> str:
        more = f", lambda: {self._pairs(schema.partial, prefix)}" if schema.partial else ""
        more += f", absent={list(schema.absent)!r}" if schema.absent else ""
        self.used.add("instance")
        return f'instance("{name}", lambda: {self._pairs(schema.attributes, prefix)}{more})'

    def _pairs(self, pairs: Sequence[tuple[str, Schema]], prefix: str) -> str:
        inner = ", ".join(f'"{name}": {self.text(part, prefix)}' for name, part in pairs)
        return f"{{{inner}}}"

    def text(self, schema: Schema, prefix: str) -> str:
        """Return the text of a schema."""
        match schema:
            case TensorSpec():
                self.plain.add("array")
                dtype = str(schema.dtype).removeprefix("torch.")
                return f"array({', '.join([repr(dtype), *map(repr, schema.shape)])})"
            case ScalarSpec():
                self.plain.add("number")
                return f"number({schema.type.__name__ if schema.type else ''})"
            case AnyText():
                return self._call("text")
            case Constant():
                self.plain.add("fixed")
                return f"fixed({literal_text(schema.value)})"
            case OneOrNone():
                return self._call("optional", self.text(schema.item, prefix))
            case ListOf(item=None):
                self.plain.add("fixed")
                return "fixed([])"
            case ListOf() | SetOf():
                assert schema.item is not None
                name = "many" if isinstance(schema, ListOf) else "distinct"
                return self._call(name, self.text(schema.item, prefix))
            case TupleOf():
                return self._call("parts", *(self.text(item, prefix) for item in schema.items))
            case InstanceOf():
                return f"{prefix}{schema.name}"

    def _call(self, name: str, *arguments: str) -> str:
        self.used.add(name)
        return f"{name}({', '.join(arguments)})"


def _named(schema: Schema) -> list[str]:
    match schema:
        case InstanceOf():
            return [schema.name]
        case OneOrNone():
            return _named(schema.item)
        case ListOf():
            return [] if schema.item is None else _named(schema.item)
        case SetOf():
            return []
        case TupleOf():
            return [name for item in schema.items for name in _named(item)]
        case TensorSpec() | ScalarSpec() | AnyText() | Constant():
            return []


def schema_description(spec: ObjectSpec) -> Mapping[str, object]:
    """Return what an argument must be, as JSON values for the manifest."""
    classes = {
        name: {
            "attributes": {n: _description(s) for n, s in schema.attributes},
            "partial": {n: _description(s) for n, s in schema.partial},
            "absent": list(schema.absent),
        }
        for name, schema in spec.classes.items()
    }
    return {"kind": "schema", "root": _description(spec.root), "classes": classes}


def _description(schema: Schema) -> object:
    match schema:
        case TensorSpec():
            dtype = str(schema.dtype).removeprefix("torch.")
            return {"kind": "array", "dtype": dtype, "shape": list(schema.shape)}
        case ScalarSpec():
            return {"kind": "number", "type": schema.type.__name__ if schema.type else None}
        case AnyText():
            return {"kind": "text"}
        case Constant():
            return {"kind": "fixed", "value": repr(schema.value)}
        case OneOrNone():
            return {"kind": "optional", "item": _description(schema.item)}
        case ListOf():
            item = None if schema.item is None else _description(schema.item)
            return {"kind": "list", "item": item}
        case SetOf():
            return {"kind": "set", "item": _description(schema.item)}
        case TupleOf():
            return {"kind": "tuple", "items": [_description(item) for item in schema.items]}
        case InstanceOf():
            return {"kind": "object", "class": schema.name}
