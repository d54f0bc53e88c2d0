"""Which lines and branch outcomes of the corpus its own inputs do not reach."""

import dis
import importlib
import inspect
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from types import CodeType, FrameType, ModuleType
from typing import Any

from tests.language import programs
from tests.language.harness import Case
from tests.language.ways import eager

TRUTH_OF_JUMP = {
    "POP_JUMP_FORWARD_IF_TRUE": True,
    "POP_JUMP_FORWARD_IF_FALSE": False,
    "POP_JUMP_BACKWARD_IF_TRUE": True,
    "POP_JUMP_BACKWARD_IF_FALSE": False,
    "POP_JUMP_FORWARD_IF_NONE": True,
    "POP_JUMP_FORWARD_IF_NOT_NONE": False,
    "POP_JUMP_BACKWARD_IF_NONE": True,
    "POP_JUMP_BACKWARD_IF_NOT_NONE": False,
    "JUMP_IF_TRUE_OR_POP": True,
    "JUMP_IF_FALSE_OR_POP": False,
}
"""What a conditional jump of CPython 3.11 says about its test when it is taken."""

Position = tuple[int, int]
"""Line and column of a test."""


@dataclass(slots=True)
class Recorder:
    """A trace function that notes the executed lines and the outcomes of the tests of a file."""

    filename: str
    lines: set[int] = field(default_factory=set)
    outcomes: dict[Position, set[bool]] = field(default_factory=dict)
    previous: dict[int, int] = field(default_factory=dict)
    tables: dict[CodeType, dict[int, tuple[int, Position, bool]]] = field(default_factory=dict)

    def __call__(self, frame: FrameType, event: str, _: Any) -> "Recorder | None":
        """Note one event of the interpreter."""
        if frame.f_code.co_filename != self.filename:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self.lines.add(frame.f_lineno)
            self._note_jump(frame)
            self.previous[id(frame)] = frame.f_lasti
        elif event in ("call", "return"):
            self.previous.pop(id(frame), None)
        return self

    def _note_jump(self, frame: FrameType) -> None:
        table = self.tables.get(frame.f_code)
        if table is None:
            table = self.tables[frame.f_code] = dict(_jumps(frame.f_code))
        jump = table.get(self.previous.get(id(frame), -1))
        if jump is not None:
            target, position, truth = jump
            taken = frame.f_lasti == target
            self.outcomes.setdefault(position, set()).add(truth if taken else not truth)


def unreached(topic: str, cases: Sequence[Case]) -> list[str]:
    """Return the lines and outcomes of a topic's file that its cases never reach in eager.

    A line marked ``# known`` has a test with one outcome, ``# never`` is never run.
    """
    module = importlib.import_module(f"{programs.__name__}.{topic}")
    recorder = Recorder(str(module.__file__))
    before = sys.gettrace()
    sys.settrace(recorder)
    try:
        for case in cases:
            eager(case)
    finally:
        sys.settrace(before)
    return _missing(module, recorder)


def _missing(module: ModuleType, recorder: Recorder) -> list[str]:
    text = inspect.getsource(module)
    source = text.splitlines()
    found: set[str] = set()
    for code in _functions(compile(text, recorder.filename, "exec")):
        for line in _lines(code) - recorder.lines:
            if not any(mark in source[line - 1] for mark in ("# never", "# at import")):
                found.add(f"{module.__name__}:{line}: never run: {source[line - 1].strip()}")
        for _, (_, position, _) in _jumps(code):
            line = position[0]
            happened = recorder.outcomes.get(position, set())
            if len(happened) == 1 and "# known" not in source[line - 1]:
                shown = source[line - 1].strip()
                found.add(
                    f"{module.__name__}:{line}:{position[1]}: always {happened.pop()}: {shown}"
                )
    return sorted(found, key=lambda entry: int(entry.split(":")[1]))


def _functions(code: CodeType) -> Iterator[CodeType]:
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            if (
                constant.co_flags & inspect.CO_NEWLOCALS
                and constant.co_flags & inspect.CO_OPTIMIZED
            ):
                yield constant
            yield from _functions(constant)


def _lines(code: CodeType) -> set[int]:
    instructions = dis.get_instructions(code)
    lines = {i.positions.lineno for i in instructions if i.positions and i.opname != "RESUME"}
    return {line for line in lines if line is not None and line > code.co_firstlineno}


def _jumps(code: CodeType) -> Iterator[tuple[int, tuple[int, Position, bool]]]:
    """Yield the conditional jumps that stand for a test of the program's text."""
    before = ""
    for instruction in dis.get_instructions(code):
        truth = TRUTH_OF_JUMP.get(instruction.opname)
        places = instruction.positions
        implicit = before in ("CHECK_EXC_MATCH", "WITH_EXCEPT_START")
        if truth is not None and not implicit and places and places.lineno is not None:
            position = (places.lineno, places.col_offset or 0)
            yield instruction.offset, (instruction.argval, position, truth)
        before = instruction.opname
