"""What a call gives, in a form that compares bit for bit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch

from hcfg.interpret import Interpreter
from rewriter.contents import content_hash


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """A result or exception as text, and the nodes that ran."""

    text: str
    path: tuple[str, ...]


def outcome(interpreter: Interpreter, arguments: Sequence[object]) -> Outcome:
    """Call with copies of ``arguments`` and return what happened."""
    own = [a.clone() if isinstance(a, torch.Tensor) else a for a in arguments]
    path: list[str] = []
    try:
        value = interpreter.call(own, path=path)
    except Exception as error:
        return Outcome(text=f"{type(error).__name__}: {error}", path=tuple(path))
    return Outcome(text=describe(value), path=tuple(path))


def describe(value: object) -> str:
    """Return a value as text: tensors by type, shape and a digest of their bits."""
    match value:
        case torch.Tensor():
            return f"{value.dtype}{list(value.shape)} {content_hash(value)}"
        case tuple() | list():
            return f"{type(value).__name__}({', '.join(describe(item) for item in value)})"
        case Mapping():
            items = (f"{key!r}: {describe(item)}" for key, item in value.items())
            return f"{{{', '.join(items)}}}"
        case _:
            return repr(value)
