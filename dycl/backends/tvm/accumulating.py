"""Tiles of sums that stay in registers, and the code around them that writes them down."""

from collections.abc import Sequence
from typing import Any

import tvm
import tvm_ffi

from dycl.backends.tvm.inlining import inline
from dycl.backends.tvm.tiles import Tile

_ONE_BY_ONE = {"tirx.sinh", "tirx.cosh"}
"""What TVM can compute of single numbers only."""


def epilogue(schedule: Any, blocks: list[Any], main: Any) -> Any:
    """Return the block that writes what ``main`` computes, with all between them inlined."""
    names = [name_of(schedule, block) for block in blocks]
    place = names.index(name_of(schedule, main))
    after = [schedule.get_sblock(name) for name in names[place + 1 :]]
    if not after:
        return schedule.cache_write(main, 0, "local")
    for block in after[:-1]:
        inline(schedule, block)
    return after[-1]


def split(schedule: Any, loops: Sequence[Any], tile: Tile) -> tuple[list[Any], list[Any]]:
    """Return the loops over tiles and the loops within them."""
    pairs = [schedule.split(loop, [None, size]) for loop, size in zip(loops, tile, strict=True)]
    return [outer for outer, _ in pairs], [inner for _, inner in pairs]


def accumulate(schedule: Any, main: Any, at: Any, *, spatial: int) -> None:
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


def vectorize(schedule: Any, block: Any, loop: Any) -> None:
    """Take the elements of the innermost loop of a block at once, where TVM can."""
    if has_vectors(schedule.get(block)):
        schedule.vectorize(loop)


def has_vectors(block: Any) -> bool:
    """Return whether TVM can compute several elements of a block at once."""
    calls: list[str] = []
    tvm_ffi.structural_walk(
        block.body, (tvm.ir.Call, lambda call: calls.append(str(call.op.name))), order="post"
    )
    return not _ONE_BY_ONE & set(calls)


def extent_of(schedule: Any, loop: Any) -> int:
    """Return the steps of a loop that compile time knows."""
    return int(schedule.get(loop).extent)


def name_of(schedule: Any, block: Any) -> str:
    """Return the name of a block."""
    return str(schedule.get(block).name_hint)
