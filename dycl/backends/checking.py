"""Runs a compiled sub-DNN beside PyTorch before anything relies on it.

It runs through the loader that goes into the package, so what is checked is what gets
deployed. The inputs are random, so this finds operators that are compiled to something else,
wrong element types and wrong shapes; it does not replace ``dycl verify`` on real inputs.
"""

import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from dycl.backends.empty_selections import may_choose_nothing, widest
from dycl.backends.evidence import Agreement, Evidence
from dycl.backends.interface import Artifact, Backend
from dycl.backends.running import load_artifact
from dycl.backends.ties import TiesInOrder
from dycl.backends.trials import BETWEEN, NO_TRUTH, POSITIVE, inputs_at, is_declared, trials
from dycl.capture import CapturedSubDnn

_TAME = (POSITIVE, BETWEEN)
"""Seeds of numbers that operators with a limited domain are made for."""

_SEEDS = (0, 1, 2, *_TAME)
"""A rounding difference may flip a comparison on one input; a wrong operator fails on all."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """Why a sub-DNN cannot be compiled, run or trusted: the code and text of a diagnostic."""

    code: str
    message: str


def check_all(
    backend: Backend,
    compiled: Sequence[tuple[CapturedSubDnn, Artifact]],
    directory: Path,
    jobs: int | None,
) -> list[Failure | None]:
    """Check artifacts, ``jobs`` at a time; return what is wrong with each."""
    with warnings.catch_warnings(), ThreadPoolExecutor(jobs) as pool:
        warnings.simplefilter("ignore")  # PyTorch's, about sizes that are only tried here
        return list(
            pool.map(lambda pair: failure_of(backend, pair[0], pair[1], directory), compiled)
        )


def failure_of(
    backend: Backend, subdnn: CapturedSubDnn, artifact: Artifact, directory: Path
) -> Failure | None:
    """Return what is wrong with one artifact, None where it does what PyTorch does."""
    try:
        difference = difference_of(subdnn, load_artifact(backend, subdnn, artifact, directory))
    except Exception as error:
        text = f"{backend.title} cannot run this: {_first_line(error)}"
        return Failure(code="DYCL413", message=text)
    if difference is None:
        return None
    return Failure(code="DYCL412", message=f"{backend.title} computes something else: {difference}")


_PLACE = re.compile(r"Load model from .* failed: ?")
"""ONNX Runtime names the file, which is gone when the user reads about it."""


def _first_line(error: BaseException) -> str:
    """Return an error as one line."""
    lines = _PLACE.sub("", str(error)).strip().splitlines()
    notes = "".join(getattr(error, "__notes__", ()))
    return f"{type(error).__name__}: {lines[0] if lines else ''}{notes}"


def difference_of(subdnn: CapturedSubDnn, compiled: Callable[..., object]) -> str | None:
    """Return where a compiled sub-DNN disagrees with PyTorch; None where it does not.

    Whatever the runtime raises passes through. FloatingPointError says that it does not
    compute with infinities or NaN: as good as no answer, where there is one for other inputs.
    """
    refusals: list[tuple[Sequence[torch.Tensor | int], Exception]] = []
    answered = False
    for values in trials(subdnn):
        before = len(refusals)
        try:
            difference = _difference_at(subdnn, compiled, values, refusals)
        except Exception as error:
            error.add_note(_where(values))
            raise
        if difference is not None:
            return f"{difference}{_where(values)}"
        answered = answered or len(refusals) - before < len(_SEEDS)
    if not answered:
        return _answer_to_refused(compiled, refusals, len(subdnn.outputs))
    return _difference_of_nothing(subdnn, compiled) if may_choose_nothing(subdnn) else None


def _difference_of_nothing(subdnn: CapturedSubDnn, compiled: Callable[..., object]) -> str | None:
    """Return what differs where a sub-DNN chooses nothing; None where that cannot be told."""
    values = widest(subdnn)
    for seeds in NO_TRUTH:
        try:
            difference = _difference_at(subdnn, compiled, values, [], seeds)
        except FloatingPointError:
            continue
        except Exception as error:
            error.add_note(" (where nothing is chosen)")
            raise
        if difference is not None:
            return f"{difference} (where nothing is chosen)"
    return None


def _answer_to_refused(
    compiled: Callable[..., object],
    refusals: Sequence[tuple[Sequence[torch.Tensor | int], Exception]],
    count: int,
) -> str | None:
    """Return what is wrong with an artifact where PyTorch refuses everything that is tried.

    Errors that differ are about the sizes that were tried, which may not come to pass. An
    artifact that gives NaN has no answer either.
    """
    if len({_first_line(refusal) for _, refusal in refusals}) != 1:
        return None
    for inputs, refusal in refusals:
        try:
            results = compiled(*map(np.asarray, inputs))
        except Exception:
            continue
        if all(np.isfinite(array).all() for array in _listed(results, count)):
            return f"it gives a result where PyTorch raises {_first_line(refusal)}"
    return None


def _difference_at(
    subdnn: CapturedSubDnn,
    compiled: Callable[..., object],
    values: Mapping[str, int],
    refusals: list[tuple[Sequence[torch.Tensor | int], Exception]],
    seeds: Sequence[int] = _SEEDS,
) -> str | None:
    """Return what differs at some sizes; None where it does not, with one of the seeds.

    An agreement that shows little is enough only where there is nothing against it; that on
    tame numbers only where PyTorch gives NaN or infinities for others. ``refusals`` gets the
    inputs for which PyTorch raises, with its errors.
    """
    first = certain = None
    unanswered: FloatingPointError | None = None
    for seed in seeds:
        inputs = inputs_at(subdnn, values, seed)
        if inputs is None:
            return None
        try:
            evidence = _evidence(subdnn, inputs)
        except Exception as error:  # the user's operators may refuse these sizes, or random values
            refusals.append((inputs, error))
            continue
        if not is_declared(subdnn, values, evidence.expected):
            return None
        try:
            results = compiled(*map(np.asarray, inputs))
        except FloatingPointError as error:
            unanswered = unanswered or error
            continue
        got = _listed(results, len(subdnn.outputs))
        difference, agreement = _compared(subdnn, evidence, got)
        if agreement is Agreement.DIFFERENT and (in_order := _with_ties_in_order(subdnn, inputs)):
            difference, agreement = _compared(subdnn, in_order, got)
        if agreement is Agreement.STRONG:
            return certain if seed in _TAME else None
        first = first or difference
        if evidence.is_finite:
            certain = certain or difference
    if first is None and unanswered is not None:
        raise unanswered
    return first


def _listed(results: object, count: int) -> Sequence[np.ndarray]:
    """Return what a loader's callable gave as a list; it gives an array where there is one."""
    if count == 1 and isinstance(results, np.ndarray):
        return [results]
    if count != 1 and isinstance(results, list | tuple) and len(results) == count:
        return results
    raise TypeError(f"a {type(results).__name__} instead of {count} results")


def _evidence(subdnn: CapturedSubDnn, inputs: Sequence[torch.Tensor | int]) -> Evidence:
    def compute() -> Sequence[torch.Tensor]:
        with torch.no_grad():
            results: Sequence[torch.Tensor] = subdnn.module.in_eager(*map(_copied, inputs))
        return results

    return Evidence(compute)


def _with_ties_in_order(
    subdnn: CapturedSubDnn, inputs: Sequence[torch.Tensor | int]
) -> Evidence | None:
    """Return results that are PyTorch's as well; None where it leaves no order open."""
    used: list[bool] = []

    def compute() -> Sequence[torch.Tensor]:
        with torch.no_grad(), TiesInOrder() as ties:
            results: Sequence[torch.Tensor] = subdnn.module.in_eager(*map(_copied, inputs))
        used.append(ties.were_open)
        return results

    evidence = Evidence(compute)
    return evidence if used[0] else None


def _copied(value: torch.Tensor | int) -> torch.Tensor | int:
    return value.clone() if isinstance(value, torch.Tensor) else value


def _where(values: Mapping[str, int]) -> str:
    """Return at which sizes, in words."""
    if not values:
        return ""
    return f" (at {', '.join(f'{name} = {value}' for name, value in values.items())})"


def _compared(
    subdnn: CapturedSubDnn, evidence: Evidence, got: Sequence[np.ndarray]
) -> tuple[str | None, Agreement]:
    """Return what differs, and what the results show all together."""
    whole = Agreement.STRONG
    for index, (port, array) in enumerate(zip(subdnn.outputs, got, strict=True)):
        reference = evidence.expected[index].detach().numpy()
        if (reference.dtype, reference.shape) != (array.dtype, array.shape):
            difference = (
                f"{port.name} is {array.dtype}{list(array.shape)}, "
                f"and {reference.dtype}{list(reference.shape)} in PyTorch"
            )
            return difference, Agreement.DIFFERENT
        match evidence.of(index, array):
            case Agreement.DIFFERENT:
                return f"{port.name} has other values than in PyTorch", Agreement.DIFFERENT
            case Agreement.WEAK:
                whole = Agreement.WEAK
            case Agreement.STRONG:
                pass
    return None, whole
