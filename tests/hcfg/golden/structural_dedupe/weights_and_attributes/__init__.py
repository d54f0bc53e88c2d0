"""Golden case."""
