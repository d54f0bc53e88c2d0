"""``torch.autocast`` on the CPU: operations inside are tried, done and emitted under what is set.

Each operation that converts operands there is emitted as ``torch.autocast(...)(operation)(x)``:
statements stay free to move, and branches within the block need no rule.
"""

import ast
from collections.abc import Hashable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import libcst as cst
import torch

if TYPE_CHECKING:
    from rewriter.evaluation.run import Frame, Run


def cast_settings(run: "Run") -> tuple[Hashable, ...]:
    """Return what open regions set, innermost last."""
    return tuple((m.device, m._enabled, m.fast_dtype, m._cache_enabled) for m in run.autocasts)


def casting(run: "Run") -> torch.autocast | None:
    """Return the region that has operations on the CPU convert their operands, if any does."""
    regions = [region for region in run.autocasts if region.device == "cpu"]
    return regions[-1] if regions and regions[-1]._enabled else None


@contextmanager
def under_autocasts(run: "Run") -> Iterator[None]:
    """Have PyTorch run under what open regions set, and remember nothing of what is tried."""
    if not run.autocasts:
        yield
        return
    judgements, run.judgements = run.judgements, {}
    try:
        with ExitStack() as regions:
            for region in run.autocasts:
                regions.enter_context(_like(region))
            yield
    finally:
        run.judgements = judgements


def _like(region: torch.autocast) -> torch.autocast:
    """Return a region of the same settings: one object can be entered once at a time."""
    made = torch.autocast("cpu", enabled=False)
    vars(made).update(vars(region))
    return made


def refuse_stale_casts(frame: "Frame", node: cst.CSTNode, region: torch.autocast) -> None:
    """Refuse a region where PyTorch may take a weight for what it was converted to before.

    It remembers that, until the outermost region ends, by the parameter alone. One object that is
    entered again while it is open leaves autocasting on when both are left.
    """
    if region.device == "cpu" and sum(each is region for each in frame.run.autocasts) > 1:
        frame.refuse("DYCL064", node, "one object of torch.autocast is entered within itself")
    others = [each for each in frame.run.autocasts if each is not region]
    first = others[0] if others else region
    remembered = first.fast_dtype if first.device == "cpu" else torch.bfloat16
    if region.device != "cpu" or not region._enabled:
        return
    if others and region.fast_dtype != remembered:
        frame.refuse("DYCL064", node, "autocast to one type within autocast to another")
    if frame.run.plan.differentiates:
        frame.refuse("DYCL064", node, "autocast in a call that computes gradients")
    roots = frame.run.plan.roots.values()
    if any(isinstance(held, torch.nn.Parameter) for r in roots for held in (r.content, r.initial)):
        frame.refuse("DYCL064", node, "autocast in a program that changes parameters")


def under_autocast(run: "Run", region: torch.autocast, expression: ast.expr) -> ast.expr:
    """Return what computes an operation's expression under a region: of operators, ``@`` alone."""
    match expression:
        case ast.Call(func=function, args=args, keywords=keywords):
            pass
        case ast.BinOp(left=left, op=ast.MatMult(), right=right):
            function, args, keywords = run.builder.reference(torch.matmul, None), [left, right], []
        case _:
            return expression
    dtype = run.builder.reference(region.fast_dtype, None)
    mode = ast.Call(
        func=run.builder.reference(torch.autocast, None),
        args=[ast.Constant("cpu")],
        keywords=[ast.keyword(arg="dtype", value=dtype)],
    )
    called = ast.Call(func=mode, args=[function], keywords=[])
    return ast.Call(func=called, args=args, keywords=keywords)
