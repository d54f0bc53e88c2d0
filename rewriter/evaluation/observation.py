"""Watching an operation run on fake tensors: what it writes to, whether it is random."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import sympy
import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import (
    FakeTensor,
    UnsupportedFakeTensorException,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.element_kinds import kind_error
from rewriter.evaluation.inner_casts import may_convert_inside
from rewriter.evaluation.number_ranges import number_error
from rewriter.evaluation.putting import check_put
from rewriter.evaluation.raising import Integers, Lookup, lookup_of, may_raise, raises_index_error
from rewriter.quick_layouts import on_fakes
from rewriter.size_expressions import expression_of
from rewriter.storages import storage_key

_QUANTISED = frozenset({torch.qint8, torch.quint8, torch.qint32, torch.quint4x2, torch.quint2x4})
"""Types of elements of tensors that a fake tensor takes for others."""


class WritesModel(Exception):
    """An operation is about to write into a tensor of the model itself."""

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor
        super().__init__("a tensor of the model is written")


class Observer(TorchDispatchMode):  # type: ignore[no-untyped-call]  # torch's own
    """Records what an operation writes to and whether it is random."""

    def __init__(self, contents: Mapping[int, torch.Tensor] | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.written: list[torch.Tensor] = []
        self.reshaped: list[torch.Tensor] = []
        self.random: str | None = None
        self.may_raise = False
        self.of_index = True
        """Whether nothing but an IndexError may be raised."""
        self.lookups: list[Lookup | None] = []
        """What is looked up, None where something else may raise."""
        self.by_element = True
        """Whether all that is written depends, element by element, on what lies there alone."""
        self.converts = False
        """Whether a tensor of another type, or of another layout, was made of one."""
        self.converts_unseen: str | None = None
        """What may convert operands in its kernel under autocast."""
        self.read_content = False
        """Whether it was asked what integers a tensor holds."""
        self.counts: set[sympy.Basic] = set()
        """What is known of numbers of elements found: there are no more than are looked at."""
        self._created: dict[int, torch.Tensor] = {}
        """Real tensors that the operation makes itself, by storage."""
        self._contents = dict(contents or {})
        """What fake tensors hold, where it is known, by id."""
        self._lifted: list[object] = []
        """What PyTorch made of lists of numbers: kept, for an id is that of a living object."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        kwargs = kwargs or {}
        if not _QUANTISED.isdisjoint(x for x in tree_leaves((args, kwargs)) if _is_type(x)):
            raise UnsupportedFakeTensorException("quantised tensors are made")
        if torch.Tag.nondeterministic_seeded in func.tags and _draws(func, args, kwargs):
            self.random = str(func)
        if may_raise(func, args, kwargs, self._content):
            self.may_raise = True
            lookup = lookup_of(func, args)
            self.of_index &= raises_index_error(func, lookup)
            self.lookups.append(lookup)
        written = _written_by(func, args, kwargs)
        self.by_element &= not written or _is_by_element(func)
        self.converts |= func is torch.ops.aten._to_copy.default
        if may_convert_inside(func):
            self.converts_unseen = str(func)
        shapes = [tensor.shape for tensor in written]
        for tensor in written:
            if not isinstance(tensor, FakeTensor) and storage_key(tensor) not in self._created:
                raise WritesModel(tensor)
        faked_args, faked_kwargs = _all_fake(args, kwargs)
        check_put(func, faked_args)
        result = on_fakes(func, faked_args, faked_kwargs)
        error = kind_error(func, faked_args, faked_kwargs, result) or number_error(
            func, faked_args, faked_kwargs, result
        )
        if error is not None:
            raise error
        if func is torch.ops.aten.nonzero.default:
            found, most = map(expression_of, (result.shape[0], faked_args[0].numel()))
            self.counts.add(sympy.Le(found, most))
        self._note_created(args, kwargs, result)
        if func is torch.ops.aten.lift_fresh.default and _is_real(args[0]):
            self._lifted.append(result)
            self._contents[id(result)] = args[0]
        self.written += written
        self.reshaped += [x for x, shape in zip(written, shapes, strict=True) if x.shape != shape]
        return result

    def _content(self, tensor: object) -> Integers | None:
        """Return the integers that a tensor holds, where they are known."""
        is_real = isinstance(tensor, torch.Tensor) and _is_real(tensor)
        content = tensor if is_real else self._contents.get(id(tensor))
        if not isinstance(content, torch.Tensor) or content.dtype.is_floating_point:
            return None
        self.read_content = True
        with unset_fake_temporarily():
            integers: Integers = content.detach().numpy()
            return integers

    def _note_created(self, args: Any, kwargs: Any, result: object) -> None:
        given = {storage_key(x) for x in tree_leaves((args, kwargs)) if _is_real(x)}
        for tensor in tree_leaves(result):
            if _is_real(tensor) and storage_key(tensor) not in given:
                self._created[storage_key(tensor)] = tensor


def _all_fake(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """Return operands with the model's tensors as fake ones, where others are fake.

    PyTorch would do the same, but later: its cache of results does not know real tensors.
    """
    leaves = tree_leaves((args, kwargs))
    mode = next((x.fake_mode for x in leaves if isinstance(x, FakeTensor)), None)
    if mode is None or not any(_is_real(x) for x in leaves):
        return args, kwargs
    convert = mode.fake_tensor_converter.from_real_tensor
    converted: tuple[Any, Any] = tree_map(
        lambda x: convert(mode, x) if _is_real(x) else x, (args, kwargs)
    )
    return converted


def _is_type(content: object) -> bool:
    return isinstance(content, torch.dtype)


def _is_real(content: object) -> bool:
    return (
        isinstance(content, torch.Tensor)
        and not isinstance(content, FakeTensor)
        and content.layout is torch.strided
    )


def _written_by(func: Any, args: Any, kwargs: Any) -> list[torch.Tensor]:
    """Return the tensors that an operation writes into in place."""
    schema = func._schema
    written: list[torch.Tensor] = []
    if not schema.is_mutable:
        return written
    for index, argument in enumerate(schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            given = args[index] if index < len(args) else kwargs.get(argument.name)
            written += [x for x in tree_leaves(given) if isinstance(x, torch.Tensor)]
    return written


def _is_by_element(func: Any) -> bool:
    return torch.Tag.pointwise in func.tags or func.overloadpacket is torch.ops.aten.copy_


def _draws(func: Any, args: Any, kwargs: Any) -> bool:
    """Return whether a random operation really draws, and is not in evaluation mode."""
    if "dropout" not in str(func) and "rrelu" not in str(func) and "attention" not in str(func):
        return True
    names = [argument.name for argument in func._schema.arguments]
    given = {**dict(zip(names, args, strict=False)), **kwargs}
    defaults = {argument.name: argument.default_value for argument in func._schema.arguments}
    value = {**defaults, **given}
    if "dropout_p" in value:
        return bool(value["dropout_p"])
    return bool(value.get("train", value.get("training", True)))


@contextmanager
def quiet_fake_tensors() -> Iterator[None]:
    """Keep PyTorch from logging errors of fake tensors: they are the program's own."""
    before, fake_tensor.log.disabled = fake_tensor.log.disabled, True
    try:
        yield
    finally:
        fake_tensor.log.disabled = before


def concrete_copy(content: object) -> object:
    """Return a tensor of zeros for a fake one, a copy of a real one, other objects as is."""
    if isinstance(content, FakeTensor):
        shape, strides = tuple(content.shape), content.stride()
        return torch.empty_strided(shape, strides, dtype=content.dtype).zero_()
    return content.detach().clone() if isinstance(content, torch.Tensor) else content


def forget_memos(content: object) -> None:
    """Forget the sizes that operations gave for a tensor's content: it may have changed."""
    for leaf in tree_leaves(content):
        if isinstance(leaf, FakeTensor):
            leaf.nonzero_memo = None
            leaf.item_memo = None
            leaf.unique_memo = None
            leaf.unique_consecutive_memo = None
