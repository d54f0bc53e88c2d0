"""A host program is written again in steps: it stops before its sub-DNNs."""

import pytest

from codegen_host.steps_text import Stops, reached_in_steps, steps_of
from rewriter.printing.wrapping import WIDTH

STOPS = Stops(calls={"subdnn_0", "subdnn_1", "in_batches"}, functions={"grow"})

LINES = {
    "    h = subdnn_0(x)  # a.py:1": "    h = yield subdnn_0, x  # a.py:1",
    "    subdnn_0()": "    yield subdnn_0,",
    "    h, c = subdnn_0(x, y[0])": "    h, c = yield subdnn_0, x, y[0]",
    "    return subdnn_0(x)": "    return (yield subdnn_0, x)",
    "    return subdnn_0(subdnn_1(x), grow(y))": (
        "    return (yield subdnn_0, (yield subdnn_1, x), (yield from grow_steps(y)))"
    ),
    "    h = grow(x)": "    h = yield from grow_steps(x)",
    "    h = in_batches(encode, x)": "    h = yield in_batches, encode, x",
    "    h = subdnn_2(x)": "    h = subdnn_2(x)",
    "    é = [subdnn_0('ü'), 'ö']": "    é = [(yield subdnn_0, 'ü'), 'ö']",
}


@pytest.mark.parametrize("line", LINES)
def test_calls_become_stops(line: str) -> None:
    before = ["def forward(x, y, encode):"]
    assert steps_of([*before, line], STOPS) == ["def forward_steps(x, y, encode):", LINES[line]]


def test_long_lines_can_be_broken_in_brackets() -> None:
    arguments = ", ".join(f"argument{number}" for number in range(7))
    line = f"    results = subdnn_0({arguments})"
    assert len(line) < WIDTH < len(line) + 10
    _, made = steps_of(["def forward():", line], STOPS)
    assert made == f"    results = (yield subdnn_0, {arguments})"


def test_only_what_is_reached_is_in_steps() -> None:
    definitions = {
        "encode": ["def encode(x):", "    return subdnn_1(encode(x))"],
        "grow": ["def grow(x):", "    return subdnn_0(x)"],
        "idle": ["def idle(x):", "    return x"],
        "forward": ["def forward(x):", "    return grow(idle(in_batches(encode, x)))"],
    }
    found = reached_in_steps(definitions, "forward", {"subdnn_0", "subdnn_1", "in_batches"})
    assert found == Stops(calls={"subdnn_0", "in_batches"}, functions={"forward", "grow"})
