"""``contextvars``: what ``set`` gives to be handed to ``reset``."""


class Token:
    """What a context variable held before it was set."""

    var = old_value = ()

    def __init__(self, var, old_value):
        self.var = var
        self.old_value = old_value
        self._used = False
