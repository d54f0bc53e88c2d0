"""``rewritten.py``: a rewritten program as readable PyTorch, and as a callable."""

import ast
import copy
import linecache
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import PurePath

import torch

from rewriter.after_errors import AfterErrors
from rewriter.diagnostics import DyclBug
from rewriter.printing.block_simplification import simplify_blocks
from rewriter.printing.cleaning import clean
from rewriter.printing.conditions import join_conditions
from rewriter.printing.expression_text import expression_text
from rewriter.printing.naming import name_variables
from rewriter.printing.nesting import nest_temporaries
from rewriter.printing.python_text import body_lines
from rewriter.printing.references import RECEIVER, TABLE, References, resolve_references
from rewriter.printing.signature import argument_lines, signature_text
from rewriter.printing.wrapping import wrap_lines
from rewriter.program import STATE, CallStatement, Function, KeptState, RewrittenProgram


def print_program(program: RewrittenProgram) -> str:
    """Return the text of ``rewritten.py``: a runnable module with the entry point."""
    references = resolve_references(program)
    user_file = PurePath(program.source_file)
    state = _state_lines(program.state)
    imports = {b.line for many in references.imports.values() for b in many}
    if any("collections." in line for line in state):
        imports.add("import collections")
    user_imports = [f"from {user_file.stem} import {', '.join(sorted(references.user_names))}"]
    lines = [
        *_header(program),
        *_section(sorted(imports)),
        *_section(user_imports if references.user_names else []),
        *_section(_table_lines(references)),
        *_section(state),
        *(line for lines in _definitions(program, references) for line in ("", "", *lines)),
    ]
    return "\n".join(lines) + "\n"


def runnable(program: RewrittenProgram, receiver: object = None) -> Callable[..., object]:
    """Return the program's text as a callable, with the objects it refers to bound.

    ``receiver`` is the object whose method the entry point is; None for a function. The
    callable takes the arguments of the original.
    """
    references = resolve_references(program)
    lines = [
        *(binding.line for many in references.imports.values() for binding in many),
        *(line for lines in _definitions(program, references) for line in lines),
    ]
    text = "\n".join(lines) + "\n"
    file = f"<rewritten {program.name}>"
    # Lets tracebacks show the lines.
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    namespace: dict[str, object] = {
        **references.user_names,
        TABLE: dict(references.table),
        "__name__": "rewritten",
        STATE: copy.deepcopy(program.state),
    }
    exec(compile(text, file, "exec"), namespace)
    function = namespace[function_name(program.entry)]
    if not callable(function):
        raise DyclBug("the rewritten program does not define its entry point")
    return partial(function, receiver) if references.uses_receiver else function


def _definitions(program: RewrittenProgram, references: References) -> Iterator[Sequence[str]]:
    """Yield the lines of every function: the specialised ones, and last the entry."""
    taken = references.names | program.functions.keys()
    for function in (*program.functions.values(), program.entry):
        passing = _passing_receiver(function) if references.uses_receiver else function
        is_entry = function is program.entry
        yield wrap_lines(function_lines(passing, references, taken, is_entry=is_entry))


def _passing_receiver(function: Function) -> Function:
    """Return the function with the receiver as first argument of every call."""
    receiver = ast.Name(id=RECEIVER, ctx=ast.Load())
    return replace(
        function,
        blocks={
            block_id: replace(
                block,
                statements=tuple(
                    replace(statement, arguments=(receiver, *statement.arguments))
                    if isinstance(statement, CallStatement)
                    else statement
                    for statement in block.statements
                ),
            )
            for block_id, block in function.blocks.items()
        },
    )


def readable(
    function: Function, references: References, taken: Collection[str], *, is_entry: bool
) -> Function:
    """Return the function as it is printed: clean, nested, and with the user's names.

    ``taken`` are names that mean something else in the text.
    """
    hints = {
        name: ast.Name(id=variable.hint, ctx=ast.Load())
        for name, variable in function.variables.items()
    }
    written: Mapping[str, ast.expr] = {**hints, **references.expressions}

    def measure(expression: ast.expr) -> int:
        return len(expression_text(expression, written))

    nested = nest_temporaries(clean(function), measure)
    named = name_variables(nested, taken, is_entry=is_entry)
    # Copies that became ``x = x`` are gone, and with them the need for some blocks.
    return join_conditions(simplify_blocks(named), measure)


def function_lines(
    function: Function, references: References, taken: Collection[str], *, is_entry: bool
) -> Sequence[str]:
    """Return the lines of one function, from ``def`` on."""
    receiver = RECEIVER if references.uses_receiver else None
    named = readable(function, references, taken, is_entry=is_entry)
    decorator = f"@{AfterErrors.__name__}.{AfterErrors.entry.__name__}"
    return (
        *([decorator] if is_entry and references.after_errors else []),
        f"def {function_name(function)}({signature_text(named, receiver)}):",
        *(f"    {line}" for line in argument_lines(named)),
        *body_lines(named, references.expressions),
    )


def function_name(function: Function) -> str:
    """Return the name to define a function under."""
    name = function.name.rpartition(".")[2]
    return name if name.isidentifier() else "forward"


def _header(program: RewrittenProgram) -> Iterator[str]:
    file = PurePath(program.source_file).name
    yield f'"""What is left of {file} to do at run time, as runnable PyTorch.'
    yield ""
    yield "Written by dycl for reading and debugging; comments give the original's lines."
    for note in program.notes:
        yield f"Note: {note}"
    yield '"""'


def _section(lines: Sequence[str]) -> Sequence[str]:
    return ("", *lines) if lines else ()


def _table_lines(references: References) -> Sequence[str]:
    if not references.table:
        return ()
    return (
        "# Objects that no import reaches: put them in here before the first call.",
        *(
            f"#   {TABLE}[{key!r}]: {type(value).__name__}"
            for key, value in references.table.items()
        ),
        f"{TABLE} = {{}}",
    )


def _state_lines(state: KeptState | None) -> Sequence[str]:
    if state is None:
        return ()
    return (
        "# What is kept from one call to the next, as it was at compile time.",
        f"{STATE} = {{",
        *(f"    {name!r}: {_initial_text(content)}," for name, content in state.items()),
        "}",
    )


def _initial_text(content: object) -> str:
    """Return the text of an initial value; tensors are shown by their shape, filled with zeros."""
    if isinstance(content, torch.Tensor):
        return f"torch.zeros({tuple(content.shape)}, dtype={content.dtype})"
    if type(content) in (list, tuple):
        assert isinstance(content, list | tuple)
        inner = ", ".join(map(_initial_text, content))
        return f"[{inner}]" if isinstance(content, list) else f"({inner},)"
    if isinstance(content, dict):
        pairs = (f"{key!r}: {_initial_text(item)}" for key, item in content.items())
        display, kind = f"{{{', '.join(pairs)}}}", type(content).__name__
        return display if kind == "dict" else f"collections.{kind}({display})"
    return repr(content)
