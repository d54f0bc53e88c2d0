"""The signature of the entry point, and how arguments are taken apart."""

from collections.abc import Iterator

from rewriter.diagnostics import DyclBug
from rewriter.parameters import Parameter, VariableInput, places_of
from rewriter.printing.liveness import compute_liveness
from rewriter.program import Function


def signature_text(function: Function, receiver: str | None) -> str:
    """Return the parameters as written between the parentheses of ``def``."""
    parts = [] if receiver is None or _names(function) & {receiver} else [receiver]
    optional = keyword_only = False
    for parameter in function.parameters:
        # Whatever follows an argument that was left out was given by keyword.
        if not (keyword_only or parameter.star) and (
            parameter.keyword_only or (optional and parameter.default is None)
        ):
            parts.append("*")
            keyword_only = True
        keyword_only = keyword_only or parameter.star == "*"
        optional = optional or parameter.default is not None
        parts.append(_parameter_text(parameter))
    return ", ".join(parts)


def argument_lines(function: Function) -> Iterator[str]:
    """Yield assignments that take the variables out of lists, tuples and dicts."""
    live = compute_liveness(function).live_in[function.entry]
    for parameter in function.parameters:
        if isinstance(parameter.spec, VariableInput):
            if parameter.spec.variable != parameter.name:
                raise DyclBug(f"argument {parameter.name!r} lost its name")
            continue
        for variable, place in places_of(parameter.spec, parameter.name):
            if variable in live:
                yield f"{variable} = {place}"


def _names(function: Function) -> frozenset[str]:
    return frozenset(parameter.name for parameter in function.parameters)


def _parameter_text(parameter: Parameter) -> str:
    if parameter.default is None:
        return parameter.star + parameter.name
    return f"{parameter.name}={_default_text(parameter.default.value)}"


def _default_text(value: object) -> str:
    """Return a literal; ``...`` for an object that the compiled program fixed anyway."""
    if value is None or type(value) in (bool, int, float, str, bytes):
        text = repr(value)
        return f"float({text!r})" if text in ("inf", "-inf", "nan") else text
    return "..."
