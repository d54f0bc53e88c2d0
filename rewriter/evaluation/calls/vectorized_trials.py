"""Whether PyTorch runs the tensor code of one example on all of them together, alike."""

import ast
import warnings
from collections.abc import Collection, Sequence

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from rewriter.builder import Builder
from rewriter.evaluation.observation import quiet_fake_tensors
from rewriter.evaluation.tensors.shown_code import ShownCode
from rewriter.printing.expression_text import plain_text
from rewriter.printing.statement_text import statement_lines
from rewriter.program import Statement, TensorStatement
from rewriter.program_names import statement_expressions, statement_targets
from rewriter.size_texts import symbols_in, value_of
from rewriter.specs import Dimension, ScalarSpec, TensorSpec

_EXAMPLES = 3
_SIZE = 5
"""What a symbol stands for in a trial."""


def goes_together(
    builder: Builder, statements: Sequence[Statement], examples: Collection[str]
) -> bool:
    """Return whether ``torch.vmap`` takes statements, and gives types and sizes as they do.

    It raises where a tensor that all examples share gets what is of one, and where sizes depend on
    what an example holds; and a number of each example is a tensor to operators that take it for
    one where they find a type. ``examples`` are the variables that each example has one of.
    """
    written = dict.fromkeys(name for each in statements for name in statement_targets(each))
    read = _read(builder, statements)
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    with mode:
        single = [_sample(builder, name, ()) for name in read]
        several = [_sample(builder, n, (_EXAMPLES,) if n in examples else ()) for n in read]
    dims = tuple(0 if name in examples else None for name in read)
    if not any(dim == 0 for dim in dims):
        return True
    text = "\n".join(line for each in statements for line in statement_lines(each, plain_text))
    code = compile(text, "<example>", "exec")
    knowns = {name: known.value for name, known in builder.knowns.items()}

    def run(*values: object) -> tuple[torch.Tensor, ...]:
        names = {**knowns, **dict(zip(read, values, strict=True))}
        exec(code, names)
        found = (names[name] for name in written)
        return tuple(each for each in found if isinstance(each, torch.Tensor))

    try:
        with torch.no_grad(), quiet_fake_tensors(), warnings.catch_warnings(), mode, ShownCode():
            warnings.simplefilter("ignore")
            alone = run(*single)
            together = torch.vmap(run, in_dims=dims)(*several)
    except Exception:
        return False
    return [_seen(each) for each in alone] == [_seen(each[0]) for each in together]


def _seen(tensor: torch.Tensor) -> tuple[torch.dtype, torch.Size]:
    return tensor.dtype, tensor.shape


def _read(builder: Builder, statements: Sequence[Statement]) -> list[str]:
    """Return the variables that are there before, in order."""
    written: set[str] = set()
    found: dict[str, None] = {}
    for each in statements:
        parts = (part for e in statement_expressions(each) for part in ast.walk(e))
        names = [part.id for part in parts if isinstance(part, ast.Name)]
        if isinstance(each, TensorStatement):
            names += [old for _, old in each.updates]
        found.update(dict.fromkeys(name for name in names if name not in written))
        written.update(statement_targets(each))
    return [name for name in found if name in builder.variables]


def _sample(builder: Builder, name: str, before: tuple[int, ...]) -> object:
    match builder.variables[name].spec:
        case TensorSpec(dtype=dtype, shape=shape):
            return torch.empty((*before, *map(_number, shape)), dtype=dtype)
        case ScalarSpec(size=str() as size):
            return _number(size)
        case ScalarSpec(minimum=least):
            return 1 if least is None else max(1, least)
        case _:
            return None


def _number(size: Dimension) -> int:
    return int(value_of(size, dict.fromkeys(symbols_in(size), _SIZE)))
