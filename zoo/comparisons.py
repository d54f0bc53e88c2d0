"""What others published about models of the zoo, and the zoo's models in other systems.

`dycl reproduce systems` and `dycl reproduce batching` show these beside ours. A figure is how many
times as fast as PyTorch the system was, batch 1.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from torch import nn

from zoo.other_systems import dynet_trees

NIMBLE = "Shen et al.: Nimble: Efficiently Compiling Dynamic Neural Networks, MLSys 2021"
RELAY = "Roesch et al.: Relay: A High-Level Compiler for Deep Learning, 2019"


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A figure that another system published about a model."""

    model: str
    """The name of its entry."""
    system: str
    paper: str
    figure: float
    machine: str
    unit: str
    units: Callable[..., int]
    """How many units the arguments of a call are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Batched:
    """A model in another system that takes a whole batch of inputs."""

    model: str
    system: str
    prepare: Callable[[nn.Module], Callable[[Sequence[tuple[Any, ...]]], Sequence[Any]]]


def words(text):
    """Return the length of a text whose words come first."""
    return len(text)


def tokens(token_ids, *rest):
    """Return the number of tokens, padding included."""
    return token_ids.shape[1]


def texts(*arguments):
    """Count a call as one."""
    return 1


def nodes(tree):
    """Return the number of nodes."""
    return tree.size()


COMPARISONS = (
    Comparison(
        model="LSTM, 1 layer",
        system="Nimble",
        paper=NIMBLE,
        figure=2.2,
        machine="Intel CPU",
        unit="token",
        units=words,
    ),
    Comparison(
        model="Tree-LSTM 300/150, child-sum",
        system="Nimble",
        paper=NIMBLE,
        figure=17.4,
        machine="Intel CPU",
        unit="node",
        units=nodes,
    ),
    Comparison(
        model="BERT-base",
        system="Nimble",
        paper=NIMBLE,
        figure=1.56,
        machine="Intel CPU",
        unit="token",
        units=tokens,
    ),
    Comparison(
        model="Character RNN",
        system="Relay",
        paper=RELAY,
        figure=1.4,
        machine="CPU",
        unit="text",
        units=texts,
    ),
    Comparison(
        model="Tree-LSTM, child-sum",
        system="Relay",
        paper=RELAY,
        figure=2.0,
        machine="CPU",
        unit="node",
        units=nodes,
    ),
)

BATCHED = tuple(
    Batched(model=model, system=f"DyNet{mode}", prepare=make(batching))
    for model, make in (
        ("Tree-LSTM, child-sum", dynet_trees.child_sum),
        ("Tree-LSTM 300/150, child-sum", dynet_trees.child_sum),
        ("Tree-FC", dynet_trees.tree_fc),
        ("Tree-FC 1024", dynet_trees.tree_fc),
    )
    for mode, batching in ((", one by one", False), (", auto-batching", True))
)
