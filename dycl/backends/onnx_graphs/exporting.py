"""Exports many sub-DNNs to ONNX in one call of PyTorch's exporter.

The exporter costs about half a second a call whatever it exports, so one module runs all
sub-DNNs on inputs of their own and the graph is cut apart afterwards (``splitting.py``).
Weights are inputs of that module too: nothing can then be folded into them, and the graph
serves every sub-DNN of the same structure.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import onnx
import torch
from torch import nn

from dycl.backends.onnx_graphs.recurrent import PlainRecurrence
from dycl.backends.onnx_graphs.splitting import Part, split
from dycl.capture import CapturedSubDnn

OPSET = 20


def export_group(
    subdnns: Sequence[CapturedSubDnn], *, finite: bool = False
) -> tuple[onnx.ModelProto, ...]:
    """Return one ONNX model per sub-DNN; its inputs are first the inputs, then the weights.

    ``finite`` leaves out what is there for NaN and infinities alone.

    Whatever the exporter raises passes through: the caller knows how to find the culprit.
    """
    model = _export(subdnns, finite)
    parts: list[Part] = []
    first_input = first_output = 0
    for subdnn in subdnns:
        width = len(subdnn.inputs) + len(subdnn.weights)
        parts.append(
            Part(
                inputs=tuple(range(first_input, first_input + width)),
                outputs=tuple(range(first_output, first_output + len(subdnn.outputs))),
                input_names=(
                    *(f"x{i}" for i in range(len(subdnn.inputs))),
                    *(f"w{i}" for i in range(len(subdnn.weights))),
                ),
            )
        )
        first_input += width
        first_output += len(subdnn.outputs)
    return tuple(split(model, part) for part in parts)


def _export(subdnns: Sequence[CapturedSubDnn], finite: bool) -> onnx.ModelProto:
    # Only here: these take longer to import than everything that comes from the cache.
    from onnxscript import ir, optimizer

    from dycl.backends.onnx_graphs.translations import FINITE_TRANSLATIONS, TRANSLATIONS

    arguments = tuple(
        tensor
        for subdnn in subdnns
        for tensor in (*subdnn.example_inputs(), *(w.tensor.detach() for w in subdnn.weights))
    )
    with _quiet(), torch.no_grad():
        exported = torch.export.export(_Group(subdnns), arguments, strict=False)
        program = torch.onnx.export(
            exported,
            dynamo=True,
            opset_version=OPSET,
            custom_translation_table=FINITE_TRANSLATIONS if finite else TRANSLATIONS,
            optimize=False,
            verbose=False,
        )
        assert program is not None  # only the exporter's other mode returns None
        optimizer.optimize(program.model)
    return ir.to_proto(program.model)


class _Group(nn.Module):
    """Runs sub-DNNs side by side; takes each one's inputs and weights in turn."""

    def __init__(self, subdnns: Sequence[CapturedSubDnn]) -> None:
        super().__init__()
        self.training = False
        # In a tuple, so that their parameters do not become parameters of the group.
        self._subdnns = tuple(subdnns)

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs of all sub-DNNs."""
        outputs: list[torch.Tensor] = []
        rest = iter(tensors)
        for subdnn in self._subdnns:
            inputs = tuple(next(rest) for _ in subdnn.inputs)
            weights = {
                name: tensor
                for weight, tensor in [(weight, next(rest)) for weight in subdnn.weights]
                for name in weight.names
            }
            with PlainRecurrence():
                outputs += torch.func.functional_call(
                    subdnn.module, weights, inputs, tie_weights=False
                )
        return tuple(outputs)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the exporter's log lines and deprecation notices from the user."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
