"""``itertools`` in Python: the same items, one by one, in the same order."""

import operator


def items_of_iterator(iterator):
    """Give what an iterator of a user's class gives, up to its StopIteration."""
    while True:
        try:
            item = iterator.__next__()
        except StopIteration as end:
            return end.value
        yield item


def ask_for_length(iterable):
    """Ask an object how many items it has, as what makes a list of them does."""
    try:
        len(iterable)
    except TypeError:
        return


def items_by_place(sequence):
    """Give the items of an object that says nothing of how it is walked, by their places."""
    place = 0
    while True:
        try:
            item = sequence[place]
        except (IndexError, StopIteration):
            return
        yield item
        place += 1


def next_or(iterator, default):
    """``next(iterator, default)`` of an iterator of a user's class."""
    try:
        return iterator.__next__()
    except StopIteration:
        return default


def until(function, sentinel):
    """``iter(function, sentinel)``."""
    while True:
        item = function()
        if item in (sentinel,):
            return
        yield item


def backwards(sequence):
    """``reversed(sequence)`` of an object that has a length and is asked for places."""
    return _from_place(sequence, len(sequence) - 1)


def _from_place(sequence, place):
    while place >= 0:
        try:
            item = sequence[place]
        except (IndexError, StopIteration):
            return
        yield item
        place -= 1


def chain(*iterables):
    """Give the items of one iterable after the other."""
    for iterable in iterables:
        yield from iterable


def from_iterable(iterables):
    """Give the items of one iterable after the other, the iterables themselves one by one."""
    for iterable in iterables:
        yield from iterable


def islice(iterable, start, *rest):
    """Give the items at the positions that a slice would take."""
    chosen = slice(start, *rest) if rest else slice(start)
    _check_slice(chosen.start, chosen.stop, chosen.step)
    return _sliced(iter(iterable), chosen)


_NUMBERLESS = (float, complex, str, bytes, list, tuple, dict, set)


def _check_slice(start, stop, step):
    places = "must be None or an integer: 0 <= x <= sys.maxsize."
    if stop is not None and (isinstance(stop, _NUMBERLESS) or stop == -1):
        raise ValueError("Stop argument for islice() " + places)
    if start is not None and (isinstance(start, _NUMBERLESS) or start < 0):
        raise ValueError("Indices for islice() " + places)
    if stop is not None and stop < -1:
        raise ValueError("Indices for islice() " + places)
    if step is not None and (isinstance(step, _NUMBERLESS) or step < 1):
        raise ValueError("Step for islice() must be a positive integer or None.")


def _sliced(iterable, chosen):
    wanted = 0 if chosen.start is None else chosen.start
    step = 1 if chosen.step is None else chosen.step
    if chosen.stop is not None and wanted >= chosen.stop:
        return
    for position, item in enumerate(iterable):
        if position == wanted:
            yield item
            wanted += step
        if chosen.stop is not None and position + 1 >= chosen.stop:
            return


def accumulate(iterable, func=operator.add, *, initial=None):
    """Give what the items so far come to."""
    items = iter(iterable)
    total = initial
    begun = initial is not None
    if begun:
        yield total
    for item in items:
        total = func(total, item) if begun else item
        begun = True
        yield total


def starmap(function, iterable):
    """Give the result of the function for each tuple of arguments."""
    for arguments in iterable:
        yield function(*arguments)


def takewhile(predicate, iterable):
    """Give the items before the first that does not pass."""
    for item in iterable:
        if not predicate(item):
            return
        yield item


def dropwhile(predicate, iterable):
    """Give the items from the first one on that does not pass."""
    dropping = True
    for item in iterable:
        if dropping and predicate(item):
            continue
        dropping = False
        yield item


def filterfalse(predicate, iterable):
    """Give the items that do not pass."""
    for item in iterable:
        if not (item if predicate is None else predicate(item)):
            yield item


def compress(data, selectors):
    """Give the items whose selector is true."""
    for item, selector in zip(data, selectors):  # noqa: B905
        if selector:
            yield item


def pairwise(iterable):
    """Give each item with the next one."""
    begun = False
    before = None
    for item in iterable:
        if begun:
            yield before, item
        before = item
        begun = True


def zip_longest(*iterables, fillvalue=None):
    """Give rows of items until the longest iterable ends."""
    columns = [iter(iterable) for iterable in iterables]
    going = [True for _ in columns]
    while columns:
        row = []
        for place, column in enumerate(columns):
            item = fillvalue
            if going[place]:
                try:
                    item = next(column)
                except StopIteration:
                    going[place] = False
                    if not any(going):
                        return
            row.append(item)
        yield tuple(row)


def repeat(object, times=None):
    """Give one object again and again."""
    return _without_end(object) if times is None else (object for _ in range(times))


def _without_end(object):
    while True:
        yield object


def count(start=0, step=1):
    """Give numbers without end; a truth counts as what it is worth where the step is 1."""
    by_one = isinstance(start, bool) and isinstance(step, int) and step == 1
    number = int(start) if by_one else start
    while True:
        yield number
        number = number + step


def cycle(iterable):
    """Give the items again and again."""
    items = []
    for item in iterable:
        items.append(item)
        yield item
    if not items:
        return
    while True:
        yield from items


def tee(iterable, n=2):
    """Give iterators over the same items, which are asked for when the first needs them."""
    if n < 0:
        raise ValueError("n must be >= 0")
    if n == 0:
        return ()
    source = iter(iterable)
    waiting = [[] for _ in range(n)]

    def taken(own):
        while True:
            if not own:
                try:
                    item = next(source)
                except StopIteration:
                    return
                for each in waiting:
                    each.append(item)
            yield own.pop(0)

    return tuple([taken(own) for own in waiting])


def groupby(iterable, key=None):
    """Give runs of items with equal keys, each with its key, until the next run is asked for."""
    source = iter(iterable)
    ahead = []  # the first item of the next run with its key, once it is known

    def found():
        for item in source:
            ahead.append((item if key is None else key(item), item))
            return

    def run(mark):
        yield ahead.pop()[1]  # the first is in its run even where it is not equal to itself
        found()
        while ahead and ahead[0][0] in (mark,):
            yield ahead.pop()[1]
            found()

    found()
    while ahead:
        mark = ahead[0][0]
        items = run(mark)
        yield mark, items
        for _ in items:
            pass


def groupby_in_list(items, key=None):
    """Give what ``groupby`` gives of a list that nobody changes meanwhile: all runs found first."""
    before = list(items)
    marks, runs = [], []
    for item in before:
        mark = item if key is None else key(item)
        if len(marks) > 0 and mark in (marks[-1],):
            runs[-1].append(item)
        else:
            marks.append(mark)
            runs.append([item])
    for i in range(len(marks)):
        run = iter(runs[i])
        yield marks[i], run
        if items != before:
            raise RuntimeError("a list is changed while groupby() walks over it")
        for _ in run:
            pass
