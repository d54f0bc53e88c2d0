"""Sizes that PyTorch makes while it only looks at what a program does are nobody's.

To decompose a program, PyTorch runs it once to find out which results are views, and then traces
it. The first run takes a view of a tensor that was written in place anew: a slice up to a number of
run time makes another size there, which the trace then misses among its own, and raises. There is
no public door: PyTorch's function is replaced while it runs, and another version of PyTorch that
has it elsewhere raises as before.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from typing import Any
from unittest import mock

from torch._subclasses.fake_tensor import FakeTensor

_LOOKING = "run_functionalized_fw_and_collect_metadata"


@contextmanager
def discarded_sizes_forgotten() -> Iterator[None]:
    """Have programs that are decomposed within this block forget what only a first run made.

    Belongs within ``table_made_once``, whose lock keeps other threads' exports out.
    """
    try:
        from torch._functorch import aot_autograd
    except ImportError:
        yield
        return
    if not hasattr(aot_autograd, _LOOKING):
        yield
        return
    looking = partial(_looking, getattr(aot_autograd, _LOOKING))
    with mock.patch.object(aot_autograd, _LOOKING, looking):
        yield


def _looking(
    original: Callable[..., Callable[..., object]], *given: Any, **named: Any
) -> Callable[..., object]:
    run = original(*given, **named)

    @wraps(run)
    def run_and_forget(*arguments: Any) -> object:
        found = run(*arguments)
        _forget(arguments)
        return found

    return run_and_forget


def _forget(arguments: tuple[Any, ...]) -> None:
    """Forget the sizes that were made and that nobody has asked for so far."""
    modes = (each.fake_mode for each in arguments if isinstance(each, FakeTensor))
    sizes = next((mode.shape_env for mode in modes if mode.shape_env is not None), None)
    if sizes is not None:
        sizes.pending_fresh_unbacked_symbols.clear()
