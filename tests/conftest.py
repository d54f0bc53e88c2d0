"""Options of the test suite."""

import gc
import os
from pathlib import Path

import pytest

# what the machine's own cache holds must not decide what a test sees
os.environ["DYCL_CACHE_DIR"] = str(Path(__file__).resolve().parent.parent / "build" / "cache")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="rewrite golden files that differ; the tests fail once all the same",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Return whether golden files are to be rewritten."""
    return bool(request.config.getoption("--update-golden"))


def pytest_collection_finish() -> None:
    """Have the collector of cycles look rarely, and never at what was imported.

    Caches grow to millions of objects, and to walk through them took an eighth of the time.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
