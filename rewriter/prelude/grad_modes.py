"""Functions under ``torch.no_grad()`` and the like, used as decorators."""


def under(mode, function):
    """``mode(function)``: the function runs in the mode each time it is called."""

    def called(*args, **kwargs):
        with mode:
            return function(*args, **kwargs)

    return called
