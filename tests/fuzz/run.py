"""Fuzz dycl: ``python -m tests.fuzz.run --count 1000``; ``--replay FILE`` runs a saved failure.

Prints the share of programs that were refused, by code. Each failure is shrunk and written
to a folder as a file that ``--replay`` takes.
"""

import argparse
import collections
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import torch
from rich.console import Console
from rich.progress import track

from tests.fuzz.judge import WAYS, Judgement, Way, judge, raised_in_eager
from tests.fuzz.program import write_program
from tests.fuzz.shrinking import shrunk
from tests.fuzz.workers import Task, judged

CONSOLE = Console(highlight=False)


def main() -> int:
    """Parse the command line, run, report; 1 where dycl was wrong."""
    arguments = _arguments()
    torch.set_num_threads(1)
    if arguments.replay:
        return _replay(arguments.replay, arguments.ways)
    tasks = _tasks(arguments.count, arguments.seed, arguments.host_share)
    counts: collections.Counter[tuple[str, str, str]] = collections.Counter()
    failures: dict[str, tuple[Task, Judgement]] = {}
    running = track(judged(tasks, arguments.jobs), "programs", total=len(tasks), console=CONSOLE)
    for task, judgement in running:
        counts[judgement.way, judgement.status, judgement.code] += 1
        if judgement.failed:
            text = f"{judgement.name} {judgement.way} {judgement.status}: {judgement.detail}"
            CONSOLE.print(text[:400], markup=False, soft_wrap=True)
            failures.setdefault(judgement.signature, (task, judgement))
    _report(counts)
    for task, judgement in failures.values():
        path = save(task, judgement, arguments.output, arguments.shrink_seconds)
        CONSOLE.print(f"{path}: {judgement.signature}", markup=False, soft_wrap=True)
    return 1 if failures else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__)
    parser.add_argument("--count", type=int, default=1000, help="number of programs")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--host-share", type=float, default=0.1, help="share compiled to hosts")
    parser.add_argument("--jobs", type=int, default=2, help="number of processes")
    parser.add_argument("--output", type=Path, default=Path("build/fuzz"), help="for failures")
    parser.add_argument("--shrink-seconds", type=float, default=60, help="for each failure")
    parser.add_argument("--replay", type=Path, help="run one saved program instead")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    return parser.parse_args()


def _tasks(count: int, seed: int, host_share: float) -> list[Task]:
    tasks = [Task(seed, number, "rewritten") for number in range(count)]
    hosts = round(count * host_share)
    return tasks + [Task(seed, number * count // max(hosts, 1), "host") for number in range(hosts)]


def _report(counts: "collections.Counter[tuple[str, str, str]]") -> None:
    totals: collections.Counter[str] = collections.Counter()
    for (way, _, _), count in counts.items():
        totals[way] += count
    for (way, status, code), count in sorted(counts.items()):
        share = 100 * count / totals[way]
        CONSOLE.print(f"{count:6} {share:5.1f} %  {way:9} {status} {code}")


def save(task: Task, judgement: Judgement, folder: Path, seconds: float) -> Path:
    """Shrink a failure, write it with what was wrong, return its path."""
    program = write_program(task.seed, task.number)
    source = program.source
    if not judgement.detail.startswith("Died"):
        allowed = raised_in_eager(source, program.name)
        counter = iter(range(1_000_000))

        def interesting(candidate: str) -> bool:
            name = f"{program.name}_{next(counter)}"
            try:
                again = judge(candidate, task.way, name)
                same = again.failed and again.signature == judgement.signature
                return same and raised_in_eager(candidate, name) <= allowed
            except Exception:
                return False  # a candidate that is no program at all

        source = shrunk(source, interesting, seconds)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{program.name}_{task.way}.py"
    notes = [f"{judgement.status}: {judgement.detail}", f"seed {task.seed}, program {task.number}"]
    comment = "\n".join(f"# {line}" for note in notes for line in note.splitlines())
    path.write_text(f"{comment}\n{source}", encoding="utf-8")
    return path


def _replay(path: Path, ways: Sequence[Way]) -> int:
    source = path.read_text(encoding="utf-8")
    judgements = [judge(source, way, path.stem) for way in ways]
    for judgement in judgements:
        text = f"{judgement.way}: {judgement.status} {judgement.code} {judgement.detail}"
        CONSOLE.print(text, judgement.trace, markup=False, soft_wrap=True)
    return 1 if any(judgement.failed for judgement in judgements) else 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
