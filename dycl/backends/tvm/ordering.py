"""Puts what a function does back in order: TVM sorts it by tensors alone when it fuses.

A kernel runs after the numbers that it takes are known, and after whatever was demanded of
them and of the sizes of its tensors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import tvm
import tvm_ffi
from tvm import relax

from dycl.backends.tvm.run_time_sizes import DEMAND


def in_order(module: tvm.IRModule) -> tvm.IRModule:
    """Return a module in which each function defines numbers, and demands things, in time."""
    for place, function in module.functions_items():
        if isinstance(function, relax.Function):
            module.update_func(place, _sorted(function))
    return module


def finds_out_numbers(function: relax.Function) -> bool:
    """Return whether a function defines numbers of run time, beyond those that it takes."""
    bindings = [binding for block in function.body.blocks for binding in block.bindings]
    return any(isinstance(binding, relax.MatchCast) for binding in bindings)


def _sorted(function: relax.Function) -> relax.Function:
    blocks = [_block(block) for block in function.body.blocks]
    body = relax.SeqExpr(blocks, function.body.body)
    return relax.Function(
        function.params, body, function.ret_ty, function.is_pure, attrs=function.attrs
    )


def _block(block: Any) -> Any:
    steps = [_step(binding) for binding in block.bindings]
    if not any(step.comes_first for step in steps):
        return block
    inner = frozenset().union(*(step.makes for step in steps))
    waiting, known, sorted_bindings = steps, frozenset[Any](), []
    while waiting:
        ready = [step for step in waiting if step.needs & inner <= known]
        chosen = next((step for step in ready if step.comes_first), ready[0])
        waiting = [step for step in waiting if step is not chosen]
        known |= chosen.makes
        sorted_bindings.append(chosen.binding)
    return type(block)(sorted_bindings)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Step:
    binding: Any
    makes: frozenset[Any]
    needs: frozenset[Any]
    numbers: frozenset[Any]
    """The numbers of run time among what it makes."""
    comes_first: bool
    """Whether it runs as soon as it can."""


def _step(binding: Any) -> _Step:
    numbers: frozenset[Any] = frozenset()
    if isinstance(binding, relax.MatchCast):
        numbers = frozenset(_variables(binding.ty.values))
    used = set(_variables(binding.value))
    for variable in list(used):
        shape = getattr(variable.ty, "shape", None)
        used |= set(_variables(shape)) if shape is not None else set()
    return _Step(
        binding=binding,
        makes=numbers | {binding.var},
        needs=frozenset(used) - numbers,
        numbers=numbers,
        comes_first=bool(numbers) or _is_small(binding.value),
    )


def _is_small(value: Any) -> bool:
    """Return whether a call demands something, or computes a size."""
    if not isinstance(value, relax.Call):
        return False
    if any(isinstance(argument, tvm.ir.GlobalVar) for argument in value.args):
        return str(value.args[0].name_hint).startswith(DEMAND)
    return isinstance(value.ty, relax.ShapeType)


def _variables(node: Any) -> Iterator[Any]:
    found: list[Any] = []
    tvm_ffi.structural_walk(node, (tvm.ir.Var, found.append), order="post")
    yield from found
