"""Judges many programs in several processes; one that dies or hangs costs one program."""

import multiprocessing
import multiprocessing.connection
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

import torch

from tests.fuzz.judge import Judgement, Way, judge
from tests.fuzz.program import write_program

CHUNK = 100
"""Programs that one process judges before a fresh one takes over: caches grow."""


@dataclass(frozen=True, slots=True)
class Task:
    """One program to judge, one way."""

    seed: int
    number: int
    way: Way


def judged(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, Judgement]]:
    """Judge tasks in processes, in any order."""
    chunks = [list(tasks[start : start + CHUNK]) for start in range(0, len(tasks), CHUNK)]
    running: dict[Connection, tuple[list[Task], BaseProcess]] = {}
    while chunks or running:
        while chunks and len(running) < jobs:
            _start(chunks.pop(0), running)
        for receiver in multiprocessing.connection.wait(list(running)):
            assert isinstance(receiver, Connection)
            left, process = running[receiver]
            try:
                judgement = receiver.recv()
            except EOFError:
                process.join()
                del running[receiver]
                if left:
                    yield left[0], _dead(left[0], process.exitcode)
                    chunks.insert(0, left[1:])
                continue
            yield left.pop(0), judgement


def _start(chunk: list[Task], running: dict[Connection, tuple[list[Task], BaseProcess]]) -> None:
    if not chunk:
        return
    context = multiprocessing.get_context("fork")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_work, args=(tuple(chunk), sender), daemon=True)
    process.start()
    sender.close()
    running[receiver] = (chunk, process)


def _work(chunk: Sequence[Task], sender: Connection) -> None:
    torch.set_num_threads(1)
    for task in chunk:
        sender.send(judged_here(task))
    sender.close()


def judged_here(task: Task) -> Judgement:
    """Write and judge one program in this process."""
    program = write_program(task.seed, task.number)
    return judge(program.source, task.way, program.name)


def _dead(task: Task, code: int | None) -> Judgement:
    return Judgement(
        name=f"fuzz_{task.seed}_{task.number}",
        way=task.way,
        status="crashed",
        detail=f"Died: the process ended (exit code {code}) (process)",
    )
