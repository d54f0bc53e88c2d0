"""Rewrites an exported program: node by node, complex tensors become pairs."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import fx, nn

from dycl.capture.kept_decompositions import decompositions_kept
from dycl.capture.real_arithmetic.operators import COMPARISONS, RULES
from dycl.capture.real_arithmetic.pairs import Pairs, part_dtype

_IGNORED = frozenset({torch.ops.aten._assert_tensor_metadata.default})
"""They say of a tensor what the trace knows."""


def in_real_arithmetic(
    exported: torch.export.ExportedProgram, arguments: Sequence[torch.Tensor]
) -> torch.export.ExportedProgram:
    """Return the program without complex tensors but for transforms; itself if it has none.

    Raises ``NotImplementedError`` with the operator that has no rule.
    """
    if not any(_is_about_complex(node) for node in exported.graph.nodes):
        return exported
    with decompositions_kept():
        functional = _decomposed(exported)
    module = _RealArithmetic(functional.module(check_guards=False))
    with torch.no_grad():
        return torch.export.export(module, tuple(arguments), strict=False)


def _decomposed(exported: torch.export.ExportedProgram) -> torch.export.ExportedProgram:
    """Return the program without effects, with those operators taken apart that have no rule."""
    known: Any = torch.export.default_decompositions()
    tried: set[object] = set()
    functional: torch.export.ExportedProgram = exported.run_decompositions({})
    while True:
        targets = {
            node.target
            for node in functional.graph.nodes
            if _is_about_complex(node) and node.target not in RULES
        }
        wanted = [target for target in targets - tried if target in known]
        if not wanted:
            return functional
        tried.update(wanted)
        functional = functional.run_decompositions({target: known[target] for target in wanted})


def _is_about_complex(node: fx.Node) -> bool:
    """Return whether an operator takes or gives complex tensors."""
    return node.op == "call_function" and any(map(_is_complex, (node, *node.all_input_nodes)))


def _is_complex(node: fx.Node) -> bool:
    value = node.meta.get("val")
    return any(map(_is_complex_value, value if isinstance(value, list | tuple) else (value,)))


def _is_complex_value(value: object) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype.is_complex


class _RealArithmetic(nn.Module):
    """Runs a program with pairs for complex tensors."""

    def __init__(self, program: fx.GraphModule) -> None:
        super().__init__()
        self.training = False
        self.program = program
        self._dtypes = {
            node.name: _part_dtype(node) for node in program.graph.nodes if _has_rule(node)
        }

    def forward(self, *inputs: torch.Tensor) -> Any:
        """Return what the program returns."""
        return _Interpreter(self.program, self._dtypes).run(*inputs)


class _Interpreter(fx.Interpreter):
    def __init__(self, program: fx.GraphModule, dtypes: Mapping[str, torch.dtype]) -> None:
        super().__init__(program)
        self._dtypes = dtypes

    def run_node(self, n: fx.Node) -> Any:
        """Run a node, by a rule where it is about complex tensors."""
        if n.op == "get_attr":
            value = super().run_node(n)
            is_complex = isinstance(value, torch.Tensor) and value.is_complex()
            return (
                Pairs(torch.view_as_real(value.resolve_conj().resolve_neg()))
                if is_complex
                else value
            )
        if not _has_rule(n):
            return None if _is_ignored(n) else super().run_node(n)
        args, kwargs = self.fetch_args_kwargs_from_env(n)
        return RULES[n.target](self._dtypes[n.name], *args, **kwargs)

    def call_function(self, target: Any, args: Any, kwargs: Any) -> Any:
        """Run an operator on real tensors: lazy negatives, as imaginary parts are, are no views."""
        if target is torch.ops.aten._neg_view.default:
            return torch.neg(*args)
        return super().call_function(target, args, kwargs)


def _has_rule(node: fx.Node) -> bool:
    """Return whether a node is run by a rule. Raises NotImplementedError where there is none."""
    if not _is_about_complex(node) or node.target is operator.getitem or _is_ignored(node):
        return False
    if node.target not in RULES:
        raise NotImplementedError(f"{node.target} of complex numbers")
    return True


def _is_ignored(node: fx.Node) -> bool:
    return node.target in _IGNORED and _is_about_complex(node)


def _part_dtype(node: fx.Node) -> torch.dtype:
    """Return the type of parts to compute in: of the result, else of the operands."""
    value = node.meta.get("val")
    if isinstance(value, list | tuple):
        value = value[0]
    if isinstance(value, torch.Tensor) and value.dtype.is_complex:
        return part_dtype(value.dtype)
    operands = [x.meta["val"] if isinstance(x, fx.Node) else x for x in node.args[:2]]
    if node.target in COMPARISONS:
        return part_dtype(torch.result_type(*map(_alike, operands)))
    inputs = [x.meta["val"] for x in node.all_input_nodes]
    return part_dtype(next(x.dtype for x in inputs if _is_complex_value(x)))


def _alike(operand: Any) -> Any:
    """Return something that counts like an operand where types are made one."""
    if not isinstance(operand, torch.Tensor):
        return operand
    return torch.empty((1,) * operand.dim(), dtype=operand.dtype, device="meta")
