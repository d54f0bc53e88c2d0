"""What a model keeps from call to call, and specialised functions: they leave it as it is.

The state is stored wherever the program may end. Inside of a function that may happen too (it
raises), but the function does not know what its caller has still to store: so the caller
stores before the call, and a function that changes what is kept is none.
"""

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Run
from rewriter.evaluation.same_values import changed_cells, is_changed
from rewriter.flattening import Flattening, Roots
from rewriter.origin import Origin
from rewriter.state import State


def require_kept_unchanged(run: Run, start: State, state: State, origin: Origin) -> None:
    """Refuse a function that has changed what the model keeps."""
    keys = tuple(key for key in run.plan.roots if key in start.attributes)
    held = Flattening(start, Roots(frames=(), attributes=keys)).run().cells
    if changed_cells(held, start, state) or any(
        key not in start.attributes
        or is_changed(start, start.attributes[key], state, state.attributes[key])
        for key in run.plan.roots
        if key in state.attributes
    ):
        raise Refused(
            Diagnostic(
                code="DYCL067",
                message="a function that calls itself until run-time values end it changes what "
                "the model keeps from one call to the next",
                origin=origin,
                help="return the new value, and store it where the function is called first",
            )
        )
