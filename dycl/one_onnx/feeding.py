"""Calls of a program as feeds of its ONNX file, and the file's outputs as the program's results."""

from collections.abc import Iterator, Mapping

import numpy as np
import torch
from numpy.typing import NDArray

from dycl.one_onnx.compiling import Plan
from dycl.one_onnx.results import Form, Results
from hcfg.arguments import bind_arguments

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


def outputs_of(result: object, results: Results) -> list[torch.Tensor]:
    """Return the outputs that a result of the program stands for."""
    found = dict(_parts(result, results.form, results))
    return [found[place] for place in results.places]


def _parts(result: object, form: Form, results: Results) -> Iterator[tuple[str, torch.Tensor]]:
    match form:
        case {"output": str() as place} | {"number": str() as place} | {"scalar": str() as place}:
            yield place, torch.from_numpy(array_of(result).copy())
        case {"constant": str() as place}:
            yield place, torch.tensor(results.constants[place].index(result))
        case {"tuple": list() as forms} | {"list": list() as forms}:
            assert isinstance(result, tuple | list)
            for item, inner in zip(result, forms, strict=True):
                yield from _parts(item, inner, results)
        case {"dict": list() as pairs}:
            assert isinstance(result, dict)
            for key, inner in pairs:
                yield from _parts(result[key], inner, results)
