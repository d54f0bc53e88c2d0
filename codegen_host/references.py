"""How host code reaches objects of compile time where there is no PyTorch.

Numbers and strings are written out, library functions imported, tensors kept as arrays in
files of the package, the user's exception classes declared anew. Anything else is refused.
"""

import ast
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum

import numpy as np
import torch
from numpy.typing import NDArray

from codegen_host.classes import Classes
from codegen_host.host_function import JOIN_TENSORS, MAKE_ELEMENT, MAKE_TENSOR
from codegen_host.literals import literal_text
from rewriter.after_errors import AfterErrors
from rewriter.attempts import attempted
from rewriter.diagnostics import CompileError, Diagnostic
from rewriter.origin import Origin
from rewriter.plain_objects import is_plain_class
from rewriter.printing.module_paths import spelled_out
from rewriter.program import STATE, Function, KeptState, KnownReference
from rewriter.program_names import expression_names, statement_expressions, terminator_expressions
from rewriter.refilling import copied, refill
from rewriter.stand_ins import ObjectMaker, is_bare_enumeration, is_named_tuple

_HOST_LIBRARIES_REFUSED = ("torch",)
ATTEMPT = attempted.__name__
"""What the package calls the function that tries operations."""
AFTER_ERRORS = AfterErrors.__name__
"""What it calls what does what ``finally`` says after errors."""
REFILLING = frozenset({copied.__name__, refill.__name__})
"""What it calls those that copy, and write into, tensors which containers hold."""


@dataclass(slots=True)
class HostReferences:
    """What to write for each known object, and what must stand above ``forward`` for it."""

    classes: Classes
    """The user's classes to declare anew."""
    expressions: dict[str, ast.expr] = field(default_factory=dict)
    imports: set[str] = field(default_factory=set)
    constants: dict[str, NDArray[np.generic]] = field(default_factory=dict)
    """Arrays by the name they have in the module."""
    making_tensors: set[str] = field(default_factory=set)
    """Functions that make arrays of numbers, or of lists of arrays."""
    attempts: bool = False
    """Whether anything is tried that may raise what the program catches."""
    after_errors: bool = False
    """Whether anything is done after errors that leave the program."""
    refilling: set[str] = field(default_factory=set)
    """Functions that copy, and write into, tensors which containers hold."""

    @property
    def names(self) -> frozenset[str]:
        """Return the module's names that a variable must not hide."""
        used = {n for e in self.expressions.values() for n in expression_names(e)}
        return frozenset(used | self.constants.keys() | self.classes.declared.keys())


def host_references(
    functions: Iterable[Function], knowns: Mapping[str, KnownReference], taken: Collection[str]
) -> HostReferences:
    """Decide how to write every known object that the functions read.

    ``taken`` are names that the module uses for something else. Raises CompileError with
    all objects that need PyTorch or the user's file.
    """
    references = HostReferences(classes=Classes(taken=taken))
    problems: list[Diagnostic] = []
    uses: dict[str, Origin | None] = {}
    for function in functions:
        uses = {**_first_uses(function), **uses}
    for name, origin in uses.items():
        if name in (MAKE_TENSOR, MAKE_ELEMENT, *JOIN_TENSORS.values()):
            references.making_tensors.add(name)
        elif name in knowns:
            expression = _expression(references, knowns[name])
            if expression is None:
                problems.append(_refusal(knowns[name], origin))
            else:
                references.expressions[name] = expression
    if problems:
        raise CompileError(problems)
    return references


def _first_uses(function: Function) -> dict[str, Origin | None]:
    uses: dict[str, Origin | None] = {}
    for block in function.blocks.values():
        parts: list[tuple[Iterable[ast.expr], Origin | None]] = [
            (statement_expressions(s), s.origin) for s in block.statements
        ]
        end = block.terminator
        parts.append((terminator_expressions(end), getattr(end, "origin", None)))
        for expressions, origin in parts:
            for expression in expressions:
                for name in expression_names(expression):
                    uses.setdefault(name, origin)
    return uses


def _expression(references: HostReferences, known: KnownReference) -> ast.expr | None:
    value = known.value
    if isinstance(value, KeptState):
        return ast.Name(STATE, ast.Load())
    if (function := _of_rewritten(references, value)) is not None:
        return ast.Name(function, ast.Load())
    if (literal := literal_text(value)) is not None:
        return ast.parse(literal, mode="eval").body
    if isinstance(value, torch.Tensor | np.ndarray):
        return _constant(references, known.name, value)
    if known.import_path is not None:
        return _import(references, known.import_path)
    if isinstance(value, Enum):
        return _member(references, value)
    kind = value.kind if isinstance(value, ObjectMaker) else value
    if isinstance(kind, type) and _can_stand(kind):
        made = isinstance(value, ObjectMaker)
        name = references.classes.declare(kind, with_attributes=made)
        return None if name is None else ast.Name(name, ast.Load())
    return None


def _of_rewritten(references: HostReferences, value: object) -> str | None:
    """Return the name of a function that rewritten programs use, too, None for others."""
    if value is attempted:
        references.attempts = True
        return ATTEMPT
    if value is AfterErrors:
        references.after_errors = True
        return AFTER_ERRORS
    if value is copied or value is refill:
        function = copied if value is copied else refill
        references.refilling.add(function.__name__)
        return function.__name__
    return None


def _member(references: HostReferences, member: Enum) -> ast.expr | None:
    """Return how a member of an enumeration that the package declares is written."""
    kind = type(member)
    if not is_bare_enumeration(kind) or member.name not in kind.__members__:
        return None
    name = references.classes.declare(kind, with_attributes=False)
    return None if name is None else ast.parse(f"{name}.{member.name}", mode="eval").body


def _can_stand(kind: type) -> bool:
    """Return whether a class without code can stand for one of the user's."""
    return (
        issubclass(kind, BaseException | list | dict)
        or is_named_tuple(kind)
        or is_plain_class(kind)
    )


def array_text(references: HostReferences, kept_as: str, value: torch.Tensor) -> str:
    """Return the expression of a tensor's array, which the package gets a file for.

    Raises CompileError, with the name that it is kept as, for what has no array.
    """
    made = _constant(references, "kept", value)
    if made is None:
        problem = Diagnostic(
            code="DYCL405",
            message=f"{kept_as!r}, kept from one call to the next, is of {value.dtype}, which the "
            "host has no arrays of, or looks into where it must not",
            origin=None,
            help="keep it as another type, for example by `torch.view_as_real`",
        )
        raise CompileError([problem])
    return ast.unparse(made)


def _constant(
    references: HostReferences, name: str, value: "torch.Tensor | NDArray[np.generic]"
) -> ast.expr | None:
    try:
        array = value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else value
    except TypeError:
        return None  # an element type that numpy does not have
    if array.dtype.kind not in "biuf":
        return None
    word = name if name.isidentifier() and name.startswith("constant_") else None
    number = len(references.constants)
    word = word or f"constant_{number}"
    while word in references.constants:
        number += 1
        word = f"constant_{number}"
    references.constants[word] = np.array(array, order="C")
    # A copy each time: the caller may change what it got.
    return ast.parse(f"{word}.copy()", mode="eval").body


def _import(references: HostReferences, path: tuple[str, str]) -> ast.expr | None:
    module, attribute = path
    if module.partition(".")[0] in _HOST_LIBRARIES_REFUSED:
        return None
    if module == "numpy" and attribute:
        references.imports.add("import numpy as np")
        return ast.parse(f"np.{attribute}", mode="eval").body
    expression, _, binding = spelled_out(path)
    if binding is not None:
        references.imports.add(binding.line)
    return expression


def _refusal(known: KnownReference, origin: Origin | None) -> Diagnostic:
    called = known.path or f"an object of type {type(known.value).__name__}"
    return Diagnostic(
        code="DYCL420",
        message=f"{called} is needed between sub-DNNs, where there is neither PyTorch nor "
        "your own code",
        origin=origin,
        help="compute it from numbers, strings and tensors' elements",
    )
