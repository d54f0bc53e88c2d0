"""What a host is measured against: ways to run the original on one input after the other."""

import copy
from collections.abc import Callable, Sequence
from typing import TypeAlias

import torch

from dycl.drawing_inputs import Inputs
from dycl.oracle import OracleFailed, oracle_of
from dycl.user_inputs import call_entry, clone_inputs
from dycl.verification.tracing_baseline import TracingFailed, trace_entry

Call: TypeAlias = Callable[[], object]

Contender: TypeAlias = Callable[[Callable[..., object], Sequence[Inputs]], list[Call]]
"""Takes the original's entry point and inputs; returns a call for each input."""

EAGER, HOST, TRACE, COMPILE, ORACLE = "eager", "host", "trace", "torch.compile", "oracle"


class ContenderFailed(Exception):
    """One contender cannot run the program; the message says why."""


def traced(entry: Callable[..., object], sets: Sequence[Inputs]) -> list[Call]:
    """Return calls of the trace of the first input: it computes that input's path for all."""
    try:
        function = trace_entry(entry, sets[0])
    except TracingFailed as error:
        raise ContenderFailed(str(error)) from error
    return _calls_of(function, sets)


def compiled_by_torch(entry: Callable[..., object], sets: Sequence[Inputs]) -> list[Call]:
    """Return calls of ``torch.compile`` in its default mode, warm: every input was run once."""
    try:
        # a copy: what is compiled must not be what the other contenders run
        function = torch.compile(copy.deepcopy(entry))
        for arguments in sets:
            call_entry(function, clone_inputs(arguments))
    except Exception as error:
        text = next((line for line in str(error).splitlines() if line.strip()), "")
        raise ContenderFailed(f"{type(error).__name__}: {text}") from error
    return _calls_of(function, sets)


def oracles(entry: Callable[..., object], sets: Sequence[Inputs]) -> list[Call]:
    """Return calls of the static ONNX graph of each input's own path."""
    try:
        return [oracle_of(entry, arguments, torch.get_num_threads()) for arguments in sets]
    except OracleFailed as error:
        raise ContenderFailed(str(error)) from error


AGAINST: dict[str, Contender] = {
    TRACE: traced,
    COMPILE: compiled_by_torch,
    ORACLE: oracles,
}
"""Contenders that may be asked for, beside eager PyTorch."""


def _calls_of(function: Callable[..., object], sets: Sequence[Inputs]) -> list[Call]:
    return [_call_of(function, clone_inputs(arguments)) for arguments in sets]


def _call_of(function: Callable[..., object], own: Inputs) -> Call:
    return lambda: call_entry(function, own)
