"""What the tests of the language need around them."""

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _forgotten_packages() -> Iterator[None]:
    """Forget the host packages of a test: thousands would stay, and be walked by each search."""
    yield
    for name in [name for name in sys.modules if name.startswith("_dycl_host_")]:
        del sys.modules[name]
