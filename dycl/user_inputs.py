"""The inputs that FILE provides.

``example_inputs()``, ``dynamic_shapes()`` for the sizes that vary, ``sample_inputs(count, seed)``.
"""

import copy
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from dycl.drawing_inputs import (
    Inputs,
    draw_inputs,
    draw_like,
    dynamic_shapes,
)
from dycl.errors import UserError
from dycl.input_spec import parse_input_spec
from dycl.target import SEED, Target
from dycl.user_traceback import render_user_traceback
from dycl.varying_inputs import draw_varying


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleInputs:
    """One set of arguments to compile with, and which of its dimensions vary."""

    inputs: Inputs
    dynamic_shapes: object
    """As ``torch.export`` takes them; None where every size is the example's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleInputs:
    """Arguments to verify and to measure with."""

    inputs: tuple[Inputs, ...]
    source: str
    """Where they come from, in words, for the report."""


def varying_sizes(target: Target, specs: Sequence[str]) -> object:
    """Return which dimensions vary, by SPECs where given, else by FILE's ``dynamic_shapes()``."""
    if specs:
        return dynamic_shapes([parse_input_spec(spec) for spec in specs], target.entry)
    return _file_dynamic_shapes(target)


def example_inputs(target: Target, specs: Sequence[str]) -> ExampleInputs:
    """Return the arguments from SPECs where given, else from FILE's ``example_inputs()``."""
    if specs:
        requests = [parse_input_spec(spec) for spec in specs]
        return ExampleInputs(
            inputs=draw_inputs(requests, target.entry, SEED),
            dynamic_shapes=varying_sizes(target, specs),
        )
    function = getattr(target.module, "example_inputs", None)
    if function is None:
        raise UserError(
            f"no example inputs: {target.file} has no example_inputs() and no --input is given",
            help="for example --input 'f32[1,3,32,32]', or define "
            "`def example_inputs(): return (torch.zeros(1, 3, 32, 32),)`",
        )
    torch.manual_seed(SEED)
    try:
        found = function()
    except Exception as error:
        raise UserError(
            f"example_inputs() of {target.file} fails", detail=render_user_traceback(error)
        ) from error
    return ExampleInputs(
        inputs=_as_inputs(found, f"example_inputs() of {target.file}"),
        dynamic_shapes=varying_sizes(target, specs),
    )


def _file_dynamic_shapes(target: Target) -> object:
    """Return what FILE's ``dynamic_shapes()`` says, None where it has none."""
    function = getattr(target.module, "dynamic_shapes", None)
    if function is None:
        return None
    try:
        return function()
    except Exception as error:
        raise UserError(
            f"dynamic_shapes() of {target.file} fails", detail=render_user_traceback(error)
        ) from error


def sample_inputs(target: Target, specs: Sequence[str], count: int, seed: int) -> SampleInputs:
    """Return ``count`` sets of arguments: SPECs, FILE's ``sample_inputs``, or drawn alike."""
    if specs:
        requests = [parse_input_spec(spec) for spec in specs]
        drawn = tuple(draw_inputs(requests, target.entry, seed + i) for i in range(count))
        return SampleInputs(inputs=drawn, source="drawn from --input")
    function = getattr(target.module, "sample_inputs", None)
    if function is None:
        example = example_inputs(target, ())
        alike = (_drawn(target, example, seed + i) for i in range(1, count))
        return SampleInputs(
            inputs=(example.inputs, *alike)[:count],
            source="random, like example_inputs(); define sample_inputs(count, seed) for real ones",
        )
    place = f"sample_inputs({count}, {seed}) of {target.file}"
    torch.manual_seed(seed)
    try:
        found = list(function(count, seed))
    except Exception as error:
        raise UserError(f"{place} fails", detail=render_user_traceback(error)) from error
    if not found:
        raise UserError(f"{place} returned no inputs")
    return SampleInputs(
        inputs=tuple(_as_inputs(item, place) for item in found), source="sample_inputs()"
    )


def _drawn(target: Target, example: ExampleInputs, seed: int) -> Inputs:
    if example.dynamic_shapes is None:
        return draw_like(example.inputs, seed)
    return draw_varying(example.inputs, example.dynamic_shapes, target.entry, seed)


def check_eager(target: Target, inputs: Inputs) -> None:
    """Run the model once as it is: an error there is the user's own, and said so."""
    try:
        call_entry(target.entry, clone_inputs(inputs))
    except Exception as error:
        raise UserError(
            f"{target.file}:{target.name} fails on the example inputs in plain PyTorch",
            detail=render_user_traceback(error),
        ) from error


def call_entry(entry: object, inputs: Inputs) -> object:
    """Call with arguments given by position or by name."""
    if not callable(entry):
        raise TypeError(f"{entry!r} is not callable")
    with torch.no_grad():
        return entry(**inputs) if isinstance(inputs, dict) else entry(*inputs)


def clone_inputs(inputs: Inputs) -> Inputs:
    """Copy the tensors, so that a model that writes into its arguments does no harm.

    What is given twice is one object in the copy, too.
    """
    made: dict[int, object] = {}
    if isinstance(inputs, dict):
        return {name: _clone(value, made) for name, value in inputs.items()}
    return tuple(_clone(value, made) for value in inputs)


def _clone(value: object, made: dict[int, object]) -> object:
    if id(value) not in made:
        made[id(value)] = _cloned(value, made)
    return made[id(value)]


def _cloned(value: object, made: dict[int, object]) -> object:
    match value:
        case Tensor():
            return value.detach().clone()
        case list():
            return [_clone(item, made) for item in value]
        case tuple() if type(value) is tuple:
            return tuple(_clone(item, made) for item in value)
        case dict():
            return {key: _clone(item, made) for key, item in value.items()}
        case _ if hasattr(value, "__dict__") and not callable(value):
            return copy.deepcopy(value)
        case _:
            return value


def _as_inputs(found: object, place: str) -> Inputs:
    match found:
        case Tensor():
            return (found,)
        case tuple() | list():
            return tuple(found)
        case dict() if all(isinstance(name, str) for name in found):
            return found
        case _:
            raise UserError(
                f"{place} returned a {type(found).__name__}; expected a tuple of positional "
                "arguments or a dict of keyword arguments"
            )
