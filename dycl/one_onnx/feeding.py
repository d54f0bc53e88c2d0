"""Calls of a program as feeds of its ONNX file, and the file's outputs as the program's results."""

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from dycl.one_onnx.compiling import Plan
from dycl.one_onnx.results import Form, Results
from dycl.one_onnx.types import element_of
from hcfg.arguments import bind_arguments
from rewriter.diagnostics import DyclBug

Array = NDArray[np.generic]

_NUMBERS: Mapping[type, type[np.generic]] = {bool: np.bool_, int: np.int64, float: np.float64}


def feeds_of(
    plan: Plan, arguments: tuple[object, ...], keywords: Mapping[str, object]
) -> dict[str, Array]:
    """Return what the inputs of the file get for the arguments of a call."""
    values = bind_arguments(plan.graph.parameters, arguments, keywords)
    return {value.name: array_of(values[name]) for name, value in plan.inputs.items()}


def array_of(value: object) -> Array:
    """Return a tensor or a number as an array."""
    if isinstance(value, torch.Tensor):
        return np.asarray(value.detach().cpu().numpy())
    return np.asarray(value, _NUMBERS.get(type(value)))  # numpy's numbers say it themselves


def outputs_of(result: object, results: Results) -> list[torch.Tensor | None]:
    """Return the outputs that a result of the program stands for; None for those without meaning.

    Only one variant fits: they differ in structure, or in the type of some part.
    """
    elements = {p: kind[0] for p, kind in zip(results.places, results.types, strict=True)}
    for number, form in enumerate(results.variants):
        try:
            found = dict(_parts(result, form))
            for place, part in found.items():
                _require(element_of(part.dtype) == elements[place])
        except _OtherVariant:
            continue
        if results.chosen is not None:
            found[results.chosen] = torch.tensor(number)
        return [found.get(place) for place in results.places]
    raise DyclBug("a result that is none of its variants")


class _OtherVariant(Exception):
    """A result has another structure."""


def _parts(result: object, form: Form) -> Iterator[tuple[str, torch.Tensor]]:
    match form:
        case {"output": str() as place}:
            _require(isinstance(result, torch.Tensor))
            yield place, torch.from_numpy(array_of(result).copy())
        case {"number": str() as place}:
            _require(type(result) in _NUMBERS)
            yield place, torch.from_numpy(array_of(result).copy())
        case {"scalar": str() as place}:
            _require(isinstance(result, np.generic))
            yield place, torch.from_numpy(array_of(result).copy())
        case {"constant": constant}:
            _require(result is None if constant is None else result == constant)
        case {"tuple": list() as forms} | {"list": list() as forms}:
            _require(isinstance(result, tuple if "tuple" in form else list))
            assert isinstance(result, tuple | list)
            _require(len(result) == len(forms))
            for item, inner in zip(result, forms, strict=True):
                yield from _parts(item, inner)
        case {"dict": list() as pairs}:
            _require(isinstance(result, dict) and list(result) == [key for key, _ in pairs])
            assert isinstance(result, dict)
            for key, inner in pairs:
                yield from _parts(result[key], inner)


def _require(fits: bool) -> None:
    if not fits:
        raise _OtherVariant
