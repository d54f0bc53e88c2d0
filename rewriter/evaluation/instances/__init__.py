"""Objects and classes of the program: attributes, methods, construction."""
