"""Tensors that ask for gradients where a turn of a loop begins.

    x = start.detach().requires_grad_()
    while ...:                                  # x asks here, whichever turn it is
        g, = torch.autograd.grad(energy(x), x)
        x = (x - step * g).detach().requires_grad_()

What stands for ``x`` at the head asks for gradients, and nothing older depends on it, if that is
so of what it is given at the entry and after each turn: a tensor of its own that asked, and of
which nothing has been computed since.
"""

from rewriter.evaluation.run import Frame, Run
from rewriter.flattening import Flattening
from rewriter.gradient_lines import Leaf, Line, line_to
from rewriter.on_the_way import leaves_on_the_way
from rewriter.state import State
from rewriter.values import TensorValue


def asking(run: Run, reached: Flattening) -> set[int]:
    """Return which leaves are tensors that ask, that nobody else holds or has computed with."""
    state = reached.state
    if not run.plan.differentiates or not state.leaves:
        return set()
    line = line_to(run.builder, state.block)
    fresh = {name for leaf in state.leaves if (name := _fresh(line, leaf)) is not None}
    held = [each.name for each in leaves_on_the_way(state, ()) if isinstance(each, TensorValue)]
    names = [_name(state, leaf) for leaf in reached.leaves]
    alone = {name for name in fresh if names.count(name) == 1 and name not in held}
    return {slot for slot, name in enumerate(names) if name in alone}


def ask_at_head(frame: Frame, at_head: State, asked: list[object]) -> None:
    """Note that some tensors of a head ask for gradients from there on."""
    builder = frame.run.builder
    place = (id(builder), at_head.block, builder.length(at_head.block))
    for value in asked:
        if isinstance(value, TensorValue):
            leaf = Leaf(value.name, at_head.current(value).name, place, was_without=True)
            at_head.leaves += (leaf,)


def _fresh(line: Line, leaf: Leaf) -> str | None:
    """Return the variable of a tensor that asked, and was not computed with or written since."""
    now = line.now(leaf)
    if now is None or now[1] != leaf.content:
        return None
    begins, name = now
    made = line.place_of(name)
    if made is None and not leaf.was_without:
        return None
    return None if line.reads(name, begins if made is None else made) else name


def _name(state: State, leaf: object) -> str | None:
    return state.current(leaf).name if isinstance(leaf, TensorValue) else None
