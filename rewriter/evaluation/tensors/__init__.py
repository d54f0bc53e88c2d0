"""Tensors and their sizes: indexing, writes, methods, sizes known only at run time."""
