"""What some descriptors of ``functools`` give where they are found at an object, in Python."""


def partial_method(method, owner):
    """Return the method that a ``partialmethod`` is."""

    def call(*args, **keywords):
        return method.func(owner, *method.args, *args, **{**method.keywords, **keywords})

    return call


def single_dispatch_method(method, owner):
    """Return the method that a ``singledispatchmethod`` is: chosen by the first argument."""

    def call(*args, **keywords):
        return method.dispatcher.dispatch(args[0].__class__)(owner, *args, **keywords)

    return call


def own_lookup(lookup, owner, name):
    """Return an attribute of an object with ``__getattribute__`` and ``__getattr__``."""
    try:
        return lookup(owner, name)
    except AttributeError:
        return type(owner).__getattr__(owner, name)
