"""``yield`` inside of ``with`` in a function under ``@contextmanager``."""

import contextlib
import warnings

import torch
from torch import nn

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (ZERO,)]
BOTH = [(POSITIVE,), (NEGATIVE,)]


class _Noting:
    """Notes when it is entered and left, and what with; may end an error, or raise."""

    def __init__(self, log, name, way=None):
        self.log, self.name, self.way = log, name, way

    def __enter__(self):
        self.log.append("enter " + self.name)
        if self.way == "refuse":
            raise RuntimeError("not " + self.name)
        return self

    def __exit__(self, kind, error, trace):
        self.log.append(f"exit {self.name} {kind.__name__ if kind else None} {error}")
        if self.way == "raise":
            raise RuntimeError("by " + self.name)
        return self.way == "swallow"


@contextlib.contextmanager
def _noted(log, name, way=None):
    log.append("begin " + name)
    with _Noting(log, name, way) as noting:
        yield noting
        log.append("left " + name)
    log.append("end " + name)


@contextlib.contextmanager
def _without_gradients():
    with torch.no_grad():
        yield


@contextlib.contextmanager
def _finally(log, *ways):
    log.append("try")
    try:
        with _Noting(log, "a", ways[0]), _Noting(log, "b", ways[1]) as b:
            yield b.name
    finally:
        log.append("finally")


def _by_sign(x, log, manager):
    """Leave a block by an error, a result or its end."""
    try:
        with manager as given:
            total = x.sum()
            log.append(given if isinstance(given, str) else "body")
            if total > 0:
                raise KeyError("k")
            if total < 0:
                return "returned"
            log.append("end of the body")
    except (KeyError, RuntimeError) as error:
        log.append(repr(error))
    return "after"


@case(inputs=SIGNS)
def one_manager(x):
    """An object's manager is left when the block is, and told of its error"""
    log = []
    way = _by_sign(x, log, _noted(log, "a"))
    return way, log


@case(inputs=SIGNS)
def ends_the_error(x):
    """It may end the error: the function goes on after its `with`"""
    log = []
    way = _by_sign(x, log, _noted(log, "a", "swallow"))
    return way, log


@case(inputs=SIGNS)
def raises_another(x):
    """It may raise another one when it is left"""
    log = []
    way = _by_sign(x, log, _noted(log, "a", "raise"))
    return way, log


@case(inputs=SIGNS)
def cannot_be_entered(x):
    """It may raise when it is entered: the block does not run"""
    log = []
    way = _by_sign(x, log, _noted(log, "a", "refuse"))
    return way, log


@case(inputs=SIGNS)
def two_and_finally(x):
    """Two managers within `try` and `finally`: the second ends the first one's error, or raises"""
    log = []
    ways = [
        _by_sign(x, log, _finally(log, None, None)),
        _by_sign(x, log, _finally(log, "swallow", "raise")),
        _by_sign(x, log, _finally(log, None, "swallow")),
        _by_sign(x, log, _finally(log, "swallow", "refuse")),
        _by_sign(x, log, _finally(log, None, "refuse")),
    ]
    return ways, log


@contextlib.contextmanager
def _handled(log):
    with _Noting(log, "outer"):
        try:
            yield "inner"
        except KeyError as error:
            log.append(f"handled {error}")
        else:
            log.append("else")


@case(inputs=SIGNS)
def handled_inside(x):
    """`try` within `with`: the manager around sees no error that is handled"""
    log = []
    way = _by_sign(x, log, _handled(log))
    return way, log


@contextlib.contextmanager
def _deep(log):
    with _noted(log, "x") as one, _handled(log) as two:
        with _noted(log, one.name + two):
            yield two


@case(inputs=SIGNS)
def one_in_another(x):
    """Managers made of functions, in functions that make managers"""
    log = []
    way = _by_sign(x, log, _deep(log))
    return way, log


@contextlib.contextmanager
def _stacked(log, names):
    with contextlib.ExitStack() as stack:
        for name in names:
            stack.enter_context(_Noting(log, name))
        stack.callback(log.append, "called")
        yield names[0]


@case(inputs=SIGNS)
def a_stack(x):
    """A stack of managers around the `yield`"""
    log = []
    way = _by_sign(x, log, _stacked(log, "abc"))
    return way, log


@case(inputs=SIGNS)
def on_a_stack(x):
    """Such a manager on a stack of the caller's"""
    log = []
    try:
        with contextlib.ExitStack() as stack:
            stack.enter_context(_noted(log, "a"))
            stack.enter_context(_finally(log, None, None))
            if x.sum() > 0:
                raise KeyError("k")
            if x.sum() < 0:
                return "returned", log
    except KeyError as error:
        log.append(repr(error))
    return "after", log


@contextlib.contextmanager
def _suppressed(log):
    with contextlib.suppress(KeyError, ZeroDivisionError):
        yield "suppressing"
        log.append("no error")
    log.append("after")


@case(inputs=SIGNS)
def suppressed(x):
    """`contextlib.suppress` around the `yield`"""
    log = []
    way = _by_sign(x, log, _suppressed(log))
    return way, log


@case(inputs=SIGNS)
def suppressed_errors_of_the_run(x):
    """It ends what Python raises for values of the run"""
    log, table = [], {1: "one", 0: "zero"}
    sign = int(x.sum().sign().item())
    with _suppressed(log):
        log.append(table[sign])
        log.append(1 / sign)
    return log


@case(inputs=SIGNS)
def gradients(x):
    """`torch.no_grad()` in such a function lasts while the block is executed"""
    seen = [torch.is_grad_enabled()]
    with torch.enable_grad():
        with _without_gradients():
            seen.append(torch.is_grad_enabled())
            if x.sum() > 0:
                x = x * 2
        seen.append(torch.is_grad_enabled())
    return x, seen[1:]


class _Asking:
    """Notes whether gradients are computed when it is left."""

    def __init__(self, seen):
        self.seen = seen

    def __enter__(self):
        self.seen.append(torch.is_grad_enabled())

    def __exit__(self, *error):
        self.seen.append(torch.is_grad_enabled())


@contextlib.contextmanager
def _asked(seen):
    with torch.enable_grad(), _Asking(seen), _without_gradients(), _Asking(seen):
        yield


@case(inputs=SIGNS)
def gradients_while_left(x):
    """What is left in turn runs under what is around it"""
    seen = []
    try:
        with _asked(seen):
            seen.append(torch.is_grad_enabled())
            if x.sum() > 0:
                raise KeyError("k")
            if x.sum() < 0:
                return x, seen
    except KeyError:
        x = x + 1
    return x, seen


@contextlib.contextmanager
def _chosen(log, positive):
    if positive:
        with _Noting(log, "positive"):
            yield 2
    else:
        yield 3


@case(inputs=BOTH)
def on_one_path(x):
    """One of two paths waits in a `with`"""
    log = []
    with _chosen(log, x.sum() > 0) as factor:
        x = x * factor
    return x, log


@case(inputs=SIGNS)
def in_a_loop(x):
    """break and continue leave the managers of each turn"""
    log = []
    for i in range(4):
        with _noted(log, str(i)):
            if x.sum() > 0 and i == 1:
                continue
            if x.sum() < 0 and i == 2:
                break
            x = x + i
    return x, log


@case(inputs=[*SIGNS, (POSITIVE * 7,)])
def in_a_loop_of_the_run(x):
    """A loop whose number of turns only the run knows"""
    count, inside = 0, []
    with _noted(inside, "loop"):
        while x.abs().sum() > 1:
            with _without_gradients():
                x = x / 2
                count += 1
    return x, count, inside


@contextlib.contextmanager
def _unpacked(pairs):
    held = {}
    with contextlib.nullcontext(pairs) as (held["first"], [one, *others]):
        yield held, one, others


@case(inputs=BOTH)
def targets(x):
    """What a manager gives is assigned to any target"""
    with _unpacked((x, (1, 2, 3))) as (held, one, others):
        y = held["first"] + one
        if y.sum() > 0:
            y = y + sum(others)
    return y


@contextlib.contextmanager
def _twice(log):
    for name in ("a", "b"):
        with _Noting(log, name):
            yield name


@case(inputs=BOTH)
def left_before_the_end(x):
    """`return` after the `yield`, from within"""

    @contextlib.contextmanager
    def ending(log):
        with _Noting(log, "a"):
            yield
            if x.sum() > 0:
                return
            log.append("below")
        log.append("not left before")

    log = []
    with ending(log):
        y = x * 2
    return y, log


@case(inputs=BOTH)
def quiet(x):
    """Warnings are caught while the block is executed"""

    @contextlib.contextmanager
    def ignoring():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield

    with ignoring():
        if x.sum() > 0:
            warnings.warn("unheard", stacklevel=2)
        y = x + 1
    return y


class Hooked(nn.Module):
    """Layers on which a method registers hooks while a block is executed."""

    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)

    @contextlib.contextmanager
    def watched(self, outputs):
        """Gather outputs."""

        def keep(module, inputs, output):
            outputs.append(output)

        with (
            self.first.register_forward_hook(keep),
            self.second.register_forward_hook(keep),
        ):
            yield outputs


@case(inputs=[(POSITIVE,), (NEGATIVE,), (MIXED,)])
class HooksOfABlock(Hooked):
    """Hooks that are removed where a block ends"""

    def forward(self, x):
        with self.watched([]) as outputs:
            y = self.second(self.first(x))
        if x.sum() > 0:
            y = y + self.first(y)
        return y, len(outputs), outputs[0]


@contextlib.contextmanager
def _looking_up(log, table, key):
    try:
        try:
            yield
        finally:
            log.append(table[key])
    except KeyError:
        log.append("missing")


@case(inputs=SIGNS)
def error_of_finally(x):
    """What `finally` raises for values of the run is caught around it, on each way out"""
    log, key = [], int(x.sum().sign().item())
    way = _by_sign(x, log, _looking_up(log, {0: "zero"}, key))
    return way, log


@case(inputs=BOTH, refused="DYCL064")
def generator_left_alone(x):
    """Python would leave the manager when nobody holds the generator any longer"""

    def parts(log):
        with _Noting(log, "a"):
            yield x
            yield x + 1

    log = []
    for part in parts(log):  # <- refused
        if part.sum() > 0:
            break
    return part, log


@case(inputs=BOTH, refused="DYCL002")
def yields_a_manager(x):
    """`yield` in the place of the manager itself"""

    @contextlib.contextmanager
    def given(log):
        with (yield "name") or _Noting(log, "a"):  # <- refused  # known
            log.append("within")

    log = []
    with given(log) as name:
        if x.sum() > 0:
            log.append(name)
    return log


@case(inputs=BOTH, refused="DYCL064")
def mode_of_a_stack(x):
    """Gradients would not be computed until the stack is left"""
    with torch.enable_grad(), contextlib.ExitStack() as stack:
        stack.enter_context(_without_gradients())  # <- refused
        if x.sum() > 0:
            x = x * 2
        seen = torch.is_grad_enabled()
    return x, seen


@case(inputs=BOTH, refused="DYCL064")
def stack_not_left(x):
    """Python would leave the manager when nobody holds the stack any longer"""
    log = []
    stack = contextlib.ExitStack()
    stack.enter_context(_noted(log, "a"))  # <- refused
    if x.sum() > 0:
        x = x * 2
    return x, log


@case(inputs=BOTH, refused="DYCL064")
def waits_again(x):
    """A second `yield` is an error, and Python leaves the manager when it closes the generator"""
    log = []
    try:
        with _twice(log) as name:  # <- refused
            if x.sum() > 0:
                x = x * 2
    except RuntimeError as error:
        log.append(str(error))
    return x, log
