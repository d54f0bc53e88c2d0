"""Lists, tuples, dicts and sets whose structure is known: made, read, changed, compared."""
