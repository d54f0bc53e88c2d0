"""Statements that choose and repeat: tests, loops, exceptions, context managers."""
