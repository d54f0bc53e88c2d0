"""Operators on sizes and integers of run time: compiled together, each compared at many sizes.

``compile_checked`` runs every sub-DNN beside PyTorch with sizes 0, 1, 2, 5 and others drawn apart.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from dycl.backends import BackendOptions
from dycl.backends.onnx_graphs import translations
from dycl.backends.onnxruntime import OnnxRuntimeBackend
from dycl.capture import CapturedSubDnn
from dycl.testing.calls import calls_of, compile_alone
from rewriter.diagnostics import CompileError
from rewriter.program import SymbolRange, TensorSpec, VariableSpec
from tests.dycl.symbolic import booleans, capture_symbolic, count, floats, integers

torch.manual_seed(0)
TABLE = torch.randn(64, 4)
EMBEDDING = nn.Embedding(10, 4)
ATTENTION = nn.MultiheadAttention(4, 2, batch_first=True).eval()
LAYER = nn.TransformerEncoderLayer(4, 2, 8, batch_first=True).eval()

X: Mapping[str, VariableSpec] = {"x": floats(1, "s", 4)}
XN: Mapping[str, VariableSpec] = {**X, "n": count()}
XI: Mapping[str, VariableSpec] = {**X, "i": integers("t")}


def store_slice(x: Tensor, n: int) -> Tensor:
    y = x.clone()
    y[:, :n] = 1.0
    return y


def store_row(x: Tensor, n: int) -> Tensor:
    y = x.clone()
    y[:, n] = x.sum((0, 1))
    return y


def store_masked(x: Tensor) -> Tensor:
    y = x.clone()
    y[y > 0] = 1.0
    return y


CASES: dict[str, tuple[Callable[..., Any], Mapping[str, VariableSpec], TensorSpec]] = {
    "slice_end": (lambda x, n: x[:, :n] * 2, XN, floats(1, "u", 4)),
    "slice_start": (lambda x, n: x[:, n:] * 2, XN, floats(1, "u", 4)),
    "slice_beyond": (lambda x: x[:, :10] * 2, X, floats(1, "u", 4)),
    "slice_last": (lambda x: x[:, -3:] * 2, X, floats(1, "u", 4)),
    "index": (lambda x, n: x[:, n] * 2, XN, floats(1, 4)),
    "index_tensor": (lambda x, i: x[:, i], {**X, "i": integers()}, floats(1, 4)),
    "gather_rows": (lambda x, i: x[0][i], XI, floats("t", 4)),
    "arange": (lambda x: torch.arange(x.shape[1]), X, integers("s")),
    "positions": (lambda x: x + TABLE[: x.shape[1]], X, floats(1, "s", 4)),
    "zeros": (lambda n: torch.zeros(n, 4), {"n": count(0)}, floats("u", 4)),
    "mask": (lambda x: x[x > 0], X, floats("u")),
    "masked_select": (lambda x: x.masked_select(x > 0), X, floats("u")),
    "nonzero": (lambda x: (x > 0).nonzero(), X, integers("u", 3)),
    "store_slice": (store_slice, XN, floats(1, "s", 4)),
    "store_row": (store_row, XN, floats(1, "s", 4)),
    "store_masked": (store_masked, X, floats(1, "s", 4)),
    "reshape": (lambda x: x.reshape(-1, 2), X, floats("2*s", 2)),
    "heads": (lambda x: x.view(1, -1, 2, 2).transpose(1, 2).reshape(1, -1, 4), X,
              floats(1, "s", 4)),
    "flatten": (lambda x: x.flatten(1), X, floats(1, "4*s")),
    "expand": (lambda x, n: x.sum(1, True).expand(-1, n, -1) * 1, {**X, "n": count(0)},
               floats(1, "u", 4)),
    "repeat": (lambda x, n: x.repeat(1, n, 1), {**X, "n": count(0)}, floats(1, "u", 4)),
    "cat": (lambda x, y: torch.cat([x, y], 1), {**X, "y": floats(1, "t", 4)},
            floats(1, "s + t", 4)),
    "broadcast_one": (lambda x: x + torch.ones(1, 1, 4), X, floats(1, "s", 4)),
    "broadcast_two": (lambda x, y: x + y, {**X, "y": floats(1, "t", 4)}, floats(1, "u", 4)),
    "mean": (lambda x: x.mean(1), X, floats(1, 4)),
    "max": (lambda x: x.amax(1), X, floats(1, 4)),
    "any": (lambda x: (x > 0).any(1), X, booleans(1, 4)),
    "softmax": (lambda x: x.softmax(1), X, floats(1, "s", 4)),
    "logsumexp": (lambda x: x.logsumexp(1), X, floats(1, 4)),
    "sort": (lambda x: x.sort(1)[0], X, floats(1, "s", 4)),
    "topk": (lambda x, n: x.topk(n, 1)[0], {**X, "n": count(0)}, floats(1, "u", 4)),
    "cumsum": (lambda x: x.cumsum(1), X, floats(1, "s", 4)),
    "tril": (lambda x: x[0].tril(), X, floats("s", 4)),
    "causal": (lambda x: torch.ones(x.shape[1], x.shape[1]).triu(1), X, floats("s", "s")),
    "attention": (lambda x: F.scaled_dot_product_attention(x, x, x, is_causal=True), X,
                  floats(1, "s", 4)),
    "multihead": (lambda x: ATTENTION(x, x, x)[0], X, floats(1, "s", 4)),
    "encoder": (LAYER, X, floats(1, "s", 4)),
    "embedding": (EMBEDDING, {"x": integers(1, "s")}, floats(1, "s", 4)),
    "one_hot": (lambda x: F.one_hot(x, 4), {"x": integers(1, "s")}, integers(1, "s", 4)),
    "convolution": (lambda x: F.conv1d(x.transpose(1, 2), torch.ones(2, 4, 3), padding=1), X,
                    floats(1, 2, "s")),
    "pad": (lambda x: F.pad(x, (0, 0, 1, 2)), X, floats(1, "s + 3", 4)),
    "size": (lambda x: x * x.shape[1] + torch.tensor(x.shape[1]), X, floats(1, "s", 4)),
    "offset": (lambda y: y[:, :-1] + 1, {"y": floats(1, "s + 1", 4)}, floats(1, "s", 4)),
}  # fmt: skip


def captured(name: str) -> CapturedSubDnn:
    function, inputs, output = CASES[name]
    symbols = {"s": SymbolRange(), "t": SymbolRange()}
    return replace(capture_symbolic(function, inputs, output, symbols=symbols), name=name)


def backend() -> OnnxRuntimeBackend:
    return OnnxRuntimeBackend(BackendOptions())


@pytest.mark.parametrize("half", [0, 1])
def test_operators_compute_the_same_at_every_size(half: int, tmp_path: Path) -> None:
    names = list(CASES)[half::2]
    calls = calls_of(backend(), [captured(name) for name in names], tmp_path)
    assert list(calls) == names


def test_an_artifact_takes_every_size(tmp_path: Path) -> None:
    call = calls_of(backend(), [captured("multihead")], tmp_path)["multihead"]
    for size in (0, 1, 2, 33):
        x = torch.randn(1, size, 4)
        torch.testing.assert_close(
            torch.from_numpy(call(x.numpy())), ATTENTION(x, x, x)[0].detach(), rtol=1e-4, atol=1e-5
        )


def test_a_size_that_tracing_fixes_is_refused() -> None:
    with pytest.raises(CompileError, match=r"DYCL204: .* only for s = 5"):
        capture_symbolic(lambda x: x + torch.ones(1, 5, 4), X, floats(1, 5, 4))


def test_a_choice_by_size_is_refused() -> None:
    with pytest.raises(CompileError, match=r"DYCL205: .* depends on a size or number"):
        capture_symbolic(lambda x: x * 2 if x.shape[1] > 5 else x, X, floats(1, "s", 4))


def test_what_differs_at_one_size_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    own: dict[Any, Any] = translations.TRANSLATIONS
    monkeypatch.delitem(own, torch.ops.aten.var.correction)  # the exporter's gives 0 of nothing
    spread = capture_symbolic(lambda x: x.var(1), X, floats(1, 4))
    with pytest.raises(CompileError, match=r"DYCL412: .* \(at s = 0\)"):
        compile_alone(backend(), [spread], tmp_path)


def test_exported_programs_have_dynamic_dimensions() -> None:
    program = captured("slice_end").exported_program()
    for size, n in ((2, 1), (7, -2), (5, 9)):
        x = torch.randn(1, size, 4)
        torch.testing.assert_close(program.module()(x, torch.tensor(n))[0], x[:, :n] * 2)
