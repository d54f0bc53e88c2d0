"""Small programs before and after a pass."""
