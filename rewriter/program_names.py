"""What parts of a program mention: the names they read and assign, the blocks they lead to."""

import ast

from rewriter.program import (
    BlockId,
    Branch,
    CallStatement,
    Copy,
    HostStatement,
    Jump,
    Pattern,
    Raise,
    Return,
    Statement,
    TensorFromHost,
    TensorStatement,
    Terminator,
)


def successors(terminator: Terminator) -> tuple[BlockId, ...]:
    """Return the blocks that may run next. Only this function knows the edges."""
    match terminator:
        case Jump():
            return (terminator.target,)
        case Branch():
            return (terminator.if_true, terminator.if_false)
        case Return() | Raise():
            return ()


def pattern_names(pattern: Pattern) -> tuple[str, ...]:
    """Return the variables that a pattern assigns, left to right."""
    match pattern:
        case None:
            return ()
        case str():
            return (pattern,)
        case tuple():
            return tuple(name for part in pattern for name in pattern_names(part))


def expression_names(expression: ast.expr) -> tuple[str, ...]:
    """Return every name an expression reads, in order, without repeats."""
    return tuple(dict.fromkeys(n.id for n in ast.walk(expression) if isinstance(n, ast.Name)))


def call_expression(statement: CallStatement) -> ast.Call:
    """Return the expression that a call of a specialised function evaluates."""
    function = ast.Name(id=statement.function, ctx=ast.Load())
    return ast.Call(func=function, args=list(statement.arguments), keywords=[])


def statement_targets(statement: Statement) -> tuple[str, ...]:
    """Return the variables that a statement assigns."""
    match statement:
        case TensorStatement():
            return (*pattern_names(statement.pattern), *(new for new, _ in statement.updates))
        case HostStatement():
            return () if statement.target is None else (statement.target,)
        case TensorFromHost():
            return (statement.target,)
        case Copy():
            return statement.targets
        case CallStatement():
            return pattern_names(statement.pattern)


def statement_expressions(statement: Statement) -> tuple[ast.expr, ...]:
    """Return the expressions that a statement evaluates."""
    match statement:
        case TensorStatement():
            stored = () if statement.stores_into is None else (statement.stores_into,)
            return (statement.expression, *stored)
        case HostStatement() | TensorFromHost():
            return (statement.expression,)
        case Copy():
            return statement.sources
        case CallStatement():
            return statement.arguments


def terminator_expressions(terminator: Terminator) -> tuple[ast.expr, ...]:
    """Return the expressions that a block's end evaluates."""
    match terminator:
        case Jump():
            return ()
        case Branch():
            return (terminator.condition,)
        case Return():
            return (terminator.value,)
        case Raise():
            return (terminator.exception,)
