"""``contextlib.ExitStack`` and ``closing``: managers that are left when something else is."""

import inspect

_MANAGER, _FUNCTION, _CALLBACK = 0, 1, 2


def enter_itself(self):
    """Stand for ``contextlib.AbstractContextManager.__enter__``."""
    return self


def enter(manager):
    """Enter any context manager; give what it gives."""


def leave(manager, kind, error, trace):
    """Leave any context manager; tell whether it ended the exception."""


def traceback_of(error):
    """Give what Python notes in an error where it passes."""


def require_guards():
    """Refuse what may end exceptions where errors of the run are not looked after."""


class ExitStack:
    """What stands for ``contextlib.ExitStack``."""

    def __init__(self):
        self._exits = []

    def enter_context(self, cm):
        """Enter a manager, which is left when the stack is."""
        given = enter(cm)
        self._exits.append((_MANAGER, cm, (), {}))
        return given

    def push(self, exit):
        """Have a manager left that is not entered here, or a function called as one."""
        if inspect.isfunction(exit) or inspect.ismethod(exit):
            require_guards()
            self._exits.append((_FUNCTION, exit, (), {}))
        else:
            self._exits.append((_MANAGER, exit, (), {}))
        return exit

    def callback(self, callback, /, *args, **kwds):
        """Have a function called, which is told of no exception."""
        self._exits.append((_CALLBACK, callback, args, kwds))
        return callback

    def pop_all(self):
        """Hand over what is to be done to a new stack."""
        other = ExitStack()
        other._exits = self._exits
        self._exits = []
        return other

    def close(self):
        """Do now what is to be done."""
        self.__exit__(None, None, None)

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        received = error is not None
        suppressed = pending = False
        while self._exits:
            form, left, args, kwds = self._exits.pop()
            try:
                if form == _MANAGER:
                    ended = leave(left, kind, error, trace)
                elif form == _FUNCTION:
                    ended = left(kind, error, trace)
                else:
                    left(*args, **kwds)
                    ended = False
            except BaseException as raised:
                kind, error, trace = type(raised), raised, traceback_of(raised)
                pending = True
                continue
            if ended:
                kind = error = trace = None
                suppressed, pending = True, False
        if pending:
            raise error
        return received and suppressed


class closing:
    """What stands for ``contextlib.closing``."""

    def __init__(self, thing):
        self.thing = thing

    def __enter__(self):
        return self.thing

    def __exit__(self, *exc_info):
        self.thing.close()
