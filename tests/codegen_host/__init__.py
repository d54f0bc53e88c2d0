"""Tests of the host package."""
