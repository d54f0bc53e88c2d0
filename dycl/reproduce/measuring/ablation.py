"""What each pass is good for: a model compiled with one pass after the other off, side by side."""

import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import dycl
from dycl.benchmark import BenchmarkOptions, benchmark_hosts, geometric_mean
from dycl.reproduce.measuring.subject import Subject, measuring_alone
from dycl.verification.observation import PathRecord
from hcfg.passes import PASS_NAMES

ALL = "all passes"


def measure(subject: Subject) -> dict[str, Any]:
    """Compile with all passes and without each; measure all in turns on the same inputs."""
    entry, cell = subject.entry, subject.cell
    model = entry.build()
    inputs = entry.sample_inputs(cell.count, 0)
    variants: dict[str, dict[str, Any]] = {}
    hosts: dict[str, dycl.CompiledModel] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        for number, without in enumerate((ALL, *PASS_NAMES)):
            disabled = frozenset() if without == ALL else frozenset({without})
            begin = time.perf_counter()
            host = dycl.compile(
                model,
                entry.example_inputs(),
                method=entry.method,
                backend=cell.backend,
                output=Path(directory, f"host_{number}"),
                dynamic_shapes=entry.dynamic_shapes(),
                options=dycl.CompileOptions(disabled_passes=disabled),
            )
            assert host.report is not None
            hosts[without] = host
            variants[without] = {
                "seconds": time.perf_counter() - begin,
                "subdnns": host.report.subdnns,
                "structures": host.report.structures,
                "bytes": host.report.bytes,
                "calls": statistics.fmean(_calls(host, given) for given in inputs),
            }
        times = benchmark_hosts(
            model,
            hosts,
            inputs,
            method=entry.method,
            options=BenchmarkOptions(rounds=5),
            alone=measuring_alone(),
        )
    for without, variant in variants.items():
        variant["ratio"] = geometric_mean(one[without].median / one[ALL].median for one in times)
    return {"variants": variants}


def _calls(host: dycl.CompiledModel, arguments: tuple[Any, ...]) -> int:
    """Return how many sub-DNNs one inference runs; 0 where it raises."""
    record = PathRecord()
    try:
        with host.observe(record):
            host(*arguments)
    except Exception:
        return 0
    return len(record.subdnns)
