"""Arguments of run-time structure: what is taken, what is copied, what the error says."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from codegen_host.embedded._arguments import array, check, number
from codegen_host.embedded._schemas import distinct, instance, many, optional, parts, text
from codegen_host.embedded._sizes import InputError, Sizes

NODE: Any = instance(
    "Node",
    lambda: {
        "value": number(float),
        "children": many(NODE),
        "parent": optional(NODE),
        "name": text(),
        "span": parts(number(int), number(int)),
        "vector": array("float32", 2),
    },
    lambda: {"state": number(int)},
    ["hidden"],
)


def node(*children: Any, **changed: Any) -> Any:
    """Return a node that fits, but for what is changed."""
    made = SimpleNamespace(
        value=1.0, children=list(children), parent=None, name="n", span=(0, 1), vector=torch.ones(2)
    )
    for child in children:
        child.parent = made
    made.__dict__.update(changed)
    return made


def test_a_tree_is_copied_with_its_circles() -> None:
    tree = node(node(node()), node())
    taken = check(NODE, "tree", tree, Sizes({}))
    assert taken is not tree
    assert taken.children[0].parent is taken
    assert taken.children[0].children[0].parent is taken.children[0]
    assert type(taken.children[1].vector) is np.ndarray


def test_what_was_one_object_stays_one() -> None:
    shared = node()
    taken = check(many(NODE), "nodes", [shared, shared], Sizes({}))
    assert taken[0] is taken[1]


def test_a_write_reaches_the_callers_object() -> None:
    tree = node(node())
    taken = check(NODE, "tree", tree, Sizes({}))
    taken.children[0].state = 3
    assert tree.children[0].state == 3
    assert taken.children[0].state == 3


def test_an_attribute_may_be_missing() -> None:
    assert check(NODE, "tree", node(state=3), Sizes({})).state == 3
    assert not hasattr(check(NODE, "tree", node(), Sizes({})), "state")


@pytest.mark.parametrize(
    ("tree", "refusal"),
    [
        (node(node(), node(value=2)), "x.children[1].value: expected a Python float, got int 2"),
        (node(node(name=3)), "x.children[0].name: expected a string, got a value of type int"),
        (node(children=()), "x.children: expected a list, got a value of type tuple"),
        (node(span=(1,)), "x.span: expected a tuple of 2, got a value of type tuple"),
        (node(span=(1, 2.5)), "x.span[1]: expected a Python int, got float 2.5"),
        (node(state=1.5), "x.state: expected a Python int, got float 1.5"),
        (node(hidden=1), "x.hidden: expected no such attribute, got a value of type int"),
        (
            node(vector=np.ones(2)),
            "x.vector: expected an array float32[2], got an array float64[2]",
        ),
        (
            node(SimpleNamespace(value=1.0)),
            "x.children[0]: expected an object like a Node with an attribute 'children', "
            "got a value of type SimpleNamespace",
        ),
    ],
)
def test_the_error_names_the_place(tree: Any, refusal: str) -> None:
    with pytest.raises(InputError) as caught:
        check(NODE, "x", tree, Sizes({}))
    assert str(caught.value) == refusal


def test_kinds_say_what_they_are() -> None:
    assert str(optional(NODE)) == "an object like a Node, or None"


def test_a_set_is_the_callers_own() -> None:
    ends = {(1, "a"), (2, "b")}
    spec = distinct(parts(number(int), text()))
    assert check(spec, "ends", ends, Sizes({})) is ends
    with pytest.raises(InputError, match=r"^ends: expected a set .* got a value of type list$"):
        check(spec, "ends", [(1, "a")], Sizes({}))
    with pytest.raises(InputError, match=r"^ends \(an element\): expected a Python int, got float"):
        check(distinct(number(int)), "ends", {1.5}, Sizes({}))
    with pytest.raises(InputError, match=r"^ends \(an element\): .* got a value of type int64$"):
        check(distinct(number(int)), "ends", {np.int64(1)}, Sizes({}))
