"""The source of functions: libcst tree, positions, scope, and who reads which name."""

import inspect
import linecache
import sys
import types
from collections import UserDict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider
from torch.amp import custom_fwd

from rewriter import prelude
from rewriter.compiled_functions import compiled_from
from rewriter.compiled_text import file_of, is_as_compiled
from rewriter.descendants import descendants
from rewriter.origin import Origin
from rewriter.prelude import ordering, searching
from rewriter.private_names import with_private_names
from rewriter.scope import Scope, parameter_names, scope_of
from rewriter.statement_lines import lines_of, statement_lines

_PRELUDE = str(Path(prelude.__file__).parent)
_PYTHON = (inspect.getfile(UserDict), str(sys.modules["_collections_abc"].__file__))
_CERTAIN = (ordering.__file__, searching.__file__)


@dataclass(frozen=True, slots=True, eq=False)
class SourceText:
    """A parsed piece of a file, and how its positions map to the file's."""

    file: str
    lines: tuple[str, ...]
    """Lines of the piece as they stand in the file."""
    first_line: int
    """Line of the file at which ``lines`` starts, 1-based."""
    parsed_offset: int
    """How many lines the parsed text has in front of the piece (0 or 1)."""
    positions: Mapping[cst.CSTNode, CodeRange] = field(repr=False)

    def origin(self, node: cst.CSTNode, function: str, inlined_at: tuple[Origin, ...]) -> Origin:
        """Return where a node stands in the user's file."""
        span = self.positions[node]
        row = span.start.line - 1 - self.parsed_offset
        text = self.lines[row] if 0 <= row < len(self.lines) else ""
        one_line = span.end.line == span.start.line
        return Origin(
            file=self.file,
            line=self.first_line + row,
            column=span.start.column,
            end_column=span.end.column if one_line else len(text),
            text=text,
            function=function,
            inlined_at=inlined_at,
        )

    def between(self, outer: cst.FormattedStringExpression, equal: cst.AssignEqual) -> str:
        """Return what ``f"{value = }"`` shows of its source, where names are as in the file."""
        first, last = self.positions[outer].start, self.positions[equal].end
        rows = slice(first.line - 1 - self.parsed_offset, last.line - self.parsed_offset)
        *before, end = self.lines[rows]
        spaces = cst.Module([]).code_for_node(equal.whitespace_after)
        return "\n".join([*before, end[: last.column]])[first.column + 1 :] + spaces


@dataclass(frozen=True, eq=False)
class FunctionSource:
    """One function or lambda as the evaluator walks it."""

    node: cst.FunctionDef | cst.Lambda
    name: str
    text: SourceText

    @cached_property
    def scope(self) -> Scope:
        """Return which names are local, and which are declared global or nonlocal."""
        return scope_of(self.node)

    @cached_property
    def shared(self) -> frozenset[str]:
        """Return the variables that functions inside of this one may read or write."""
        written = frozenset(
            item.name.value
            for found in descendants(self.node)
            if isinstance(found, cst.Nonlocal)
            for item in found.names
        )
        return self.scope.captured | written

    @property
    def is_prelude(self) -> bool:
        """Return whether this is a function of dycl's own, in place of a library's."""
        return self.text.file.startswith(_PRELUDE)

    @property
    def is_shown(self) -> bool:
        """Return whether the user may know the code: not where it is dycl's own, or Python's."""
        return not self.text.file.startswith((_PRELUDE, *_PYTHON))

    @property
    def takes_what_is_there(self) -> bool:
        """Return whether this is such a function that reads no place where nothing is."""
        return self.text.file in _CERTAIN

    def origin(self, node: cst.CSTNode, inlined_at: tuple[Origin, ...] = ()) -> Origin:
        """Return where a node of this function stands."""
        return self.text.origin(node, self.name, inlined_at)


class NoSource(Exception):
    """Python cannot show the source of a function (built in C, or typed at a prompt)."""


def function_source(function: types.FunctionType) -> FunctionSource:
    """Return the source of a Python function.

    Raises NoSource where there is none.
    """
    return _source_of_code(function.__code__, function.__qualname__, file_of(function.__code__))


@lru_cache(maxsize=4096)
def _source_of_code(code: types.CodeType, name: str, file: str) -> FunctionSource:
    """Return the source of a function; equal code in another file is another function."""
    if not is_as_compiled(code):
        raise NoSource(
            f"{code.co_filename} is not what {name} was compiled from: it has changed since, or a "
            f"tool has changed the code"
        )
    if code.co_name == "<lambda>":
        return _lambda_source(code, name)
    try:
        lines, first_line = _lines_of(code)
    except (OSError, TypeError) as error:
        raise NoSource(f"the source of {name} is not available: {error}") from error
    indented = lines[0][:1].isspace()
    parsed = ("if True:\n" if indented else "") + "".join(lines)
    text, module = _parse(file, parsed, lines, first_line, 1 if indented else 0)
    for node in descendants(module):
        if isinstance(node, cst.FunctionDef):
            with_private_names(node, code)
            return FunctionSource(node=node, name=name, text=text)
    raise NoSource(f"no function stands at {code.co_filename}:{first_line}")


def _lines_of(code: types.CodeType) -> tuple[list[str], int]:
    """Return the lines of a function in its file, and the number of the first."""
    file = file_of(code)
    linecache.checkcache(file)
    lines = linecache.getlines(file)[code.co_firstlineno - 1 :]
    if lines and lines[0].lstrip().startswith(("@", "def ", "async def ")):
        return inspect.getblock(lines), code.co_firstlineno
    return inspect.getsourcelines(code)  # which looks through all modules


def _parse(
    file: str, parsed: str, lines: list[str], first_line: int, parsed_offset: int
) -> tuple[SourceText, cst.Module]:
    try:
        wrapper = MetadataWrapper(cst.parse_module(parsed), unsafe_skip_copy=True)
    except cst.ParserSyntaxError as error:
        raise NoSource(f"{file}:{first_line}: cannot be parsed: {error.message}") from error
    text = SourceText(
        file=file,
        lines=tuple(line.rstrip("\n") for line in lines),
        first_line=first_line,
        parsed_offset=parsed_offset,
        positions=wrapper.resolve(PositionProvider),
    )
    return text, wrapper.module


@lru_cache(maxsize=256)
def _parse_lines(file: str, lines: tuple[str, ...], first: int) -> tuple[SourceText, cst.Module]:
    indented = lines[0][:1] in (" ", "\t")
    parsed = ("if True:\n" if indented else "") + "".join(lines)
    return _parse(file, parsed, list(lines), first, 1 if indented else 0)


def _lambda_source(code: types.CodeType, name: str) -> FunctionSource:
    try:
        content = Path(code.co_filename).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NoSource(f"{code.co_filename} cannot be read: {error}") from error
    lines = lines_of(content)
    first, last = statement_lines(content, code.co_firstlineno) or (1, len(lines))
    text, module = _parse_lines(code.co_filename, tuple(lines[first - 1 : last]), first)
    places = list(_places(code, text))
    lambdas = (node for node in descendants(module) if isinstance(node, cst.Lambda))
    around = [node for node in lambdas if _holds(text.positions[node.body], places)]
    if around:
        with_private_names(around[-1], code)
    if not around or set(parameter_names(around[-1].params)) != set(_parameters(code)):
        raise NoSource(f"the lambda at {code.co_filename}:{code.co_firstlineno} was not found")
    return FunctionSource(node=around[-1], name=name, text=text)


def _parameters(code: types.CodeType) -> tuple[str, ...]:
    """Return the names of a function's parameters, those with stars last."""
    starred = (inspect.CO_VARARGS, inspect.CO_VARKEYWORDS)
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[: count + sum(bool(code.co_flags & flag) for flag in starred)]


def _places(code: types.CodeType, text: SourceText) -> Iterator[tuple[int, int]]:
    """Yield where instructions of a function stand in a text, in characters as libcst counts."""
    for line, _, column, _ in code.co_positions():
        if line is None or column is None:
            continue
        row = line - text.first_line
        if 0 <= row < len(text.lines):
            before = text.lines[row].encode()[:column]
            yield row + 1 + text.parsed_offset, len(before.decode(errors="replace"))


def _holds(span: CodeRange, places: list[tuple[int, int]]) -> bool:
    """Return whether an instruction stands within: those of a lambda's body, or of one around."""
    start, end = (span.start.line, span.start.column), (span.end.line, span.end.column)
    return any(start <= place < end for place in places)


def nested_source(
    outer: FunctionSource, node: cst.FunctionDef | cst.Lambda, name: str
) -> FunctionSource:
    """Return the source of a function defined inside another one."""
    return FunctionSource(node=node, name=name, text=outer.text)


def unwrap(function: types.FunctionType) -> types.FunctionType:
    """Return the function under ``torch.no_grad``, ``torch.compile`` and similar decorators."""
    seen = {id(function)}  # a function may be said to wrap itself
    while True:
        inner = compiled_from(function)
        if inner is None and _is_transparent(function):
            inner = getattr(function, "__wrapped__", None)
        if not isinstance(inner, types.FunctionType) or id(inner) in seen:
            return function
        function = inner
        seen.add(id(function))


def _is_transparent(function: types.FunctionType) -> bool:
    """Return whether PyTorch's code around a function changes nothing of what it computes.

    ``custom_fwd`` does where autocasting is on for its device: only for the CPU it may be.
    """
    code = function.__code__
    if code.co_filename.endswith("_contextlib.py"):
        return True
    if code.co_filename != custom_fwd.__code__.co_filename or code.co_name != "decorate_fwd":
        return False
    given = inspect.getclosurevars(function).nonlocals
    return given["device_type"] != "cpu" or given["cast_inputs"] is None
