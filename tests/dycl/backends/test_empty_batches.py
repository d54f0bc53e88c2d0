"""Recurrent layers over a batch of run time that is empty: ONNX Runtime's own end the process."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from dycl.backends import create_backend
from dycl.testing.calls import calls_of
from tests.dycl.symbolic import capture_symbolic, floats

LAYERS: dict[str, Any] = {
    "lstm": lambda: nn.LSTM(4, 5, 2, bidirectional=True),
    "gru": lambda: nn.GRU(4, 5),
    "rnn": lambda: nn.RNN(4, 5, batch_first=True),
}


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("backend", ["onnxruntime", "openvino"])
def test_batches_of_any_size(backend: str, name: str, tmp_path: Path) -> None:
    if backend == "openvino":
        pytest.importorskip("openvino")
    torch.manual_seed(0)
    layer = LAYERS[name]().eval()
    runs, width = (4, 10) if name == "lstm" else (1, 5)

    def function(x: Tensor) -> tuple[Tensor, Tensor]:
        outputs, last = layer(x)
        return outputs, last[1] if name == "lstm" else last

    first = ("b", "n") if name == "rnn" else ("n", "b")
    subdnn = capture_symbolic(
        function, {"x": floats(*first, 4)}, floats(*first, width), floats(runs, "b", 5)
    )
    call = calls_of(create_backend(backend), [subdnn], tmp_path)[subdnn.name]
    for steps, batch in ((3, 0), (3, 1), (70, 2)):
        sizes = (batch, steps) if name == "rnn" else (steps, batch)
        x = torch.randn(*sizes, 4)
        with torch.no_grad():
            expected = function(x)
        for got, wanted in zip(call(x.numpy()), expected, strict=True):
            assert got.shape == tuple(wanted.shape)
            np.testing.assert_allclose(got, wanted.numpy(), 1e-4, 1e-6)
