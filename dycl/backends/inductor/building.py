"""Builds libraries of generated C++, side by side, and so that headers are read once.

PyTorch compiles the same interface with each model: four of the five seconds that a model takes.
Here it is compiled once for a machine, and headers are kept as the compiler reads them:

    interface ......... once ----------------------.
    headers, read ..... once --.                   |
    model ---------------------+--- -O0 ---> .o ---+--> model.so ---> archive
    kernels -------------------'--- -O3 ---> .o ---'
"""

import functools
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import TracebackType

from torch._inductor.runtime.cache_dir_utils import cache_dir

from dycl.backends.inductor.generating import Flags, Generated
from dycl.cache import Cache, cache_key

_INSTANCE = "template class AOTInductorModelBase<AOTInductorModel>;"
_MODEL_HEADER = f"""\
#include <torch/csrc/inductor/aoti_include/cpu.h>
namespace torch::aot_inductor {{ extern {_INSTANCE} }}
"""
_KERNEL_HEADER = "#include <torch/csrc/inductor/cpp_prefix.h>\n"


@dataclass(slots=True, kw_only=True)
class Builder:
    """Builds archives, ``jobs`` at a time; a context manager that waits for all."""

    directory: Path
    """For files that are needed until all is built."""
    cache: Cache | None
    key_parts: Mapping[str, object]
    jobs: int
    _pool: ThreadPoolExecutor = field(init=False)
    _shared: dict[str, "Future[Path]"] = field(init=False, default_factory=dict)

    def __enter__(self) -> "Builder":
        """Start."""
        self._pool = ThreadPoolExecutor(self.jobs)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Wait for what has begun, and leave the rest where something failed."""
        self._pool.shutdown(cancel_futures=error is not None)

    def archive(self, generated: Generated) -> "Future[bytes]":
        """Return the archive of a model, when it is built."""
        flags = generated.flags
        calling = replace(flags, compiling=_unoptimised(flags.compiling))
        # Asked for first: what waits for them must not keep them from beginning.
        interface = self._interface(generated.interface, calling)
        model_header = self._header(_MODEL_HEADER, calling)
        kernel_header = self._header(_KERNEL_HEADER, flags)

        def build() -> bytes:
            library = generated.library
            model = _object(
                library.with_suffix(".model.cpp"), generated.model, calling, model_header
            )
            objects = [model, interface.result()]
            if generated.kernels:
                source = library.with_suffix(".kernels.cpp")
                objects.append(_object(source, generated.kernels, flags, kernel_header))
            inputs = [*map(str, objects), *generated.objects]
            _run(flags.compiler, [*inputs, *flags.linking, "-o", str(library)])
            return _archive(generated)

        return self._pool.submit(build)

    def _interface(self, text: str, flags: Flags) -> "Future[Path]":
        whole = f"{text}\nnamespace torch::aot_inductor {{ {_INSTANCE} }}\n"
        return self._once(".o", whole, flags, ("-c", "-x", "c++"))

    def _header(self, text: str, flags: Flags) -> "Future[Path]":
        ending = ".h.pch" if "clang" in flags.compiler else ".h.gch"
        return self._once(ending, text, flags, ("-x", "c++-header"))

    def _once(self, ending: str, text: str, flags: Flags, how: tuple[str, ...]) -> "Future[Path]":
        """Return what the compiler makes of a text, where PyTorch keeps such things."""
        what = [text, flags.compiler, _version(flags.compiler), flags.compiling, how]
        key = cache_key({**self.key_parts, "made once": what})
        if key not in self._shared:
            made = Path(cache_dir(), "dycl", f"{key}{ending}")
            self._shared[key] = self._pool.submit(_make_once, made, text, flags, how)
        return self._shared[key]


def _make_once(made: Path, text: str, flags: Flags, how: tuple[str, ...]) -> Path:
    if made.exists():
        return made
    made.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=made.parent) as name:  # other processes make it, too
        source, result = Path(name, "source.h"), Path(name, "result")
        source.write_text(text, encoding="utf-8")
        _run(flags.compiler, [*flags.compiling, "-w", *how, str(source), "-o", str(result)])
        if made.suffix != ".o":
            source.replace(made.with_suffix(""))  # a compiler wants it beside the other
        result.replace(made)
    return made


def _object(source: Path, text: str, flags: Flags, header: "Future[Path]") -> Path:
    source.write_text(text, encoding="utf-8")
    made = source.with_suffix(".o")
    given = ["-include", str(header.result().with_suffix("")), *flags.compiling, "-w", "-c"]
    _run(flags.compiler, [*given, str(source), "-o", str(made)])
    return made


def _unoptimised(arguments: tuple[str, ...]) -> tuple[str, ...]:
    """Return arguments for what only calls kernels: -O1 takes twice as long."""
    return tuple("-O0" if argument == "-O3" else argument for argument in arguments)


@functools.cache
def _version(compiler: str) -> str:
    return _run(compiler, ["--version"])


def _run(compiler: str, arguments: list[str]) -> str:
    done = subprocess.run([compiler, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        errors = [line for line in done.stderr.splitlines() if "error" in line]
        raise RuntimeError(f"the C++ compiler failed: {errors[0] if errors else done.stderr}")
    return done.stdout


def _archive(generated: Generated) -> bytes:
    from torch._inductor.package.package import package_aoti

    path = generated.library.with_suffix(".pt2")
    package_aoti(str(path), {"model": [str(generated.library), *generated.others]})
    return path.read_bytes()
