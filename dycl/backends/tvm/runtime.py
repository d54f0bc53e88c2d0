"""Runs the sub-DNNs of this package with TVM. Needs numpy and apache-tvm only."""

import importlib.util
import math
import mmap
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

# tvm_ffi would otherwise import PyTorch where that is installed, to pass tensors faster.
_DISABLE = "TVM_FFI_DISABLE_TORCH_C_DLPACK"
# TVM would otherwise bind the calling thread, and whatever it starts, to one core.
os.environ.setdefault("TVM_BIND_THREADS", "0")
_MISSING = "this package runs its sub-DNNs with TVM: pip install apache-tvm=={version}"

IS_MACHINE_CODE = True
"""The manifest must say for which machine."""

_ALIGNMENT = 64
"""What compiled code relies on; it crashes on other addresses."""

_CPU, _POOLED = 1, 2
"""TVM's numbers for the device and for the allocator that keeps freed memory."""

_FAULTS = {
    1: (IndexError, "an index is out of range"),
    2: (RuntimeError, "an index is out of range, or integers are divided by zero"),
}


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out."""
    ffi = _load_tvm(settings["tvm"])
    weights = _Weights(ffi)
    machines: dict[str, _Machines] = {}
    subdnns: dict[str, Callable[..., Any]] = {}
    for entry in entries:
        file, own = entry["file"], entry["runtime"]
        if file not in machines:
            machines[file] = _Machines(ffi, str(directory / file), settings["threads"])
        bound = weights.load(directory, entry["uses"], own["weights"])
        subdnns[entry["id"]] = _callable(entry["id"], ffi, machines[file], own, bound)
    return subdnns


def _load_tvm(wanted: str) -> Any:
    """Return TVM's interface with its runtime loaded; the compiler stays out of the process."""
    try:
        found = version("apache-tvm")
    except PackageNotFoundError as error:
        raise ImportError(_MISSING.format(version=wanted)) from error
    if found.split(".")[:2] != wanted.split(".")[:2]:
        raise ImportError(
            f"this package was compiled with apache-tvm {wanted}, which {found} may not be able "
            f"to load: pip install apache-tvm=={wanted}"
        )
    before = os.environ.get(_DISABLE)
    os.environ[_DISABLE] = "1"
    try:
        import tvm_ffi
        from tvm_ffi.libinfo import load_lib_ctypes
    finally:
        if before is None:
            del os.environ[_DISABLE]
        else:
            os.environ[_DISABLE] = before
    place = importlib.util.find_spec("tvm")
    assert place is not None and place.origin is not None
    libraries = [Path(place.origin).parent / "lib"]
    load_lib_ctypes("tvm", "tvm_runtime", "RTLD_GLOBAL", extra_lib_paths=libraries)
    return tvm_ffi


class _Weights:
    """The weights of sub-DNNs as tensors that stand in the mapped file, each once."""

    def __init__(self, ffi: Any) -> None:
        self._ffi = ffi
        self._files: dict[str, Any] = {}
        self._tensors: dict[Any, Any] = {}

    def load(
        self, directory: Path, files: Sequence[str], places: Sequence[Mapping[str, Any]]
    ) -> tuple[Any, ...]:
        """Return the tensors at places of the only file."""
        if not places:
            return ()
        (file,) = files
        if file not in self._files:
            with open(directory / file, "rb") as opened:
                # private and writable: TVM takes no memory that is marked as read-only
                memory = mmap.mmap(opened.fileno(), 0, flags=mmap.MAP_PRIVATE)
            self._files[file] = memory
        return tuple(self._tensor(file, place) for place in places)

    def _tensor(self, file: str, place: Mapping[str, Any]) -> Any:
        key = (file, place["offset"], place["dtype"], tuple(place["shape"]))
        if key not in self._tensors:
            count = math.prod(place["shape"])
            kind = np.dtype(place["dtype"])
            array = np.frombuffer(self._files[file], kind, count, place["offset"])
            self._tensors[key] = self._ffi.from_dlpack(_placed(array.reshape(place["shape"])))
        return self._tensors[key]


class _Machines:
    """A virtual machine for each thread: they are not made to be shared."""

    def __init__(self, ffi: Any, library: str, threads: int) -> None:
        self._library = ffi.load_module(library)
        self._own = threading.local()
        ffi.get_global_func("runtime.config_threadpool")(1, threads)

    def function(self, name: str) -> Any:
        """Return a function of this thread's machine."""
        functions: dict[str, Any] | None = getattr(self._own, "functions", None)
        if functions is None:
            functions = self._own.functions = {}
            self._own.machine = self._library["vm_load_executable"]()
            self._own.machine["vm_initialization"](_CPU, 0, _POOLED)
        if name not in functions:
            functions[name] = self._own.machine[name]
        return functions[name]


def _callable(
    name: str, ffi: Any, machines: _Machines, entry: Mapping[str, Any], bound: tuple[Any, ...]
) -> Callable[..., Any]:
    """Return a function of a sub-DNN's inputs."""
    from_dlpack, to_array = ffi.from_dlpack, np.from_dlpack
    function_of, function = machines.function, entry["function"]
    checks, tensors = entry["checks"], entry["tensors"]
    sizes, numbers = entry["sizes"], entry["numbers"]

    def call(*arrays: Any) -> Any:
        given = [from_dlpack(_placed(arrays[i])) for i in tensors]
        late = [(arrays[i].shape[dim] - offset) // factor for i, dim, factor, offset in sizes]
        late += [int(arrays[i]) for i in numbers]
        results = [to_array(x) for x in function_of(function)(*given, *bound, *late)]
        if checks:
            fault = int(results.pop())
            if fault:
                kind, text = _FAULTS[fault]
                raise kind(f"{name}: {text}")
        return results[0] if len(results) == 1 else results

    return call


def _placed(array: Any) -> Any:
    """Return an array whose memory TVM can use as it is, else a copy that it can."""
    if not array.size:
        return _empty(array)
    if (
        array.flags.c_contiguous
        and array.flags.writeable
        and array.__array_interface__["data"][0] % _ALIGNMENT == 0
    ):
        return array
    memory = np.empty(array.nbytes + _ALIGNMENT, np.uint8)
    start = -memory.__array_interface__["data"][0] % _ALIGNMENT
    copy = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy


def _empty(array: Any) -> Any:
    """Return an array of no elements with the strides that TVM expects; numpy has others."""
    strides = [math.prod(array.shape[d + 1 :]) * array.itemsize for d in range(array.ndim)]
    return np.ndarray(array.shape, array.dtype, np.empty(_ALIGNMENT, np.uint8), 0, strides)
