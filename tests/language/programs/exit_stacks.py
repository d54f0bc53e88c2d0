"""``contextlib.ExitStack`` and ``closing``: what is left, in which order, and which error wins."""

import contextlib

import torch

from tests.language.harness import NEGATIVE, POSITIVE, ZERO, case

SIGNS = [(POSITIVE,), (NEGATIVE,), (ZERO,)]
BOTH = [(POSITIVE,), (NEGATIVE,)]


class _Noting:
    """Notes when it is entered and left; may end an error, or raise another."""

    def __init__(self, log, name, way=None):
        self.log, self.name, self.way = log, name, way

    def __enter__(self):
        self.log.append("enter " + self.name)
        return self.name

    def __exit__(self, kind, error, trace):
        self.log.append(f"exit {self.name} {kind.__name__ if kind else None} {error}")
        if self.way == "raise":
            raise RuntimeError("by " + self.name)
        return self.way == "swallow"


@contextlib.contextmanager
def _section(log, name):
    log.append("begin " + name)
    try:
        yield name
    except KeyError as error:
        log.append(f"key {error}")
    finally:
        log.append("end " + name)


def _under(x, log, *managers):
    try:
        with contextlib.ExitStack() as stack:
            for manager in managers:
                log.append(stack.enter_context(manager))
            stack.callback(log.append, "called")
            total = x.sum()
            if total > 0:
                raise KeyError("k")
            if total < 0:
                return "returned"
            log.append("end of the body")
    except (KeyError, RuntimeError) as error:
        log.append(repr(error))
    return "after"


@case(inputs=SIGNS)
def left_in_turn(x):
    """The last that was entered is left first, on every way out."""
    log = []
    return _under(x, log, _Noting(log, "a"), _Noting(log, "b")), log


@case(inputs=SIGNS)
def one_ends_the_error(x):
    """Those before one that ends the error are left without it."""
    log = []
    managers = [_Noting(log, "a"), _Noting(log, "b", "swallow"), _Noting(log, "c")]
    return _under(x, log, *managers), log


@case(inputs=SIGNS)
def one_raises_another(x):
    """What is raised while it is left takes the place of the body's error."""
    log = []
    managers = [_Noting(log, "a"), _Noting(log, "b", "raise"), _Noting(log, "c")]
    return _under(x, log, *managers), log


@case(inputs=SIGNS)
def another_is_ended(x):
    """It may be ended by one before."""
    log = []
    managers = [_Noting(log, "a", "swallow"), _Noting(log, "b", "raise"), _Noting(log, "c")]
    return _under(x, log, *managers), log


@case(inputs=SIGNS)
def generator_on_a_stack(x):
    """A generator's ``except`` ends it, too."""
    log = []
    return _under(x, log, _Noting(log, "a"), _section(log, "s"), _Noting(log, "c")), log


@case(inputs=SIGNS)
def library_managers_on_a_stack(x):
    """suppress, nullcontext and no_grad."""
    log = []
    managers = [contextlib.suppress(KeyError), contextlib.nullcontext(3), torch.no_grad()]
    return _under(x, log, _Noting(log, "a"), *managers), log


@case(inputs=SIGNS)
def another_error_is_suppressed(x):
    """suppress lets other errors pass."""
    log = []
    return _under(x, log, contextlib.suppress(ValueError), _Noting(log, "a")), log


@case(inputs=SIGNS)
def error_of_the_run(x):
    """A division by zero of the run is ended as well."""
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.suppress(ZeroDivisionError))
        log.append(3 / int(x.sum()))
    return log


@case(inputs=BOTH)
def functions_on_a_stack(x):
    """A function that is pushed is told of the error; pop_all hands over what is to be done."""
    log = []

    def leave(kind, error, trace):
        log.append(str(error))
        return True

    other = contextlib.ExitStack()
    with contextlib.ExitStack() as stack:
        stack.push(leave)
        stack.push(_Noting(log, "a"))
        if x.sum() > 0:
            raise KeyError("k")
        other = stack.pop_all()
    log.append("still open")
    other.close()
    return log, isinstance(other, contextlib.ExitStack)


@case(inputs=BOTH)
def entered_on_one_path(x):
    """What is entered on some paths is left on these."""
    log = []
    with contextlib.ExitStack() as stack:
        if x.sum() > 0:
            stack.enter_context(_Noting(log, "a"))
        stack.enter_context(torch.no_grad())
        x = x + 1
    return x, log


class _Managers:
    """A list of managers that are entered and left together."""

    def __init__(self, managers):
        self.managers = managers
        self.stack = contextlib.ExitStack()

    def __enter__(self):
        for manager in self.managers:
            self.stack.enter_context(manager)  # <- refused

    def __exit__(self, *args, **kwargs):
        self.stack.__exit__(*args, **kwargs)


@case(inputs=BOTH)
def stack_of_an_object(x):
    """A stack that another manager holds."""
    with _Managers([contextlib.nullcontext(), torch.no_grad()]):
        if x.sum() > 0:
            x = x + 1
    return x


@case(inputs=BOTH, refused="DYCL064")
def ends_errors_out_of_sight(x):
    """Where a call enters a manager that may end errors, errors of the run are not seen."""
    log = []
    with _Managers([contextlib.suppress(ZeroDivisionError)]):
        log.append(3 / int(x.sum()))
    return log


@case(inputs=BOTH, refused="DYCL064")
def gradients_on_a_stack(x):
    """Gradients would be computed until the stack is left."""
    with contextlib.ExitStack() as stack:
        stack.enter_context(torch.enable_grad())  # <- refused
        return x + 1


@case(inputs=SIGNS, refused="DYCL064")
def handed_over_and_dropped(x):
    """Python would close a generator whose stack nobody holds any longer."""
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(_section(log, "a"))  # <- refused
        stack.pop_all()
    return x, log


@case(inputs=SIGNS, refused="DYCL064")
def dropped_in_a_loop(x):
    """The same of one stack after another."""
    log = []
    for _ in range(int(x.abs().sum())):
        stack = contextlib.ExitStack()
        stack.enter_context(_section(log, "a"))  # <- refused
    return log


@contextlib.contextmanager
def _even_closing(log):
    try:
        yield
    except BaseException as error:
        log.append(type(error).__name__)


@case(inputs=SIGNS, refused="DYCL064")
def told_of_closing(x):
    """A handler for all errors sees that its generator is closed."""
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(_even_closing(log))  # <- refused
        stack.pop_all()
    return x, log


@contextlib.contextmanager
def _plain(log):
    log.append("begin")
    yield
    log.append("end")


@case(inputs=SIGNS)
def nothing_runs_when_closed(x):
    """One that has nothing around its ``yield`` may be dropped."""
    log = []
    with contextlib.ExitStack() as stack:
        stack.enter_context(_plain(log))
        if x.sum() > 0:
            stack.pop_all()
    return x, log


@case(inputs=SIGNS, refused="DYCL064")
def left_by_hand(x):
    """A stack that is closed in each turn of a loop."""
    log = []
    for _ in range(int(x.abs().sum())):
        stack = contextlib.ExitStack()
        stack.enter_context(_section(log, "a"))  # <- refused
        stack.close()
    return log


class _File:
    closed = False

    def close(self):
        self.closed = True


@case(inputs=BOTH)
def closing_an_object(x):
    """``closing`` calls close() on every way out."""
    file = _File()
    try:
        with contextlib.closing(file) as same:
            if x.sum() > 0:
                raise KeyError("k")
    except KeyError:
        x = x - 1
    return x, file.closed, same is file
