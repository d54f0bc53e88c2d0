"""``functools.lru_cache`` of functions that are defined in the call, in Python."""


def remembering(function):
    """Return a function that calls another one once for equal arguments, and remembers results."""
    results = {}

    def remembered(*args, **keywords):
        if len(args) == 1 and not keywords and type(args[0]) in (int, str):
            key = args[0]
        else:
            key = (args, tuple(keywords.items()), "**") if keywords else args
        if key in results:
            return results[key]
        result = function(*args, **keywords)
        results[key] = result
        return result

    return remembered
