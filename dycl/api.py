"""The compiler as functions: rewrite, build the graph, capture, compile, write the package."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MethodType
from typing import TYPE_CHECKING

from dycl.collecting import seldom_collecting
from dycl.errors import UserError
from dycl.loading import CompiledModel, import_package, load
from dycl.options import CompileOptions

if TYPE_CHECKING:
    from codegen_host.package import CompileInto
    from dycl.backends import Backend
    from dycl.backends.interface import TuningProgress
    from dycl.building import Building
    from dycl.drawing_inputs import Inputs
    from dycl.tuning import TuningInputs
    from hcfg.graph import Hcfg
    from hcfg.passes import Optimised
    from rewriter.diagnostics import CompileError
    from rewriter.program import RewrittenProgram

__all__ = ["CompileOptions", "CompiledModel", "build_graph", "compile", "load", "rewrite"]


@seldom_collecting()
def compile(
    target: object,
    example_inputs: "tuple[object, ...] | Mapping[str, object]",
    method: str = "forward",
    backend: "str | Backend" = "onnxruntime",
    output: str | Path | None = None,
    dynamic_shapes: object = None,
    options: CompileOptions | None = None,
    sample_inputs: "Sequence[object] | None" = None,
    progress: "TuningProgress | None" = None,
) -> CompiledModel:
    """Compile a model into a host package and return the package as a callable.

    ``target`` is an ``nn.Module``, a bound method or a plain function; ``example_inputs``
    are its positional arguments, or a dict of keyword ones. ``backend`` is a name, a backend,
    ``"auto"`` (for each sub-DNN the fastest of those that are installed and need no PyTorch at
    run time) or ``"auto:NAME,NAME"`` (the fastest of these). ``output`` is the directory of
    the package, by default ``./NAME_dycl``. ``options.tune`` is for backends that can be tuned:
    trials then go where calls on ``sample_inputs`` spend their time; ``progress`` is told how
    many are done. Raises ``CompileError`` with every reason why the
    model cannot be compiled soundly; then nothing is written.
    """
    from dycl.backends.selection import require_tunable, select_backends
    from dycl.other_ways import other_ways
    from dycl.tuning import TuningInputs
    from rewriter.diagnostics import CompileError

    options = options or CompileOptions()
    if options.host_mode not in ("python", "ifs") or (options.host_mode == "ifs" and options.tune):
        raise UserError('host_mode is "python" or "ifs", and "ifs" cannot be tuned')
    if options.many_inputs and options.host_mode != "python":
        raise UserError('many_inputs needs host_mode="python": the host puts the inputs together')
    compilers = select_backends(backend, options)
    if options.tune:
        require_tunable(compilers)
    if output is not None:
        _require_free(Path(output), options)
    clock = _Clock()
    with clock.stage("rewrite"):
        program = rewrite(target, example_inputs, method, dynamic_shapes, options)
    output = Path(output) if output is not None else Path(f"{program.name}_dycl")
    tuning = TuningInputs(samples=sample_inputs, progress=progress)

    def samples() -> "Sequence[Inputs]":
        from dycl.one_onnx.emitting import samples_like

        return samples_like(target, method, example_inputs, dynamic_shapes)

    name = entry_point_name(target, method)
    try:
        return compile_program(program, name, compilers, output, options, clock, tuning, samples)
    except CompileError as error:
        refused, others = error, other_ways(options, program)
    for other in others:
        try:
            with clock.stage("rewrite"):
                program = rewrite(target, example_inputs, method, dynamic_shapes, other)
            return compile_program(program, name, compilers, output, other, clock, tuning, samples)
        except CompileError as error:
            refused = refused if other.known_numbers else error
    raise refused from None


@seldom_collecting()
def rewrite(
    target: object,
    example_inputs: "tuple[object, ...] | Mapping[str, object]",
    method: str = "forward",
    dynamic_shapes: object = None,
    options: CompileOptions | None = None,
) -> "RewrittenProgram":
    """Return the partially evaluated program; ``.source`` is its text."""
    import rewriter

    program: RewrittenProgram = rewriter.rewrite(
        target,
        example_inputs,
        method=method,
        options=options or CompileOptions(),
        dynamic_shapes=dynamic_shapes,
    )
    return program


@seldom_collecting()
def build_graph(
    target: object,
    example_inputs: "tuple[object, ...] | Mapping[str, object]",
    method: str = "forward",
    dynamic_shapes: object = None,
    options: CompileOptions | None = None,
) -> "Hcfg":
    """Return the graph that would be compiled, after all passes."""
    options = options or CompileOptions()
    program = rewrite(target, example_inputs, method, dynamic_shapes, options)
    return optimised(program, options).graph


def compile_program(
    program: "RewrittenProgram",
    entry_point: str,
    backends: "Sequence[Backend]",
    output: Path,
    options: CompileOptions,
    clock: "_Clock | None" = None,
    tuning: "TuningInputs | None" = None,
    samples: Callable[[], "Sequence[Inputs]"] = tuple,
) -> CompiledModel:
    """Compile a rewritten program; ``entry_point`` is the original's name.

    ``samples`` gives arguments that a program in one artifact, or parts in one, are checked on.
    """
    from dycl.building import Building
    from rewriter.diagnostics import CompileError

    clock = clock or _Clock()
    with clock.stage("graph"):
        improved = optimised(program, options)
    while True:
        try:
            with tempfile.TemporaryDirectory() as scratch:
                building = Building(
                    optimised=improved,
                    backends=tuple(backends),
                    options=options,
                    scratch=Path(scratch),
                )
                return _written(building, program, entry_point, output, clock, tuning, samples)
        except CompileError as error:
            fewer = _with_fewer_batches(building, program, error)
            if fewer is None:
                raise
            improved = fewer


def _written(
    building: "Building",
    program: "RewrittenProgram",
    entry_point: str,
    output: Path,
    clock: "_Clock",
    tuning: "TuningInputs | None",
    samples: Callable[[], "Sequence[Inputs]"],
) -> CompiledModel:
    """Compile all sub-DNNs and write the package."""
    from codegen_host.package import OutputRefused, write_package
    from dycl.one_onnx.choosing import with_decisions_lowered, with_subdnns_linked
    from dycl.tuning import TuningInputs, tune

    options = building.options
    package = building.package(program, entry_point, dycl_version())
    compile_into: CompileInto = building.compile_into
    with clock.stage(_BACKEND):
        if options.host_mode == "ifs":
            package, compile_into = with_decisions_lowered(building, package, samples())
        else:
            package, compile_into = with_subdnns_linked(building, package, samples)
    if options.tune:
        with clock.stage("tuning"):
            tune(building, package, tuning or TuningInputs())
    with clock.stage(_BACKEND):
        try:
            write_package(package, compile_into, output, force=options.force)
        except OutputRefused as refusal:
            raise _output_error(refusal) from refusal
    module = import_package(output)
    report = building.report(output, clock.seconds)
    return CompiledModel(module, output.absolute(), report=report, hcfg=building.optimised.graph)


def _with_fewer_batches(
    building: "Building", program: "RewrittenProgram", error: "CompileError"
) -> "Optimised | None":
    """Return the graph without the batches that a backend refuses; None where it has none."""
    from hcfg.many_inputs import without_batches_at

    improved, options = building.optimised, building.options
    if not improved.graph.batches:
        return None
    if not options.many_inputs:  # perhaps it has no code for batches of any size
        return optimised(program, _without_batches(options))
    fewer = without_batches_at(improved.graph, {each.origin for each in error.diagnostics})
    if not fewer.batches or len(fewer.batches) == len(improved.graph.batches):
        return None  # it is not about batches, or nothing is left to run together
    return replace(improved, graph=fewer)


def entry_point_name(target: object, method: str) -> str:
    """Return the name of what is compiled, as its file calls it (``SkipNet.forward``)."""
    from rewriter.entry_points import called_by

    target = called_by(target)
    if isinstance(target, MethodType):
        return f"{type(target.__self__).__name__}.{target.__name__}"
    if hasattr(target, "__qualname__"):
        return str(target.__qualname__).rpartition("<locals>.")[2]
    return f"{type(target).__name__}.{method}"


def dycl_version() -> str:
    """Return the version of dycl, "0" where it runs from a source tree."""
    try:
        return version("dycl")
    except PackageNotFoundError:
        return "0"


def optimised(program: "RewrittenProgram", options: CompileOptions) -> "Optimised":
    """Return the graph of a program after all passes."""
    from dycl.building import LINKING
    from hcfg.build import build_hcfg
    from hcfg.many_inputs import require_independent
    from hcfg.passes import PASS_NAMES, run_passes

    names = (*PASS_NAMES, LINKING)
    if unknown := sorted(options.disabled_passes - set(names)):
        raise UserError(f"no pass is called {unknown[0]!r}", help=f"passes are: {', '.join(names)}")
    graph = replace(build_hcfg(program), many_inputs=options.many_inputs)
    if options.host_mode == "ifs":  # decisions are to be made where no host puts calls together
        options = _without_batches(options)
    found = run_passes(
        graph, options.disabled_passes - {LINKING}, masks_to_branches=options.masks_to_branches
    )
    if options.many_inputs:
        require_independent(found.graph)
    return found


def _without_batches(options: CompileOptions) -> CompileOptions:
    from hcfg.passes.batch_recursion import BatchRecursion

    return replace(options, disabled_passes=options.disabled_passes | {BatchRecursion.name})


def _require_free(output: Path, options: CompileOptions) -> None:
    from codegen_host.package import OutputRefused, require_free

    try:
        require_free(output, force=options.force)
    except OutputRefused as refusal:
        raise _output_error(refusal) from refusal


def _output_error(refusal: Exception) -> UserError:
    return UserError(
        str(refusal), help="choose another output, or pass force=True (--force) to replace it"
    )


_BACKEND = "sub-DNNs and package"


@dataclass(slots=True)
class _Clock:
    """Measures the stages of one compilation; what is done in several parts counts together."""

    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
