"""Progress bars of ``tqdm``, which need not be installed: known by where they come from."""

import types

import libcst as cst

from rewriter.evaluation.calls.calls import call_value
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule, special
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.prelude import progress
from rewriter.state import State
from rewriter.values import Known

_RANGES = ("trange", "tnrange", "tarange")


def progress_rule(content: object) -> SpecialRule | None:
    """Return the rule for a class or function of ``tqdm``, None for everything else."""
    substitute = _substitute(content)
    if substitute is None:
        return None

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        file = keywords.get("file", Known(None))
        if (
            not (isinstance(file, Known) and file.value is None)
            and substitute is not progress.write
        ):
            frame.refuse("DYCL046", node, "a progress bar is written to a file of its own")
        return call_value(frame, node, state, Known(substitute), positional, keywords)

    return call


def _substitute(content: object) -> object:
    """Return what the prelude has in place of a part of ``tqdm``."""
    if isinstance(content, types.MethodType) and content.__name__ == "write":
        return progress.write if _is_bar(content.__self__) else None
    if isinstance(content, types.FunctionType) and content.__name__ in _RANGES:
        return progress.trange if _is_of_tqdm(content.__module__) else None
    return progress.ProgressBar if _is_bar(content) else None


def _is_bar(kind: object) -> bool:
    """Return whether an object is a class of progress bars of ``tqdm`` itself."""
    return (
        isinstance(kind, type)
        and _is_of_tqdm(kind.__module__)
        and any((base.__module__, base.__name__) == ("tqdm.std", "tqdm") for base in kind.__mro__)
    )


def _is_of_tqdm(module: str | None) -> bool:
    return module is not None and module.partition(".")[0] == "tqdm"


@special(progress.depends_on_time)
def depends_on_time(
    frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
) -> Outcomes:
    """Refuse what a progress bar tells of itself by the clock."""
    del state, keywords
    name = positional[0].value if isinstance(positional[0], Known) else ""
    frame.refuse("DYCL046", node, f"{name} of a progress bar depends on time")
