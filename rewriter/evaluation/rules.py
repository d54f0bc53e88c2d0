"""Imports every module that registers evaluation rules."""

from rewriter.evaluation import (
    builtin_calls,
    calls,
    displays,
    exceptions,
    loops,
    names,
    objects,
    operators,
    statements,
    strings,
    subscripts,
)

__all__ = [
    "builtin_calls",
    "calls",
    "displays",
    "exceptions",
    "loops",
    "names",
    "objects",
    "operators",
    "statements",
    "strings",
    "subscripts",
]
