"""Keys of dicts that are arguments: code reads an item by the text of its key."""

import ast

import torch

from rewriter.diagnostics import CompileError, Diagnostic


def literal_key(key: object, place: str) -> object:
    """Return a literal that finds what ``key`` finds; refuse other keys.

    A ``torch.Size`` is found by a tuple. Tensors and objects of the program have no literals.
    """
    found = tuple(key) if isinstance(key, torch.Size) else key
    if _is_literal(found):
        return found
    message = (
        f"argument {place!r} has the key {key!r}: keys of a dict that is an argument are strings, "
        "finite numbers, None, and tuples of these"
    )
    raise CompileError([Diagnostic(code="DYCL072", message=message, origin=None)])


def _is_literal(key: object) -> bool:
    try:
        read = ast.literal_eval(repr(key))
    except (ValueError, SyntaxError):
        return False
    return type(read) is type(key) and bool(read == key)
