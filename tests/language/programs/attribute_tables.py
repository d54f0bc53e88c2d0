"""``vars(x)`` and ``x.__dict__`` of objects made in the call: the attributes themselves."""

from types import SimpleNamespace

from tests.language.harness import MIXED, NEGATIVE, POSITIVE, case


BOTH = [(POSITIVE, 3), (NEGATIVE, 0), (MIXED, 2)]


class _Pair:
    def __init__(self, first, second):
        self.first = first
        self.second = second


@case(inputs=BOTH)
def what_is_written_later(x, n):
    """A dict taken before sees attributes that are written afterwards."""
    pair = _Pair(1.0, n)
    table = pair.__dict__
    pair.first = x.sum().item()
    pair.third = 5
    del pair.second
    return table["first"], "third" in table, list(table), vars(pair) is table


@case(inputs=BOTH)
def written_into_the_dict(x, n):
    """What is put into the dict is an attribute, on either path."""
    pair = _Pair(1.0, n)
    table = vars(pair)
    if x.sum() > 0:
        pair.third = n * 2
    else:
        table["third"] = x.sum().item()
    table.update(fourth=n)
    return pair.third, table["third"], pair.fourth, len(vars(pair))


class _Open:
    def __init__(self, **given):
        self.__dict__.update(given)
        self.size = len(vars(self))

    def __getattr__(self, name):
        try:
            return self.__dict__["_" + name]
        except KeyError:
            raise AttributeError(name) from None


@case(inputs=BOTH)
def given_by_keywords(x, n):
    """An object with the attributes that it is given, and others found in its dict."""
    found = _Open(first=x.sum().item(), _hidden=n)
    return found.first, found.hidden, hasattr(found, "other"), found.size


@case(inputs=BOTH)
def handed_on(x, n):
    """As keywords, copied, added up."""

    def product(first, second):
        return first * second

    pair = _Pair(x.sum().item(), n)
    copied = _Pair(**vars(pair))
    pair.second = 7
    total = sum(value for value in vars(copied).values())
    return product(**vars(pair)), copied.second, {**vars(pair)}, total


@case(inputs=BOTH)
def walked_while_written(x, n):
    """A walk over the dict sees what is written in its body."""
    pair, seen = _Pair(1.0, 2.0), []
    for value in pair.__dict__.values():
        pair.second = x.sum().item()
        seen.append(value)
    return seen, n


@case(inputs=BOTH)
def in_loops_and_functions(x, n):
    """Loops of unknown length, and recursions, change both."""
    pair = _Pair(0, 0)
    table = vars(pair)
    for step in range(n):
        pair.first += step
        table["second"] += pair.first

    def down(left):
        if left > 0:
            pair.first = pair.first + left
            down(left - 1)

    down(n)
    return pair.first, pair.second, table["first"], x


@case(inputs=BOTH)
def before_the_host_has_it(x, n):
    """The dict is used before an object goes into a list of run-time length."""
    pairs = []
    for step in range(n):
        pair = _Pair(step, 1)
        vars(pair)["second"] = 2
        pairs.append(pair)
    return [pair.first + pair.second for pair in pairs], x


@case(inputs=BOTH, refused="DYCL073")
def while_the_host_has_it(x, n):
    """The dict is used when the object exists at run time only."""
    pair, pairs = _Pair(1, 2), []
    table = vars(pair)
    for _ in range(n):
        pairs.append(pair)  # <- refused
        pair.first += 1
    return table["first"], len(pairs), x


def _named(**given):
    return list(given), given["x"]


@case(inputs=BOTH)
def of_a_namespace(x, n):
    """vars() of a namespace is its table of attributes"""
    batch = SimpleNamespace(x=x, length=2)
    if x.sum() > 0:
        batch.mask = x > 0
    vars(batch)["more"] = x + n
    return _named(**vars(batch)), batch.more, "mask" in batch.__dict__
