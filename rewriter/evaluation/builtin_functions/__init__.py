"""Builtins and functions of the standard library that have rules of their own."""
