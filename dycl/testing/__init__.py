"""What the author of a backend tests it with.

``BackendConformance`` is a class of pytest tests: subclass it, give it the backend, run pytest.

    class TestMine(BackendConformance):
        def backend(self) -> Backend:
            return MyBackend()

Every operator of ``operators.py`` must come out equal to PyTorch, or be refused when it is
compiled, or raise when it runs; what is silently different fails. ``subdnns.py`` makes a
sub-DNN of a function, ``calls.py`` compiles and loads it.
"""

from dycl.testing.conformance import BackendConformance

__all__ = ["BackendConformance"]
