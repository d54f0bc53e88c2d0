"""Statements that leave a block: return, break, continue, raise; and what catches."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.branching import DEEPEST
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import INT, MATRIX, FunctionKind, ModuleKind, Scope

EXCEPTIONS = ("Stop", "ValueError", "Halt")
"""``Halt`` is a ``Stop``."""


def returned(author: Author, *, most: int = 7) -> str:
    """Return the expression of a result: what the function must return, or what it holds."""
    if author.result is not None:
        return expression(author, author.result, 2)
    names = [
        n
        for n, k in author.scope.names.items()
        if not isinstance(k, FunctionKind | ModuleKind) and n != "self"
    ]
    author.dice.shuffle(names)
    names = names[: author.dice.randrange(2, most + 1)] or ["0"]
    if author.chance(0.15):
        return "{" + ", ".join(f"{name!r}: {name}" for name in names) + "}"
    if author.chance(0.1):
        return names[0]
    return "(" + ", ".join(names) + ("," if len(names) == 1 else "") + ")"


def early_return(author: Author) -> Lines | None:
    """``if test: return ...``."""
    if author.depth > 0 and not author.loops and author.chance(0.3):
        author.ended = True
        return [f"return {returned(author)}"]
    test = condition(author)
    body, _ = author.arm(lambda: author.block(author.dice.randrange(0, 2)))
    lines = [] if body == ["pass"] else body
    if lines and lines[-1].lstrip().startswith(("return", "raise", "break", "continue")):
        return [f"if {test}:", *indented(lines)]
    return [f"if {test}:", *indented([*lines, f"return {returned(author)}"])]


def loop_jump(author: Author) -> Lines | None:
    """``if test: break``, or ``continue``."""
    if not author.loops:
        return None
    word = author.pick(["break", "continue"])
    if author.depth > 1 and author.chance(0.15):
        author.ended = True
        return [word]
    test = condition(author)
    change, _ = author.arm(lambda: author.block(author.dice.randrange(0, 2)))
    lines = [] if change == ["pass"] else change
    return [f"if {test}:", *indented([*lines, word])]


def raised(author: Author) -> Lines | None:
    """``if test: raise Stop('...')``."""
    if not author.protected and author.chance(0.7):
        return None
    name = author.pick(EXCEPTIONS) if author.protected else "ValueError"
    argument = author.pick(["'no'", "'late'", expression(author, INT, 1)])
    if not author.protected:
        argument = "'no'"
    return [f"if {condition(author)}:", f"    raise {name}({argument})"]


def try_statement(author: Author) -> Lines | None:
    """``try`` with handlers for the program's own exceptions, ``else`` and ``finally``."""
    if author.depth >= DEEPEST or author.budget < 3:
        return None
    author.protected += 1
    body, after = author.arm(lambda: _risky(author))
    author.protected -= 1
    lines = ["try:", *indented(body)]
    # A handler may run after any part of the body: containers are as small as they may be.
    scopes: list[Scope | None] = [after]
    caught = author.pick(["Stop", "(Stop, ValueError)", "Exception"])
    named = author.chance(0.4)
    before = author.scope
    author.join([before, after or before])
    handler, scope = author.arm(lambda: author.block(2))
    name = author.fresh("error")
    shown = author.fresh("text")
    if named and scope is not None:
        handler = [f"{shown} = str({name})", *handler]
    lines += [f"except {caught}{f' as {name}' if named else ''}:", *indented(handler)]
    scopes.append(scope)
    author.join([s for s in scopes if s is not None] or [None])
    if author.ended:
        return lines
    if author.chance(0.2):
        closing, scope = author.arm(lambda: _quiet(author))
        if scope is not None:
            author.scope = scope
        lines += ["finally:", *indented(closing)]
    return lines


def _quiet(author: Author) -> Lines:
    if author.chance(0.4):
        return author.block(1)
    text = expression(author, MATRIX, 1)
    name = author.target(MATRIX)
    author.bind(name, MATRIX)
    return [f"{name} = {text}"]


def _risky(author: Author) -> Lines:
    before = author.block(author.dice.randrange(0, 2))
    if author.ended:
        return before
    guard = raised(author) or []
    return [*before, *guard, *author.block(author.dice.randrange(1, 3))]


def assertion(author: Author) -> Lines | None:
    """``assert test, 'text'``."""
    if author.chance(0.5):
        return None
    return [f"assert {condition(author)}, 'broken'"]


def printed(author: Author) -> Lines:
    """``print('n', n)``."""
    return [f"print('n', {expression(author, INT, 1)})"]
