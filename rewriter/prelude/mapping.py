"""What Python's own code does with a mapping of a user's class."""


def items_of_mapping(mapping):
    """Return the dict of what a mapping has at the keys that it tells."""
    items = {}
    for key in mapping.keys():  # noqa: SIM118
        items[key] = mapping[key]
    return items
