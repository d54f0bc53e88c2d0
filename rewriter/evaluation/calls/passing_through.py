"""Calls that say something to a compiler or a type checker, and else give back what they get."""

import contextlib
import functools
import types
import typing

import libcst as cst
import torch
import torch._dynamo
import torch.utils.checkpoint

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.rendering import tensor_of
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import futures
from rewriter.state import State
from rewriter.values import NONE, FunctionValue, Known, Reference


def _argument(place: int, name: str) -> SpecialRule:
    """Return the rule of a function that gives back one of its arguments.

    Without it, and given settings only (``@disable(recursive=False)``), it gives a decorator.
    """

    def pass_through(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        del frame, node
        if len(positional) > place:
            yield state, positional[place]
        else:
            yield state, keywords.get(name, Known(_itself))

    return pass_through


def _itself(function: object) -> object:
    return function


special(_itself)(_argument(0, "function"))

special(contextlib.ContextDecorator._recreate_cm)(_argument(0, "self"))
special(typing.cast)(_argument(1, "val"))
special(torch.jit.annotate)(_argument(1, "the_value"))
special(torch._dynamo.disable, torch.compiler.disable, torch.jit.ignore, torch.jit.unused)(
    _argument(0, "fn")
)


@special(functools.wraps)
def wraps(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``@functools.wraps(function)``: the wrapper itself."""
    del frame, node, positional, keywords
    yield state, Known(_same)


def _same(wrapper: object) -> object:
    return wrapper


@special(_same, functools.update_wrapper)
def renamed(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``update_wrapper(wrapper, wrapped)``: what the wrapper's name is from here on is not kept."""
    wrapper = positional[0] if positional else keywords["wrapper"]
    match wrapper:
        case FunctionValue():
            frame.run.calls.renamed.add(wrapper.source)
        case Known():
            frame.refuse("DYCL034", node, "a function of the program gets the name of another one")
        case Reference():
            frame.refuse("DYCL039", node, "an object gets the name of a function")
        case _:
            pass
    yield state, wrapper


@special(torch.jit._fork, torch.jit.fork)
def fork(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.jit.fork(function, *arguments)``: the call itself, whose result ``wait`` gives."""
    function, *rest = positional
    for after, result in call_value(frame, node, state, function, rest, keywords):
        yield from call_value(frame, node, after, Known(futures.Future), [result], {})


@special(torch.jit._wait, torch.jit.wait)
def wait(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``torch.jit.wait(future)``."""
    return call_value(frame, node, state, Known(futures.wait), list(positional), dict(keywords))


@special(torch.utils.checkpoint.checkpoint_sequential)
def checkpoint_sequential(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Call functions one after the other, as torch's own source says."""
    shown = torch.utils.checkpoint.checkpoint_sequential
    assert isinstance(shown, types.FunctionType)
    return inline_function(frame, node, state, shown, list(positional), dict(keywords))


@special(
    torch._dynamo.graph_break,
    torch._dynamo.mark_dynamic,
    torch._dynamo.mark_static,
    torch._dynamo.maybe_mark_dynamic,
    torch._dynamo.reset,
    torch.compiler.cudagraph_mark_step_begin,
)
def no_effect(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """What is said to PyTorch's own compiler means nothing to another one."""
    del frame, node, positional, keywords
    yield state, NONE


@special(torch._dynamo.mark_static_address)
def mark_address(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """``mark_static_address(tensor)``: the same, and a TypeError for anything but a tensor."""
    marked = positional[0] if positional else keywords.get("t")
    if marked is None or tensor_of(marked) is None:
        frame.refuse("DYCL039", node, "mark_static_address() is called with other than a tensor")
    yield state, NONE
