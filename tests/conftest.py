"""Options of the test suite."""

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
