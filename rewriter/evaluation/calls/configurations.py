"""Configurations of ``omegaconf``, which need not be installed: reading one is done when compiled.

What is read is noted in caches within the configuration. Interpolations that call a resolver are
evaluated as the library's source says, since a resolver may do anything.
"""

import types
from collections.abc import Iterator
from typing import Any

import libcst as cst

from rewriter.evaluation.calls.compile_time_calls import call_now
from rewriter.evaluation.calls.inlining import inline_function
from rewriter.evaluation.calls.special_calls import Keywords, Positional, SpecialRule
from rewriter.evaluation.rendering import known_object
from rewriter.evaluation.run import Frame, Outcomes
from rewriter.state import State
from rewriter.values import NONE, Known

_READING = frozenset(
    {"__getattr__", "__getitem__", "__contains__", "__iter__", "__len__", "__eq__", "__ne__",
     "__str__", "__repr__", "__bool__", "get", "keys", "values", "items", "items_ex", "index",
     "count", "to_container", "to_yaml", "select", "is_config", "is_dict", "is_list",
     "is_missing", "is_interpolation", "is_readonly", "is_struct", "get_type"}
)  # fmt: skip
_WRITING = frozenset(
    {"__setattr__", "__setitem__", "__delattr__", "__delitem__", "pop", "popitem", "update",
     "setdefault", "clear", "append", "extend", "insert", "remove", "sort", "merge_with",
     "set_readonly", "set_struct", "resolve"}
)  # fmt: skip


_DEFAULT = object()


def configuration_rule(content: object) -> SpecialRule | None:
    """Return the rule for a function of ``omegaconf`` that reads or writes, None for others."""
    if not isinstance(content, types.FunctionType):
        return None
    if not str(content.__module__).startswith("omegaconf."):
        return None
    name = content.__name__
    if name not in _READING | _WRITING:
        return None

    def call(
        frame: Frame, node: cst.CSTNode, state: State, positional: Positional, keywords: Keywords
    ) -> Outcomes:
        first = positional[0] if positional else None
        if not (isinstance(first, Known) and _is_configuration(first.value)):
            return inline_function(frame, node, state, content, positional, keywords)
        if name in _WRITING:
            frame.refuse("DYCL034", node, "a configuration that outlives the call is changed")
        if name == "get":
            return _with_default(frame, node, state, Known(content), positional, keywords)
        return _read(frame, node, state, Known(content), positional, keywords)

    return call


def _with_default(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: Positional,
    keywords: Keywords,
) -> Outcomes:
    """``get(key, default)``: what is given for a key that is not there is given back as it is."""
    default = positional[2] if len(positional) > 2 else keywords.get("default_value", NONE)
    others = {name: value for name, value in keywords.items() if name != "default_value"}
    marked = [*positional[:2]], {**others, "default_value": Known(_DEFAULT)}
    for after, found in _read(frame, node, state, function, *marked):
        yield after, default if isinstance(found, Known) and found.value is _DEFAULT else found


def _read(
    frame: Frame,
    node: cst.CSTNode,
    state: State,
    function: Known,
    positional: Positional,
    keywords: Keywords,
) -> Outcomes:
    """Read a configuration when compiled, unless a resolver may be asked or a part is not known."""
    given = [known_object(state, value) for value in (*positional, *keywords.values())]
    found = [known.value for known in given if known is not None]
    if len(found) < len(given) or _asks_resolvers(*found):
        return inline_function(frame, node, state, function.value, positional, keywords)
    return call_now(frame, node, state, function, positional, keywords)


def _is_configuration(content: object) -> bool:
    """Return whether an object is a dict or list of ``omegaconf``."""
    module, name = type(content).__module__, type(content).__name__
    return module.startswith("omegaconf.") and name in ("DictConfig", "ListConfig")


def _asks_resolvers(configuration: Any, *rest: Any) -> bool:
    """Return whether a resolver may have to find what is read."""
    content, part = configuration._content, configuration
    if rest and isinstance(rest[0], str) and isinstance(content, dict):
        part = content.get(rest[0])
    if not any("${" in text for text in _texts(part)):
        return False
    return any("${" in text and ":" in text for text in _texts(configuration._get_root()))


def _texts(node: Any) -> Iterator[str]:
    """Yield the texts that a configuration holds, as they are written there."""
    content = getattr(node, "_content", getattr(node, "_val", None))
    if isinstance(content, str):
        yield content
    elif isinstance(content, dict | list):
        for part in content.values() if isinstance(content, dict) else content:
            yield from _texts(part)
