"""``zip(*rows)`` in Python: the columns of rows of one known length."""


def listed(items):
    """Return the rows as a list, as ``*`` does; zip cannot walk over None."""
    rows = []
    missing = False
    for row in items:
        if row is None:
            missing = True
        else:
            rows.append(row)
    if missing:
        raise TypeError("'NoneType' object is not iterable")
    return rows


def columns(rows, width):
    """Give the tuple of all first items, of all second ones, ...: nothing where there is no row."""
    if len(rows) == 0:
        return iter([])
    return iter([tuple([row[column] for row in rows]) for column in range(width)])
