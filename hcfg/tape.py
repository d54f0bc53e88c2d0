"""A dispatch mode that writes down every ATen operation, on fake tensors.

It sees below modules, functional wrappers and composite operations, so two sub-DNNs with
equal tapes compute the same, whatever Python led there. The user's tensors are replaced by
fake ones before an operation runs: nothing is computed, no weight or buffer is changed.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, cast

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.fx.experimental.symbolic_shapes import free_symbols
from torch.utils._python_dispatch import TorchDispatchMode

from hcfg.canonical import Canonical
from rewriter.quick_layouts import on_fakes

Storage = int
"""Identifies a storage while somebody holds a tensor in it."""


def storage_of(tensor: torch.Tensor) -> Storage:
    """Return what a tensor shares with its views. Modes are not asked: that takes long."""
    with torch._C.DisableTorchFunction():
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
        self._numbers: dict[object, frozenset[int]] = {}
        """Which inputs a symbol of the trace depends on."""

    def add_input(self, index: int, fake: torch.Tensor | torch.SymInt | int) -> None:
        """Take a fake tensor, or a number, as the sub-DNN's input ``index``."""
        for symbol in free_symbols(fake):
            self._numbers[symbol] = self._numbers.get(symbol, frozenset()) | {index}
        if isinstance(fake, torch.Tensor):
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
        if function is torch.ops.prim.device.default:  # which fake tensors know without their mode
            return self.fake(cast(torch.Tensor, args[0])).device
        faked = (args, kwargs) if _lifts(function) else self._faked((args, kwargs))
        with self._fakes:
            result = on_fakes(function, *faked)
        if function.namespace != "prim":  # other questions about a tensor
            self._write_down(function, (args, kwargs), faked, result)
        return result

    def _faked(self, arguments: Any) -> Any:
        match arguments:
            case torch.Tensor():
                return self.fake(arguments)
            case tuple():
                return tuple(self._faked(each) for each in arguments)
            case list():
                return [self._faked(each) for each in arguments]
            case dict():
                return {name: self._faked(each) for name, each in arguments.items()}
            case _:  # numbers, types, devices: whatever operations take
                return arguments

    def fake(self, tensor: torch.Tensor) -> torch.Tensor:
        """Return the fake tensor that stands for ``tensor``."""
        if isinstance(tensor, FakeTensor):
            return tensor
        if id(tensor) not in self._fake_of:
            fake = self._fake_copy(tensor)
            self._fake_of[id(tensor)] = fake
            self.outside.add(storage_of(fake))
        return self._fake_of[id(tensor)]

    def _fake_copy(self, tensor: torch.Tensor) -> torch.Tensor:
        if tensor.layout != torch.strided:
            return self._fakes.from_tensor(tensor, static_shapes=True)
        # Many times as fast; what it leaves out is about gradients and views.
        empty = torch.empty_strided(
            tensor.shape, tensor.stride(), dtype=tensor.dtype, device="meta"
        )
        return FakeTensor(self._fakes, empty, tensor.device)

    def _write_down(self, function: Any, given: Any, faked: Any, result: object) -> None:
        results = list(tensors_in(result))
        args, kwargs = given
        self.canonical.add_operation(function, args, kwargs, results)
        read = [tensor for tensor in tensors_in(faked) if isinstance(tensor, FakeTensor)]
        sources = frozenset().union(*(self.depends_on[storage_of(t)] for t in read))
        written = written_arguments(function, *faked)
        if self._fakes.shape_env is not None:
            sources = self._with_numbers(given, result, results, sources)
        for tensor in (*results, *written):
            self.depends_on[storage_of(tensor)] |= sources
        for storage in {storage_of(tensor) for tensor in written}:
            self.write_counts[storage] += 1
        self.random += draws_random_numbers(function, *given)

    def _with_numbers(
        self, given: Any, result: object, results: list[torch.Tensor], sources: frozenset[int]
    ) -> frozenset[int]:
        """Return the sources with those of numbers, and note that numbers depend on them."""
        for symbol in free_symbols(list(numbers_in(given))):
            sources |= self._numbers.get(symbol, frozenset())
        for symbol in free_symbols([*numbers_in(result), *results]):
            self._numbers.setdefault(symbol, sources)
        return sources


def tensors_in(value: object) -> Iterator[torch.Tensor]:
    """Yield the tensors among an operation's arguments or results."""
    match value:
        case torch.Tensor():
            yield value
        case tuple() | list():
            for each in value:
                yield from tensors_in(each)
        case dict():
            for each in value.values():
                yield from tensors_in(each)
        case _:  # numbers, types, devices: whatever operations take
            return


def numbers_in(value: object) -> Iterator[torch.SymInt | torch.SymFloat | torch.SymBool]:
    """Yield the numbers of the trace among an operation's arguments or results."""
    match value:
        case torch.SymInt() | torch.SymFloat() | torch.SymBool():
            yield value
        case tuple() | list():
            for each in value:
                yield from numbers_in(each)
        case dict():
            for each in value.values():
                yield from numbers_in(each)
        case _:  # tensors, numbers, types: whatever operations take
            return


def _lifts(function: Any) -> bool:
    """``torch.tensor([...])``: only this way a fake tensor knows its own value."""
    return function in (torch.ops.aten.lift_fresh.default, torch.ops.aten.lift_fresh_copy.default)


_UPDATE_STATISTICS = frozenset({"native_batch_norm", "cudnn_batch_norm"})
"""In training (argument 5) they change arguments 3 and 4, which their schemas do not tell."""


def written_arguments(
    function: Any, args: Sequence[object], kwargs: Mapping[str, object]
) -> list[torch.Tensor]:
    """Return the tensors whose storage an operation writes, by its schema."""
    written: list[torch.Tensor] = []
    if function.overloadpacket.__name__ in _UPDATE_STATISTICS and args[5]:
        written += [leaf for leaf in args[3:5] if isinstance(leaf, torch.Tensor)]
    for position, argument in enumerate(function._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            value = args[position] if position < len(args) else kwargs.get(argument.name)
            written += tensors_in(value)
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
