"""Exports many sub-DNNs to ONNX in one call of PyTorch's exporter.

The exporter costs about half a second a call whatever it exports, so one module runs all
sub-DNNs on inputs of their own and the graph is cut apart afterwards (``splitting.py``).
Weights are inputs of that module too: nothing can then be folded into them, and the graph
serves every sub-DNN of the same structure.
"""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING

import onnx
import torch
from torch import nn

from dycl.backends.onnx_graphs.halves import settled
from dycl.backends.onnx_graphs.operator_table import table_made_once
from dycl.backends.onnx_graphs.recurrent import PlainRecurrence
from dycl.backends.onnx_graphs.splitting import Part, split
from dycl.capture import CapturedSubDnn
from dycl.capture.autocasts import without_autocasts
from dycl.capture.kept_decompositions import decompositions_kept
from dycl.capture.own_weights import call_with
from dycl.capture.real_arithmetic import in_real_arithmetic
from rewriter.program import Dimension, SymbolRange

if TYPE_CHECKING:
    from onnxscript import ir

OPSET = 20


def export_group(
    subdnns: Sequence[CapturedSubDnn], *, finite: bool = False
) -> tuple[onnx.ModelProto, ...]:
    """Return one ONNX model per sub-DNN; its inputs are first the inputs, then the weights.

    ``finite`` leaves out what is there for NaN, infinities and ONNX Runtime alone.

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
    from onnx_ir.passes.common import LiftConstantsToInitializersPass
    from onnxscript import ir, optimizer

    from dycl.backends.onnx_graphs.discarded_sizes import discarded_sizes_forgotten
    from dycl.backends.onnx_graphs.exact_constants import exact_constants, small_numbers_kept
    from dycl.backends.onnx_graphs.filtering import write_out_convolutions
    from dycl.backends.onnx_graphs.opening import OPENING
    from dycl.backends.onnx_graphs.quick_matching import quick_matching
    from dycl.backends.onnx_graphs.suiting import suit_exporter, suit_onnxruntime
    from dycl.backends.onnx_graphs.translations import translations
    from dycl.backends.onnx_graphs.whole_operators import whole_operators_kept

    arguments = tuple(
        tensor
        for subdnn in subdnns
        for tensor in (*subdnn.example_inputs(), *(as_real(w.tensor) for w in subdnn.weights))
    )
    with _quiet(), torch.no_grad():
        exported = torch.export.export(_Group(subdnns), arguments, strict=False)
        exported = in_real_arithmetic(without_autocasts(exported), arguments)
        _refuse(exported)
        is_changed = suit_exporter(exported)
        with (
            table_made_once(),
            decompositions_kept(),
            # of what is changed the types have to be found anew
            nullcontext() if is_changed else whole_operators_kept(),
            exact_constants(),
            discarded_sizes_forgotten(),
        ):
            program = torch.onnx.export(
                exported,
                dynamo=True,
                opset_version=OPSET,
                custom_translation_table={**translations(finite), **OPENING},
                optimize=False,
                verbose=False,
            )
        assert program is not None  # only the exporter's other mode returns None
        _open_shapes(program.model.graph.inputs, subdnns)
        with quick_matching(), small_numbers_kept():
            optimizer.optimize(program.model)
        _make_lean(program.model, subdnns, finite)
        if finite:
            write_out_convolutions(program.model)
        else:
            suit_onnxruntime(program.model, _least_sizes(program, subdnns))
        # who reads the graphs finds constants among the initializers
        LiftConstantsToInitializersPass(lift_all_constants=True, size_limit=0)(program.model)
    return ir.to_proto(program.model)


def _make_lean(model: "ir.Model", subdnns: Sequence[CapturedSubDnn], finite: bool) -> None:
    """Write, in place, what the exporter wrote in fewer and exact operators."""
    from dycl.backends.onnx_graphs.averaging import average_whole_images
    from dycl.backends.onnx_graphs.chosen_weights import compute_before_choosing
    from dycl.backends.onnx_graphs.lost_constants import find_lost_constants
    from dycl.backends.onnx_graphs.multiplying import make_vectors_columns
    from dycl.backends.onnx_graphs.reshaping import make_reshapes_exact, tell_empty_shapes
    from dycl.backends.onnx_graphs.viewing import join_views

    find_lost_constants(model)
    if any(subdnn.is_symbolic for subdnn in subdnns):
        make_reshapes_exact(model)
    tell_empty_shapes(model)
    make_vectors_columns(model)
    average_whole_images(model)
    join_views(model, with_names=not finite and not any(s.floor for s in subdnns))
    compute_before_choosing(model, _weights(model.graph.inputs, subdnns))


def _least_sizes(
    program: torch.onnx.ONNXProgram, subdnns: Sequence[CapturedSubDnn]
) -> dict[str, int]:
    """Return the least number that each symbol of the exported graph may stand for."""
    if any(subdnn.floor for subdnn in subdnns):  # the trace knows less than what may come
        return {}
    assert program.exported_program is not None
    ranges = program.exported_program.range_constraints
    least = {str(s): int(bounds.lower) for s, bounds in ranges.items() if bounds.lower.is_Integer}
    return least | {
        name: bounds.minimum
        for number, subdnn in enumerate(subdnns)
        for name, bounds in _named_sizes(number, subdnn).items()
    }


class FixedSize(Exception):
    """Tracing took a size that is known only at run time for a number."""


def _refuse(exported: torch.export.ExportedProgram) -> None:
    """Raise where what was exported is not what its graph would compute."""
    from dycl.backends.onnx_graphs.places import refuse_places
    from dycl.backends.onnx_graphs.precisions import refuse_single
    from dycl.backends.onnx_graphs.read_bits import refuse_rounded_bits

    _require_open(exported)
    _refuse_open_channels(exported)
    refuse_places(exported)
    refuse_single(exported)
    refuse_rounded_bits(exported)


def _require_open(exported: torch.export.ExportedProgram) -> None:
    """Raise where what was exported holds for particular sizes only."""
    for node in exported.graph.nodes:
        if node.target is torch.ops.dycl.opened.default:
            for wanted, size in zip(node.args[1], node.meta["val"].shape, strict=True):
                if isinstance(wanted, torch.fx.Node) and isinstance(size, int):
                    raise FixedSize(f"it holds only where a size is {size}")


_TRANSPOSED = ("conv_transpose", "convolution")


def _refuse_open_channels(exported: torch.export.ExportedProgram) -> None:
    """Raise where a transposed convolution's channels may be none: the runtime never ends then."""
    for node in exported.graph.nodes:
        packet = getattr(node.target, "overloadpacket", None)
        if packet is None or not packet.__name__.startswith(_TRANSPOSED):
            continue
        weight = node.args[1].meta["val"]
        if any(not isinstance(size, int) or size == 0 for size in weight.shape):
            raise NotImplementedError(
                "a convolution whose number of channels is known only at run time"
            )


def _open_shapes(inputs: "Sequence[ir.Value]", subdnns: Sequence[CapturedSubDnn]) -> None:
    """Put names in the place of the examples' sizes: the optimizer must not rely on these."""
    from onnxscript import ir

    rest = iter(inputs)
    for number, subdnn in enumerate(subdnns):
        names = _names(number, subdnn)
        for port in subdnn.inputs:
            value = next(rest)
            if port.is_symbolic:
                value.shape = ir.Shape([names.get(size, size) for size in port.shape])
        for _ in subdnn.weights:
            next(rest)


def _weights(inputs: "Sequence[ir.Value]", subdnns: Sequence[CapturedSubDnn]) -> "set[ir.Value]":
    """Return the inputs of the exported graph that are weights."""
    rest = iter(inputs)
    found: set[ir.Value] = set()
    for subdnn in subdnns:
        for _ in subdnn.inputs:
            next(rest)
        found.update(next(rest) for _ in subdnn.weights)
    return found


def _names(number: int, subdnn: CapturedSubDnn) -> dict[Dimension, str]:
    """Return names for the sizes of a sub-DNN that no other one of the group uses."""
    texts = [size for port in subdnn.inputs for size in port.shape if isinstance(size, str)]
    return {text: f"d{number}_{i}" for i, text in enumerate(dict.fromkeys(texts))}


def _named_sizes(number: int, subdnn: CapturedSubDnn) -> dict[str, SymbolRange]:
    """Return the bounds of those sizes that are symbols, by the names they have in the graph."""
    symbols = subdnn.symbols()
    names = _names(number, subdnn)
    return {name: symbols[str(text)] for text, name in names.items() if text in symbols}


class _Group(nn.Module):
    """Runs sub-DNNs side by side; takes each one's inputs and weights in turn."""

    def __init__(self, subdnns: Sequence[CapturedSubDnn]) -> None:
        super().__init__()
        self.training = False
        # In a tuple, so that their parameters do not become parameters of the group.
        self._subdnns = tuple(subdnns)

    def forward(self, *tensors: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs of all sub-DNNs."""
        from dycl.capture.opening import open_inputs

        outputs: list[torch.Tensor] = []
        rest = iter(tensors)
        for subdnn in self._subdnns:
            inputs = tuple(next(rest) for _ in subdnn.inputs)
            weights = [
                torch.view_as_complex(tensor) if weight.tensor.is_complex() else tensor
                for weight, tensor in [(weight, next(rest)) for weight in subdnn.weights]
            ]
            opened = open_inputs(subdnn, inputs)
            with PlainRecurrence():
                outputs += call_with(subdnn, weights, opened)
        return tuple(settled(output) for output in outputs)


def as_real(weight: torch.Tensor) -> torch.Tensor:
    """Return a weight as ONNX has it: complex numbers are pairs, in a dimension more."""
    weight = weight.detach()
    return torch.view_as_real(weight) if weight.is_complex() else weight


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
