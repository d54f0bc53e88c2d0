"""Functions and modules that ``torch.compile`` has been told to compile: they are what they were.

What it makes of ``f`` computes what ``f`` computes; around that stands code of PyTorch's own.
"""

import types

from torch import nn

_COMPILING = "torch/_dynamo/eval_frame.py"
_BESIDE = "torch/_dynamo/external_utils.py"
_PASSING_ON = "wrap_inline.<locals>.inner"
"""A function that calls another one with what it gets; others there make arrays of it first."""


def compiled_from(content: object) -> object | None:
    """Return what ``torch.compile`` was given to make a function of; None for anything else."""
    if not isinstance(content, types.FunctionType):
        return None
    code, attributes = content.__code__, vars(content)
    file = code.co_filename.replace("\\", "/")
    original: object = None
    if file.endswith(_COMPILING):
        original = attributes.get("_torchdynamo_orig_callable")
    elif file.endswith(_BESIDE) and code.co_qualname == _PASSING_ON:
        original = attributes.get("__wrapped__")
    if isinstance(original, types.MethodType) and original.__func__ is nn.Module.__call__:
        return original.__self__
    return compiled_from(original) or original


def as_written(target: object) -> object:
    """Return the function or module that ``torch.compile`` was given, where it was given one."""
    return compiled_from(target) or _compiled_module(target) or target


def _compiled_module(module: object) -> object | None:
    """Return the module that ``torch.compile`` was given, where nothing else runs around it."""
    original = getattr(module, "__dict__", {}).get("_modules", {}).get("_orig_mod")
    if original is None or type(module).__module__ != "torch._dynamo.eval_frame":
        return None
    hooks = (getattr(module, name) for name in ("_forward_hooks", "_forward_pre_hooks"))
    return None if any(hooks) or not isinstance(original, nn.Module) else original
