"""What kernels of TVM keep beside their tensors, once each buffer is as small as it gets."""

from typing import Any

import tvm
import tvm_ffi
from tvm import s_tir, tirx


def scratch_shapes(module: tvm.IRModule, name: str) -> list[tuple[Any, ...]]:
    """Return the shapes of the buffers of kernels whose name contains ``name``.

    A size is an int, or an expression where only run time knows it.
    """
    shapes: list[tuple[Any, ...]] = []

    def note(block: Any) -> None:
        shapes.extend(tuple(map(_size, buffer.shape)) for buffer in block.alloc_buffers)

    for place, function in module.functions_items():
        if isinstance(function, tirx.PrimFunc) and name in str(place.name_hint):
            compact = _compacted(function)
            tvm_ffi.structural_walk(compact.body, (s_tir.SBlock, note), order="post")
    return shapes


def _compacted(function: tirx.PrimFunc) -> tirx.PrimFunc:
    passes = [
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.CompactBufferAllocation(),
    ]
    module = tvm.IRModule({"main": function.with_attr("global_symbol", "main")})
    return tvm.transform.Sequential(passes)(module)["main"]


def _size(size: Any) -> Any:
    return int(size) if isinstance(size, tirx.IntImm) else size
