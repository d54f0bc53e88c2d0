"""Has the compiler write C++ for a sub-DNN, in parts that are built apart."""

import functools
import json
import logging
import subprocess
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch

from dycl.backends.inductor.own_kernels import leave_to_pytorch, with_places_of_pytorch
from dycl.backends.inductor.tracing import traced
from dycl.capture import CapturedSubDnn

_KERNELS = "#include <torch/csrc/inductor/cpp_prefix.h>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Flags:
    """Arguments of the C++ compiler."""

    compiler: str
    compiling: tuple[str, ...]
    linking: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Generated:
    """The C++ of one sub-DNN."""

    interface: str
    """What is the same for all: functions in C by which the loader calls a model."""
    model: str
    """Calls kernels and operators in order."""
    kernels: str
    library: Path
    """Where the library is to be: the loader finds what belongs to it by its name."""
    objects: tuple[str, ...]
    """Files to be linked in as they are."""
    others: tuple[str, ...]
    """Files that the archive has beside the library."""
    flags: Flags


class UnknownLayout(Exception):
    """The compiler writes its files otherwise than the version that this was written for."""


def generate(subdnn: CapturedSubDnn, threads: int, directory: Path) -> Generated:
    """Return the C++ of a sub-DNN; its files are in ``directory``."""
    from torch._inductor import aot_compile

    exported = traced(subdnn)
    options = {
        **options_of(threads),
        "aot_inductor.output_path": str(directory),
        "aot_inductor.package": True,
        "aot_inductor.package_cpp_only": True,
        "aot_inductor.precompile_headers": False,
    }
    if exported.example_inputs is None:
        raise UnknownLayout("an exported program without inputs")
    args, kwargs = exported.example_inputs
    with quietly(), with_places_of_pytorch(exported.graph):
        files = aot_compile(exported.module(check_guards=False), args, kwargs, options=options)
    if not isinstance(files, list):
        raise UnknownLayout("no list of files")
    return _parts([str(file) for file in files])


def options_of(threads: int) -> dict[str, Any]:
    """Return the options of the compiler that do not depend on how its C++ is built."""
    return {
        "aot_inductor.enable_line_tables": False,  # for profilers, and large
        # They take x * 0 for 0, also of NaN and infinities, and 0 for attention to nothing but
        # masked places, which is NaN.
        "use_joint_graph_passes": False,
        "post_grad_custom_post_pass": leave_to_pytorch,
        "cpp.threads": threads,
        "cpp.vec_isa_ok": _takes_all_instructions(),
    }


@functools.cache
def _takes_all_instructions() -> bool | None:
    """Return True where the C++ compiler knows all instructions that this CPU has.

    None lets PyTorch find out: it compiles a program with each, which takes half a minute.
    """
    from torch._inductor.cpp_builder import get_cpp_compiler
    from torch._inductor.cpu_vec_isa import supported_vec_isa_list, x86_isa_checker

    flags = [
        flag
        for isa in supported_vec_isa_list
        if set(str(isa).split()) <= set(x86_isa_checker())
        for flag in isa.build_arch_flags().split()
    ]
    command = [get_cpp_compiler(), *flags, "-fsyntax-only", "-x", "c++", "/dev/null"]
    return (
        True if subprocess.run(command, capture_output=True, check=False).returncode == 0 else None
    )


@contextmanager
def quietly() -> Iterator[None]:
    """Keep warnings about the compiler's own ways from the user; no gradients."""
    logger = logging.getLogger("torch._inductor")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), torch.no_grad():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)


def _parts(files: Sequence[str]) -> Generated:
    file = Path(_only(files, ".wrapper.cpp"))
    text = file.read_text(encoding="utf-8")
    wrapper, _, kernels = text.partition(_KERNELS)
    before, interface, after = wrapper.partition(_interface())
    if not interface or not before.strip().startswith("#include"):
        raise UnknownLayout("no interface in the wrapper")
    compiling = json.loads(Path(_only(files, "_compile_flags.json")).read_text(encoding="utf-8"))
    linking = json.loads(Path(_only(files, "_linker_flags.json")).read_text(encoding="utf-8"))
    return Generated(
        interface=before + interface,
        model=before + after,
        kernels=_KERNELS + kernels if kernels else "",
        library=file.with_suffix(".so"),
        objects=tuple(f for f in files if f.endswith(".o")),
        others=tuple(f for f in files if f.endswith(".json") and not f.endswith("_flags.json")),
        flags=Flags(
            compiler=compiling["compiler"],
            compiling=_arguments(compiling),
            linking=_arguments(linking),
        ),
    )


def _only(files: Sequence[str], ending: str) -> str:
    found = [file for file in files if file.endswith(ending)]
    if len(found) != 1:
        raise UnknownLayout(f"{len(found)} files end with {ending}")
    return found[0]


@functools.cache
def _interface() -> str:
    import torch._inductor.codegen as codegen

    file = Path(next(iter(codegen.__path__)), "aoti_runtime", "interface.cpp")
    return file.read_text(encoding="utf-8").strip()


def _arguments(flags: Mapping[str, Any]) -> tuple[str, ...]:
    """Return flags as PyTorch writes them into JSON as arguments."""
    return (
        *(f"-D{definition.strip()}" for definition in flags["definitions"]),
        *(f"-{flag}" for flag in flags["cflags"]),
        *(f"-I{directory}" for directory in flags["include_dirs"]),
        *(word for words in flags["passthrough_args"] for word in words.split()),
        *(f"-{flag}" for flag in flags["ldflags"]),
        *(f"-l{library}" for library in flags["libraries"]),
        *(f"-L{directory}" for directory in flags["libraries_dirs"]),
    )
