"""Processors to compile for, by name, and what a package needs of the one it runs on."""

import platform
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import tvm
from tvm.target import codegen

from codegen_host.embedded._machine import this_machine
from dycl.errors import UserError

PORTABLE = {"x86_64": "x86-64-v2", "aarch64": "generic"}
"""Processors that any machine of the last ten years has the instructions of."""

_FLAGS = {
    **{name: name for name in ("avx", "avx2", "fma", "f16c", "popcnt", "movbe", "ssse3", "aes")},
    **{name: name for name in ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl")},
    **{"avx512vnni": "avx512_vnni", "avx512bf16": "avx512_bf16", "avx512ifma": "avx512ifma"},
    **{"avx512vbmi": "avx512vbmi", "avx512vbmi2": "avx512_vbmi2", "avx512fp16": "avx512_fp16"},
    **{"avx512bitalg": "avx512_bitalg", "avx512vpopcntdq": "avx512_vpopcntdq"},
    **{"sse4.1": "sse4_1", "sse4.2": "sse4_2", "bmi": "bmi1", "bmi2": "bmi2"},
    **{"gfni": "gfni", "vaes": "vaes", "vpclmulqdq": "vpclmulqdq", "lzcnt": "abm"},
    **{"avxvnni": "avx_vnni", "avxifma": "avx_ifma", "avxvnniint8": "avx_vnni_int8"},
    **{f"amx-{kind}": f"amx_{kind}" for kind in ("tile", "int8", "bf16", "fp16", "complex")},
    **{"neon": "asimd", "fullfp16": "asimdhp", "dotprod": "asimddp", "sve": "sve", "i8mm": "i8mm"},
}
"""What LLVM calls an extension of a processor, and what Linux calls it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Processor:
    """What code is generated for."""

    name: str
    """As LLVM knows it (``znver4``)."""
    machine: Mapping[str, object]
    """What the machine that runs the code must be and have; see ``_machine.py``."""
    vector_bits: int
    lacking: tuple[str, ...] = ()
    """Extensions that processors of this name have, and this one has not, as LLVM calls them."""

    @property
    def description(self) -> dict[str, Any]:
        """Return it in TVM's words, with one core: threads are the host's business."""
        return {**_description(self.name, self.lacking), "num-cores": 1}

    @property
    def target(self) -> tvm.target.Target:
        """Return it as TVM's target."""
        return tvm.target.Target(self.description)

    @property
    def lanes(self) -> int:
        """Return how many single-precision numbers one instruction takes."""
        return self.vector_bits // 32


def processor(name: str) -> Processor:
    """Return the processor called ``name``; ``native`` is this machine's, ``portable`` any."""
    architecture = platform.machine()
    if name == "native":
        cpu = codegen.llvm_get_system_cpu()
    else:
        cpu = PORTABLE.get(architecture, "generic") if name == "portable" else name
    if not codegen.llvm_is_valid_cpu(cpu, codegen.llvm_get_system_triple()):
        known = sorted(codegen.llvm_get_cpu_archlist(tvm.target.Target({"kind": "llvm"})))
        near = [other for other in known if other[:4] == cpu[:4]] or known
        raise UserError(
            f"there is no processor called {cpu!r} to compile for",
            help=f"choose native, portable, or for example {', '.join(near[:8])}",
        )
    lacking = _lacking(cpu) if name == "native" else ()
    target = tvm.target.Target(_description(cpu, lacking))
    return Processor(
        name=cpu,
        machine={
            "system": platform.system(),
            "architecture": architecture,
            "features": sorted(flag for f, flag in _FLAGS.items() if f in _features(target)),
        },
        vector_bits=codegen.llvm_get_vector_width(target),
        lacking=lacking,
    )


def _lacking(cpu: str) -> tuple[str, ...]:
    """Return what this machine lacks of its processor: virtual ones do not show all of it."""
    here = this_machine()["features"]
    assert isinstance(here, list)
    features = _features(tvm.target.Target(_description(cpu, ())))
    # where the system does not tell, the processor's name has to do
    return tuple(f for f, flag in _FLAGS.items() if here and f in features and flag not in here)


def _description(cpu: str, lacking: tuple[str, ...]) -> dict[str, Any]:
    without = {"mattr": [f"-{feature}" for feature in lacking]} if lacking else {}
    return {"kind": "llvm", "mcpu": cpu, **without}


def _features(target: tvm.target.Target) -> set[str]:
    return {str(feature) for feature in codegen.llvm_get_cpu_features(target)}
