"""Generators: bodies that pause, and what walks them."""
