"""Functions that call sub-DNNs on memory that is bound, made from text for each signature."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from sys import getrefcount
from typing import Any

import numpy as np

from dycl.backends.onnxruntime.runtime_arrays import (
    SMALL,
    TINY,
)

_FAR = np.array(np.iinfo(np.int64).max)
"""An index that is out of range wherever it is one."""

_TEXT = """
def references(arrays):
    {arrays} = arrays
    return {references}

def call({inputs}):
    if {misfits}:
        return plain({inputs})
    plan = memory.plans[name].get(({key}))
    if plan is not None:
        run, small, arrays, fewest, _ = plan
        {arrays} = arrays
    if plan is None or {references} != fewest:
        plan, held = plan_for({inputs})
        if plan is None:
            return plain({inputs})
        run, small, arrays, fewest, _ = plan
        {arrays} = arrays
    {copy}
    try:
        run()
    except failures as failure:
        raise as_pytorch(name, failure) from failure
    if not ({is_finite}):
        return plain({inputs})
    return {results}
"""

_PLAIN = """
def call({inputs}):
    {told}
    try:
        results = run(outputs, {{{feeds}}}, settings)
    except failures as failure:
        raise as_pytorch(name, failure) from failure
    return {results}
"""


def plain_function(
    inputs: Sequence[str], results: int, told: Sequence[int], names: Mapping[str, Any]
) -> Any:
    """Return ``call`` for a session's inputs of these names, and its number of results.

    ``told`` are the inputs that are indices, of which the negative ones are out of range.
    """
    places = [f"x{place}" for place in range(len(inputs))]
    text = _PLAIN.format(
        told="; ".join(f"x{p} = where(x{p} < 0, far, x{p})" for p in told) or "pass",
        inputs=", ".join(places),
        feeds=", ".join(f"{name!r}: {x}" for name, x in zip(inputs, places, strict=True)),
        results="results[0]" if results == 1 else "results",
    )
    made = {**names, "where": np.where, "far": _FAR}
    exec(_compiled(text), made)
    return made["call"]


def functions_of(
    ports: Sequence[Any],
    results: Sequence[Any],
    sums: int,
    told: Sequence[int],
    names: Mapping[str, Any],
) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return ``references`` and ``call`` for these inputs, results and number of sums.

    Each statement counts, and each object it looks at: many sub-DNNs run for some ten
    microseconds, after which little of the host is in the processor's cache. For an image, a
    small array, two results, one of them tiny, and a sum of squares this is made:

        def references(arrays):
            y0, y1, s0 = arrays
            return getrefcount(y0)

        def call(x0, x1):
            if x1.shape != shape1 or x1.dtype != type1:
                return plain(x0, x1)
            plan = memory.plans[name].get((id(x0),))
            if plan is not None:
                run, small, arrays, fewest, _ = plan
                y0, y1, s0 = arrays
            if plan is None or getrefcount(y0) != fewest:
                plan, held = plan_for(x0, x1)
                if plan is None:
                    return plain(x0, x1)
                run, small, arrays, fewest, _ = plan
                y0, y1, s0 = arrays
            small[0][...] = x1
            try:
                run()
            except failures as failure:
                raise as_pytorch(name, failure) from failure
            if not (s0.item() < infinity):
                return plain(x0, x1)
            return [y0, y1.copy()]

    A plan that ran before is found by the identities of the arrays that it reads where they are;
    it may run where nobody refers to the results it wrote any more. What is large and comes from
    elsewhere lives until the function returns, in ``held``: the binding has its address only.
    Tiny results are copied: who keeps them would else keep the large ones beside them, too. So
    nobody refers to those that are written, and one of them is looked at if there are no others:
    a call that begins while another one returns, in a handler of signals, finds it in use.
    """
    inputs = [f"x{place}" for place in range(len(ports))]
    small = [place for place, port in enumerate(ports) if port.size <= SMALL]
    written = [f"y{place}" for place in range(len(results))]
    given = [f"y{p}.copy()" if port.size <= TINY else f"y{p}" for p, port in enumerate(results)]
    kept = [place for place, port in enumerate(results) if port.size > TINY]
    squares = [f"s{place}" for place in range(sums)]
    text = _TEXT.format(
        inputs=", ".join(inputs),
        arrays="".join(f"{array}, " for array in (*written, *squares)),
        references=" + ".join(f"getrefcount(y{place})" for place in kept or [0]),
        misfits=" or ".join(
            [f"x{p}.shape != shape{p} or x{p}.dtype != type{p}" for p in small]
            + [f"x{p}.item() < 0" for p in told]
        )
        or "False",
        key="".join(f"id(x{p}), " for p in range(len(ports)) if p not in small),
        copy="; ".join(f"small[{n}][...] = x{place}" for n, place in enumerate(small)) or "pass",
        is_finite=" and ".join(f"{array}.item() < infinity" for array in squares) or "True",
        results=given[0] if len(given) == 1 else f"[{', '.join(given)}]",
    )
    made: dict[str, Any] = {**names, "getrefcount": getrefcount, "infinity": float("inf")}
    for place, port in enumerate(ports):
        made |= {f"shape{place}": port.shape, f"type{place}": port.type}
    exec(_compiled(text), made)
    return made["references"], made["call"]


@cache
def _compiled(text: str) -> Any:
    """Return what many sub-DNNs of a package have in common: names in it stand for their own."""
    return compile(text, "<call of a sub-DNN>", "exec")
