"""Arguments from JSON files become what the manifest says they are."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dycl.errors import UserError
from dycl.json_inputs import read_json

NODE = {
    "attributes": {
        "value": {"kind": "number", "type": "float"},
        "children": {"kind": "list", "item": {"kind": "object", "class": "Node"}},
        "left": {"kind": "optional", "item": {"kind": "object", "class": "Node"}},
    },
    "partial": {"state": {"kind": "tuple", "items": [{"kind": "number", "type": "int"}]}},
    "absent": [],
}
TREE = {"kind": "schema", "root": {"kind": "object", "class": "Node"}, "classes": {"Node": NODE}}
BATCH = {
    "kind": "object",
    "class": "Batch",
    "attributes": [
        ["x", {"kind": "array", "dtype": "float32", "shape": [2]}],
        ["names", {"kind": "dict", "items": [["'a'", {"kind": "number", "type": "int"}]]}],
    ],
}


def read(tmp_path: Path, content: Any, description: Any) -> Any:
    file = tmp_path / "input.json"
    file.write_text(json.dumps(content))
    return read_json(file, description)


def test_a_tree(tmp_path: Path) -> None:
    leaf = {"value": 2, "children": [], "left": None}
    tree = read(tmp_path, {"value": 1, "children": [leaf], "left": leaf, "state": [3]}, TREE)
    assert type(tree.value) is float
    assert tree.children[0].left is None
    assert tree.left.value == 2.0
    assert tree.state == (3,)
    assert not hasattr(tree.left, "state")


def test_an_object_with_an_array(tmp_path: Path) -> None:
    batch = read(tmp_path, {"x": [1, 2], "names": {"a": 3}}, BATCH)
    assert batch.x.dtype == np.float32
    assert batch.names == {"a": 3}


def test_what_does_not_fit_is_the_users_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not fit"):
        read(tmp_path, {"x": "words", "names": {"a": 3}}, BATCH)
    with pytest.raises(UserError, match="does not exist"):
        read_json(tmp_path / "other.json", BATCH)
    (tmp_path / "broken.json").write_text("{")
    with pytest.raises(UserError, match="is no JSON"):
        read_json(tmp_path / "broken.json", BATCH)
