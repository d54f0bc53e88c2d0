"""What generators give that ask themselves for items, put into a list."""


def collect(items, iterator):
    """Add what an iterator gives, which may be a generator of the same function."""
    add_all(items, iterator)


def add_all(items, iterator):
    """Add what an iterator gives."""
    for item in iterator:
        items.append(item)
