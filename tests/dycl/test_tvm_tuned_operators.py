"""Loops that tuning may choose compute what the operators compute, special values included."""

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

    def __init__(self, place: int) -> None:
        self.place = place
        self.count = 0

    def function(self, function: Any) -> Any:
        from dycl.backends.tvm.targets import processor
        from dycl.backends.tvm.tuning import can_be_tuned
        from dycl.backends.tvm.tuning_database import apply, trace_of
        from dycl.backends.tvm.tuning_space import candidates

        if not can_be_tuned(function):
            return None
        found = list(islice(candidates(function, processor("native").target, 0), self.place + 1))
        tuned = apply(trace_of(found[-1]), function) if found else None
        if tuned is None or not _can_be_built(tuned):
            return None
        self.count += 1
        return tuned


def _can_be_built(function: Any) -> bool:
    """Return whether TVM builds a candidate; tuning drops those that it does not."""
    import tvm

    from dycl.backends.tvm.measuring import alone
    from dycl.backends.tvm.targets import processor

    try:
        tvm.compile(alone(function), target=processor("native").target)
    except Exception:
        return False
    return True


def _tuned(place: int) -> tuple[TvmBackend, _Tried]:
    backend, tried = TvmBackend(), _Tried(place)
    backend._tuning = tried  # type: ignore[assignment]
    return backend, tried


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 5])
@pytest.mark.parametrize("table", ALL_TABLES)
def test_operators_with_other_loops_equal_pytorch(table: str, place: int, tmp_path: Path) -> None:
    cases = tuple(case for case in ALL_TABLES[table] if case.name not in REFUSED)
    backend, _ = _tuned(place)
    assert differences(cases, tmp_path, backend) == {}


def test_formulas_with_other_loops_keep_to_floating_point(tmp_path: Path) -> None:
    backend, tried = _tuned(0)
    assert differences(ALGEBRA, tmp_path, backend) == {}
    assert tried.count > 5
