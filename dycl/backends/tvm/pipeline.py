"""The passes from a module of Relax functions to a shared library."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import tvm
from tvm import relax, tirx

from dycl.backends.tvm.ordering import finds_out_numbers, in_order
from dycl.backends.tvm.schedules import schedule_kernels

Tuned: TypeAlias = Callable[[tirx.PrimFunc], tirx.PrimFunc | None]
"""Returns the loops that tuning has found for a function, None where it has found none."""


def _not_tuned(_function: tirx.PrimFunc) -> None:
    return None


def lower(module: tvm.IRModule, target: tvm.target.Target) -> tvm.IRModule:
    """Return a module whose tensor functions are fused; nothing is scheduled yet."""
    with target:
        fused = tvm.transform.Sequential(
            [
                relax.transform.DeadCodeElimination(),
                relax.transform.LegalizeOps(),
                relax.transform.AnnotateTIROpPattern(),
                relax.transform.FuseOps(),
                relax.transform.FuseTIR(),
                relax.transform.DeadCodeElimination(),
            ]
        )(module)
    return in_order(fused)


def schedule(
    module: tvm.IRModule, target: tvm.target.Target, lanes: int, tuned: Tuned = _not_tuned
) -> tvm.IRModule:
    """Return a lowered module with loops for a processor that takes ``lanes`` numbers at once."""
    with target:
        return schedule_kernels(module, lanes, tuned)


def build(module: tvm.IRModule, target: tvm.target.Target) -> Any:
    """Return the executable of a lowered and scheduled module."""
    pipeline = tvm.transform.Sequential(
        [
            tvm.transform.module_pass(_with_views, opt_level=0, name="Views"),
            relax.transform.ToNonDataflow(),
            relax.transform.RemovePurityChecking(),
            relax.transform.CallTIRRewrite(),
            tvm.transform.module_pass(_with_memory, opt_level=0, name="PlanMemory"),
            relax.transform.LowerAllocTensor(),
            relax.transform.KillAfterLastUse(),
            relax.transform.LowerRuntimeBuiltin(),
            relax.transform.ComputePrimValue(),
            relax.transform.VMShapeLower(),
            tvm.transform.module_pass(_without_aliases, opt_level=0, name="NoAlias"),
            relax.transform.AttachGlobalSymbol(),
        ]
    )
    return relax.build(module, target, relax_pipeline=pipeline)


def write_library(executable: Any, path: Path) -> None:
    """Link an executable into a shared library."""
    executable.export_library(str(path))


def _with_views(module: tvm.IRModule, _context: Any) -> tvm.IRModule:
    """Return a module in which kernels that only move elements to their own places are views.

    TVM's search for them ends in an internal error on some kernels with sizes of run time, and
    complains on stderr about what it leaves behind: these are not shown to it.
    """
    kernels = {
        place: function
        for place, function in module.functions_items()
        if isinstance(function, tirx.PrimFunc)
    }
    hidden = {place: kernel for place, kernel in kernels.items() if not _is_searchable(kernel)}
    shown = tvm.IRModule(dict(module.functions_items()), attrs=module.attrs)
    for place, kernel in hidden.items():
        shown.update_func(place, kernel.with_body(tirx.Evaluate(0)))
    found = relax.transform.RewriteDataflowReshape()(shown)
    for place, kernel in hidden.items():
        found.update_func(found.get_global_var(place.name_hint), kernel)
    return found


def _is_searchable(kernel: tirx.PrimFunc) -> bool:
    try:
        relax.analysis.has_reshape_pattern(kernel)
    except tvm.error.InternalError:
        return False
    return True


def _without_aliases(module: tvm.IRModule, _context: Any) -> tvm.IRModule:
    """Return a module that says of all kernels that their tensors share no memory.

    TVM says so of all but those it makes for sizes, each of which has one tensor. LLVM is told of
    none where it is not said of every one, and leaves no sum in a register.
    """
    for place, function in module.functions_items():
        if isinstance(function, tirx.PrimFunc):
            module.update_func(place, function.with_attr(_NO_ALIAS, True))
    return module


_NO_ALIAS = "tirx.noalias"


def _with_memory(module: tvm.IRModule, _context: Any) -> tvm.IRModule:
    """Return a module in which tensors of a function share memory.

    TVM reserves it before a function has found out numbers of its own: such functions are left.
    """
    planned = relax.transform.StaticPlanBlockMemory()(module)
    for place, function in module.functions_items():
        if isinstance(function, relax.Function) and finds_out_numbers(function):
            planned.update_func(planned.get_global_var(place.name_hint), function)
    return planned
