"""Calls: of functions of the program (inlined or specialised), of modules, of libraries."""
