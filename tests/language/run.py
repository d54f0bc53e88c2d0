"""Run the corpus without pytest: ``python -m tests.language.run [PATTERN]...``.

Prints a line per case and way: agrees, refused (code and place), crashed, DIFFERS; then
totals. ``!`` marks what the case does not allow.
"""

import argparse
import collections
import fnmatch
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

import torch

from tests.language.harness import Case, all_cases
from tests.language.many import complaint_about_many, judge_many
from tests.language.paths import unreached
from tests.language.verdicts import Verdict
from tests.language.ways import (
    FIRST_BACKEND,
    complaint,
    complaint_about_backend,
    complaint_about_host,
    judge_host,
    judge_rewritten,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """The verdict on one case, run one way."""

    case: str
    way: str
    status: str
    detail: str
    allowed: bool
    trace: str = ""


def main() -> int:
    """Parse the command line, run, report."""
    arguments = _arguments()
    cases = [c for c in all_cases() if _selected(c, arguments)]
    if arguments.list:
        for case in cases:
            print(f"{case.name:50} {case.rule}")
        return 0
    if arguments.paths:
        return _report_paths(cases)
    host = "host" if arguments.backend == "onnxruntime" else arguments.backend
    wanted = (("rewritten", not arguments.host_only), (host, not arguments.rewritten_only))
    ways = ["many"] if arguments.many else [way for way, on in wanted if on]
    totals: collections.Counter[tuple[str, str, bool]] = collections.Counter()
    for line in _run(cases, ways, arguments.jobs):
        totals[line.way, line.status, line.allowed] += 1
        if not (arguments.quiet and line.allowed):
            _print(line, verbose=arguments.verbose)
    for (way, status, allowed), count in sorted(totals.items()):
        print(f"{count:5} {way:9} {status}{'' if allowed else '  <- not allowed'}")
    return 0 if all(allowed for _, _, allowed in totals) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.language.run", description=__doc__)
    parser.add_argument("patterns", nargs="*", help="part of a case's name, or a glob")
    parser.add_argument("--rewritten-only", action="store_true", help="do not compile hosts")
    parser.add_argument("--backend", default="onnxruntime", help="what hosts are compiled with")
    parser.add_argument("--host-only", action="store_true", help="do not run the rewritten program")
    parser.add_argument("--many", action="store_true", help="run hosts for many inputs together")
    parser.add_argument("--jobs", type=int, default=1, help="number of processes")
    parser.add_argument("--quiet", action="store_true", help="print only what is not allowed")
    parser.add_argument("--verbose", action="store_true", help="print whole tracebacks")
    parser.add_argument("--list", action="store_true", help="print the cases and their rules")
    parser.add_argument("--paths", action="store_true", help="check inputs in eager only")
    return parser.parse_args()


def _selected(case: Case, arguments: argparse.Namespace) -> bool:
    patterns = arguments.patterns or ["*"]
    return any(pattern in case.name or fnmatch.fnmatch(case.name, pattern) for pattern in patterns)


def _report_paths(cases: list[Case]) -> int:
    found = []
    for topic in sorted({case.topic for case in cases}):
        found += unreached(topic, [case for case in cases if case.topic == topic])
    print("\n".join(found) or "every path is taken")
    return 1 if found else 0


def _print(line: Line, *, verbose: bool) -> None:
    status = line.status.upper() if line.status in ("differs", "crashed") else line.status
    mark = " " if line.allowed else "!"
    print(f"{mark} {line.case:45} {line.way:9} {status:8} {line.detail}", flush=True)
    if verbose and line.trace:
        print(line.trace)


def _run(cases: list[Case], ways: list[str], jobs: int) -> Iterator[Line]:
    if jobs == 1:
        torch.set_num_threads(1)
        with tempfile.TemporaryDirectory() as directory:
            for case in cases:
                for way in ways:
                    yield judge(case, way, Path(directory))
        return
    yield from _run_in_processes([(case, way) for case in cases for way in ways], jobs)


def judge(case: Case, way: str, directory: Path) -> Line:
    """Run one case one way."""
    if way == "rewritten":
        return _line(case, way, judge_rewritten(case), complaint)
    if not case.host:
        return Line(case=case.name, way=way, status="skipped", detail="", allowed=True)
    if way == "many":
        return _line(case, way, judge_many(case, directory), complaint_about_many)
    if way in ("host", FIRST_BACKEND):
        return _line(case, way, judge_host(case, directory), complaint_about_host)
    return _line(case, way, judge_host(case, directory, way), complaint_about_backend)


def _line(
    case: Case,
    way: str,
    verdict: Verdict,
    complain: Callable[[Case, Verdict], str | None],
) -> Line:
    reason = complain(case, verdict)
    detail = verdict.detail
    if reason is not None and verdict.status in ("agrees", "refused") and case.refused:
        detail = reason.splitlines()[0]
    return Line(
        case=case.name,
        way=way,
        status=verdict.status,
        detail=detail,
        allowed=reason is None,
        trace=verdict.trace or (str(verdict.refusal) if verdict.refusal else ""),
    )


def _run_in_processes(work: list[tuple[Case, str]], jobs: int) -> Iterator[Line]:
    """Share the work among processes; one that dies is reported and replaced."""
    queues = [work[number::jobs] for number in range(jobs)]
    context = multiprocessing.get_context("fork")
    running: dict[Connection, tuple[list[tuple[Case, str]], multiprocessing.process.BaseProcess]]
    running = {}

    def start(queue: list[tuple[Case, str]]) -> None:
        if queue:
            receiver, sender = context.Pipe(duplex=False)
            process = context.Process(target=_worker, args=(queue, sender), daemon=True)
            process.start()
            sender.close()
            running[receiver] = (queue, process)

    for queue in queues:
        start(queue)
    while running:
        for receiver in multiprocessing.connection.wait(list(running)):
            assert isinstance(receiver, Connection)
            queue, process = running[receiver]
            try:
                line = receiver.recv()
            except EOFError:
                process.join()
                del running[receiver]
                if queue:
                    case, way = queue.pop(0)
                    detail = f"the process died (exit code {process.exitcode})"
                    yield Line(
                        case=case.name, way=way, status="crashed", detail=detail, allowed=False
                    )
                    start(queue)
                continue
            queue.pop(0)
            yield line


def _worker(queue: list[tuple[Case, str]], sender: Connection) -> None:
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as directory:
        for case, way in queue:
            sender.send(judge(case, way, Path(directory)))
    sender.close()


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
