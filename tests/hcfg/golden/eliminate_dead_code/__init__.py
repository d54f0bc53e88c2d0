"""Cases of the pass ``eliminate_dead_code``."""
