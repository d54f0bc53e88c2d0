"""Arguments of classes of lists and dicts of their own, which hold nothing but their items."""

from typing import Any

from ._arguments import Spec, check, describe, refuse
from ._sizes import Sizes


class items_only:
    """A list or dict whose attributes are its items: the model was compiled for no others.

    A dataclass may have fields that are None, and no items.
    """

    def __init__(self, spec: Spec) -> None:
        self.spec = spec

    def __str__(self) -> str:
        return f"{describe(self.spec)}, whose attributes are its items"

    def check(self, place: str, value: Any, sizes: Sizes) -> Any:
        """Return the items, as those of a plain list or dict."""
        items = dict(value) if isinstance(value, dict) else {}
        fields = getattr(value, "__dataclass_fields__", {})
        for name, content in getattr(value, "__dict__", {}).items():
            is_item = name in items and items[name] is content
            if not is_item and not (content is None and name in fields and name not in items):
                refuse(place, self, f"one with the attribute {name!r}")
        return check(self.spec, place, value, sizes)
