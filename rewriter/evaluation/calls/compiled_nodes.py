"""Which operations of what ``torch.jit.script`` compiles do what Python does, as it does it."""

import math
import struct
from collections.abc import Callable
from dataclasses import dataclass

import torch

from rewriter.evaluation.calls.compiled_lists import (
    adds_alike,
    changes_for_itself,
    is_least_of_several,
    is_used_by,
    nodes_of,
    types_of,
    walks_what_stays,
)

_PLAIN = frozenset({
    "prim::Constant", "prim::If", "prim::ListConstruct", "prim::ListUnpack",
    "prim::TupleConstruct", "prim::TupleIndex", "prim::TupleUnpack",
    "prim::Uninitialized", "prim::unchecked_cast", "aten::IntImplicit", "aten::__and__",
    "aten::__derive_index", "aten::__getitem__", "aten::__is__", "aten::__isnot__", "aten::__not__",
    "aten::__range_length", "aten::dim", "aten::item", "aten::len", "aten::numel", "aten::size",
    "prim::tolist",
})  # fmt: skip
"""What gives no tensor, and the same in Python."""
_NUMBERS = frozenset({"int", "float", "bool"})
_ANY_NUMBERS = _NUMBERS | {"number", "Scalar"}
"""The last two are what an element is, of whatever type."""
_COMPARING = frozenset(f"aten::{name}" for name in ("lt", "le", "gt", "ge", "eq", "ne"))
_FOLDED = frozenset({"aten::eq", "aten::ne"})
_COUNTING = frozenset({"aten::add", "aten::sub"})
_PARTING = frozenset({"aten::floordiv", "aten::remainder"})
_COMPUTING = frozenset({"aten::mul", "aten::neg"}) | _COUNTING | _PARTING
"""The same for integers as large as sizes: those of compiled code have 64 bits."""
_OF_FLOATS = frozenset({"aten::add", "aten::sub", "aten::mul", "aten::neg"})
_LOOKING = frozenset({"aten::Bool", "aten::Float", "aten::Int"})
_OF_CONTENT = frozenset({
    "aten::index", "aten::item", "aten::masked_select", "aten::nonzero", "prim::tolist",
})  # fmt: skip
_INTEGERS = frozenset({"aten::Int", "aten::IntImplicit"})
_OF_SIZES = frozenset({"aten::dim", "aten::len", "aten::numel", "aten::size"})
_TENSORS = frozenset({"Tensor", "Tensor[]", "List[Tensor]"})
_FUNCTIONAL = "__torch__.torch.nn.functional."
_LARGE = 2**31
_SAME_TYPE = frozenset({
    "aten::clone", "aten::contiguous", "aten::detach", "aten::select", "aten::slice",
    "aten::unsqueeze", "aten::view",
})  # fmt: skip
"""What gives a tensor of the element type that it is given."""
_FILLED = frozenset({"aten::ones_like", "aten::zeros_like"})
_MOST = 2**24
"""Numbers larger than this one may be rounded in two ways."""
_OF_ANY_TYPE = 127
"""Numbers from 0 to this one are what every element type makes of them, but for their fractions."""


@dataclass(frozen=True)
class CompiledCode:
    """The code of a compiled function, with what is known of its arguments in a call."""

    graph: torch.Graph
    has_large: bool
    """Whether arguments may be integers that are larger than sizes are."""
    singles: frozenset[str]
    """The parameters that are certainly tensors of 32-bit floats."""
    called: frozenset[str]
    """Functions of the program that do what they do in Python, too, by their names in types."""

    def looks_at_tensors(self) -> bool:
        """Return whether it may decide, or compute, by what a tensor holds."""
        return any(
            _looks(node) or self._calls(node) for node, _ in nodes_of(self.graph, in_loop=False)
        )

    def is_as_in_python(self) -> bool:
        """Return whether what it does is what Python does with its source."""
        nodes = list(nodes_of(self.graph, in_loop=False))
        has_large = self.has_large or any(node.kind() in _INTEGERS for node, _ in nodes)
        return all(map(_gives_same_object, self.graph.outputs())) and all(
            self._does_the_same(node, in_loop, has_large) for node, in_loop in nodes
        )

    def _does_the_same(self, node: torch.Node, in_loop: bool, has_large: bool) -> bool:
        kind = node.kind()
        rule = _RULES.get(kind)
        if rule is not None:
            return rule(node) or self._calls(node)
        if kind == "aten::tensor":
            return self._makes_same_tensor(node)
        if kind in _PLAIN or (kind.startswith("aten::") and _gives_tensors(node)):
            return not kind.startswith("aten::add") or adds_alike(node)
        if kind in _COMPARING:
            return _compares_alike(node)
        numbers = types_of(node.inputs())
        if kind in _OF_FLOATS and any(map(_is_float, node.inputs())):
            return numbers <= _ANY_NUMBERS
        return kind in _COMPUTING and numbers == {"int"} and self._fits(node, in_loop, has_large)

    def _calls(self, node: torch.Node) -> bool:
        return node.kind() == "prim::CallFunction" and str(node.inputsAt(0).type()) in self.called

    def _fits(self, node: torch.Node, in_loop: bool, has_large: bool) -> bool:
        """Return whether what is computed of integers has as many digits as compiled code has."""
        constants = [value.toIValue() for value in node.inputs() if _is_constant(value)]
        if not all(isinstance(each, int) and -_LARGE < each < _LARGE for each in constants):
            return False
        if constants and ((node.kind() in _COUNTING and in_loop) or _parts_by_constant(node)):
            return True
        return not has_large and (not in_loop or self._is_steady(node))

    def _is_steady(self, node: torch.Node) -> bool:
        """Return whether a number does not become larger with each iteration of a loop."""
        return _parts_by_constant(node) or all(
            self._is_steady_operand(value) for value in node.inputs()
        )

    def _is_steady_operand(self, value: torch.Value) -> bool:
        node = value.node()
        kind = node.kind()
        if kind in _COMPUTING:
            return self._is_steady(node)
        if kind == "prim::Param":
            given = (each.debugName() for each in self.graph.inputs())
            return value.debugName() in given or _is_counted(value)
        return kind in _OF_SIZES or kind in ("prim::Constant", "aten::__derive_index")

    def _makes_same_tensor(self, node: torch.Node) -> bool:
        """Return whether the tensor of a number, as where an element is written, is Python's.

        The number comes by way of 32-bit floats, and is taken for one of the element type.
        """
        value, dtype = node.inputsAt(0), node.inputsAt(1)
        if dtype.node().kind() != "prim::dtype":
            return str(value.type()) != "float" or dtype.node().mustBeNone()
        number = value.toIValue() if _is_constant(value) else None
        if not isinstance(number, int | float):
            return False
        if 0 <= number <= _OF_ANY_TYPE and _is_single(number):
            return True
        return self._has_singles(dtype.node().inputsAt(0)) and not _MOST < abs(number) < math.inf

    def _has_singles(self, tensor: torch.Value) -> bool:
        """Return whether a tensor certainly has elements of 32-bit floats."""
        while _gives_same_type(tensor.node()):
            tensor = tensor.node().inputsAt(0)
        return tensor.debugName() in self.singles


def _looks(node: torch.Node) -> bool:
    kind = node.kind()
    return kind in _OF_CONTENT or (kind in _LOOKING and "Tensor" in types_of(node.inputs()))


def _is_constant(value: torch.Value) -> bool:
    return value.node().kind() == "prim::Constant"


def _gives_same_type(node: torch.Node) -> bool:
    is_filled = node.kind() in _FILLED and node.inputsAt(1).node().mustBeNone()
    return node.kind() in _SAME_TYPE or is_filled


def _parts_by_constant(node: torch.Node) -> bool:
    """Return whether an integer is divided by a positive one, which makes it no larger."""
    if node.kind() not in _PARTING or not _is_constant(node.inputsAt(1)):
        return False
    by = node.inputsAt(1).toIValue()
    return isinstance(by, int) and by > 0


def _is_single(number: float) -> bool:
    return float(struct.unpack("f", struct.pack("f", number))[0]) == number


def _gives_tensors(node: torch.Node) -> bool:
    return types_of(node.outputs()) <= _TENSORS


def _is_float(value: torch.Value) -> bool:
    """Return whether a number is certainly a float."""
    node = value.node()
    if str(value.type()) == "float":
        return True
    return node.kind() in _OF_FLOATS and any(map(_is_float, node.inputs()))


def _is_counted(value: torch.Value) -> bool:
    """Return whether a value counts the iterations of a loop, by a constant each."""
    block = value.node().owningBlock()
    loop = block.owningNode()
    if loop is None or loop.kind() != "prim::Loop":
        return False
    place = [each.debugName() for each in block.inputs()].index(value.debugName())
    if place == 0:
        return True
    node = list(block.outputs())[place].node()
    operands = list(node.inputs())
    counted = any(each.debugName() == value.debugName() for each in operands)
    return node.kind() in _COUNTING and counted and any(map(_is_constant, operands))


def _compares_alike(node: torch.Node) -> bool:
    """Return whether numbers are compared as in Python.

    Two numbers that are one are taken for equal, also a NaN.
    """
    numbers = types_of(node.inputs())
    may_be_nan = bool(numbers & (_ANY_NUMBERS - {"int", "bool"}))
    folded = node.kind() in _FOLDED and may_be_nan and not any(map(_is_constant, node.inputs()))
    return numbers <= _ANY_NUMBERS and not folded


def _looks_alike(node: torch.Node) -> bool:
    """Return whether a number is made of a tensor, or of a number that Python makes one of."""
    (given,) = types_of(node.inputs())
    return given in _ANY_NUMBERS - _NUMBERS | {"Tensor"} or (
        given in _NUMBERS and node.kind() != "aten::Int"
    )


def _is_for_tensors(node: torch.Node) -> bool:
    """Return whether a type or device, a number in compiled code, is one of a new tensor."""
    return is_used_by(node, lambda user: user.kind().startswith("aten::") and _gives_tensors(user))


def _has_root(node: torch.Node) -> bool:
    """Return whether it is the root of what has one: of a size."""
    return node.inputsAt(0).node().kind() in _OF_SIZES


def _divides_alike(node: torch.Node) -> bool:
    """Return whether it is a division by a constant: others may be by zero."""
    if _gives_tensors(node):
        return True
    number = node.inputsAt(1).toIValue() if _is_constant(node.inputsAt(1)) else None
    return types_of(node.inputs()) == {"float"} and bool(number)


def _is_functional(node: torch.Node) -> bool:
    return str(node.inputsAt(0).type()).startswith(_FUNCTIONAL)


def _gives_same_object(value: torch.Value) -> bool:
    """Return whether what is given back is of Python's type.

    A size of Python's is no list, nor are the parts of a tensor; a tuple with names has a class.
    """
    node, name = value.node(), str(value.type())
    if "__torch__" in name:
        return False
    if node.kind() == "prim::tolist":
        return True
    if node.kind() in ("prim::TupleConstruct", "prim::ListConstruct"):
        return "[][]" not in name and all(map(_gives_same_object, node.inputs()))
    return "[]" not in name and "List[" not in name


_RULES: dict[str, Callable[[torch.Node], bool]] = {
    "prim::CallFunction": _is_functional,
    "prim::Loop": walks_what_stays,
    "prim::device": _is_for_tensors,
    "prim::dtype": _is_for_tensors,
    "prim::min": is_least_of_several,
    "aten::_set_item": changes_for_itself,
    "aten::append": changes_for_itself,
    "aten::div": _divides_alike,
    "aten::sqrt": lambda node: _gives_tensors(node) or _has_root(node),
    **dict.fromkeys(_LOOKING, _looks_alike),
}
