"""Which programs may run for many inputs together."""

import ast
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import dycl
from dycl.api import optimised
from dycl.errors import UserError
from dycl.verification import verify
from hcfg.many_inputs import _is_private
from rewriter.diagnostics import CompileError

OPTIONS = dycl.CompileOptions(many_inputs=True)
COUNTS: list[int] = []


class Counting(nn.Module):
    """Keeps how often it was called."""

    def __init__(self) -> None:
        super().__init__()
        self.calls = 0

    def forward(self, x: Tensor) -> Any:
        self.calls += 1
        return x * 2 if x.sum() > 0 else x + self.calls


def printing(x: Tensor) -> Tensor:
    if x.sum() > 0:
        print(x.sum().item())
        return x * 2
    return x + 1


def written(x: Tensor) -> Tensor:
    if x.sum() > 0:
        x += 1
    return x * 2


def drawn(x: Tensor) -> Tensor:
    if x.sum() > 0:
        return nn.functional.relu(x)
    torch.rand(2)
    return x + 1


def appended(x: Tensor, found: list[Tensor]) -> Tensor:
    if x.sum() > 0:
        found.append(x * 2)
    return x + 1


def counted(n: int) -> int:
    return n * 2 if n > 2 else n


REFUSED: dict[str, tuple[Any, tuple[Any, ...], str]] = {
    "state": (Counting(), (torch.ones(2),), "keeps state from one call to the next"),
    "output": (printing, (torch.ones(2),), "changes what others see"),
    "arguments": (written, (torch.ones(2),), "changes its argument x"),
    "lists of the caller's": (appended, (torch.ones(2), []), "changes its argument found"),
    "no tensors": (counted, (3,), "no sub-DNN can compute a batch"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_others_see_is_refused(name: str) -> None:
    target, inputs, text = REFUSED[name]
    with pytest.raises(CompileError, match=text) as raised:
        optimised(dycl.rewrite(target, inputs), OPTIONS)
    assert {each.code for each in raised.value.diagnostics} == {"DYCL440"}


def own_containers(x: Tensor) -> Any:
    found, seen = [], {}
    for _ in range(3):
        if x.sum() > 0:
            found.append(x.sum().item())
            seen[len(found)] = found[-1]
        x = x - 1
    return x, sorted(found, reverse=True), seen


def failing(x: Tensor) -> Tensor:
    if x.sum() > 10:
        raise ValueError("too large")
    return x * 2 if x.sum() > 0 else x


@pytest.mark.parametrize("target", [own_containers, failing])
def test_what_is_its_own_may_change(target: Callable[..., Any]) -> None:
    graph = optimised(dycl.rewrite(target, (torch.ones(2),)), OPTIONS).graph
    assert graph.batches


def test_other_packages_say_how_to_get_one(tmp_path: Path) -> None:
    compiled = dycl.compile(failing, (torch.ones(2),), output=tmp_path / "plain_dycl")
    assert not compiled.takes_many
    with pytest.raises(UserError, match="was not compiled for many inputs"):
        compiled.many([(torch.ones(2),)])


def test_one_artifact_is_no_place_for_it(tmp_path: Path) -> None:
    options = dycl.CompileOptions(many_inputs=True, host_mode="ifs")
    with pytest.raises(UserError, match="host puts the inputs together"):
        dycl.compile(failing, (torch.ones(2),), output=tmp_path / "x", options=options)


class Sizes(nn.Module):
    """Its first sub-DNN has no batches: how large its results are is known only at run time."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Linear(4, 4)

    def forward(self, x: Tensor) -> Any:
        y = self.layer(x[x[:, 0] > 0])
        if y.shape[0] == 0:
            return x.sum(0)
        z = y.mean(0, keepdim=True)
        return self.layer(z)[0] if z.sum() > 0 else z[0]


def test_what_has_no_batches_runs_one_by_one(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = Sizes().eval()
    inputs = [(torch.randn(3, 4),) for _ in range(6)] + [(-torch.ones(3, 4),)]
    compiled = dycl.compile(model, inputs[0], output=tmp_path / "sizes_dycl", options=OPTIONS)
    assert compiled.hcfg is not None and len(compiled.hcfg.batches) > 0
    found = compiled.many(inputs)
    with torch.no_grad():
        for (x,), result in zip(inputs, found, strict=True):
            torch.testing.assert_close(torch.from_numpy(result), model(x), rtol=1e-5, atol=1e-6)


def test_verifying_counts_what_runs_one_by_one(tmp_path: Path) -> None:
    inputs = [(torch.ones(2),), (-torch.ones(2),)]
    dycl.compile(failing, inputs[0], output=tmp_path / "many_dycl", options=OPTIONS)
    found = verify(failing, dycl.load(tmp_path / "many_dycl"), inputs)
    assert found.margins_inside  # the same graph is found again
    assert found.coverage.unused_subdnns == ()


def test_what_no_name_says_may_change_anything() -> None:
    graph = optimised(dycl.rewrite(failing, (torch.ones(2),)), OPTIONS).graph
    texts = {"len(x)": True, "x[0](y)": False, "unknown(y)": False, "print(y)": False}
    for text, wanted in texts.items():
        expression = ast.parse(text, mode="eval").body
        assert _is_private(expression, frozenset(), graph) is wanted, text


def test_a_refusal_says_its_own_reason(tmp_path: Path) -> None:
    def histogram(x: Tensor) -> Tensor:
        return torch.histc(x) if x.sum() > 0 else x

    with pytest.raises(CompileError) as raised:
        dycl.compile(histogram, (torch.ones(4),), output=tmp_path / "x", options=OPTIONS)
    assert {each.code for each in raised.value.diagnostics} == {"DYCL411"}
