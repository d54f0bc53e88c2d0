"""Changes of containers of the host that may fail: caught, and after what the caller sees."""

from collections import OrderedDict, deque

from tests.language.harness import case

PLACES = [(3, 1), (3, 5), (0, 0), (2, -2), (1, -2)]


@case(inputs=PLACES)
def item_set_in_a_try(n, place):
    """There may be no such place in the list."""
    items = list(range(n))
    try:
        items[place] = 7
    except IndexError:
        items.append(7)
    return items


@case(inputs=PLACES)
def item_deleted_in_a_try(n, place):
    """Nor may there be anything to delete."""
    items = list(range(n))
    try:
        del items[place]
    except IndexError:
        items.append(7)
    return items


@case(inputs=PLACES)
def strided_slice_in_a_try(n, place):
    """A slice with a step takes as many items as it has places."""
    items = list(range(n))
    try:
        items[::2] = [place, place]
    except ValueError:
        items.append(7)
    return items


@case(inputs=PLACES)
def removed_in_a_try(n, wanted):
    """What is removed may not be there."""
    items = deque(range(n))
    try:
        items.remove(wanted)
    except ValueError:
        items.append(7)
    return items


@case(inputs=PLACES)
def element_removed_in_a_try(n, wanted):
    """Neither from a set."""
    items = set(range(n))
    try:
        items.remove(wanted)
    except KeyError:
        items.add(7)
    return items


@case(inputs=PLACES)
def key_deleted_in_a_try(n, wanted):
    """Nor from a dict."""
    table = {i: i * i for i in range(n)}
    try:
        del table[wanted]
    except KeyError:
        table[7] = 7
    return table


@case(inputs=PLACES)
def moved_in_a_try(n, wanted):
    """Nor is what is moved to the end certainly there."""
    table = OrderedDict((i, i) for i in range(n))
    try:
        table.move_to_end(wanted)
    except KeyError:
        table[7] = 7
    return table


@case(inputs=PLACES)
def plain_slices_in_a_try(n, place):
    """Slices without a step never fail; neither does adding."""
    items = list(range(n))
    try:
        items[place:] = [place]
        del items[:1]
        items.insert(place, n)
    except (IndexError, ValueError):  # never
        items.append(7)  # never
    return items


@case(inputs=[([1], *pair) for pair in PLACES])
def argument_changed_before(log, n, place):
    """The caller's list has what was appended before the failure, and no more."""
    items, table, few = list(range(n)), {i: i for i in range(n)}, set(range(n))
    log.append(place)
    items[place] = 7
    log.append("set")
    del table[place]
    log.append("deleted")
    few.remove(place)
    log.append("removed")
    return items, table, few


@case(inputs=[([1], *pair) for pair in PLACES])
def argument_changed_before_removing(log, n, wanted):
    """The same where an item is removed from a list, and moved in a dict."""
    items, table = list(range(n)), OrderedDict((i, i) for i in range(n))
    log.append(wanted)
    items.remove(wanted)
    log.append("removed")
    table.move_to_end(wanted)
    del items[wanted - 3]
    log.append("deleted")
    return items, table
