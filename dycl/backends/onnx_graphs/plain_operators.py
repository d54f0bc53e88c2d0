"""The few operators that take most convolutional networks apart, written plainly without a trace.

Batch normalisation, operators that write to what they are given (``relu_``), ``1 - x`` and changes
of type are what the exporter has no translation of. With all sizes known each is another operator
that it has; a value that is written to is followed by a new one, as functionalisation does, where
no other value may share its memory.
"""

from collections.abc import Callable
from operator import getitem
from typing import Any

import torch

_aten = torch.ops.aten
_COMPOSITE = "CompositeImplicitAutograd"
_MAKE_NEW = frozenset({_aten.conv1d, _aten.conv2d, _aten.conv3d, _aten.linear, _aten.batch_norm})
"""Composite operators whose results are certainly in memory of their own."""
_ROWS = {"memory_format": torch.contiguous_format}
_SHARING = ("_unsafe_view", "lift", "unsafe_")
"""What operators are called that share memory and do not say so."""


def write_plainly(program: torch.export.ExportedProgram) -> None:
    """Write such operators of a program, in place, as others that compute the same."""
    renaming = program.graph_signature.get_replace_hook()  # outputs have the names of nodes
    with program.graph_module._set_replace_hook(renaming):
        for node in [*program.graph.nodes]:
            if isinstance(node.target, torch._ops.OpOverload):
                _RULES.get(node.target, _follow)(node)
    if not any(writes(node) for node in program.graph.nodes):
        for node in [*program.graph.nodes]:
            rule = _UNLESS_WRITTEN.get(node.target)
            if rule is not None:
                rule(node)
    program.graph_module.recompile()


def writes(node: torch.fx.Node) -> bool:
    """Return whether an operator changes what it is given."""
    return isinstance(node.target, torch._ops.OpOverload) and node.target._schema.is_mutable


def _normalize(node: torch.fx.Node) -> None:
    """Take the operator without training, whose first result is the output."""
    arguments: Any = node.args
    values, weight, bias, mean, variance, training, momentum, epsilon, _ = arguments
    if training or mean is None or variance is None or not _is_of_one_type(node):
        return
    given = (values, weight, bias, mean, variance, momentum, epsilon)
    output = node.meta["val"]
    with node.graph.inserting_before(node):
        plain = _aten._native_batch_norm_legit_no_training.default
        results = node.graph.call_function(plain, given)
    results.meta = {**node.meta, "val": (output, output.new_empty(0), output.new_empty(0))}
    node.target = getitem
    node.args = (results, 0)


def _subtract(node: torch.fx.Node) -> None:
    if len(node.args) == 2 and not node.kwargs:
        node.target, node.args = _aten.sub.Tensor, (node.args[1], node.args[0])


def _convert(node: torch.fx.Node) -> None:
    """Take the operator that always copies, where a type changes."""
    arguments: Any = node.args
    values, wanted = arguments[:2]
    if len(arguments) == 2 and not node.kwargs and values.meta["val"].dtype != wanted:
        node.target, node.args, node.kwargs = _aten._to_copy.default, (values,), {"dtype": wanted}


def _view(node: torch.fx.Node) -> None:
    """Take the operator whose sizes are those of the result: others read 0 as another size.

    What looks at elements that lie otherwise stays: whether later ones copy was chosen by that.
    """
    if not node.meta["val"].is_contiguous():
        return
    values: Any = node.args[0]
    kept = values.meta["val"]
    if not kept.is_contiguous():
        with node.graph.inserting_before(node):
            values = node.graph.call_function(_aten.clone.default, (values,), dict(_ROWS))
        values.meta = {**node.meta, "val": kept.clone(**_ROWS)}
    node.target, node.args = _aten.view.default, (values, [*node.meta["val"].shape])


def _keep(node: torch.fx.Node) -> None:
    """Leave out nothing where it is not training."""
    if node.args[-1] is False and not node.kwargs:
        node.target, node.args = _aten.clone.default, (node.args[0],)


def _leave_out(node: torch.fx.Node) -> None:
    node.graph.erase_node(node)


def _follow(node: torch.fx.Node) -> None:
    """Let what is written to be followed by a new value."""
    plain = without_writing(node.target)
    written: Any = node.args[0] if node.args else None
    if plain is None or not _is_of_one_type(node) or not _owns_its_memory(written, node):
        return
    node.target = plain
    written.replace_all_uses_with(node, delete_user_cb=lambda user: user > node)


def without_writing(target: Any) -> Any | None:
    """Return the operator that computes the same and writes nowhere; None if there is none."""
    schema = target._schema
    first, *others = schema.arguments
    name = target.overloadpacket.__name__
    if not (schema.is_mutable and name.endswith("_") and first.is_write):
        return None
    if any(other.is_write for other in others) or torch.Tag.nondeterministic_seeded in target.tags:
        return None
    plain = getattr(getattr(_aten, name[:-1], None), target._overloadname, None)
    if plain is None or plain._schema.is_mutable:
        return None
    same = [(a.name, str(a.type)) for a in schema.arguments]
    return plain if same == [(a.name, str(a.type)) for a in plain._schema.arguments] else None


def _is_of_one_type(node: torch.fx.Node) -> bool:
    """Return whether all tensors of a call have the type of its result, which is of floats."""
    kind = node.meta["val"].dtype
    return kind.is_floating_point and all(
        given.meta["val"].dtype == kind for given in node.all_input_nodes
    )


def _owns_its_memory(value: torch.fx.Node, writer: torch.fx.Node) -> bool:
    """Return whether no other value shares memory with this one when it is written to."""
    return _makes_new(value) and all(_makes_new(user) for user in value.users if user < writer)


def _makes_new(node: torch.fx.Node) -> bool:
    """Return whether an operator's result shares no memory with what it was given."""
    target: Any = node.target
    if target is getitem:
        arguments: Any = node.args
        return arguments[1] == 0 and _makes_new(arguments[0])
    if not isinstance(node.target, torch._ops.OpOverload) or target.namespace != "aten":
        return False
    if target._schema.is_mutable or any(r.alias_info for r in target._schema.returns):
        return False
    if target.overloadpacket.__name__.startswith(_SHARING):
        return False
    return target.overloadpacket in _MAKE_NEW or not is_composite(target)


def is_composite(target: Any) -> bool:
    """Return whether an operator is made of others, for all devices."""
    return bool(torch._C._dispatch_has_kernel_for_dispatch_key(target.name(), _COMPOSITE))


_RULES: dict[Any, Callable[[torch.fx.Node], None]] = {
    _aten.batch_norm.default: _normalize,
    _aten.rsub.Scalar: _subtract,
    _aten.to.dtype: _convert,
    _aten._assert_tensor_metadata.default: _leave_out,
}
_UNLESS_WRITTEN: dict[Any, Callable[[torch.fx.Node], None]] = {
    _aten.dropout.default: _keep,
    _aten.flatten.using_ints: _view,
    _aten.reshape.default: _view,
}
"""Rules for what may share memory or not: where nothing is written, that is the same."""
