"""What generators give that ask themselves for items, put into a list or handed to a function."""


def collect(items, iterator):
    """Add what an iterator gives, which may be a generator of the same function."""
    add_all(items, iterator)


def add_all(items, iterator):
    """Add what an iterator gives."""
    for item in iterator:
        items.append(item)


def hand_over(function, iterator):
    """Call a function with what an iterator gives, which may be a generator of the same kind."""
    call_with_all(function, iterator)


def call_with_all(function, iterator):
    """Call a function with what an iterator gives."""
    for item in iterator:
        function(item)
