"""What ``hash`` gives of what is hashed otherwise in each process: texts, objects."""


class HashNumber:
    """A number that may be compared, and nothing else: elsewhere it is another one."""

    def __init__(self, number):
        self.number = number

    def __eq__(self, other):
        if isinstance(other, HashNumber):
            return self.number == other.number
        return self.number == other

    def __hash__(self):
        return HashNumber(hash(self.number))


def hash_of_fields(item, names):
    """Return the hash of an object by its fields, as ``dataclass`` writes it."""
    return hash(tuple([getattr(item, name) for name in names]))


def as_hash(given):
    """What ``hash`` gives where ``__hash__`` gives an integer: up to 64 bits, that itself."""
    number = int(given) if -(2**63) <= given < 2**63 else hash(given)
    return -2 if number == -1 else number
