"""``sorted``, ``min``, ``max`` and ``heapq`` in Python, for items that the host cannot compare.

Objects of the user's classes are compared by their own ``__lt__``, tensors by PyTorch. The
comparisons are those of CPython, in its order: what a class counts in ``__lt__`` is counted, and
what is no order (NaN) gives what it gives there. ``sorted`` of 64 items or more is an exception:
CPython sorts runs and merges them, here all are inserted one by one. The result is the same for
every strict weak order, which NaN and classes that contradict themselves do not have.
"""


def heappush(heap, item, /):
    """Add an item to a heap."""
    heap.append(item)
    _move_up(heap, 0, len(heap) - 1, False)


def heappop(heap, /):
    """Take the smallest item out of a heap."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    last = heap.pop()
    if len(heap) == 0:
        return last
    smallest = heap[0]
    heap[0] = last
    _move_down(heap, 0, False)
    return smallest


def heapreplace(heap, item, /):
    """Take the smallest item out of a heap, then add another."""
    if len(heap) == 0:
        raise IndexError("index out of range")
    smallest = heap[0]
    heap[0] = item
    _move_down(heap, 0, False)
    return smallest


def heappushpop(heap, item, /):
    """Add an item to a heap, then take the smallest out."""
    if len(heap) == 0:
        return item
    if not heap[0] < item:
        return item
    smallest = heap[0]
    heap[0] = item
    _move_down(heap, 0, False)
    return smallest


def heapify(heap, /):
    """Make a list a heap."""
    for place in range(len(heap) // 2 - 1, -1, -1):
        _move_down(heap, place, False)


def _before(one, other, reverse):
    """Return whether one item goes above another in a heap."""
    if reverse:
        return other < one
    return one < other


def _move_up(heap, start, place, reverse):
    """Let an item change places with its parents until none goes below it."""
    while place > start:
        parent = (place - 1) // 2
        if not _before(heap[place], heap[parent], reverse):
            break
        heap[place], heap[parent] = heap[parent], heap[place]
        place = parent


def _move_down(heap, start, reverse):
    """Let an item change places with the upper of its children to a leaf, then up again."""
    size = len(heap)
    place = start
    while place < size // 2:
        child = 2 * place + 1
        if child + 1 < size and not _before(heap[child], heap[child + 1], reverse):
            child = child + 1
        heap[place], heap[child] = heap[child], heap[place]
        place = child
    _move_up(heap, start, place, reverse)


def sort_in_place(items, reverse, compare=None):
    """``items.sort(reverse=reverse)``: meanwhile the list is empty, and may not be changed."""
    taken = items[:]
    items.clear()
    try:
        sort(taken, reverse, compare)
        if len(items) > 0:
            raise ValueError("list modified during sort")
    finally:
        items[:] = taken


def sort(items, reverse, compare=None):
    """Sort a list; where a comparison raises, it is in the order that it had so far.

    ``compare`` is what ``functools.cmp_to_key`` was given, if it was.
    """
    if reverse:
        items.reverse()
        try:
            _insert_all(items, compare)
        finally:
            items.reverse()
    else:
        _insert_all(items, compare)


def _insert_all(items, compare):
    end, descending = _run(items, compare)
    if descending:
        _reverse(items, end)
    for place in range(end, len(items)):
        items.insert(_place(items, place, compare), items.pop(place))


def _less(one, other, compare):
    """Return whether one item goes before another."""
    if compare is None:
        return one < other
    return compare(one, other) < 0


def sort_by(keys, items, reverse):
    """Sort a list in place by a list of keys, which is sorted with it."""
    if reverse:
        keys.reverse()
        items.reverse()
    end, descending = _run(keys)
    if descending:
        _reverse(keys, end)
        _reverse(items, end)
    for place in range(end, len(keys)):
        found = _place(keys, place)
        keys.insert(found, keys.pop(place))
        items.insert(found, items.pop(place))
    if reverse:
        items.reverse()


def _run(keys, compare=None):
    """Return how many keys at the start are sorted, or each smaller than the one before it."""
    size = len(keys)
    if size < 2:
        return size, False
    end = 2
    if _less(keys[1], keys[0], compare):
        while end < size and _less(keys[end], keys[end - 1], compare):
            end += 1
        return end, True
    while end < size and not _less(keys[end], keys[end - 1], compare):
        end += 1
    return end, False


def _reverse(items, end):
    """Reverse the items before a place."""
    for place in range(end // 2):
        other = end - 1 - place
        items[place], items[other] = items[other], items[place]


def _place(keys, place, compare=None):
    """Return where the key at a place belongs among those before it: after its equals."""
    low, high = 0, place
    while low < high:
        middle = low + (high - low) // 2
        if _less(keys[place], keys[middle], compare):
            high = middle
        else:
            low = middle + 1
    return low


def smallest(items, keys):
    """Return the first of the items with the smallest keys: there is one at least."""
    best = 0
    for place in range(1, len(items)):
        if keys[place] < keys[best]:
            best = place
    return items[best]


def largest(items, keys):
    """Return the first of the items with the largest keys: there is one at least."""
    best = 0
    for place in range(1, len(items)):
        if keys[place] > keys[best]:
            best = place
    return items[best]


def nlargest(n, items, sized, /):
    """Return the ``n`` largest of a list, the largest first; ``sized`` if it was no iterator."""
    if n == 1:
        return [largest(items, items)] if len(items) > 0 else []
    if sized and n >= len(items):
        sort(items, True)
        return items[: max(n, 0)]
    return _best(n, items, False)


def nsmallest(n, items, sized, /):
    """Return the ``n`` smallest of a list, the smallest first; ``sized`` if it was no iterator."""
    if n == 1:
        return [smallest(items, items)] if len(items) > 0 else []
    if sized and n >= len(items):
        sort(items, False)
        return items[: max(n, 0)]
    return _best(n, items, True)


def _best(n, items, small):
    """Keep the best so far in a heap, the worst of them at its top, each with its turn."""
    kept = []
    for place in range(min(n, len(items))):
        kept.append((items[place], place if small else -place))
    if len(kept) == 0:
        return []
    for place in range(len(kept) // 2 - 1, -1, -1):
        _move_down(kept, place, small)
    turn = n if small else -n
    for place in range(n, len(items)):
        top = kept[0][0]
        if items[place] < top if small else top < items[place]:
            kept[0] = (items[place], turn)
            _move_down(kept, 0, small)
            turn += 1 if small else -1
    sort(kept, not small)
    return [item for item, _ in kept]
