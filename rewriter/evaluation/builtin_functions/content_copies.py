"""Tensors and arrays in deep copies: what is one object stays one, what shares memory shares it."""

from dataclasses import dataclass, field

import libcst as cst
import torch

from rewriter.evaluation.instances.methods import call_named_method
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.size_expressions import key_of, keys_of
from rewriter.state import State
from rewriter.values import HostValue, TensorValue


@dataclass(slots=True)
class ContentCopies:
    """Copies of tensors and arrays in one deep copy, each made once.

    Copies of tensors that share memory share theirs, so that neither may be written in place.
    """

    frame: Frame
    node: cst.CSTNode
    made: dict[str, TensorValue | HostValue] = field(default_factory=dict)
    tensors: list[tuple[TensorValue, TensorValue]] = field(default_factory=list)
    """Those copied so far, each with its copy."""

    def copied(self, state: State, value: TensorValue | HostValue, method: str) -> Outcomes:
        """Copy a tensor or array, or give the copy that there is."""
        value = state.current(value) if isinstance(value, TensorValue) else value
        if value.name in self.made:
            before = self.made[value.name]
            yield state, state.current(before) if isinstance(before, TensorValue) else before
            return
        for after, made in call_named_method(self.frame, self.node, state, value, method, [], {}):
            assert isinstance(made, TensorValue | HostValue)
            self.made[value.name] = made
            if isinstance(value, TensorValue) and isinstance(made, TensorValue):
                self._share(value, made)
            yield after, made

    def _share(self, value: TensorValue, made: TensorValue) -> None:
        """Record which copies share memory: those of tensors that do."""
        storages = self.frame.run.storages
        if not _lies_alike(value.fake, made.fake):
            message = "a deep copy of a tensor that does not lie in memory element by element"
            self.frame.refuse("DYCL059", self.node, message, help="clone() it")
        storages.flag(made.name, storages.flags(value.name) & {"aliased"})
        for other, copy in self.tensors:
            if storages.may_coincide(value.fake, other.fake):
                storages.relate(made.fake, copy.fake)
        self.tensors.append((value, made))


def _lies_alike(tensor: torch.Tensor, copy: torch.Tensor) -> bool:
    """Return whether a tensor's strides are those of its copy; one dimension has any stride."""
    if keys_of(tensor.stride()) == keys_of(copy.stride()):
        return True
    return tensor.dim() == 1 and key_of(tensor.stride(0)) != key_of(0)
