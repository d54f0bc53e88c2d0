"""``torch.jit.fork``: outside of TorchScript the call has ended when it returns."""

import torch


class Future:
    """What a call gave, to be waited for."""

    def __init__(self, result):
        self._result = result

    def wait(self):
        """Return the result."""
        return self._result

    def value(self):
        """Return the result."""
        return self._result

    def done(self):
        """Return that there is a result."""
        return True


def wait(future):
    """``torch.jit.wait``."""
    if not isinstance(future, torch._C.Future):
        raise TypeError("wait(): incompatible function arguments")
    return future.wait()
