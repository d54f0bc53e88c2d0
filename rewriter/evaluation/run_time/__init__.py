"""Containers and records that exist only at run time, and what may be done with them."""
