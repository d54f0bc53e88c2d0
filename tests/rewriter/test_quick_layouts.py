"""What is said of operators without PyTorch's decompositions is what these give."""

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils._pytree import tree_leaves, tree_map

from rewriter import quick_layouts
from rewriter.quick_layouts import on_fakes

aten = torch.ops.aten
_SHAPES = [shape for dims in (1, 2, 3, 4) for shape in itertools.product((1, 3), repeat=dims)]


def batch_norm(shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield arguments: with weights and without."""
    if len(shape) < 2:
        return
    ones = [torch.ones(shape[1], requires_grad=True) for _ in range(4)]
    yield aten.native_batch_norm.default, torch.ones(shape), *ones, False, 0.1, 1e-5
    yield aten.native_batch_norm.default, torch.ones(shape), None, None, *ones[2:], False, 0.1, 0.0


def layer_norm(shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield arguments: over some dimensions, with weights and without."""
    for start in range(len(shape)):
        sizes = list(shape[start:])
        weights = [torch.ones(sizes) for _ in range(2)]
        yield aten.native_layer_norm.default, torch.ones(shape), sizes, *weights, 1e-5
        yield aten.native_layer_norm.default, torch.ones(shape), sizes, None, weights[1], 1e-5


def relu(shape: tuple[int, ...]) -> Iterator[tuple[Any, ...]]:
    """Yield arguments."""
    yield aten.relu.default, torch.ones(shape)


_MAKERS = (batch_norm, layer_norm, relu)


@pytest.mark.parametrize("made", _MAKERS)
def test_layouts_are_those_of_pytorch(made: Any) -> None:
    """Sizes, strides, types and memory are the same; no size is asked of PyTorch."""
    for function, *arguments in itertools.chain.from_iterable(map(made, _SHAPES)):
        mode = FakeTensorMode()
        faked = tree_map(lambda x, to=mode: _faked(to, x), arguments)
        with torch.no_grad(), mode:
            expected = function(*faked)
            quick = quick_layouts._RULES[function](faked)
            assert quick is not None
            found = on_fakes(function, faked, {})
        assert type(found) is type(expected)
        assert list(map(_about, tree_leaves(found))) == list(map(_about, tree_leaves(expected)))


@pytest.mark.parametrize(
    "given",
    [
        torch.ones(2, 3, 4, 4).to(memory_format=torch.channels_last),
        torch.ones(2, 3, 4, 4, dtype=torch.float64),
        torch.ones(2, 3, 4, 4, dtype=torch.float16),
        torch.ones(4, 4, 3, 2).transpose(0, 3),
        torch.ones(0, 3, 4),
        torch.ones(2, 5, 4),
        torch.ones(2, 3, 1, 1).as_strided((2, 3, 1, 1), (3, 1, 3, 3)),
    ],
)
def test_other_tensors_are_left_to_pytorch(given: torch.Tensor) -> None:
    """Other types, orders in memory, sizes that do not fit."""
    mode = FakeTensorMode()
    faked = [_faked(mode, x) for x in (given, *(torch.ones(3) for _ in range(4)))]
    assert quick_layouts._batch_norm([*faked, False, 0.1, 1e-5]) is None


def test_training_is_left_to_pytorch() -> None:
    """Statistics change then."""
    mode = FakeTensorMode()
    faked = [_faked(mode, x) for x in (torch.ones(2, 3), *(torch.ones(3) for _ in range(4)))]
    assert quick_layouts._batch_norm([*faked, True, 0.1, 1e-5]) is None
    assert quick_layouts._batch_norm([*faked, False, 0.1, 1e-5]) is not None


def _faked(mode: FakeTensorMode, value: object) -> object:
    return mode.from_tensor(value) if isinstance(value, torch.Tensor) else value


def _about(tensor: FakeTensor) -> tuple[Any, ...]:
    memory = tensor.untyped_storage()
    layout = tuple(tensor.shape), tensor.stride(), tensor.storage_offset(), memory.nbytes()
    return (*layout, tensor.dtype, tensor.device, tensor.requires_grad, type(tensor))
