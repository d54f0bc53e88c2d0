"""Static compilers for sub-DNNs, behind one interface.

In: ``CapturedSubDnn`` values. Out: artifacts in a directory, and the text of the loader
that runs them in a host package. ``interface.py`` says what a backend is, ``registry.py``
finds the installed ones by the entry point group ``dycl.backends``; each backend is a
folder of its own. ``compiling.py`` compiles with one: it finds the user's line where
something fails, and ``checking.py`` compares the results with PyTorch.
"""

from dycl.backends.interface import Artifact, Availability, Backend, BackendOptions, Workplace
from dycl.backends.registry import backend_names, create_backend

__all__ = [
    "Artifact",
    "Availability",
    "Backend",
    "BackendOptions",
    "Workplace",
    "backend_names",
    "create_backend",
]
