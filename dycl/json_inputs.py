"""Arguments from JSON files: what an array, an object or a tree is, the manifest says."""

import json
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from dycl.errors import UserError

Description = Mapping[str, Any]
"""What the manifest says of an argument, or of a part of one."""


def read_json(file: Path, description: Description) -> Any:
    """Return the argument that a file describes: lists for arrays, objects for objects."""
    if not file.is_file():
        raise UserError(f"{file} does not exist")
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{file} is no JSON: {error}") from error
    try:
        return _argument(content, description, {})
    except (TypeError, ValueError, KeyError, AttributeError) as error:
        raise UserError(f"{file} does not fit: expected {description['kind']}: {error}") from error


def _argument(content: Any, what: Description, classes: Mapping[str, Description]) -> Any:
    """Return what a part of the file stands for. What it must be, the package checks."""
    match what["kind"]:
        case "array":
            return np.array(content, dtype=what["dtype"])
        case "number" if what["type"] == "float":
            return float(content)
        case "list" if "item" in what:  # of any length
            return [_argument(part, what["item"], classes) for part in content]
        case "set":
            return {_argument(part, what["item"], classes) for part in content}
        case "list" | "tuple" as kind:
            parts = zip(content, what["items"], strict=True)
            made = [_argument(part, inner, classes) for part, inner in parts]
            return made if kind == "list" else tuple(made)
        case "dict":
            return {key: _named(content, key, inner, classes) for key, inner in _keys(what)}
        case "optional":
            return None if content is None else _argument(content, what["item"], classes)
        case "schema":
            return _argument(content, what["root"], what["classes"])
        case "object":
            return _object(content, what, classes)
        case _:
            return content


def _object(content: Any, what: Description, classes: Mapping[str, Description]) -> Any:
    if "attributes" in what:
        attributes = dict(what["attributes"])
    else:
        found = classes[what["class"]]
        attributes = {**found["attributes"], **found["partial"]}
    made = {
        name: _argument(content[name], inner, classes)
        for name, inner in attributes.items()
        if name in content
    }
    return SimpleNamespace(**made)


def _keys(what: Description) -> list[tuple[str, Description]]:
    return [(key.strip("'\""), inner) for key, inner in what["items"]]


def _named(content: Any, key: str, what: Description, classes: Mapping[str, Description]) -> Any:
    return _argument(content[key], what, classes)
