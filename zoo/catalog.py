"""The zoo's models by name: how each is built, called, and where its weights come from."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from torch import nn

from zoo import blockdrop, shallow_deep, skipnet, skipnet_rnn


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One model of the zoo."""

    name: str
    module: ModuleType
    build: Callable[[], nn.Module]
    trained: bool
    """Whether all weights were trained; otherwise convolutions stay as seeded."""
    method: str = "forward"

    @property
    def target(self) -> str:
        """The FILE:TARGET of dycl's command line."""
        return f"{self.module.__name__.replace('.', '/')}.py:{self.build.__name__}"

    def prepare(self) -> tuple[nn.Module, Callable[..., Any]]:
        """Build the model; return it and its entry point."""
        model = self.build()
        return model, getattr(model, self.method)


CATALOG = (
    Entry(name="SkipNet-38", module=skipnet, build=skipnet.build_model, trained=True),
    Entry(name="SkipNet-74", module=skipnet, build=skipnet.build_skipnet74, trained=False),
    Entry(name="SkipNet-110", module=skipnet, build=skipnet.build_skipnet110, trained=False),
    Entry(
        name="SkipNet-38, recurrent gates",
        module=skipnet_rnn,
        build=skipnet_rnn.build_model,
        trained=True,
    ),
    Entry(name="BlockDrop ResNet-32", module=blockdrop, build=blockdrop.build_model, trained=True),
    Entry(
        name="Shallow-deep ResNet-56",
        module=shallow_deep,
        build=shallow_deep.build_resnet,
        trained=True,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep MobileNet",
        module=shallow_deep,
        build=shallow_deep.build_mobilenet,
        trained=False,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep VGG-19",
        module=shallow_deep,
        build=shallow_deep.build_vgg,
        trained=False,
        method="early_exit",
    ),
    Entry(
        name="Shallow-deep WideResNet-32-4",
        module=shallow_deep,
        build=shallow_deep.build_wideresnet,
        trained=False,
        method="early_exit",
    ),
)
