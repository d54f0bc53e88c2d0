"""Products whose number of rows only run time knows: ``python -m benchmarks.run_time_rows``.

Each layer is compiled once for any number of rows, with TVM and with ONNX Runtime; both packages
and eager PyTorch run in turns in this process, on one thread. Times are of the processor, so that
other work on the machine counts less. Read the ratios.
"""

import warnings
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import torch
from torch import Tensor, nn

import dycl
from benchmarks.timing import measure

ROWS = (1, 2, 7, 64, 300)
BACKENDS = ("tvm", "onnxruntime")


class Recurrent(nn.Module):
    """The outputs of an LSTM."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.LSTM(width, width)

    def forward(self, x: Tensor) -> Tensor:
        """Return the outputs of all steps."""
        outputs: Tensor = self.layer(x)[0]
        return outputs


class Attention(nn.Module):
    """Attention of a text to itself."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer = nn.MultiheadAttention(width, 4, batch_first=True)

    def forward(self, x: Tensor) -> Tensor:
        """Return what each place attends to."""
        outputs: Tensor = self.layer(x, x, x, need_weights=False)[0]
        return outputs


MODELS: dict[str, tuple[nn.Module, Callable[[int], Tensor]]] = {
    "linear 96 to 384": (nn.Linear(96, 384), lambda rows: torch.randn(rows, 96)),
    "linear 768 to 768": (nn.Linear(768, 768), lambda rows: torch.randn(rows, 768)),
    "linear 100 to 75": (nn.Linear(100, 75), lambda rows: torch.randn(rows, 100)),
    "attention 96": (Attention(96), lambda rows: torch.randn(1, rows, 96)),
    "transformer layer 96": (
        nn.TransformerEncoderLayer(96, 4, 384, batch_first=True, activation="gelu"),
        lambda rows: torch.randn(1, rows, 96),
    ),
    "LSTM 128": (Recurrent(128), lambda rows: torch.randn(rows, 1, 128)),
}


def compiled(model: nn.Module, x: Tensor, backend: str, directory: Path) -> dycl.CompiledModel:
    """Return a package that takes any number of rows."""
    place = next(dim for dim, size in enumerate(x.shape) if size == 5)
    rows = torch.export.Dim("rows", min=1, max=4096)
    return dycl.compile(
        model,
        (x,),
        backend=backend,
        output=directory / backend,
        dynamic_shapes=[{place: rows}],
        options=dycl.CompileOptions(cache=False),
    )


def report(title: str, model: nn.Module, make: Callable[[int], Tensor]) -> None:
    """Compile a layer and print a line for each number of rows."""
    with TemporaryDirectory() as name, torch.no_grad():
        packages = {b: compiled(model, make(5), b, Path(name)) for b in BACKENDS}
        for rows in ROWS:
            x = make(rows)
            given = x.numpy()
            calls: dict[str, Callable[[], object]] = {"eager": lambda x=x: model(x)}  # type: ignore[misc]
            for backend, package in packages.items():
                calls[backend] = lambda package=package, given=given: package(given)  # type: ignore[misc]
            found = measure(calls)
            ratios = [found["tvm"] / found[other] for other in ("onnxruntime", "eager")]
            times = "".join(f"{microseconds:10.1f}" for microseconds in found.values())
            print(f"{title:22}{rows:5}{times}{ratios[0]:10.2f}{ratios[1]:8.2f}", flush=True)


def main() -> None:
    """Print microseconds, and TVM's as parts of ONNX Runtime's and of eager's."""
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    print(f"{'':22} rows     eager       tvm onnxruntime  /onnxr. /eager")
    for title, (model, make) in MODELS.items():
        report(title, model.eval(), make)


if __name__ == "__main__":
    main()
