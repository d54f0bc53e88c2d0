"""Who shares memory with whom: storages of fake tensors, and which may coincide."""

from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from rewriter.chosen_places import ChosenPart
from rewriter.related_storages import RelatedStorages
from rewriter.size_expressions import Size, is_dense_layout, key_of, keys_of
from rewriter.specs import TensorSpec
from rewriter.tensor_objects import TensorObjects
from rewriter.trial_sizes import TrialSizes


def storage_key(tensor: torch.Tensor) -> int:
    """Return a number that two tensors share exactly when they share a storage."""
    return int(tensor.untyped_storage()._cdata)


def same_view(left: torch.Tensor, right: torch.Tensor) -> bool:
    """Return whether two tensors are the same elements of the same storage."""
    return (
        storage_key(left) == storage_key(right)
        and left.dtype == right.dtype
        and keys_of(left.shape) == keys_of(right.shape)
        and keys_of(left.stride()) == keys_of(right.stride())
        and key_of(left.storage_offset()) == key_of(right.storage_offset())
        and left.is_conj() == right.is_conj()
        and left.is_neg() == right.is_neg()
    )


def _as_lazy(made: torch.Tensor, example: torch.Tensor) -> torch.Tensor:
    """Return a tensor as a lazy conjugate, or negative, where another one is that."""
    made = made.conj() if example.is_conj() else made
    return torch._neg_view(made) if example.is_neg() else made


def _nothing_known(mode: FakeTensorMode) -> AbstractContextManager[None]:
    sizes = mode.shape_env
    assert isinstance(sizes, TrialSizes)
    return sizes.nothing_known()


@dataclass(slots=True)
class Storages(TensorObjects):
    """What is known of storages, and which may be one and the same on some path.

    After a join a tensor may be any of the tensors that reach it, so writing into it in
    place may or may not change the others: such writes are refused, not guessed.
    """

    mode: FakeTensorMode = field(kw_only=True)
    _related: RelatedStorages = field(default_factory=RelatedStorages)
    _alive: list[torch.UntypedStorage] = field(default_factory=list)
    """Keeps storages alive, since their keys are addresses."""
    _lasting: set[int] = field(default_factory=set)
    _held: set[int] = field(default_factory=set)
    """Storages of tensors that containers of the host hold: lasting ones, too."""
    _homed: set[int] = field(default_factory=set)
    """Those of tensors that have an array of their own in such containers (``homes``)."""
    places: dict[int, tuple[tuple[Hashable, tuple[int, ...]], ...]] = field(default_factory=dict)
    """Which places of containers hold tensors, by storage."""
    writes: int = 0
    """How many writes in place were seen."""
    traced: int = 0
    """How many functions are being evaluated that PyTorch traces: they change nothing else."""
    _exported: set[int] = field(default_factory=set)
    """Storages whose memory a numpy array shares."""
    own_attributes: set[str] = field(default_factory=set)
    """Names that example tensors have attributes of, beside those of all tensors."""
    told_apart: bool = False
    """Whether ``y.data`` goes by another variable than ``y``: one of them gets other data."""
    spread: str | None = None
    """An argument whose example does not lie in memory row by row, as programs take it to."""
    over_loose_arrays: bool = False
    """Whether a tensor was made of an array that may lie in memory otherwise than by rows."""
    laid_apart: set[int] = field(default_factory=set)
    """Memory in which PyTorch has elements at other places than the program that is made."""
    chosen: dict[int, ChosenPart] = field(default_factory=dict)
    """What parts of other tensors are, at places that only the run knows, by storage."""
    in_step: set[int] = field(default_factory=set)
    """Those that hold already what is being written into the tensor."""

    def enter(self, name: str, place: str, example: torch.Tensor) -> None:
        """Record that a variable stands for an argument, and whether that is contiguous."""
        self.callers.add(name)
        self.own_attributes.update(vars(example))
        if not example.is_contiguous():
            self.spread = place

    def fresh_like(self, example: torch.Tensor) -> torch.Tensor:
        """Return a fake tensor of the same kind with a storage of its own."""
        with self.mode, _nothing_known(self.mode):
            made = torch.empty_strided(
                tuple(example.shape), example.stride(), dtype=example.dtype, device=example.device
            )
            return _as_lazy(made, example)

    def fresh_of_shape(self, example: torch.Tensor, shape: Sequence[Size]) -> torch.Tensor:
        """Return a fake tensor like another one, with other sizes and a storage of its own."""
        with self.mode, _nothing_known(self.mode):
            if is_dense_layout(example):
                return _as_lazy(torch.empty(tuple(shape), dtype=example.dtype), example)
            made = torch.empty_strided(tuple(shape), example.stride(), dtype=example.dtype)
            return _as_lazy(made, example)

    def relate(self, left: torch.Tensor, right: torch.Tensor) -> None:
        """Record that two storages may be the same."""
        self._related.relate(storage_key(left), storage_key(right))
        self._keep_alive(left, right)

    def _keep_alive(self, *tensors: torch.Tensor) -> None:
        for tensor in tensors:
            self._alive.append(tensor.untyped_storage())
            if not isinstance(tensor, FakeTensor):
                self._lasting.add(storage_key(tensor))

    def choose(self, chosen: ChosenPart) -> None:
        """Record that a tensor is part of another, at places that only the run knows."""
        self._related.unite(storage_key(chosen.part), storage_key(chosen.source))
        self._keep_alive(chosen.part, chosen.source)
        self.chosen[storage_key(chosen.part)] = chosen

    @contextmanager
    def putting_back(self, chosen: ChosenPart) -> Iterator[None]:
        """Write what such a part holds into the tensor."""
        key = storage_key(chosen.part)
        self.in_step.add(key)
        try:
            yield
        finally:
            self.in_step.discard(key)

    def chosen_among(self, tensor: torch.Tensor) -> list[ChosenPart]:
        """Return the parts of other tensors that a storage may be one of."""
        own, root = storage_key(tensor), self._related.find(storage_key(tensor))
        if own in self.chosen:
            return [self.chosen[own]]
        return [part for key, part in self.chosen.items() if self._related.find(key) == root]

    def may_be_other_view(self, tensor: torch.Tensor, source: torch.Tensor) -> bool:
        """Return whether a tensor may be a view of another one, and no part at integers of it."""
        return self._related.may_be_wholly(storage_key(tensor), storage_key(source))

    def may_coincide(self, left: torch.Tensor, right: torch.Tensor) -> bool:
        """Return whether two different storages may be the same on some path."""
        return self._related.find(storage_key(left)) == self._related.find(storage_key(right))

    def group(self, tensor: torch.Tensor) -> int:
        """Return a number that is equal for tensors that may share memory."""
        return self._related.find(storage_key(tensor))

    def keep(self, tensor: torch.Tensor) -> None:
        """Have no other storage get this one's key, also when nothing refers to it any more."""
        self._alive.append(tensor.untyped_storage())

    def group_of(self, spec: object) -> int | None:
        """Return that number of what a variable holds, None where it is no such tensor."""
        key = spec.storage if isinstance(spec, TensorSpec) else None
        return None if key is None else self._related.find(key)

    def may_last_beyond(self, tensor: torch.Tensor, others: Iterable[torch.Tensor]) -> bool:
        """Return whether a storage may outlive the call and be none of the others'."""
        if not isinstance(tensor, FakeTensor):
            return True
        root, known = self.group(tensor), {storage_key(other) for other in others}
        return any(self._related.find(key) == root for key in self._lasting - known)

    def is_alone(self, tensor: torch.Tensor) -> bool:
        """Return whether a storage surely is no other one on any path."""
        return storage_key(tensor) not in self._related.keys

    def is_alone_with_parts(self, tensor: torch.Tensor) -> bool:
        """Return whether no other storage may be one, but for parts chosen out of it."""
        own, root = storage_key(tensor), self._related.find(storage_key(tensor))
        others = [
            key for key in self._related.keys if key != own and self._related.find(key) == root
        ]
        chosen = [self.chosen.get(key) for key in others]
        return all(part is not None and storage_key(part.source) == own for part in chosen)

    def mark_lasting(self, tensor: torch.Tensor) -> None:
        """Record that a storage belongs to the caller: inputs, parameters, buffers."""
        self._alive.append(tensor.untyped_storage())
        self._lasting.add(storage_key(tensor))

    def hold(self, tensor: torch.Tensor) -> None:
        """Record that a container of the host holds a tensor from here on."""
        self.mark_lasting(tensor)
        self._held.add(storage_key(tensor))

    def note_places(
        self, tensor: torch.Tensor, places: tuple[tuple[Hashable, tuple[int, ...]], ...]
    ) -> None:
        """Record which places of containers of the host hold a tensor."""
        key = storage_key(tensor)
        self.places[key] = (*self.places.get(key, ()), *places)

    def places_of(self, tensor: torch.Tensor) -> Iterator[tuple[Hashable, tuple[int, ...]]]:
        """Yield the places of containers of the host that may hold a tensor."""
        root = self.group(tensor)
        for key, places in self.places.items():
            if self._related.find(key) == root:
                yield from places

    def give_home(self, tensor: torch.Tensor) -> None:
        """Record that a tensor has an array of its own in containers of the host."""
        self._alive.append(tensor.untyped_storage())
        self._homed.add(storage_key(tensor))

    def lose_home(self, tensor: torch.Tensor) -> None:
        """Record that it may have one, which is not known any more."""
        self.hold(tensor)

    @property
    def any_home(self) -> bool:
        """Return whether any tensor has an array of its own in such containers."""
        return bool(self._homed)

    @contextmanager
    def tracing(self) -> Iterator[None]:
        """Evaluate a function that PyTorch traces."""
        self.traced += 1
        try:
            yield
        finally:
            self.traced -= 1

    def may_have_home(self, tensor: torch.Tensor) -> bool:
        """Return whether a tensor may have an array of its own in containers of the host."""
        return bool(self._homed) and self._may_be_among(self._homed, tensor)

    def may_be_held(self, tensor: torch.Tensor) -> bool:
        """Return whether a container of the host may hold a tensor."""
        return self._may_be_among(self._held, tensor) or self.may_have_home(tensor)

    def export(self, tensor: torch.Tensor) -> None:
        """Record that a numpy array shares a tensor's memory."""
        self._alive.append(tensor.untyped_storage())
        self._exported.add(storage_key(tensor))

    def may_be_exported(self, tensor: torch.Tensor) -> bool:
        """Return whether a numpy array may share a tensor's memory."""
        return self._may_be_among(self._exported, tensor)

    def exported(self) -> set[int]:
        """Return the numbers, as ``group`` gives them, of what shares memory with an array."""
        return {self._related.find(key) for key in self._exported}

    def may_last(self, tensor: torch.Tensor) -> bool:
        """Return whether a storage may outlive the call, or be in a container of the host."""
        if not isinstance(tensor, FakeTensor):
            return True
        return self._may_be_among(self._lasting, tensor) or self.may_have_home(tensor)

    def may_get_home(self, tensor: torch.Tensor) -> bool:
        """Return whether a storage is neither one that may last nor another one with a home.

        An attempt at a loop that was given up may have given it one.
        """
        others = self._homed - {storage_key(tensor)}
        return isinstance(tensor, FakeTensor) and not (
            self._may_be_among(self._lasting, tensor) or self._may_be_among(others, tensor)
        )

    def _may_be_among(self, keys: set[int], tensor: torch.Tensor) -> bool:
        """Return whether a tensor's storage may be one of some storages."""
        own = storage_key(tensor)
        if own in keys or own not in self._related.keys:  # most storages are themselves only
            return own in keys
        root = self._related.find(own)
        return any(self._related.find(key) == root for key in keys & self._related.keys)
