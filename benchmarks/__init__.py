"""Measurements behind the tables in the documentation; each prints one table."""
