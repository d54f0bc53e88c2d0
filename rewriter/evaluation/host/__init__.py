"""Values that the host holds: their types, what it does with them."""
