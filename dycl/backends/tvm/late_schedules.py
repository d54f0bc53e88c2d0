"""Loops of which only run time knows the number of steps."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import tvm_ffi
from tvm import s_tir, tirx

from dycl.backends.tvm.accumulating import accumulate, epilogue, extent_of, name_of, vectorize
from dycl.backends.tvm.inlining import inline_elements
from dycl.backends.tvm.lowering_blocks import LATE_DENSE, PRODUCT
from dycl.backends.tvm.tiles import late_product_tile


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
    with suppress(s_tir.ScheduleError):  # what follows a product may not fit into its tiles
        return _scheduled(function, _product)
    return _scheduled(function, _sums_apart)


def _scheduled(function: tirx.PrimFunc, rule: Callable[[Any, list[Any]], None]) -> tirx.PrimFunc:
    schedule = s_tir.Schedule(function)
    rule(schedule, schedule.get_child_blocks(schedule.get_sblock("root")))
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def _product(schedule: Any, blocks: list[Any]) -> None:
    """Compute a product in tiles that stay in registers, those of the same weights in a row."""
    main = next((b for b in blocks if name_of(schedule, b).startswith(LATE_DENSE)), None)
    if main is None or len(schedule.get_loops(blocks[-1])) != 2:
        _sums_apart(schedule, blocks)
        return
    _, height, count, lanes, _ = schedule.get_loops(main)
    _, width = late_product_tile(extent_of(schedule, count))
    out = epilogue(schedule, blocks, main)
    row, column = schedule.get_loops(out)
    rows, inner_row = schedule.split(row, [None, extent_of(schedule, height)])
    columns, block, lane = schedule.split(column, [None, width, extent_of(schedule, lanes)])
    schedule.reorder(columns, rows, inner_row, block, lane)
    vectorize(schedule, out, lane)
    accumulate(schedule, main, rows, spatial=4)


def _sums_apart(schedule: Any, blocks: list[Any]) -> None:
    for block in inline_elements(schedule, blocks):
        if name_of(schedule, block).startswith(PRODUCT):
            _by_rows(schedule, block)
        else:
            _start_apart(schedule, block)


def _by_rows(schedule: Any, block: Any) -> None:
    """Add up whole rows of a product: what stands side by side in memory is added in vectors."""
    *_, column, k = schedule.get_loops(block)
    schedule.reorder(k, column)
    schedule.decompose_reduction(block, k)


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
