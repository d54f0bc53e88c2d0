"""A stand-in for ``beartype``: functions of compiled text around functions, as it makes them."""

_TEXT = """
def wrapper(*args, __beartype_func=inner, __beartype_conf=None, **kwargs):
    return __beartype_func(*args, **kwargs)
"""


def beartype(inner):
    """Return a function that has no source and calls another one; methods of classes as well."""
    if isinstance(inner, type):
        for name, found in list(vars(inner).items()):
            if callable(found):
                setattr(inner, name, beartype(found))
        return inner
    names = {"inner": inner}
    exec(compile(_TEXT, f"<@beartype({inner.__qualname__})>", "exec"), names)
    made = names["wrapper"]
    made.__name__, made.__qualname__ = inner.__name__, inner.__qualname__
    made.__module__, made.__wrapped__ = inner.__module__, inner
    return made


beartype.__module__ = "beartype"
