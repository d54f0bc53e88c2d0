"""Makes an ``nn.Module`` out of a sub-DNN, holding exactly the weights it uses."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MethodType
from typing import cast

import torch
from torch import nn

from dycl.capture.selected_rows import SelectedRows
from dycl.capture.small_matrices import SmallMatrices
from hcfg.execution import Forward, forward_source, known_objects
from hcfg.graph import Hcfg, SubDnn
from hcfg.trace_modes import AS_WRITTEN, COMPILED_CODE, Modes, active


class Holder(nn.Module):
    """A sub-DNN: its statements as ``forward``, what they use as attributes.

    The user's modules are held as they are, train or eval, shared and not copied.
    Inputs that the statements write into are copied first. ``selects_rows`` says whether
    tensors are taken apart row by row, as what is written into needs it.
    """

    def __init__(
        self,
        function: Forward,
        held: Mapping[str, object],
        overwritten: Collection[int],
        *,
        selects_rows: bool = False,
    ) -> None:
        super().__init__()
        self.training = False  # not self.eval(): that would change the user's modules
        self._function = function
        self._overwritten = frozenset(overwritten)
        self._modes: Modes = (SmallMatrices, *COMPILED_CODE)
        if selects_rows:
            self._modes = (*self._modes, SelectedRows)
        self._tensor_names: list[str] = []
        for name, value in held.items():
            self._hold(name, value)

    def _hold(self, name: str, value: object) -> None:
        owner = value.__self__ if isinstance(value, MethodType) else value
        if isinstance(value, nn.Parameter):
            self.register_parameter(name, value)
            self._tensor_names.append(name)
        elif isinstance(value, torch.Tensor):
            self.register_buffer(name, value)
            self._tensor_names.append(name)
        elif isinstance(owner, nn.Module):
            # A bound method finds its module by itself; export must find the weights too.
            self.add_module(name, owner)

    def forward(self, *inputs: torch.Tensor | int) -> tuple[torch.Tensor, ...]:
        """Run the statements, as backends get them, and return the outputs."""
        return self._outputs(self._modes, inputs)

    def in_eager(self, *inputs: torch.Tensor | int) -> tuple[torch.Tensor, ...]:
        """Run the statements, as the program says them, and return the outputs."""
        return self._outputs(AS_WRITTEN, inputs)

    def _outputs(
        self, modes: Modes, inputs: Sequence[torch.Tensor | int]
    ) -> tuple[torch.Tensor, ...]:
        own = [
            x.clone() if isinstance(x, torch.Tensor) and i in self._overwritten else x
            for i, x in enumerate(inputs)
        ]
        with active(modes):
            return self._function(*own, *(getattr(self, name) for name in self._tensor_names))


def build_holder(
    node: SubDnn, graph: Hcfg, overwritten: Collection[str], *, selects_rows: bool = False
) -> Holder:
    """Return the module that maps the inputs of ``node`` to its outputs.

    Tensors that the statements name directly become arguments of the function, so that
    export can put other tensors in their place.
    """
    knowns = known_objects(node.statements, graph)
    tensors = [name for name, value in knowns.items() if isinstance(value, torch.Tensor)]
    source = forward_source(replace(node, inputs=(*node.inputs, *tensors)), graph)
    namespace = {name: value for name, value in knowns.items() if name not in tensors}
    exec(compile(source, "<sub-DNN>", "exec"), namespace)
    positions = [i for i, name in enumerate(node.inputs) if name in overwritten]
    held = {name: value for name, value in knowns.items() if name != "__builtins__"}
    return Holder(cast(Forward, namespace["forward"]), held, positions, selects_rows=selects_rows)
