"""``torch.utils.hooks``: the handle by which a hook is removed."""


def remove_hook(handle):
    """Remove a hook from its module."""


def what_it_holds(handle):
    """Refuse to show what a handle holds: numbers that count all handles there were."""


class RemovableHandle:
    """What stands for ``torch.utils.hooks.RemovableHandle``."""

    id = hooks_dict_ref = extra_dict_ref = property(what_it_holds)

    def __init__(self, module, table):
        self._module = module
        self._table = table

    def remove(self):
        """Remove the hook, once or several times."""
        remove_hook(self)

    def __getstate__(self):
        what_it_holds(self)

    def __enter__(self):
        return self

    def __exit__(self, type, value, tb):
        self.remove()
