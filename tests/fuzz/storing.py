"""Lists, dicts and tuples: made, changed, read."""

from tests.fuzz.author import Author, Lines, indented
from tests.fuzz.expressions import condition, expression, threshold
from tests.fuzz.kinds import (
    FLOAT,
    INT,
    MATRIX,
    ROW,
    SINGLE,
    STR,
    DictKind,
    Kind,
    ListKind,
    TensorKind,
    TupleKind,
)


def _element(author: Author) -> Kind:
    return author.weighted([(2, MATRIX), (3, ROW), (1, SINGLE), (2, INT), (1.5, FLOAT), (0.5, STR)])


def new_list(author: Author) -> Lines:
    """``items = []``, or with elements."""
    element = _element(author)
    parts = [expression(author, element, 1) for _ in range(author.pick([0, 0, 1, 2, 3]))]
    name = author.fresh("items")
    author.bind(name, author.new_list(element, len(parts)))
    if len(parts) == 1 and author.chance(0.3):
        author.scope.sizes[_cell(author, name)] = 2
        return [f"{name} = [{parts[0]}] * 2"]
    return [f"{name} = [{', '.join(parts)}]"]


def _cell(author: Author, name: str) -> int:
    kind = author.scope.names[name]
    assert isinstance(kind, ListKind)
    return kind.cell


def _some_list(author: Author) -> tuple[str, ListKind] | None:
    held = [(n, k) for n, k in author.scope.names.items() if isinstance(k, ListKind)]
    return author.pick(held) if held else None


def list_change(author: Author) -> Lines | None:
    """Append, insert, pop, store, slice: one change of a list."""
    found = _some_list(author)
    if found is None:
        return None
    name, kind = found
    value = expression(author, kind.element, 2)
    size = author.scope.sizes[kind.cell]
    if author.chance(0.5):
        return _append(author, name, kind, value)
    if size and author.chance(0.7):
        return _with_elements(author, name, kind, value)
    author.scope.sizes[kind.cell] = size + 1
    other = expression(author, kind.element, 1)
    options = [f"{name}.insert(0, {value})", f"{name}.extend([{value}, {other}])"]
    options.append(f"{name} += [{value}]")
    if name in author.scope.fixed:
        options.pop()
    return [author.pick(options)]


def _append(author: Author, name: str, kind: ListKind, value: str) -> Lines:
    if author.chance(0.35):
        test = condition(author)
        return [f"if {test}:", f"    {name}.append({value})"]
    author.scope.sizes[kind.cell] += 1
    return [f"{name}.append({value})"]


def _with_elements(author: Author, name: str, kind: ListKind, value: str) -> Lines:
    size = author.scope.sizes[kind.cell]
    index = expression(author, INT, 1)
    text = author.pick([
        f"{name}[0] = {value}", f"{name}[-1] = {value}", f"{name}[{index} % {size}] = {value}",
        "pop", f"{name}.reverse()", "read", "slice", f"{name}[:1] = [{value}]", "copied",
    ])  # fmt: skip
    if text == "pop":
        taken = author.target(kind.element)
        author.bind(taken, kind.element)
        author.scope.sizes[kind.cell] -= 1
        pop = f"{taken} = {name}.pop({author.pick(['', '0', '-1'])})"
        if not author.loops:
            return [pop]
        author.bind(taken, kind.element)
        fallback = f"{taken} = {value}"
        return [f"if len({name}) > 1:", f"    {pop}", "else:", f"    {fallback}"]
    if text == "read":
        taken = author.target(kind.element)
        author.bind(taken, kind.element)
        return [f"{taken} = {name}[{index} % {size}]"]
    if text in ("slice", "copied"):
        taken = author.fresh("items")
        author.bind(taken, author.new_list(kind.element, size))
        pieces = [f"[:{size}]", f"[-1:] * {size}", "[::-1]", f" + [{value}]", "[:]"]
        piece = author.pick(pieces[:3] if text == "slice" else pieces[3:])
        return [f"{taken} = {name}{piece}"]
    return [text]


def new_dict(author: Author) -> Lines:
    """``table = {'a': x}``."""
    value = _element(author)
    keys = author.pick([(), ("a",), ("a", "b")])
    items = [f"{key!r}: {expression(author, value, 1)}" for key in keys]
    name = author.fresh("table")
    author.bind(name, author.new_dict(value, keys))
    return [f"{name} = {{{', '.join(items)}}}"]


def dict_change(author: Author) -> Lines | None:
    """Store, update, pop, get."""
    held = [(n, k) for n, k in author.scope.names.items() if isinstance(k, DictKind)]
    if not held:
        return None
    name, kind = author.pick(held)
    value = expression(author, kind.value, 2)
    key = author.pick(["a", "b", "c"])
    keys = author.scope.keys[kind.cell]
    if author.chance(0.3):
        taken = author.target(kind.value)
        author.bind(taken, kind.value)
        method = author.pick(["get", "get", "setdefault", "pop"])
        if method == "pop":
            author.scope.keys[kind.cell] = tuple(k for k in keys if k != key)
        if method == "setdefault" and key not in keys:
            author.scope.keys[kind.cell] = (*keys, key)
        return [f"{taken} = {name}.{method}({key!r}, {value})"]
    if author.chance(0.3):
        return [f"if {condition(author)}:", *indented([f"{name}[{key!r}] = {value}"])]
    if key not in keys:
        author.scope.keys[kind.cell] = (*keys, key)
    return [author.pick([f"{name}[{key!r}] = {value}", f"{name}.update({{{key!r}: {value}}})"])]


def tuple_made(author: Author) -> Lines:
    """``pair = (x, n)``, or unpacked at once."""
    items: list[Kind] = [_element(author) for _ in range(2)]
    texts = [expression(author, item, 1) for item in items]
    if author.chance(0.5):
        one, two = author.target(items[0]), author.target(items[1])
        if one != two:
            author.bind(one, items[0])
            author.bind(two, items[1])
            return [f"{one}, {two} = {texts[0]}, {texts[1]}"]
    kind = TupleKind(tuple(items))
    name = author.fresh("pair")
    author.bind(name, kind)
    return [f"{name} = ({', '.join(texts)})"]


def comprehension(author: Author) -> Lines | None:
    """``[t * 2 for t in items]``, filtered at times."""
    found = _some_list(author)
    name, variable = author.fresh("items"), author.fresh("t")
    source, size = "range(3)", 3
    element = INT
    if found is not None:
        source, element = found[0], found[1].element
        size = author.scope.sizes[found[1].cell]
    elif author.chance(0.5):
        return None
    if isinstance(element, TensorKind):
        body = author.pick([f"{variable} * 2", f"torch.relu({variable})", f"{variable} + 1"])
        test = f"{variable}.sum() > {threshold(author)}"
    elif element in (INT, FLOAT):
        third = f"max({variable}, 1)" if element == INT else f"{variable} * 0.5"
        body = author.pick([f"{variable} + 1", f"-{variable}", third])
        test = f"{variable} > {author.pick(['0', '1'])}"
    else:
        body, test = f"{variable} + 'c'", f"{variable} != 'a'"
    filtered = author.chance(0.3)
    author.bind(name, author.new_list(element, 0 if filtered else size))
    return [f"{name} = [{body} for {variable} in {source}{' if ' + test if filtered else ''}]"]


def container_copy(author: Author) -> Lines | None:
    """``list(items)``, ``dict(table)``."""
    held = author.named(lambda k: isinstance(k, ListKind | DictKind))
    if not held:
        return None
    source, kind = author.pick(held)
    if isinstance(kind, ListKind):
        name = author.fresh("items")
        author.bind(name, author.new_list(kind.element, author.scope.sizes[kind.cell]))
        return [f"{name} = {author.pick([f'list({source})', f'{source}.copy()', f'[*{source}]'])}"]
    assert isinstance(kind, DictKind)
    name = author.fresh("table")
    author.bind(name, author.new_dict(kind.value, author.scope.keys[kind.cell]))
    return [f"{name} = {author.pick([f'dict({source})', f'{{**{source}}}'])}"]
