"""What the capture of one sub-DNN gives to the backends."""

from dataclasses import dataclass, field

import torch
from torch import nn

from hcfg.graph import Hcfg, SubDnn, origins
from rewriter.origin import Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class Port:
    """One input or output of a sub-DNN."""

    name: str
    dtype: torch.dtype
    shape: tuple[int, ...]

    @property
    def dtype_name(self) -> str:
        """Return the element type as numpy spells it (``float32``)."""
        return str(self.dtype).removeprefix("torch.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Weight:
    """A tensor of the user's model that a sub-DNN reads.

    Its place in ``CapturedSubDnn.weights`` is its role: sub-DNNs with one structure use
    the weight with the same number in the same way.
    """

    names: tuple[str, ...]
    """Every name under which the module holds it (tied weights have several)."""
    tensor: torch.Tensor = field(compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class CapturedSubDnn:
    """A sub-DNN as a module of its own, without anything it does not use."""

    name: str
    """Its node in the graph."""
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    module: nn.Module = field(repr=False)
    """Takes the inputs in order, returns a tuple of the outputs; mutates neither."""
    weights: tuple[Weight, ...]
    structure: str
    """Hash of what is computed, up to names and the weights' content."""
    shareable: bool
    """False where ``structure`` does not say everything, so that equality proves nothing."""
    node: SubDnn = field(repr=False)
    graph: Hcfg = field(repr=False)

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the user's lines, without repeats."""
        return origins(self.node)

    def example_inputs(self) -> tuple[torch.Tensor, ...]:
        """Return tensors that fit the inputs; their content means nothing."""
        return tuple(torch.zeros(port.shape, dtype=port.dtype) for port in self.inputs)

    def exported_program(self) -> torch.export.ExportedProgram:
        """Return the sub-DNN as an ``ExportedProgram`` with no other weights than its own.

        It is made anew on every call.
        """
        with torch.no_grad():
            return torch.export.export(_WithOwnWeights(self), self.example_inputs(), strict=False)


class _WithOwnWeights(nn.Module):
    """A sub-DNN that holds the weights it touches, as ``w0``, ``w1``, ... and nothing else."""

    def __init__(self, subdnn: CapturedSubDnn) -> None:
        super().__init__()
        self.training = False
        self._subdnn = (subdnn.module,)  # in a tuple: its weights are not those of this module
        self._names = [weight.names for weight in subdnn.weights]
        for number, weight in enumerate(subdnn.weights):
            self.register_buffer(f"w{number}", weight.tensor.detach())

    def forward(self, *inputs: torch.Tensor) -> tuple[torch.Tensor, ...]:
        """Return the outputs."""
        held = {
            name: getattr(self, f"w{number}")
            for number, names in enumerate(self._names)
            for name in names
        }
        outputs: tuple[torch.Tensor, ...] = torch.func.functional_call(
            self._subdnn[0], held, inputs, tie_weights=False
        )
        return outputs
