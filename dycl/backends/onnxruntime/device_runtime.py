"""Runs the sub-DNNs of this package with ONNX Runtime on a GPU. Needs numpy and onnxruntime-gpu.

What passes between sub-DNNs alone stays on the device. What a kernel there does otherwise than
PyTorch on the CPU a graph tells by a flag, its last result; then the plain graph runs on the CPU.
"""

import contextlib
import io
import threading
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

try:
    import onnxruntime
except ImportError as error:
    raise ImportError(
        "this package runs its sub-DNNs with ONNX Runtime: pip install onnxruntime-gpu"
    ) from error

from dycl.backends.onnxruntime.runtime_files import (
    GraphFiles,
)
from dycl.backends.onnxruntime.runtime_sessions import (
    CPU,
    FAILURES,
    SETTINGS,
    as_pytorch,
    session_options,
    share_memory,
)

_DEVICES = {
    "cuda": (
        "CUDAExecutionProvider",
        "cuda",
        {
            "use_tf32": "0",  # which has ten bits of precision
            "cudnn_conv_algo_search": "HEURISTIC",  # others try them all, and choose by chance
        },
    )
}
"""What runs operators on a device, where its results are, and the options."""


def load_subdnns(
    directory: Path, settings: Mapping[str, Any], entries: Sequence[Mapping[str, Any]]
) -> dict[str, Callable[..., Any]]:
    """Return a callable per sub-DNN, by its id; arrays in, an array or a list of them out.

    What stays on the device is an ``OrtValue``; nothing does where ``settings`` say that sub-DNNs
    run ``alone``. Sessions are made at the first call.
    """
    device = settings["device"]
    provider, *_ = _DEVICES[device]
    if provider not in onnxruntime.get_available_providers():
        raise ImportError(
            f"this package was compiled for {device}, which the installed onnxruntime does not "
            "support: pip install onnxruntime-gpu"
        )
    files = GraphFiles((directory / entries[0]["file"]).parent if entries else directory)
    share_memory()
    sessions = _Sessions(device, settings["threads"], files)
    is_alone = settings.get("alone", False)
    subdnns = {entry["id"]: _SubDnn(entry, sessions, is_alone) for entry in entries}
    sessions.subdnns = list(subdnns.values())
    return dict(subdnns)


def is_usable(device: str, model: bytes) -> bool:
    """Return whether sessions run on a device here; ``model`` is any graph."""
    provider, *_ = _DEVICES[device]
    if provider not in onnxruntime.get_available_providers():
        return False
    session = onnxruntime.InferenceSession(model, session_options(1), _providers(device))
    return bool(session.get_providers()[0] == provider)


def _providers(device):
    """Return what runs operators, with its options; the CPU runs what it has no kernels for."""
    provider, _, options = _DEVICES[device]
    if options and hasattr(onnxruntime, "preload_dlls"):
        with contextlib.redirect_stdout(io.StringIO()):  # it tells what it does not find
            onnxruntime.preload_dlls()  # of packages that pip installed
    return [(provider, options), *([] if provider == CPU else [CPU])]


class _Sessions:
    """The sessions of a package: made once, when the first sub-DNN is called."""

    def __init__(self, device, threads, files):
        self.device, self.files = device, files
        self.provider, self.memory, _ = _DEVICES[device]
        self.subdnns = []
        self._threads = threads
        self._lock = threading.RLock()
        self._made = {}

    def load(self):
        """Make the sessions of all sub-DNNs: none of them waits when it is called later."""
        with self._lock:
            for subdnn in self.subdnns:
                subdnn.load()

    def on_host(self, file, weights):
        """Return a session on the CPU."""
        return self._session(file, weights, [CPU])

    def on_device(self, file, weights):
        """Return a session on the device, which must be there."""
        session = self._session(file, weights, self._device_providers)
        if session.get_providers()[0] != self.provider:
            raise ImportError(
                f"this package was compiled for {self.device}, which ONNX Runtime cannot use "
                f"here: the driver, or libraries that onnxruntime-gpu {onnxruntime.__version__} "
                "needs, are missing"
            )
        return session

    @cached_property
    def _device_providers(self):
        return _providers(self.device)

    def _session(self, file, weights, providers):
        key = file, *weights, str(providers)
        with self._lock:
            if key not in self._made:
                options = session_options(self._threads, self.files.folder)
                options.use_deterministic_compute = True
                self._made[key] = self.files.session(file, weights, options, providers)
            return self._made[key]


class _SubDnn:
    """A sub-DNN as a function of arrays, and of values on the device."""

    def __init__(self, entry, sessions, is_alone):
        self._name, about = entry["id"], entry["runtime"]
        self._plain = Path(entry["file"]).name, about.get("weights", ())
        self._sessions = sessions
        self._about = about.get("device")
        if self._about is not None and is_alone:
            self._about = {**self._about, "stays": ()}
        self._call = self._first

    def __call__(self, *arrays):
        return self._call(*arrays)

    def _first(self, *arrays):
        self._sessions.load()
        return self._call(*arrays)

    def load(self):
        """Make what calls it."""
        if self._about is None:
            self._call = self._on_host
            return
        session = self._sessions.on_device(self._about["file"], self._about["weights"])
        memory = self._sessions.memory
        self._call = _device_call(session, memory, self._about, self._on_host, self._instead)

    def _on_host(self, *arrays):
        session = self._sessions.on_host(*self._plain)
        inputs = [value.name for value in session.get_inputs()]
        feeds = dict(zip(inputs, map(_array, arrays), strict=True))
        try:
            results = session.run(None, feeds, SETTINGS)
        except FAILURES as failure:
            raise as_pytorch(self._name, failure) from failure
        return results[0] if len(results) == 1 else results

    def _instead(self, arrays, failure):
        """Run on the CPU what failed on the device: if the values are wrong, it fails too."""
        results = self._on_host(*arrays)
        text = str(failure).splitlines()[0]
        warnings.warn(
            f"{self._name} ran on the CPU, because {self._sessions.device} failed: {text}",
            RuntimeWarning,
            stacklevel=3,
        )
        return results


def _device_call(session, memory, about, on_host, instead):
    """Return a function that runs a session on the device.

    ``about`` says which results stay there (``stays``), and whether the last one is a flag that
    the graph is not right for these values (``flag``).
    """
    inputs = [value.name for value in session.get_inputs()]
    outputs = [value.name for value in session.get_outputs()]
    stays, has_flag = frozenset(about["stays"]), about["flag"]
    places = [memory if place in stays else "cpu" for place in range(len(outputs))]
    run = session.run_with_iobinding
    value_kind = onnxruntime.OrtValue

    def call(*arrays):
        binding = session.io_binding()
        for name, given in zip(inputs, arrays, strict=True):
            if type(given) is value_kind:
                binding.bind_ortvalue_input(name, given)
            else:
                binding.bind_cpu_input(name, np.ascontiguousarray(given).reshape(given.shape))
        for name, place in zip(outputs, places, strict=True):
            binding.bind_output(name, place)
        try:
            run(binding, SETTINGS)
        except (*FAILURES, RuntimeError) as failure:
            return instead(arrays, failure)
        values = binding.get_outputs()
        if has_flag and values.pop().numpy().item():
            return on_host(*arrays)
        results = [value if place in stays else value.numpy() for place, value in enumerate(values)]
        return results[0] if len(results) == 1 else results

    return call


def _array(given):
    return given.numpy() if isinstance(given, onnxruntime.OrtValue) else given
