"""The parameters that a call of a function has."""

import inspect
import types


def call_signature(function: types.FunctionType) -> inspect.Signature:
    """Return what Python's call goes by: the code and the defaults.

    ``inspect.signature`` goes by what decorators left on the function: ``__signature__``,
    ``__wrapped__``, the ``partialmethod`` that made it.
    """
    bare = types.FunctionType(
        function.__code__, {}, function.__name__, function.__defaults__, function.__closure__
    )
    bare.__kwdefaults__ = function.__kwdefaults__
    return inspect.signature(bare)
