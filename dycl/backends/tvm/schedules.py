"""Loops for the kernels that matter: tiles that stay in registers, vectors innermost."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import tvm
import tvm_ffi
from tvm import s_tir, tirx

from dycl.backends.tvm.late_schedules import has_late_loops, schedule_late_loops
from dycl.backends.tvm.lowering_blocks import CONVOLUTION, DENSE, SUM
from dycl.backends.tvm.tiles import Tile, convolution_tile, other_tiles, product_tile

_ONE_BY_ONE = {"tirx.sinh", "tirx.cosh"}
"""What TVM can compute of single numbers only."""


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
    for block in blocks:
        for prefix, rule in _RULES.items():
            if _name(schedule, block).startswith(prefix):
                rule(schedule, blocks, block)
                return schedule.mod["main"].with_attrs(dict(function.attrs))
    try:
        _elementwise(schedule, blocks, lanes)
    except s_tir.ScheduleError:  # it is not of that kind, or an intermediate is read twice
        return function
    return schedule.mod["main"].with_attrs(dict(function.attrs))


def variants(function: tirx.PrimFunc) -> Iterator[Any]:
    """Yield schedules like that of ``scheduled`` with other tiles, the likeliest first."""
    for prefix, (spatial, default, rule) in _TILED.items():
        schedule = s_tir.Schedule(function)
        for block in schedule.get_child_blocks(schedule.get_sblock("root")):
            if _name(schedule, block).startswith(prefix):
                extents = [_extent(schedule, loop) for loop in schedule.get_loops(block)][spatial]
                for tile in other_tiles(extents, default(extents)):
                    variant = s_tir.Schedule(function)
                    blocks = variant.get_child_blocks(variant.get_sblock("root"))
                    rule(variant, blocks, variant.get_sblock(_name(schedule, block)), tile)
                    yield variant


def _name(schedule: Any, block: Any) -> str:
    return str(schedule.get(block).name_hint)


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
    if not spatial or any(str(buffer.dtype) != "float32" for buffer in buffers):
        return False
    calls: list[str] = []
    tvm_ffi.structural_walk(
        block.body, (tvm.ir.Call, lambda call: calls.append(str(call.op.name))), order="post"
    )
    return not _ONE_BY_ONE & set(calls)


def _epilogue(schedule: Any, blocks: list[Any], main: Any) -> Any:
    """Return the block that writes what ``main`` computes, with all between them inlined."""
    names = [_name(schedule, block) for block in blocks]
    place = names.index(_name(schedule, main))
    after = [schedule.get_sblock(name) for name in names[place + 1 :]]
    if not after:
        return schedule.cache_write(main, 0, "local")
    for block in after[:-1]:
        schedule.compute_inline(block)
    return after[-1]


def _extent(schedule: Any, loop: Any) -> int:
    return int(schedule.get(loop).extent)


def _convolution(schedule: Any, blocks: list[Any], main: Any, tile: Tile | None = None) -> None:
    out = _epilogue(schedule, blocks, main)
    n, outer, row, column, inner = schedule.get_loops(out)
    tile = tile or convolution_tile([_extent(schedule, loop) for loop in (outer, row, column)])
    outside, inside = _split(schedule, (outer, row, column), tile)
    schedule.reorder(n, *outside, *inside, inner)
    schedule.vectorize(inner)
    _accumulate(schedule, main, outside[-1], spatial=5)


def _product(schedule: Any, blocks: list[Any], main: Any, tile: Tile | None = None) -> None:
    out = _epilogue(schedule, blocks, main)
    loops = schedule.get_loops(out)
    if len(loops) != 3:  # a view of the result is written by what follows
        return
    row, outer, inner = loops
    tile = tile or product_tile([_extent(schedule, loop) for loop in (row, outer)])
    outside, inside = _split(schedule, (row, outer), tile)
    schedule.reorder(*outside, *inside, inner)
    schedule.vectorize(inner)
    _accumulate(schedule, main, outside[-1], spatial=3)


def _split(schedule: Any, loops: Sequence[Any], tile: Tile) -> tuple[list[Any], list[Any]]:
    """Return the loops over tiles and the loops within them."""
    pairs = [schedule.split(loop, [None, size]) for loop, size in zip(loops, tile, strict=True)]
    return [outer for outer, _ in pairs], [inner for _, inner in pairs]


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
