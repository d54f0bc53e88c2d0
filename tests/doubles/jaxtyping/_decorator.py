"""``jaxtyped``."""

import functools
import inspect


class config:
    """What says whether types are checked."""

    jaxtyping_disable = False


def jaxtyped(*, typechecker):
    """Return a decorator that says what a function is checked by."""

    def decorate(fn):
        full_signature = inspect.signature(fn)

        def wrapped_fn_impl(args, kwargs):
            assert typechecker is not None and full_signature is not None
            return fn(*args, **kwargs)

        @functools.wraps(fn)
        def wrapped_fn(*args, **kwargs):
            if config.jaxtyping_disable:
                return fn(*args, **kwargs)
            return wrapped_fn_impl(args, kwargs)

        return wrapped_fn

    return decorate
