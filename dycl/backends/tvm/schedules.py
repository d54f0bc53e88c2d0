"""Loops for the kernels that matter: tiles that stay in registers, vectors innermost."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import tvm
from tvm import s_tir, tirx

from dycl.backends.tvm.accumulating import (
    accumulate,
    epilogue,
    extent_of,
    has_vectors,
    name_of,
    split,
    vectorize,
)
from dycl.backends.tvm.inlining import inline
from dycl.backends.tvm.late_schedules import has_late_loops, schedule_late_loops
from dycl.backends.tvm.lowering_blocks import CONVOLUTION, DENSE, SUM
from dycl.backends.tvm.tiles import Tile, convolution_tile, other_tiles, product_tile


def schedule_kernels(
    module: tvm.IRModule, lanes: int, tuned: Callable[[tirx.PrimFunc], tirx.PrimFunc | None]
) -> tvm.IRModule:
    """Return a module with every function scheduled that computes in blocks.

    ``tuned`` returns a scheduled function that is faster than what the rules here make of it.
    """
    functions = {
        variable: _scheduled(function, lanes, tuned)
        if isinstance(function, tirx.PrimFunc) and "tir.is_scheduled" not in (function.attrs or {})
        else function
        for variable, function in module.functions_items()
    }
    return tvm.IRModule(functions, attrs=module.attrs, global_infos=module.global_infos)


def _scheduled(
    function: tirx.PrimFunc, lanes: int, tuned: Callable[[tirx.PrimFunc], tirx.PrimFunc | None]
) -> tirx.PrimFunc:
    # what was tuned may begin a sum inside of its loops, of which there may be none
    late = has_late_loops(function)
    return (None if late else tuned(function)) or scheduled(function, lanes)


def scheduled(function: tirx.PrimFunc, lanes: int) -> tirx.PrimFunc:
    """Return a function with better loops where a rule knows some."""
    if has_late_loops(function):
        return schedule_late_loops(function, lanes)
    try:
        schedule = s_tir.Schedule(function)
        blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
    except Exception:  # it has been lowered by hand already
        return function
    try:
        _apply_rule(schedule, blocks, lanes)
    except s_tir.ScheduleError:  # it is not of that kind, or what follows does not fit in
        return function
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def _apply_rule(schedule: Any, blocks: list[Any], lanes: int) -> None:
    for block in blocks:
        for prefix, rule in _RULES.items():
            if name_of(schedule, block).startswith(prefix):
                rule(schedule, blocks, block)
                return
    _elementwise(schedule, blocks, lanes)


def variants(function: tirx.PrimFunc) -> Iterator[Any]:
    """Yield schedules like that of ``scheduled`` with other tiles, the likeliest first."""
    for prefix, (spatial, default, rule) in _TILED.items():
        schedule = s_tir.Schedule(function)
        for block in schedule.get_child_blocks(schedule.get_sblock("root")):
            if name_of(schedule, block).startswith(prefix):
                extents = [extent_of(schedule, loop) for loop in schedule.get_loops(block)][spatial]
                for tile in other_tiles(extents, default(extents)):
                    variant = s_tir.Schedule(function)
                    blocks = variant.get_child_blocks(variant.get_sblock("root"))
                    with suppress(s_tir.ScheduleError):
                        rule(variant, blocks, variant.get_sblock(name_of(schedule, block)), tile)
                        yield variant


def _elementwise(schedule: Any, blocks: list[Any], lanes: int) -> None:
    """Compute in one go, in vectors, what is one chain of single-precision elements."""
    if not all(_is_plain(schedule.get(block)) for block in blocks):
        return
    left = []
    for block in blocks[:-1]:
        try:
            inline(schedule, block)
        except s_tir.ScheduleError:  # the expression would be too large
            left.append(block)
    for block in [*left, blocks[-1]]:
        loops = list(schedule.get_loops(block))
        if loops and extent_of(schedule, loops[-1]) % lanes == 0:
            _, inner = schedule.split(loops[-1], [None, lanes])
            schedule.vectorize(inner)


def _is_plain(block: Any) -> bool:
    spatial = all(int(variable.iter_type) == 0 for variable in block.iter_vars)
    buffers = [region.source for region in (*block.reads, *block.writes)]
    if not spatial or any(str(buffer.dtype) != "float32" for buffer in buffers):
        return False
    return has_vectors(block)


def _convolution(schedule: Any, blocks: list[Any], main: Any, tile: Tile | None = None) -> None:
    out = epilogue(schedule, blocks, main)
    n, outer, row, column, inner = schedule.get_loops(out)
    tile = tile or convolution_tile([extent_of(schedule, loop) for loop in (outer, row, column)])
    outside, inside = split(schedule, (outer, row, column), tile)
    schedule.reorder(n, *outside, *inside, inner)
    vectorize(schedule, out, inner)
    accumulate(schedule, main, outside[-1], spatial=5)


def _product(schedule: Any, blocks: list[Any], main: Any, tile: Tile | None = None) -> None:
    out = epilogue(schedule, blocks, main)
    loops = schedule.get_loops(out)
    if len(loops) != 3:  # a view of the result is written by what follows
        return
    row, outer, inner = loops
    tile = tile or product_tile([extent_of(schedule, loop) for loop in (row, outer)])
    outside, inside = split(schedule, (row, outer), tile)
    schedule.reorder(*outside, *inside, inner)
    vectorize(schedule, out, inner)
    accumulate(schedule, main, outside[-1], spatial=3)


def _sum(schedule: Any, _blocks: list[Any], main: Any) -> None:
    sample, outer, inner, row, column = schedule.get_loops(main)
    schedule.reorder(sample, outer, row, column, inner)
    schedule.vectorize(inner)
    start = schedule.decompose_reduction(main, row)
    schedule.vectorize(schedule.get_loops(start)[-1])


_RULES: dict[str, Callable[[Any, list[Any], Any], None]] = {
    SUM: _sum,
    CONVOLUTION: _convolution,
    DENSE: _product,
}
"""What gives a kernel its loops, by how the name of its block begins."""

_TILED = {
    CONVOLUTION: (slice(1, 4), convolution_tile, _convolution),
    DENSE: (slice(0, 2), product_tile, _product),
}
"""The same for those with tiles: which loops these are of, and the tile they have unmeasured."""
