"""Cases of the pass ``structural_dedupe``."""
