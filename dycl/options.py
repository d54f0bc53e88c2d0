"""Options of a compilation: one frozen dataclass."""

from dataclasses import dataclass
from pathlib import Path

from rewriter.options import RewriteOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class CompileOptions(RewriteOptions):
    """How to compile, beyond what the rewriter may do."""

    device: str = "cpu"
    """Where sub-DNNs run: ``cpu`` or ``cuda``."""
    threads: int = 1
    """Threads of each sub-DNN. One is best where many small sub-DNNs take turns."""
    jobs: int | None = None
    """Sub-DNNs that a backend may compile at the same time; None: as many as it likes."""
    backend_options: tuple[tuple[str, str], ...] = ()
    """Names and values of options that only the chosen backend has."""
    tune: int = 0
    """Variants of the code to measure, over all sub-DNNs together, for backends that can do so."""
    host_mode: str = "python"
    """``python``: decisions are made by the host. ``ifs``: by the artifacts, with ONNX's If and
    Loop, as far as they can be: the whole program is one artifact, or parts of it are one each and
    the host makes the other decisions."""
    many_inputs: bool = False
    """Whether the package also runs many inputs together (``forward_many``): what stands at the
    same sub-DNN is one call. Twice as many sub-DNNs are compiled."""
    force: bool = False
    """Whether a directory that dycl did not make may be replaced by the package."""
    cache: bool = True
    """Whether to reuse what earlier compilations left in the cache."""
    cache_directory: Path | None = None
    """Where the cache is; None: ``$DYCL_CACHE_DIR``, else the user's cache directory."""
    disabled_passes: frozenset[str] = frozenset()
    """Passes over the graph to leave out, by name; to see what they are good for."""
