"""What classes give their instances."""

from typing import Any


def class_member(kind: type, name: str, default: object = None) -> Any:
    """Return what a class, or one that it inherits from, has under a name.

    Its own class is not asked, as ``inspect.getattr_static`` does: that gives instances nothing.
    """
    return next((vars(each)[name] for each in kind.__mro__ if name in vars(each)), default)
