"""The programs, one per code."""
