"""What each pass is good for: a model compiled without one, and without any, side by side."""

import statistics
import tempfile
import time
from hashlib import sha256
from pathlib import Path
from typing import Any

import dycl
from dycl.benchmark import BenchmarkOptions, benchmark_hosts, geometric_mean
from dycl.building import LINKING
from dycl.reproduce.measuring.subject import Subject, measuring_alone
from dycl.verification.observation import PathRecord
from hcfg.passes import PASS_NAMES

ALL, NONE = "all passes", "no pass"


def measure(subject: Subject) -> dict[str, Any]:
    """Compile with all passes, without each and without any; measure all in turns."""
    entry, cell = subject.entry, subject.cell
    model = entry.build()
    inputs = entry.sample_inputs(cell.count, 0)
    variants: dict[str, dict[str, Any]] = {}
    hosts: dict[str, dycl.CompiledModel] = {}
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        for number, (without, disabled) in enumerate(_disabled().items()):
            begin = time.perf_counter()
            # packages that hold the same have the same name, so that they are the same in all files
            package = Path(directory, str(number), "host")
            host = dycl.compile(
                model,
                entry.example_inputs(),
                method=entry.method,
                backend=cell.backend,
                output=package,
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
                "package": digest_of(package),
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


def _disabled() -> dict[str, frozenset[str]]:
    """Return which passes each variant is compiled without."""
    names = (*PASS_NAMES, LINKING)
    each = {name: frozenset({name}) for name in names}
    return {ALL: frozenset(), **each, NONE: frozenset(names)}


def digest_of(package: Path) -> str:
    """Return a digest of all that a package holds."""
    files = sorted(path for path in package.rglob("*") if path.is_file())
    digest = sha256()
    for file in files:
        if file.suffix != ".pyc":
            digest.update(file.relative_to(package).as_posix().encode())
            digest.update(sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def _calls(host: dycl.CompiledModel, arguments: tuple[Any, ...]) -> int:
    """Return how many sub-DNNs one inference runs; 0 where it raises."""
    record = PathRecord()
    try:
        with host.observe(record):
            host(*arguments)
    except Exception:
        return 0
    return len(record.subdnns)
