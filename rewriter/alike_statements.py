"""Statements that are alike: equal but for the names of variables and the content of weights."""

import ast
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from rewriter.alike import CallLikeness, DescribedModules, Describing, Unlike
from rewriter.program import (
    Copy,
    Dimension,
    KnownReference,
    Pattern,
    ScalarSpec,
    Statement,
    TensorSpec,
    TensorStatement,
    Variable,
    VariableSpec,
)
from rewriter.program_names import statement_targets
from rewriter.size_texts import symbols_in, template_of

_BINDING = (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.NamedExpr)
"""Expressions with variables of their own."""


@dataclass(slots=True, kw_only=True)
class DescribingStatements:
    """Describes statements, one after the other; variables are numbered as they come.

    Symbols of sizes are numbered too: what they may stand for is not said here. Raises ``Unlike``
    where something has no description: a value of the host that is no integer, an object that is
    not known to compute alike whenever it looks alike.
    """

    variables: Mapping[str, Variable]
    knowns: Mapping[str, KnownReference]
    names: dict[str, int] = field(default_factory=dict)
    """The number of each variable."""
    symbols: dict[str, int] = field(default_factory=dict)
    """The number of each symbol."""
    objects: Describing = field(default_factory=Describing)

    def name(self, name: str) -> Hashable:
        """Return the description of what a name stands for."""
        if name in self.names:
            return self.names[name]
        if name not in self.variables:
            known = self.knowns.get(name)
            return ("builtin", name) if known is None else self.objects.described(known.value)
        spec = self._spec(self.variables[name].spec)
        self.names[name] = len(self.names)
        return (self.names[name], spec)

    def _spec(self, spec: VariableSpec) -> Hashable:
        match spec:
            case TensorSpec():
                return (spec.dtype, *map(self._size, spec.shape))
            case ScalarSpec() if spec.type is int:
                size = None if spec.size is None else self._size(spec.size)
                return (int, spec.minimum, spec.maximum, size)
            case _:
                raise Unlike

    def _size(self, size: Dimension) -> Hashable:
        if isinstance(size, int):
            return size
        symbols = [self.symbols.setdefault(s, len(self.symbols)) for s in symbols_in(size)]
        return (template_of(size), *symbols)

    def statement(self, statement: Statement) -> Hashable:
        """Return the description of a statement over tensors."""
        match statement:
            case TensorStatement():
                return (
                    TensorStatement,
                    self._computation(statement),
                    self.pattern(statement.pattern),
                    self._tree(statement.stores_into),
                    tuple((self.name(new), self.name(old)) for new, old in statement.updates),
                )
            case Copy():
                targets = tuple(self.name(target) for target in statement.targets)
                return (Copy, targets, tuple(map(self._tree, statement.sources)))
            case _:  # what the host does
                raise Unlike

    def _computation(self, statement: TensorStatement) -> Hashable:
        match statement.expression:
            case ast.Call() as call if statement.does is not None:
                return (self.given(call), self.objects.call(statement.does))
            case expression:
                return self._tree(expression)

    def given(self, call: ast.Call) -> Hashable:
        """Return the description of what is given to a call."""
        return (self._tree(call.args), self._tree(call.keywords))

    def pattern(self, pattern: Pattern) -> Hashable:
        """Return the description of where results go."""
        match pattern:
            case None:
                return None
            case str():
                return self.name(pattern)
            case tuple():
                return ("parts", *map(self.pattern, pattern))

    def _tree(self, node: object) -> Hashable:
        match node:
            case ast.Name():
                return self.name(node.id)
            case ast.Constant():
                return self.objects.described(node.value)
            case ast.AST() if isinstance(node, _BINDING):
                raise Unlike
            case ast.AST():
                return (type(node), *(self._tree(content) for _, content in ast.iter_fields(node)))
            case list():
                return ("list", *map(self._tree, node))
            case None | str() | int():
                return node
            case _:  # what a syntax tree does not hold
                raise Unlike


def call_likeness(
    call: TensorStatement,
    statements: Sequence[Statement],
    variables: Mapping[str, Variable],
    knowns: Mapping[str, KnownReference],
    modules: DescribedModules,
) -> CallLikeness | None:
    """Return what tells which calls are like one that stands for ``statements``."""
    objects = Describing(modules)
    describing = DescribingStatements(variables=variables, knowns=knowns, objects=objects)
    if not isinstance(call.expression, ast.Call):
        return None
    try:
        given = describing.given(call.expression)
        arguments = len(describing.names)
        body = tuple(map(describing.statement, statements))
        key = (given, arguments, body, describing.pattern(call.pattern))
    except Unlike:
        return None
    made = {name for statement in statements for name in statement_targets(statement)}
    if not made.issuperset(list(describing.names)[arguments:]):
        return None  # it reads what it is not given
    return CallLikeness(key=key, tensors=tuple(describing.objects.tensors))
