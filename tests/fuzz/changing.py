"""Walks over lists, dicts, sets and deques of numbers that change inside of the walk."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.branching import DEEPEST
from tests.fuzz.expressions import condition, expression
from tests.fuzz.kinds import INT

CONTAINERS = ("list", "dict", "set", "deque", "ordered")
MADE = {
    "list": "[1, 2, 5]",
    "dict": "{1: 4, 2: 5, 5: 6}",
    "set": "{1, 2, 5}",
    "deque": "collections.deque([1, 2, 5])",
    "ordered": "collections.OrderedDict({1: 4, 2: 5, 5: 6})",
}
EMPTY = {
    "list": "[]",
    "dict": "{}",
    "set": "set()",
    "deque": "collections.deque()",
    "ordered": "collections.OrderedDict()",
}
FILLED = {
    "list": "{0}.append({1})",
    "dict": "{0}[{1}] = {1} + 2",
    "set": "{0}.add({1})",
    "deque": "{0}.append({1})",
    "ordered": "{0}[{1}] = {1} + 2",
}
CHANGES = {
    "list": ("{0}.append({1})", "{0}.pop()", "{0}.pop(0)", "{0}[-1] = {1}", "{0}.reverse()",
             "{0}.insert(0, {1})", "del {0}[0]", "{0} += [{1}]", "{0}[:1] = [{1}, {1}]"),
    "dict": ("{0}[7] = {1}", "{0}[2] = {1}", "{0}.pop(2, 0)", "{0}.pop({1}, 0)", "{0}[{1}] = 3",
             "{0}[1] = {0}.pop(1, 0)", "{0}.setdefault({1}, 3)", "{0}.update({{8: {1}}})",
             "{0}.clear()"),
    "set": ("{0}.add(7)", "{0}.discard(2)", "{0}.add({1})", "{0}.discard({1})", "{0} |= {{9}}",
            "{0} -= {{5}}", "{0} ^= {{1, 17}}", "{0}.update([2, {1}])"),
    "deque": ("{0}.append({1})", "{0}[0] = {1}", "{0}.appendleft({0}.pop())", "{0} += [{1}]",
              "del {0}[0]", "{0}.reverse()"),
    "ordered": ("{0}[7] = {1}", "{0}[2] = {1}", "{0}.pop(2, 0)", "{0}[1] = {0}.pop(1, 0)"),
}  # fmt: skip
WALKS = ("{0}", "{0}", "map(abs, {0})", "filter(None, {0})", "iter({0})")
PAIRS = ("enumerate({0})", "zip({0}, range(9))", "zip({0}, {0})")


def changing_walk(author: Author) -> Lines | None:
    """``for n in table: table[7] = n``, caught where Python raises, at times."""
    if author.depth >= DEEPEST or author.loops >= 1:
        return None
    kind = author.pick(CONTAINERS)
    name, seen, item = author.fresh("held"), author.fresh("items"), author.fresh("i")
    body = [f"{seen}.append({item})"]
    for _ in range(author.dice.randrange(1, 3)):
        body += _change(author, kind, name, item)
    if author.chance(0.2):
        body.append(f"if {condition(author)}:")
        body.append("    break")
    walk = [f"for {_header(author, kind, name, item)}:", *indented(body)]
    if author.chance(0.6):
        caught = ["except RuntimeError as error:", f"    {seen}.append(len(str(error)))"]
        walk = ["try:", *indented(walk), *caught]
    author.bind(seen, author.new_list(INT, 0))
    listed = author.pick(["{0}", "sorted({0})", "list({0})"]).format(name)
    after = [f"{seen}.extend({listed})"]
    return [*_made(author, kind, name), f"{seen} = []", *walk, *after]


def _made(author: Author, kind: str, name: str) -> Lines:
    if author.chance(0.5):
        return [f"{name} = {MADE[kind]}"]
    counter = author.fresh("k")
    filled = FILLED[kind].format(name, counter)
    bound = author.pick(["3", f"min({expression(author, INT, 1)}, 4)"])
    return [f"{name} = {EMPTY[kind]}", f"for {counter} in range({bound}):", f"    {filled}"]


def _change(author: Author, kind: str, name: str, item: str) -> Lines:
    value = author.pick([item, item, "3", f"{item} + 3"])
    text = author.pick(CHANGES[kind]).format(name, value)
    test = author.pick([condition(author), f"{item} < 3", f"{item} == 2", f"len({name}) > 2"])
    return [f"if 1 < len({name}) < 6 and ({test}):", f"    {text}"]


def _header(author: Author, kind: str, name: str, item: str) -> str:
    if kind in ("dict", "ordered") and author.chance(0.5):
        other = author.fresh("value")
        return author.pick([
            f"{other}, {item} in {name}.items()", f"{item} in {name}.values()",
            f"{item} in {name}.keys()", f"{item} in reversed({name})",
        ])  # fmt: skip
    if kind in ("list", "deque") and author.chance(0.2):
        return f"{item} in reversed({name})"
    if author.chance(0.3):
        other = author.fresh("value")
        return f"{item}, {other} in {author.pick(PAIRS).format(name)}"
    return f"{item} in {author.pick(WALKS).format(name)}"


def changing_comprehension(author: Author) -> Lines | None:
    """``[held.pop() + n for n in held]``: a comprehension changes what it walks."""
    name, made = author.fresh("held"), author.fresh("items")
    item = author.fresh("t")
    author.bind(made, author.new_list(INT, 0))
    element = author.pick([f"{name}.pop() + {item}", f"{name}.append({item}) or {item}"])
    text = f"{element} for {item} in {name} if len({name}) < 6"
    form = author.pick(["[{0}]", "list({0})", "sorted({0})"]).format(text)
    start = author.pick(["[1, 2, 5]", f"[{expression(author, INT, 1)}, 2, 3]"])
    return [f"{name} = {start}", f"{made} = {form}"]
