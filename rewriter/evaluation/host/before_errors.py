"""Before what may raise, and nothing catches: what is kept is stored, cleanups are announced.

An error that nothing in the program catches leaves it at once. On its way it runs ``finally``
clauses and ``__exit__`` methods. What these would do is evaluated here, from the state as it is
before the statement that may raise: what is kept is stored as they would leave it, and what they
do besides (print, append to a list) is announced, so that ``AfterErrors`` does it.
"""

import ast
from collections.abc import Callable, Sequence
from typing import NoReturn

from rewriter.after_errors import AfterErrors
from rewriter.diagnostics import Diagnostic
from rewriter.evaluation.host.late_calls import LateCalls
from rewriter.evaluation.refusals import Refused
from rewriter.evaluation.run import Run
from rewriter.evaluation.same_values import changed_cells, is_changed
from rewriter.flattening import Flattening, Roots
from rewriter.origin import Origin
from rewriter.program import CallStatement, HostStatement, Statement, TensorStatement
from rewriter.state import State
from rewriter.values import Known

_Store = Callable[[State, Origin], None]
_SAID = ("", "what is done after errors")
_NOTHING = ""


def before_error(run: Run, state: State, origin: Origin) -> None:
    """Get ready for an error of the host."""
    _get_ready(run, state, origin, run.risks.before)


def before_tensor_error(run: Run, state: State, origin: Origin) -> None:
    """Get ready for an error of tensor code."""
    _get_ready(run, state, origin, run.risks.before_tensors)


def before_call(run: Run, state: State, origin: Origin) -> bool:
    """Get ready for an error of a function of its own; return whether that says it is called."""
    return _get_ready(run, state, origin, run.risks.before, calling=True)


def after_call(run: Run, state: State, origin: Origin) -> None:
    """Say that the function has returned."""
    _emit(run, state, origin, AfterErrors.returned.__name__, [])


def all_done(run: Run, states: Sequence[State], origin: Origin, announced: int) -> None:
    """At the end of a ``try``: say that nothing is to be done any more, if anything was.

    ``announced`` is how often something was when it began.
    """
    for state in states if run.risks.announced > announced else ():
        if _is_said(run, state) != _NOTHING:
            _say(run, state, origin, [])


def _get_ready(
    run: Run, state: State, origin: Origin, store: _Store | None, *, calling: bool = False
) -> bool:
    if run.risks.cleaning:
        _refuse(origin, "what is done here after an error may raise itself")
    if not run.risks.cleanups:
        _require_left(run, state)
        if store is not None:
            store(state, origin)
        return False
    return _Cleaning(run, state, origin, store, calling).announce()


class _Cleaning:
    """What the open statements do if what comes next raises."""

    def __init__(
        self, run: Run, state: State, origin: Origin, store: _Store | None, calling: bool
    ) -> None:
        self._run, self._state, self._origin = run, state, origin
        self._store, self._calling = store, calling
        self._block = state.block
        self._start = run.builder.length(state.block)

    def announce(self) -> bool:
        """Store and announce; return whether a call is announced."""
        run = self._run
        counts = run.effects, run.branches
        end = self._end()
        run.effects, run.branches = counts
        _require_left(run, end or self._state)
        if end is None:
            if self._store is not None:
                self._store(self._state, self._origin)
            return self._say([])
        tail = run.builder.tail(self._block, self._start)
        is_effective = any(map(_is_effect, tail))
        if self._calling and not _keeps_lent(run, self._state, end):
            self._refuse_unclear()
        if self._store is not None:
            self._store(end, self._origin)
        if not is_effective:
            return self._say([])
        tail = run.builder.tail(self._block, self._start)
        calls = LateCalls(run.builder, moved=self._calling)
        if not all(map(calls.take, tail)):
            self._refuse_unclear()
        run.builder.replace_tail(self._block, self._start, calls.early)
        return self._say(calls.steps())

    def _end(self) -> State | None:
        """Evaluate what is done; return the state after it, None where nothing of it is seen."""
        run = self._run
        checkpoint, effects = run.builder.checkpoint(self._block), run.builder.effects
        known = len(run.diagnostics)
        ends = [self._state.fork(self._block)]
        for cleanup in reversed(run.risks.cleanups):
            ends = [after for end in ends for after in cleanup(end)]
        if len(ends) == 1 and ends[0].block == self._block:
            return ends[0]
        quiet = run.builder.effects == effects
        run.builder.rollback(checkpoint)
        unseen = ends and quiet and all(_keeps_all(run, self._state, end) for end in ends)
        if not unseen and len(run.diagnostics) == known:
            self._refuse_unclear()
        return None

    def _say(self, steps: list[ast.expr]) -> bool:
        run, state = self._run, self._state
        if not steps and not run.risks.announced:
            return False
        if self._calling and steps:
            run.risks.announced += 1
            _emit(run, state, self._origin, AfterErrors.calling.__name__, steps)
            return True
        if _is_said(run, state) != _text(steps):
            _say(run, state, self._origin, steps)
        return False

    def _refuse_unclear(self) -> NoReturn:
        _refuse(
            self._origin,
            "this may raise, depending on run-time values, where nothing catches it, and what a "
            "`finally` or `__exit__` around it does then cannot be told",
        )


def _require_left(run: Run, state: State) -> None:
    """Refuse an error that leaves generators alone which do something when they are closed."""
    if run.calls.managers.key in state.attributes:
        run.calls.managers.require_left(state, [frame.identity for frame in run.frames])


def _is_effect(statement: Statement) -> bool:
    match statement:
        case HostStatement():
            return statement.effect or statement.target is None
        case CallStatement():
            return True
        case TensorStatement():
            return bool(statement.updates) or statement.stores_into is not None
        case _:
            return False


def _keeps_lent(run: Run, state: State, end: State) -> bool:
    """Return whether arguments of the caller are as they were."""
    places = (id(run.arguments), id(run.containers))
    return _keeps(state, end, [key for key in state.attributes if key[0] in places])


def _keeps_all(run: Run, state: State, end: State) -> bool:
    """Return whether all that is seen after the call is as it was."""
    kept = [key for key in run.plan.roots if key in state.attributes or key in end.attributes]
    return _keeps_lent(run, state, end) and _keeps(state, end, kept)


def _keeps(state: State, end: State, keys: Sequence[tuple[int, str]]) -> bool:
    for key in keys:
        was, now = state.attributes.get(key), end.attributes.get(key)
        if was is None or now is None or is_changed(state, was, end, now):
            return False
    roots = Roots(frames=(), attributes=tuple(keys))
    return not changed_cells(Flattening(state, roots).run().cells, state, end)


def _is_said(run: Run, state: State) -> str:
    """Return what is said to be done as far as it is known, as text."""
    said = state.remembered(*_SAID, run.builder)
    return said.value if isinstance(said, Known) and isinstance(said.value, str) else "?"


def _text(steps: Sequence[ast.expr]) -> str:
    return "; ".join(map(ast.unparse, steps))


def _say(run: Run, state: State, origin: Origin, steps: list[ast.expr]) -> None:
    run.risks.announced += bool(steps)
    _emit(run, state, origin, AfterErrors.do.__name__, steps)
    state.remember(*_SAID, run.builder, Known(_text(steps)))


def _emit(run: Run, state: State, origin: Origin, name: str, steps: list[ast.expr]) -> None:
    holder = run.builder.reference(AfterErrors, AfterErrors.__name__)
    method = ast.Attribute(value=holder, attr=name, ctx=ast.Load())
    call = ast.Call(func=method, args=steps, keywords=[])
    run.effects += 1
    run.builder.emit(
        state.block, HostStatement(target=None, expression=call, origin=origin, effect=True)
    )


def _refuse(origin: Origin, message: str) -> NoReturn:
    help_ = "test the value before the operation instead"
    raise Refused(Diagnostic(code="DYCL063", message=message, origin=origin, help=help_))
