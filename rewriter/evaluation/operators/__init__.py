"""Operators, comparisons and truth."""
