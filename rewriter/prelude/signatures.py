"""What ``inspect.Signature.bind`` gives: arguments by the names of parameters."""

import inspect

_BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


class BoundArguments:
    """Arguments by name, as ``inspect.BoundArguments``."""

    signature = arguments = ()

    def __init__(self, signature, arguments):
        """Remember what is bound."""
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        """What is passed by position."""
        values = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in _BY_NAME or name not in self.arguments:
                break
            if parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                values.extend(self.arguments[name])
            else:
                values.append(self.arguments[name])
        return tuple(values)

    @property
    def kwargs(self):
        """What is passed by name: also what comes after an argument that is not given."""
        named = {}
        by_name = False
        for name, parameter in self.signature.parameters.items():
            by_name = by_name or parameter.kind in _BY_NAME
            if name not in self.arguments:
                by_name = True
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                named.update(self.arguments[name])
            elif by_name:
                named[name] = self.arguments[name]
        return named

    def apply_defaults(self):
        """Put in what the function takes where nothing is given."""
        arguments = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                arguments[name] = self.arguments[name]
            elif parameter.default is not inspect.Parameter.empty:
                arguments[name] = parameter.default
            elif parameter.kind is inspect.Parameter.VAR_POSITIONAL:
                arguments[name] = ()
            elif parameter.kind is inspect.Parameter.VAR_KEYWORD:
                arguments[name] = {}
        self.arguments = arguments


def bound(signature, plan, /, *values, **named):
    """Return the arguments that a plan says: which of the values go where."""
    arguments = {}
    for name, many, place in plan:
        if many is tuple:
            arguments[name] = tuple(values[one] for one in place)
        elif many is dict:
            arguments[name] = {key: named[key] for key in place}
        else:
            arguments[name] = values[place] if isinstance(place, int) else named[place]
    return BoundArguments(signature, arguments)
