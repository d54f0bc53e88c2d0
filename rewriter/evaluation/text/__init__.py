"""Strings and what prints them."""
