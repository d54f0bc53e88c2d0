"""Evaluating a library operation: tried on fake tensors, left in the residual program."""

from collections.abc import Iterator
from dataclasses import replace

import sympy
import torch

from rewriter.evaluation.control.autocasting import casting, under_autocasts
from rewriter.evaluation.leaf.emission import emitted
from rewriter.evaluation.leaf.operation import Fakes, Operation, materialized
from rewriter.evaluation.leaf.quantised_operands import has_quantised, with_quantised
from rewriter.evaluation.leaf.remembering import tried
from rewriter.evaluation.leaf.sparse_operands import has_sparse, with_sparse
from rewriter.evaluation.leaf.trying import eager_error, refuse_result, refuse_unknown
from rewriter.evaluation.leaf.writes import refuse_lasting, refuse_overlap
from rewriter.evaluation.observation import Observer, WritesModel
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Outcomes
from rewriter.evaluation.size_trials.calls import SizedCall
from rewriter.evaluation.size_trials.judging import judge
from rewriter.evaluation.size_trials.probes import OF_SOME_SIZES
from rewriter.evaluation.size_trials.verdicts import (
    Computed,
    NotDense,
    Raises,
    Split,
    Undecided,
    Verdict,
)
from rewriter.evaluation.tensors.overlap import overlap_error, reads_what_it_wrote
from rewriter.evaluation.tensors.size_grid import symbols_among
from rewriter.evaluation.tensors.size_on_host import NotOnHost
from rewriter.evaluation.tensors.size_relations import branch_on_relation, decided
from rewriter.fakes_errors import OF_CONTENT
from rewriter.state import State

_MOST_FACTS = 40
"""Relations between sizes on one path, beyond which it is not split further."""


_COMPRESSED = frozenset({"sparse_csr_tensor", "sparse_csc_tensor", "sparse_bsr_tensor",
                         "sparse_bsc_tensor", "sparse_compressed_tensor"})  # fmt: skip
"""Functions that make what no fake tensor stands for, out of what tensors hold."""


def evaluate_operation(operation: Operation) -> Outcomes:
    """Run an operation on fake tensors; emit it; yield its result."""
    if casting(operation.run) and (has_sparse(operation) or has_quantised(operation)):
        operation.refuse("DYCL064", "a tensor that is not dense is computed with under autocast")
    if has_sparse(operation):
        yield from with_sparse(operation)
        return
    if has_quantised(operation):
        yield from with_quantised(operation)
        return
    run, state = operation.run, operation.state
    if run.plan.differentiates and operation.description.endswith("detach_"):
        operation.refuse("DYCL045", "a tensor is detached in place", "use detach()")
    fakes = materialized(operation)
    symbols = symbols_among(fakes.arguments, fakes.keywords)
    if symbols:
        yield from _at_every_size(operation, fakes, symbols)
        return
    try:
        with under_autocasts(run):
            result, observer = tried(operation, fakes, _known_contents(operation))
    except Refused:
        raise
    except WritesModel as stop:
        refuse_lasting(operation, stop.tensor)
    except Exception as error:
        with under_autocasts(run):
            raised = eager_error(operation, error, fakes)
        run.raise_known(state, raised)
        return
    with under_autocasts(run):
        overlap = _overlap(operation, fakes, observer)
    if overlap is not None:
        run.raise_known(state, overlap)
        return
    yield from emitted(operation, fakes, result, observer)


def _overlap(operation: Operation, fakes: Fakes, observer: Observer) -> Exception | None:
    """Return what PyTorch raises where what is written is read; refuse what it reads too late."""
    given = (operation.compute, fakes.arguments, fakes.keywords)
    error = overlap_error(*given, observer.written)
    if error is None and reads_what_it_wrote(*given, observer.written):
        operation.refuse(
            "DYCL035",
            "elements are written that PyTorch, going from one to the next, reads after that",
            "clone() what is read",
        )
    return error


def _known_contents(operation: Operation) -> dict[int, torch.Tensor]:
    """Return what operands hold that depend on no input, by the fake tensor's id."""
    tensors = [operation.state.current(tensor) for tensor in operation.tensors()]
    return {id(t.fake): t.constant for t in tensors if t.constant is not None}


def _at_every_size(operation: Operation, fakes: Fakes, symbols: list[sympy.Symbol]) -> Outcomes:
    """Evaluate an operation on sizes known only at run time, by paths where it must be."""
    run, state = operation.run, operation.state
    verdict = _verdict(operation, fakes, symbols)
    match verdict:
        case Computed():
            for one, other in verdict.related:
                run.storages.relate(one, other)
            state.size_facts |= verdict.facts | verdict.observer.counts
            refuse_overlap(operation, fakes, verdict.observer)
            yield from emitted(operation, fakes, verdict.result, verdict.observer)
        case Split():
            for arm, _ in _branches(operation, verdict.relation):
                yield from evaluate_operation(replace(operation, state=arm))
        case Raises() if verdict.relation == sympy.true:
            _refuse_other_text(operation, verdict.error)
            run.raise_known(state, verdict.error)
        case Raises():
            _refuse_other_text(operation, verdict.error)
            for arm, raises in _branches(operation, verdict.relation):
                if raises:
                    run.raise_known(arm, verdict.error)
                else:
                    yield from evaluate_operation(replace(operation, state=arm))
        case Undecided():
            operation.refuse(
                "DYCL075",
                f"what {operation.title} gives depends on sizes known only at run time: "
                f"{verdict.reason}",
                "test the sizes before, or give the dimension a narrower range",
            )


def _refuse_other_text(operation: Operation, error: Exception) -> None:
    """Refuse an error whose text names sizes, which the program does not, if that may be seen."""
    looked = operation.run.risks.looked_at
    if str(error) == OF_SOME_SIZES and any(isinstance(error, kinds) for kinds in looked):
        operation.refuse(
            "DYCL063",
            f"this may raise a {type(error).__name__} that names sizes known only at run time, and "
            "a clause looks at it",
            "test the sizes before the operation, or leave out what the error says",
        )


def _verdict(operation: Operation, fakes: Fakes, symbols: list[sympy.Symbol]) -> Verdict:
    if operation.description in _COMPRESSED:
        refuse_result(operation)  # fake tensors raise, and eager does for zeros
    operation.run.sizes.facts = operation.state.size_facts
    call = SizedCall(
        run=operation.run,
        compute=operation.compute,
        arguments=fakes.arguments,
        keywords=fakes.keywords,
        symbols=symbols,
        facts=operation.state.size_facts,
    )
    try:
        with under_autocasts(operation.run):
            return judge(call)
    except WritesModel as stop:
        refuse_lasting(operation, stop.tensor)
    except OF_CONTENT as error:
        refuse_unknown(operation, error)
    except NotDense:
        refuse_result(operation)


def _branches(operation: Operation, relation: sympy.Basic) -> Iterator[tuple[State, bool]]:
    tensors = operation.tensors()
    tensors = [operation.state.current(tensor) for tensor in tensors]
    known = decided(operation.run, operation.state, relation)
    if len(operation.state.size_facts) > _MOST_FACTS or known is not None:
        operation.refuse("DYCL075", f"too many sizes are compared here: {relation}")
    try:
        return branch_on_relation(
            operation.frame, operation.node, operation.state, relation, tensors
        )
    except NotOnHost as error:
        operation.refuse(
            "DYCL075",
            f"what {operation.title} gives depends on {relation}, and the "
            f"host does not have {error}",
        )
