"""The zoo's models by name: how each is built, called, and where its weights come from."""

from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from torch import nn

from zoo import (
    adaptive_computation,
    blockdrop,
    captioner,
    experts,
    patience,
    shallow_deep,
    skipnet,
    skipnet_rnn,
    speculative,
    speech_decoder,
    transducer,
    tree_lstm,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One model of the zoo."""

    name: str
    module: ModuleType
    build: Callable[[], nn.Module]
    trained: bool
    """Whether all weights were trained; otherwise convolutions stay as seeded."""
    method: str = "forward"
    examples: str = "example_inputs"
    samples: str = "sample_inputs"
    """Functions of the module, for files with several models."""

    @property
    def target(self) -> str:
        """The FILE:TARGET of dycl's command line."""
        return f"{self.module.__name__.replace('.', '/')}.py:{self.build.__name__}"

    def prepare(self) -> tuple[nn.Module, Callable[..., Any]]:
        """Build the model; return it and its entry point."""
        model = self.build()
        return model, getattr(model, self.method)

    def example_inputs(self) -> tuple[Any, ...]:
        """Return the arguments to compile with."""
        example: tuple[Any, ...] = getattr(self.module, self.examples)()
        return example

    def sample_inputs(self, count: int, seed: int) -> list[tuple[Any, ...]]:
        """Return arguments that take different paths."""
        inputs: list[tuple[Any, ...]] = getattr(self.module, self.samples)(count, seed)
        return inputs

    def decide(self, outputs: Any) -> Any:
        """Return the decision in an output."""
        return self.module.decide(outputs)


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
"""Networks that see one picture and decide on the way."""

STRUCTURES = (
    Entry(name="Captioner, greedy", module=captioner, build=captioner.build_model, trained=False),
    Entry(
        name="Captioner, beam search",
        module=captioner,
        build=captioner.build_model,
        trained=False,
        method="beam_search",
    ),
    Entry(name="RNN transducer", module=transducer, build=transducer.build_model, trained=False),
    Entry(
        name="Speech decoder",
        module=speech_decoder,
        build=speech_decoder.build_model,
        trained=False,
    ),
    Entry(
        name="Speculative decoding",
        module=speculative,
        build=speculative.build_model,
        trained=False,
    ),
    Entry(name="Layers with patience", module=patience, build=patience.build_model, trained=False),
    Entry(
        name="Layers, exit by entropy",
        module=patience,
        build=patience.build_model,
        trained=False,
        method="by_entropy",
    ),
    Entry(
        name="Adaptive computation",
        module=adaptive_computation,
        build=adaptive_computation.build_model,
        trained=False,
    ),
    Entry(name="Mixture of experts", module=experts, build=experts.build_model, trained=False),
    Entry(
        name="Tree-LSTM, child-sum", module=tree_lstm, build=tree_lstm.build_model, trained=False
    ),
    Entry(
        name="Tree-LSTM, binary",
        module=tree_lstm,
        build=tree_lstm.build_binary,
        trained=False,
        examples="binary_example",
        samples="binary_samples",
    ),
)
"""Decoders, trees and routing: loops, recursion and sizes that depend on the input."""

EVERY = (*CATALOG, *STRUCTURES)

GROWTH = (
    *(entry for entry in CATALOG if entry.module is skipnet),
    Entry(name="SkipNet-152", module=skipnet, build=skipnet.build_skipnet152, trained=False),
)
"""One network in four depths, to see how compilation grows."""
