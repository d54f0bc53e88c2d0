"""Loops for the kernels that matter: tiles that stay in registers, vectors innermost."""

from typing import Any

import tvm
from tvm import s_tir, tirx

from dycl.backends.tvm.lowering_blocks import CONVOLUTION, DENSE, SUM

_MOST_ACCUMULATORS = 16
"""Vectors that a tile keeps in registers; there are 32, and the operands need some."""


def schedule_kernels(module: tvm.IRModule, lanes: int) -> tvm.IRModule:
    """Return a module with every function scheduled that computes in blocks."""
    functions = {
        variable: scheduled(function, lanes)
        if isinstance(function, tirx.PrimFunc) and "tir.is_scheduled" not in (function.attrs or {})
        else function
        for variable, function in module.functions_items()
    }
    return tvm.IRModule(functions, attrs=module.attrs, global_infos=module.global_infos)


def scheduled(function: tirx.PrimFunc, lanes: int) -> tirx.PrimFunc:
    """Return a function with better loops where a rule knows some."""
    try:
        schedule = s_tir.Schedule(function)
        blocks = schedule.get_child_blocks(schedule.get_sblock("root"))
    except Exception:  # it has been lowered by hand already
        return function
    for block in blocks:
        name = str(schedule.get(block).name_hint)
        for prefix, rule in _RULES.items():
            if name.startswith(prefix):
                rule(schedule, blocks, block)
                return schedule.mod["main"].with_attrs(dict(function.attrs))
    try:
        _elementwise(schedule, blocks, lanes)
    except s_tir.ScheduleError:  # it is not of that kind, or an intermediate is read twice
        return function
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def _elementwise(schedule: Any, blocks: list[Any], lanes: int) -> None:
    """Compute in one go, in vectors, what is one chain of single-precision elements."""
    if not all(_is_plain(schedule.get(block)) for block in blocks):
        return
    for block in blocks[:-1]:
        schedule.compute_inline(block)
    loops = list(schedule.get_loops(blocks[-1]))
    if loops and _extent(schedule, loops[-1]) % lanes == 0:
        _, inner = schedule.split(loops[-1], [None, lanes])
        schedule.vectorize(inner)


def _is_plain(block: Any) -> bool:
    spatial = all(int(variable.iter_type) == 0 for variable in block.iter_vars)
    buffers = [region.source for region in (*block.reads, *block.writes)]
    return spatial and all(str(buffer.dtype) == "float32" for buffer in buffers)


def _epilogue(schedule: Any, blocks: list[Any], main: Any) -> Any:
    """Return the block that writes what ``main`` computes, with all between them inlined."""
    names = [str(schedule.get(block).name_hint) for block in blocks]
    place = names.index(str(schedule.get(main).name_hint))
    after = [schedule.get_sblock(name) for name in names[place + 1 :]]
    if not after:
        return schedule.cache_write(main, 0, "local")
    for block in after[:-1]:
        schedule.compute_inline(block)
    return after[-1]


def _extent(schedule: Any, loop: Any) -> int:
    return int(schedule.get(loop).extent)


def _tile(size: int, most: int) -> int:
    """Return the largest divisor of ``size`` that is at most ``most``."""
    return max(d for d in range(1, most + 1) if size % d == 0)


def _convolution(schedule: Any, blocks: list[Any], main: Any) -> None:
    out = _epilogue(schedule, blocks, main)
    n, outer, row, column, inner = schedule.get_loops(out)
    columns = _tile(_extent(schedule, column), _MOST_ACCUMULATORS)
    rows = _tile(_extent(schedule, row), max(1, _MOST_ACCUMULATORS // columns))
    row_outer, row_inner = schedule.split(row, [None, rows])
    column_outer, column_inner = schedule.split(column, [None, columns])
    schedule.reorder(n, outer, row_outer, column_outer, row_inner, column_inner, inner)
    schedule.vectorize(inner)
    _accumulate(schedule, main, column_outer, spatial=5)


def _product(schedule: Any, blocks: list[Any], main: Any) -> None:
    out = _epilogue(schedule, blocks, main)
    loops = schedule.get_loops(out)
    if len(loops) != 3:  # a view of the result is written by what follows
        return
    row, outer, inner = loops
    row_outer, row_inner = schedule.split(row, [None, _tile(_extent(schedule, row), 8)])
    wide = _tile(_extent(schedule, outer), 4 if _extent(schedule, row_inner) == 1 else 2)
    outer, outer_inner = schedule.split(outer, [None, wide])
    schedule.reorder(row_outer, outer, row_inner, outer_inner, inner)
    schedule.vectorize(inner)
    _accumulate(schedule, main, outer, spatial=3)


def _accumulate(schedule: Any, main: Any, at: Any, *, spatial: int) -> None:
    """Compute a tile at a loop: sums in registers, the reduction around the tile."""
    schedule.compute_at(main, at, preserve_unit_loops=True)
    schedule.set_scope(main, 0, "local")
    loops = schedule.get_loops(main)
    kinds = [int(variable.iter_type) for variable in schedule.get(main).iter_vars]
    reductions = len(kinds) - spatial
    own = loops[len(loops) - len(kinds) :]
    tile, around = own[:spatial], own[spatial:]
    assert len(around) == reductions
    schedule.reorder(*around, *tile)
    schedule.vectorize(tile[-1])
    for loop in tile[:-1]:
        schedule.unroll(loop)
    if not around:
        return
    start = schedule.decompose_reduction(main, around[0])
    first = schedule.get_loops(start)
    schedule.vectorize(first[-1])
    for loop in first[-spatial:-1]:
        schedule.unroll(loop)


def _sum(schedule: Any, _blocks: list[Any], main: Any) -> None:
    sample, outer, inner, row, column = schedule.get_loops(main)
    schedule.reorder(sample, outer, row, column, inner)
    schedule.vectorize(inner)
    start = schedule.decompose_reduction(main, row)
    schedule.vectorize(schedule.get_loops(start)[-1])


_RULES = {SUM: _sum, CONVOLUTION: _convolution, DENSE: _product}
