"""Builds and times functions in a process of its own: what crashes there takes nothing along.

``measuring.py`` runs this file as a program. A line of JSON comes in for each measurement, and
one goes out. Neither dycl nor PyTorch is imported: both would take longer than the work.
"""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

signal.signal(signal.SIGINT, signal.SIG_IGN)  # it is whoever started this that is asked to stop
sys.modules["torch"] = None  # type: ignore[assignment]  # TVM would import it

import numpy as np  # noqa: E402
import tvm  # noqa: E402

_TURN_SECONDS = 0.002
"""How long a turn of one function takes, at least one call."""


def main() -> None:
    """Answer requests until there are no more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever TVM prints
    for line in sys.stdin:
        request = json.loads(line)
        signal.alarm(request["limit"])  # ends this process: compiled code cannot be interrupted
        answer = measure(request["modules"], request["target"], request["rounds"])
        signal.alarm(0)
        print(json.dumps(answer), file=answers, flush=True)


@dataclass(frozen=True)
class _Prepared:
    """A function that was built, with arguments."""

    function: Callable[..., object]
    shapes: Sequence[tuple[int, ...]]
    arguments: Sequence[Any]

    def call(self) -> None:
        """Run the function."""
        self.function(*self.arguments)


def measure(
    modules: Sequence[str], target: Mapping[str, object], rounds: int
) -> list[float | None]:
    """Return the microseconds of each function, in turns.

    None where one cannot be built, or computes something else than the first.
    """
    prepared = [_prepared(text, target) for text in modules]
    expected = None if prepared[0] is None else _results(prepared[0])
    calls = [
        None if one is None or not _equal(_results(one), expected) else one.call for one in prepared
    ]
    best: list[float | None] = [None for _ in calls]
    for _ in range(rounds):
        for index, call in enumerate(calls):
            if call is not None:
                taken, before = _turn(call), best[index]
                best[index] = taken if before is None else min(taken, before)
    return best


def _prepared(text: str, target: Mapping[str, object]) -> _Prepared | None:
    """Return the function ``main`` with random numbers."""
    module = tvm.ir.load_json(text)
    try:
        function = tvm.compile(module, target=tvm.target.Target(target))["main"]
    except Exception as error:
        print(f"not built: {error}", file=sys.stderr)
        return None
    shapes = [tuple(int(size) for size in p.shape) for p in module["main"].params]
    return _Prepared(function, shapes, [_tensor(x) for x in _numbers(shapes)])


def _numbers(shapes: Sequence[tuple[int, ...]]) -> list[Any]:
    generator = np.random.default_rng(0)
    return [np.asarray(generator.standard_normal(s, dtype=np.float32)) for s in shapes]


def _results(prepared: _Prepared) -> list[Any]:
    """Return all arguments after a call on numbers, and after one with special values."""
    plain, special = _numbers(prepared.shapes), _numbers(prepared.shapes)
    for array in special:
        flat = array.reshape(-1)
        for place, value in enumerate((-0.0, np.inf, np.nan, -np.inf)):
            flat[place * 7 + 3 :: 61] = value
    found = []
    for arrays in (plain, special):
        tensors = [_tensor(array) for array in arrays]
        prepared.function(*tensors)
        found += [tensor.numpy() for tensor in tensors]
    return found


def _equal(found: Sequence[Any], expected: Sequence[Any] | None) -> bool:
    return expected is None or all(
        _close(one, other) for one, other in zip(found, expected, strict=True)
    )


def _close(found: Any, expected: Any) -> bool:
    """Return whether arrays differ by rounding at most."""
    finite = expected[np.isfinite(expected)]
    scale = float(np.abs(finite).max()) if finite.size else 0.0
    zeros = (found == 0) & (expected == 0)
    return bool(
        np.allclose(found, expected, rtol=1e-4, atol=1e-5 * scale, equal_nan=True)
        and np.array_equal(np.signbit(found[zeros]), np.signbit(expected[zeros]))
    )


def _tensor(array: Any) -> Any:
    return tvm.runtime.tensor(array)


def _turn(call: Callable[[], object]) -> float:
    """Return the microseconds of a call, of processor time: others may use the machine too."""
    calls = 0
    begin = time.thread_time()
    while True:
        call()
        calls += 1
        taken = time.thread_time() - begin
        if taken >= _TURN_SECONDS:
            return taken / calls * 1e6


if __name__ == "__main__":
    main()
