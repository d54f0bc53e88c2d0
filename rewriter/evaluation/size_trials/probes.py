"""Runs of an operation at small numbers for sizes, and what eager raises there."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_leaves, tree_map

from rewriter.evaluation.number_ranges import NumbersChecked
from rewriter.evaluation.observation import concrete_copy, quiet_fake_tensors
from rewriter.evaluation.raising import looks_into_operands
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.likeness import likeness
from rewriter.evaluation.tensors.shown_code import ShownCode
from rewriter.evaluation.tensors.size_grid import Valuation, concrete
from rewriter.evaluation.unchecked_operators import is_unchecked
from rewriter.fakes_errors import OF_CONTENT

_LARGEST_TRIED = 1 << 18
"""Elements up to which eager itself is tried where an operand or result is empty."""

_LARGEST_MADE = 1 << 26
"""Elements of a tensor up to which eager is asked for the words of its error."""

_PROBED = "at numbers"
"""Marks operations on tensors of fixed sizes among those that were judged."""

_CHOSEN = range(1, 9)
"""How many elements masks choose when it is asked whether eager raises whatever they choose."""


class NotTried(Exception):
    """It is not known what eager does where a tensor is empty: an operator is not run there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """One run at numbers."""

    values: Valuation
    arguments: list[object]
    keywords: dict[str, object]
    result: object = None
    error: Exception | None = None
    of_content: bool = False
    """Whether only eager itself raises the error, whatever its masks choose."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Remembered:
    """A run, and what its key identifies by address: alive as long as the key."""

    probe: Probe
    kept: object


def probe(call: SizedCall, values: Valuation) -> Probe:
    """Run an operation on fake tensors of fixed sizes. May raise ``NotTried``.

    Where there are several symbols, what was run at these sizes before, here or in another place,
    is not run again: sums of symbols are often the same number.
    """
    made = concrete(call.operands, values, call.run.probe_mode)
    arguments, keywords = cast(tuple[list[object], dict[str, object]], made)
    is_same_again = len(call.symbols) > 1  # else each number is another one
    if not is_same_again or _masks(made):  # masks choose by all values
        return _run(call, arguments, keywords, values)
    fixed = replace(call, arguments=arguments, keywords=keywords, symbols=[], facts=frozenset())
    like = likeness(fixed, ())  # before it is run: an operation may change its operands' shapes
    if like is None:
        return _run(call, arguments, keywords, values)
    known = call.run.judgements.get((_PROBED, like.key))
    if isinstance(known, _Remembered):
        return replace(known.probe, values=values)
    found = _run(call, arguments, keywords, values)
    kept = (call.compute, call.operands)
    call.run.judgements[_PROBED, like.key] = _Remembered(probe=found, kept=kept)
    return found


def _run(
    call: SizedCall, arguments: list[object], keywords: dict[str, object], values: Valuation
) -> Probe:
    mode = call.run.probe_mode
    result, raised, of_content = None, None, False
    try:
        with torch.no_grad(), quiet_fake_tensors(), mode, NumbersChecked(), ShownCode():
            result = call.compute(*arguments, **keywords)
        if _is_empty((arguments, keywords, result)):
            if is_unchecked(call.compute):
                raise NotTried
            raised = _eager_raises(call, arguments, keywords, values)
            of_content = raised is not None and _masks(arguments, keywords)
    except NotTried:
        raise
    except Exception as error:
        raised = error
    return Probe(
        values=values,
        arguments=arguments,
        keywords=keywords,
        result=result,
        error=raised,
        of_content=of_content,
    )


OF_SOME_SIZES = "the sizes of these tensors do not fit the operation"
"""Said instead of what PyTorch says of the sizes that it meets."""


def eager_error(call: SizedCall, probes: Sequence[Probe]) -> Exception | None:
    """Return what eager raises: its own words where they do not depend on the sizes.

    None where it raises errors of several types, or only fake tensors do, for want of a size.
    Raises what fake tensors alone raise: ``OF_CONTENT``.
    """
    errors = [_error_of(call, each) for each in probes if each.error is not None]
    first = errors[0]
    if first is None or any(type(error) is not type(first) for error in errors):
        return None
    if any(str(error) != str(first) for error in errors):
        return type(first)(OF_SOME_SIZES)
    return first


def _error_of(call: SizedCall, raising: Probe) -> Exception | None:
    """Return what eager raises where a probe does: whatever masks choose, if that decides."""
    assert raising.error is not None
    if is_unchecked(call.compute):
        return None
    if not isinstance(raising.error, OF_CONTENT):
        if _is_too_large((raising.arguments, raising.keywords)):
            return raising.error
        return _eager_at(call, raising.arguments, raising.keywords)
    found = None
    if not looks_into_operands(raising.error.func):
        found = _eager_raises(call, raising.arguments, raising.keywords, raising.values)
    if found is None:
        raise raising.error
    return found


def _eager_raises(
    call: SizedCall, arguments: list[object], keywords: dict[str, object], values: Valuation
) -> Exception | None:
    """Return what eager raises, of which fake tensors do not see all, whatever masks choose.

    How many elements masks choose may be among the sizes.
    """
    first = _eager_at(call, arguments, keywords)
    if first is None or not _masks(arguments, keywords):
        return first
    counts = sorted({*_CHOSEN, *(number for number in values.values() if number > 0)})
    others = (_eager_at(call, arguments, keywords, chosen=count) for count in counts)
    return None if any(error is None for error in others) else first


def _masks(*operands: object) -> bool:
    leaves = tree_leaves(operands)
    return any(isinstance(x, FakeTensor) and x.dtype is torch.bool for x in leaves)


def _eager_at(
    call: SizedCall, arguments: list[object], keywords: dict[str, object], *, chosen: int = 0
) -> Exception | None:
    if _is_too_large((arguments, keywords)):
        return None
    copied = partial(_copied, chosen=chosen)
    copies, named = tree_map(copied, arguments), tree_map(copied, keywords)
    try:
        with torch.no_grad():
            call.compute(*copies, **named)
    except torch.linalg.LinAlgError:  # type: ignore[attr-defined]  # it is about what matrices hold
        return None
    except Exception as error:
        return error
    return None


def _is_too_large(content: object) -> bool:
    given = [x for x in tree_leaves(content) if isinstance(x, FakeTensor)]
    return any(x.numel() > _LARGEST_MADE for x in given)


def _copied(content: object, *, chosen: int) -> object:
    """Return a tensor for a fake one: of zeros, but that masks choose so many elements."""
    if not chosen or not isinstance(content, FakeTensor) or content.dtype is not torch.bool:
        return concrete_copy(content)
    return (torch.arange(content.numel()) < chosen).reshape(content.shape)


def _is_empty(content: object) -> bool:
    """Return whether some tensor has no elements, and the others are small."""
    counts = [x.numel() for x in tree_leaves(content) if isinstance(x, FakeTensor)]
    return 0 in counts and sum(counts) < _LARGEST_TRIED
