"""Has backends tune what a model's calls spend their time in."""

import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any
from warnings import catch_warnings, simplefilter

from codegen_host.package import HostPackage, write_package
from dycl.backends.interface import TunableBackend, TuningProgress, TuningRequest
from dycl.building import Building
from dycl.loading import CompiledModel, load
from dycl.user_inputs import clone_inputs
from dycl.verification.verifying import as_inputs, to_host

_UNCOUNTED = "tuned as if a call ran every sub-DNN once: there are no sample_inputs to count by"


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningInputs:
    """What tuning takes besides the model."""

    samples: Sequence[object] | None = None
    """Arguments that take paths as often as those of real use do."""
    progress: TuningProgress | None = None


def tune(building: Building, package: HostPackage, inputs: TuningInputs) -> None:
    """Tune the backends of a compilation, before it writes anything into its place.

    It is compiled without tuning first: a model that is refused is not tuned, and the result
    counts how often each sub-DNN runs.
    """
    runs = _runs(building, package, inputs.samples)
    if not runs:
        building.remarks = (_UNCOUNTED,)
    request = TuningRequest(
        trials=building.options.tune,
        runs=runs or {subdnn.name: 1.0 for subdnn in building.captured},
        cache=building.cache,
        progress=inputs.progress or (lambda _done, _total, _what: None),
    )
    for backend in building.backends:
        if isinstance(backend, TunableBackend):
            backend.tune(building.captured, request)


def _runs(
    building: Building, package: HostPackage, samples: Sequence[object] | None
) -> Mapping[str, float]:
    """Return how often a call runs each sub-DNN; nothing where no sample can tell."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        output = Path(scratch, "untuned")
        write_package(package, building.compile_into, output, force=False)
        return {} if samples is None else _counted(building, output, samples)


def _counted(building: Building, output: Path, samples: Sequence[object]) -> Mapping[str, float]:
    host = load(output)
    counts: Counter[str] = Counter()

    def count(event: tuple[Any, ...]) -> None:
        if event[0] == "subdnn":
            counts[event[1]] += 1

    for sample in samples:
        # what the model prints, warns of and raises is of no interest here
        with redirect_stdout(StringIO()), catch_warnings(), suppress(Exception):
            simplefilter("ignore")
            with host.observe(count):
                _call(host, to_host(clone_inputs(as_inputs(sample))))
        host.reset()
    if not counts:
        return {}
    return {subdnn.name: counts[subdnn.name] / len(samples) for subdnn in building.captured}


def _call(host: CompiledModel, arguments: Any) -> object:
    return host(**arguments) if isinstance(arguments, dict) else host(*arguments)
