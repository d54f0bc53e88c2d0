"""Tests of backends other than the first, and of several backends in one package."""
