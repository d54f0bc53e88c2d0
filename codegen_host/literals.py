"""Values that Python text can be written for."""


def literal_text(value: object) -> str | None:
    """Return Python text for a value made of literals, None for any other."""
    match value:
        case None | bool() | int() | str() | bytes():
            exact = type(value) in (type(None), bool, int, str, bytes)
            return repr(value) if exact else None
        case range():
            return repr(value)
        case slice():
            parts = [literal_text(part) for part in (value.start, value.stop, value.step)]
            known = [part for part in parts if part is not None]
            return f"slice({', '.join(known)})" if len(known) == len(parts) else None
        case float() if type(value) is float:
            text = repr(value)
            return f"float({text!r})" if text in ("inf", "-inf", "nan") else text
        case tuple() | list() if type(value) in (tuple, list):
            items = [literal_text(item) for item in value]
            known = [item for item in items if item is not None]
            if len(known) < len(items):
                return None
            inner = ", ".join(known)
            if type(value) is list:
                return f"[{inner}]"
            return f"({inner},)" if len(known) == 1 else f"({inner})"
        case dict() if type(value) is dict:
            pairs = [(literal_text(key), literal_text(item)) for key, item in value.items()]
            if any(key is None or item is None for key, item in pairs):
                return None
            return "{" + ", ".join(f"{key}: {item}" for key, item in pairs) + "}"
        case _:
            return None
