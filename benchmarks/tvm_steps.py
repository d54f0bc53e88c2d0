"""What each step of the TVM backend brings: ``python -m benchmarks.tvm_steps``.

All variants run in turns in this process, on one thread; times are of the processor, so that
other work on the machine counts less. Read the ratios.
"""

import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import tvm
from torch import nn
from tvm import relax
from tvm.relax.frontend.torch import from_exported_program

from dycl.backends import Backend
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.tvm import TvmBackend, pipeline
from dycl.backends.tvm.importing import import_subdnn
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

ROUNDS, CALLS = 25, 8

Call = Callable[[], object]


class Residual(nn.Module):
    """The block of a ResNet for small pictures."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
            nn.Conv2d(channels, channels, 3, padding=1, bias=False),
            nn.BatchNorm2d(channels),
        )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """Add what two convolutions find."""
        return torch.relu(x + self.body(x))


def _separable(channels: int) -> nn.Module:
    return nn.Sequential(
        nn.Conv2d(channels, channels, 3, padding=1, groups=channels, bias=False),
        nn.BatchNorm2d(channels),
        nn.ReLU(),
        nn.Conv2d(channels, 2 * channels, 1, bias=False),
        nn.BatchNorm2d(2 * channels),
        nn.ReLU(),
    )


def _layers(width: int) -> nn.Module:
    return nn.Sequential(nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10))


MODELS: dict[str, tuple[nn.Module, torch.Tensor]] = {
    "residual 16x32x32": (Residual(16), torch.randn(1, 16, 32, 32)),
    "residual 64x8x8": (Residual(64), torch.randn(1, 64, 8, 8)),
    "separable 32x16x16": (_separable(32), torch.randn(1, 32, 16, 16)),
    "linear 256": (_layers(256), torch.randn(1, 256)),
}


def _imported(model: nn.Module, x: torch.Tensor, target: Any) -> Call:
    """Return what TVM's own importer and default pipeline make of a model."""
    module = from_exported_program(torch.export.export(model, (x,)))
    function = relax.VirtualMachine(tvm.compile(module, target=target), tvm.cpu())["main"]
    argument = tvm.runtime.tensor(x.numpy())
    return lambda: function(argument)


def _lowered(subdnn: CapturedSubDnn, x: torch.Tensor, lanes: int, *, schedule: bool) -> Call:
    """Return what the backend makes of a sub-DNN, with parts of it left out."""
    processor = TvmBackend().processor
    builder = relax.BlockBuilder()
    function = import_subdnn(builder, subdnn, "function", lanes)
    module = pipeline.lower(builder.finalize(), processor.target)
    if schedule:
        module = pipeline.schedule(module, processor.target, processor.lanes)
    machine = relax.VirtualMachine(pipeline.build(module, processor.target), tvm.cpu())
    held = [weight.tensor.detach() for weight in subdnn.weights]
    weights = [tvm.runtime.tensor(make(held).numpy()) for make in function.recipes]
    argument, run = tvm.runtime.tensor(x.numpy()), machine["function"]
    return lambda: run(argument, *weights)


def _deployed(backend: Backend, subdnn: CapturedSubDnn, x: torch.Tensor, directory: Path) -> Call:
    directory.mkdir()
    call, argument = calls_of(backend, [subdnn], directory)[subdnn.name], x.numpy()
    return lambda: call(argument)


def variants(model: nn.Module, x: torch.Tensor, directory: Path) -> dict[str, Call]:
    """Return the steps by name, in the order in which they were taken."""
    subdnn = capture_function(model, x)
    lanes = TvmBackend().processor.lanes
    generic = tvm.target.Target({"kind": "llvm"})
    return {
        "eager PyTorch": lambda: model(x),
        "TVM's importer, llvm": _imported(model, x, generic),
        "+ this processor": _imported(model, x, TvmBackend().processor.target),
        "own lowerings, fused": _lowered(subdnn, x, 0, schedule=False),
        "+ blocks of channels": _lowered(subdnn, x, lanes, schedule=False),
        "+ loops": _lowered(subdnn, x, lanes, schedule=True),
        "the same, as deployed": _deployed(TvmBackend(), subdnn, x, directory / "tvm"),
        "ONNX Runtime, as deployed": _deployed(
            OnnxRuntimeBackend(), subdnn, x, directory / "onnxruntime"
        ),
    }


def measure(calls: dict[str, Call]) -> dict[str, float]:
    """Return the median processor time of each call, in microseconds."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(ROUNDS):
        for name, call in calls.items():
            call()
            start = time.thread_time()
            for _ in range(CALLS):
                call()
            times[name].append((time.thread_time() - start) / CALLS)
    return {name: statistics.median(values) * 1e6 for name, values in times.items()}


def main() -> None:
    """Measure every model and print times and ratios to eager."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    for title, (model, x) in MODELS.items():
        with TemporaryDirectory() as name, torch.no_grad():
            found = measure(variants(model.eval(), x, Path(name)))
        print(f"\n{title}")
        for step, microseconds in found.items():
            ratio = microseconds / found["eager PyTorch"]
            print(f"  {step:28}{microseconds:10.1f} us{ratio:8.2f} x eager")


if __name__ == "__main__":
    main()
