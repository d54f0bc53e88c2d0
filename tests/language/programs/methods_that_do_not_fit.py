"""Methods of builtin containers: arguments that do not fit, and bounds of ``index``."""

from collections import OrderedDict, deque

from tests.language.harness import case

COUNTS = [(2,), (0,), (-1,), (1,)]


def _text(call):
    try:
        call()
    except TypeError as error:
        return str(error)
    return "nothing raised"  # never


@case(inputs=COUNTS)
def lists(n):
    """Too many arguments, too few, or keywords that a method of a list does not have."""
    items = [3, 1, n]
    texts = [
        _text(lambda: items.append()),
        _text(lambda: items.append(1, n)),
        _text(lambda: items.extend([1], [n])),
        _text(lambda: items.insert(n)),
        _text(lambda: items.pop(0, n)),
        _text(lambda: items.remove()),
        _text(lambda: items.index()),
        _text(lambda: items.count(1, n)),
        _text(lambda: items.clear(n)),
        _text(lambda: items.reverse(n)),
        _text(lambda: items.copy(n)),
        _text(lambda: items.sort(n)),
        _text(lambda: items.sort(order=n)),
        _text(lambda: items.append(item=n)),
        _text(lambda: [1, 2].sort(True)),
    ]
    return texts, items


@case(inputs=COUNTS)
def other_containers(n):
    """The same for tuples, dicts, sets and deques."""
    pair, table, ordered, few, queue = (1, n), {1: n}, OrderedDict(a=n), {1, 2}, deque([1, n])
    texts = [
        _text(lambda: pair.count()),
        _text(lambda: pair.index(n, 0, 1, 2)),
        _text(lambda: table.get()),
        _text(lambda: table.get(1, 2, n)),
        _text(lambda: table.pop()),
        _text(lambda: table.items(n)),
        _text(lambda: table.setdefault()),
        _text(lambda: table.update(table, table)),
        _text(lambda: ordered.move_to_end("a", first=n)),
        _text(lambda: few.add(3, 4)),
        _text(lambda: few.add(item=3)),
        _text(lambda: few.discard()),
        _text(lambda: queue.appendleft(1, n)),
        _text(lambda: queue.popleft(n)),
    ]
    return texts, pair, table, ordered, few, queue


@case(inputs=[(2,), (0,), (4,)])
def run_time_containers(n):
    """The same where the container exists at run time only."""
    items = list(range(n))
    table = {i: i for i in range(n)}
    return _text(lambda: items.append(1, 2)), _text(lambda: table.get()), items, table


@case(inputs=COUNTS)
def bounds_of_index(n):
    """What is looked for is looked for between the bounds only."""
    items, pair = [1, 2, 1, n, 1], (2, n, 2)
    return [
        items.index(1),
        items.index(1, 1),
        items.index(1, -1),
        items.index(1, -3, 3),
        pair.index(2, 1),
        deque(items).index(1, 3),
        (1, 2, 1).index(1, 1, 20),
    ]


@case(inputs=[(2,), (1,), (3,), (5,)])
def run_time_values_between_bounds(n):
    """The same for a value known only at run time."""
    items = [1, 2, 1, 5, 2, n]
    return items.index(n, 1), items.index(n, 2), (1, 3, n).index(n, -2)


@case(inputs=[(2,), (1,), (7,)])
def nothing_between_bounds(n):
    """Where nothing equal stands there, a ValueError is raised and may be caught."""
    found = []
    for holder in ([2, 1, 3], (2, 1, 3, -n), deque([2, 1, 3])):
        try:
            found.append(holder.index(n, 1))
        except ValueError as error:
            found.append(str(error))
    return found


@case(inputs=[(2,), (1,), (7,)])
def nothing_in_a_tuple(n):
    """Tuples and deques have texts of their own."""
    if n == 1:
        return (2, n).index(3)
    if n == 2:
        return deque([5, n]).index(3)
    deque([5, n]).remove(3)
    return n  # never


@case(inputs=[(2,), (1,), (-1,), (4,)])
def run_time_bounds(n):
    """Bounds of index() that are known only at run time."""
    return [1, 2, 1, 2].index(2, n)


def _kind(call):
    try:
        call()
    except (TypeError, ValueError, IndexError, KeyError) as error:
        return f"{type(error).__name__}: {error}"
    return "nothing raised"  # never


@case(inputs=[(2, 0.5), (0, 1.5), (1, -1.0)])
def kinds_for_containers(n, f):
    """Methods of containers look at the kinds of their arguments before anything else."""
    items, table, few, queue = [3, 1, n], {1: n}, {1, 2}, deque([1, n])
    text = f"a{n}"
    kinds = [
        _kind(lambda: items.pop(f)),
        _kind(lambda: items.insert(text, n)),
        _kind(lambda: items.index(n, text)),
        _kind(lambda: items.extend(n)),
        _kind(lambda: items[f]),
        _kind(lambda: items[text]),
        _kind(lambda: items[text:]),
        _kind(lambda: (n, f)[text]),
        _kind(lambda: table.get([n])),
        _kind(lambda: table.update(n)),
        _kind(lambda: table.update([n])),
        _kind(lambda: few.add([n])),
        _kind(lambda: few.update(n)),
        _kind(lambda: few.union([[n]])),
        _kind(lambda: queue.rotate(f)),
        _kind(lambda: queue.extend(n)),
    ]
    return kinds, items, table, few, queue


@case(inputs=[(2, 0.5), (0, 1.5), (1, -1.0)])
def kinds_for_operators_of_strings(n, f):
    """Operators and indices of strings that are made at run time."""
    text = f"a{n}"
    return [
        _kind(lambda: text + n),
        _kind(lambda: f + text),
        _kind(lambda: text * f),
        _kind(lambda: text * text),
        _kind(lambda: text - text),
        _kind(lambda: text < n),
        _kind(lambda: text @ None),
        _kind(lambda: -text),
        _kind(lambda: n in text),
        _kind(lambda: None not in text),
        _kind(lambda: text[f]),
        _kind(lambda: text[text]),
        _kind(lambda: text[f:]),
        _kind(lambda: text[None]),
        _kind(lambda: "ab"[f]),
        _kind(lambda: "ab"[text]),
        text + text * n + text[0] + text[-1:],
    ]


@case(inputs=COUNTS)
def names_of_ordered_dicts(n):
    """``pop`` and ``setdefault`` of an OrderedDict take their arguments by name, too."""
    ordered = OrderedDict({1: n, 2: 3, 4: 5})
    taken = [
        ordered.pop(key=1),
        ordered.pop(7, default=n),
        ordered.pop(default=n, key=2),
        ordered.setdefault(key=8, default=n),
        ordered.setdefault(4, default=n),
    ]
    return taken, ordered, _kind(lambda: ordered.pop(item=n)), _kind(lambda: ordered.pop(key=9))
