"""Trials of a function of the host: on samples of other content and sizes each time."""

import warnings
from collections.abc import Callable

import numpy

from rewriter.evaluation.host.host_samples import Trial
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.rendering import NotMaterial
from rewriter.values import Value

_CONTENTS = 16
"""How often an operation is tried, each time on samples of other content."""
_SIZES = 40
"""How often one is whose operands have sizes that are known only at run time."""


def run_trials(
    compute: Callable[[Trial], object], filled: frozenset[str]
) -> tuple[list[tuple[Trial, object]], list[Exception], tuple[Value, ...]]:
    """Return what a function gives in its trials, what it raises, and which arrays it writes to."""
    results: list[tuple[Trial, object]] = []
    errors: list[Exception] = []
    written: dict[int, Value] = {}
    seed, wanted = 0, _CONTENTS
    while seed < wanted:
        trial = _trial(seed, filled)
        try:
            results.append((trial, _quietly(compute, trial)))
        except (NotMaterial, Refused):
            raise
        except Exception as error:
            errors.append(error)
            if isinstance(error, numpy.linalg.LinAlgError):
                results += _with_definite(compute, _trial(seed, filled, definite=True))
        written.update((id(value), value) for value in trial.written())
        wanted = _SIZES if trial.sizes else wanted
        seed += 1
    return results, errors, tuple(written.values())


def _trial(seed: int, filled: frozenset[str], *, definite: bool = False) -> Trial:
    draws = numpy.random.default_rng(seed) if seed else None
    return Trial(
        draws,
        filled,
        alike=seed % 3 != 2,
        zeros=seed >= _CONTENTS and seed % 2 == 0,
        by_columns=seed % 4 == 3,
        definite=definite,
    )


def _with_definite(compute: Callable[[Trial], object], trial: Trial) -> list[tuple[Trial, object]]:
    """Return what comes of matrices that can be inverted, where it was not of others."""
    try:
        return [(trial, _quietly(compute, trial))]
    except numpy.linalg.LinAlgError:
        return []


def _quietly(compute: Callable[[Trial], object], trial: Trial) -> object:
    with numpy.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return compute(trial)
