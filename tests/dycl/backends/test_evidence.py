"""The check beside PyTorch lets rounding pass, however much it shows, and nothing else."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import Tensor

from dycl.backends.checking import failure_of
from dycl.backends.evidence import Agreement, Evidence
from dycl.backends.interface import Artifact
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.testing.calls import compile_alone
from dycl.testing.subdnns import capture_function

Function = Callable[[Tensor], Tensor]

X = torch.randn(8, 40, generator=torch.Generator().manual_seed(0))
SQUARE = torch.randn(40, 40, generator=torch.Generator().manual_seed(1))

CANCELLING: dict[str, Function] = {
    "what a softmax leaves": lambda x: 1 - x.softmax(-1).sum(-1),
    "sums of what was centred": lambda x: (x - x.mean(-1, keepdim=True)).sum(-1),
    "two orders of one product": lambda x: (x @ SQUARE) / 3 - (x / 3) @ SQUARE,
    "quotients by sums near zero": lambda x: 1 / (x @ SQUARE),
    "norm of almost equal numbers": lambda x: torch.layer_norm(x * 1e-4 + 1000, (40,)),
    "inverse of a saturated sigmoid": lambda x: torch.logit(torch.sigmoid(x * 8)),
    "steps": lambda x: torch.floor((x @ SQUARE) * 1e4),
    "places of equal elements": lambda x: (x > 0).long().argsort(-1).to(x.dtype) * x,
    "the first of equal elements": lambda x: x.sign().topk(5).indices,
}
"""Their results hang on rounding, or on an order that PyTorch leaves open."""

WRONG: dict[str, tuple[Function, Function]] = {
    "not transposed": (lambda x: SQUARE.t() @ x[0], lambda x: SQUARE @ x[0]),
    "quotients of another sum": (lambda x: 1 / (x @ SQUARE), lambda x: 1 / (x @ SQUARE.t())),
    "a thousandth too much": (lambda x: x * 1.005, lambda x: x),
    "softmax over the other dimension": (lambda x: x.softmax(0), lambda x: x.softmax(1)),
    "what a softmax leaves": (lambda x: 1 - x.softmax(-1).sum(-1), lambda x: x[:, 0] * 1e-3),
    "argmin": (lambda x: x.argmax(1), lambda x: x.argmin(1)),
    "another comparison": (lambda x: x > 0, lambda x: x >= 0.2),
    "mean": (lambda x: x.sqrt().sum(1), lambda x: x.sqrt().mean(1)),
    "norm without epsilon": (
        lambda x: torch.layer_norm(x * 1e-3, (40,)),
        lambda x: torch.layer_norm(x * 1e-3, (40,), eps=0.0),
    ),
    "large integers": (
        lambda x: x.sign().long() * 2**60,
        lambda x: x.sign().long() * 2**60 + 1,
    ),
    "places of others than the largest": (
        lambda x: x.long().argsort(dim=-1, descending=True),
        lambda x: x.long().argsort(dim=-1, stable=True),
    ),
    "one number of many": (lambda x: x + 0, lambda x: x + (x == x[3, 7]) * 0.1),
}
"""What is to be computed, and what is computed."""


@pytest.fixture(scope="module")
def rounding(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Let ONNX Runtime compile what hangs on rounding: it raises where one is refused."""
    subdnns = [
        capture_function(function, X, name=f"subdnn_{number}")
        for number, function in enumerate(CANCELLING.values())
    ]
    compile_alone(OnnxRuntimeBackend(), subdnns, tmp_path_factory.mktemp("rounding"))


def test_what_hangs_on_rounding_is_taken(rounding: None) -> None:
    """The fixture has compiled and checked it."""


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_refused(name: str, tmp_path: Path) -> None:
    wanted, _ = WRONG[name]

    class Wrong(OnnxRuntimeBackend):
        def runtime_source(self) -> str:
            return (
                "def load_subdnns(directory, settings, entries):\n"
                "    from tests.dycl.backends.test_evidence import run_wrong\n"
                f"    return {{'subdnn_0': lambda x: run_wrong({name!r}, x)}}\n"
            )

    artifact = Artifact(subdnn="subdnn_0", file="none")
    failure = failure_of(Wrong(), capture_function(wanted, X), artifact, tmp_path)
    assert failure is not None and failure.code == "DYCL412"


def run_wrong(name: str, array: np.ndarray) -> np.ndarray:
    """Compute what a wrong backend would."""
    result: np.ndarray = WRONG[name][1](torch.from_numpy(array)).numpy()
    return result


def test_what_tells_nothing_is_weak() -> None:
    nothing = Evidence(lambda: [torch.full((3,), float("nan"))])
    assert nothing.of(0, np.full(3, np.nan, np.float32)) is Agreement.WEAK
    assert nothing.of(0, np.zeros(3, np.float32)) is Agreement.DIFFERENT
    numbers = Evidence(lambda: [torch.ones(3)])
    assert numbers.of(0, np.ones(3, np.float32)) is Agreement.STRONG
    empty = Evidence(lambda: [torch.ones(0)])
    assert empty.of(0, np.ones(0, np.float32)) is Agreement.STRONG
