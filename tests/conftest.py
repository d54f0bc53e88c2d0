"""Options of the test suite."""

import contextlib
import functools
import gc
import importlib.machinery
import os
from pathlib import Path
from types import CodeType

import pytest

# what the machine's own cache holds must not decide what a test sees
os.environ["DYCL_CACHE_DIR"] = str(Path(__file__).resolve().parent.parent / "build" / "cache")

_HOST = "_dycl_host_"  # how `dycl.loading` names packages


def pytest_configure() -> None:
    _once_for_host_packages()


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


def _once_for_host_packages() -> None:
    """Have what all host packages have in common compiled to bytecode once, not by each import.

    That took an eighth of the time. Code objects say where they are from, so names are mended.
    """
    loader = importlib.machinery.SourceFileLoader
    compiled = loader.source_to_code

    @functools.cache
    def of_text(text: bytes) -> CodeType:
        code: CodeType = compile(text, "<host package>", "exec", dont_inherit=True)
        return code

    def source_to_code(
        self: importlib.machinery.SourceFileLoader, data: bytes, path: str, **options: int
    ) -> CodeType:
        if self.name.startswith(_HOST):
            with contextlib.suppress(SyntaxError):  # which is to name the file
                return _placed(of_text(bytes(data)), os.fspath(path))
        return compiled(self, data, path, **options)

    setattr(loader, "source_to_code", source_to_code)  # noqa: B010  a method, for mypy


def _placed(code: CodeType, path: str) -> CodeType:
    """Return code that says that it is from a file."""
    constants = (_placed(c, path) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(co_filename=path, co_consts=tuple(constants))
