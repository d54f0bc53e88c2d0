"""Loops that tuning may choose compute what the operators compute, special values included."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from dycl.backends.tvm import TvmBackend
from tests.dycl.test_tvm_operators import ALGEBRA, ALL_TABLES, REFUSED, differences

pytest.importorskip("tvm_ffi")

# eager PyTorch warns about some of the corners
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")


class _Tried:
    """Takes a candidate wherever tuning could, as if it had been the fastest."""

    key = "untested"

    def __init__(self, place: int, backend: TvmBackend, measurer: Any) -> None:
        self.place = place
        self.count = 0
        self._processor = backend.processor
        self._measurer = measurer

    def function(self, function: Any) -> Any:
        from dycl.backends.tvm.schedules import scheduled
        from dycl.backends.tvm.tuning import can_be_tuned
        from dycl.backends.tvm.tuning_database import apply, trace_of
        from dycl.backends.tvm.tuning_space import candidates

        if not can_be_tuned(function):
            return None
        found = list(islice(candidates(function, self._processor.target, 0), self.place + 1))
        tuned = apply(trace_of(found[-1]), function) if found else None
        if tuned is None:
            return None
        untuned = scheduled(function, self._processor.lanes)
        if self._measurer.measure([untuned, tuned], 1)[1] is None:
            return None  # tuning drops what is not built, or computes something else
        self.count += 1
        return tuned


@pytest.fixture
def measurer() -> Iterator[Any]:
    """Return what compares and measures candidates."""
    from dycl.backends.tvm.measuring import Measurer

    with Measurer(TvmBackend().processor.description) as found:
        yield found


def _tuned(place: int, measurer: Any) -> tuple[TvmBackend, _Tried]:
    backend = TvmBackend()
    tried = _Tried(place, backend, measurer)
    backend._tuning = tried  # type: ignore[assignment]
    return backend, tried


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 5])
@pytest.mark.parametrize("table", ALL_TABLES)
def test_operators_with_other_loops_equal_pytorch(
    table: str, place: int, measurer: Any, tmp_path: Path
) -> None:
    cases = tuple(case for case in ALL_TABLES[table] if case.name not in REFUSED)
    backend, _ = _tuned(place, measurer)
    assert differences(cases, tmp_path, backend) == {}


def test_formulas_with_other_loops_keep_to_floating_point(measurer: Any, tmp_path: Path) -> None:
    backend, tried = _tuned(0, measurer)
    assert differences(ALGEBRA, tmp_path, backend) == {}
    assert tried.count > 5
