"""The TVM backend.

``importing.py`` turns each structure of sub-DNNs into a Relax function, operator by operator with
the tables in ``lowering_*.py``; ``pipeline.py`` fuses, schedules and links all of them into one
library; ``targets.py`` knows processors; ``backend.py`` holds these together. ``runtime.py``
is not imported: its text becomes the loader of the host package.
"""

from dycl.backends.tvm.backend import TvmBackend

__all__ = ["TvmBackend"]
