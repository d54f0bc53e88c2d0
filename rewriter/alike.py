"""Objects that tensor code runs alike with: equal up to the content of weights.

Deep networks call the same layers again, with other weights. Which operations a layer of torch's
own runs, and what sizes come out, depends on its class, on its attributes, on element types and
layouts of tensors, and on what integers they hold (where to cut), never on what floats are in its
weights. A description says all of that: two calls with equal descriptions need to be tried only
once. What is not known to be of that kind (user classes, hooks, attributes of other types) has no
description.
"""

import types
import weakref
from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch._subclasses.fake_tensor import FakeTensor

from rewriter.contents import content_hash
from rewriter.known_paths import is_library
from rewriter.storages import storage_key

_OWN_MODULES = "torch.nn.modules."
_OWN_CODE = "rewriter."
_PLAIN = frozenset(
    {
        int,
        float,
        complex,
        str,
        bool,
        type(None),
        type(...),
        torch.dtype,
        torch.device,
        torch.layout,
        torch.memory_format,
    }
)
_CONTAINERS = frozenset({tuple, list, torch.Size, dict, OrderedDict, set})
_OBJECTS = (types.BuiltinFunctionType, types.MethodDescriptorType, types.ModuleType, type)


class Unlike(Exception):
    """Something that has no description."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLikeness:
    """What the call of a module of the user's does, of which the program shows only the call."""

    key: Hashable
    """The description of the statements that the call stands for."""
    tensors: tuple[torch.Tensor, ...]
    """The weights that they use, in the order in which they come."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DescribedModule:
    """What there is to say about a layer, whenever it comes."""

    module: nn.Module
    """Held, so that its ``id`` is that of no other one."""
    key: Hashable
    """Its description, with its own tensors numbered from 0; None where it has none."""
    tensors: tuple[torch.Tensor, ...] = ()
    """In the order in which they come."""


@dataclass(slots=True)
class DescribedModules:
    """Layers that were described before: programs call each often, and nobody changes them."""

    by_id: dict[int, DescribedModule] = field(default_factory=dict)
    keys: dict[Hashable, Hashable] = field(default_factory=dict)
    """One object for equal descriptions, so that they are compared fast."""


@dataclass(slots=True)
class Describing:
    """Describes objects, one after the other; tensors are numbered as they come."""

    modules: DescribedModules = field(default_factory=DescribedModules)
    tensors: list[torch.Tensor] = field(default_factory=list)
    """The tensors among the objects, without fake ones, each once."""
    fakes: list[FakeTensor] = field(default_factory=list)
    _seen: dict[tuple[str, int], int] = field(default_factory=dict)
    _open: set[int] = field(default_factory=set)

    def described(self, value: object) -> Hashable:
        """Return the description of an object. Raises ``Unlike`` where it has none."""
        kind = type(value)
        if kind in _PLAIN:
            return (kind, repr(value))  # -0.0 and 0.0 are equal, and not the same
        if kind in _CONTAINERS:
            return self._container(value)
        match value:
            case FakeTensor():
                return self._fake(value)
            case torch.Tensor():
                return self._weight(value)
            case nn.Module():
                return self._module(value)
            case types.FunctionType():
                return self._function(value)
            case _ if isinstance(value, _OBJECTS):
                return self._object(value)
            case _:
                return self._holder(value)

    def call(self, likeness: CallLikeness) -> Hashable:
        """Return the description of a call."""
        return (likeness.key, *map(self._weight, likeness.tensors))

    def _container(self, value: Any) -> Hashable:
        match value:
            case dict():
                return (type(value), *((_text(k), self.described(v)) for k, v in value.items()))
            case set():
                return (set, frozenset(map(_text, value)))
            case _:
                return (type(value), *map(self.described, value))

    def _holder(self, value: object) -> Hashable:
        """Describe what is nothing but what it holds."""
        match value:
            case types.MethodType():
                return ("bound", self.described(value.__func__), self.described(value.__self__))
            case slice():
                return (slice, *map(self.described, (value.start, value.stop, value.step)))
            case weakref.ReferenceType() if type(value) is weakref.ReferenceType:
                return (weakref.ReferenceType, self.described(value()))  # in recurrent layers
            case _:
                raise Unlike

    def _module(self, module: nn.Module) -> Hashable:
        known = self.modules.by_id.get(id(module))
        if known is None:
            known = self.modules.by_id[id(module)] = self._new_module(module)
        if known.key is None:
            raise Unlike
        return (known.key, *map(self._noted, known.tensors))

    def _new_module(self, module: nn.Module) -> DescribedModule:
        """Describe a layer by itself."""
        kind, own = type(module), Describing(self.modules, _open=self._open | {id(module)})
        is_torchs = kind.__module__.startswith(_OWN_MODULES) and "forward" not in vars(module)
        if not is_torchs or id(module) in self._open:
            return DescribedModule(module=module, key=None)
        try:
            parts = tuple((name, own.described(part)) for name, part in vars(module).items())
        except Unlike:
            return DescribedModule(module=module, key=None)
        if own.fakes:  # made while a program is evaluated, not a layer's own
            return DescribedModule(module=module, key=None)
        key = self.modules.keys.setdefault((kind, *parts), (kind, *parts))
        return DescribedModule(module=module, key=key, tensors=tuple(own.tensors))

    def _function(self, function: types.FunctionType) -> Hashable:
        if is_library(function.__module__) and not function.__closure__:
            return ("object", function)
        plain = not function.__defaults__ and not function.__kwdefaults__
        if not plain or not function.__module__.startswith(_OWN_CODE):
            raise Unlike
        try:
            cells = [cell.cell_contents for cell in function.__closure__ or ()]
        except ValueError as empty:
            raise Unlike from empty
        return ("made by", function.__code__, *map(self.described, cells))

    def _object(self, value: object) -> Hashable:
        owner = getattr(value, "__self__", None)
        if isinstance(owner, torch.Tensor):
            return ("method", getattr(value, "__name__", None), self.described(owner))
        name = getattr(value, "__name__", "") if isinstance(value, types.ModuleType) else None
        home = name if name is not None else getattr(value, "__module__", None)
        is_bound = owner is not None and not isinstance(owner, types.ModuleType | type)
        if is_bound or not (home is None or is_library(home)):
            raise Unlike
        return ("object", value)

    def _weight(self, tensor: torch.Tensor) -> Hashable:
        if type(tensor) not in (torch.Tensor, nn.Parameter) or vars(tensor):
            raise Unlike
        self._noted(tensor)
        is_inexact = tensor.is_floating_point() or tensor.is_complex()
        if not is_inexact and tensor.device.type != "cpu":
            raise Unlike
        content = None if is_inexact else content_hash(tensor)
        return ("weight", *self._geometry(tensor), content)

    def _fake(self, tensor: FakeTensor) -> Hashable:
        if tensor.constant is not None:
            raise Unlike
        self.fakes.append(tensor)
        return ("fake", *self._geometry(tensor))

    def _geometry(self, tensor: torch.Tensor) -> tuple[Hashable, ...]:
        if tensor.layout is not torch.strided or tensor.is_quantized:
            raise Unlike
        storage = tensor.untyped_storage()
        sizes = (*tensor.shape, *tensor.stride(), tensor.storage_offset(), storage.nbytes())
        if not all(isinstance(size, int) for size in sizes):
            raise Unlike
        return (
            type(tensor),
            tensor.dtype,
            str(tensor.device),
            tensor.requires_grad,
            tensor.is_conj(),
            tensor.is_neg(),
            tensor.dim(),
            *self._numbers(tensor),
            sizes,
        )

    def _noted(self, tensor: torch.Tensor) -> tuple[int, int]:
        """Return which tensor this is, and in which memory, with the weights that came before."""
        if ("tensor", id(tensor)) not in self._seen:
            self.tensors.append(tensor)
        return self._numbers(tensor)

    def _numbers(self, tensor: torch.Tensor) -> tuple[int, int]:
        return (
            self._seen.setdefault(("tensor", id(tensor)), len(self._seen)),
            self._seen.setdefault(("storage", storage_key(tensor)), len(self._seen)),
        )


def _text(value: object) -> str:
    if type(value) is not str:
        raise Unlike
    return value
