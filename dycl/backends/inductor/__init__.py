"""The backend of PyTorch's own compiler, ahead of time. Its packages need PyTorch to run.

``compiling.py`` makes one archive for each structure, without weights; ``runtime.py`` is not
imported: its text becomes ``_runtime_inductor.py`` of the host package.
"""

from dycl.backends.inductor.backend import InductorBackend

__all__ = ["InductorBackend"]
