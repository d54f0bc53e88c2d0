"""What a program logs: the same records from the rewritten program and from the host."""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import Tensor, nn

import dycl
from rewriter.diagnostics import CompileError
from rewriter.printing import runnable

logger = logging.getLogger("corpus.logs")
warn = logger.warning


class Clipped(nn.Module):
    """Keeps a logger, and writes to others: of the module, found in the call, the root's."""

    def __init__(self) -> None:
        super().__init__()
        self.log = logging.getLogger(f"corpus.{type(self).__name__}")

    def forward(self, x: Tensor, steps: int) -> Tensor:
        self.log.info("entered with %s of %s", x.shape, x.dtype)
        norm = x.norm()
        if norm > 3:
            logger.warning("norm %.2f after %d steps, clipped", norm, steps)
            logger.error(f"norm {norm:.1f}")
            warn("bound before")
            x = x / norm
        elif steps > 1:
            logging.getLogger("corpus.found").log(logging.ERROR, "%d%% of %s", steps, "all")
            logging.warning("the root's: %5.1f", x.sum())
        else:
            logger.critical(x.shape)
            logger.error("%(norm).3f", {"norm": norm.item()})
        return x * 2


INPUTS = [(torch.full((4,), value), steps) for value, steps in ((2.0, 1), (0.5, 3), (0.25, 1))]


def _records(function: Callable[..., Any], caplog: pytest.LogCaptureFixture) -> list[object]:
    caplog.clear()
    with caplog.at_level(logging.INFO):
        for inputs in INPUTS:
            function(*inputs)
    return [(r.name, r.levelname, r.getMessage()) for r in caplog.records if r.name != "dycl"]


def test_the_same_records_are_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    model = Clipped().eval()
    expected = _records(model, caplog)
    assert len(expected) == 3 + 3 + 2 + 2
    program = dycl.rewrite(model, INPUTS[0])
    assert _records(runnable(program, model), caplog) == expected
    host = dycl.compile(model, INPUTS[0], output=tmp_path / "clipped")
    assert _records(lambda x, steps: host(x.numpy(), steps), caplog) == expected


def _a_tensor(x: Tensor) -> Tensor:
    logger.info("x is %s", x)
    return x


def _a_traceback(x: Tensor) -> Tensor:
    logger.info("here", stack_info=True)
    return x


@pytest.mark.parametrize(
    ("function", "code", "message"),
    [
        (_a_tensor, "DYCL046", "a tensor is printed"),
        (_a_traceback, "DYCL046", "a traceback is logged"),
    ],
)
def test_what_a_host_would_log_otherwise_is_refused(
    function: Callable[..., Any], code: str, message: str
) -> None:
    with pytest.raises(CompileError, match=message) as refused:
        dycl.rewrite(function, (torch.ones(3),))
    assert [problem.code for problem in refused.value.diagnostics] == [code]
