"""Joining the paths of a run where they reach the same point."""

from functools import partial

from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Run
from rewriter.evaluation.run_time.optional_fields import settle_around
from rewriter.evaluation.run_time.run_time_structures import settle_objects
from rewriter.flattening import Flattening
from rewriter.keeping.noting import keep_missing, note_read
from rewriter.keeping.roots import own_or_unset
from rewriter.keeping.shapes import Unset
from rewriter.merging import FEW_STRUCTURES, MANY_STRUCTURES, Joiner
from rewriter.origin import Origin
from rewriter.path_groups import Arrival
from rewriter.values import Known, Value


def merge(
    run: Run,
    arrivals: list[Arrival],
    origin: Origin,
    *,
    open_sizes: bool = False,
    any_size: bool = False,
    structures: int = MANY_STRUCTURES,
) -> list[Arrival]:
    """Join states that reach the same point; refuse when too many stay apart."""
    if run.options.few_structures:
        structures = min(structures, FEW_STRUCTURES)
    merged = _joiner(run, structures).merge(
        arrivals, run.live_frames(), origin, open_sizes=open_sizes, any_size=any_size
    )
    if len(merged) > run.options.most_paths:
        raise Refused(
            Diagnostic(
                code="DYCL020",
                message=f"more than {run.options.most_paths} paths with different "
                "containers or objects reach this point",
                origin=origin,
                help="keep the structure of lists and objects the same in both arms, "
                "or raise CompileOptions.most_paths",
            )
        )
    return merged


def _joiner(run: Run, structures: int) -> Joiner:
    def settle(states: list[Flattening], position: int, wanted: bool) -> bool:
        return settle_objects(run.frame, states, position, wanted)

    def settle_records(states: list[Flattening], position: int) -> bool:
        return settle_around(run.frame, states, position)

    def note_joined(group: list[Flattening]) -> None:
        for position, one in group[0].objects_at.items():
            for other in group[1:]:
                run.containers.stands_for(run.lasting_cells, one, other.objects_at[position])

    initial = partial(_initial_attribute, run)
    exact, by_memory = run.options.known_numbers, run.options.known_memory
    return Joiner(
        run.leaf_joiner(),
        initial,
        settle,
        settle_records,
        note_joined,
        exact,
        by_memory,
        structures,
        run.options.known_texts,
    )


def _initial_attribute(run: Run, key: tuple[int, str]) -> Value | None:
    """Return the value that an attribute had before the call, None where there was none."""
    calls = run.calls
    for held in (calls.contexts, calls.managers, calls.hooks):
        if (before := held.initial_of(key)) is not None:
            return before
    owner, origin = run.written[key]
    by_class = isinstance(owner, type | dict)
    initial = getattr(owner, key[1], Unset()) if by_class else own_or_unset(owner, key[1])
    if isinstance(initial, Unset):
        keep_missing(run, owner, key[1])
        return None
    note_read(run, owner, key[1], origin)
    return Known(initial)
