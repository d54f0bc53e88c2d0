"""Elements that are computed where they are read, so that no tensor is kept for them."""

from contextlib import suppress
from typing import Any

import tvm
import tvm_ffi
from tvm import s_tir, tirx

_CHEAP = {"tirx.reinterpret"}
"""Calls that cost no more than reading an element does."""

_MOST_READS = 64
"""Of elements in an expression: one that reads another twice would double with each operator."""


def inline(schedule: Any, block: Any) -> None:
    """Compute elements in the blocks that read them.

    Raises ScheduleError where that cannot be, or would make an expression too large.
    """
    computed = schedule.get(block)
    (written,) = [region.source for region in computed.writes]
    readers = [schedule.get(reader) for reader in schedule.get_consumers(block)]
    times = sum(load.source.same_as(written) for reader in readers for load in _loads(reader))
    if times * len(_loads(computed)) > _MOST_READS:
        raise s_tir.ScheduleError("the expression would be too large")
    schedule.compute_inline(block)


def inline_elements(schedule: Any, blocks: list[Any]) -> list[Any]:
    """Compute elements in the blocks that read them; return the blocks that are left.

    These are sums, what is read at computed places (as often as windows overlap), what is dear
    and would be computed anew for each of several readers, and what would double too often.
    """
    left = []
    for block in blocks[:-1]:
        if _may_move(schedule, block):
            with suppress(s_tir.ScheduleError):
                inline(schedule, block)
                continue
        left.append(block)
    return [*left, blocks[-1]]


def _may_move(schedule: Any, block: Any) -> bool:
    computed = schedule.get(block)
    if any(int(variable.iter_type) for variable in computed.iter_vars):
        return False
    (written,) = [region.source for region in computed.writes]
    dear = _is_dear(computed)
    readers = [schedule.get(reader) for reader in schedule.get_consumers(block)]
    return all(_reads_once(reader, written, dear=dear) for reader in readers)


def _reads_once(reader: Any, buffer: Any, *, dear: bool) -> bool:
    """Return whether a block reads no element twice; what is cheap, it may along a dimension."""
    loops = [v for v in reader.iter_vars if not _is_number(v.dom.extent) or int(v.dom.extent) > 1]
    for load in _loads(reader):
        if not load.source.same_as(buffer):
            continue
        places = [index for index in load.indices if not _is_number(index)]
        if not all(isinstance(place, tirx.Var) for place in places):
            return False
        if len(set(places)) < len(places) or (dear and len(places) < len(loops)):
            return False
    return True


def _loads(block: Any) -> list[Any]:
    """Return what a block reads, each as often as its text says."""
    loads: list[Any] = []
    tvm_ffi.structural_walk(block.body, (tvm.ir.expr.TensorLoad, loads.append), order="post")
    return loads


def _is_number(expression: Any) -> bool:
    return isinstance(expression, tirx.IntImm)


def _is_dear(block: Any) -> bool:
    calls: set[str] = set()
    tvm_ffi.structural_walk(
        block.body, (tvm.ir.Call, lambda call: calls.add(str(call.op.name))), order="post"
    )
    return bool(calls - _CHEAP)
