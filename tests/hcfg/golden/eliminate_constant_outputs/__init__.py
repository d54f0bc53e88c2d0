"""Cases of the pass ``eliminate_constant_outputs``."""
