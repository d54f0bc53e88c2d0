"""The oracle: one static ONNX graph of the path that one input takes.

It knows the path beforehand, so a host that finds the path by itself can at best take as long.
The graph computes what the call returns and every tensor that a decision was read from: no more
than the host must compute, but less where decisions are fed back into the network, as a decoder's
words are: they are constants of the graph, and what follows from them alone is folded. It is built
from the original by running it once, independent of everything that dycl does; it is right for
inputs of the same path only.
"""

import io
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.overrides import TorchFunctionMode

from dycl.drawing_inputs import Inputs
from dycl.user_inputs import call_entry, clone_inputs
from dycl.verification.tracing_baseline import replace_tensors, tensors_in

_READING = {
    Tensor.item, Tensor.tolist, Tensor.numpy, Tensor.__bool__, Tensor.__int__, Tensor.__float__,
    Tensor.__index__, Tensor.__len__, torch.is_nonzero, torch.equal, torch.allclose,
}  # fmt: skip
"""What takes a number out of a tensor, where a program may decide by it."""

_EXPORT: Any = torch.onnx.export
"""Untyped in PyTorch."""


class OracleFailed(Exception):
    """The path cannot be exported as it is; the message says why."""


class _Reads(TorchFunctionMode):
    """Collects the tensors that numbers are read from."""

    def __init__(self) -> None:
        super().__init__()
        self.tensors: list[Tensor] = []

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        if func in _READING:
            self.tensors += [each for each in args if isinstance(each, Tensor)]
        return func(*args, **(kwargs or {}))


class _Path(nn.Module):
    """The entry point as a function of tensors; results and what decisions were read from."""

    def __init__(self, entry: Callable[..., object], example: Inputs) -> None:
        super().__init__()
        self.entry = entry
        owner = getattr(entry, "__self__", entry)
        # the exporter must find the parameters in a module of its own
        self.owner = owner if isinstance(owner, nn.Module) else None
        self.example = example

    def forward(self, *tensors: Tensor) -> tuple[Tensor, ...]:
        arguments = replace_tensors(self.example, iter(tensors))
        assert isinstance(arguments, tuple | dict)
        reads = _Reads()
        with reads:
            output = call_entry(self.entry, arguments)
        # an output that is an input or another output would be no output of the graph
        return tuple(each.clone() for each in (*tensors_in(output), *reads.tensors))


def oracle_of(
    entry: Callable[..., object], arguments: Inputs, threads: int = 1
) -> Callable[[], object]:
    """Return a call of the static graph of the path that ``arguments`` take, on ONNX Runtime.

    Arrays in, a list of arrays out. Raises ``OracleFailed``.
    """
    try:
        import onnxruntime
    except ImportError as error:
        raise OracleFailed("onnxruntime is not installed") from error
    model = _export(_Path(entry, arguments), tuple(tensors_in(clone_inputs(arguments))))
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4
    try:
        session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    except Exception as error:
        raise OracleFailed(f"ONNX Runtime: {str(error).splitlines()[0]}") from error
    feeds = {
        value.name: array
        for value, array in zip(session.get_inputs(), _arrays(arguments), strict=True)
    }
    return lambda: session.run(None, feeds)


def _export(path: _Path, tensors: tuple[Tensor, ...]) -> bytes:
    if not tensors:
        raise OracleFailed("there is no tensor among the arguments")
    file = io.BytesIO()
    with warnings.catch_warnings():
        # frozen branches are what is wanted here; no other exporter follows a path
        warnings.simplefilter("ignore")
        try:
            _EXPORT(path.eval(), tensors, file, dynamo=False, opset_version=18)
        except Exception as error:
            text = next((line for line in str(error).splitlines() if line.strip()), "")
            raise OracleFailed(f"{type(error).__name__}: {text}") from error
    return file.getvalue()


def _arrays(arguments: Inputs) -> list[Any]:
    return [tensor.detach().cpu().numpy() for tensor in tensors_in(clone_inputs(arguments))]
