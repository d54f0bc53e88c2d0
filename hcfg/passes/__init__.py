"""The passes over a graph, in their order, each with the reason for its place.

A pass is a frozen dataclass with a name and ``run(graph, report) -> Hcfg``; it returns the
graph it got when there is nothing to do. Any of them may be switched off: the result is
another valid graph of the same program.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from hcfg.contract import Pass
from hcfg.cutting import cut_where_sizes_are_asked
from hcfg.edit import without_idle_subdnns
from hcfg.graph import Hcfg
from hcfg.passes.advance_predicates import AdvancePredicates
from hcfg.passes.batch_inputs import BatchInputs
from hcfg.passes.batch_recursion import BatchRecursion
from hcfg.passes.duplicate_tails import DuplicateTails
from hcfg.passes.eliminate_constant_outputs import EliminateConstantOutputs
from hcfg.passes.eliminate_dead_code import EliminateDeadCode
from hcfg.passes.eliminate_empty_arms import EliminateEmptyArms
from hcfg.passes.eliminate_identity_outputs import EliminateIdentityOutputs
from hcfg.passes.fold_constant_decisions import FoldConstantDecisions
from hcfg.passes.hoist_invariants import HoistInvariants
from hcfg.passes.masks_to_branches import MasksToBranches
from hcfg.passes.merge_along_paths import MergeAlongPaths
from hcfg.passes.merge_subdnns import MergeSubdnns
from hcfg.passes.multiply_rows_together import MultiplyRowsTogether
from hcfg.passes.pair_complex_tensors import PairComplexTensors
from hcfg.passes.reuse_results import ReuseResults
from hcfg.passes.sink_into_arms import SinkIntoArms
from hcfg.passes.structural_dedupe import StructuralDedupe
from hcfg.refusals import require_compilable
from hcfg.report import Report
from hcfg.retaken_views import retake_split_views
from hcfg.sharing import Sharing
from hcfg.verify import verify

_MASKS, _DEAD = MasksToBranches(), EliminateDeadCode()
_IDENTITIES, _CONSTANTS = EliminateIdentityOutputs(), EliminateConstantOutputs()

PASSES: tuple[Pass, ...] = (
    # First, on sub-DNNs as the user wrote them: a copy that is no output any more often leaves
    # nothing to do, and borders that no tensor crosses show what is really constant.
    _IDENTITIES,
    # Before dead code: computing an output now takes the last reader from what computed it.
    _CONSTANTS,
    # Once constants are out of the sub-DNNs.
    FoldConstantDecisions(),
    # After all that strands code, and before anything is copied.
    _DEAD,
    # While each variable still has one assignment: copies of tails make more.
    ReuseResults(),
    HoistInvariants(),
    # After it, which leaves what no round changes before the loop.
    MultiplyRowsTogether(),
    # After what wants one assignment of each variable, as arms make more. What follows treats
    # its branches like the user's.
    _MASKS,
    AdvancePredicates(),
    # Before it, as it is worth it where sub-DNNs merge.
    EliminateEmptyArms(),
    # A folded branch leaves a longer straight line, as does what was hoisted.
    MergeSubdnns(),
    # Once lines are whole, so that what was moved finds a sub-DNN to be part of, and while
    # each variable still has one assignment.
    SinkIntoArms(),
    # On sub-DNNs that are as long as they get without copying.
    DuplicateTails(),
    # Once sub-DNNs are as few as they get without knowing paths, and before that makes more kinds.
    BatchRecursion(chooses=True),
    # After it, as it leaves less to do here; what paths then know leaves dead code.
    MergeAlongPaths(),
    _DEAD,
    # Again, on what has grown: a copy on the host between two sub-DNNs is inside of one now.
    _IDENTITIES,
    _CONSTANTS,
    # After all that moves code across borders: those that are left are the ones to cross.
    PairComplexTensors(),
    # When nothing changes the sub-DNNs any more for which it makes others.
    BatchRecursion(),
    # After it: functions that are put off have theirs already.
    BatchInputs(),
    # Last: it describes the sub-DNNs as they will be compiled.
    StructuralDedupe(),
)

PASS_NAMES: tuple[str, ...] = tuple(dict.fromkeys(each.name for each in PASSES))

Observer = Callable[[str, Hcfg], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Optimised:
    """The final graph and what was found out on the way."""

    graph: Hcfg
    sharing: Sharing
    report: Report


def run_passes(
    graph: Hcfg,
    disabled: Collection[str] = frozenset(),
    observe: Observer | None = None,
    *,
    masks_to_branches: bool = False,
) -> Optimised:
    """Run all passes but the ``disabled`` ones; verify the graph after each that changed it.

    Branches for masks are made only where that is asked for: they need not pay.
    ``observe`` is called with the name of each pass that ran and the graph after it. Raises
    ``CompileError`` where a sub-DNN does what no compiled one can do faithfully.
    """
    if unknown := sorted(set(disabled) - set(PASS_NAMES)):
        raise ValueError(f"no pass is named {unknown[0]!r}; passes are {', '.join(PASS_NAMES)}")
    report = Report()
    graph = cut_where_sizes_are_asked(graph, report.recordings)
    graph = retake_split_views(graph, report.recordings)
    require_compilable(graph, report.recordings)
    verified = graph  # whoever built it has done so
    # Not a pass to switch off, and not earlier: what is refused must be refused read or not.
    graph = without_idle_subdnns(graph)
    for each in PASSES:
        if each.name in disabled or (each is _MASKS and not masks_to_branches):
            continue
        graph = each.run(graph, report)
        if graph is not verified:
            verify(graph)
            verified = graph
        if observe is not None:
            observe(each.name, graph)
    return Optimised(graph=graph, sharing=report.sharing_of(graph), report=report)
