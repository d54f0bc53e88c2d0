"""``emit_onnx``: from a model to one ONNX file, without a host package."""

import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from codegen_host.package import OutputRefused, move_into_place, require_free
from dycl.api import dycl_version, entry_point_name, optimised, rewrite
from dycl.backends.interface import BackendOptions
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.weights_file import FILE
from dycl.building import Building
from dycl.drawing_inputs import Inputs
from dycl.errors import UserError
from dycl.one_onnx.checking import check
from dycl.one_onnx.compiling import MODEL, Plan, plan, write_model
from dycl.options import CompileOptions
from dycl.varying_inputs import draw_varying
from dycl.verification.verifying import as_inputs, entry_point

_DRAWN = 4
"""Random inputs that the file is checked on, besides the example."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOnnx:
    """What was written."""

    file: Path
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    bytes: int
    """Of all files."""
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return a report for people."""
        lines = [
            f"{self.file}: {self.bytes / 1e6:.1f} MB with its weights",
            f"inputs:  {', '.join(self.inputs) or 'none'}",
            f"outputs: {', '.join(self.outputs) or 'none'}",
        ]
        return "\n".join((*lines, *(f"note: {note}" for note in self.notes)))


def emit_onnx(
    target: object,
    example_inputs: "tuple[object, ...] | Mapping[str, object]",
    method: str = "forward",
    output: str | Path | None = None,
    dynamic_shapes: object = None,
    options: CompileOptions | None = None,
) -> OneOnnx:
    """Compile a model into ``model.onnx`` in the directory ``output``, ``./NAME_onnx`` by default.

    Raises ``CompileError`` with every reason why the model needs a host; then nothing is written.
    """
    options = options or CompileOptions()
    if output is not None:
        _require_free(Path(output), force=options.force)
    known = replace(options, known_texts=True)  # no text of run time is in a file
    program = rewrite(target, example_inputs, method, dynamic_shapes, known)
    output = Path(output or f"{program.name}_onnx").absolute()
    improved = optimised(program, replace(options, host_mode="ifs"))
    planned = plan(improved.graph)
    backend = OnnxRuntimeBackend(BackendOptions(device="cpu", threads=1))
    building = Building(optimised=improved, backends=(backend,), options=options)
    samples = samples_like(target, method, example_inputs, dynamic_shapes)
    output.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(dir=output.parent, prefix=f".{output.name}.writing-"))
    try:
        write_checked_parts(planned, building, beside, entry_point_name(target, method))
        check(planned, beside, samples)
        beside.chmod(0o755)  # mkdtemp makes it private
        _require_free(output, force=options.force)
        move_into_place(beside, output)
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return OneOnnx(
        file=output / MODEL,
        inputs=tuple(value.name for value in planned.inputs.values()),
        outputs=planned.results[None].places,
        bytes=sum(path.stat().st_size for path in output.iterdir()),
        notes=improved.graph.notes,
    )


def samples_like(
    target: object, method: str, example_inputs: object, dynamic_shapes: object
) -> list[Inputs]:
    """Return the example, and random arguments like it, that a file is checked on."""
    example = as_inputs(example_inputs)
    entry = entry_point(target, method)
    drawn = (draw_varying(example, dynamic_shapes, entry, seed) for seed in range(_DRAWN))
    return [example, *drawn]


def write_checked_parts(planned: Plan, building: Building, directory: Path, source: str) -> None:
    """Compile and check each sub-DNN by itself, then write the whole."""
    with tempfile.TemporaryDirectory() as scratch:
        if building.cache is None:  # or each would be exported twice
            cache_directory = Path(scratch) / "cache"
            building.options = replace(
                building.options, cache=True, cache_directory=cache_directory
            )
        parts = Path(scratch) / "parts"
        parts.mkdir()
        building.compile_into(parts)
        write_model(planned, building.captured, building.cache, directory, source, dycl_version())


def _require_free(output: Path, *, force: bool) -> None:
    """Raise unless a file may be written into ``output``."""
    if output.is_dir() and not output.is_symlink() and _is_ours(output):
        return
    try:
        require_free(output, force=force)
    except OutputRefused as refusal:
        raise UserError(
            str(refusal), help="choose another output, or pass force=True (--force) to replace it"
        ) from refusal


def _is_ours(directory: Path) -> bool:
    """Return whether a directory holds what this module writes, and nothing else."""
    names = {path.name for path in directory.iterdir()}
    return MODEL in names and names <= {MODEL, FILE}
