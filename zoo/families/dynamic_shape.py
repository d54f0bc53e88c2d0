"""Networks whose tensors have sizes that the input decides."""

from zoo.entry import Entry

ENTRIES: tuple[Entry, ...] = ()
