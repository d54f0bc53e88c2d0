"""What compiled code does to lists, and whether Python does that to lists, too."""

from collections.abc import Callable, Iterable, Iterator

import torch

_NEW_LISTS = frozenset({"prim::ListConstruct", "prim::tolist"})
_CHANGING = frozenset(f"aten::{name}" for name in ("add_", "append", "pop", "_set_item"))


def nodes_of(
    block: torch.Graph | torch.Block, *, in_loop: bool
) -> Iterator[tuple[torch.Node, bool]]:
    """Yield what compiled code does, and whether it does it in a loop."""
    for node in block.nodes():
        yield node, in_loop
        for inner in node.blocks():
            yield from nodes_of(inner, in_loop=in_loop or node.kind() == "prim::Loop")


def types_of(values: Iterable[torch.Value]) -> set[str]:
    """Return the names of the types of values."""
    return {str(value.type()) for value in values}


def is_used_by(node: torch.Node, is_fitting: Callable[[torch.Node], bool]) -> bool:
    """Return whether what a node gives is asked for by certain nodes only."""
    return all(is_fitting(use.user) for value in node.outputs() for use in value.uses())


def is_list(value: torch.Value) -> bool:
    """Return whether a value is a list, of whatever."""
    name = str(value.type())
    return name.endswith("[]") or name.startswith("List[")


def walks_what_stays(loop: torch.Node) -> bool:
    """Return whether a loop over lists changes none: compiled code asks once for their lengths."""
    length = next(loop.inputs()).node()
    asked = [length]
    if length.kind() == "prim::min":
        asked = [each.node() for each in length.inputsAt(0).node().inputs()]
    walked = [node.inputsAt(0) for node in asked if node.kind() == "aten::len"]
    (body,) = loop.blocks()
    changed = [node.inputsAt(0) for node, _ in nodes_of(body, in_loop=True) if _changes_list(node)]
    return not any(
        one.debugName() == other.debugName() or not (_is_new_list(one) and _is_another_list(other))
        for one in changed
        for other in walked
        if is_list(other)
    )


def changes_for_itself(node: torch.Node) -> bool:
    """Return whether a list is changed, and nobody asks what that gives."""
    made_here = node.inputsAt(0).node().kind() == "prim::ListConstruct"
    return made_here and is_used_by(node, lambda user: False)


def adds_alike(node: torch.Node) -> bool:
    """Return whether no lists are added, which may be tuples in Python."""
    lists = [value for value in node.inputs() if is_list(value)]
    return all(value.node().kind() == "prim::ListConstruct" for value in lists)


def is_least_of_several(node: torch.Node) -> bool:
    """Return whether it is the least of integers of which there is one at least."""
    (given,) = node.inputs()
    return given.node().kind() == "prim::ListConstruct" and types_of([given]) <= {
        "int[]",
        "List[int]",
    }


def _changes_list(node: torch.Node) -> bool:
    given = list(node.inputs())
    if not given or not is_list(given[0]):
        return False
    return node.kind() in _CHANGING or not list(node.outputs())


def _is_new_list(value: torch.Value) -> bool:
    kind = value.node().kind()
    return kind in _NEW_LISTS or (kind.startswith("aten::") and not kind.endswith("_"))


def _is_another_list(value: torch.Value) -> bool:
    """Return whether a list is a new one or an argument, which is not changed."""
    block = value.node().owningBlock()
    is_given = value.node().kind() == "prim::Param" and block.owningNode() is None
    return is_given or _is_new_list(value)
