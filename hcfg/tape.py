"""A dispatch mode that writes down every ATen operation, on fake tensors.

It sees below modules, functional wrappers and composite operations, so two sub-DNNs with
equal tapes compute the same, whatever Python led there. The user's tensors are replaced by
fake ones before an operation runs: nothing is computed, no weight or buffer is changed.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map_only

from hcfg.canonical import Canonical

Storage = int
"""Identifies a storage while somebody holds a tensor in it."""


def storage_of(tensor: torch.Tensor) -> Storage:
    """Return what a tensor shares with its views."""
    return int(tensor.untyped_storage()._cdata)


class Tape(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch has no types here
    """Records operations, and per storage who wrote it and which inputs it depends on."""

    def __init__(self, fakes: FakeTensorMode, weights: Mapping[int, torch.Tensor]) -> None:
        """``weights`` are the tensors that may be swapped for others, by ``id``."""
        super().__init__()  # type: ignore[no-untyped-call]
        self.canonical = Canonical(weights=weights)
        self.write_counts: dict[Storage, int] = defaultdict(int)
        self.depends_on: dict[Storage, frozenset[int]] = defaultdict(frozenset)
        self.random = 0
        """How many operations drew random numbers."""
        self._fakes = fakes
        self._fake_of: dict[int, torch.Tensor] = {}
        self.outside: set[Storage] = set()
        """Storages that stand for tensors which existed before the sub-DNN ran."""

    def add_input(self, index: int, fake: torch.Tensor) -> None:
        """Number a fake tensor as the sub-DNN's input ``index``."""
        self.canonical.add_input(fake)
        self.depends_on[storage_of(fake)] = frozenset({index})

    def __torch_dispatch__(
        self,
        function: Any,
        types: Sequence[type],
        args: tuple[object, ...] = (),
        kwargs: dict[str, object] | None = None,
    ) -> object:
        """Run one operation on fake tensors and write it down."""
        kwargs = kwargs or {}
        faked = (args, kwargs) if _lifts(function) else self._faked((args, kwargs))
        with self._fakes:
            result = function(*faked[0], **faked[1])
        if function.namespace != "prim":  # questions about a tensor, such as its device
            self._write_down(function, (args, kwargs), faked, result)
        return result

    def _faked(self, arguments: Any) -> Any:
        return tree_map_only(torch.Tensor, self.fake, arguments)

    def fake(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the fake tensor that stands for ``tensor``."""
        if isinstance(tensor, FakeTensor):
            return tensor
        if id(tensor) not in self._fake_of:
            fake = self._fakes.from_tensor(tensor, static_shapes=True)
            self._fake_of[id(tensor)] = fake
            self.outside.add(storage_of(fake))
        return self._fake_of[id(tensor)]

    def _write_down(self, function: Any, given: Any, faked: Any, result: object) -> None:
        results = [leaf for leaf in tree_leaves(result) if isinstance(leaf, torch.Tensor)]
        args, kwargs = given
        self.canonical.add_operation(function, args, kwargs, results)
        read = [leaf for leaf in tree_leaves(faked) if isinstance(leaf, FakeTensor)]
        sources = frozenset().union(*(self.depends_on[storage_of(t)] for t in read))
        written = written_arguments(function, *faked)
        for tensor in (*results, *written):
            self.depends_on[storage_of(tensor)] |= sources
        for storage in {storage_of(tensor) for tensor in written}:
            self.write_counts[storage] += 1
        self.random += draws_random_numbers(function, *given)


def _lifts(function: Any) -> bool:
    """``torch.tensor([...])``: only this way a fake tensor knows its own value."""
    return function in (torch.ops.aten.lift_fresh.default, torch.ops.aten.lift_fresh_copy.default)


def written_arguments(
    function: Any, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[torch.Tensor]:
    """Return the tensors whose storage an operation writes, by its schema."""
    written: list[torch.Tensor] = []
    for position, argument in enumerate(function._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[position] if position < len(args) else kwargs.get(argument.name)
            written += [leaf for leaf in tree_leaves(value) if isinstance(leaf, torch.Tensor)]
    return written


def draws_random_numbers(
    function: Any, args: Sequence[object], kwargs: Mapping[str, object]
) -> bool:
    """Return whether an operation's result differs from run to run."""
    if torch.Tag.nondeterministic_seeded not in function.tags:
        return False
    named = {a.name: a.default_value for a in function._schema.arguments if a.has_default_value()}
    named |= {a.name: value for a, value in zip(function._schema.arguments, args, strict=False)}
    named |= kwargs
    off: dict[str, Callable[[object], bool]] = {
        "train": lambda value: value is False,
        "training": lambda value: value is False,
        "dropout_p": lambda value: value == 0,
    }
    return not any(name in named and is_off(named[name]) for name, is_off in off.items())
