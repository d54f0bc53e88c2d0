"""The backend passes dycl's kit."""

from reference_backend import ReferenceBackend

from dycl.testing import BackendConformance


class TestReference(BackendConformance):
    """pytest finds the tests in the kit."""

    def backend(self):
        """Return a new one for each test."""
        return ReferenceBackend()
