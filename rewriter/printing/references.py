"""How the text reaches objects known at compile time: by path, by import, or by a table."""

import ast
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from rewriter.after_errors import AfterErrors
from rewriter.diagnostics import DyclBug
from rewriter.parameters import StaticInput
from rewriter.printing.hidden_names import plain_names, require_visible
from rewriter.printing.liveness import names_in, statement_names, terminator_names
from rewriter.printing.module_paths import Binding, bind_path, parse_path, spelled_out
from rewriter.printing.user_module import find_user_module
from rewriter.program import (
    STATE,
    Function,
    KeptState,
    KnownReference,
    RewrittenProgram,
    TensorFromHost,
)
from rewriter.program_names import statement_expressions, terminator_expressions

RECEIVER = "self"
"""What the entry point calls the object it is a method of."""
TABLE = "KNOWN"
"""Name of the table of objects that no import reaches."""
_OF_ERRORS = Binding(
    module=AfterErrors.__module__, attribute=AfterErrors.__name__, name=AfterErrors.__name__
)


@dataclass(frozen=True, slots=True, kw_only=True)
class References:
    """The expression for each known reference, and what must be bound for them."""

    expressions: Mapping[str, ast.expr]
    imports: Mapping[str, tuple[Binding, ...]]
    """Imports for each library name that the expressions start with."""
    user_names: Mapping[str, object]
    """Globals of the user's file that the expressions start with."""
    table: Mapping[str, object]
    """Key in the table, and the object."""
    uses_receiver: bool
    after_errors: bool
    """Whether ``AfterErrors`` does anything."""

    @property
    def names(self) -> frozenset[str]:
        """Return every name that the text needs for itself."""
        own = (TABLE, RECEIVER) if self.uses_receiver else (TABLE,)
        return frozenset(own).union(
            self.imports, self.user_names, *map(names_in, self.expressions.values())
        )


def resolve_references(program: RewrittenProgram) -> References:
    """Decide how to write each known reference that the functions read."""
    functions = program.all_functions
    resolving = _Resolving(
        blocked=frozenset({TABLE, *program.functions})
        .union(parameter.name for parameter in program.entry.parameters)
        .union(*map(_bound_names, functions)),
        user_globals=find_user_module(program.source_file),
        static_arguments={
            parameter.name: parameter.spec.value
            for parameter in program.entry.parameters
            if isinstance(parameter.spec, StaticInput)
        },
        shared=frozenset[str]().union(*map(_names_read, program.functions.values())),
    )
    needed = plain_names(program.entry, [program.knowns]) | program.functions.keys()
    require_visible(program.entry, needed)
    used = frozenset[str]().union(*map(_names_read, functions))
    if any(map(_makes_tensors, functions)):
        resolving.bind_torch()
    for name, reference in program.knowns.items():
        if name in used:
            resolving.add(reference)
    return References(
        expressions=resolving.expressions,
        imports=resolving.imports,
        user_names=resolving.user_names,
        table=resolving.table,
        uses_receiver=resolving.uses_receiver,
        after_errors=resolving.after_errors,
    )


@dataclass(slots=True)
class _Resolving:
    blocked: Collection[str]
    """Names that mean something else inside the function."""
    user_globals: Mapping[str, object]
    static_arguments: Mapping[str, object]
    shared: Collection[str]
    """References that other functions than the entry read: they do not see its arguments."""
    expressions: dict[str, ast.expr] = field(default_factory=dict)
    imports: dict[str, tuple[Binding, ...]] = field(default_factory=dict)
    user_names: dict[str, object] = field(default_factory=dict)
    table: dict[str, object] = field(default_factory=dict)
    uses_receiver: bool = False
    after_errors: bool = False

    def add(self, reference: KnownReference) -> None:
        if isinstance(reference.value, KeptState):
            self.expressions[reference.name] = ast.Name(id=STATE, ctx=ast.Load())
            return
        if reference.value is AfterErrors and self._bind(_OF_ERRORS.name, _OF_ERRORS):
            # Not by the table: it decorates the entry point.
            self.after_errors = True
            self.expressions[reference.name] = ast.Name(id=_OF_ERRORS.name, ctx=ast.Load())
            return
        self.expressions[reference.name] = (
            self._by_path(reference)
            or self._by_import(reference)
            or self._by_user_global(reference)
            or self._by_table(reference)
        )

    def _by_path(self, reference: KnownReference) -> ast.expr | None:
        """Write the path of the user's file where its first name can be bound."""
        path = parse_path(reference.path)
        if path is None:
            return None
        if path.root == RECEIVER:
            self.uses_receiver = True
            return path.expression
        if path.find(self.static_arguments) is reference.value:
            return None if reference.name in self.shared else path.expression
        binding = bind_path(path, reference, self.user_globals)
        return path.expression if binding and self._bind(path.root, binding) else None

    def _by_import(self, reference: KnownReference) -> ast.expr | None:
        if reference.import_path is None:
            return None
        expression, root, binding = spelled_out(reference.import_path)
        if binding is None:
            # A builtin needs no import, only that nothing else has its name.
            return None if self._is_taken(root) else expression
        return expression if self._bind(root, binding) else None

    def _by_user_global(self, reference: KnownReference) -> ast.expr | None:
        path = parse_path(reference.path)
        if path is None or self._is_taken(path.root, but_user=True):
            return None
        if path.find(self.user_globals) is not reference.value:
            return None
        self.user_names[path.root] = self.user_globals[path.root]
        return path.expression

    def _by_table(self, reference: KnownReference) -> ast.expr:
        key = reference.path or reference.name
        while key in self.table and self.table[key] is not reference.value:
            key += "'"
        self.table[key] = reference.value
        return ast.Subscript(
            value=ast.Name(id=TABLE, ctx=ast.Load()),
            slice=ast.Constant(value=key),
            ctx=ast.Load(),
        )

    def bind_torch(self) -> None:
        """Make ``torch`` mean the module, for statements that make tensors."""
        if not self._bind("torch", Binding(module="torch", attribute=None, name="torch")):
            raise DyclBug("the name 'torch' is taken by an argument")

    def _bind(self, root: str, binding: Binding) -> bool:
        """Bind a name to an import, unless it means something else already."""
        bound = self.imports.get(root, ())
        if binding in bound:
            return True
        if not all(map(binding.agrees_with, bound)) or (not bound and self._is_taken(root)):
            return False
        self.imports[root] = (*bound, binding)
        return True

    def _is_taken(self, root: str, *, but_user: bool = False) -> bool:
        return (
            root in self.blocked
            or root == RECEIVER
            or root in self.imports
            or (root in self.user_names and not but_user)
        )


def _names_read(function: Function) -> frozenset[str]:
    names: set[str] = set()
    for block in function.blocks.values():
        names.update(terminator_names(block.terminator))
        names.update(*map(statement_names, block.statements))
    return frozenset(names)


def _makes_tensors(function: Function) -> bool:
    return any(
        isinstance(statement, TensorFromHost)
        for block in function.blocks.values()
        for statement in block.statements
    )


def _bound_names(function: Function) -> frozenset[str]:
    """Return the names that expressions bind themselves (comprehensions)."""
    expressions = [
        expression
        for block in function.blocks.values()
        for part in (
            terminator_expressions(block.terminator),
            *map(statement_expressions, block.statements),
        )
        for expression in part
    ]
    nodes = [node for expression in expressions for node in ast.walk(expression)]
    return frozenset(
        {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        | {node.arg for node in nodes if isinstance(node, ast.arg)}
    )
