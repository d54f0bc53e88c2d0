"""The loader looks at a single index instead of the graph; what is negative raises as before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import Tensor

from dycl.backends.onnx_graphs.skeletons import Skeletons
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.backends.onnxruntime.told_places import without_told_places
from dycl.testing.calls import calls_of
from dycl.testing.subdnns import capture_function

WORDS = torch.randn(6, 4, generator=torch.Generator().manual_seed(0))
PLACES = torch.randn(3, 4, generator=torch.Generator().manual_seed(1))
LOGARITHMS = torch.tensor([[2.0, 3.0, 4.0]])

Program = tuple[Callable[..., Any], tuple[Tensor, ...], tuple[int, ...]]

ONE, TWO = torch.tensor([2]), torch.tensor([2, 1])
PROGRAMS: dict[str, Program] = {
    "a word": (lambda i: F.embedding(i, WORDS), (ONE,), (0,)),
    "a number": (lambda i: F.embedding(i, WORDS) * 2, (torch.tensor(2),), (0,)),
    "in a batch": (lambda i: F.embedding(i.view(1, 1), WORDS) * 2, (ONE,), (0,)),
    "in two tables": (lambda i: F.embedding(i, WORDS) + F.embedding(i, PLACES), (ONE,), (0,)),
    "two words": (
        lambda i, j: F.embedding(i, WORDS) - F.embedding(j, PLACES), (ONE, ONE), (0, 1)
    ),
    "a word beside a tensor": (
        lambda x, i: x + torch.index_select(WORDS, 0, i), (torch.ones(1, 4), ONE), (1,)
    ),
    "several words": (lambda i: F.embedding(i, WORDS), (TWO,), ()),
    "a word that is compared": (lambda i: F.embedding(i, WORDS) * (i == 2), (ONE,), ()),
    "a word that comes back": (lambda i: (F.embedding(i, WORDS), i.view(1, 1)), (ONE,), ()),
    "a word that is added to": (lambda i: F.embedding(i + 1, WORDS), (ONE,), ()),
    "a word that may be counted back": (lambda i: WORDS[i] * 2, (ONE,), ()),
    "a word that is a weight": (lambda x: x + F.embedding(ONE, WORDS), (torch.ones(1, 4),), ()),
    "elements": (lambda i: torch.gather(LOGARITHMS, 1, i), (torch.tensor([[2]]),), ()),
}  # fmt: skip


@pytest.fixture(scope="module")
def calls(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[..., Any]]:
    subdnns = [capture_function(f, *given, name=name) for name, (f, given, _) in PROGRAMS.items()]
    return calls_of(OnnxRuntimeBackend(), subdnns, tmp_path_factory.mktemp("told"))


@pytest.mark.parametrize("name", PROGRAMS)
def test_which_indices_are_told(name: str) -> None:
    function, given, wanted = PROGRAMS[name]
    [model] = Skeletons(None).find([capture_function(function, *given)])
    made, told = without_told_places(model, len(given))
    assert told == wanted
    kinds = [node.op_type for node in made.graph.node]
    assert not (told and {"Less", "Where"}.intersection(kinds))
    assert [value.name for value in made.graph.input] == [v.name for v in model.graph.input]


@pytest.mark.parametrize("name", PROGRAMS)
def test_whatever_comes_gives_what_pytorch_gives(
    name: str, calls: dict[str, Callable[..., Any]]
) -> None:
    function, given, _ = PROGRAMS[name]
    for number in (0, 2, -1, -3, -6, -7, 3, 5, 6, 7, 2**63 - 1, -(2**63), 1):
        arguments = [torch.full_like(x, number) if not x.is_floating_point() else x for x in given]
        try:
            wanted = function(*arguments)
        except (IndexError, RuntimeError):
            with pytest.raises((IndexError, RuntimeError)):
                calls[name](*(x.numpy() for x in arguments))
            continue
        found = calls[name](*(x.numpy() for x in arguments))
        if isinstance(wanted, tuple):
            wanted, found = wanted[0], found[0]
        np.testing.assert_allclose(found, wanted.numpy(), rtol=1e-6)


def test_a_caller_keeps_the_index_that_it_gave(calls: dict[str, Callable[..., Any]]) -> None:
    index = np.array([-1])
    with pytest.raises(IndexError):
        calls["a word"](index)
    assert index.tolist() == [-1]


def test_what_comes_first_raises_first(tmp_path: Path) -> None:
    """An index of another table that is out of range, before this one."""

    def function(x: Tensor, i: Tensor) -> Tensor:
        return F.embedding(x.argmax(1) + 5, WORDS) + F.embedding(i, WORDS)

    given = torch.tensor([[1.0, 0.0, 0.0]]), ONE
    subdnn = capture_function(function, *given, name="both")
    call = calls_of(OnnxRuntimeBackend(), [subdnn], tmp_path)["both"]
    with pytest.raises(IndexError, match="both"):
        call(np.array([[0, 1, 0]], np.float32), ONE.numpy())
    with pytest.raises(IndexError, match="both"):
        call(given[0].numpy(), np.array([-1]))
    wanted = function(*given).numpy()
    np.testing.assert_allclose(call(*(x.numpy() for x in given)), wanted, rtol=1e-6)
