"""Cases of the pass ``eliminate_identity_outputs``."""
