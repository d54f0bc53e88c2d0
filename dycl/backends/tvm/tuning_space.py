"""What tuning tries: our own loops with other tiles, and what MetaSchedule makes of a function."""

import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import ModuleType
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx

from dycl.backends.tvm.measuring import alone
from dycl.backends.tvm.schedules import variants

_BATCH = 16
_FRUITLESS_BATCHES = 3
"""After so many batches without a new schedule there are taken to be no more."""

_INTRINSICS = "tvm.s_tir.tensor_intrin"


def candidates(function: tirx.PrimFunc, target: tvm.target.Target, tried: int) -> Iterator[Any]:
    """Yield schedules that were not among the first ``tried``: ours, then MetaSchedule's.

    Ours are first because most of them are good, where there are any: of MetaSchedule's a few
    in a hundred are.
    """
    own = variants(alone(function)["main"])
    return itertools.chain(
        itertools.islice(own, tried, None), _of_metaschedule(function, target, tried)
    )


def digest(function: tirx.PrimFunc) -> str:
    """Return a hash of what a function does, and how: names of variables do not count."""
    return f"{tvm_ffi.structural_hash(alone(function)) & (2**64 - 1):016x}"


def _of_metaschedule(
    function: tirx.PrimFunc, target: tvm.target.Target, seed: int
) -> Iterator[Any]:
    """Yield random schedules of MetaSchedule's space for processors, each but once."""
    with _without_intrinsics():
        from tvm.s_tir import meta_schedule as ms

        context = ms.TuneContext(
            mod=alone(function),
            target=target,
            space_generator=ms.space_generator.PostOrderApply(
                sch_rules=_rules(ms), postprocs=_postprocessors(ms), mutator_probs={}
            ),
            search_strategy=ms.search_strategy.ReplayTrace(),
            num_threads=1,
            rand_state=seed + 1,
        )
    spaces: list[Any] = []
    with suppress(Exception):  # a function that its rules were not made for
        spaces = list(context.generate_design_space())
    if not spaces:
        return
    context.pre_tuning(sys.maxsize >> 33, _BATCH, spaces)
    seen: set[str] = set()
    fruitless = 0
    while fruitless < _FRUITLESS_BATCHES:
        fruitless += 1
        for candidate in context.generate_measure_candidates() or ():
            key = digest(candidate.sch.mod["main"])
            if key not in seen:
                seen.add(key)
                fruitless = 0
                yield candidate.sch
        context.notify_runner_results([], [])


def _rules(ms: Any) -> list[Any]:
    """Return MetaSchedule's rules for processors, but for threads and integer instructions."""
    rule = ms.schedule_rule
    return [
        rule.InlineConstantScalars(),
        rule.AutoInline(
            into_producer=False,
            into_consumer=True,
            inline_const_tensor=True,
            disallow_if_then_else=True,
            require_injective=True,
            require_ordered=True,
            disallow_op=["tirx.exp"],
        ),
        rule.AddRFactor(max_jobs_per_core=1, max_innermost_factor=64),
        rule.MultiLevelTiling(
            structure="SSRSRS",
            max_innermost_factor=64,
            reuse_write=rule.ReuseType(req="may", levels=[1, 2], scope="global"),
        ),
        rule.ParallelizeVectorizeUnroll(
            max_jobs_per_core=-1,
            max_vectorize_extent=64,
            unroll_max_steps=[0, 16, 64, 512],
            unroll_explicit=True,
        ),
        rule.RandomComputeLocation(),
    ]


def _postprocessors(ms: Any) -> list[Any]:
    """Return those for processors, but for the one that lays out weights anew."""
    return [
        ms.postproc.DisallowDynamicLoop(),
        ms.postproc.RewriteParallelVectorizeUnroll(),
        ms.postproc.RewriteReductionBlock(),
    ]


@contextmanager
def _without_intrinsics() -> Iterator[None]:
    """Keep TVM from reading its templates of GPU instructions: a minute, for nothing used here."""
    if _INTRINSICS in sys.modules:
        yield
        return
    sys.modules[_INTRINSICS] = ModuleType(_INTRINSICS)
    try:
        yield
    finally:
        del sys.modules[_INTRINSICS]
