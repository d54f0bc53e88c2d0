"""dycl compiles PyTorch models whose control flow depends on the input.

In: a model and example inputs. Out: a host package that runs without PyTorch. Start reading
at ``dycl.api.compile``. Names are loaded when they are first used, so that ``dycl.load``
works, and the command line answers, without importing PyTorch.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dycl.api import compile, rewrite
    from dycl.errors import UserError
    from dycl.loading import CompiledModel, load
    from dycl.one_onnx.emitting import emit_onnx
    from dycl.options import CompileOptions
    from dycl.verification import VerificationReport, verify
    from rewriter.diagnostics import CompileError, Diagnostic

__all__ = [
    "CompileError",
    "CompileOptions",
    "CompiledModel",
    "Diagnostic",
    "UserError",
    "VerificationReport",
    "compile",
    "emit_onnx",
    "load",
    "rewrite",
    "verify",
]

_MODULES = {
    "CompileError": "rewriter.diagnostics",
    "CompileOptions": "dycl.options",
    "CompiledModel": "dycl.loading",
    "Diagnostic": "rewriter.diagnostics",
    "UserError": "dycl.errors",
    "VerificationReport": "dycl.verification",
    "compile": "dycl.api",
    "emit_onnx": "dycl.one_onnx.emitting",
    "load": "dycl.loading",
    "rewrite": "dycl.api",
    "verify": "dycl.verification",
}


def __getattr__(name: str) -> object:
    """Import a public name on first use."""
    if name not in _MODULES:
        raise AttributeError(f"module 'dycl' has no attribute {name!r}")
    value: object = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
