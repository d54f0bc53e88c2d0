"""Loops of which only run time knows the number of steps."""

from typing import Any

import tvm_ffi
from tvm import s_tir, tirx


def has_late_loops(function: tirx.PrimFunc) -> bool:
    """Return whether some loop has as many steps as only run time knows."""
    late: list[tirx.For] = []

    def visit(loop: tirx.For) -> None:
        if not isinstance(loop.extent, tirx.IntImm):
            late.append(loop)

    tvm_ffi.structural_walk(function.body, (tirx.For, visit), order="post")
    return bool(late)


def schedule_late_loops(function: tirx.PrimFunc, lanes: int) -> tirx.PrimFunc:
    """Return a function that is right for any number of steps, none included."""
    if str(function.body.block.name_hint) != "root":  # it is written by hand
        return function
    schedule = s_tir.Schedule(function)
    for block in schedule.get_child_blocks(schedule.get_sblock("root")):
        _start_apart(schedule, block)
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def _start_apart(schedule: Any, block: Any) -> None:
    """Write what a sum starts with before its loops: in them, it would not be for no steps."""
    kinds = [int(variable.iter_type) for variable in schedule.get(block).iter_vars]
    if _REDUCED not in kinds:
        return
    loops = schedule.get_loops(block)
    around = loops[len(loops) - len(kinds) :]
    schedule.decompose_reduction(block, around[kinds.index(_REDUCED)])


_REDUCED = 2
"""TVM's number for the variable of a reduction."""
